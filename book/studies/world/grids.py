"""The error of every method on every task."""

import time
from importlib.metadata import version

import numpy as np

from studies import grid

from .methods import answer, error, filled, methods_of
from .tasks import task_of


def _row(method, task):
    start = time.process_time()
    Y = answer(method, task)
    spent = round(time.process_time() - start, 3)
    return {"method": method, "error": error(task, Y), "cpu": spent}


#: Methods of ours that estimate something, and change with its rule: a grid of their
#: own.
CHANGED = (
    "HuberNMF",
    "HuberNMF, KL",
    "RobustNMF",
    "CauchyNMF",
    "CappedNMF",
    "WindowNMF",
)


def cell(seed, task):
    """Return the error of every other method and its seconds of processor time."""
    problem = task_of(task, seed)
    return [
        _row(method, problem) for method in methods_of(task) if method not in CHANGED
    ]


def changed_cell(seed, task):
    """Return the same for the methods that changed."""
    problem = task_of(task, seed)
    return [_row(method, problem) for method in methods_of(task) if method in CHANGED]


def online(task, lam=0.1, passes=10):
    """Return the fit of hyperspy's online robust NMF, which is no dependency of this project.

    Zhao and Tan's, with a threshold λ for errors of data whose largest value is one;
    0.1 is the best of 1/√features, 0.1 and the default 1 on the first draw of "faces,
    entries 10". One pass takes the samples in turn; it has ten, in random orders, and
    then encodes.
    """
    from hyperspy.learn._ornmf import ORNMF  # its public function knows no second pass

    A, rng = filled(task.A), np.random.default_rng(task.seed)
    unit = A.max()
    model = ORNMF(task.rank, lambda1=lam, method="RobustPGD", random_state=task.seed)
    for _ in range(passes):
        model.partial_fit(A[rng.permutation(len(A))] / unit)
    return unit * model.transform(A / unit) @ model.components_


def online_cell(seed, task):
    """Return the error and the seconds of hyperspy's method, and its version."""
    start, problem = time.process_time(), task_of(task, seed)
    Y = online(problem)
    spent = round(time.process_time() - start, 3)
    found = {"error": error(problem, Y), "cpu": spent}
    return {"method": "hyperspy", **found, "hyperspy": version("hyperspy")}


TASKS = [
    *("faces, clean", "faces, noise", "faces, entries 10", "faces, entries 30"),
    *(
        "faces, shuffled 10",
        "faces, white blocks",
        "faces, gray blocks",
        "faces, glasses",
    ),
    *("faces, samples", "faces, holes", "spectra, entries 10", "spectra, blocks"),
    *("counts, clean", "counts, gross 2"),
]
LIVE, DRAWS = {"task": ["counts, gross 2"]}, [0, 1, 2]
WORLD = grid("world", cell, LIVE, seed=DRAWS, task=TASKS)
OURS = grid("world-changed", changed_cell, LIVE, seed=DRAWS, task=TASKS)
#: Each grid with the data sets it needs.
GRIDS = [(WORLD, []), (OURS, [])]
#: Needs ``pip install hyperspy``, so only `run` by hand finishes it.
ONLINE = grid(
    "world-online",
    online_cell,
    task=["counts, gross 2", "faces, entries 10"],
    seed=DRAWS,
)
