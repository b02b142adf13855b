"""Correntropy of whole rows, with a graph of nearest neighbors."""

from dataclasses import replace
from typing import ClassVar

from rnmf_tutorial.estimators.graph_models import GraphNMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.weighted import ScaledNMF
from rnmf_tutorial.groups import FEATURES
from rnmf_tutorial.losses import Correntropy

__all__ = ["MCCGR"]


@estimator
class MCCGR(GraphNMF, ScaledNMF):
    r"""Graph regularized NMF by maximum correntropy: a feature whose row is off counts less.

    Minimizes :math:`\sum_i \bigl(1 - \exp(-\lVert e_i\rVert^2/2\sigma^2)\bigr) + \frac{\lambda}{2}
    \operatorname{tr}(HLH^T)` over non-negative W and H, where :math:`e_i` is row i of
    :math:`E = X - WH`: the errors of feature i in all samples. With λ = 1 this is (4), turned from
    a maximum into a minimum, plus the number of features. The weights are
    :math:`q_i = \exp(-\lVert e_i\rVert^2/2\sigma^2)`; they cancel in the update of W. With a
    fixed σ the objective never rises.

    Parameters
    ----------
    {n_components}
    scale : float or "published", default="published"
        The kernel size σ, in the units of the data: the length of a row of E. "published" takes σ²
        as half the mean of :math:`\lVert e_i\rVert^2`, anew in each sweep: (23) with rows
        for entries, as the paper gives no rule for this model.
    lam : float or None, default=None
        The weight λ of the graph. None takes the published 1 over the mean of the
        positive data, so that a fit does not depend on their unit.
    n_neighbors : int, default=5
        How many nearest samples each sample is joined to.
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least squares, or the
        pseudo-inverse of W, whose coefficients may be negative.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    graph_ : NeighborGraph
        The graph of nearest neighbors.
    weights_ : ndarray of shape (n_features,)
        The weights of the features after the last sweep, between 0 and 1.
    scale_ : float
        The kernel size at the end.
    lam_ : float
        The weight λ.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's σ.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Li et al., *Graph regularized non-negative matrix factorization by maximizing correntropy*,
    2014; equation (4) of Cheng, Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[:, 1] = [9, 0, 9, 0, 9]
    >>> model = MCCGR(1, lam=0.0, random_state=0).fit(A)
    >>> int(model.weights_.argmin())
    1
    """

    lam: float | None = None
    n_neighbors: int = 5
    encoding: str = "nnls"

    phi: ClassVar = Correntropy()
    by_labels: ClassVar[bool] = False

    def _loss(self, point):
        """Return the first term of (4) as a minimum: half of φ of the rows, free of the scale."""
        return replace(super()._loss(point), group=FEATURES, unit=0.5, free_of_scale=True)

    def _lam_at(self, mean):
        """Return 1 over the mean: the first term has no unit, tr(HLHᵀ) that of the data."""
        return 1 / mean
