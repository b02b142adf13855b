"""What a loss, a step, a penalty, a group and a divergence must have: all members, in one place.

The loop and the estimators use these members and no others. A class of your own needs no base
class: it needs the members of one of these.
"""

from typing import Protocol

import numpy as np

from rnmf_tutorial.core import Point

__all__ = ["Curve", "Divergence", "Group", "Loss", "Penalty", "Step"]


class Loss(Protocol):
    """What a fit minimizes; weighted models take a :class:`rnmf_tutorial.losses.Loss`."""

    def rescaled(self, point: Point) -> "Loss":
        """Return the loss with its scale estimated at a point; itself if the scale is given."""

    def value(self, point: Point) -> float:
        """Return the loss at a point."""


class Step(Protocol):
    """What moves the factors. What it needs from its last call it keeps itself."""

    def __call__(self, point: Point, loss: Loss) -> Point:
        """Return the next point."""

    def coefficients(self, point: Point, loss: Loss) -> np.ndarray:
        """Return the next H, with W held fixed; each column depends on its own sample alone."""


class Penalty(Protocol):
    """What is added to the loss."""

    def value(self, point: Point) -> float:
        """Return the penalty at a point."""


class Curve(Protocol):
    """A concave function φ of the energies u in units of the scale, with slopes between 0 and 1."""

    power: float
    """The loss is the sum of c to this power times φ(u / c): 1, or 1/2 for lengths."""

    def value(self, u: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return φ(u); q is the slope there, which may save work."""

    def slope(self, u: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return φ'(u), into `out` if it is given; u must stay as it is."""

    # Two members are needed by some models alone, and a missing one is reported as such:
    #
    # multiple: float
    #     Of the median error: the scale that a model with scale=None takes.
    # estimate(u, previous=None) -> float
    #     The c that scale="published" takes from the energies, and from the c of the sweep before.


class Divergence(Protocol):
    """How far the data are from WH, entry by entry: a Bregman divergence with the data first."""

    power: float
    """Of the unit of the data: 2 for squares, 1 for Kullback-Leibler; c is the scale to it."""

    def entries(self, point: Point, out: np.ndarray) -> np.ndarray:
        """Return the divergence of every entry, in `out`."""

    def total(self, point: Point) -> float:
        """Return their sum."""

    def of_share(self, share: float, level: float) -> float:
        """Return the divergence of an error that is a small share of an entry of size `level`."""

    def parts_of_H(self, point: Point, Q: np.ndarray | None) -> tuple:
        """Return numerator and denominator of Lee and Seung's update of H, with the weights Q."""

    def parts_of_W(self, point: Point, Q: np.ndarray | None) -> tuple:
        """Return numerator and denominator of Lee and Seung's update of W, with the weights Q."""


class Group(Protocol):
    """What shares a weight: with the matrix K of the loss, energies are K times divergences."""

    def energies(self, divergence: Divergence, point: Point) -> np.ndarray:
        """Return the energy of every group."""

    def informative(self, divergence: Divergence, point: Point, u: np.ndarray) -> np.ndarray:
        """Return those of the energies that an estimate of the scale is made from."""

    def weights(self, q: np.ndarray) -> np.ndarray:
        """Return Kᵀ times the slopes of the groups, in a shape that broadcasts to X; none zero."""

    def clean(self, point: Point, q: np.ndarray) -> tuple:
        """Return data M, weights of features f and of samples d; None where those are one.

        The sum of f d times the divergence of M from WH must lie above the loss, and touch it at
        the point.
        """
