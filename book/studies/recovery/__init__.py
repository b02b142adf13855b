"""When are the parts found that the data were made of?"""

from .grids import FOUND, GRIDS, METHODS, RECOVERY, cell, distances, separable
