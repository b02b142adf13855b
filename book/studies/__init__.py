"""The experiments of the chapters: one folder per paper, each a few declared grids.

A folder has the grids and what computes their cells, the numbers that the paper prints, and the
verdicts on its numbers and sentences. ``python -m studies --help``, in the folder above this one,
lists the grids; the command finishes or remakes their results in `results`.
"""

from . import (
    blocks,
    cheng,
    choosing,
    defaults,
    diaz,
    guan,
    recovery,
    selection,
    sparse,
    world,
    zhang,
)
from .operations import count_sweep
from .rows import rerun, same_rows, stored
from .runner import CellError, Grid, run
from .store import load_results

#: Study -> its grids.
STUDIES = {
    "zhang": zhang.GRIDS,
    "diaz": diaz.GRIDS,
    "guan": guan.GRIDS,
    "sparse": sparse.GRIDS,
    "cheng": cheng.GRIDS,
    "choosing": choosing.GRIDS,
    "selection": selection.GRIDS,
    "defaults": defaults.GRIDS,
    "recovery": recovery.GRIDS,
    "blocks": blocks.GRIDS,
    "world": world.GRIDS,
}

__all__ = [
    "STUDIES",
    "CellError",
    "Grid",
    "count_sweep",
    "load_results",
    "rerun",
    "run",
    "same_rows",
    "stored",
]
