"""Damage in pieces: windows and a rank that grows, beside what else there is."""

from .grids import FACES, GRIDS, OTHERS, STARTS, TUNED, over_told
from .problems import problem

__all__ = ["FACES", "GRIDS", "OTHERS", "STARTS", "TUNED", "over_told", "problem"]
