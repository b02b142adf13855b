"""Díaz, Steele and Nguyen: three losses, L2, L1 and L2,1, under noise of three kinds."""

from .grids import GRIDS, START, STRANGERS, TABLE_ORL, TABLE_YALEB, majority_vote
from .printed import printed_table
from .verdicts import METRICS, claims, numbers, table_2, table_2_runs

__all__ = [
    "GRIDS",
    "METRICS",
    "START",
    "STRANGERS",
    "TABLE_ORL",
    "TABLE_YALEB",
    "claims",
    "majority_vote",
    "numbers",
    "printed_table",
    "table_2",
    "table_2_runs",
]
