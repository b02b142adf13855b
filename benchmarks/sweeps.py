"""One sweep of every model and of its peers, round after round: bench-sweeps."""

from benchmarks.clock import milliseconds_per_run, milliseconds_per_sweep
from benchmarks.peers import PEERS
from benchmarks.problem import MODELS, problem, start_point
from studies import grid


def sweeps_cell(data, round, precision):
    """Time a sweep of everything once; one row for each name."""
    A, y, r = problem(data, precision)
    W, H = start_point(A, r, seed=0)
    rows = [
        {
            "name": name,
            "milliseconds": milliseconds_per_sweep(make(r, init=(W, H)), A, y),
        }
        for name, make in MODELS.items()
    ]
    for name, peer in PEERS.items():
        took = milliseconds_per_run(lambda sweeps, peer=peer: peer(A, W, H, sweeps))
        rows.append({"name": name, "milliseconds": took})
    return rows


TYPES = ["float64", "float32"]
LIVE = {"data": ["toy"], "precision": TYPES}
SWEEPS = grid(
    "bench-sweeps", sweeps_cell, LIVE, data=["orl"], round=range(5), precision=TYPES
)
