"""Cheng, Wang and Guan: correntropy and labels, recognition by the nearest neighbor."""

from studies import Paper
from studies.machinery.words import without_rows

from .cells import BEST_LAM, BYTES_LAM, LABELED, PARTS, fitted, wrong_labels
from .grids import GRIDS, LAM, ORL, UMIST, YALE
from .printed import printed_tables
from .verdicts import (
    PRINTED_METHODS,
    SETS,
    at_best_rank,
    best_ranks,
    claims,
    numbers,
    stored_runs,
    tables,
)

PAPER = Paper(
    number=5,
    name="Cheng et al.",
    key="cheng2022",
    chapter="supervised",
    box="cheng",
    rows=(numbers, claims),
    digits=4,
    equations=30,
    algorithms=("Algorithm 1",),
    **without_rows(__file__),
)
