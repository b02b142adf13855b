"""The experiments of the chapters: one folder per paper, each a few declared grids.

A folder has the grids and what computes their cells, the numbers that the paper prints, and the
verdicts on its numbers and sentences. ``python -m studies --help``, in the folder above this one,
lists the grids; the command finishes or remakes their results in `results`.
"""

from .operations import count_sweep
from .paper import Paper, papers, studies
from .rows import rerun, same_rows, stored
from .runner import CellError, Grid, run
from .store import load_results

__all__ = [
    "STUDIES",
    "CellError",
    "Grid",
    "Paper",
    "count_sweep",
    "load_results",
    "papers",
    "rerun",
    "run",
    "same_rows",
    "stored",
    "studies",
]


def __getattr__(name):
    """Return `STUDIES`, study -> its grids: only who asks for all of them imports them all."""
    if name != "STUDIES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return {study: module.GRIDS for study, module in studies().items()}
