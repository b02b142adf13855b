"""The runner of grids: what it computes, and that no interruption loses or doubles a row."""

import contextlib
import importlib
import io
import itertools
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rnmf_tutorial.evaluation.fields import axis_text
from rnmf_tutorial.evaluation.parsing import PROVENANCE
from rnmf_tutorial.evaluation.provenance import code_of, commit
from rnmf_tutorial.evaluation.results_file import ResultsFile
from threadpoolctl import threadpool_info, threadpool_limits

from rnmf_tutorial.evaluation import CellError, Grid, experiments, load_results, run, same_rows

AXES = {"method": ["NMF", "robust, λ"], "lam": [0.1 + 0.2, 0.3, 1e-300], "seed": [0, 1]}


def measure(method, lam, seed):
    rng = np.random.default_rng([seed, len(method)])
    return {"error": rng.random() * lam, "rank": np.int64(seed + 3), "label": f'{method} "q", é'}


def two_rows(method, lam, seed):
    return [{"split": split} | measure(method, lam, seed + split) for split in (0, 1)]


def product_of_matrices(seed):
    A = np.random.default_rng(seed).random((300, 300))
    return {"sum": np.linalg.multi_dot([A, A, A]).sum()}


def fails_at_one(seed):
    if seed == 1:
        raise ZeroDivisionError("seed one is unlucky")
    return {"error": seed / 3}


def grid_of(cell=measure, axes=AXES):
    return Grid("toy", cell, quick=axes, paper=axes)


def quiet(grid, *, n_jobs=1, **options):
    return run(grid, n_jobs=n_jobs, progress=False, **options)


@pytest.fixture
def called(monkeypatch):
    """Axis values of each cell that is computed while the test runs."""
    calls, finish = [], experiments._finish

    def record(cell, key, values, folder):
        calls.append(tuple(values.values()))
        return finish(cell, key, values, folder)

    monkeypatch.setattr(experiments, "_finish", record)
    return calls


def test_rows_are_the_product_of_the_axes_in_declared_order():
    frame = quiet(grid_of())
    points = list(itertools.product(*AXES.values()))
    assert list(frame[["method", "lam", "seed"]].itertuples(index=False, name=None)) == points
    for row, point in zip(frame.to_dict("records"), points, strict=True):
        # Equality, not closeness: the way through the file must keep every bit.
        assert {name: row[name] for name in ("error", "rank", "label")} == measure(*point)
    assert (frame.seconds >= 0).all()
    assert (frame.numpy == np.__version__).all()
    assert list(frame.columns) == [
        *("method", "lam", "seed", "error", "rank", "label", "cell_rows", "seconds"),
        *("numpy", "scipy", "scikit_learn", "rnmf_tutorial", "commit"),
    ]


def test_values_keep_their_bits_and_their_kind():
    values = [None, True, 3, -0.0, 1 / 3, float("nan"), float("inf"), np.float32(0.1), "1e5 x"]
    values += ["007", "7", "1.5", "True", "nan", "", "'", '"a"', "None", 2**70]
    for value in values:
        axes = {"seed": [0, 1]}
        column = quiet(grid_of(lambda seed, value=value: {"v": value}, axes)).v
        assert len(column) == 2
        if value is None or value != value:
            assert column.isna().all()
        else:
            assert column.iloc[1] == value
            assert isinstance(column.iloc[1], str) == isinstance(value, str)
            assert np.signbit(column.iloc[1]) == np.signbit(value) if value == 0 else True


def test_a_column_of_several_kinds_keeps_each():
    values = [False, None, "False", 1, 1.5, "1", True]
    grid = grid_of(lambda seed: {"v": values[seed]}, {"seed": list(range(7))})
    column = quiet(grid).v.tolist()
    assert column == values
    assert list(map(type, column)) == list(map(type, values))
    with_gap = grid_of(lambda seed: {"v": [1, None][seed]}, {"seed": [0, 1]})
    assert str(quiet(with_gap).v.tolist()) == "[1.0, nan]"  # as pandas has it


