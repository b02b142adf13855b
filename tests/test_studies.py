"""Every kind of cell of the studies runs, and returns the columns that its stored rows have."""

import csv

import pytest
from rnmf_tutorial.evaluation.parsing import BOOKKEEPING

from rnmf_tutorial.data import available
from studies import STUDIES
from studies.rows import RESULTS


def one_grid_of_each_kind():
    """The grids with their data sets, one for each function that computes a cell."""
    kinds = {}
    for grids in STUDIES.values():
        for grid, needs in grids:
            if (RESULTS / f"{grid.name}-paper.csv").exists():
                kinds.setdefault(getattr(grid.cell, "func", grid.cell), (grid, needs))
    return list(kinds.values())


@pytest.mark.parametrize(
    "grid, needs", [pytest.param(*pair, id=pair[0].name) for pair in one_grid_of_each_kind()]
)
@pytest.mark.slow
def test_a_cell_returns_what_is_stored(grid, needs):
    missing = [name for name in needs if not available(name)]
    if missing:
        pytest.skip(f"the data set {', '.join(missing)} is not here: see book/data.md")
    cell = grid.cells("quick")[0]
    rows = grid.cell(**cell)
    rows = [rows] if isinstance(rows, dict) else rows
    with open(RESULTS / f"{grid.name}-paper.csv", encoding="utf-8", newline="") as file:
        stored = set(next(csv.reader(file)))
    assert rows
    for row in rows:
        assert {*cell, *row, *BOOKKEEPING} == stored
