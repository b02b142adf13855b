"""Time to an objective: coordinate descent next to the published updates and to peers.

A sweep is no unit of progress, so what counts is how long a solver takes to an
objective that another one has reached from the same start, in the same process, one
right after the other: bench-objectives. A fit's time runs from the call on, and
recording the objective is part of it.
"""

import time
from functools import partial

import numpy as np

from benchmarks.peers import EUCLIDEAN, timed
from benchmarks.problem import ESTIMATORS, of_its_own, problem, start_point
from benchmarks.problem import MODELS as ALL
from rnmf_tutorial import NMF, NeNMF
from rnmf_tutorial.data import add_salt_and_pepper
from studies import grid

#: The sizes, by the name of the parameter; a model takes those that it has.
SIZES = {"scale": 0.1, "theta": 6.5, "outliers": 0.4}
#: Sweeps of the published update whose objective is the goal, where it is not 400.
SWEEPS = {"RobustNMF": 1000, "TruncatedCauchyNMF": 40}
#: Every estimator with two solvers but plain NMF -> its model, and these sweeps.
MODELS = {
    name: (
        partial(ALL[name], **of_its_own(estimator, SIZES)),
        SWEEPS.get(name, 400),
    )
    for name, estimator in ESTIMATORS.items()
    if "solver" in estimator().get_params() and estimator is not NMF
}
REFERENCE = "scikit-learn cd"
GOALS = (20, 40, 80, 160)  # its sweeps
# The sweeps after which a peer that cannot tell its objectives is stopped, one run for
# each.
PEERS = {
    "scikit-learn mu": (40, 80, 160, 320),
    "nimfa nmf": (20, 40, 80),
    "nimfa lsnmf": (2, 5, 10, 20),
}
OURS = {
    "NMF": (partial(NMF, solver="mu"), 600),
    "NeNMF": (NeNMF, 100),
    "NMF, cd": (partial(NMF, solver="cd"), 200),
}


def curve(model, A, W, H, sweeps, goal=-np.inf):
    """Return seconds and objectives after each sweep, up to a goal, and the factors at the end."""
    model.set_params(init=(W, H), max_iter=sweeps, tol=0)
    took = []
    objectives = []
    begin = time.process_time()
    for sweep in model.sweeps(A):
        took.append(time.process_time() - begin)
        objectives.append(sweep.objective)
        if sweep.objective <= goal:
            break
    return np.array(took), np.array(objectives), (sweep.W, sweep.H)


def first(took, objectives, goal):
    """Return the sweep and the seconds at which a goal is reached, or -1 and infinity."""
    reached = np.flatnonzero(objectives <= goal)
    if not len(reached):
        return -1, float("inf")
    return int(reached[0]), float(took[reached[0]])


def to_the_published(name, A, W, H, budget):
    """Run the published update, then coordinate descent to where it has come."""
    make, sweeps = MODELS[name]
    r = len(H)
    sweeps = max(2, int(budget * sweeps))
    took, _, end = curve(make(r), A, W, H, sweeps)
    # The objective of those factors as the other solver records it: with errors at
    # their best.
    goal = next(make(r, solver="cd", init=end).sweeps(A)).objective
    ours = first(*curve(make(r, solver="cd"), A, W, H, 2 * sweeps, goal)[:2], goal)
    return [row("cd", *ours, make(r).solver, sweeps, took[-1], goal)]


def to_the_compiled(A, W, H, budget):
    """Stop scikit-learn's coordinate descent now and then; see when others have come as far."""
    goals = {}
    for sweeps in (max(2, int(budget * k)) for k in GOALS):
        found, took = timed(EUCLIDEAN[REFERENCE], A, W, H, sweeps)
        goals[sweeps] = took, NMF().objective(A.T, *found)
    curves = {
        name: curve(make(len(H)), A, W, H, max(2, int(budget * sweeps)))[:2]
        for name, (make, sweeps) in OURS.items()
    }
    for name in filter(EUCLIDEAN.get, PEERS):
        runs = [
            timed(EUCLIDEAN[name], A, W, H, max(2, int(budget * k)))
            for k in PEERS[name]
        ]
        curves[name] = np.array(
            [(took, NMF().objective(A.T, *found)) for found, took in runs]
        ).T
    return [
        row(name, *first(*curves[name], goal), REFERENCE, sweeps, reference, goal)
        for name in curves
        for sweeps, (reference, goal) in goals.items()
    ]


def row(solver, sweep, took, reference, reference_sweeps, reference_took, goal):
    return {
        "solver": solver,
        "sweep": sweep,
        "took": took,
        "reference": reference,
        "reference_sweeps": reference_sweeps,
        "reference_took": float(reference_took),
        "goal": float(goal),
    }


def objectives_cell(data, problem_name, seed, budget):
    """Measure one problem from one start; one row for each solver and goal."""
    A, _, r = problem(data)
    A, _ = add_salt_and_pepper(A, 0.1, random_state=seed)
    W, H = start_point(A, r, seed)
    if problem_name == "NMF":
        return to_the_compiled(A, W, H, budget)
    return to_the_published(problem_name, A, W, H, budget)


NAMES = ["NMF", *MODELS]
LIVE = {"data": ["toy"], "problem_name": NAMES, "budget": [0.05]}
STARTS = {"seed": range(5), "budget": [1]}
OBJECTIVES = grid(
    "bench-objectives",
    objectives_cell,
    LIVE,
    data=["orl"],
    problem_name=NAMES,
    **STARTS,
)