def test_axis_values_keep_their_kind(tmp_path):
    values = [1, "1", "01", 2.0, "2.0", None, "", True, "True", "nan"]
    grid = grid_of(lambda x: {"kind": type(x).__name__}, {"x": values})
    frame = quiet(grid, results=tmp_path)
    assert frame.x.tolist() == values
    assert frame.kind.tolist() == [type(x).__name__ for x in frame.x]
    assert quiet(grid, where={"x": ["1"]}, results=tmp_path).kind.tolist() == ["str"]
    assert load_results("toy", "quick", tmp_path).x.tolist() == values
    with pytest.raises(ValueError, match="each once"):
        grid_of(axes={"x": [2, 2.0]})


def test_a_cell_may_return_several_rows():
    frame = quiet(grid_of(two_rows))
    assert len(frame) == 24
    assert frame.split.tolist() == [0, 1] * 12
    assert (frame.cell_rows == 2).all()


@pytest.mark.slow
def test_parallel_equals_serial_to_the_last_bit():
    grid = grid_of(product_of_matrices, {"seed": list(range(6))})
    assert quiet(grid, n_jobs=2)["sum"].tolist() == quiet(grid)["sum"].tolist()


def test_a_cell_computes_on_one_thread():
    def threads(seed):
        return {"threads": max(pool["num_threads"] for pool in threadpool_info())}

    with threadpool_limits(2):
        assert threads(0) == {"threads": 2}
        assert quiet(grid_of(threads, {"seed": [0]})).threads.tolist() == [1]


def test_number_of_jobs(monkeypatch):
    monkeypatch.setenv("RNMF_TUTORIAL_JOBS", "3")
    assert experiments._n_jobs(None) == 3
    assert experiments._n_jobs(2) == 2
    monkeypatch.delenv("RNMF_TUTORIAL_JOBS")
    assert experiments._n_jobs(None) == os.cpu_count()
    for wrong in ("two", "-1", "0", "1.5"):
        monkeypatch.setenv("RNMF_TUTORIAL_JOBS", wrong)
        with pytest.raises(ValueError, match="RNMF_TUTORIAL_JOBS"):
            experiments._n_jobs(None)
    with pytest.raises(ValueError, match="positive"):
        experiments._n_jobs(-1)


def test_a_second_run_computes_nothing_and_returns_the_same(tmp_path, called):
    grid = grid_of()
    first = quiet(grid, results=tmp_path)
    assert len(called) == 12
    pd.testing.assert_frame_equal(quiet(grid, results=tmp_path), first)
    assert len(called) == 12
    pd.testing.assert_frame_equal(load_results("toy", "quick", tmp_path), first)


def test_each_cell_is_stored_before_the_next_is_computed(tmp_path):
    def lines(seed):
        return {"lines": (tmp_path / "toy-quick.csv").read_bytes().count(b"\n")}

    frame = quiet(grid_of(lines, {"seed": [0, 1, 2, 3]}), results=tmp_path)
    assert frame.lines.tolist() == [0, 2, 3, 4]


def test_no_cell_waits_for_another_to_be_stored(tmp_path):
    """Each cell waits until the one before it is stored: handed over together, none ever is."""

    def sees_the_one_before(seed):
        deadline = time.monotonic() + 10
        while seed and time.monotonic() < deadline:
            if f"\n{seed - 1}," in (tmp_path / "toy-quick.csv").read_text(encoding="utf-8"):
                break
            time.sleep(0.002)
        else:
            return {"seen": seed == 0}
        return {"seen": True}

    grid = grid_of(sees_the_one_before, {"seed": list(range(30))})
    frame = quiet(grid, results=tmp_path, n_jobs=2)
    assert frame.seen.all()


