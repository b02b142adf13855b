"""Supervised NMF: squared errors, and the graph of the labels."""

from rnmf_tutorial.estimators.graph_models import GraphNMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.losses import Loss

__all__ = ["SupervisedNMF"]


@estimator
class SupervisedNMF(GraphNMF):
    r"""Supervised NMF: squared error and the graph of the labels.

    Minimizes :math:`\frac12 \lVert X - WH\rVert_F^2 + \frac{\lambda}{2} \operatorname{tr}(HLH^T)`
    over non-negative W and H, L being the Laplacian of the graph that joins all samples of one
    label: (27) as it stands, λ being its γ. With λ = 0 the iterates are those of :class:`NMF`,
    whose objective is twice this one. The objective never rises.

    Parameters
    ----------
    {n_components}
    lam : float or None, default=None
        The weight λ of the graph. None takes the published 1e-5 times the mean of the
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
    lam_ : float
        The weight λ.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Cheng, Wang and Guan (2022), equation (27).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = SupervisedNMF(2, lam=0.1, random_state=0).fit(A, [0, 0, 0, 1, 1, 1])
    >>> model.transform(A[:2]).shape
    (2, 2)
    """

    lam: float | None = None
    encoding: str = "nnls"

    def _loss(self, point):
        """Return the first term of (27), half the squared error."""
        return Loss(unit=0.5)

    def _lam_at(self, mean):
        """Return 1e-5 times the mean: the first term has the data's unit squared, tr(HLHᵀ) once."""
        return 1e-5 * mean
