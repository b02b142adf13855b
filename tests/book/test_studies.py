"""The stored rows are those that the declared grids ask for; every kind of cell still runs."""

import re
from types import SimpleNamespace

import pytest

from rnmf_tutorial.data import available
from studies import STUDIES, Grid, __main__, load_results
from studies.rows import RESULTS
from studies.runner import missing_cells
from studies.store import BOOKKEEPING, read
from studies.world import ONLINE

GRIDS = {grid.name: (grid, needs) for grids in STUDIES.values() for grid, needs in grids}
FILES = sorted(RESULTS.glob("*.jsonl"))


@pytest.mark.parametrize("name", GRIDS)
def test_every_cell_of_a_grid_is_stored_and_no_other(name):
    grid, _ = GRIDS[name]
    missing, stored = missing_cells(grid, "paper", RESULTS), read(RESULTS / f"{name}-paper.jsonl")
    assert not missing, "make results"
    assert len(stored) == len(grid.cells("paper")), "make results FRESH=1, or remove their lines"


def test_every_file_belongs_to_a_grid():
    """A file that no grid fills would go stale; two are filled by hand: of `make bench`, online."""
    names = {path.stem for path in FILES if not path.name.startswith("bench-")}
    assert names - {f"{ONLINE.name}-paper"} == {f"{name}-paper" for name in GRIDS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rows_name_the_commit_that_computed_them(path):
    """One of 40 digits, or the same with the mark of changes that no commit has."""
    frame = load_results(path.stem.removesuffix("-paper"), "paper", RESULTS)
    assert all(re.fullmatch("[0-9a-f]{40}(-dirty)?", commit) for commit in set(frame.commit))
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(read(path))


def one_grid_of_each_kind():
    """The grids with their data sets, one for each function that computes a cell."""
    return {grid.cell: (grid, needs) for grid, needs in reversed(GRIDS.values())}.values()


@pytest.mark.parametrize(
    "grid, needs", [pytest.param(*pair, id=pair[0].name) for pair in one_grid_of_each_kind()]
)
@pytest.mark.long
def test_a_cell_returns_what_is_stored(grid, needs):
    missing = [name for name in needs if not available(name)]
    if missing:
        pytest.skip(f"the data set {', '.join(missing)} is not here: see book/data.md")
    cell = grid.cells("quick")[0]
    rows = grid.cell(**cell)
    rows = [rows] if isinstance(rows, dict) else rows
    stored = set(load_results(grid.name, "paper", RESULTS))
    assert rows
    for row in rows:
        assert {*cell, *row, *BOOKKEEPING} == stored


def test_only_a_grid_with_missing_cells_asks_for_its_data(tmp_path, monkeypatch, capsys):
    axes, fetched = {"seed": [0, 1]}, []
    grid = Grid("toy", lambda seed: {"double": 2 * seed}, quick=axes, paper=axes)
    options = {"study": "toy", "scale": "paper", "grid": None, "jobs": 1, "fresh": False}
    options = SimpleNamespace(**options, results=tmp_path)
    monkeypatch.setattr(__main__, "STUDIES", {"toy": [(grid, ["yale64"])]})
    monkeypatch.setattr(__main__, "fetch", fetched.append)
    monkeypatch.setattr(__main__.parser, "parse_args", lambda: options)
    for _ in range(2):
        __main__.main()
        assert fetched == ["yale64"]
    assert "toy: every cell is stored." in capsys.readouterr().out
    assert load_results("toy", "paper", tmp_path).double.tolist() == [0, 2]
