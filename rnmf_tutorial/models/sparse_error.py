"""Robust NMF with a sparse error matrix (Zhang et al., 2011)."""

import numpy as np

from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.losses import squared_error
from rnmf_tutorial.models.updates import ratio, residual, unit_columns

__all__ = ["RobustNMF", "soft_threshold"]


def soft_threshold(E, threshold, out=None):
    r"""Shrink every entry toward zero by the threshold; what is smaller becomes zero.

    :math:`T_\nu(e) = \operatorname{sign}(e)\max(|e| - \nu, 0)`, the minimizer over s of
    :math:`\tfrac12 (e - s)^2 + \nu |s|`.

    Parameters
    ----------
    E : ndarray
    threshold : float
        :math:`\nu \ge 0`, in the units of E.
    out : ndarray, optional
        Where to put the result; may be `E` itself.

    Returns
    -------
    ndarray

    References
    ----------
    Zhang et al. (2011), equations (26)-(27).

    Examples
    --------
    >>> import numpy as np
    >>> soft_threshold(np.array([-3.0, 0.5, 2.0]), 1.0)
    array([-2.,  0.,  1.])
    """
    return np.subtract(E, np.clip(E, -threshold, threshold), out=out)


class RobustNMF(BaseNMF):
    r"""NMF with a sparse error matrix S that takes the gross errors out of the data.

    Minimizes :math:`\lVert X - WH - S\rVert_F^2 + \lambda \lVert S\rVert_1` over non-negative
    W and H and any S. Each sweep takes S, W and H in turn to where the objective is lower.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float, default=0.3
        The weight λ of the sparse error, in the units of the data. A residual above λ/2 counts
        as an error. A λ above twice the largest residual gives plain NMF.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it. 0 means exactly
        `max_iter` sweeps.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, S, X - S)`` at the start point (iteration 0) and after
        each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W, whose columns have Euclidean length one.
    error_ : ndarray of shape (n_samples, n_features)
        The transpose of S, as the last sweep found it: before its updates of W and H.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Zhang, Chen, Zheng and He, *Robust non-negative matrix factorization*, 2011. Equation
    numbers in the code are the paper's.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = RobustNMF(1, lam=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.error_ > 1).tolist()
    [[1, 2]]
    """

    def __init__(
        self,
        n_components=2,
        *,
        lam=0.3,
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
        self.lam = lam

    def objective(self, X, W, H, S, X_clean=None):
        """Return the value of (16)."""
        if X_clean is None:
            X_clean = X - S
        return squared_error(X_clean, W, H) + self.lam * float(np.abs(S).sum())

    def sweep(self, X, W, H, S, X_clean):
        """Update S, W and H, then give the columns of W length one (Algorithm 1)."""
        S = soft_threshold(residual(X, W, H, out=S), self.lam / 2, out=S)  # (28)
        X_clean = np.subtract(X, S, out=X_clean)
        W = W * ratio(X_clean @ H.T, W @ (H @ H.T))  # (24)
        H = H * ratio(W.T @ X_clean, (W.T @ W) @ H)  # (23)
        W, H = unit_columns(W, H)  # (29)-(30)
        return W, H, S, X_clean

    def start(self, X, W, H):
        """Return S of (28) at the start point, and X - S."""
        S = soft_threshold(residual(X, W, H), self.lam / 2)
        return S, X - S

    def encode(self, X, W, H):
        """Update S and H, with W held fixed."""
        S = soft_threshold(residual(X, W, H), self.lam / 2)  # (28)
        return H * ratio(W.T @ (X - S), (W.T @ W) @ H)  # (23)

    def _keep(self, S, X_clean):
        self.error_ = S.T

    def _check_parameters(self):
        super()._check_parameters()
        self._check_positive("lam")
