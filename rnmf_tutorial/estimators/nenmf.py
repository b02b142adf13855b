"""Non-negative matrix factorization by Nesterov's optimal gradient method."""

from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.steps.nesterov import nnls

__all__ = ["NeNMF", "NesterovUpdates"]


class NesterovUpdates:
    """Solve for H, then for W, until the slope is a tenth of what it was, or for 30 steps."""

    def __call__(self, point, loss):
        """Return the next point."""
        H = nnls(point.WtW, point.WtX, point.H, tol=0.1, max_iter=30, together=True)
        point = point.to(H=H)
        Wt = nnls(point.HHt, point.XHt.T, point.W.T, tol=0.1, max_iter=30, together=True)
        return point.to(W=Wt.T)

    def coefficients(self, point, loss):
        """Solve for H alone."""
        return nnls(point.WtW, point.WtX, point.H, tol=1e-6, max_iter=1000)


@estimator
class NeNMF(BaseNMF):
    r"""Euclidean NMF that solves the least squares problem of each factor in turn.

    Minimizes :math:`\lVert X - WH\rVert_F^2` over non-negative W and H. Each sweep takes H, then
    W, close to the minimum with the other one held fixed, by Nesterov's method. It works on
    r × r products alone, so that many of its steps cost less than one pass over the data. No
    step ever increases the objective.

    Parameters
    ----------
    {n_components}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    Notes
    -----
    A zero of W or H is free to become positive again, unlike in the multiplicative updates.

    References
    ----------
    Guan, Tao, Luo and Yuan, *NeNMF: an optimal gradient method for nonnegative matrix
    factorization*, 2012; Algorithm 1 of Guan et al. (2019) is its weighted form.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = NeNMF(1, random_state=0)
    >>> Ht = model.fit_transform(A)
    >>> bool(np.allclose(model.inverse_transform(Ht), A))
    True
    """

    def _step(self):
        """Return Nesterov's method for either factor."""
        return NesterovUpdates()
