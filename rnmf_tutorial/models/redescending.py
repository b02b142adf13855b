"""Models whose weights fall faster than 1/|e|: CIM and Cauchy NMF.

Losses and weights are those of Table I in Guan et al. (2019), scaled so that a small residual
costs its square, and with the table's slips mended. The pull of a residual, weight times size,
grows, turns, and goes back to zero. Such a loss is not convex in H: its coefficients depend on
where they start.
"""

import numpy as np

from rnmf_tutorial.models.updates import at_least
from rnmf_tutorial.models.weighted import EntrywiseNMF, smallest_weight

__all__ = ["CIMNMF", "CauchyNMF"]


class CIMNMF(EntrywiseNMF):
    r"""NMF in the correntropy-induced metric: errors far beyond the scale cost nothing more.

    Minimizes :math:`\sum_{ij} 2\sigma^2 \bigl(1 - \exp(-E_{ij}^2 / 2\sigma^2)\bigr)`
    with :math:`E = X - WH`, over non-negative W and H. The weights are
    :math:`\exp(-E_{ij}^2/2\sigma^2)`.

    Guan et al. print the sum of :math:`1 - k(E_{ij})` with a normal *density* k, which is this
    objective times :math:`1/(\sqrt{8\pi}\,\sigma^3)` plus a constant, and a weight
    with its exponential in the denominator, which would grow with the error.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float or None, default=None
        The kernel size σ, in the units of the data. None takes σ² as half the mean of e², anew
        in each sweep.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then take the
        coefficients that `transform` finds for the last W (the loss has several minima in H: this
        one may cost more than the history's last entry). 0 means exactly `max_iter` sweeps and
        nothing more.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, Q, *more)`` at the start point (iteration 0) and
        after each sweep, Q being the weights. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1.
    scale_ : float
        The scale at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's scale:
        it never rises with a fixed scale, and with an estimated one only if the scale grew.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Du, Li and Shen, *Robust nonnegative matrix factorization via half-quadratic minimization*,
    ICDM 2012; CIM-NMF in Table I of Guan et al. (2019); equation (23) of Cheng, Wang and Guan
    (2022) for σ.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = CIMNMF(1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    @staticmethod
    def loss(u, q):
        """Return 2 (1 - exp(-u/2))."""
        value = np.multiply(u, -0.5)
        np.expm1(value, out=value)
        return np.multiply(value, -2, out=value)

    @staticmethod
    def weight(u, out=None):
        """Return exp(-u/2)."""
        q = np.multiply(u, -0.5, out=out)
        at_least(q, float(np.log(smallest_weight(u.dtype))), out=q)
        return np.exp(q, out=q)

    @staticmethod
    def estimate_scale(E2, previous=None):
        """Return the kernel size: its square is half the mean of E²."""
        return np.sqrt(E2.mean() / 2)


class CauchyNMF(EntrywiseNMF):
    r"""NMF with the Cauchy loss: errors far beyond the scale cost their logarithm.

    Minimizes :math:`\sum_{ij} \gamma^2 \ln\bigl(1 + E_{ij}^2/\gamma^2\bigr)` with
    :math:`E = X - WH`, over non-negative W and H. The weights are
    :math:`1/(1 + E_{ij}^2/\gamma^2)`. Guan et al. divide by :math:`2\gamma^2` in (2), and by
    :math:`\gamma^2` in Table I, where the square of the error is missing.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float or None, default=None
        The γ, in the units of the data. None estimates it by Nagy's iteration (18): to its end
        at the start point, one step after each sweep. Its fixed point is the maximum-likelihood
        γ of Cauchy-distributed errors.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then take the
        coefficients that `transform` finds for the last W (the loss has several minima in H: this
        one may cost more than the history's last entry). 0 means exactly `max_iter` sweeps and
        nothing more.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, Q, *more)`` at the start point (iteration 0) and
        after each sweep, Q being the weights. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1.
    scale_ : float
        The scale at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's scale:
        it never rises with a fixed scale, and with an estimated one only if the scale grew.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Guan, Liu, Zhang, Tao and Davis, *Truncated Cauchy non-negative matrix factorization*,
    IEEE TPAMI 2019: CauchyNMF in Table I, and equations (2), (12), (18) without truncation.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = CauchyNMF(1, scale=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    @staticmethod
    def loss(u, q):
        """Return ln(1 + u)."""
        return np.log1p(u)

    @staticmethod
    def weight(u, out=None):
        """Return 1 / (1 + u)."""
        q = np.add(u, 1, out=out)
        return np.divide(1, q, out=q)

    @classmethod
    def estimate_scale(cls, E2, previous=None):
        """Take one step of Nagy's iteration from the last scale; at the start, all of them."""
        if previous is not None:
            return cls.nagy_step(E2, previous)
        scale = float(np.sqrt(E2.mean()))
        for _ in range(100):
            if scale == 0:
                break
            scale, before = cls.nagy_step(E2, scale), scale
            if abs(scale - before) <= 1e-6 * before:
                break
        return scale

    @classmethod
    def nagy_step(cls, E2, scale):
        """Return the next scale of (18)."""
        q = E2 * scale**-2
        mean = float(cls.weight(q, out=q).mean())
        return scale * float(np.sqrt(max(1 / mean - 1, 0)))
