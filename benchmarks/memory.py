"""Memory: arrays that a fit allocates, and fits to a file larger than them: bench-memory."""

import json
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np

from benchmarks.problem import MODELS
from rnmf_tutorial.evaluation import Grid

ROOT = Path(__file__).resolve().parent.parent


def memory_cell(name, m, n, r):
    """Fit two sweeps; return the peak of what was allocated, in arrays of the size of X."""
    rng = np.random.default_rng(0)
    A, y = rng.random((n, m)), np.arange(n) % 10
    model = MODELS[name](r, max_iter=2, tol=0, random_state=0)
    tracemalloc.start()
    try:
        model.fit(A, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return {"arrays": peak / A.nbytes}


MEMORY = Grid(
    "bench-memory",
    memory_cell,
    quick={"name": list(MODELS)[:3], "m": [60], "n": [50], "r": [2]},
    paper={"name": list(MODELS), "m": [3000], "n": [1000], "r": [10]},
)

WAYS = [
    "NMF, in memory",
    "NMF, memmap",
    "NMF, chunks",
    "HuberNMF, in memory",
    "HuberNMF, chunks",
    "HuberNMF cd, in memory",
    "HuberNMF cd, chunks",
]


def file_cell(way, n, m, r, sweeps):
    """Fit a file of n × m numbers in a process of its own: see `file_fits`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npy"
        A = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(n, m))
        rng = np.random.default_rng(0)
        for first in range(0, n, 500):
            A[first : first + 500] = rng.random(A[first : first + 500].shape)
        del A
        command = [sys.executable, "-m", "benchmarks.file_fits", way, path, str(r), str(sweeps)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return json.loads(done.stdout) | {"file_mb": path.stat().st_size / 1e6}


FILES = Grid(
    "bench-files",
    file_cell,
    quick={"way": WAYS[2:3], "n": [40], "m": [30], "r": [2], "sweeps": [1]},
    paper={"way": WAYS, "n": [8000], "m": [4096], "r": [10], "sweeps": [5]},
)
