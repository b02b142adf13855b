"""Díaz, Steele and Nguyen: three losses, L2, L1 and L2,1, under noise of three kinds."""

from .grids import GRIDS, START, STOPPING, STRANGERS, TABLE_ORL, majority_vote
from .printed import printed_table
from .verdicts import METRICS, claims, numbers, table_2, table_2_runs, yaleb_runs

__all__ = [
    "GRIDS",
    "METRICS",
    "START",
    "STOPPING",
    "STRANGERS",
    "TABLE_ORL",
    "claims",
    "majority_vote",
    "numbers",
    "printed_table",
    "table_2",
    "table_2_runs",
    "yaleb_runs",
]
