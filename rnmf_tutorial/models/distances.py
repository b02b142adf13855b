"""What the models minimize, as functions of the data and the factors."""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.arrays import at_least, inner, ratio, residual

__all__ = ["Products", "column_norms", "huber", "kl_divergence", "squared_error"]

# Below this fraction of ‖X‖² the three traces cancel to fewer than about ten digits (in float32,
# whose products have seven, to fewer than about four).
_CANCELLATION = {np.dtype("f8"): 1e-6, np.dtype("f4"): 1e-3}


class Products(NamedTuple):
    """What a Euclidean update of W has computed, and the distance needs again.

    Parameters
    ----------
    XX : float
        The squared norm of X.
    WtW, XHt, HHt : ndarray
        The products, of shapes (r, r), (n_features, r) and (r, r).

    Examples
    --------
    >>> X, W, H = np.ones((3, 2)), np.ones((3, 1)), np.ones((1, 2))
    >>> squared_error(X, W, 2 * H, Products(6.0, W.T @ W, 2 * X @ H.T, 4 * H @ H.T))
    6.0
    """

    XX: float  # ‖X‖²
    WtW: np.ndarray
    XHt: np.ndarray
    HHt: np.ndarray


def squared_error(X, W, H, products=None):
    r"""Squared Euclidean distance :math:`\lVert X - WH \rVert_F^2`.

    With the products that an update of W has formed anyway, the distance needs no pass over
    the data:

    .. math:: \lVert X\rVert^2 - 2\langle XH^T, W\rangle + \langle W^TW, HH^T\rangle .

    Where the three terms cancel (an error below a thousandth of the data's norm, in float32 a
    thirtieth), the residual is formed instead. So the result keeps about ten digits, in float32
    about four.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    products : Products, optional
        The products, if they are at hand.

    Returns
    -------
    float

    References
    ----------
    Zhang et al. (2011), equation (7).

    Examples
    --------
    >>> import numpy as np
    >>> W, H = np.array([[1.0], [2.0]]), np.array([[1.0, 3.0]])
    >>> squared_error(W @ H + 1, W, H)
    4.0
    """
    if products is not None:
        XX, *small = products
        WtW, XHt, HHt, W64 = (P.astype(np.float64, copy=False) for P in (*small, W))
        error = XX - 2 * inner(XHt, W64) + inner(WtW, HHt)
        if error > _CANCELLATION[X.dtype] * XX:
            return error
    E = residual(X, W, H)
    return inner(E, E)


def kl_divergence(X, WH):
    r"""Generalized Kullback-Leibler divergence :math:`D(X \Vert WH)`.

    .. math:: \sum_{ij} \Bigl( X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} - X_{ij} + (WH)_{ij} \Bigr),
              \qquad 0 \log 0 = 0.

    The logarithm sees WH floored at the square root of the smallest normal number, so that a
    zero of WH where X is positive costs a large but finite amount.

    Parameters
    ----------
    X, WH : ndarray of shape (n_features, n_samples)
        Non-negative.

    Returns
    -------
    float

    References
    ----------
    Zhang et al. (2011), equation (8).

    Examples
    --------
    >>> import numpy as np
    >>> kl_divergence(np.array([[0.0, 1.0]]), np.array([[0.5, 1.0]]))
    0.5
    """
    log_ratio = ratio(X, WH)
    # A zero of X becomes the smallest normal number, whose logarithm times zero is zero.
    at_least(log_ratio, np.finfo(X.dtype).tiny, out=log_ratio)
    np.log(log_ratio, out=log_ratio)
    return inner(X, log_ratio) - float(X.sum(dtype=float)) + float(WH.sum(dtype=float))


def huber(E, cutoff):
    r"""Return Huber's loss, summed: quadratic up to the cutoff, linear beyond.

    .. math:: \rho(e) = \begin{cases} e^2 & |e| \le c \\ 2c|e| - c^2 & |e| > c. \end{cases}

    Parameters
    ----------
    E : ndarray
        Residuals.
    cutoff : float
        :math:`c`, in the units of E.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> huber(np.array([0.5, -3.0]), cutoff=1.0)
    5.25
    """
    size = np.abs(E)
    clipped = np.minimum(size, cutoff)
    return float(np.sum(clipped * (2 * size - clipped)))


def column_norms(X, W, H, products=None):
    r"""Euclidean lengths of the columns of :math:`E = X - WH`.

    With :math:`\lVert x_j\rVert^2`, :math:`W^TX` and :math:`W^TW` at hand there is no pass over
    the data:

    .. math:: \lVert e_j\rVert^2 = \lVert x_j\rVert^2 - 2\, h_j^T (W^Tx_j) + h_j^T (W^TW)\, h_j .

    In columns where the three terms cancel (a length below a thousandth of that of the data), the
    residual itself is formed, so that the result keeps about ten digits.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    products : (xx, WtX, WtW), optional
        The squared lengths of the columns of X, nan where not known, and the two products, if
        they are at hand.

    Returns
    -------
    ndarray of shape (n_samples,)

    References
    ----------
    Díaz, Steele and Nguyen, *Analysis of the robustness of NMF algorithms*, equation (16): the
    L2,1 norm of E is the sum of these lengths.

    Examples
    --------
    >>> import numpy as np
    >>> column_norms(np.array([[3.0, 1.0], [4.0, 1.0]]), np.ones((2, 1)), np.array([[0.0, 1.0]]))
    array([5., 0.])
    """
    if products is None:
        return _lengths(residual(X, W, H))
    xx, *small = products
    WtX, WtW, H64 = (P.astype(np.float64, copy=False) for P in (*small, H))
    squares = xx - 2 * _column_dots(H64, WtX) + _column_dots(H64, WtW @ H64)
    cancelled = np.flatnonzero(~(squares > _CANCELLATION[X.dtype] * xx))  # also where xx is nan
    norms = np.sqrt(np.maximum(squares, 0)).astype(X.dtype, copy=False)
    norms[cancelled] = _lengths(X[:, cancelled] - W @ H[:, cancelled])
    return norms


def _column_dots(A, B):
    return np.einsum("kj,kj->j", A, B)


def _lengths(E):
    return np.sqrt(_column_dots(E, E))
