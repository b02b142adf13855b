"""The experiments of the chapters: one folder for each paper or question, and what all share.

A folder has the grids and what computes their cells, the numbers that the paper prints,
and the verdicts on its numbers and sentences; `machinery` runs grids, stores rows and
judges. ``python -m studies --help``, in the folder above this one, lists the grids; the
command finishes or remakes their results in `results`.
"""

from .machinery import measures, protocols, rule
from .machinery.operations import count_sweep
from .machinery.paper import Paper, papers, studies
from .machinery.rows import rerun, same_rows, stored
from .machinery.runner import CellError, Grid, grid, run
from .machinery.store import load_results


def __getattr__(name):
    """Return `STUDIES`, study -> its grids: only who asks for all of them imports them all."""
    if name != "STUDIES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return {study: module.GRIDS for study, module in studies().items()}
