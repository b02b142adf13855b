"""Memory: arrays that a fit allocates: bench-memory."""

import tracemalloc

import numpy as np

from benchmarks.problem import MODELS
from studies import grid


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


LIVE = {"name": list(MODELS)[:3], "m": [60], "n": [50], "r": [2]}
MEMORY = grid(
    "bench-memory", memory_cell, LIVE, name=list(MODELS), m=[3000], n=[1000], r=[10]
)