def test_only_new_axis_values_are_computed(tmp_path, called):
    def cell(method, lam, seed):
        return {"error": lam * seed}

    quiet(grid_of(cell, AXES | {"seed": [0.0, 7]}), results=tmp_path)
    called.clear()
    # 0 is the stored 0.0; 0.1 + 0.2 and 0.3 are different values.
    grid = grid_of(cell, AXES | {"seed": [0, 5], "lam": [0.3, 0.1 + 0.2]})
    frame = quiet(grid, results=tmp_path)
    assert {point[2] for point in called} == {5}
    assert len(called) == 4
    assert frame.seed.tolist() == [0, 5] * 4
    assert len(load_results("toy", "quick", tmp_path)) == 12 + 4


def test_where_runs_a_slice(called):
    frame = quiet(grid_of(), where={"lam": [0.3], "seed": [1]})
    assert called == [("NMF", 0.3, 1), ("robust, λ", 0.3, 1)]
    assert len(frame) == 2


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"lambda": [1]}, "where maps axes"),
        ({"method": "NMF"}, "lists of values"),
        ({"seed": 0}, "lists of values"),
        ({"seed": [2]}, r"the quick scale has \[0, 1\]"),
        ({"seed": [1, 2]}, "the quick scale has"),
        ({"seed": []}, "the quick scale has"),
    ],
)
def test_where_that_selects_nothing(where, message):
    with pytest.raises(ValueError, match=message):
        quiet(grid_of(), where=where)


@pytest.mark.parametrize(
    ("quick", "paper", "message"),
    [
        ({"a": [1]}, {"b": [1]}, "same axes"),
        ({"a": []}, {"a": [1]}, "each once"),
        ({"a": [1]}, {"a": [1, 2, 1.0]}, "each once"),
        ({"seconds": [1]}, {"seconds": [1]}, "bookkeeping"),
    ],
)
def test_grids_that_make_no_sense(quick, paper, message):
    with pytest.raises(ValueError, match=message):
        Grid("toy", measure, quick=quick, paper=paper)


def test_axis_values_must_be_plain():
    with pytest.raises(TypeError, match="got list"):
        grid_of(axes={"a": [[1, 2]]})
    with pytest.raises(ValueError, match="scale"):
        grid_of().cells("large")


@pytest.mark.parametrize(
    "name", ["../evil", "a/b", "", ".", "a b", "/tmp/x", "-x", None, Path("x")]
)
def test_a_name_is_not_a_path(tmp_path, name):
    with pytest.raises(ValueError, match="A grid's name"):
        Grid(name, measure, quick=AXES, paper=AXES)
    with pytest.raises(ValueError, match="A grid's name"):
        load_results(name, "quick", tmp_path)
    with pytest.raises(ValueError, match="scale must be"):
        load_results("toy", "../paper", tmp_path)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("status", [0, None, "gone"])
def test_a_cell_that_exits_is_an_error_that_names_it(tmp_path, n_jobs, status):
    def leaves(seed):
        return sys.exit(status) if seed == 1 else {"error": seed}

    with pytest.raises(CellError, match=r"(?s)1 of 3 cells.*'seed': 1.*SystemExit"):
        quiet(grid_of(leaves, {"seed": [0, 1, 2]}), results=tmp_path, n_jobs=n_jobs)
    assert sorted(load_results("toy", "quick", tmp_path).seed) == [0, 2]


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
def test_a_killed_worker_names_the_cells_in_progress(tmp_path):
    def dies(seed):
        if seed == 3:
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGKILL)
        if seed > 3:
            time.sleep(60)
        return {"error": seed / 3}

    grid = grid_of(dies, {"seed": list(range(9))})
    with pytest.raises(CellError, match="worker process was killed") as caught:
        quiet(grid, results=tmp_path, n_jobs=2)
    assert "{'seed': 3} and {'seed': 4};" in str(caught.value)
    stored = load_results("toy", "quick", tmp_path)
    assert sorted(stored.seed) == [0, 1, 2]
    mended = quiet(grid_of(lambda seed: {"error": seed / 3}, grid.quick), results=tmp_path)
    assert mended.error.tolist() == [seed / 3 for seed in range(9)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_names_its_cell_and_costs_no_other(tmp_path, called, n_jobs):
    grid = grid_of(fails_at_one, {"seed": [0, 1, 2, 3]})
    with pytest.raises(CellError, match=r"(?s)1 of 4 cells.*'seed': 1.*ZeroDivisionError: seed"):
        quiet(grid, results=tmp_path, n_jobs=n_jobs)
    assert sorted(load_results("toy", "quick", tmp_path).seed) == [0, 2, 3]
    called.clear()
    mended = grid_of(lambda seed: {"error": seed / 3}, {"seed": [0, 1, 2, 3]})
    assert quiet(mended, results=tmp_path).error.tolist() == [0, 1 / 3, 2 / 3, 1]
    assert called == [(1,)]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ({"seed": 1}, "columns that the runner writes: {'seed'}"),
        ({"seconds": 1}, "columns that the runner writes"),
        ([], "no row"),
        ({"x": [1, 2]}, "got list"),
        ({"x": "a\nb"}, "one line"),
        ({"x": "\ud800"}, "UTF-8"),
        ({"x": "x" * 100_001}, "at most 100,000 characters"),
        ({"x\n": 1}, "one line"),
        ({"": 1}, "not empty"),
        ({1: 1}, "is a string"),
    ],
)
def test_results_that_cannot_be_stored(returned, message):
    with pytest.raises(CellError, match=message):
        quiet(grid_of(lambda seed: returned, {"seed": [0]}))


