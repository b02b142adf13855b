"""The runner of grids: no interruption loses a row, and a row has the commit of its code."""

import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import time
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from studies import CellError, Grid, load_results, run
from studies.machinery import origin, runner
from studies.machinery.store import BOOKKEEPING, append, read
from tests.project import load_module

AXES = {"method": ["NMF", "robust, λ"], "lam": [0.1 + 0.2, 0.3], "seed": [0, 1]}
MADE_BY = dict.fromkeys(BOOKKEEPING[2:], "made by a test")
posix = pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")


def measure(method, lam, seed):
    rng = np.random.default_rng([seed, len(method)])
    return {
        "error": rng.random() * lam,
        "rank": np.int64(seed + 3),
        "label": f'{method} "é"\n',
    }


def two_rows(seed, wait=0):
    time.sleep(wait)
    return [{"split": split, "root": (seed + split) ** 0.5} for split in (0, 1)]


def raises_at_one(error, seed):
    if seed == 1:
        raise error
    return two_rows(seed)


def grid_of(cell, n_seeds=3, axes=None):
    axes = axes or {"seed": list(range(n_seeds))}
    return Grid("toy", cell, quick=axes, paper=axes)


def quiet(grid, *, n_jobs=1, **options):
    return run(grid, n_jobs=n_jobs, progress=False, **options)


@pytest.fixture(autouse=True)
def no_git(monkeypatch):
    """Runs here are many and tiny: they need not ask git what they come from."""
    monkeypatch.setattr(runner, "origin", lambda code: dict(MADE_BY))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "toy-quick.jsonl"


# ------------------------------------------------------------------ what is computed


def test_a_run_returns_the_rows_of_all_cells_in_declared_order(tmp_path):
    frame = quiet(grid_of(measure, axes=AXES), results=tmp_path)
    assert [*frame] == [*AXES, "error", "rank", "label", *BOOKKEEPING]
    points = [
        (m, lam, seed) for m in AXES["method"] for lam in AXES["lam"] for seed in (0, 1)
    ]
    assert list(frame[[*AXES]].itertuples(index=False, name=None)) == points
    for row, point in zip(frame.to_dict("records"), points, strict=True):
        assert {name: row[name] for name in ("error", "rank", "label")} == measure(
            *point
        )
    pd.testing.assert_frame_equal(load_results("toy", "quick", tmp_path), frame)


def test_values_keep_their_bits_and_their_types():
    values = [
        None,
        True,
        3,
        2**70,
        -0.0,
        1 / 3,
        float("inf"),
        "7",
        "True",
        "",
        "nan",
        "a\nb, λ",
    ]
    grid = grid_of(lambda x: {"back": x, "type": type(x).__name__}, axes={"x": values})
    frame = quiet(grid)
    for column in (frame.x, frame.back):
        assert list(map(repr, column)) == list(map(repr, values))
    assert frame.type.tolist() == [type(x).__name__ for x in values]
    for value in [np.float32(0.1), np.float64("nan"), np.bool_(True), np.str_("a")]:
        (back,) = quiet(grid_of(lambda seed, value=value: {"v": value}, 1)).v.tolist()
        assert repr(back) == repr(value.item())


def test_where_runs_a_slice():
    frame = quiet(grid_of(measure, axes=AXES), where={"lam": [0.3], "seed": [1.0]})
    assert frame[["method", "lam", "seed"]].values.tolist() == [
        [m, 0.3, 1] for m in AXES["method"]
    ]
    for where in (
        {"lambda": [1]},
        {"seed": [1, 2]},
        {"seed": []},
        {"seed": ["1"]},
        {"seed": [True]},
    ):
        with pytest.raises(ValueError, match="where asks for"):
            quiet(grid_of(measure, axes=AXES), where=where)
    for values in ([], [1, 1.0]):
        with pytest.raises(ValueError, match="each once"):
            grid_of(measure, axes={"seed": values})


