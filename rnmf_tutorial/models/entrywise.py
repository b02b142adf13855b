"""The models in which every entry has its own weight, with a scale, a divergence, and a curve φ.

Losses and weights are those of Table I in Guan et al. (2019), with its misprints
corrected. They are scaled so that a small residual costs its square.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from rnmf_tutorial.base import (
    COORDINATE,
    DIVERGENCES,
    BaseNMF,
    loss_at_scale,
)
from rnmf_tutorial.losses import (
    Cauchy,
    Correntropy,
    Huber,
    Hypersurface,
    WeightedLoss,
)
from rnmf_tutorial.solvers.multiplicative import Multiplicative

__all__ = ["CIMNMF", "CauchyNMF", "HuberNMF", "HypersurfaceNMF"]


class EntrywiseNMF(BaseNMF):
    r"""Base of the models in which every entry has its own weight; a subclass sets the curve φ.

    Minimizes :math:`\sum_{ij} c\,\varphi(d(X_{ij}, (WH)_{ij}) / c)`, with :math:`c` =
    scale² for squares. The weights are :math:`\varphi'(d / c)`, at most one. With a
    fixed scale the objective never rises, and neither does it with a scale that is
    estimated once. With ``scale="published"``, ``objective_history_`` has the value for
    the scale of each sweep. It can rise if the scale grew, because
    :math:`c\,\varphi(u/c)` increases with c.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default=None
        In the units of the data. None estimates it once, from the residuals of a robust
        start (:mod:`~rnmf_tutorial.starts`), and ignores zeros that are fitted as
        zeros. "published" estimates it after every sweep, with ``solver="mu"`` from
        all known entries.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Examples
    --------
    A new loss, :math:`\varphi(u) = u/(1 + u)`, for which no residual costs more than c:

    >>> import numpy as np
    >>> class GemanMcClure:
    ...     power = 1
    ...
    ...     def value(self, u, q):
    ...         return u / (1 + u)
    ...
    ...     def slope(self, u, out=None):
    ...         return (1 + u) ** -2.0
    >>> class Bounded(EntrywiseNMF):
    ...     phi = GemanMcClure()
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = Bounded(1, scale=5.0, max_iter=500, tol=0, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.5).tolist()
    [[1, 2]]
    """

    phi: ClassVar[Any] = None
    takes_missing: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: float | str | None = None,
        divergence: str = "frobenius",
        solver: str = "cd",
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.scale = scale
        self.divergence = divergence
        self.solver = solver

    @property
    def takes_sparse(self):
        """Whether the data may be sparse: the published updates use the zeros too."""
        return self.solver == "cd"

    @property
    def takes_chunks(self):
        """Whether the data may be a Dask array: an estimate of the scale needs all samples."""
        given = self.scale not in (None, "published")
        return given and (self.solver == "mu" or self.divergence == "frobenius")

    def _loss(self, work, W, H):
        """Return the loss, with its scale given, estimated once, or in each sweep."""
        plain = WeightedLoss(divergence=DIVERGENCES[self.divergence])
        return loss_at_scale(self, work, W, H, plain)

    def _solver(self, loss):
        """Return the published update, or coordinate descent on the cleaned data."""
        return (
            COORDINATE[self.divergence]() if self.solver == "cd" else Multiplicative()
        )


class HuberNMF(EntrywiseNMF):
    r"""NMF with Huber's loss: squares up to a cutoff, absolute values beyond.

    Minimizes the sum over the entries e of X - WH of :math:`e^2` where :math:`|e| \le
    c` and :math:`2c|e| - c^2` beyond, over non-negative W and H. The weights are
    :math:`\min(1, c/|e|)`. With c = λ/2 this is the objective of
    :class:`~rnmf_tutorial.RobustNMF` with its best S.

    See the chapter *Truncated Cauchy NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default=None
        The cutoff c, in the units of the data. None takes 1.5 times the median \|e\| of
        a robust start (:mod:`~rnmf_tutorial.starts`). "published" takes the median
        after every sweep; this scale collapses if the data can be fitted well. With
        "cd" it ignores zeros that are fitted as zeros.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit. The formula above is for
        squares, where it is e². With Kullback-Leibler it takes the place of e², and the
        scale that of its own square, because this divergence has the unit of the data.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1. A missing entry has
        the weight one. For sparse data, a sparse array of the weights of the stored
        entries; all other zeros have the weight one.
    scale_ : float
        The scale at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, with the scale of that
        sweep. It never rises if the scale is given or estimated once. With "published"
        it can rise, but only if the scale grew.
    n_iter_ : int
        Number of sweeps.
    n_components_ : int
        The number of components.
    reconstruction_err_ : float
        How far WH is from the data after the last sweep, as in scikit-learn: the
        Frobenius norm of X - WH, or for the Kullback-Leibler divergence the root of
        twice its value. Missing entries do not count. All others count in full, gross
        errors too, whatever their weights. After a fit with weights to a Dask array it
        is a Dask array: its ``compute()`` reads the data once more.
    sample_names_in_ : Index or None
        The index of the data frame of the fit; None if the data were not a frame.

    References
    ----------
    Du, Li and Shen, *Robust nonnegative matrix factorization via half-quadratic
    minimization*, ICDM 2012; HuberNMF in Table I of Guan et al. (2019), and their
    section 4.7 for the cutoff.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = HuberNMF(1, scale=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    phi: ClassVar = Huber()


class HypersurfaceNMF(EntrywiseNMF):
    r"""NMF with the hypersurface cost: squares for small errors, absolute values for large.

    Minimizes :math:`\sum_{ij} 2c^2 \bigl(\sqrt{1 + E_{ij}^2/c^2} - 1\bigr)` with
    :math:`E = X - WH`, over non-negative W and H; with c = 1, twice the published sum.
    The weights are :math:`1/\sqrt{1 + E_{ij}^2/c^2}`.

    See the chapter *Truncated Cauchy NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default=None
        The c where squares turn into absolute values, in the units of the data. None
        takes 1.5 times the median \|e\| of a robust start
        (:mod:`~rnmf_tutorial.starts`). "published" takes the median after every
        sweep, with "cd" without zeros that are fitted as zeros. The loss was published
        with c = 1 for all data.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit. The formula above is for
        squares, where it is e². With Kullback-Leibler it takes the place of e², and the
        scale that of its own square, because this divergence has the unit of the data.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1. A missing entry has
        the weight one. For sparse data, a sparse array of the weights of the stored
        entries; all other zeros have the weight one.
    scale_ : float
        The scale at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, with the scale of that
        sweep. It never rises if the scale is given or estimated once. With "published"
        it can rise, but only if the scale grew.
    n_iter_ : int
        Number of sweeps.
    n_components_ : int
        The number of components.
    reconstruction_err_ : float
        How far WH is from the data after the last sweep, as in scikit-learn: the
        Frobenius norm of X - WH, or for the Kullback-Leibler divergence the root of
        twice its value. Missing entries do not count. All others count in full, gross
        errors too, whatever their weights. After a fit with weights to a Dask array it
        is a Dask array: its ``compute()`` reads the data once more.
    sample_names_in_ : Index or None
        The index of the data frame of the fit; None if the data were not a frame.

    References
    ----------
    Hamza and Brady, *Reconstruction of reflectance spectra using robust nonnegative
    matrix factorization*, IEEE TSP 2006; HCNMF in Table I and section 4.2 of Guan et
    al. (2019).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = HypersurfaceNMF(1, scale=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    phi: ClassVar = Hypersurface()


class CauchyNMF(EntrywiseNMF):
    r"""NMF with the Cauchy loss: errors far beyond the scale cost their logarithm.

    Minimizes :math:`\sum_{ij} \gamma^2 \ln\bigl(1 + E_{ij}^2/\gamma^2\bigr)` with
    :math:`E = X - WH`, over non-negative W and H. The weights are :math:`1/(1 +
    E_{ij}^2/\gamma^2)`. Guan et al. divide this objective by :math:`2\gamma^2` in (2),
    and by :math:`\gamma^2` in Table I, where the square of the error is missing.

    See the chapter *Truncated Cauchy NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default=None
        The γ, in the units of the data. None takes 3.5 times the median \|e\| of a
        robust start (:mod:`~rnmf_tutorial.starts`). "published" is Nagy's iteration
        (18): until it converges at the start, and one step after each sweep. Its fixed
        point is the maximum-likelihood γ of Cauchy errors. This scale collapses if the
        data can be fitted well. With "cd" it ignores zeros that are fitted as zeros.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit. The formula above is for
        squares, where it is e². With Kullback-Leibler it takes the place of e², and the
        scale that of its own square, because this divergence has the unit of the data.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1. A missing entry has
        the weight one. For sparse data, a sparse array of the weights of the stored
        entries; all other zeros have the weight one.
    scale_ : float
        The scale at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, with the scale of that
        sweep. It never rises if the scale is given or estimated once. With "published"
        it can rise, but only if the scale grew.
    n_iter_ : int
        Number of sweeps.
    n_components_ : int
        The number of components.
    reconstruction_err_ : float
        How far WH is from the data after the last sweep, as in scikit-learn: the
        Frobenius norm of X - WH, or for the Kullback-Leibler divergence the root of
        twice its value. Missing entries do not count. All others count in full, gross
        errors too, whatever their weights. After a fit with weights to a Dask array it
        is a Dask array: its ``compute()`` reads the data once more.
    sample_names_in_ : Index or None
        The index of the data frame of the fit; None if the data were not a frame.

    References
    ----------
    Guan, Liu, Zhang, Tao and Davis, *Truncated Cauchy non-negative matrix
    factorization*, IEEE TPAMI 2019: CauchyNMF in Table I, and equations (2), (12), (18)
    without truncation.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = CauchyNMF(1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    phi: ClassVar = Cauchy()


class CIMNMF(EntrywiseNMF):
    r"""NMF in the correntropy-induced metric: far beyond the scale, all errors cost the same.

    Minimizes :math:`\sum_{ij} 2\sigma^2 \bigl(1 - \exp(-E_{ij}^2 / 2\sigma^2)\bigr)`
    with :math:`E = X - WH`, over non-negative W and H. The weights are
    :math:`\exp(-E_{ij}^2/2\sigma^2)`.

    Guan et al. print the sum of :math:`1 - k(E_{ij})` with a normal *density* k, which
    is this objective times :math:`1/(\sqrt{8\pi}\,\sigma^3)` plus a constant. They
    print the exponential of the weight in the denominator; such a weight would grow
    with the error.

    See the chapter *Truncated Cauchy NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default=None
        The kernel size σ, in the units of the data. None takes six times the median
        \|e\| of a robust start (:mod:`~rnmf_tutorial.starts`). "published" sets σ² to
        half the mean of e² after every sweep, with "cd" without zeros that are fitted as
        zeros.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit. The formula above is for
        squares, where it is e². With Kullback-Leibler it takes the place of e², and the
        scale that of its own square, because this divergence has the unit of the data.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1. A missing entry has
        the weight one. For sparse data, a sparse array of the weights of the stored
        entries; all other zeros have the weight one.
    scale_ : float
        The scale at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, with the scale of that
        sweep. It never rises if the scale is given or estimated once. With "published"
        it can rise, but only if the scale grew.
    n_iter_ : int
        Number of sweeps.
    n_components_ : int
        The number of components.
    reconstruction_err_ : float
        How far WH is from the data after the last sweep, as in scikit-learn: the
        Frobenius norm of X - WH, or for the Kullback-Leibler divergence the root of
        twice its value. Missing entries do not count. All others count in full, gross
        errors too, whatever their weights. After a fit with weights to a Dask array it
        is a Dask array: its ``compute()`` reads the data once more.
    sample_names_in_ : Index or None
        The index of the data frame of the fit; None if the data were not a frame.

    References
    ----------
    Du, Li and Shen, *Robust nonnegative matrix factorization via half-quadratic
    minimization*, ICDM 2012; CIM-NMF in Table I of Guan et al. (2019); equation (23) of
    Cheng, Wang and Guan (2022) for σ.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = CIMNMF(1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    phi: ClassVar = Correntropy()