def test_other_columns_than_the_file_has(tmp_path):
    quiet(grid_of(lambda seed: {"a": 1, "b": 2}, {"seed": [0]}), results=tmp_path)
    before = (tmp_path / "toy-quick.csv").read_bytes()
    for other in ({"a": 1}, {"a": 1, "b": 2, "c": 3}):
        with pytest.raises(ValueError, match=r"{'seed': 1}.*move the file away or rename the grid"):
            quiet(grid_of(lambda seed, other=other: other, {"seed": [0, 1]}), results=tmp_path)
    with pytest.raises(ValueError, match="move the file away or rename the grid"):
        quiet(grid_of(lambda step: {"a": 1, "b": 2}, {"step": [0]}), results=tmp_path)
    assert (tmp_path / "toy-quick.csv").read_bytes() == before
    # The same columns in another order are the same columns.
    frame = quiet(grid_of(lambda seed: {"b": 4, "a": 3}, {"seed": [0, 1]}), results=tmp_path)
    assert frame[["a", "b"]].to_numpy().tolist() == [[1, 2], [3, 4]]


def test_a_file_cut_off_anywhere_is_completed(tmp_path, monkeypatch, called):
    monkeypatch.setattr(experiments, "provenance", lambda cell: dict.fromkeys(PROVENANCE, "é"))
    grid = grid_of(two_rows, AXES | {"lam": [0.3]})
    whole = quiet(grid, results=tmp_path).drop(columns="seconds")
    path = tmp_path / "toy-quick.csv"
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    assert len(lines) == 1 + 8
    line_ends = np.cumsum([len(line) for line in lines])
    ends = line_ends[2::2]  # where a whole cell ends
    for cut in sorted({*range(0, len(data), 9), *line_ends - 1, *line_ends, *line_ends[:-1] + 1}):
        path.write_bytes(data[:cut])
        # What is dropped is said, and nothing is said where nothing is dropped.
        whole_cells = cut in (0, line_ends[0], *ends)
        if cut >= ends[0]:
            with warnings.catch_warnings(record=True, action="always") as said:
                assert len(load_results("toy", "quick", tmp_path)) == 2 * np.sum(ends <= cut)
            assert len(said) == (not whole_cells)
        called.clear()
        with warnings.catch_warnings(record=True, action="always") as said:
            frame = quiet(grid, results=tmp_path).drop(columns="seconds")
        assert len(said) == (not whole_cells)
        pd.testing.assert_frame_equal(frame, whole)
        assert len(called) == 4 - np.sum(ends <= cut)
        assert len(path.read_bytes().splitlines()) == 9


