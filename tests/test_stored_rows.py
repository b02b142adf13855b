"""The stored rows are those that the declared grids ask for, and commits made them."""

import re
from pathlib import Path

import pytest
from rnmf_tutorial.evaluation.fields import axis_text
from rnmf_tutorial.evaluation.parsing import parse

from studies import STUDIES

RESULTS = Path(__file__).resolve().parent.parent / "book" / "results"
GRIDS = {
    f"{grid.name}-paper.csv": (study, grid) for study, grids in STUDIES.items() for grid, _ in grids
}
#: Rows of changes that no commit had, still to be made again. Only ever make this shorter.
DIRTY = {"guan-tables-paper.csv": 676}


def cells_of(grid, scale="paper"):
    return {tuple(map(axis_text, cell.values())) for cell in grid.cells(scale)}


def stored(grid, path):
    return set(parse(path.read_bytes(), path, grid.axes)[1])


def complaint(study, grid, found):
    """What a stored file lacks or has too much, and the command that mends it; "" if nothing."""
    lacking, surplus = cells_of(grid) - found, found - cells_of(grid)
    command = f"cd book && python -m studies {study} --grid {grid.name} --scale paper"
    if surplus:
        return f"No grid asks for {len(surplus)} cells, as {min(surplus)}: run {command} --fresh"
    if lacking:
        return f"{len(lacking)} cells are not stored, as {min(lacking)}: run {command}"
    return ""


@pytest.mark.parametrize("name", GRIDS)
def test_every_cell_of_a_grid_is_stored_and_no_other(name):
    study, grid = GRIDS[name]
    path = RESULTS / name
    assert complaint(study, grid, stored(grid, path) if path.exists() else set()) == ""


def test_a_cell_that_is_lacking_or_too_much_is_found():
    study, grid = GRIDS["zhang-blocks-paper.csv"]
    cells = cells_of(grid)
    assert "1 cells are not stored" in complaint(study, grid, cells - {min(cells)})
    assert "zhang --grid zhang-blocks --scale paper --fresh" in complaint(study, grid, {*cells, ()})


def test_every_file_belongs_to_a_grid():
    """A file that no grid fills would go stale; those of `make bench` have their own runner."""
    names = {path.name for path in RESULTS.iterdir() if not path.name.startswith("bench-")}
    assert names == set(GRIDS)


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.csv")), ids=lambda path: path.stem)
def test_rows_come_from_commits(path):
    """A row whose code nobody can look up proves nothing."""
    header, cells, _ = parse(path.read_bytes(), path)
    commits = [row[header.index("commit")] for rows in cells.values() for row in rows]
    wrong = [commit for commit in commits if not re.fullmatch("[0-9a-f]{40}", commit)]
    assert len(wrong) == DIRTY.get(path.name, 0), (
        f"{len(wrong)} rows of {path.name} come from no commit, as {sorted(set(wrong))[:1]}: "
        "commit the code, delete these rows, and run the study again (CONTRIBUTING.md, Results). "
        "If there are fewer than before, lower the number in DIRTY."
    )
