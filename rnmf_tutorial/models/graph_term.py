r"""The term that holds the coefficients of neighbors together, and how new samples are encoded.

A multiplicative step takes :math:`\lambda HA` into its numerator and :math:`\lambda HD` into its
denominator.

The step does not raise a weighted sum of squares plus the graph's term. It is the step of length
:math:`M^{-1}` against the gradient of a quadratic function with the Hessian
:math:`K + \lambda L`, the diagonal M being :math:`M_K + \lambda D` and :math:`M_K - K` being
positive semidefinite by Lee and Seung's lemma. Such a step descends if :math:`2M - K - \lambda L`
is positive semidefinite, and it is :math:`M_K + (M_K - K) + \lambda (D + A)`, where
:math:`\sum_{ij} A_{ij} (v_i + v_j)^2 / 2` is the form of :math:`D + A`. (M alone does not bound
the Hessian: A is not positive semidefinite.)

The term depends on how WH is split: cW and H/c have the same product and :math:`1/c^2` of the term.
So with λ > 0 no minimizer exists unless neighbors can share their coefficients exactly. Over many
sweeps W grows, H shrinks, and the graph loses its hold: the number of sweeps and the size of the
start point are parameters of these models.
"""

from numbers import Integral, Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_scalar

from rnmf_tutorial.models.graph import LabelGraph, NeighborGraph, checked_labels
from rnmf_tutorial.models.nnls import nnls
from rnmf_tutorial.models.updates import ratio

__all__ = ["GraphTerm", "NeighborGraphTerm"]


class GraphTerm:
    r"""What a graph adds to a model: put this class before the engine's.

    The model has the parameters `lam`, the weight λ of the graph, and `encoding`, and adds
    ``self.graph_.energy(H)`` to its objective. It may write ``graph_weight``, and ``make_graph`` if
    its graph is not that of the labels.

    Examples
    --------
    >>> from rnmf_tutorial import CSNMF
    >>> from rnmf_tutorial.models.weighted import EntrywiseNMF
    >>> issubclass(CSNMF, GraphTerm), issubclass(CSNMF, EntrywiseNMF)
    (True, True)
    """

    def make_graph(self, X, y):
        """Return the graph for data X (features × samples) and labels y."""
        return LabelGraph(checked_labels(X, y, type(self).__name__), X.dtype)

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

    def fit(self, A: ArrayLike, y: ArrayLike | None = None) -> Self:
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

    def fit_transform(self, A: ArrayLike, y: ArrayLike | None = None) -> np.ndarray:
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
        if hasattr(self, "n_neighbors"):
            check_scalar(self.n_neighbors, "n_neighbors", Integral, min_val=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class NeighborGraphTerm(GraphTerm):
    """A graph term whose graph comes from the data; labels are not asked for.

    Examples
    --------
    >>> from rnmf_tutorial import MCCGR
    >>> A = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 3.0]])
    >>> issubclass(MCCGR, NeighborGraphTerm), MCCGR(1, n_neighbors=1).fit(A).graph_.degrees.shape
    (True, (3,))
    """

    def make_graph(self, X, y):
        """Return the graph of the nearest neighbors among all samples."""
        return NeighborGraph(X.T, self.n_neighbors)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags
