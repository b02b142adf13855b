"""*Regularized non-negative matrix factorization*: sparse basis images from few faces."""

from .coding import CodingUpdates, SparseCodingNMF
from .faces import area, orl_faces, reach, scattered, unit_deviation
from .grids import ALTERNATIVES, CURVES, GRIDS, METHODS, THETA
from .sentences import claims, comparable_gain, with_lam_theta
from .verdicts import numbers, table_1, table_2

__all__ = [
    "ALTERNATIVES",
    "CURVES",
    "GRIDS",
    "METHODS",
    "THETA",
    "CodingUpdates",
    "SparseCodingNMF",
    "area",
    "claims",
    "comparable_gain",
    "numbers",
    "orl_faces",
    "reach",
    "scattered",
    "table_1",
    "table_2",
    "unit_deviation",
    "with_lam_theta",
]
