"""*Regularized non-negative matrix factorization*: sparse basis images from few faces."""

from studies import Paper
from studies.machinery.words import without_rows

from .faces import area, orl_faces, reach, scattered, unit_deviation
from .grids import ALTERNATIVES, CURVES, GRIDS, METHODS, THETA
from .sentences import claims, comparable_gain, with_lam_theta
from .verdicts import numbers, table_1

PAPER = Paper(
    number=3,
    name="Regularized NMF",
    key="regularized",
    chapter="sparse_basis",
    box="regularized",
    rows=(numbers, claims),
    digits=2,
    equations=14,
    algorithms=("steps 1 and (a)-(d)",),
    **without_rows(__file__),
)
