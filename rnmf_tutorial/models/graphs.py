r"""The graphs of Cheng, Wang and Guan (2022), their penalty, and the models with it.

With an affinity A between samples (symmetric, non-negative, zero on its diagonal), the
degrees :math:`D_{jj} = \sum_i A_{ij}` and the Laplacian :math:`L = D - A`,

.. math:: \operatorname{tr}(H L H^T) = \tfrac12 \sum_{ij} A_{ij} \lVert h_i - h_j\rVert^2 .

No n × n matrix is formed.

The multiplicative update of H adds :math:`\lambda HA` to its numerator and
:math:`\lambda HD` to its denominator. This update does not raise a weighted sum of
squares plus the penalty of the graph. Proof: as a function of H the objective is
quadratic, with the Hessian :math:`K + \lambda L`. The update is a gradient step,
multiplied by :math:`M^{-1}` for the diagonal matrix :math:`M = M_K + \lambda D`, where
:math:`M_K - K` is positive semidefinite by Lee and Seung's lemma. Such a step does not
raise the objective if :math:`2M - K - \lambda L` is positive semidefinite. It is,
because it equals :math:`M_K + (M_K - K) + \lambda (D + A)`, and the quadratic form of
:math:`D + A` is :math:`\sum_{ij} A_{ij} (v_i + v_j)^2 / 2`. (M alone does not bound the
Hessian, as A is not positive semidefinite.)

The penalty changes with the scaling of the factors: cW and H/c have the same product,
but :math:`1/c^2` of the penalty. So with λ > 0 no minimizer exists unless neighbors can
have equal coefficients. Over many sweeps W grows, H shrinks, and the graph loses its
effect. So the results of these models depend on the number of sweeps and on the size of
the start.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, triu
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import kneighbors_graph
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from rnmf_tutorial.arithmetic import positive_mean, ratio
from rnmf_tutorial.base import AT_LEAST_ZERO, BaseNMF, Problem, loss_at_scale
from rnmf_tutorial.fitting import Solver, Update
from rnmf_tutorial.losses import (
    FEATURES,
    KULLBACK_LEIBLER,
    SAMPLES,
    Correntropy,
    Root,
    WeightedLoss,
)
from rnmf_tutorial.models.lines import least_energy
from rnmf_tutorial.solvers.active_set import best_coefficients
from rnmf_tutorial.solvers.multiplicative import Multiplicative

__all__ = [
    "CSNMF",
    "MCCGR",
    "ManifoldDiscriminativeNMF",
    "RobustManifoldNMF",
    "SupervisedNMF",
]


class LabelGraph:
    r"""Samples with one label are neighbors: equation (11) of Cheng, Wang and Guan (2022).

    With the n × classes indicator matrix Y of the labels, :math:`A = YY^T - I`. So a
    column of HA is the sum over the class of its sample, minus the sample itself.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The labels.
    dtype : numpy dtype, default=float64

    Attributes
    ----------
    degrees : ndarray of shape (n_samples,)
        The diagonal of D: how many other samples have the label of this one.

    Examples
    --------
    >>> import numpy as np
    >>> graph = LabelGraph(["a", "b", "a"])
    >>> graph.degrees.tolist(), graph.sums(np.array([[1.0, 5.0, 2.0]])).tolist()
    ([1.0, 0.0, 1.0], [[2.0, 0.0, 1.0]])
    """

    def __init__(self, y, dtype=np.float64):
        _, self._codes, self._counts = np.unique(
            y, return_inverse=True, return_counts=True
        )
        n = len(self._codes)
        self._indicator = csr_array((np.ones(n, dtype), (np.arange(n), self._codes)))
        self.degrees = (self._counts - 1)[self._codes].astype(dtype)

    def sums(self, H):
        """Return HA: for each sample, the sum over its neighbors."""
        sums = H @ self._indicator
        return np.take(sums, self._codes, axis=1) - H

    def energy(self, H):
        """Return tr(HLHᵀ): for each class, its size times its sum of squares around its mean."""
        means = (H @ self._indicator) / self._counts.astype(H.dtype)
        deviations = H - np.take(means, self._codes, axis=1)
        squares = np.einsum("kj,kj->j", deviations, deviations)
        return float(squares.astype(float) @ (self.degrees + 1))


class NeighborGraph:
    r"""Two samples are neighbors if either is among the nearest ones of the other.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
        The samples; distances are Euclidean.
    n_neighbors : int, default=5
        Number of nearest samples, at most all others.
    y : array-like of shape (n_samples,), optional
        Labels; if given, only samples with the same label can be neighbors.

    Attributes
    ----------
    affinity : sparse array of shape (n_samples, n_samples)
        A: 1 for neighbors, else 0.
    degrees : ndarray of shape (n_samples,)
        The diagonal of D: how many neighbors each sample has.

    Examples
    --------
    >>> import numpy as np
    >>> graph = NeighborGraph(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1)
    >>> graph.affinity.toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """

    def __init__(self, A, n_neighbors=5, y=None):
        y = np.zeros(len(A)) if y is None else y
        pairs = [np.empty((2, 0), int)]
        for label in np.unique(y):
            members = np.flatnonzero(y == label)
            k = min(n_neighbors, len(members) - 1)
            if k > 0:
                nearest = kneighbors_graph(A[members], k).tocoo()
                pairs.append(members[np.array([nearest.row, nearest.col])])
        i, j = np.hstack(pairs)
        directed = csr_array((np.ones(len(i), A.dtype), (i, j)), shape=(len(A), len(A)))
        self.affinity = directed.maximum(directed.T).tocsr()
        self.degrees = self.affinity.sum(axis=0).astype(A.dtype)
        self._edges = triu(self.affinity).coords

    def sums(self, H):
        """Return HA: for each sample, the sum over its neighbors."""
        return H @ self.affinity

    def energy(self, H):
        """Return tr(HLHᵀ): the squared distances of the coefficients of neighbors."""
        i, j = self._edges
        differences = (
            h[i] - h[j] for h in H
        )  # one component at a time stays in the cache
        return sum(float(d @ d) for d in differences)


@dataclass(frozen=True)
class GraphPenalty:
    r"""The penalty :math:`w\,\operatorname{tr}(HLH^T)` of a graph between samples.

    Parameters
    ----------
    graph : LabelGraph or NeighborGraph
    weight : float
        Its w in the objective.
    """

    graph: Any
    weight: float

    def value(self, W, H):
        """Return the penalty."""
        return self.weight * self.graph.energy(H)

    def pull(self, H, loss, Q):
        """Return the terms λHA and λHD for the numerator and the denominator of an update of H.

        The update omits the factor of the loss in the objective, and the weights of
        samples, which cancel without a graph. So both terms are divided by them.
        """
        weight = self.weight / loss.factor
        if Q is not None and len(Q) == 1:
            weight = ratio(np.full_like(Q, weight), Q)
        return weight * self.graph.sums(H), weight * (H * self.graph.degrees)


class RootUpdates(Solver):
    """Update H as the root of λ D h² + (column sums of W) h = H (WᵀR + λ HA), then W.

    Parameters
    ----------
    graph : NeighborGraph
    lam : float
    """

    def __init__(self, graph, lam):
        self.graph = graph
        self.lam = lam

    def update(self, work, loss, comparison, memory):
        """Return the next W and H."""
        W = comparison.W
        H = self.update_H(work, loss, comparison)
        halfway = loss.compare(work, W, H, fill=False)
        W = W * ratio(*loss.divergence.parts_of_W(work, halfway, None))
        return Update(W, H)

    def update_H(self, work, loss, comparison):
        """Return the next H for a fixed W."""
        H = comparison.H
        up, down = loss.divergence.parts_of_H(work, comparison, None)
        C = H * (up + self.lam * self.graph.sums(H))
        slope = np.sqrt(down**2 + 4 * self.lam * self.graph.degrees * C)
        return ratio(2 * C, down + slope)


class GraphNMF(BaseNMF):
    r"""Base of the models with a penalty on differences between the coefficients of neighbors.

    Such a model has the parameters `lam`, the weight λ of the graph, and `encoding`,
    the method for the coefficients of new samples. It has `n_neighbors` if its graph is
    one of near samples.

    Examples
    --------
    >>> from rnmf_tutorial import CSNMF
    >>> issubclass(CSNMF, GraphNMF)
    True
    """

    #: With tol > 0, the coefficients that a fit returns are computed without the graph.
    ends_encoded: ClassVar[bool] = True
    #: A multiplicative update needs data without negative entries.
    takes_negative: ClassVar[bool] = False
    #: Whether the graph comes from labels.
    by_labels: ClassVar[bool] = True
    share: ClassVar[float] = 0.5  # of λ, in front of tr(HLHᵀ)
    #: λ by default for data whose positive entries have the mean one, and its unit in
    #: that of X: tr(HLHᵀ) has the unit of X, λ what is then missing to that of the
    #: loss.
    default_lam: ClassVar[tuple] = (1e-5, 0)
    limits: ClassVar[dict] = BaseNMF.limits | {"lam": AT_LEAST_ZERO}

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
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
        self.encoding = encoding

    def _penalties(self, work, W, H, y):
        """Make the graph, and compute its weight if it is not given."""
        X = work.X
        if self.by_labels:
            _, y = check_X_y(X.T, y, estimator=type(self).__name__)
            check_classification_targets(y)
        else:
            y = None
        if hasattr(self, "n_neighbors"):
            graph = NeighborGraph(X.T, self.n_neighbors, y)
        else:
            graph = LabelGraph(y, X.dtype)
        lam = self.lam
        if lam is None:
            first, power = self.default_lam
            lam = first * positive_mean(X) ** power
        penalty = GraphPenalty(graph, self.share * lam)
        return (penalty,), {"graph_": graph, "lam_": lam}

    def _problem(self, work, W, H, y):
        """Return the problem, with the penalty of the graph."""
        loss = self._loss(work, W, H)
        penalties, found = self._penalties(work, W, H, y)
        solver = self._solver(loss, penalties[0])
        return Problem(work, W, H, loss, solver, penalties, found=found)

    def _solver(self, loss, penalty=None):
        """Return the multiplicative update, with the penalty of a graph if it is given."""
        return Multiplicative(graph=penalty)

    def _encode(self, work, W):
        """Return the coefficients of samples, without the graph."""
        if self.encoding == "pinv":
            return np.linalg.pinv(W) @ work.X
        return best_coefficients(work, W)

    def objective(self, X: np.ndarray, W: np.ndarray, H: np.ndarray) -> float:
        """Return the objective of the model at W and H, with its scale and its graph.

        Of a model without a fit, a scale that is not given is estimated at these
        factors, and a graph of near samples is that of X. A graph of labels is only
        known after a fit.

        Parameters
        ----------
        X : ndarray of shape (n_features, n_samples)
        W : ndarray of shape (n_features, r)
        H : ndarray of shape (r, n_samples)

        Returns
        -------
        float

        Raises
        ------
        NotFittedError
            If the model learns from labels and has not been fitted.
        """
        if self.by_labels and not hasattr(self, "graph_"):
            name = type(self).__name__
            raise NotFittedError(
                f"{name}.objective needs the graph of the labels, and no labels were "
                "given yet: call fit with the samples and their labels first."
            )
        return super().objective(X, W, H)


class CSNMF(GraphNMF):
    r"""Correntropy supervised NMF: the correntropy-induced metric and the graph of the labels.

    Minimizes :math:`\mathrm{CIM}^2(X, WH) + \frac{\lambda}{2} \operatorname{tr}(H L
    H^T)` over non-negative W and H, where :math:`\mathrm{CIM}^2` is the mean over all
    entries of :math:`1 - \exp(-E_{ij}^2/2\sigma^2)`, :math:`E = X - WH`, and L is the
    Laplacian of the graph that joins all samples of one label. This is (12), where λ is
    called γ. With λ = 0 the iterates are those of :class:`CIMNMF` with ``solver="mu"``,
    whose objective is this one times :math:`2\sigma^2 mn`. Over many sweeps W grows, H
    shrinks, and the graph loses its effect: see :mod:`rnmf_tutorial.models.graphs`.

    See the chapter *Supervised NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples, whose labels are not
        known: non-negative least squares, or the pseudo-inverse of W, whose
        coefficients may be negative. The paper does not say.
    scale : float or "published", default="published"
        The kernel size σ, in the units of the data. "published" sets σ² to half the
        mean of e² after every sweep, as in (23), and then computes the weights;
        Algorithm 1 prints these two lines in the other order.
    lam : float or None, default=None
        The weight λ of the graph. None takes the published 1e-5 divided by the mean of
        the positive data, so that a fit does not depend on their unit.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then
        take the coefficients that `transform` finds for the last W.
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
    graph_ : LabelGraph
        The graph of the labels.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q after the last sweep: between 0 and 1.
    scale_ : float
        The kernel size at the end.
    lam_ : float
        The weight λ.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's
        σ. With a fixed σ it never rises.
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
    Cheng, Wang and Guan, *Robust discriminative non-negative matrix factorization with
    maximum correntropy criterion*, 2022: equation (12), Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = CSNMF(2, lam=1e-3, random_state=0).fit(A, [0, 0, 0, 1, 1, 1])
    >>> model.transform(A[:2]).shape
    (2, 2)
    """

    phi: ClassVar = Correntropy()
    default_lam: ClassVar[tuple] = (1e-5, -1)  # the loss has no unit

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        scale: float | str = "published",
        lam: float | None = None,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.scale = scale
        self.lam = lam

    def _loss(self, work, W, H):
        """Return the loss in (12): half the mean of φ, without the factor σ²."""
        mean = WeightedLoss(unit=1 / (2 * max(work.X.size, 1)), free_of_scale=True)
        return loss_at_scale(self, work, W, H, mean)


class SupervisedNMF(GraphNMF):
    r"""Supervised NMF: squared error and the graph of the labels.

    Minimizes :math:`\frac12 \lVert X - WH\rVert_F^2 + \frac{\lambda}{2}
    \operatorname{tr}(HLH^T)` over non-negative W and H, where L is the Laplacian of the
    graph that joins all samples of one label. This is (27), where λ is called γ. With λ
    = 0 the iterates are those of :class:`NMF` with ``solver="mu"``, whose objective is
    twice this one. The objective never rises.

    See the chapter *Supervised NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples, whose labels are not
        known: non-negative least squares, or the pseudo-inverse of W, whose
        coefficients may be negative. The paper does not say.
    lam : float or None, default=None
        The weight λ of the graph. None takes the published 1e-5 times the mean of the
        positive data, so that a fit does not depend on their unit.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then
        take the coefficients that `transform` finds for the last W.
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
    graph_ : LabelGraph
        The graph of the labels.
    lam_ : float
        The weight λ.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
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
    Cheng, Wang and Guan (2022), equation (27).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = SupervisedNMF(2, lam=0.1, random_state=0).fit(A, [0, 0, 0, 1, 1, 1])
    >>> model.transform(A[:2]).shape
    (2, 2)
    """

    default_lam: ClassVar[tuple] = (1e-5, 1)  # the loss has the unit of X²

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        lam: float | None = None,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.lam = lam

    def _loss(self, work, W, H):
        """Return the loss in (27), half the squared error."""
        return WeightedLoss(unit=0.5)


class MCCGR(GraphNMF):
    r"""Graph regularized NMF by maximum correntropy, with a weight for each feature.

    Minimizes :math:`\sum_i \bigl(1 - \exp(-\lVert e_i\rVert^2/2\sigma^2)\bigr) +
    \frac{\lambda}{2} \operatorname{tr}(HLH^T)` over non-negative W and H, where
    :math:`e_i` is row i of :math:`E = X - WH`: the errors of feature i in all samples.
    With λ = 1 this is the number of features minus (4), which the paper maximizes. The
    weights are :math:`q_i = \exp(-\lVert e_i\rVert^2/2\sigma^2)`; they cancel in the
    update of W. With a fixed σ the objective never rises.

    See the chapter *Supervised NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least
        squares, or the pseudo-inverse of W, whose coefficients may be negative.
    scale : float or "published", default="published"
        The kernel size σ, in the units of the data: the length of a row of E.
        "published" sets σ² to half the mean of :math:`\lVert e_i\rVert^2` after every
        sweep. This is (23) with rows in place of entries; the paper gives no rule for
        this model.
    lam : float or None, default=None
        The weight λ of the graph. None takes the published 1 divided by the mean of the
        positive data, so that a fit does not depend on their unit.
    n_neighbors : int, default=5
        Number of nearest samples to which each sample is joined.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then
        take the coefficients that `transform` finds for the last W.
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
    graph_ : NeighborGraph
        The graph of nearest neighbors.
    weights_ : ndarray of shape (n_features,)
        The weights of the features after the last sweep, between 0 and 1.
    scale_ : float
        The kernel size at the end.
    lam_ : float
        The weight λ.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's
        σ.
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
    Li et al., *Graph regularized non-negative matrix factorization by maximizing
    correntropy*, 2014; equation (4) of Cheng, Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[:, 1] = [9, 0, 9, 0, 9]
    >>> model = MCCGR(1, lam=0.0, random_state=0).fit(A)
    >>> int(model.weights_.argmin())
    1
    """

    phi: ClassVar = Correntropy()
    by_labels: ClassVar[bool] = False
    default_lam: ClassVar[tuple] = (1.0, -1)  # the loss has no unit

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        scale: float | str = "published",
        lam: float | None = None,
        n_neighbors: int = 5,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.scale = scale
        self.lam = lam
        self.n_neighbors = n_neighbors

    def _loss(self, work, W, H):
        """Return the loss in (4), to be minimized: half of φ of the rows."""
        rows = WeightedLoss(group=FEATURES, unit=0.5, free_of_scale=True)
        return loss_at_scale(self, work, W, H, rows)


class ManifoldDiscriminativeNMF(GraphNMF):
    r"""MD-NMF: Kullback-Leibler divergence and a graph of near samples with one label.

    Minimizes :math:`D(X \Vert WH) + \frac{\lambda}{2} \operatorname{tr}(HLH^T)` over
    non-negative W and H. This is (2), where λ is called γ. The objective never rises.
    With λ = 0 this is :class:`NMF` with this divergence and ``solver="mu"``.

    The paper gives only the objective. Here L is the Laplacian of the graph that joins
    the nearest samples within each class. The margin between classes, which the
    method's own paper adds, is left out. The update of H minimizes Lee and Seung's
    surrogate plus a surrogate of the penalty. The latter keeps the part with D and
    bounds the part with A by :math:`ab \ge a'b'(1 + \ln(ab/a'b'))`. So the minimizer is
    the root of a quadratic.

    See the chapter *Supervised NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least
        squares, or the pseudo-inverse of W, whose coefficients may be negative.
    lam : float, default=1e-5
        The weight λ of the graph.
    n_neighbors : int, default=5
        Number of nearest samples with the same label to which each sample is joined.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then
        take the coefficients that `transform` finds for the last W.
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
    graph_ : NeighborGraph
        The graph of near samples with one label.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
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
    Guan, Tao, Luo and Yuan, *Manifold regularized discriminative nonnegative matrix
    factorization with fast gradient descent*, IEEE TIP 2011; equation (2) of Cheng,
    Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = ManifoldDiscriminativeNMF(2, lam=0.1, random_state=0)
    >>> model.fit(A, [0, 0, 0, 1, 1, 1]).transform(A[:2]).shape
    (2, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        lam: float = 1e-05,
        n_neighbors: int = 5,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.lam = lam
        self.n_neighbors = n_neighbors

    def _loss(self, work, W, H):
        """Return the loss in (2), the divergence."""
        return WeightedLoss(divergence=KULLBACK_LEIBLER)

    def _solver(self, loss, penalty=None):
        """Return the updates of H, by the root of a quadratic, and of W."""
        if penalty is None:
            return Multiplicative()
        return RootUpdates(penalty.graph, penalty.weight / self.share)


class RobustManifoldNMF(GraphNMF):
    r"""Robust manifold NMF: the L2,1 norm and a graph of nearest neighbors.

    Minimizes :math:`\lVert X - WH\rVert_{2,1} + \lambda \operatorname{tr}(HLH^T)` over
    non-negative W and H. This is (5), where λ is called γ, without the constraint that
    the rows of H are orthonormal (printed :math:`V^TV = I`; for r < n it can only mean
    :math:`VV^T = I`). With H ≥ 0 this constraint would allow every sample at most one
    component: a clustering. The objective never rises. With λ = 0 the iterates are
    those of :class:`L21NMF` with ``solver="mu"``.

    See the chapter *Supervised NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least
        squares, or the pseudo-inverse of W, whose coefficients may be negative.
    lam : float, default=1e-5
        The weight λ of the graph.
    n_neighbors : int, default=5
        Number of nearest samples to which each sample is joined.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then
        take the coefficients that `transform` finds for the last W.
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
    graph_ : NeighborGraph
        The graph of nearest neighbors.
    weights_ : ndarray of shape (n_samples,)
        The weights of the samples after the last sweep, in units of 1/X.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
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
    Huang, Nie, Huang and Ding, *Robust manifold nonnegative matrix factorization*, ACM
    TKDD 2014; equation (5) of Cheng, Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[1] = [0, 9, 0, 0]
    >>> model = RobustManifoldNMF(1, random_state=0).fit(A)
    >>> int(model.weights_.argmin())
    1
    """

    by_labels: ClassVar[bool] = False
    share: ClassVar[float] = 1.0

    def __init__(
        self,
        n_components: int = 2,
        *,
        encoding: str = "nnls",
        lam: float = 1e-05,
        n_neighbors: int = 5,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            encoding=encoding,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.lam = lam
        self.n_neighbors = n_neighbors

    def _loss(self, work, W, H):
        """Return the loss in (5), the sum of the lengths."""
        least = least_energy(work, W, H, SAMPLES, "mu")
        return WeightedLoss(Root(), group=SAMPLES, least=least)

    def _solver(self, loss, penalty=None):
        """Return (18), with the penalty of a graph if it is given."""
        return Multiplicative(first="W", graph=penalty)

    def _fitted_arrays(self, work, state):
        """Return the weights of the samples."""
        comparison = state.loss.compare(work, state.W, state.H)
        return {"weights_": 2 * comparison.derivatives}
