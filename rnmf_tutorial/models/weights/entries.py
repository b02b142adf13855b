r"""Models with a weight for every entry: least squares whose weights follow the residuals.

Every loss here is a concave function of the squared residual u. A concave function lies below its
tangents:

.. math:: \rho(u) \le \rho(u') + q\,(u - u'), \qquad q = \rho'(u'),

so the least-squares problem with the weights q is a surrogate of the robust one: an update that
does not raise the weighted squares does not raise the loss. The updates of W and H are Lee and
Seung's with the weights inside, and fresh weights before either, as Algorithm 2 of Guan et al.
(2019) has it. A model adds its loss, its weight and the estimate of its scale.
"""

import copy
from typing import ClassVar

import numpy as np

from rnmf_tutorial.arrays import at_least, product, ratio, residual
from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.complaints import about_floor, about_weights
from rnmf_tutorial.models.parameters import base_estimator
from rnmf_tutorial.models.sizes import counted, rounding
from rnmf_tutorial.solvers.passes import Seen, clean

__all__ = ["EntryWeights", "EntrywiseNMF", "smallest_weight"]


def smallest_weight(dtype):
    """Return the cube root of the smallest normal number: 3e-103 in float64, 2e-13 in float32.

    A weight of zero says nothing about where to go. A sample whose every weight is zero would
    lose its coefficients to 0/0; with this floor it takes the step of plain least squares.

    Parameters
    ----------
    dtype : numpy dtype

    Returns
    -------
    float

    Examples
    --------
    >>> smallest_weight("float64") < 1e-100
    True
    """
    return float(np.cbrt(np.finfo(dtype).tiny))


class EntryWeights:
    r"""The state of a model with entry-wise weights, and the memory that it computes in.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        Its shape and order are those of the arrays.
    scale : float, optional
        The scale, if it is known.
    missing : ndarray of bool of the shape of X, optional
        The entries that no estimate may count.

    Attributes
    ----------
    Q : ndarray of shape (n_features, n_samples)
        The weights.
    scale : float
        The scale c.
    WH, u : ndarray of shape (n_features, n_samples)
        The product and :math:`E^2/c^2` that the weights come from. `weighted` and
        `squared_residuals` write over them.

    Notes
    -----
    All sweeps of a fit share these arrays; the scale belongs to one sweep alone. So after an
    interrupt the arrays can be found again from W, H and the scale of the last finished sweep.

    Examples
    --------
    >>> state = EntryWeights(np.ones((2, 3)), scale=0.5)
    >>> state.squared_residuals(np.ones((2, 3)), np.ones((2, 1)), np.zeros((1, 3))).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """

    def __init__(self, X, scale=None, missing=None):
        self.scale, self.missing = scale, missing
        self.Q, self.WH, self.u = (np.empty_like(X) for _ in range(3))

    def next(self):
        """Return the state of the next sweep, which computes in the same arrays."""
        return copy.copy(self)

    def squared_residuals(self, X, W, H):
        """Return (X - WH)², entry by entry."""
        E = np.subtract(X, product(W, H, out=self.WH), out=self.u)
        return np.multiply(E, E, out=E)

    def weighted(self, X):
        """Return Q ⊙ X and Q ⊙ WH, in the scratch memory."""
        return np.multiply(self.Q, X, out=self.u), np.multiply(self.Q, self.WH, out=self.WH)


