r"""What is added to a loss: a graph that holds coefficients of neighbors together, a sum over W.

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

from dataclasses import dataclass
from typing import Any

import numpy as np

from rnmf_tutorial.arrays import ratio

__all__ = ["BasisSum", "GraphTerm"]


@dataclass(frozen=True)
class GraphTerm:
    r"""The term :math:`w\,\operatorname{tr}(HLH^T)` of a graph between samples.

    Parameters
    ----------
    graph : LabelGraph or NeighborGraph
    weight : float
        Its w in the objective.
    """

    graph: Any
    weight: float

    def value(self, point):
        """Return the term."""
        return self.weight * self.graph.energy(point.H)

    def pull(self, H, loss, Q):
        """Return what HA adds to the numerator of an update of H, and HD to its denominator.

        Both parts of the quotient are the loss's gradient over what the objective counts it with,
        and over the weights of samples, which cancel in them.
        """
        weight = self.weight / loss.factor
        if Q is not None and len(Q) == 1:
            weight = ratio(np.full_like(Q, weight), Q)
        return weight * self.graph.sums(H), weight * (H * self.graph.degrees)


@dataclass(frozen=True)
class BasisSum:
    """The term λ Σ W.

    Parameters
    ----------
    lam : float
    """

    lam: float

    def value(self, point):
        """Return the term."""
        return self.lam * float(point.W.sum(dtype=float))
