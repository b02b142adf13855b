"""The first sweeps of a new process, which gets its memory from the system: bench-fresh.

A sweep that allocates arrays of the size of X again and again may pay for every page of them. A
process that has run for a while keeps such memory; in bench-sweeps, all names run in one.
"""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.clock import milliseconds_per_run, milliseconds_per_sweep
from benchmarks.peers import PEERS
from benchmarks.problem import MODELS, problem, start_point
from studies import Grid

ROOT = Path(__file__).resolve().parent.parent

NAMES = ["NMF", "scikit-learn mu", "NMF, divergence", "scikit-learn mu, divergence"]


def fresh_cell(data, name, round):
    """Time a sweep in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.fresh", data, name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


FRESH = Grid(
    "bench-fresh",
    fresh_cell,
    quick={"data": ["toy"], "name": NAMES[:1], "round": [0]},
    paper={"data": ["orl"], "name": NAMES, "round": [0, 1]},
)


def main(data, name):
    A, y, r = problem(data)
    W, H = start_point(A, r, seed=0)
    if name in MODELS:
        took = milliseconds_per_sweep(MODELS[name](r, init=(W, H)), A, y)
    else:
        took = milliseconds_per_run(lambda sweeps: PEERS[name](A, W, H, sweeps))
    print(json.dumps({"milliseconds": took}))


if __name__ == "__main__":
    main(*sys.argv[1:])
