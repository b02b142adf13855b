"""*Regularized non-negative matrix factorization*: sparse basis images from few faces."""

from studies.machinery.words import paper

from .faces import area, orl_faces, reach, scattered, unit_deviation
from .grids import ALTERNATIVES, CURVES, DIVERGENCE, GRIDS, METHODS, THETA
from .sentences import claims, comparable_gain, with_lam_theta
from .verdicts import numbers, table_1

PAPER = paper(__file__, numbers, claims)
