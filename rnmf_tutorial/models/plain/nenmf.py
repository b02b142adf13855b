"""Non-negative matrix factorization by Nesterov's optimal gradient method."""

from rnmf_tutorial.arrays import inner
from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.distances import Products, squared_error
from rnmf_tutorial.models.parameters import estimator
from rnmf_tutorial.solvers.nesterov import nnls

__all__ = ["NeNMF"]


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

    def objective(self, X, W, H, state=None):
        """Return the squared distance."""
        return squared_error(X, W, H, state)

    def start(self, X, W, H):
        """Return the products that the first sweep expects from the one before."""
        return Products(inner(X, X), W.T @ W, X @ H.T, H @ H.T)

    def sweep(self, X, W, H, now):
        """Solve for H, then for W, until the slope is a tenth of what it was, or for 30 steps."""
        H = nnls(now.WtW, W.T @ X, H, tol=0.1, max_iter=30, together=True)
        HXt, HHt = H @ X.T, H @ H.T
        W = nnls(HHt, HXt, W.T, tol=0.1, max_iter=30, together=True).T
        return W, H, Products(now.XX, W.T @ W, HXt.T, HHt)

    def encode(self, X, W, H):
        """Solve for H alone."""
        return nnls(W.T @ W, W.T @ X, H, tol=1e-6, max_iter=1000)

    def ends_encoded(self):
        """Return False: a fit ends with its last sweep."""
        return False
