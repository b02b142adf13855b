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

from numbers import Integral

import numpy as np
from sklearn.utils import check_scalar

from rnmf_tutorial.models.graphs.graph import LabelGraph, NeighborGraph, checked_labels
from rnmf_tutorial.models.parameters import EstimatedLam
from rnmf_tutorial.models.sizes import positive_mean
from rnmf_tutorial.solvers.nesterov import nnls

__all__ = ["GraphTerm", "NeighborGraphTerm"]


class GraphTerm(EstimatedLam):
    r"""What a graph adds to a model: put this class before that of the loss.

    The model has the parameters `lam`, the weight λ of the graph, and `encoding`. Its objective
    adds ``self.graph_.energy(H)``, and its update of H the two products of `pull`.

    Examples
    --------
    >>> from rnmf_tutorial import CSNMF
    >>> from rnmf_tutorial.models import EntrywiseNMF
    >>> issubclass(CSNMF, GraphTerm), issubclass(CSNMF, EntrywiseNMF)
    (True, True)
    """

    def make_graph(self, X, y):
        """Return the graph for data X (features × samples) and labels y."""
        return LabelGraph(checked_labels(X, y, type(self).__name__), X.dtype)

    def pull(self, H, weight):
        """Return the weight times HA, for the numerator of an update, and times HD, below it."""
        return weight * self.graph_.sums(H), weight * (H * self.graph_.degrees)

    def prepare(self, X, y):
        """Make the graph, and find its weight if it is not given."""
        self.graph_ = self.make_graph(X, y)
        if self.lam is None:
            self._lam = self.lam_at(positive_mean(X))

    def lam_at(self, mean):
        """Return the λ of a parameter that may be None, for data of such positive entries."""
        raise NotImplementedError

    def encoded(self, X, W, H=None, missing=None):
        """Return the coefficients of samples without neighbors."""
        if self.encoding == "pinv":
            return np.linalg.pinv(W) @ X
        return nnls(W.T @ W, W.T @ X)

    def at(self, X, W, H, state):
        """Return the state of the last sweep: the weights that shaped the fit."""
        return state

    def chunk_by_chunk(self):
        """Return None: the graph ties samples of different chunks together."""
        return None

    def check_parameters(self):
        """Raise an error for a parameter out of range."""
        super().check_parameters()
        if self.lam is not None or type(self).lam is not None:  # its default
            self.check_range("lam", min_val=0)
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
