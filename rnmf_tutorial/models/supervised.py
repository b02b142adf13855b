"""Models that learn from labels: correntropy supervised NMF and its Euclidean sibling."""

from rnmf_tutorial.models.graph_term import GraphTerm
from rnmf_tutorial.models.nmf import NMF
from rnmf_tutorial.models.redescending import CIMNMF

__all__ = ["CSNMF", "SupervisedNMF"]


class CSNMF(GraphTerm, CIMNMF):
    r"""Correntropy supervised NMF: the correntropy-induced metric and the graph of the labels.

    Minimizes :math:`\mathrm{CIM}^2(X, WH) + \frac{\lambda}{2} \operatorname{tr}(H L H^T)` over
    non-negative W and H, where :math:`\mathrm{CIM}^2` is the mean over all entries of
    :math:`1 - \exp(-E_{ij}^2/2\sigma^2)`, :math:`E = X - WH`, and L is the Laplacian of the graph
    that joins all samples of one label. This is (12) as it stands, λ being its γ. With λ = 0 the
    iterates are those of :class:`CIMNMF`, whose objective is this one times
    :math:`2\sigma^2 mn`. The graph's term shrinks when W grows and H shrinks, so that many sweeps
    undo it: see :mod:`rnmf_tutorial.models.graph_term`.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float, default=1e-5
        The weight λ of the graph.
    scale : float or None, default=None
        The kernel size σ, in the units of the data. None takes σ² as half the mean of e², anew
        in each sweep, as (23) does; the weights follow it, while Algorithm 1 prints it after them.
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples, whose labels are not known:
        non-negative least squares, or the pseudo-inverse of W, whose coefficients may be
        negative. The paper does not say.
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
        Called as ``callback(iteration, W, H, Q, *more)`` at the start point (iteration 0) and
        after each sweep, Q being the weights. Returning True stops.
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
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's σ. With a
        fixed σ it never rises.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Cheng, Wang and Guan, *Robust discriminative non-negative matrix factorization with maximum
    correntropy criterion*, 2022: equation (12), Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = CSNMF(2, lam=1e-3, random_state=0).fit(A, [0, 0, 0, 1, 1, 1])
    >>> model.transform(A[:2]).shape
    (2, 2)
    """

    def __init__(
        self,
        n_components=2,
        *,
        lam=1e-5,
        scale=None,
        encoding="nnls",
        init="random",
        max_iter=2000,
        tol=1e-5,
        random_state=None,
        callback=None,
        verbose=0,
    ):
        super().__init__(
            n_components,
            scale=scale,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.lam = lam
        self.encoding = encoding

    def objective(self, X, W, H, Q=None, WH=None, u=None, scale=None):
        """Return (12); without the extras, σ is what `start` finds for W and H."""
        if u is None:
            Q, _, u, _ = self.start(X, W, H)
        cim2 = float(self.loss(u, Q).mean()) / 2
        return cim2 + self.lam / 2 * self.graph_.energy(H)

    def graph_weight(self, H, state):
        """Return γ mn σ²: (21) with numerator and denominator times mn σ²."""
        return self.lam * self.n_features_in_ * H.shape[1] * state**2


class SupervisedNMF(GraphTerm, NMF):
    r"""Supervised NMF: squared error and the graph of the labels.

    Minimizes :math:`\frac12 \lVert X - WH\rVert_F^2 + \frac{\lambda}{2} \operatorname{tr}(HLH^T)`
    over non-negative W and H, L being the Laplacian of the graph that joins all samples of one
    label: (27) as it stands, λ being its γ. With λ = 0 the iterates are those of :class:`NMF`,
    whose objective is twice this one. The objective never rises.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float, default=1e-5
        The weight λ of the graph.
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples, whose labels are not known:
        non-negative least squares, or the pseudo-inverse of W, whose coefficients may be
        negative. The paper does not say.
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
        Called as ``callback(iteration, W, H, *extras)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    graph_ : LabelGraph
        The graph of the labels.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

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

    def __init__(
        self,
        n_components=2,
        *,
        lam=1e-5,
        encoding="nnls",
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
        self.encoding = encoding

    def objective(self, X, W, H, kept=None):
        """Return (27)."""
        return super().objective(X, W, H, kept) / 2 + self.lam / 2 * self.graph_.energy(H)
