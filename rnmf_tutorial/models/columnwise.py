"""Models that weigh whole samples: L2,1-NMF (Kong et al., 2011) and capped-norm NMF."""

import numpy as np

from rnmf_tutorial.models.updates import ratio
from rnmf_tutorial.models.weighted import ColumnwiseNMF

__all__ = ["L21NMF", "CappedNMF"]


class L21NMF(ColumnwiseNMF):
    r"""NMF in the L2,1 norm: a sample counts with the length of its residual, not its square.

    Minimizes :math:`\lVert X - WH\rVert_{2,1} = \sum_j \lVert x_j - W h_j\rVert` over
    non-negative W and H. Sample j has the weight :math:`d_j = 1/\lVert x_j - W h_j\rVert`. The
    objective never rises.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then take the
        coefficients that `transform` finds for the last W. 0 means exactly `max_iter` sweeps and
        nothing more.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, d, *more)`` at the start point (iteration 0) and
        after each sweep, d being the weights. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples,)
        The weights of the samples at the end, in units of 1/X.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Kong, Ding and Huang, *Robust nonnegative matrix factorization using L21-norm*, CIKM 2011;
    equations (16)-(18) of Díaz, Steele and Nguyen.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[1] = [0, 9, 0, 0]
    >>> model = L21NMF(1, random_state=0).fit(A)
    >>> int(model.weights_.argmin())
    1
    """

    def loss(self, norms):
        """Return the lengths themselves: their sum is (16)."""
        return norms

    def weight(self, norms):
        """Return D of (18)."""
        return ratio(np.ones_like(norms), norms)


class CappedNMF(ColumnwiseNMF):
    r"""Capped-norm NMF: a sample whose residual is longer than θ costs θ and teaches nothing.

    Minimizes :math:`\sum_j \min(\lVert x_j - W h_j\rVert, \theta)` over non-negative W and H. A
    sample within the cap has the weight :math:`1/\lVert x_j - W h_j\rVert`, one beyond it the
    weight zero. Its coefficients are still fitted, so that it can come back. If θ leaves every
    sample out, the step is that of plain NMF.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    theta : float or None, default=None
        The cap θ, a length in the units of the data. None takes three times the median length
        of the residuals, anew in each sweep; the papers give no rule.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then take the
        coefficients that `transform` finds for the last W. 0 means exactly `max_iter` sweeps and
        nothing more.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, d, *more)`` at the start point (iteration 0) and
        after each sweep, d being the weights. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples,)
        The weights of the samples at the end, in units of 1/X; 0 for an outlier.
    theta_ : float
        The cap at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep. With a fixed θ it never rises;
        with ``theta=None`` each entry is taken at its own sweep's θ, and it can rise only if θ
        does.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Gao, Nie, Cai and Huang, *Robust capped norm nonnegative matrix factorization*, CIKM 2015;
    RCNMF in Table I of Guan et al. (2019).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[1] = [0, 9, 0, 0]
    >>> model = CappedNMF(1, theta=1.0, init="nndsvd").fit(A)
    >>> np.flatnonzero(model.weights_ == 0).tolist()
    [1]
    """

    def __init__(
        self,
        n_components=2,
        *,
        theta=None,
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
        self.theta = theta

    def loss(self, norms):
        """Return the lengths, capped at θ."""
        return np.minimum(norms, self._cap(norms))

    def weight(self, norms):
        """Return 1 / length within the cap, 0 beyond."""
        return np.where(norms <= self._cap(norms), ratio(np.ones_like(norms), norms), 0)

    def _cap(self, norms):
        return 3 * float(np.median(norms)) if self.theta is None else float(self.theta)

    def _keep(self, d, norms, xx):
        super()._keep(d, norms, xx)
        self.theta_ = self._cap(norms)

    def _check_parameters(self):
        super()._check_parameters()
        if self.theta is not None:
            self._check_positive("theta")
