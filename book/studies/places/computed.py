"""Where each model stands among the others: the map of methods is drawn from this.

No place is written down. Every model of the package sets up a fit of small data. Its
place follows from the loss, the solver and the penalties of that fit, and its chapter
is the one that its docstring names.
"""

import inspect
import re
from contextlib import suppress
from functools import cache
from typing import NamedTuple

import numpy as np

import rnmf_tutorial
from rnmf_tutorial.base import BaseNMF
from rnmf_tutorial.fitting import Work
from rnmf_tutorial.losses import KULLBACK_LEIBLER
from studies.machinery.measures import problem_of

#: What a large error costs -> how many times as much, at least, one a hundred times as
#: large.
COSTS = {"square": 150, "size": 50, "less": 1.1, "ceiling": 0}
#: The sign of a solver on the map -> in words, and the solvers of the package.
SOLVERS = {
    "↓": ("coordinate descent", "CoordinateDescent KullbackLeiblerDescent"),
    "×": (
        "multiplicative",
        "Multiplicative ZhangUpdates ShenUpdates LocalUpdates RootUpdates",
    ),
    "∇": (
        "Nesterov's gradient",
        "NesterovUpdates WeightedNesterov OptimalGradientUpdates SmoothedUpdates",
    ),
    "○": ("gradient on a sphere", "SphereUpdates"),
}
#: A chapter, as docstrings name it -> its page.
CHAPTERS = {
    "One algorithm for every robust loss": "engine",
    "Non-negative matrix factorization": "nmf",
    "Robust NMF": "robust_nmf",
    "L2, L1 and L2,1 NMF compared": "l2_l1_l21",
    "A sparse basis": "sparse_basis",
    "Truncated Cauchy NMF": "truncated_cauchy",
    "Supervised NMF": "supervised",
}

SIDE = 12  # of six pictures of rank two
W = np.random.default_rng(0).uniform(1, 2, (SIDE**2, 2))
H = np.random.default_rng(0).uniform(1, 2, (2, 6))
ENTRY = 5 * SIDE + 5, 2
OTHERS = {
    "neighbor": (5 * SIDE + 6, 2),
    "sample": (SIDE**2 - 1, 2),
    "feature": (5 * SIDE + 5, 4),
}


class Model(NamedTuple):
    """A model, and where it stands."""

    name: str
    cost: str  # of a large error, a key of COSTS
    shares: str  # who shares a weight: an "entry" has its own, "sample"; or "nothing"
    solvers: str  # signs of SOLVERS, the default first
    chapter: str  # a key of CHAPTERS
    more: str  # what is added, and which choices there are


def begun(kind, **options):
    """Return the problem of a fit, with numbers for what it would have to estimate."""
    given = {
        "shape": (SIDE, SIDE),
        "scale": 0.1,
        "theta": 5,
        "lam": 0.1,
        "random_state": 0,
    }
    known = kind().get_params()
    model = kind(2, **{k: v for k, v in (given | options).items() if k in known})
    return problem_of(model, (W @ H).T, np.arange(6) % 2)


def value(loss, *errors, basis=W):
    """Return the loss of WH with some errors, each an entry and its size."""
    X = W @ H
    for entry, size in errors:
        X[entry] += size
    work = Work(X)
    return loss.total(work, loss.compare(work, basis, H))


def share_a_weight(loss, entry, other):
    """Tell whether two errors do not add up, in how far the loss prefers one fit to another."""

    def gap(*entries):
        errors = [(entry, 10) for entry in entries]
        return value(loss, *errors, basis=1.1 * W) - value(loss, *errors)

    one = gap(entry) - gap()
    two = gap(other) - gap()
    both = gap(entry, other) - gap()
    return abs(both - one - two) > 1e-6 * (abs(one) + abs(two))


def solvers_of(kind):
    """Return the signs of the solvers that a model has, that of its default first."""
    solvers = [begun(kind).solver]
    if "solver" in kind().get_params():
        for name in ("cd", "mu", "nesterov"):
            with suppress(ValueError):  # it does not have this one
                solvers.append(begun(kind, solver=name).solver)
    signs = {
        name: sign for sign, (_, names) in SOLVERS.items() for name in names.split()
    }
    found = [signs[type(solver).__name__] for solver in solvers]
    return "".join(dict.fromkeys(found))  # each once


def chapter_of(name, doc):
    """Return the chapter that a docstring names."""
    found = re.search(r"^See the chapter \*(.+)\* of the book\.$", doc, re.M)
    if not found or found[1] not in CHAPTERS:
        raise ValueError(
            f"The docstring of {name} needs the line `See the chapter *...* of the book.`, with "
            f"one of {', '.join(CHAPTERS)}."
        )
    return found[1]


def place(name, kind):
    """Return where a model stands."""
    doc = inspect.getdoc(kind)
    problem = begun(kind)
    loss = problem.loss
    penalties = {type(penalty).__name__ for penalty in problem.penalties}
    known = kind().get_params()
    small = value(loss, (ENTRY, 1e3)) - value(loss)
    large = value(loss, (ENTRY, 1e5)) - value(loss)
    cost = next(cost for cost, least in COSTS.items() if large > least * small)
    company = {
        who for who, other in OTHERS.items() if share_a_weight(loss, ENTRY, other)
    }
    alone = "nothing" if cost == "square" else "entry"
    shares = "sample" if company else alone
    graph = "GraphPenalty" in penalties
    labels = getattr(kind, "by_labels", None)
    more = {
        "or KL": {"divergence", "loss"} & known.keys(),
        "or feature": "group" in known,
        "feature": "feature" in company,
        "KL": getattr(loss, "divergence", None) is KULLBACK_LEIBLER,
        "KL + small parts": type(loss).__name__ == "LocalLoss",
        "an error matrix": "\nerror_ :" in doc,
        "+ sparse basis": "BasisSum" in penalties,
        "+ labels": graph and labels,
        "+ neighbors": graph and not labels,
    }
    more = " ".join(words for words, holds in more.items() if holds)
    return Model(name, cost, shares, solvers_of(kind), chapter_of(name, doc), more)


@cache
def models():
    """Return every estimator of the package at its place, short names first."""
    named = {name: getattr(rnmf_tutorial, name) for name in rnmf_tutorial.__all__}
    kinds = {
        k: v for k, v in named.items() if isinstance(v, type) and issubclass(v, BaseNMF)
    }
    return [place(name, kinds[name]) for name in sorted(kinds, key=len)]
