"""Local NMF (Li et al., 2001): a basis of parts that hardly overlap."""

from typing import Any, ClassVar

import numpy as np
from scipy.special import xlogy

from rnmf_tutorial.arrays import inner, product, ratio, unit_columns
from rnmf_tutorial.divergences import KULLBACK_LEIBLER, kl_divergence
from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.parameters import estimator

__all__ = ["LocalLoss", "LocalNMF", "LocalUpdates", "local_objective"]


def local_objective(X, W, H, alpha=1.0, beta=1.0):
    r"""Return what local NMF is said to minimize.

    .. math:: D(X \Vert WH) + \alpha \sum_{kl} (W^TW)_{kl} - \beta \sum_k (HH^T)_{kk}

    :class:`rnmf_tutorial.LocalNMF` does not decrease it, for any α and β: neither appears in its
    updates.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    alpha, beta : float, default=1.0
        Non-negative.

    Returns
    -------
    float

    References
    ----------
    *Regularized non-negative matrix factorization*, equation (8).

    Examples
    --------
    >>> import numpy as np
    >>> W, H = np.eye(2), np.ones((2, 3))
    >>> local_objective(W @ H, W, H)
    -4.0
    """
    total = W.sum(axis=1)  # the entries of WᵀW add up to the squared length of this sum
    return kl_divergence(X, product(W, H)) + alpha * float(total @ total) - beta * inner(H, H)


class LocalLoss:
    """What no sweep of local NMF increases; it is never negative."""

    def rescaled(self, point):
        """Return the loss itself."""
        return self

    def value(self, point):
        """Return the divergence up to the sum of WH, half the squares of H, and a constant."""
        sums = point.X.sum(axis=0, dtype=float)
        fit = kl_divergence(point.X, point.WH) + sums.sum() - point.WH.sum(dtype=float)
        smallest = (xlogy(sums, sums / len(point.H)).sum() + sums.sum()) / 2
        return float(fit + inner(point.H, point.H) / 2 - smallest)


class LocalUpdates:
    """Update H by (9), W by (5b), then give the columns of W sum one."""

    def __call__(self, point, loss):
        """Return the next point."""
        up, _ = KULLBACK_LEIBLER.parts_of_H(point, None)
        point = point.to(H=np.sqrt(point.H * up))  # (9)
        up, down = KULLBACK_LEIBLER.parts_of_W(point, None)
        W = point.W * ratio(up, down)  # (5b)
        return point.to(W=ratio(W, W.sum(axis=0)))  # (6)

    def coefficients(self, point, loss):
        """Update H alone, by (5a)."""
        return point.H * ratio(*KULLBACK_LEIBLER.parts_of_H(point, None))


@estimator
class LocalNMF(BaseNMF):
    r"""Local NMF: Li et al.'s updates, and the coefficients recomputed at the end.

    Each sweep updates H by a square root, then W by the rule of the divergence, and gives the
    columns of W sum one without a change of H. With W so normalized, no sweep increases

    .. math:: \sum_{ij} X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} + \frac12 \lVert H\rVert_F^2 ,

    which is what is recorded, up to a constant that makes zero its smallest possible value. It
    is not the objective that the method was published with,
    :func:`rnmf_tutorial.estimators.local.local_objective`.

    After the first sweep every column of H has a Euclidean length that the data alone determine:
    the root of the sum of its sample. So WH has the wrong size, and `fit` ends with new
    coefficients: those that minimize the divergence for the basis found.

    Parameters
    ----------
    {n_components}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W. Every row has sum one.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    Notes
    -----
    With :math:`s_j` the sum of sample j, and after the first sweep, the objective is

    .. math:: \sum_j s_j \Bigl[ D\Bigl(\frac{x_j}{s_j} \Big\Vert
              \frac{Wh_j}{\lVert Wh_j\rVert_1}\Bigr)
              + \log\frac{\sqrt r\,\lVert h_j\rVert_2}{\lVert h_j\rVert_1} \Bigr] .

    The second term is zero where all coefficients of a sample are equal, and grows the sparser
    they are. Parts that every sample uses alike must not overlap: the sparse basis is the price of
    dense coefficients.

    References
    ----------
    Li, Hou, Zhang and Cheng, *Learning spatially localized, parts-based representation*, CVPR
    2001. Equation numbers in the code are those of *Regularized non-negative matrix
    factorization*.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = LocalNMF(1, max_iter=10, tol=0, random_state=0)
    >>> Ht = model.fit_transform(A)
    >>> bool(np.allclose(model.inverse_transform(Ht), A))
    True
    """

    ends_encoded: ClassVar[Any] = "always"  # the coefficients of the last sweep have a wrong size

    def _start(self, X, missing=None):
        """Return a start point with columns of sum one."""
        point = super()._start(X, missing)
        W, H = unit_columns(point.W, point.H, "l1")
        return point.to(W=W, H=H)

    def _loss(self, point):
        """Return what no sweep increases."""
        return LocalLoss()

    def _step(self):
        """Return Li et al.'s updates."""
        return LocalUpdates()