def test_two_runs_cannot_write_one_file(tmp_path):
    pytest.importorskip("fcntl", reason="there are no file locks on this system")
    path = tmp_path / "toy-quick.csv"
    with ResultsFile(path, list(AXES)), pytest.raises(RuntimeError, match="Another run is writing"):
        quiet(grid_of(), results=tmp_path)
    assert len(quiet(grid_of(), results=tmp_path)) == 12


def test_fresh_forgets_what_is_stored_but_never_what_another_run_writes(tmp_path, called):
    pytest.importorskip("fcntl", reason="there are no file locks on this system")
    grid, path = grid_of(), tmp_path / "toy-quick.csv"
    quiet(grid, results=tmp_path)
    before = path.read_bytes()
    with ResultsFile(path, grid.axes), pytest.raises(RuntimeError, match="Another run is writing"):
        quiet(grid, results=tmp_path, fresh=True)
    assert path.read_bytes() == before
    called.clear()
    assert len(quiet(grid, results=tmp_path, fresh=True)) == len(called) == 12
    assert len(load_results("toy", "quick", tmp_path)) == 12
    path.write_bytes(b"what no run can have written\n")
    assert len(quiet(grid, results=tmp_path, fresh=True)) == 12
    with pytest.raises(ValueError, match="omit where"):
        quiet(grid, results=tmp_path, fresh=True, where={"seed": [0]})
    assert len(load_results("toy", "quick", tmp_path)) == 12


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be deleted")
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_file_deleted_under_a_run_is_noticed(tmp_path, how):
    path = tmp_path / "toy-quick.csv"

    def meddles(seed):
        if seed == 1:
            path.unlink()
            if how == "replaced":
                path.write_bytes(b"")
        return {"error": seed}

    with pytest.raises(RuntimeError, match="deleted or replaced"):
        quiet(grid_of(meddles, {"seed": [0, 1, 2]}), results=tmp_path)


def test_no_stored_results(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"run\(grid, 'paper'"):
        load_results("toy", "paper", tmp_path)


def test_the_bar_counts_stored_cells_as_done(tmp_path, capsys):
    quiet(grid_of(), results=tmp_path, where={"seed": [0]})
    assert capsys.readouterr().err == ""
    run(grid_of(), results=tmp_path, n_jobs=1)
    err = capsys.readouterr().err
    assert "toy (quick)" in err
    assert "6/12" in err
    assert "12/12" in err


SLOW_GRID = """
import time
from rnmf_tutorial.evaluation import Grid, run

def slow(seed):
    time.sleep(0.05)
    return [{"split": split, "root": (seed + split) ** 0.5} for split in (0, 1)]

axes = {"seed": list(range(40))}
grid = Grid("slow", slow, quick=axes, paper=axes)

def main(folder, n_jobs):
    return run(grid, results=folder, n_jobs=int(n_jobs), progress=False)
"""