@base_estimator
class EntrywiseNMF(BaseNMF):
    r"""Base of the models that weigh every entry by its own residual.

    Minimizes :math:`\sum_{ij} c^2\,\varphi(E_{ij}^2 / c^2)` with :math:`E = X - WH`, a scale c
    in the units of X, and a concave φ with :math:`\varphi(0) = 0` and :math:`\varphi'(0) = 1`.
    A residual far below the scale costs its square, so that a large scale gives plain NMF.
    The weights are :math:`Q_{ij} = \varphi'(E_{ij}^2 / c^2)`, at most one.

    A model writes :math:`\varphi` (``loss``), :math:`\varphi'` (``weight``) and the published
    estimate of c (``estimate_scale``).

    With a fixed scale the objective never rises. With an estimated one, ``objective_history_``
    holds the value at each sweep's own scale. Concavity makes :math:`c^2\varphi(e^2/c^2)`
    increase with c, so the recorded value falls in every sweep in which the scale does not grow;
    when the scale grows it may rise.

    Parameters
    ----------
    {n_components}
    scale : float or None, default=None
        The c, in the units of the data; None estimates it anew in each sweep.
    {common}

    Examples
    --------
    A loss of one's own: :math:`\varphi(u) = u/(1 + u)`, by which no residual costs more than c².

    >>> class Bounded(EntrywiseNMF):
    ...     @staticmethod
    ...     def loss(u, q):
    ...         return u / (1 + u)
    ...
    ...     @staticmethod
    ...     def weight(u, out=None):
    ...         return np.divide(1, (1 + u) ** 2, out=out)
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = Bounded(1, scale=5.0, max_iter=500, tol=0, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.5).tolist()
    [[1, 2]]
    """

    scale: float | None = None

    shows: ClassVar[dict] = {"weights_": "Q", "scale_": "scale"}

    # ---------------------------------------------------------------- what a model fills in

    @staticmethod
    def loss(u, q):
        """Return φ of u = (E / scale)², entry by entry; q = φ'(u) is at hand."""
        raise NotImplementedError

    @staticmethod
    def weight(u, out=None):
        """Return φ' of u = (E / scale)², entry by entry; `out` may be `u` itself."""
        raise NotImplementedError

    @staticmethod
    def estimate_scale(E2, previous=None):
        """Return the scale for the squared residuals E2; `previous` is that of the last sweep."""
        raise NotImplementedError

    # ---------------------------------------------------------------- the algorithm

    def objective(self, X, W, H, state=None):
        """Return Σ c² φ(E²/c²); without the state, c is what `start` finds for W and H."""
        at = self.start(X, W, H) if state is None else state
        return at.scale**2 * float(self.loss(at.u, at.Q).sum())

    def start(self, X, W, H, missing=None):
        """Return the weights at W, H and the scale."""
        return self.weigh(X, W, H, EntryWeights(X, missing=missing), rescale=True)

    def sweep(self, X, W, H, now):
        """Update H, the weights, W, the scale and the weights again."""
        new = now.next()
        QX, QWH = now.weighted(X)
        H = H * ratio(W.T @ QX, W.T @ QWH)
        self.weigh(X, W, H, new)
        QX, QWH = new.weighted(X)
        W = W * ratio(QX @ H.T, QWH @ H.T)
        return W, H, self.weigh(X, W, H, new, rescale=True)

    def encode(self, X, W, H):
        """Update H alone, at the fixed or the fitted scale."""
        QX, QWH = self.weigh(X, W, H, EntryWeights(X, self.scale_at_hand())).weighted(X)
        return H * ratio(W.T @ QX, W.T @ QWH)

    def restored(self, X, W, H, state):
        """Return the state with the weights for W and H, at its scale."""
        return self.weigh(X, W, H, state)

    def at(self, X, W, H, state):
        """Return the weights for the final coefficients, at the scale of the fit."""
        return self.weigh(X, W, H, state)

    def complaint(self, X, W, H, state):
        """Return what is wrong with the scale."""
        floor = self.scale is None and about_floor(X, state.scale, "scale")
        return floor or about_weights(X, state.Q, "scale")

    # ---------------------------------------------------------------- coordinate descent

    def look(self, X, W, H, state):
        """Return the objective and the cleaned data Q ⊙ X + (1 - Q) ⊙ WH at W and H."""
        residual(X, W, H, out=state.WH)
        return self.seen(X, state)

    def seen(self, X, state):
        """Return them for the residuals in the memory of WH; the cleaned data take that of Q."""
        E = state.WH
        u = np.multiply(E, E, out=state.u)
        u *= state.scale**-2
        Q = self.weight(u, out=state.Q)
        objective = state.scale**2 * float(self.loss(u, Q).sum())
        return Seen(objective, *clean(X, E, Q, out=state.Q))

    def rescaled(self, X, seen, state):
        """Estimate the scale anew, if it is not fixed, and look again at the same residuals."""
        if self.scale is not None:
            return seen, state
        E2 = np.multiply(state.WH, state.WH, out=state.u)
        state.scale = self.new_scale(X, E2, state.scale, state.missing)
        return self.seen(X, state), state

    def state_at_hand(self, X):
        """Return a state for `look` at the fixed or the fitted scale."""
        return EntryWeights(X, self.scale_at_hand())

    def chunk_by_chunk(self):
        """Return "weights" if the scale is fixed: an estimate needs all samples at once."""
        return None if self.scale is None else "weights"

    def half_sweep(self, X, W, H):
        """Return the objective, the next H, and the two sums over samples in the update of W."""
        now = self.start(X, W, H)
        objective = self.objective(X, W, H, now)
        QX, QWH = now.weighted(X)
        H = H * ratio(W.T @ QX, W.T @ QWH)
        QX, QWH = self.weigh(X, W, H, now).weighted(X)
        return objective, H, QX @ H.T, QWH @ H.T

    def weigh(self, X, W, H, state, rescale=False):
        """Find the weights at W, H, after a new scale if asked, and return the state with them."""
        E2 = state.squared_residuals(X, W, H)
        if rescale:
            state.scale = self.new_scale(X, E2, state.scale, state.missing)
        state.u = np.multiply(E2, state.scale**-2, out=E2)
        # A weight of zero would leave a sample of outliers no way back.
        Q = self.weight(state.u, out=state.Q)
        state.Q = at_least(Q, smallest_weight(X.dtype), out=Q)
        return state

    def new_scale(self, X, E2, previous, missing=None):
        """Return the fixed scale, or the one estimated from the squared residuals."""
        limits = np.finfo(X.dtype)
        smallest = float(np.sqrt(limits.tiny))  # its square is still a normal number
        if self.scale is not None:
            if not smallest <= self.scale <= 1 / smallest:
                raise ValueError(
                    f"scale == {self.scale} is beyond what {X.dtype} resolves: it must lie between "
                    f"{smallest:.1e} and {1 / smallest:.1e}. Give the data another unit."
                )
            return float(self.scale)
        # A residual below the rounding of the data is no residual.
        floor = max(rounding(X), smallest)
        estimate = self.estimate_scale(counted(X, E2, floor**2, missing), previous)
        return max(float(estimate), floor)

    def scale_at_hand(self):
        """Return the scale for encoding: the fixed one, or that of the fit."""
        return self.scale_ if self.scale is None else self.scale

    def check_parameters(self):
        """Raise an error for a parameter out of range."""
        super().check_parameters()
        if self.scale is not None:
            self.check_positive("scale")
