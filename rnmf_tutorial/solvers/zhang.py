"""Zhang et al. (2011): NMF with a sparse error matrix S next to WH.

S is an unknown of the objective. A sweep computes it before W and H, so the objective
after the sweep needs the S of that sweep: it is the solver's memory.
"""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.arithmetic import inner, ratio
from rnmf_tutorial.fitting import Loss, Solver, Update


def soft_threshold(E, threshold, out=None):
    r"""Shrink every entry toward zero by the threshold; smaller entries become zero.

    :math:`T_\nu(e) = \operatorname{sign}(e)\max(|e| - \nu, 0)`, the minimizer over s of
    :math:`\tfrac12 (e - s)^2 + \nu |s|`.

    Parameters
    ----------
    E : ndarray
    threshold : float
        :math:`\nu \ge 0`, in the units of E.
    out : ndarray, optional
        Array for the result; may be `E` itself.

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
    inside = np.asarray(np.clip(E, -threshold, threshold))
    return np.subtract(E, inside, out=inside if out is None else out)


class ErrorComparison(NamedTuple):
    """W and H, and the error matrix next to them."""

    W: np.ndarray
    H: np.ndarray
    S: np.ndarray


class ZhangLoss(Loss):
    """The objective (16) of Zhang et al., ‖X - WH - S‖² + λ‖S‖₁.

    Parameters
    ----------
    lam : float
        The weight λ of S, in the units of the data.
    """

    def __init__(self, lam):
        self.lam = lam

    def compare(self, work, W, H, memory=None, products=None, *, fill=True):
        """Return W, H and S: that of the last sweep, or the best one if there is none."""
        work.multiply(W, H, fill)
        S = self.best_errors(work) if memory is None else memory
        return ErrorComparison(W, H, S)

    def best_errors(self, work):
        """Return the best S for the product WH in `work`, (28)."""
        E = work.X - work.WH
        return soft_threshold(E, self.lam / 2, out=E)

    def total(self, work, comparison):
        """Return (16)."""
        S = comparison.S
        E = np.subtract(work.X, work.WH, out=work.energies)
        E -= S
        return inner(E, E) + self.lam * float(np.abs(S, out=E).sum())


class ZhangUpdates(Solver):
    """Algorithm 1 of Zhang et al.: update S, W and H, and normalize the columns of W."""

    normalize = "l2"  # (29)-(30)

    def update(self, work, loss, comparison, memory):
        """Return the next W and H, and S as the memory."""
        W, H = comparison.W, comparison.H
        S = loss.best_errors(work)  # (28)
        cleaned = work.X - S
        W = W * ratio(cleaned @ H.T, W @ (H @ H.T))  # (24)
        H = H * ratio(W.T @ cleaned, (W.T @ W) @ H)  # (23)
        return Update(W, H, memory=S)
