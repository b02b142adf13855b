"""Lee and Seung (2001): two updates, and what their theorems say."""

from studies.machinery.words import paper

from .grids import GRIDS, THEOREMS
from .verdicts import claims

PAPER = paper(__file__, claims)
