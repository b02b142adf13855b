"""Damage in pieces: windows and a rank that grows, beside what else there is."""

from .grids import GRIDS, TUNED, over_told
from .windows import GemanMcClure, WindowNMF, Windows, grown, median_sample
