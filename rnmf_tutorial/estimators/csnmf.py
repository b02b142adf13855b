"""Correntropy supervised NMF: weights for the entries, and the graph of the labels."""

from dataclasses import replace
from typing import ClassVar

from rnmf_tutorial.estimators.graph_models import GraphNMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.weighted import ScaledNMF
from rnmf_tutorial.losses import Correntropy

__all__ = ["CSNMF"]


@estimator
class CSNMF(GraphNMF, ScaledNMF):
    r"""Correntropy supervised NMF: the correntropy-induced metric and the graph of the labels.

    Minimizes :math:`\mathrm{CIM}^2(X, WH) + \frac{\lambda}{2} \operatorname{tr}(H L H^T)` over
    non-negative W and H, where :math:`\mathrm{CIM}^2` is the mean over all entries of
    :math:`1 - \exp(-E_{ij}^2/2\sigma^2)`, :math:`E = X - WH`, and L is the Laplacian of the graph
    that joins all samples of one label. This is (12) as it stands, λ being its γ. With λ = 0 the
    iterates are those of :class:`CIMNMF`, whose objective is this one times
    :math:`2\sigma^2 mn`. The graph's term shrinks when W grows and H shrinks, so that many sweeps
    undo it: see :mod:`rnmf_tutorial.terms`.

    Parameters
    ----------
    {n_components}
    scale : float or "published", default="published"
        The kernel size σ, in the units of the data. "published" takes σ² as half the
        mean of e², anew in each sweep, as (23) does; the weights follow it, while Algorithm 1
        prints it after them.
    lam : float or None, default=None
        The weight λ of the graph. None takes the published 1e-5 over the mean of the
        positive data, so that a fit does not depend on their unit.
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples, whose labels are not known:
        non-negative least squares, or the pseudo-inverse of W, whose coefficients may be
        negative. The paper does not say.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    graph_ : LabelGraph
        The graph of the labels.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q after the last sweep: between 0 and 1.
    scale_ : float
        The kernel size at the end.
    lam_ : float
        The weight λ.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's σ. With a
        fixed σ it never rises.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Cheng, Wang and Guan, *Robust discriminative non-negative matrix factorization with maximum
    correntropy criterion*, 2022: equation (12), Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = CSNMF(2, lam=1e-3, random_state=0).fit(A, [0, 0, 0, 1, 1, 1])
    >>> model.transform(A[:2]).shape
    (2, 2)
    """

    lam: float | None = None
    encoding: str = "nnls"

    phi: ClassVar = Correntropy()

    def _loss(self, point):
        """Return the first term of (12): half the mean of φ, without the scale before it."""
        return replace(super()._loss(point), unit=1 / (2 * point.X.size), free_of_scale=True)

    def _lam_at(self, mean):
        """Return 1e-5 over the mean: the first term has no unit, tr(HLHᵀ) that of the data."""
        return 1e-5 / mean
