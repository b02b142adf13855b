"""Robust NMF with a sparse error matrix (Zhang et al., 2011)."""

import warnings
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone

from rnmf_tutorial.arrays import inner, ratio, residual, unit_columns
from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.cleaning import SolverChoice
from rnmf_tutorial.models.complaints import about_errors
from rnmf_tutorial.models.distances import squared_error
from rnmf_tutorial.models.parameters import EstimatedLam, estimator
from rnmf_tutorial.models.plain.noise import noise_size
from rnmf_tutorial.solvers.passes import Seen

__all__ = ["RobustNMF", "soft_threshold"]

_MULTIPLE = 4
# Updates crawl if so many residuals count as errors, and the objective can fall by so much.
_MANY, _FAR = 0.25, 0.1


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


class Errors(NamedTuple):
    """The state.

    Parameters
    ----------
    S : ndarray of shape (n_features, n_samples)
        The error.

    Examples
    --------
    >>> Errors(np.zeros((2, 3))).S.shape
    (2, 3)
    """

    S: np.ndarray


@estimator
class RobustNMF(EstimatedLam, SolverChoice, BaseNMF):
    r"""NMF with a sparse error matrix S that takes the gross errors out of the data.

    Minimizes :math:`\lVert X - WH - S\rVert_F^2 + \lambda \lVert S\rVert_1` over non-negative
    W and H and any S. Each sweep takes S, W and H in turn to where the objective is lower.

    Parameters
    ----------
    {n_components}
    lam : float or None, default=None
        The weight λ of the sparse error, in the units of the data. A residual above λ/2 counts
        as an error. A λ above twice the largest residual gives plain NMF. None takes FACTOR times
        the noise that :func:`~rnmf_tutorial.models.plain.noise.noise_size` finds with plain NMF
        from the same start, once for the fit. Such a fit takes in some of the errors, so where
        they are many, a smaller number is better.
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W, whose columns have Euclidean length one.
    error_ : ndarray of shape (n_samples, n_features)
        The transpose of S, as the last sweep found it: before its updates of W and H.
    lam_ : float
        The weight λ.
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

    lam: float | None = None
    solver: str = "mu"

    shows: ClassVar[dict] = {"error_": "S"}

    def objective(self, X, W, H, state=None):
        """Return the value of (16); without the state, S is that of (28) at W and H."""
        at = self.start(X, W, H) if state is None else state
        return squared_error(X - at.S, W, H) + self.lam_ * float(np.abs(at.S).sum())

    def first_state(self, X, W, H, missing=None):
        """Return the state at the start point, after λ has been estimated if it is not given."""
        if self.lam is None:
            A = X.T if missing is None else np.where(missing, np.nan, X).T
            self._lam = _MULTIPLE * noise_size(A, len(H), init=(W, H))
        return super().first_state(X, W, H, missing)

    def start(self, X, W, H, missing=None):
        """Return S of (28) at the start point."""
        return Errors(soft_threshold(residual(X, W, H), self.lam_ / 2))

    def sweep(self, X, W, H, now):
        """Update S, W and H, then give the columns of W length one (Algorithm 1)."""
        S = soft_threshold(residual(X, W, H), self.lam_ / 2)  # (28)
        cleaned = X - S
        W = W * ratio(cleaned @ H.T, W @ (H @ H.T))  # (24)
        H = H * ratio(W.T @ cleaned, (W.T @ W) @ H)  # (23)
        return *unit_columns(W, H), Errors(S)  # (29)-(30)

    def encode(self, X, W, H):
        """Update S and H, with W held fixed."""
        S = soft_threshold(residual(X, W, H), self.lam_ / 2)  # (28)
        return self.coefficients(X - S, W, H)

    def coefficients(self, cleaned, W, H):
        """Update H for the data without their errors."""
        return H * ratio(W.T @ cleaned, (W.T @ W) @ H)  # (23)

    def chunk_by_chunk(self):
        """Return "errors", S is found first and H last, if λ is given: an estimate needs all."""
        return None if self.lam is None else "errors"

    def at(self, X, W, H, state):
        """Return the error that is best for the final factors."""
        return self.start(X, W, H)

    def look(self, X, W, H, state):
        """Return (16) with S at its best, and the cleaned data X - S."""
        E = residual(X, W, H)
        S = soft_threshold(E, self.lam_ / 2)
        E -= S
        objective = inner(E, E) + self.lam_ * float(np.abs(S).sum())
        return Seen(objective, np.subtract(X, S, out=S))

    def gauge(self):
        """Return "l2": the columns of W have length one."""
        return "l2"

    def complaint(self, X, W, H, state):
        """Return what is wrong: S is empty or nearly full at the given λ, or the updates crawl."""
        given = None if self.lam is None else about_errors(X, state.S, self.lam_ / 2)
        return given or self._crawl(X, W, H, np.count_nonzero(state.S) / state.S.size)

    def _crawl(self, X, W, H, share):
        """Return what to say if ten passes of the other solver still lower the objective much.

        Where many residuals count as errors, X - S is close to WH, and an update that fits one to
        the other hardly moves.
        """
        if self.solver == "cd" or self.tol == 0 or share < _MANY:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            further = clone(self).set_params(
                lam=self.lam_, solver="cd", init=(W, H), max_iter=10, tol=0, callback=None
            )
            history = further.fit(X.T).objective_history_
        fall = 1 - history[-1] / history[0]
        if fall < _FAR:
            return None
        return (
            f"the fit stopped far from its end, as ten passes of solver='cd' would still lower the "
            f"objective by {fall:.0%}. {share:.0%} of the residuals are above lam/2 = "
            f"{self.lam_ / 2:.3g}, and the updates crawl. Take solver='cd', or a larger lam."
        )

    def ends_encoded(self):
        """Return False: a fit ends with its last sweep."""
        return False

    def check_parameters(self):
        """Raise an error for a parameter out of range."""
        super().check_parameters()
        if self.lam is not None:
            self.check_positive("lam")
