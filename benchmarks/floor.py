"""The floor: what the formulas of a sweep compute, each operation once: bench-floor.

The parts are timed alone, on arrays that exist already. A model's floor is the sum of its parts:
for the time of its own sweep, everything else is overhead. The parts of a φ are counted while it
computes; those of a step are written down here.
"""

from collections import Counter

import numpy as np

from benchmarks.clock import milliseconds
from benchmarks.problem import MODELS, problem, start_point
from rnmf_tutorial.losses import ENTRIES, KULLBACK_LEIBLER, Cauchy
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
_UFUNCS = {
    np.divide: "divide",
    np.sqrt: "sqrt",
    **dict.fromkeys([np.exp, np.expm1], "exp"),
    **dict.fromkeys([np.log, np.log1p], "log"),
}


def passes(compute):
    """Return how many of each part a function of an array of energies is made of."""
    found = Counter()

    class Energies(np.ndarray):
        """An array that counts what is done with it."""

        def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
            plain = [np.asarray(x) if isinstance(x, Energies) else x for x in inputs]
            if method == "reduce":
                kind = "sum"
            else:
                several = sum(np.ndim(x) > 0 for x in plain) > 1
                kind = _UFUNCS.get(ufunc, "two arrays" if several else "one array")
            found[kind] += 1
            if out:
                options["out"] = tuple(np.asarray(x) for x in out)
            result = getattr(ufunc, method)(*plain, **options)
            return out[0] if out else _counting(result)

        def __array_function__(self, function, types, args, kwargs):
            if function not in (np.median, np.quantile):
                return super().__array_function__(function, types, args, kwargs)
            found["median"] += 1
            return function(np.asarray(args[0]), *args[1:], **kwargs)

    def _counting(x):
        return x.view(Energies) if np.ndim(x) else x

    compute(_counting(np.linspace(0.1, 9, 12).reshape(3, 4)))
    return found


def of_phi(phi, estimated):
    """Return the parts of φ: its weights for both factors, its value, its estimate of the scale."""
    slope = passes(phi.slope)
    value = passes(lambda u: phi.value(u, np.full_like(u, 0.5)).sum())
    estimate = passes(lambda u: phi.estimate(u, 1.0)) if estimated else Counter()
    return slope + slope + value + estimate


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
        + passes(lambda u: Cauchy().estimate(u, 1.0))
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
    return _WEIGHTED + of_phi(loss.phi, loss.estimated)


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
