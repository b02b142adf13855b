"""How the time of a sweep grows with samples, features and rank: bench-growth."""

import numpy as np

from benchmarks.clock import milliseconds_per_sweep
from benchmarks.problem import MODELS, start_point
from studies import grid

BASE = {"samples": 800, "features": 800, "rank": 20}
GROWN = [
    *("NMF", "NeNMF", "NMF, divergence", "RobustNMF", "L1RobustNMF", "L21NMF"),
    *("HuberNMF", "CauchyNMF", "L1NMF", "TruncatedCauchyNMF"),
]


def growth_cell(what, factor, base, round):
    """Time a sweep of every model at `base` times the usual size, one side times `factor`."""
    size = {name: max(4, int(base * value)) for name, value in BASE.items()}
    size[what] = int(size[what] * factor)
    rng = np.random.default_rng(0)
    A = rng.random((size["samples"], size["features"]))
    W, H = start_point(A, size["rank"], seed=0)
    return [
        {
            "name": name,
            "size": size[what],
            "milliseconds": milliseconds_per_sweep(model, A, None),
        }
        for name, model in ((n, MODELS[n](size["rank"], init=(W, H))) for n in GROWN)
    ]


LIVE = {"factor": [0.5, 1], "base": [0.02], "what": list(BASE)}
SIZES = {"factor": [0.25, 0.5, 1, 2], "base": [1], "round": [0, 1]}
GROWTH = grid("bench-growth", growth_cell, LIVE, what=list(BASE), **SIZES)
