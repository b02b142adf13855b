"""Objective against time, for the solvers of one problem from one start: bench-solvers."""

import time

import numpy as np

from benchmarks.peers import EUCLIDEAN, timed
from benchmarks.problem import problem, start_point
from rnmf_tutorial import L1NMF, NeNMF
from rnmf_tutorial.data import add_salt_and_pepper
from rnmf_tutorial.published import guan
from studies import grid
from studies.guan.limits import NesterovHuber

CUTOFF = 0.1
CHECKPOINTS = (1, 2, 5, 10, 20, 40, 80, 160)  # sweeps after which a peer is stopped


def absolute(X, W, H):
    return float(np.abs(X - W @ H).sum())


#: Problem -> its objective, and its solvers with the sweeps they get.
PROBLEMS = {
    "Euclid": (guan.NMF().objective, {"NMF": (guan.NMF, 400), "NeNMF": (NeNMF, 150)}),
    "Huber": (
        guan.HuberNMF(scale=CUTOFF).objective,
        {
            "HuberNMF": (lambda r, **o: guan.HuberNMF(r, scale=CUTOFF, **o), 150),
            "HuberNMF, Nesterov": (
                lambda r, **o: NesterovHuber(r, scale=CUTOFF, **o),
                25,
            ),
            "RobustNMF": (lambda r, **o: guan.RobustNMF(r, lam=2 * CUTOFF, **o), 300),
        },
    ),
    "absolute": (
        absolute,
        {
            "L1NMF": (L1NMF, 60),
            "reweighting": (lambda r, **o: guan.HuberNMF(r, scale=1e-3, **o), 300),
        },
    ),
}


def ours(make, sweeps, objective, A, W, H):
    """Return a list of (sweep, seconds, objective).

    The clock stands still while the objective is computed.
    """
    points = []
    took = 0.0
    every = max(1, sweeps // 50)
    model = make(len(H), init=(W, H), max_iter=sweeps, tol=0)
    last = time.process_time()
    for sweep in model.sweeps(A):
        took += time.process_time() - last
        if sweep.number % every == 0 or sweep.number == sweeps:
            points.append((sweep.number, took, objective(A.T, sweep.W, sweep.H)))
        last = time.process_time()
    return points


def peers(run, checkpoints, objective, A, W, H):
    """Return the same for a solver that can only be stopped: one run for each checkpoint."""
    points = [(0, 0.0, objective(A.T, W, H))]
    for sweeps in checkpoints:
        found, took = timed(run, A, W, H, sweeps)
        points.append((sweeps, took, objective(A.T, *found)))
    return points


def solvers_cell(data, problem_name, seed, budget):
    """Run every solver of a problem from one start; one row for each point of its curve."""
    A, _, r = problem(data)
    if problem_name != "Euclid":
        A, _ = add_salt_and_pepper(A, 0.2, random_state=seed)
    W, H = start_point(A, r, seed)
    objective, solvers = PROBLEMS[problem_name]
    curves = {
        name: ours(make, max(2, int(budget * sweeps)), objective, A, W, H)
        for name, (make, sweeps) in solvers.items()
    }
    if problem_name == "Euclid":
        checkpoints = [k for k in CHECKPOINTS if k <= 160 * budget]
        curves |= {
            name: peers(
                run, checkpoints[: -1 if "nimfa" in name else None], objective, A, W, H
            )
            for name, run in EUCLIDEAN.items()
        }
    return [
        {"solver": name, "sweep": k, "took": took, "objective": value}
        for name, points in curves.items()
        for k, took, value in points
    ]


NAMES = list(PROBLEMS)
LIVE = {"data": ["toy"], "problem_name": NAMES, "budget": [0.15]}
STARTS = {"seed": range(4), "budget": [1]}
SOLVERS = grid(
    "bench-solvers", solvers_cell, LIVE, data=["orl"], problem_name=NAMES, **STARTS
)
