r"""The engine of the weighted models: least squares whose weights follow the residuals.

Every loss here is a concave function of the squared residual u. A concave function lies below its
tangents:

.. math:: \rho(u) \le \rho(u') + q\,(u - u'), \qquad q = \rho'(u'),

so the least-squares problem with the weights q is a surrogate of the robust one: an update that
does not raise the weighted squares does not raise the loss. The updates of W and H are Lee and
Seung's with the weights inside. `EntrywiseNMF` computes the weights anew before the update of
either factor, as Algorithm 2 of Guan et al. (2019) does; in `ColumnwiseNMF` they cancel in the
update of H, so once per sweep is enough. A model adds its loss, its weight and the estimate of
its scale.
"""

import numpy as np

from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.losses import column_norms
from rnmf_tutorial.models.updates import product, ratio

__all__ = ["ColumnwiseNMF", "EntrywiseNMF", "smallest_weight"]


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
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float or None, default=None
        The c, in the units of the data; None estimates it anew in each sweep.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it. 0 means exactly
        `max_iter` sweeps.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, *extras)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

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

    def __init__(
        self,
        n_components=2,
        *,
        scale=None,
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
        self.scale = scale

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

    def objective(self, X, W, H, Q=None, WH=None, u=None, scale=None):
        """Return Σ c² φ(E²/c²); without the extras, c is what `start` finds for W and H."""
        if u is None:
            Q, _, u, scale = self.start(X, W, H)
        return scale**2 * float(self.loss(u, Q).sum())

    def start(self, X, W, H):
        """Return the weights Q at W, H, and what they are made of: WH, E²/c² and the scale c."""
        return self._weigh(X, W, H, None)

    def sweep(self, X, W, H, Q, WH, u, scale):
        """Update H, the weights, W, the scale and the weights again."""
        QX, QWH = np.multiply(Q, X, out=u), np.multiply(Q, WH, out=WH)
        H = self.step(H, W.T @ QX, W.T @ QWH, scale)
        Q, WH, u, _ = self._weigh(X, W, H, scale, Q, WH, u)
        QX, QWH = np.multiply(Q, X, out=u), np.multiply(Q, WH, out=WH)
        W = W * ratio(QX @ H.T, QWH @ H.T)
        return W, H, *self._weigh(X, W, H, scale, Q, WH, u, new_scale=True)

    def encode(self, X, W, H):
        """Update H alone, at the fixed or the fitted scale."""
        scale = self.scale_ if self.scale is None else self.scale
        Q, WH, u, _ = self._weigh(X, W, H, scale)
        QX, QWH = np.multiply(Q, X, out=u), np.multiply(Q, WH, out=WH)
        return H * ratio(W.T @ QX, W.T @ QWH)

    def _weigh(self, X, W, H, scale, Q=None, WH=None, u=None, new_scale=False):
        """Return Q at W, H, what it is made of, and the scale; the arrays given are reused."""
        WH = product(W, H, out=WH)
        E = np.subtract(X, WH, out=u)
        E2 = np.multiply(E, E, out=E)
        if new_scale or scale is None:
            scale = self._new_scale(X, E2, scale)
        u = np.multiply(E2, scale**-2, out=E2)
        return self.weight(u, out=Q), WH, u, scale

    def _new_scale(self, X, E2, previous):
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
        floor = max(limits.eps * float(X.max()), smallest)
        return max(float(self.estimate_scale(E2, previous)), floor)

    def _finish(self, X, W, H):
        """With a tolerance, end at the coefficients that `transform` finds for this W.

        So a sample has one encoding, whether it was fitted or comes later. A loss that is not
        convex in H has several minima, and this one may cost more than that of the last sweep.
        """
        if self.tol > 0:
            H = self._encoded(X, W)
            self._keep(*self._weigh(X, W, H, self.scale_))
        return H

    def _keep(self, Q, WH, u, scale):
        self.weights_ = Q.T
        self.scale_ = scale

    def _check_parameters(self):
        super()._check_parameters()
        if self.scale is not None:
            self._check_positive("scale")


class ColumnwiseNMF(BaseNMF):
    r"""Base of the models that weigh every sample by the length of its residual.

    Minimizes :math:`\sum_j \varphi(\lVert E_{:j}\rVert)`, where φ grows and is concave as a
    function of the *squared* length. The weights are
    :math:`d_j = \varphi'(\lVert E_{:j}\rVert) / \lVert E_{:j}\rVert`, twice the derivative by the
    squared length.

    One weight for a whole column cancels in the update of H, which is Lee and Seung's own; in
    that of W the weights go on the columns of H. No array of the shape of X is formed.

    A model writes φ (``loss``) and the weight (``weight``) as functions of the lengths.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it. 0 means exactly
        `max_iter` sweeps.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, *extras)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Examples
    --------
    A loss of one's own: the logarithm of one plus the squared length.

    >>> class Logarithmic(ColumnwiseNMF):
    ...     def loss(self, norms):
    ...         return np.log1p(norms**2)
    ...
    ...     def weight(self, norms):
    ...         return 2 / (1 + norms**2)
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1] = [9, 0, 9, 0, 0]
    >>> model = Logarithmic(1, max_iter=100, tol=0, random_state=0).fit(A)
    >>> int(np.argmin(model.weights_))
    1
    """

    def loss(self, norms):
        """Return φ of the lengths."""
        raise NotImplementedError

    def weight(self, norms):
        """Return the weights at these lengths."""
        raise NotImplementedError

    def objective(self, X, W, H, d=None, norms=None, xx=None):
        """Return the sum of the losses of the columns."""
        if norms is None:
            norms = column_norms(X, W, H)
        return float(self.loss(norms).sum())

    def start(self, X, W, H):
        """Return the weights d at W, H, the lengths of the residuals, and ‖x_j‖²."""
        norms = column_norms(X, W, H)
        return self.weight(norms), norms, np.einsum("ij,ij->j", X, X)

    def sweep(self, X, W, H, d, norms, xx):
        """Update W with the weights d, then H, then the weights: (18) of Díaz et al."""
        HD = H * np.maximum(d, smallest_weight(d.dtype))
        W = W * ratio(X @ HD.T, W @ (HD @ H.T))
        WtX, WtW = W.T @ X, W.T @ W
        H = self.step(H, WtX, WtW @ H, d)  # without a graph d_j cancels
        norms = column_norms(X, W, H, (xx, WtX, WtW))
        return W, H, self.weight(norms), norms, xx

    def encode(self, X, W, H):
        """Update H alone; the weights cancel."""
        return H * ratio(W.T @ X, (W.T @ W) @ H)

    def _finish(self, X, W, H):
        """With a tolerance, end at the coefficients that `transform` finds for this W."""
        if self.tol > 0:
            H = self._encoded(X, W)
            self._keep(*self.start(X, W, H))
        return H

    def _keep(self, d, norms, xx):
        self.weights_ = d
