"""Memory: arrays that a fit allocates, and sweeps over a file larger than them: bench-memory."""

import json
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np

from benchmarks.problem import MODELS
from rnmf_tutorial.evaluation import Grid


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

# ru_maxrss is in kilobytes on Linux. What a process needs before it reads the file is taken off.
_CHILD = """
import json, resource, sys, time
import numpy as np
from rnmf_tutorial import HuberNMF, NMF
from rnmf_tutorial.models.blocks import file_blocks, sweep_in_blocks
way, path, r, sweeps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
n, m = np.load(path, mmap_mode="r").shape
rng = np.random.default_rng(0)
W, H = rng.random((m, r)), rng.random((r, n))
model = HuberNMF(r, scale=0.1) if "HuberNMF" in way else NMF(r)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
before, begin = peak(), time.perf_counter()
if "blocks" in way:
    for _ in range(sweeps):
        W, H = sweep_in_blocks(model, file_blocks(path, 200), W, H)
else:
    A = np.load(path, mmap_mode="r" if "memmap" in way else None)
    model.set_params(init=(W, H), max_iter=sweeps, tol=0)
    H = model.fit_transform(A).T
    W = model.components_.T
took = time.perf_counter() - begin
E = sum(np.linalg.norm(X - W @ H[:, j]) ** 2 for j, X in file_blocks(path, 200))
print(json.dumps({"peak_mb": peak() - before if peak() > before else 0.0, "took": took / sweeps,
                  "error": E}))
"""

WAYS = ["NMF, in memory", "NMF, memmap", "NMF, blocks", "HuberNMF, in memory", "HuberNMF, blocks"]


def file_cell(way, n, m, r, sweeps):
    """Sweep over a file of n × m numbers in a process of its own; return its peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npy"
        A = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(n, m))
        rng = np.random.default_rng(0)
        for first in range(0, n, 500):
            A[first : first + 500] = rng.random(A[first : first + 500].shape)
        del A
        command = [sys.executable, "-c", _CHILD, way, str(path), str(r), str(sweeps)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return json.loads(done.stdout) | {"file_mb": path.stat().st_size / 1e6}


FILES = Grid(
    "bench-files",
    file_cell,
    quick={"way": WAYS[:1] + WAYS[2:3], "n": [40], "m": [30], "r": [2], "sweeps": [1]},
    paper={"way": WAYS, "n": [8000], "m": [4096], "r": [10], "sweeps": [2]},
)
