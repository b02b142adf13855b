"""Models whose loss ends as the absolute value: Huber and hypersurface NMF.

Losses and weights are those of Table I in Guan et al. (2019), scaled so that a small residual
costs its square. The weight of a large residual e falls as 1/|e|: it pulls as hard as any other.
"""

import numpy as np

from rnmf_tutorial.models.updates import at_least
from rnmf_tutorial.models.weighted import EntrywiseNMF

__all__ = ["HuberNMF", "HypersurfaceNMF"]


class HuberNMF(EntrywiseNMF):
    r"""NMF with Huber's loss: squares up to a cutoff, absolute values beyond.

    Minimizes the sum over the entries e of X - WH of :math:`e^2` where :math:`|e| \le c` and
    :math:`2c|e| - c^2` beyond, over non-negative W and H. The weights are
    :math:`\min(1, c/|e|)`. With c = λ/2 it is the objective of
    :class:`~rnmf_tutorial.RobustNMF` after its S is minimized out.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float or None, default=None
        The cutoff c, in the units of the data. None takes the median of \|e\|, anew in each
        sweep.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then take the
        coefficients that `transform` finds for the last W. 0 means exactly
        `max_iter` sweeps and nothing more.
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
    ICDM 2012; HuberNMF in Table I of Guan et al. (2019), and their section 4.7 for the cutoff.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = HuberNMF(1, scale=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    @staticmethod
    def loss(u, q):
        """Return u up to one, 2√u - 1 beyond: both are u q (2 - q)."""
        value = np.subtract(2, q)
        value *= q
        value *= u
        return value

    @staticmethod
    def weight(u, out=None):
        """Return min(1, 1/√u)."""
        root = at_least(u, 1, out=out)
        np.sqrt(root, out=root)
        return np.divide(1, root, out=root)

    @staticmethod
    def estimate_scale(E2, previous=None):
        """Return the median of \\|E\\|."""
        half = E2.size // 2
        ordered = np.partition(E2.ravel(order="K"), half)
        upper = ordered[half]
        lower = ordered[:half].max() if E2.size % 2 == 0 else upper
        return (np.sqrt(lower) + np.sqrt(upper)) / 2


class HypersurfaceNMF(EntrywiseNMF):
    r"""NMF with the hypersurface cost: squares for small errors, absolute values for large.

    Minimizes :math:`\sum_{ij} 2c^2 \bigl(\sqrt{1 + E_{ij}^2/c^2} - 1\bigr)` with
    :math:`E = X - WH`, over non-negative W and H; with c = 1, twice the published sum. The
    weights are :math:`1/\sqrt{1 + E_{ij}^2/c^2}`.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float or None, default=None
        The c where squares turn into absolute values, in the units of the data. None is the
        published 1, whatever those units are: for data in [0, 1] take less.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then take the
        coefficients that `transform` finds for the last W. 0 means exactly
        `max_iter` sweeps and nothing more.
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
        The objective at the start point and after each sweep. It never rises.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Hamza and Brady, *Reconstruction of reflectance spectra using robust nonnegative matrix
    factorization*, IEEE TSP 2006; HCNMF in Table I and section 4.2 of Guan et al. (2019).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = HypersurfaceNMF(1, scale=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    @staticmethod
    def loss(u, q):
        """Return 2 (√(1 + u) - 1) as 2 u q / (1 + q), which keeps its digits for small u."""
        value = np.add(q, 1)
        np.divide(q, value, out=value)
        value *= u
        value *= 2
        return value

    @staticmethod
    def weight(u, out=None):
        """Return 1 / √(1 + u)."""
        root = np.add(u, 1, out=out)
        np.sqrt(root, out=root)
        return np.divide(1, root, out=root)

    @staticmethod
    def estimate_scale(E2, previous=None):
        """Return one: the loss was published without a scale."""
        return 1.0
