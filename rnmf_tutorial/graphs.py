r"""Graphs between samples: who is whose neighbor.

With an affinity A between samples (symmetric, non-negative, zero on its diagonal), the degrees
:math:`D_{jj} = \sum_i A_{ij}` and the Laplacian :math:`L = D - A`,

.. math:: \operatorname{tr}(H L H^T) = \tfrac12 \sum_{ij} A_{ij} \lVert h_i - h_j\rVert^2 .

Nothing of n × n entries is formed.
"""

import numpy as np
from scipy.sparse import csr_array, triu
from sklearn.neighbors import kneighbors_graph
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite

__all__ = ["LabelGraph", "NeighborGraph", "checked_labels"]


class LabelGraph:
    r"""Samples with one label are neighbors: equation (11) of Cheng, Wang and Guan (2022).

    With the n × classes indicator matrix Y of the labels, :math:`A = YY^T - I`. So HA is the sum
    of each class, given back to its samples, less each sample itself: 2nr additions.

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
        _, self._codes, self._counts = np.unique(y, return_inverse=True, return_counts=True)
        n = len(self._codes)
        self._indicator = csr_array((np.ones(n, dtype), (np.arange(n), self._codes)))
        self.degrees = (self._counts - 1)[self._codes].astype(dtype)

    def sums(self, H):
        """Return HA: for each sample, the sum over its neighbors."""
        sums = self._given_back(H @ self._indicator)
        return np.subtract(sums, H, out=sums)

    def energy(self, H):
        """Return tr(HLHᵀ), as the spread of each class around its mean times its size."""
        means = (H @ self._indicator) / self._counts.astype(H.dtype)
        deviations = H - self._given_back(means)
        squares = np.einsum("kj,kj->j", deviations, deviations)
        return float(squares.astype(float) @ (self.degrees + 1))

    def _given_back(self, per_class):
        return np.take(np.ascontiguousarray(per_class), self._codes, axis=1)


class NeighborGraph:
    r"""Two samples are neighbors if either is among the nearest ones of the other.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
        The samples; distances are Euclidean.
    n_neighbors : int, default=5
        How many nearest ones; at most all others are taken.
    y : array-like of shape (n_samples,), optional
        Labels: then only samples of the same label are neighbors.

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
        differences = (h[i] - h[j] for h in H)  # one component at a time stays in the cache
        return sum(float(d @ d) for d in differences)


def checked_labels(X, y, name):
    """Return the labels y as an array, one for each column of X; `name` is the model's.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    y : array-like of shape (n_samples,)
    name : str
        The model's name, for the message.

    Returns
    -------
    ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If y is missing, of another length, not finite, or not a set of classes.

    Examples
    --------
    >>> import numpy as np
    >>> checked_labels(np.ones((3, 2)), ["a", "b"], "CSNMF").tolist()
    ['a', 'b']
    """
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    check_consistent_length(X.T, y)
    return y
