"""Cheng, Wang and Guan: correntropy and labels, recognition by the nearest neighbor."""

from studies import Paper

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

PAPER = Paper(
    number=5,
    name="Cheng et al.",
    key="cheng2022",
    chapter="supervised",
    box="cheng",
    rows=(numbers, claims),
    digits=4,
    left_out={
        "Tables 1 to 3, ranks": (
            "the place of the largest of several means that hardly differ; the chapter shows "
            "them beside ours"
        ),
        "Figs. 1 to 3, between our ranks": (
            "curves without numbers; on UMIST and ORL four ranks are run here, and each "
            "further one takes minutes"
        ),
        "(2), (5): MD-NMF, RMNMF; NPAF": (
            "objectives, not in the paper's experiments; the chapter has their updates"
        ),
    },
    silent={
        "the printed stopping rule": (
            "its tolerance is not printed; a fixed number of sweeps was taken for all methods"
        )
    },
)

__all__ = [
    "BEST_LAM",
    "BYTES_LAM",
    "GRIDS",
    "LABELED",
    "LAM",
    "ORL",
    "PAPER",
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
