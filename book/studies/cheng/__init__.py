"""Cheng, Wang and Guan: correntropy and labels, recognition by the nearest neighbor."""

from .cells import BEST_LAM, BYTES_LAM, LABELED, PARTS, fitted, wrong_labels
from .grids import GRIDS, LAM, ORL, UMIST, YALE
from .printed import printed_tables
from .verdicts import (
    PRINTED_METHODS,
    SETS,
    at_best_rank,
    claims,
    numbers,
    ranking,
    stored_runs,
    tables,
)

__all__ = [
    "BEST_LAM",
    "BYTES_LAM",
    "GRIDS",
    "LABELED",
    "LAM",
    "ORL",
    "PARTS",
    "PRINTED_METHODS",
    "SETS",
    "UMIST",
    "YALE",
    "at_best_rank",
    "claims",
    "fitted",
    "numbers",
    "printed_tables",
    "ranking",
    "stored_runs",
    "tables",
    "wrong_labels",
]