@pytest.fixture
def slow_run(tmp_path):
    """Start the slow grid in a session of its own, and hand it over with some rows stored."""
    (tmp_path / "slow_grid.py").write_text(SLOW_GRID)
    started = []
    paths = [str(tmp_path), str(Path(experiments.__file__).parents[2])]

    def start(n_jobs):
        command = f"import slow_grid; slow_grid.main({str(tmp_path)!r}, {n_jobs})"
        process = subprocess.Popen(
            [sys.executable, "-c", command],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            stderr=subprocess.PIPE,
            start_new_session=True,
            # A shell starts background jobs, and so perhaps this test, with the signal ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            text=True,
        )
        started.append(process)
        results = tmp_path / "slow-quick.csv"
        deadline = time.monotonic() + 120
        while not results.exists() or results.read_bytes().count(b"\n") < 12:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline, "no rows within two minutes"
            time.sleep(0.01)
        return process

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
@pytest.mark.parametrize(
    ("how", "n_jobs"), [("kill", 1), ("kill", 2), ("interrupt", 1), ("interrupt all", 2)]
)
@pytest.mark.slow
def test_an_interrupted_run_goes_on_where_it_was(
    tmp_path, slow_run, monkeypatch, called, how, n_jobs
):
    process = slow_run(n_jobs)
    if how == "kill":
        os.kill(process.pid, signal.SIGKILL)
    elif how == "interrupt":
        os.kill(process.pid, signal.SIGINT)
    else:  # what Ctrl-C in a terminal does: the workers get the signal too
        os.killpg(process.pid, signal.SIGINT)
    # Workers may hold the pipe open for a moment, so wait for the process alone.
    process.wait(timeout=120)
    assert process.returncode == -(signal.SIGKILL if how == "kill" else signal.SIGINT)

    stored = load_results("slow", "quick", tmp_path)
    kept = set(stored.seed)
    assert 10 <= len(stored) < 80
    assert (stored.groupby("seed").size() == 2).all()

    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("slow_grid", None)
    import slow_grid

    frame = slow_grid.main(tmp_path, n_jobs=1)
    assert frame.seed.tolist() == [seed for seed in range(40) for _ in (0, 1)]
    assert frame.root.tolist() == [(seed + split) ** 0.5 for seed in range(40) for split in (0, 1)]
    assert called == [(seed,) for seed in range(40) if seed not in kept]
    everything = load_results("slow", "quick", tmp_path)
    assert not everything.duplicated(["seed", "split"]).any()
    same_rows(stored, everything, on=["seed", "split"], columns=["root", "seconds"], rtol=0)


def test_same_rows_accepts_a_slice_in_any_order():
    stored = quiet(grid_of())
    live = quiet(grid_of(), where={"seed": [1]})[::-1]
    same_rows(live, stored, on=list(AXES), columns=["error", "rank", "label"])
    missing = stored.assign(error=np.nan)
    same_rows(missing, missing, on=list(AXES), columns=["error"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.assign(error=f.error * (1 + 2e-10)), "error at .*'seed': 0.* live but"),
        (lambda f: f.assign(error=np.nan), "nan live"),
        (lambda f: f.assign(label="other"), "label at"),
        (lambda f: f.assign(seed=f.seed + 9), "No stored row has .*'seed': 9"),
        (lambda f: f.assign(lam=f.lam + 1e-16), "No stored row"),
        (lambda f: f[:0], "nothing to compare"),
        (lambda f: pd.concat([f, f]), "Two rows have"),
    ],
)
def test_same_rows_catches_what_differs(change, message):
    stored = quiet(grid_of(), where={"lam": [0.3]})
    with pytest.raises(AssertionError, match=message):
        same_rows(change(stored), stored, on=list(AXES), columns=["error", "label"])


def test_same_rows_tells_a_number_from_its_text():
    live, stored = pd.DataFrame({"seed": [0], "n": [1]}), pd.DataFrame({"seed": [0], "n": ["1"]})
    for one, other in [(live, stored), (stored, live)]:
        with pytest.raises(AssertionError, match=r"n at .* is 1 live but 1 stored"):
            same_rows(one, other, on=["seed"], columns=["n"])
    same_rows(stored, stored, on=["seed"], columns=["n"])


def test_same_rows_shows_the_first_difference_and_obeys_rtol():
    stored = pd.DataFrame({"seed": [0, 1, 2], "error": [0.5, 0.25, 0.125]})
    live = stored.assign(error=[0.5, 0.2500001, 99.0])
    with pytest.raises(AssertionError, match=r"\{'seed': 1\} is 0.2500001 live but 0.25 stored"):
        same_rows(live, stored, on=["seed"], columns=["error"])
    same_rows(live[:2], stored, on=["seed"], columns=["error"], rtol=1e-6)
    with pytest.raises(AssertionError, match="nothing to compare"):
        same_rows(live, stored, on=["seed"], columns=[])


def test_axis_text_tells_apart_what_differs():
    assert axis_text(1) == axis_text(1.0) == axis_text(np.float32(1)) == axis_text(np.int8(1))
    texts = [axis_text(v) for v in (1, True, None, 0.1, 0.1 + 1e-17, np.nextafter(0.1, 1), 1e300)]
    assert len(set(texts)) == 6
    assert [float(axis_text(v)) for v in (1e300, 2.0**60, np.inf)] == [1e300, 2.0**60, np.inf]


