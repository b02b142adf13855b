"""The stored rows are those that grids ask for, and the code still computes their values."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rnmf_tutorial.data import available
from studies import (
    STUDIES,
    Grid,
    __main__,
    diaz,
    guan,
    load_results,
    rerun,
    run,
    same_rows,
    zhang,
)
from studies.machinery import rows
from studies.machinery.origin import functions_hash
from studies.machinery.rows import RESULTS
from studies.machinery.store import cell_key, read
from studies.world import ONLINE

GRIDS = {
    grid.name: (grid, needs) for grids in STUDIES.values() for grid, needs in grids
}
FILES = sorted(RESULTS.glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_whole_rows_of_every_cell_of_its_grid_and_the_commit_that_computed_them(
    path,
):
    """A commit has 40 digits, and behind them the mark of changes that no commit has."""
    cells = read(path)
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(cells)
    for cell in cells.values():
        assert re.fullmatch("[0-9a-f]{40}(-dirty)?", cell["commit"])
    assert len({frozenset(row) for cell in cells.values() for row in cell["rows"]}) == 1
    if grid := GRIDS.get(path.stem.removesuffix("-paper")):
        asked = {cell_key(cell) for cell in grid[0].cells("paper")}
        assert cells.keys() == asked, "make results, if need be with FRESH=1"
        hashes = {cell["functions"] for cell in cells.values() if "functions" in cell}
        assert hashes <= {functions_hash(grid[0].cell)}, (
            "its functions changed: FRESH=1"
        )


def test_every_file_belongs_to_a_grid_and_every_grid_has_one():
    """A file that no grid fills would go stale; two are filled by hand: of `make bench`, online."""
    names = {path.stem for path in FILES if not path.name.startswith("bench-")}
    assert names - {f"{ONLINE.name}-paper"} == {f"{name}-paper" for name in GRIDS}


def skip_without(needs):
    if missing := [name for name in needs if not available(name)]:
        pytest.skip(f"not here, see book/data.md: {', '.join(missing)}")


#: A cell whose stored time is shorter, in seconds, is computed by `make test`. The others
#: are computed by `make test-all`.
QUICK = 1

#: Columns that a clock fills. No two runs have the same times, so they are not
#: compared.
TIMES = {"cpu"}

#: Largest relative difference between two values, as for `rerun`.
RTOL = 1e-6

#: A smaller difference is rounding: a rise of the objective that is zero in exact
#: arithmetic, or the largest negative entry of a matrix.
ROUNDING = 1e-12

#: Larger differences that are allowed: grid -> column -> difference. These grids
#: compute in single precision, so a hundred sweeps carry the rounding of a processor
#: into the sixth digit. A sample near the border of two clusters then changes its
#: cluster.
NEAR = {
    "diaz-stopping": {"ac": 0.01, "nmi": 0.02, "ac_vote": 0.01, "nmi_vote": 0.03},
    "guan-odds": {
        "rre": 1e-4,
        "ac": 0.03,
        "nmi": 0.03,
        "nmi_mean": 0.03,
        "objective": 0.3,
        "rejected": 1e-4,
    },
    "guan-positive": {
        "rre": 2e-6,
        "ac": 0.01,
        "nmi": 0.01,
        "nmi_mean": 0.01,
        "objective": 0.2,
    },
    "guan-positive-unscaled": {"ac": 0.05, "nmi": 0.05, "nmi_mean": 0.05},
}


def cell_to_compare(grid):
    """Return the stored cell of a grid that is compared with what the code computes today.

    It is the cheapest by its stored time. A cell whose method has no objective, for
    example, leaves a column empty, so only cells with the fewest empty values are
    considered.
    """
    cells = read(RESULTS / f"{grid.name}-paper.jsonl").values()

    def empty_values(cell):
        empty = sum(value is None for row in cell["rows"] for value in row.values())
        return empty / len(cell["rows"])

    return min(cells, key=lambda cell: (empty_values(cell), cell["seconds"]))


def cases_of_every_grid():
    cases = []
    for name, (grid, needs) in GRIDS.items():
        stored = cell_to_compare(grid)
        marks = [pytest.mark.long] if stored["seconds"] >= QUICK else []
        cases.append(pytest.param(grid, needs, stored, id=name, marks=marks))
    return cases


def computed_again(grid, cell):
    """Return the rows of one cell, computed as the runner does."""
    axes = {axis: [value] for axis, value in cell.items()}
    again = Grid("again", grid.cell, quick=axes, paper=axes)
    with TemporaryDirectory() as folder:
        run(again, results=folder, n_jobs=1, progress=False)
        (finished,) = read(Path(folder) / "again-quick.jsonl").values()
    return finished["rows"]


def differences(live_rows, stored_rows, near):
    """Return a sentence for each value of a cell that is not what is stored."""
    if len(live_rows) != len(stored_rows):
        return [f"There are {len(live_rows)} rows, but {len(stored_rows)} are stored."]
    sentences = []
    for number, (live, stored) in enumerate(zip(live_rows, stored_rows, strict=True)):
        if live.keys() != stored.keys():
            return [f"The columns are {list(live)}, but {list(stored)} are stored."]
        for column in stored.keys() - TIMES:
            if not agree(live[column], stored[column], near.get(column, 0)):
                value = f"{column} of row {number} is {live[column]!r}"
                sentences.append(f"{value}, but {stored[column]!r} is stored.")
    return sorted(sentences)


def agree(live, stored, near=0):
    """Whether two values are the same, numbers to rounding or to a larger difference `near`."""
    numbers = isinstance(live, int | float) and isinstance(stored, int | float)
    if not numbers or isinstance(live, bool) or isinstance(stored, bool):
        return type(live) is type(stored) and live == stored
    return bool(
        np.isclose(live, stored, rtol=RTOL, atol=max(ROUNDING, near), equal_nan=True)
    )


@pytest.mark.parametrize(("grid", "needs", "stored"), cases_of_every_grid())
def test_every_value_of_a_stored_cell_is_computed_again(grid, needs, stored):
    skip_without(needs)
    live = computed_again(grid, stored["cell"])
    found = differences(live, stored["rows"], NEAR.get(grid.name, {}))
    assert not found, "\n".join([f"{grid.name} at {stored['cell']}:", *found])


def test_a_larger_difference_is_allowed_only_where_a_grid_has_such_a_column():
    for name, columns in NEAR.items():
        assert columns.keys() <= cell_to_compare(GRIDS[name][0])["rows"][0].keys()


@pytest.mark.parametrize("change", [1.001, 0.999, 1.5, -1])
def test_a_changed_value_of_a_stored_cell_is_noticed_and_rounding_is_not(change):
    stored = [{"error": 0.5, "method": "NMF", "found": None, "cpu": 2.0}]
    assert not differences([{**stored[0], "cpu": 3.0}], stored, {})
    assert differences([{**stored[0], "found": 0.0}], stored, {})
    assert not differences([{**stored[0], "error": 0.5 * (1 + 1e-8)}], stored, {})
    assert differences([{**stored[0], "error": 0.5 * change}], stored, {})


#: Scores that change with a borderline face.
SCORES = {"ac": 0.05, "rate": 0.02, "found": 0.01}


@pytest.mark.long
@pytest.mark.parametrize(
    ("grid", "columns", "options"),
    [
        (
            diaz.TABLE_ORL,
            ["rre", "objective"],
            {"noise": ["Gaussian 0.01"], "method": ["L21NMF"]},
        ),
        (diaz.STRANGERS, ["rre"], {}),
        (diaz.START, ["rre", "objective", "zeros"], {"init": ["nndsvd"]}),
        (zhang.BLOCKS, ["rre"], {"method": ["RobustNMF"]}),
        (zhang.RECOGNITION, ["objective"], {}),
        (zhang.RECOGNITION_BASELINES, [], {}),
        (zhang.CASE_STUDY, ["share"], {"method": ["RobustNMF"]}),
        (zhang.CLUSTERING, ["objective", "rre"], {"lam": [0.3]}),
        (zhang.CLUSTERING_BASELINES, [], {}),
        (guan.BREAKDOWN, ["rre"], {}),
        (guan.TABLES, ["rre", "objective"], {"noise": ["salt & pepper 20"]}),
        (guan.POSITIVE_NOISE, ["rre"], {"method": ["NeNMF"], "rtol": 0.02}),
        # Single precision, a hundred passes: other processors round differently.
        (guan.RULE_TABLES, ["rre", "objective"], {"rule": ["none"], "rtol": 0.02}),
    ],
    ids=lambda it: getattr(it, "name", ""),
)
def test_a_slice_gives_the_stored_rows(grid, columns, options):
    skip_without(GRIDS[grid.name][1])
    assert rerun(grid, columns, near=SCORES, **options) > 0


def test_only_a_grid_with_missing_cells_asks_for_its_data(
    tmp_path, monkeypatch, capsys
):
    axes = {"seed": [0, 1]}
    fetched = []
    grid = Grid("toy", lambda seed: {"double": 2 * seed}, quick=axes, paper=axes)
    options = {
        "study": "toy",
        "scale": "paper",
        "grid": None,
        "jobs": 1,
        "fresh": False,
    }
    options = SimpleNamespace(**options, results=tmp_path)
    monkeypatch.setattr(__main__, "STUDIES", {"toy": [(grid, ["yale64"])]})
    monkeypatch.setattr(__main__, "fetch", fetched.append)
    monkeypatch.setattr(__main__.parser, "parse_args", lambda: options)
    for _ in range(2):
        __main__.main()
        assert fetched == ["yale64"]
    assert "toy: every cell is stored." in capsys.readouterr().out
    assert load_results("toy", "paper", tmp_path).double.tolist() == [0, 2]


# A chapter reruns a slice of the stored rows, and fails if the numbers differ.

FOUND = {"number": 2.0, "score": 0.5}


def cell(seed, lam):
    return [{"sweep": sweep, **FOUND} for sweep in (0, 1)]


AXES = {"seed": [1], "lam": [1.0, 0.5]}
GRID = Grid("toy", cell, quick=AXES, paper=AXES | {"seed": [0, 1]})


def test_a_rerun_counts_the_rows_that_agree_and_says_what_differs(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(rows, "RESULTS", tmp_path)
    run(GRID, "paper", results=tmp_path, n_jobs=1, progress=False)
    assert rerun(GRID, ["number", "score"]) == 4
    assert rerun(GRID, [], near={"score": 1e-9, "elsewhere": 0.1}, lam=[0.5]) == 2
    monkeypatch.setitem(FOUND, "number", 2.0001)
    monkeypatch.setitem(FOUND, "score", 0.54)
    assert rerun(GRID, ["number"], rtol=1e-4, near={"score": 0.05}) == 4
    other = Grid("toy", cell, quick=AXES | {"seed": [5]}, paper=AXES)
    for grid, columns, told in (
        (GRID, ["number"], "number at"),
        (GRID, [], "score of toy is"),
        (other, [], "not stored"),
    ):
        with pytest.raises(AssertionError, match=told):
            rerun(grid, columns, near={"score": 0.03})


def test_the_same_rows_may_come_in_any_order_and_lack_the_same_values():
    kept = pd.DataFrame(
        {"seed": [0, 1, 2], "error": [0.5, np.nan, 0.125], "label": [*"abc"]}
    )
    same_rows(kept[1:][::-1], kept, on=["seed"], columns=["error", "label"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: f.assign(error=f.error * (1 + 2e-10)),
            "error at {'seed': 0} is .* live but",
        ),
        (lambda f: f.assign(error=f.error.astype(str)), "0.5 live but 0.5 stored"),
        (lambda f: f.assign(seed=f.seed + 9), "No stored row has .*'seed': 9"),
        (lambda f: f[:0], "nothing to compare"),
        (lambda f: pd.concat([f, f]), "Two rows have"),
    ],
)
def test_rows_that_differ_are_told(change, message):
    kept = pd.DataFrame({"seed": [0, 1], "error": [0.5, 0.25], "label": ["a", "b"]})
    with pytest.raises(AssertionError, match=message):
        same_rows(change(kept), kept, on=["seed"], columns=["error", "label"])
    same_rows(
        kept.assign(error=0.3)[:1], kept, on=["seed"], columns=["error"], rtol=0.5
    )
