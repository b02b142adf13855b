"""A grid killed at random moments, beside a second run, on a disk that fills: nothing is lost.

It takes minutes: set RNMF_TUTORIAL_KILLS=20 for twenty kills with two workers.
"""

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rnmf_tutorial.evaluation import experiments, load_results

KILLS = int(os.environ.get("RNMF_TUTORIAL_KILLS", 0))
pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals"),
    pytest.mark.skipif(not KILLS, reason="takes minutes: set RNMF_TUTORIAL_KILLS=20 to run it"),
]

GRID = """
import os, sys, time
from rnmf_tutorial.evaluation import Grid, run

def cell(seed):
    time.sleep(0.01 * (seed % 3))
    while wait and seed and not os.path.exists("go"):
        time.sleep(0.01)
    return [{"split": split, "root": (seed + split) ** 0.5} for split in range(1 + seed % 4)]

wait = "wait" in sys.argv
axes = {"seed": list(range(int(sys.argv[1])))}
grid = Grid("killed", cell, quick=axes, paper=axes)
if __name__ == "__main__":
    run(grid, results=".", n_jobs=2, progress=False, fresh="fresh" in sys.argv)
"""


@pytest.fixture
def start(tmp_path):
    (tmp_path / "grid.py").write_text(GRID)
    started = []
    environment = os.environ | {"PYTHONPATH": str(Path(experiments.__file__).parents[2])}

    def start(n_cells, *arguments, **options):
        process = subprocess.Popen(
            [sys.executable, "grid.py", str(n_cells), *arguments],
            cwd=tmp_path,
            env=environment,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
            **options,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        stop(process)


def stop(process):
    """Kill a run with its workers, and wait until they are gone."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()


def workers(process):
    """The processes that a run has started, and theirs."""
    listed = subprocess.run(["ps", "-ewwo", "pid,pgid,args"], capture_output=True, text=True).stdout
    found = re.findall(rf"^ *(\d+) +{process.pid} .*loky.*popen_loky", listed, flags=re.MULTILINE)
    return [int(pid) for pid in found]


def check_rows(folder, n_cells):
    """Every row is there once, with its value."""
    rows = load_results("killed", "quick", folder).sort_values(["seed", "split"])
    expected = [(seed, split) for seed in range(n_cells) for split in range(1 + seed % 4)]
    assert list(zip(rows.seed, rows.split, strict=True)) == expected
    assert rows.root.tolist() == [(seed + split) ** 0.5 for seed, split in expected]


def cells(data):
    """The lines of whole cells; a kill may have cut the last one short."""
    lines, whole = data.split(b"\n")[1:-1], []
    while lines:
        size = int(lines[0].split(b",")[3])
        if len(lines) < size:
            break
        whole.append(b"\n".join(lines[:size]))
        del lines[:size]
    return whole


@pytest.mark.filterwarnings("ignore:The last cell")
def test_killed_at_random_moments(tmp_path, start):
    file, rng = tmp_path / "killed-quick.csv", random.Random(0)
    kept, whom = [], {"run": 0, "worker": 0, "all": 0}
    for _ in range(KILLS):
        process = start(3000)
        size = file.stat().st_size if file.exists() else 0
        while not file.exists() or file.stat().st_size <= size:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 1))
        assert process.poll() is None, process.stderr.read()
        victim = rng.choice(list(whom))
        whom[victim] += 1
        if victim == "all":
            os.killpg(process.pid, signal.SIGKILL)
        elif victim == "run":
            os.kill(process.pid, signal.SIGKILL)
        else:
            os.kill(rng.choice(workers(process)), signal.SIGKILL)
            assert "CellError: A worker process was killed" in process.communicate(timeout=60)[1]
            assert process.returncode == 1
        stop(process)
        found = cells(file.read_bytes())
        assert found[: len(kept)] == kept  # to the byte, and in the same place
        kept = found
    print(f"{KILLS} kills ({whom}) left {len(kept)} of 3000 cells")
    assert len(kept) < 3000
    assert start(3000).wait() == 0
    everything = cells(file.read_bytes())
    assert everything[: len(kept)] == kept
    check_rows(tmp_path, 3000)


@pytest.mark.filterwarnings("ignore:The last cell")
def test_a_disk_that_fills_again_and_again(tmp_path, start):
    """Two workers; each time there is room for some more bytes, at a random place of a line."""
    resource = pytest.importorskip("resource", reason="there are no limits of this kind")
    file, rng = tmp_path / "killed-quick.csv", random.Random(1)
    kept, limit = [], 0
    for _ in range(KILLS):
        limit = (file.stat().st_size if file.exists() else 0) + rng.randrange(1, 3000)

        def full(limit=limit):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        process = start(600, preexec_fn=full)
        assert "File too large" in process.communicate(timeout=120)[1]
        assert process.returncode == 1
        stop(process)
        found = cells(file.read_bytes())
        assert found[: len(kept)] == kept
        kept = found
    assert start(600).wait() == 0
    check_rows(tmp_path, 600)


def test_beside_a_second_run(tmp_path, start):
    """The first holds the file until all cells may end; others are refused, and change nothing."""
    file = tmp_path / "killed-quick.csv"
    first = start(40, "wait")
    while not file.exists() or not file.stat().st_size:
        assert first.poll() is None, first.stderr.read()
        time.sleep(0.01)
    before = file.read_bytes()
    for arguments in ([], ["fresh"]) * 2:
        second = start(40, *arguments)
        assert "Another run is writing" in second.communicate()[1]
        assert second.returncode == 1
        assert first.poll() is None and file.read_bytes() == before
    (tmp_path / "go").touch()
    assert first.wait() == 0
    check_rows(tmp_path, 40)
