"""Non-negative matrix factorization by the multiplicative updates of Lee and Seung."""

from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.losses import Products, kl_divergence, squared_error
from rnmf_tutorial.models.updates import inner, product, ratio, unit_columns

__all__ = ["NMF"]


class NMF(BaseNMF):
    r"""Lee and Seung's NMF: squared Euclidean distance or Kullback-Leibler divergence.

    Minimizes :math:`\lVert X - WH\rVert_F^2` or :math:`D(X \Vert WH)` over non-negative W and
    H. Each sweep updates H, then W; neither update ever increases the objective.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    loss : {"frobenius", "kullback-leibler"}, default="frobenius"
        Which of the two objectives.
    normalize : {None, "l1", "l2"}, default=None
        Give the columns of W this norm after each sweep, and H the factors taken out, so that
        WH is unchanged.
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

    References
    ----------
    Lee and Seung, *Algorithms for non-negative matrix factorization*, NIPS 2001; equation
    numbers in the code are those of Zhang et al. (2011).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = NMF(1, random_state=0)
    >>> Ht = model.fit_transform(A)
    >>> bool(np.allclose(model.inverse_transform(Ht), A))
    True
    """

    def __init__(
        self,
        n_components=2,
        *,
        loss="frobenius",
        normalize=None,
        init="random",
        max_iter=2000,
        tol=1e-5,
        random_state=None,
        callback=None,
        verbose=0,
    ):
        super().__init__(
            n_components,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.loss = loss
        self.normalize = normalize

    def objective(self, X, W, H, kept=None):
        """Return (7) or (8); `kept` is what the last sweep has at hand."""
        if self.loss == "frobenius":
            return squared_error(X, W, H, kept)  # (7)
        return kl_divergence(X, product(W, H) if kept is None else kept)  # (8)

    def start(self, X, W, H):
        """Return what the first sweep expects from the one before: products, or WH."""
        if self.loss == "frobenius":
            return (Products(inner(X, X), W.T @ W, X @ H.T, H @ H.T),)
        return (product(W, H),)

    def sweep(self, X, W, H, kept):
        """Update H, then W, by (9) or by (10)-(11); then normalize."""
        step = self._euclidean if self.loss == "frobenius" else self._divergence
        W, H, kept = step(X, W, H, kept)
        if self.normalize is not None:
            W, H = unit_columns(W, H, self.normalize)
            if self.loss == "frobenius":
                kept = Products(kept.XX, W.T @ W, X @ H.T, H @ H.T)
        return W, H, kept

    def _euclidean(self, X, W, H, kept):
        H = self.step(H, W.T @ X, kept.WtW @ H)  # (9), left
        XHt, HHt = X @ H.T, H @ H.T
        W = W * ratio(XHt, W @ HHt)  # (9), right
        return W, H, Products(kept.XX, W.T @ W, XHt, HHt)

    def _divergence(self, X, W, H, WH):
        R = ratio(X, WH, out=WH)
        H = self.step(H, W.T @ R, W.sum(axis=0)[:, None])  # (10)
        R = ratio(X, product(W, H, out=WH), out=WH)
        W = W * ratio(R @ H.T, H.sum(axis=1))  # (11)
        return W, H, product(W, H, out=WH)

    def encode(self, X, W, H):
        """Update H alone, by (9) or (10)."""
        if self.loss == "frobenius":
            return H * ratio(W.T @ X, (W.T @ W) @ H)
        WH = product(W, H)
        return H * ratio(W.T @ ratio(X, WH, out=WH), W.sum(axis=0)[:, None])

    def _check_parameters(self):
        super()._check_parameters()
        if self.loss not in ("frobenius", "kullback-leibler"):
            raise ValueError(
                f"loss={self.loss!r} is not known; use 'frobenius' or 'kullback-leibler'."
            )
        if self.normalize not in (None, "l1", "l2"):
            raise ValueError(f"normalize={self.normalize!r} is not known; use None, 'l1' or 'l2'.")