def test_the_bar_knows_how_many_cells_there_are_and_shows_when_asked(monkeypatch, tmp_path):
    shown = []

    class Bar(contextlib.nullcontext):
        def __init__(self, **options):
            super().__init__(self)
            shown.append(options)

        def update(self):
            shown.append("cell")

    monkeypatch.setattr(experiments, "tqdm", Bar)
    axes = {"seed": [0, 1, 2]}
    for progress in (True, False):
        shown.clear()
        grid = Grid("sums", product_of_matrices, quick=axes, paper=axes)
        run(grid, results=tmp_path / str(progress), n_jobs=1, progress=progress)
        (options, *cells) = shown
        assert cells == 3 * ["cell"]
        assert (options["total"], options["initial"]) == (3, 0)
        assert options["disable"] is (not progress) and options["unit"] == "cell"


def test_the_cells_of_a_killed_worker_are_told_in_order(monkeypatch):
    def killed(**options):
        def parallel(jobs):
            for _, (_, _, values, folder), _ in jobs:
                Path(folder, str(values["seed"])).write_text(f"λ{values}", encoding="utf-8")
            yield from ()
            raise experiments.TerminatedWorkerError

        return parallel

    monkeypatch.setattr(experiments, "Parallel", killed)
    for seeds, told in (
        ([2], r"was the cell λ\{'seed': 2\}; run again"),
        ([1, 0], r"were the cells λ\{'seed': 0\} and λ\{'seed': 1\}; run again"),
    ):
        with pytest.raises(CellError, match=told):
            list(experiments._computed(None, {s: {"seed": s} for s in seeds}, 1))


def test_a_worker_without_the_folder_computes_all_the_same(tmp_path):
    done = experiments._finish(measure_seed, "key", {"seed": 1}, tmp_path / "elsewhere")
    key, (row,), error = done
    assert (key, error, row["value"]) == ("key", None, "2")


def measure_seed(seed):
    return {"value": 2 * seed}


def test_commit_is_that_of_the_folder(tmp_path):
    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    package, other = tmp_path / "package", tmp_path / "other"
    package.mkdir()
    other.mkdir()
    assert commit(package) == "unknown"
    git("init")
    assert commit(package) == "unknown"
    (package / "code.py").write_text("1")
    (other / "notes.md").write_text("1")
    git("add", ".")
    git("commit", "-m", "one")
    sha = commit(package)
    assert len(sha) == 40
    (other / "notes.md").write_text("2")
    git("commit", "-a", "-m", "two")
    assert commit(package) == sha
    later = commit(package, other)
    assert later not in (sha, "unknown")
    assert commit(package, other / "notes.md") == later
    (other / "notes.md").write_text("3")
    git("commit", "-a", "-m", "three")
    assert commit(package, other) not in (sha, later, "unknown")
    assert len(later := commit(package, other)) == 40  # one of the folder's three
    (package / "code.py").write_text("2")
    assert commit(package) == sha + "-dirty"
    assert commit(other, package) == later + "-dirty"
    assert commit(other) == later
    # Code that is in no commit, or in another repository, has no commit to name.
    (tmp_path / "new.py").write_text("1")
    assert commit(other, tmp_path / "new.py") == "unknown"
    assert commit(other, tmp_path.parent) == "unknown"


