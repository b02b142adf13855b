r"""What shares a weight: an entry, a sample, a feature, a window of neighbors.

A group turns the divergences of its entries into energies :math:`u_g`, and the slopes at these
into weights of entries.
"""

import numpy as np
from scipy.ndimage import grey_closing, grey_opening, uniform_filter1d
from scipy.sparse import issparse

from rnmf_tutorial.arrays import at_least, rounding
from rnmf_tutorial.divergences import CANCELLATION, SQUARES
from rnmf_tutorial.stored import residuals, squared_lengths, stored, with_stored

__all__ = ["ENTRIES", "FEATURES", "SAMPLES", "Entries", "Lines", "Windows", "smallest_weight"]


def smallest_weight(dtype):
    """Return the cube root of the smallest normal number: 3e-103 in float64, 2e-13 in float32.

    A weight of zero says nothing about where to go. A sample whose every weight is zero would
    lose its coefficients to 0/0; with this floor it takes the step of plain least squares.
    """
    return float(np.cbrt(np.finfo(dtype).tiny))


# Entries in one block of columns: what is computed in three passes then stays in the cache.
_BLOCK = 2**15


class Entries:
    """Every entry has a weight of its own; of sparse data, every stored one.

    A zero that is not stored has the weight one, as if φ were φ(u) = u there. So its cleaned value
    is the zero itself, and the cleaned data are as sparse as the data.
    """

    def __repr__(self):
        return "ENTRIES"

    def energies(self, divergence, point):
        """Return the divergence of every entry, in shared memory."""
        return divergence.entries(point, point.array("u"))

    def counted(self, divergence, point, u):
        """Return the energies that an estimate counts, and the size that it has at least."""
        least = rounding(point.X)
        return counted(stored(point.X), u, least**divergence.power, point.missing), least

    def rest(self, divergence, point):
        """Return the divergence of sparse data where there are no weights."""
        return divergence.of_zeros(point)

    def spread(self, q):
        """Return the slopes as weights, none of them zero."""
        return at_least(q, smallest_weight(q.dtype), out=q)

    def clean(self, point, q):
        """Return M = Q ⊙ X + (1 - Q) ⊙ WH, and weights of samples.

        Where all weights of a sample are small, its cleaned data hardly differ
        from WH, and it would hardly move. A sample whose largest weight d is below
        one half is cleaned with Q / d, and its divergences count d times.
        """
        if issparse(point.X):
            X, WH, M = stored(point.X), stored(point.WH), point.array("u")
            M = np.subtract(X, WH, out=M)
            M *= q
            M += WH
            point.evaluation = None
            return with_stored(point.X, M), None, None
        d, largest = None, q.max(axis=0)
        if largest.min(initial=1) < 0.5:
            if largest.min() == 0:  # all outliers: with equal weights, a step of plain NMF
                q[:, largest == 0] = smallest_weight(q.dtype)
                largest = q.max(axis=0)
            tiny = np.finfo(q.dtype).tiny
            d = np.where(largest < 0.5, np.maximum(largest, tiny), 1)
            q = np.divide(q, d, out=q)
        M, width = point.array("u"), max(1, _BLOCK // len(q))
        for first in range(0, q.shape[1], width):
            j = slice(first, first + width)
            m = np.subtract(point.X[:, j], point.WH[:, j], out=M[:, j])
            m *= q[:, j]
            m += point.WH[:, j]
        point.evaluation = None  # written over
        return M, None, d


class Windows(Entries):
    r"""The neighbors in a window share a weight; every entry of a sample is the middle of one.

    A sample is a row, a picture or a cube of numbers. The energy of a window is the mean of the
    divergences in it; what of it lies beyond an edge is mirrored there. K, the matrix of these
    means, is then symmetric with rows, and so columns, that sum to one: an entry that counts in
    the window of another, mirrored or not, counts as much the other way round. So the same means
    turn slopes into weights, none above one.

    Parameters
    ----------
    shape : tuple of int
        Of a sample.
    window : tuple
        The edges of a window, odd numbers; None stands for a whole axis.

    Examples
    --------
    >>> Windows((5,), (3,)).means(np.array([[0.0], [0.0], [0.0], [3.0], [6.0]])).ravel()
    array([0., 0., 1., 3., 5.])
    """

    def __init__(self, shape, window):
        self.shape, self.window = tuple(shape), tuple(window)

    def __repr__(self):
        return f"Windows({self.shape}, {self.window})"

    def __eq__(self, other):
        return repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def means(self, values, out=None):
        """Return K applied to every column of values, of the shape of X."""
        out = np.empty_like(values, order="F") if out is None else out
        if out is not values:
            np.copyto(out, values)
        cubes = out.T.reshape(-1, *self.shape)  # a view: out is in Fortran order
        for axis, edge in enumerate(self.window, start=1):
            if edge is None:
                cubes[...] = cubes.mean(axis=axis, keepdims=True)
            elif edge > 1:
                uniform_filter1d(cubes, edge, axis=axis, output=cubes, mode="reflect")
        return at_least(out, 0, out=out)  # a running sum may end a rounding below

    def patches(self, values, missing=None):
        """Return for every entry the most that all of some patch with the entry in it reaches.

        A patch is as wide as the smallest odd number above half a window. Gaps in which no patch
        has room are closed first: an entry takes the least of the largest values of the patches
        that it is in. Both mirror at the edges. Of a whole axis, the mean counts. A missing entry,
        whose value is zero, keeps no patch from a value that its others reach.
        """
        cubes, size = values.T.reshape(-1, *self.shape), [1]
        for axis, edge in enumerate(self.window, start=1):
            if edge is None:
                cubes = np.broadcast_to(cubes.mean(axis=axis, keepdims=True), cubes.shape)
            size.append(1 if edge is None else (edge + 1) // 4 * 2 + 1)
        cubes = grey_closing(cubes, size=size)
        if missing is not None:
            cubes[missing.T.reshape(cubes.shape)] = np.inf
        return grey_opening(cubes, size=size).reshape(values.shape[::-1]).T

    def energies(self, divergence, point):
        """Return the mean divergence of the window around every entry, in shared memory."""
        u = super().energies(divergence, point)
        return self.means(u, out=u)

    def spread(self, q):
        """Return the mean slope of the windows that an entry is in, as weights, none zero."""
        return super().spread(self.means(q))

    def clean(self, point, q):
        """Return the cleaned data, and weights of samples."""
        return super().clean(point, self.means(q, out=point.array("windows")))


class Lines:
    """A whole sample (axis 0, a column of X) or a whole feature (axis 1, a row) shares a weight."""

    def __init__(self, axis):
        self.axis = axis

    def __repr__(self):
        return ("SAMPLES", "FEATURES")[self.axis]

    def energies(self, divergence, point):
        """Return the sum of the divergences of every line."""
        if divergence is not SQUARES:
            return divergence.entries(point, point.array("u")).sum(axis=self.axis)
        if self.axis == 0:
            products = point.samples2, point.WtX, point.WtW
            return lengths2(point.X, point.W, point.H, *products)
        products = point.features2, point.XHt.T, point.HHt
        return lengths2(point.X.T, point.H.T, point.W.T, *products)

    def counted(self, divergence, point, u):
        """Return the energies that an estimate counts, and the size that it has at least."""
        least = rounding(point.X)
        largest = point.X.max(axis=self.axis)
        largest = largest.toarray().ravel() if issparse(largest) else largest
        return counted(largest, u, least**divergence.power), least

    def rest(self, divergence, point):
        """Return the divergence of sparse data where there are no weights."""
        return 0.0

    def spread(self, q):
        """Return the slopes as weights of a shape that broadcasts, none of them zero."""
        return np.expand_dims(no_zeros(q), self.axis)

    def clean(self, point, q):
        """Return the data, which stay as they are, and the weights of features and of samples."""
        return point.X, *((None, no_zeros(q)) if self.axis == 0 else (no_zeros(q), None))


ENTRIES, SAMPLES, FEATURES = Entries(), Lines(0), Lines(1)


def no_zeros(q):
    """Return weights of lines with a floor far below the smallest, so that each line has a say.

    It is below the smallest, not the largest, because a line that fits exactly has a weight
    beyond all others, whose weights a floor must not change. Where all lines are left out, all
    have the same.
    """
    positive = q[q > 0]
    if not len(positive):
        return np.ones_like(q)
    return np.maximum(q, smallest_weight(q.dtype) * positive.min())


def lengths2(X, W, H, xx, WtX, WtW):
    r"""Return the squared lengths of the columns of X - WH.

    .. math:: \lVert e_j\rVert^2 = \lVert x_j\rVert^2 - 2\, h_j^T (W^Tx_j) + h_j^T (W^TW)\, h_j .

    Where the three terms cancel (a length below a thousandth of that of the data), the residual
    itself is formed, so that the result keeps about ten digits.
    """
    WtX, WtW, H64 = (P.astype(np.float64, copy=False) for P in (WtX, WtW, H))
    squares = xx - 2 * dots(H64, WtX) + dots(H64, WtW @ H64)
    cancelled = np.flatnonzero(~(squares > CANCELLATION[X.dtype] * xx))  # also where xx is nan
    squares = np.maximum(squares, 0).astype(X.dtype, copy=False)
    X, H = X[:, cancelled], H[:, cancelled]
    blocks = residuals(X, W, H) if issparse(X) else [X - W @ H]
    squares[cancelled] = np.concatenate([squared_lengths(E, axis=0) for E in blocks] or [[]])
    return squares


def dots(A, B):
    """Return the inner products of the columns."""
    return np.einsum("kj,kj->j", A, B)


def counted(X, u, least, missing=None):
    """Return those energies that an estimate counts.

    A zero of the data that the factors know to be zero says nothing about errors. Were it counted,
    data of which more than half are such zeros would have errors of the median size zero. A
    missing entry is not counted either. If none is left, all are counted.
    """
    left_out = np.equal(X, 0)
    left_out &= u <= least
    if missing is not None:
        left_out |= missing
    if not left_out.any() or left_out.all():
        return u
    return u.T[~left_out.T]  # X is in Fortran order
