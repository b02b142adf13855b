"""What the models with a graph between samples share."""

from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.utils import check_scalar

from rnmf_tutorial.arrays import positive_mean
from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.graphs import LabelGraph, NeighborGraph, checked_labels
from rnmf_tutorial.steps.multiplicative import Multiplicative
from rnmf_tutorial.steps.nesterov import nnls
from rnmf_tutorial.terms import GraphTerm

__all__ = ["GraphNMF"]


class GraphNMF(BaseNMF):
    r"""Base of the models whose objective holds the coefficients of neighbors together.

    The model has the parameters `lam`, the weight λ of the graph, and `encoding`, how samples
    without neighbors are encoded; `n_neighbors` if its graph is one of near samples.

    Examples
    --------
    >>> from rnmf_tutorial import CSNMF
    >>> issubclass(CSNMF, GraphNMF)
    True
    """

    #: Samples are encoded without neighbors, those of the fit too; the weights stay the fit's.
    ends_encoded: ClassVar[bool] = True
    #: Whether the graph comes from labels.
    by_labels: ClassVar[bool] = True
    share: ClassVar[float] = 0.5  # of λ, in front of tr(HLHᵀ)

    def _graph(self, X, y):
        """Return the graph for data X (features × samples) and labels y."""
        y = checked_labels(X, y, type(self).__name__) if self.by_labels else None
        if hasattr(self, "n_neighbors"):
            return NeighborGraph(X.T, self.n_neighbors, y)
        return LabelGraph(y, X.dtype)

    def _prepare(self, point, y):
        """Make the graph, and find its weight if it is not given."""
        self.graph_ = self._graph(point.X, y)
        self.lam_ = self._lam_at(positive_mean(point.X)) if self.lam is None else self.lam
        return (self._term(),)

    def _lam_at(self, mean):
        """Return the λ of a parameter that may be None, for data of such positive entries."""
        raise NotImplementedError

    def _term(self):
        return GraphTerm(self.graph_, self.share * self.lam_)

    def _step(self):
        """Return the multiplicative update, with the pull of the graph."""
        return Multiplicative(graph=self._term())

    def _encode(self, X, W, missing=None):
        """Return the coefficients of samples without neighbors."""
        return np.linalg.pinv(W) @ X if self.encoding == "pinv" else nnls(W.T @ W, W.T @ X)

    def _check(self):
        """Raise an error for a parameter out of range."""
        super()._check()
        self._check_number("lam", min_val=0)
        self._check_choice("encoding", "nnls", "pinv")
        if hasattr(self, "n_neighbors"):
            check_scalar(self.n_neighbors, "n_neighbors", Integral, min_val=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.by_labels
        return tags