def test_the_code_of_a_cell_is_its_package_or_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("lone_cell.py", "cell_package/__init__.py", "cell_package/deep/cells.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("def cell(seed):\n    return {}\n")
    lone = importlib.import_module("lone_cell")
    deep = importlib.import_module("cell_package.deep.cells")
    assert code_of(lone.cell) == [tmp_path / "lone_cell.py"]
    assert code_of(deep.cell) == [tmp_path / "cell_package"]
    typed = {"__name__": "typed_in"}
    exec("def cell(seed): return {}", typed)
    assert code_of(typed["cell"]) == []


def test_seconds_are_those_of_the_cell_in_thousandths(tmp_path):
    def slow(seed):
        time.sleep(0.02)
        return {"a": 1}

    (seconds,) = quiet(Grid("slow", slow, {"seed": [0]}, {"seed": [0]})).seconds
    assert 0.02 <= seconds < 20 and seconds == round(seconds, 3)


def test_seconds_are_the_difference_of_two_looks_at_the_clock(monkeypatch):
    clock = SimpleNamespace(perf_counter=iter([10.0, 10.12345]).__next__)
    monkeypatch.setattr(experiments, "time", clock)
    (row,) = experiments._rows(measure_seed, {"seed": 1})
    assert row["seconds"] == "0.123"


def test_what_is_quick_by_default_and_what_is_not(capsys):
    grid = Grid("toy", measure_seed, quick={"seed": [0, 1]}, paper={"seed": [2, 3, 4]})
    assert grid.cells() == grid.cells("quick") == [{"seed": 0}, {"seed": 1}]
    assert quiet(grid).seed.tolist() == [0, 1]
    assert quiet(grid, scale="paper").seed.tolist() == [2, 3, 4]
    assert capsys.readouterr().err == ""
    run(grid, "paper", n_jobs=1)  # nothing is stored, and the bar is shown all the same
    assert "toy (paper)" in capsys.readouterr().err


def test_a_system_that_does_not_count_its_processors_has_one(monkeypatch):
    monkeypatch.delenv("RNMF_TUTORIAL_JOBS", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert experiments._n_jobs(None) == 1


@pytest.fixture
def ascii_system(monkeypatch):
    """Text files are ASCII where no encoding is asked for, as on some systems."""
    monkeypatch.setattr(io, "text_encoding", lambda encoding, stacklevel=2: encoding or "ascii")


def test_the_name_of_a_cell_is_noted_in_utf_8(ascii_system, tmp_path):
    def reads_its_note(method):
        (note,) = tmp_path.iterdir()
        return {"note": note.read_bytes().decode()}

    values = {"method": "robust, λ"}
    key, (row,), error = experiments._finish(reads_its_note, "key", values, tmp_path)
    assert (key, error, row["note"]) == ("key", None, str(values))
    assert list(tmp_path.iterdir()) == []


def test_the_name_of_a_cell_is_read_in_utf_8(ascii_system, monkeypatch):
    def killed(**options):
        def parallel(jobs):
            for _, (_, _, values, folder), _ in jobs:
                Path(folder, "note").write_bytes(str(values).encode())
            yield from ()
            raise experiments.TerminatedWorkerError

        return parallel

    monkeypatch.setattr(experiments, "Parallel", killed)
    with pytest.raises(CellError, match=r"was the cell \{'method': 'λ'\}; run again"):
        list(experiments._computed(None, {0: {"method": "λ"}}, 1))


def test_the_commit_is_asked_of_this_package_and_of_that_of_the_cell(monkeypatch):
    module = importlib.import_module("rnmf_tutorial.evaluation.provenance")
    monkeypatch.setattr(module, "commit", lambda *paths: paths)
    package = Path(importlib.import_module("rnmf_tutorial").__file__).parent
    here = Path(__file__).parent
    assert module.provenance(measure_seed)["commit"] == (package, here)


def test_a_path_with_a_dash_and_a_damaged_repository(tmp_path):
    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / "-x").write_text("1")
    git("add", ".")
    git("commit", "-m", "one")
    assert len(sha := commit(tmp_path, "-x")) == 40
    assert commit(tmp_path) == sha
    (tmp_path / ".git" / "index").write_bytes(b"damaged")
    assert commit(tmp_path) == "unknown"  # rather than a commit that may not be what ran


def test_cells_are_handed_over_one_by_one(monkeypatch):
    given = []

    def parallel(**options):
        given.append(options)
        return lambda jobs: (job for job in [])

    monkeypatch.setattr(experiments, "Parallel", parallel)
    assert list(experiments._computed(None, {0: {"seed": 0}}, 1)) == []
    assert [options["batch_size"] for options in given] == [1]
