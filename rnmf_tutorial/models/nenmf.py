"""Non-negative matrix factorization by Nesterov's optimal gradient method."""

from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.losses import Products, squared_error
from rnmf_tutorial.models.nnls import nnls
from rnmf_tutorial.models.updates import inner

__all__ = ["NeNMF"]


class NeNMF(BaseNMF):
    r"""Euclidean NMF that solves the least squares problem of each factor in turn.

    Minimizes :math:`\lVert X - WH\rVert_F^2` over non-negative W and H. Each sweep takes H, then
    W, close to the minimum with the other one held fixed, by Nesterov's method. It works on
    r × r products alone, so that many of its steps cost less than one pass over the data. No
    step ever increases the objective.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it. 0 means exactly
        `max_iter` sweeps.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, *extras)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

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

    def objective(self, X, W, H, kept=None):
        """Return the squared distance; `kept` is what the last sweep has at hand."""
        return squared_error(X, W, H, kept)

    def start(self, X, W, H):
        """Return the products that the first sweep expects from the one before."""
        return (Products(inner(X, X), W.T @ W, X @ H.T, H @ H.T),)

    def sweep(self, X, W, H, kept):
        """Solve for H, then for W, until the slope is a tenth of what it was, or for 30 steps."""
        H = nnls(kept.WtW, W.T @ X, H, tol=0.1, max_iter=30, together=True)
        HXt, HHt = H @ X.T, H @ H.T
        W = nnls(HHt, HXt, W.T, tol=0.1, max_iter=30, together=True).T
        return W, H, Products(kept.XX, W.T @ W, HXt.T, HHt)

    def encode(self, X, W, H):
        """Solve for H alone."""
        return nnls(W.T @ W, W.T @ X, H, tol=1e-6, max_iter=1000)