def test_a_cell_computes_on_one_thread():
    grid = grid_of(
        lambda seed: {"n": max(pool["num_threads"] for pool in threadpool_info())}, 1
    )
    with threadpool_limits(2):
        assert quiet(grid).n.tolist() == [1]


# ---------------------------------------------------------------- resumption and errors


def test_only_what_is_not_stored_is_computed(tmp_path, capsys):
    quiet(
        grid_of(two_rows, axes={"seed": [0.0, 2]}), results=tmp_path
    )  # 0.0 and 0 are one cell
    computed = []
    grid = grid_of(lambda seed: computed.append(seed) or two_rows(seed))
    frame = run(grid, results=tmp_path, n_jobs=1)
    assert computed == [1] and frame.seed.tolist() == [0, 0, 1, 1, 2, 2]
    assert (
        "toy (quick)" in (bar := capsys.readouterr().err)
        and "2/3" in bar
        and "3/3" in bar
    )
    quiet(grid, results=tmp_path, fresh=True)
    assert computed == [1, 0, 1, 2]
    with pytest.raises(ValueError, match="omit where"):
        quiet(grid, results=tmp_path, fresh=True, where={"seed": [0]})


@pytest.mark.parametrize("error", [ZeroDivisionError("unlucky"), SystemExit(0)])
def test_an_error_names_its_cell_and_costs_no_other_and_ctrl_c_nothing_finished(
    tmp_path, error
):
    with pytest.raises(KeyboardInterrupt):
        quiet(grid_of(partial(raises_at_one, KeyboardInterrupt())), results=tmp_path)
    assert load_results("toy", "quick", tmp_path).seed.tolist() == [0, 0]
    with pytest.raises(
        CellError, match=rf"(?s)1 of 2 cells.*'seed': 1.*{type(error).__name__}"
    ):
        quiet(grid_of(partial(raises_at_one, error)), results=tmp_path)
    assert load_results("toy", "quick", tmp_path).seed.tolist() == [0, 0, 2, 2]
    assert len(quiet(grid_of(two_rows), results=tmp_path)) == 6


@pytest.mark.parametrize(
    "returned", [{"seed": 1}, {"seconds": 1}, [], {"x": [1]}, {"x": 1j}, 3]
)
def test_results_that_cannot_be_stored(returned):
    with pytest.raises(
        CellError, match=r"A cell returns rows|Results are|not iterable"
    ):
        quiet(grid_of(lambda seed: returned, 1))


def test_cells_with_other_columns_are_not_mixed(tmp_path):
    quiet(grid_of(two_rows), results=tmp_path)
    with pytest.raises(ValueError, match="the experiment changed"):
        quiet(grid_of(lambda seed: {"root": 1}, 4), results=tmp_path)


def test_the_order_of_the_axes_tells_no_cells_apart(tmp_path, file):
    frame = quiet(grid_of(measure, axes=AXES), results=tmp_path)
    turned = dict(reversed(AXES.items()))
    stored = file.read_bytes()
    again = quiet(grid_of(measure, axes=turned), results=tmp_path)
    assert file.read_bytes() == stored and len(again) == len(frame)
    append(
        file, next(iter(read(file).values())) | {"seconds": 99.0}
    )  # twice: the first counts
    assert (load_results("toy", "quick", tmp_path).seconds < 99).all()


@pytest.mark.parametrize(
    "line", ["5", "{}", "[1]", '"cell"', "no rows", "a list as a value"]
)
def test_a_line_that_is_no_cell_is_named(tmp_path, file, line):
    quiet(grid_of(two_rows), results=tmp_path)
    cell = {"cell": {"seed": 7}, "rows": two_rows(7), "seconds": 0} | MADE_BY
    made = {
        "no rows": cell | {"rows": []},
        "a list as a value": cell | {"cell": {"seed": [7]}},
    }
    append(file, made[line] if line in made else json.loads(line))
    with pytest.raises(ValueError, match=r"Line 4 of .*toy-quick.jsonl is no cell"):
        load_results("toy", "quick", tmp_path)


