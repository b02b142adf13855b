"""Díaz, Steele and Nguyen: three losses, L2, L1 and L2,1, under noise of three kinds."""

from studies import Paper
from studies.machinery.words import without_rows

from .grids import GRIDS, START, STRANGERS, TABLE_ORL, majority_vote
from .printed import printed_table
from .verdicts import STOPPED, claims, numbers, table_2, table_2_runs, yaleb_runs

PAPER = Paper(
    number=2,
    name="Díaz et al.",
    key="diaz2021",
    chapter="l2_l1_l21",
    box="diaz",
    rows=(numbers, claims),
    digits=3,
    equations=30,
    **without_rows(__file__),
)
