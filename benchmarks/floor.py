"""The floor: what the formulas of a sweep compute, each operation once: bench-floor.

The parts are timed alone, on arrays that exist already. A model's floor is the sum of its parts:
for the time of its own sweep, everything else is overhead.
"""

from collections import Counter

import numpy as np

from benchmarks.clock import milliseconds
from benchmarks.problem import MODELS, problem, start_point
from rnmf_tutorial.losses import ENTRIES, KULLBACK_LEIBLER, Cauchy, Correntropy, Huber, Hypersurface
from rnmf_tutorial.models.graphs import RootUpdates
from rnmf_tutorial.updates import (
    LocalUpdates,
    Multiplicative,
    ShenUpdates,
    SmoothedUpdates,
    SphereUpdates,
    WeightedNesterov,
    ZhangUpdates,
)
from studies import Grid


def part_actions(X, W, H):
    """Return the parts, name -> function without arguments."""
    Q, E = np.full_like(X, 0.5), np.full_like(X, 0.5)
    flat = X.T.ravel()
    return {
        "WtX": lambda: W.T @ X,
        "XHt": lambda: X @ H.T,
        "WH": lambda: np.matmul(H.T, W.T, out=E.T),
        "small": lambda: ((W.T @ W) @ H, W @ (H @ H.T)),
        "two arrays": lambda: np.multiply(X, Q, out=E),
        "one array": lambda: np.multiply(X, 0.5, out=E),
        "sum": lambda: X.sum(),
        "dot": lambda: np.vdot(X.T, Q.T),
        "divide": lambda: np.divide(X, Q, out=E),
        "sqrt": lambda: np.sqrt(X, out=E),
        "exp": lambda: np.exp(X, out=E),
        "log": lambda: np.log(X, out=E),
        "median": lambda: np.partition(flat, flat.size // 2),
    }


def parts(**counts):
    return Counter({name.replace("_", " "): n for name, n in counts.items()})


def times(n, some):
    return Counter({name: n * count for name, count in some.items()})


_EUCLID = parts(WtX=1, XHt=1, small=1)
_DIVERGENCE = parts(WH=2, WtX=1, XHt=1, divide=2, log=1, dot=1)
# for either factor: WH, E, its square, over c²; Q ⊙ X, Q ⊙ WH; two products
_WEIGHTED = parts(WH=2, WtX=2, XHt=2, two_arrays=6, one_array=4)
_STEP = parts(WH=2, WtX=1, XHt=1, two_arrays=2)  # of a gradient method, for both factors
#: φ -> its weights for both factors and its value.
_PHI = {
    Huber: parts(one_array=3, sqrt=2, divide=2, two_arrays=2, sum=1),
    Correntropy: parts(one_array=3, exp=3, sum=1),
    Cauchy: parts(one_array=2, divide=2, log=1, sum=1),
    Hypersurface: parts(one_array=3, sqrt=2, divide=3, two_arrays=1, sum=1),
}
#: φ -> the estimate of its scale.
_ESTIMATE = {
    Huber: parts(median=1),
    Correntropy: parts(sum=1),
    Cauchy: parts(one_array=2, divide=1, sum=1),
}
#: The step of one paper -> all that a sweep with it is made of.
_OF_ONE_PAPER = {
    ZhangUpdates: _EUCLID + parts(WH=1, two_arrays=3, one_array=2, sum=1, dot=1),
    ShenUpdates: parts(WtX=3, XHt=1, WH=1, two_arrays=16, one_array=11, divide=2, sum=4, dot=1),
    SmoothedUpdates: (
        times(20, _STEP + parts(one_array=2)) + parts(WH=2, two_arrays=2, one_array=2, sum=2)
    ),
    SphereUpdates: _EUCLID,
    LocalUpdates: _DIVERGENCE,
    RootUpdates: _DIVERGENCE,
    WeightedNesterov: (  # with the Cauchy loss and its scale
        times(12, _STEP + parts(two_arrays=2))
        + parts(WH=2, WtX=1, XHt=1, two_arrays=2, one_array=8, divide=2, log=1, sum=3)
        + _ESTIMATE[Cauchy]
    ),
}


def floor(make):
    """Return how many of each part a sweep and its objective are made of, or None if unknown."""
    A, y, r = problem("toy")
    run = make(r, random_state=0).begin(A, y)
    loss, step = run.loss, type(run.step)
    if step in _OF_ONE_PAPER:
        rule = make(r).get_params().get("outliers")
        return _OF_ONE_PAPER[step] + parts(median=int(rule == "three-sigma"))
    if step is not Multiplicative:
        return None
    if loss.divergence is KULLBACK_LEIBLER:
        return _DIVERGENCE
    if loss.group is not ENTRIES or loss.phi is None:
        return _EUCLID
    estimate = _ESTIMATE.get(type(loss.phi)) if loss.estimated else parts()
    counts = _PHI.get(type(loss.phi))
    return counts and estimate is not None and _WEIGHTED + counts + estimate


#: Name of a model -> how many of each part its sweep is made of, if that is known.
FLOORS = {name: counts for name, make in MODELS.items() if (counts := floor(make))}


def products(name):
    """Return how many products with an array of the size of X a floor has."""
    return sum(FLOORS[name][part] for part in ("WtX", "XHt", "WH"))


def floor_cell(data, round, precision):
    """Time the parts once, and add them up; one row for each part and for each model's floor."""
    A, _, r = problem(data, precision)
    W, H = start_point(A, r, seed=0)
    took = {name: milliseconds(action) for name, action in part_actions(A.T, W, H).items()}
    rows = [{"kind": "part", "name": name, "milliseconds": ms} for name, ms in took.items()]
    for name, counts in FLOORS.items():
        total = sum(count * took[part] for part, count in counts.items())
        rows.append({"kind": "floor", "name": name, "milliseconds": total})
    return rows


FLOOR = Grid(
    "bench-floor",
    floor_cell,
    quick={"data": ["toy"], "round": [0], "precision": ["float64", "float32"]},
    paper={"data": ["orl"], "round": list(range(5)), "precision": ["float64", "float32"]},
)