# ---------------------------------------------------------- kills, full disks, two runs


def test_a_line_cut_short_is_told_and_does_not_spoil_the_next(tmp_path, file):
    quiet(grid_of(two_rows), results=tmp_path)
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.warns(UserWarning, match=r"Line 3 of .* is not whole"):
        assert len(load_results("toy", "quick", tmp_path)) == 4
    append(file, {"cell": {"seed": 9}, "rows": two_rows(9), "seconds": 0} | MADE_BY)
    with pytest.warns(UserWarning, match="Line 3"):
        assert load_results("toy", "quick", tmp_path).seed.tolist() == [
            0,
            0,
            1,
            1,
            9,
            9,
        ]


@posix
@pytest.mark.filterwarnings("ignore:Line")
@pytest.mark.parametrize("room", [100, 2_420, 5_900])
def test_a_full_disk_raises_and_loses_nothing_stored(tmp_path, file, room):
    resource = pytest.importorskip("resource")
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        with pytest.raises(OSError, match=r"No room|too large"):
            quiet(grid_of(two_rows, 26), results=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert len(read(file)) == file.read_bytes().count(b"\n") < 26
    assert len(quiet(grid_of(two_rows, 26), results=tmp_path)) == 52


@posix
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork")
def test_two_runs_at_once_lose_nothing(tmp_path, file):
    fork = multiprocessing.get_context("fork")
    slow = grid_of(partial(two_rows, wait=0.001), 50)
    options = {"args": [slow], "kwargs": {"results": tmp_path}}
    processes = [fork.Process(target=quiet, **options) for _ in range(2)]
    for act in (fork.Process.start, fork.Process.join):
        [*map(act, processes)]
    assert [process.exitcode for process in processes] == [0, 0]
    assert all(
        map(json.loads, file.read_bytes().splitlines())
    )  # some cells twice, none torn
    seeds = quiet(grid_of(two_rows, 50), results=tmp_path).seed
    assert seeds.tolist() == [seed for seed in range(50) for _ in (0, 1)]


# ------------------------------------------------------------------ the commit of a row


def cell(seed):
    return {"error": seed}


@pytest.fixture
def git(tmp_path, monkeypatch):
    """A repository with a package and a lab; git as a function."""

    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(
            ["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True
        )

    for folder in ("package", "lab", "elsewhere"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("")
    files = {name: str(tmp_path / name / "__init__.py") for name in ("package", "lab")}
    monkeypatch.setattr(origin.rnmf_tutorial, "__file__", files["package"])
    monkeypatch.setitem(
        origin.sys.modules, "lab", SimpleNamespace(__file__=files["lab"])
    )
    monkeypatch.setattr(cell, "__module__", "lab.cells")
    monkeypatch.setattr(runner, "origin", origin.origin)
    git("init")
    return git


def test_a_commit_is_that_of_the_package_and_of_the_cells(tmp_path, git):
    code = origin.code_of(cell)
    assert code == [tmp_path / "package", tmp_path / "lab"]
    assert origin.commit(code) == "unknown"
    git("add", "package", "lab")
    git("commit", "-m", "one")
    assert len(sha := origin.commit(code)) == 40
    assert (
        origin.commit([*code, tmp_path / "elsewhere"]) == "unknown"
    )  # as an installed package
    assert origin.commit([*code, None]) == "unknown"  # a cell typed into a notebook
    git("add", "elsewhere")
    git("commit", "-m", "two")
    assert origin.commit(code) == sha
    (tmp_path / "lab" / "cells.py").write_text("1")
    assert origin.commit(code) == sha + "-dirty"
    git("add", "lab")
    git("commit", "-m", "three")
    assert origin.commit(code) not in (sha, sha + "-dirty")


LAB = '''
import helpers
def cell(seed):
    """Return a number."""
    return METHODS["two"](seed) + helpers.three(seed)
def two(seed):
    return [one(seed), 5.0]
def one(seed):
    return f"{seed:.3f}" "text"
METHODS = {"two": two, "four": lambda seed: sorted([seed], key=lambda x: 4 * x)}
'''


@pytest.fixture
def hash_of(tmp_path, monkeypatch):
    """The hash of a cell whose module has this text; its package has a second module."""
    folder = tmp_path / "lab"
    folder.mkdir()
    numbers = itertools.count()

    def hash_of(text, helper="def three(seed):\n    return 3\n"):
        number = next(numbers)
        (folder / f"helpers{number}.py").write_text(helper, encoding="utf-8")
        (folder / f"cells{number}.py").write_text(text, encoding="utf-8")
        helpers = load_module(folder / f"helpers{number}.py")
        monkeypatch.setattr(helpers.three, "__module__", f"cells{number}")
        monkeypatch.setitem(sys.modules, "helpers", helpers)
        return origin.functions_hash(load_module(folder / f"cells{number}.py").cell)

    return hash_of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[one(seed), 5.0]", "[\n        one(seed),\n        5.0,\n    ]"),
        ("[one(seed), 5.0]", "[one(seed),  5.0]"),
        ("[one(seed), 5.0]", "[one(seed), (5.0)]  # a comment"),
        ("5.0", "5.00"),
        ('"""Return a number."""', '"""Return a number of the seed."""'),
        ('    """Return a number."""\n', ""),
        ("sorted([seed], key=", "sorted(\n        [seed], key="),
        ('f"{seed:.3f}" "text"', "f'{seed:.3f}text'"),
        ("import helpers\n", "import helpers\n\nunused = 1\n"),
    ],
)
def test_a_hash_does_not_change_with_the_layout_or_the_text_around_the_code(
    hash_of, old, new
):
    assert old in LAB
    assert hash_of(LAB.replace(old, new)) == hash_of(LAB)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("5.0", "5.1"),
        ("5.0", "5"),
        (".3f", ".4f"),
        ("4 * x", "4 + x"),
        ("one(seed), 5.0", "5.0, one(seed)"),
        ("def two(seed)", "def two(seed=None)"),
        ('"text"', '"Text"'),
    ],
)
def test_a_hash_changes_with_every_function_that_a_cell_reaches(hash_of, old, new):
    assert old in LAB
    assert hash_of(LAB.replace(old, new)) != hash_of(LAB)


