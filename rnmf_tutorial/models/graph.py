r"""Graphs between samples, and the term that holds the coefficients of neighbors together.

With an affinity A between samples (symmetric, non-negative, zero on its diagonal), the degrees
:math:`D_{jj} = \sum_i A_{ij}` and the Laplacian :math:`L = D - A`,

.. math:: \operatorname{tr}(H L H^T) = \tfrac12 \sum_{ij} A_{ij} \lVert h_i - h_j\rVert^2 .

A multiplicative step takes :math:`\lambda HA` into its numerator and :math:`\lambda HD` into its
denominator. Nothing of n × n entries is formed.
"""

from numbers import Real

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils import check_consistent_length, check_scalar, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite

from rnmf_tutorial.models.nnls import nnls
from rnmf_tutorial.models.updates import ratio

__all__ = ["GraphTerm", "LabelGraph"]


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
        return (H @ self._indicator)[:, self._codes] - H

    def energy(self, H):
        """Return tr(HLHᵀ), as the spread of each class around its mean times its size."""
        means = (H @ self._indicator) / self._counts.astype(H.dtype)
        deviations = H - means[:, self._codes]
        squares = np.einsum("kj,kj->j", deviations, deviations)
        return float(squares.astype(float) @ (self.degrees + 1))


class GraphTerm:
    r"""What a graph adds to a model: put this class before the engine's.

    The model gives `lam`, the weight λ of the graph, and `encoding`; it may write
    ``graph_weight``, and ``make_graph`` if its graph is not that of the labels.
    """

    def make_graph(self, X, y):
        """Return the graph for data X (features × samples) and labels y."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        check_consistent_length(X.T, y)
        return LabelGraph(y, X.dtype)

    def graph_weight(self, H, state):
        """Return what λ becomes next to the two products of the engine's step."""
        return self.lam

    def step(self, H, up, down, state=None):
        """Return H after a multiplicative step with the graph's part in either product."""
        weight = self.graph_weight(H, state)
        up = up + weight * self.graph_.sums(H)
        return H * ratio(up, down + weight * (H * self.graph_.degrees))

    def _prepare(self, X, y):
        self.graph_ = self.make_graph(X, y)

    def _encoded(self, X, W):
        if self.encoding == "pinv":
            return np.linalg.pinv(W) @ X
        return nnls(W.T @ W, W.T @ X)

    def _finish(self, X, W, H):
        return self._encoded(X, W) if self.tol > 0 else H

    def fit(self, A, y=None):
        """Learn the basis.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
            Non-negative, finite, dense data.
        y : array-like of shape (n_samples,)
            The labels; ignored by a model whose graph does not come from labels.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If A has negative, missing or infinite entries or a wrong shape, the labels are
            missing or of another length, or a parameter is out of range.
        """
        self._fit(A, y)
        return self

    def fit_transform(self, A, y=None):
        """Learn the basis and return the coefficients of the samples.

        With a tolerance these are the ones that `transform` finds without the labels; with
        ``tol=0`` they are those of the last sweep, which the graph has shaped.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
            Non-negative, finite, dense data.
        y : array-like of shape (n_samples,)
            The labels; ignored by a model whose graph does not come from labels.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return np.ascontiguousarray(self._fit(A, y).T)

    def _check_parameters(self):
        super()._check_parameters()
        check_scalar(self.lam, "lam", Real, min_val=0)
        self._check_finite("lam")
        if self.encoding not in ("nnls", "pinv"):
            raise ValueError(f"encoding={self.encoding!r} is not known; use 'nnls' or 'pinv'.")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