def test_a_hash_changes_with_a_function_that_is_called_as_a_member_of_a_module(hash_of):
    changed = "def three(seed):\n    return 4\n"
    assert hash_of(LAB, changed) != hash_of(LAB)


def test_a_function_that_was_typed_in_has_no_hash():
    names = {"__name__": "lab0"}
    exec("def typed(): pass", names)
    assert origin.functions_hash(names["typed"]) is None


@pytest.mark.parametrize("committed", [False, True])
def test_rows_of_code_edited_during_a_run_are_dirty(
    tmp_path, git, monkeypatch, committed
):
    def edits(seed):
        time.sleep(0.05)  # clocks of files are coarse
        if seed == 1:
            (tmp_path / "lab" / "__init__.py").write_text("edited = True")
            os.utime(tmp_path / "lab" / "__init__.py", (0, 0))
            if committed:
                git("commit", "-am", "two")
        return {"error": seed}

    edits.__module__ = "lab.cells"
    git("add", ".")
    git("commit", "-m", "one")
    monkeypatch.setattr(origin, "STARTED", time.time())
    sha = origin.commit(origin.code_of(edits))
    assert quiet(grid_of(edits)).commit.tolist() == [
        sha,
        sha + "-dirty",
        sha + "-dirty",
    ]
    # Nor does a later run of this process, which may have loaded either form.
    (again,) = quiet(grid_of(edits), where={"seed": [0]}).commit
    assert again.endswith("-dirty")
