"""Every candidate on every problem: its error against the truth, and what a search would see."""

import time
import warnings
from functools import partial

import numpy as np
import pandas as pd
from sklearn.base import clone

from rnmf_tutorial import (
    CIMNMF,
    L21NMF,
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    HypersurfaceNMF,
    RobustNMF,
    TruncatedCauchyNMF,
)
from rnmf_tutorial.selection import noise_scale
from rnmf_tutorial.selection.planting import hidden_entries, planted_values
from studies import Grid
from studies.selection.pieces import PIECES
from studies.selection.problems import DATA, problem
from studies.selection.ranks import RANKS

#: The sets on which the candidates and the rule of the choice were set; the others judge.
SETTING = ["ORL", "CBCL", "digits", "low rank"]

CORRUPTIONS = [
    *("none 0", "Gaussian 0.1", "Gaussian 0.3", "Laplace 0.2", "salt & pepper 10"),
    *("salt & pepper 30", "salt & pepper 50", "block 14", "strangers 20"),
]

OPTIONS = {"solver": "cd", "max_iter": 100, "tol": 1e-4}


def _scaled(model, **multiples):
    """Return a candidate whose parameters are multiples of the noise scale."""
    return lambda sigma: partial(model, **{key: k * sigma for key, k in multiples.items()})


def _plain(model, **options):
    return lambda sigma: partial(model, **options)


#: The candidates of a default search.
DEFAULTS = {
    "NMF": _plain(NMF),
    "CappedNMF": _plain(CappedNMF),
    **{f"HuberNMF {k:g} σ": _scaled(HuberNMF, scale=k) for k in (0.25, 1)},
    **{f"CauchyNMF {k:g} σ": _scaled(CauchyNMF, scale=k) for k in (0.5, 1, 2)},
}

#: Those that were among them and did not pay: the choice was as good without them.
EARLIER = {
    **{f"HuberNMF {k:g} σ": _scaled(HuberNMF, scale=k) for k in (0.5, 2)},
    **{f"CIMNMF {k:g} σ": _scaled(CIMNMF, scale=k) for k in (2, 4)},
    **{
        f"TruncatedCauchyNMF {k:g} σ": _scaled(TruncatedCauchyNMF, scale=k, outliers=3 * k)
        for k in (2, 4)
    },
}

#: Name -> a function of the noise scale that returns what makes the model. The rest lets every
#: class be tuned by the same rule: the published adaptive scale, and up to four multiples.
CANDIDATES = {
    **DEFAULTS,
    **EARLIER,
    "L21NMF": _plain(L21NMF),
    **{f"RobustNMF {k:g}": _scaled(RobustNMF, lam=k * 4 / 1.4826) for k in (0.25, 0.5, 1)},
    **{f"HypersurfaceNMF {k:g} σ": _scaled(HypersurfaceNMF, scale=k) for k in (1, 2)},
    "HuberNMF": _plain(HuberNMF, scale="published"),
    "CauchyNMF": _plain(CauchyNMF, scale="published"),
    "CIMNMF": _plain(CIMNMF, scale="published"),
    "TruncatedCauchyNMF": _plain(TruncatedCauchyNMF, scale="published", outliers="three-sigma"),
}

#: The candidates that are scored on planted errors, too.
PLANTED = [name for name in DEFAULTS | EARLIER if name != "CappedNMF"]

#: The candidate that is the class at its defaults.
ROBUST = "RobustNMF 1"


def default_names():
    """Return the names of the candidates of a default search."""
    return list(DEFAULTS)


def relative(prediction, task):
    """Return the relative error against the clean data, over the samples that are samples."""
    E, A = prediction - task.clean, task.clean
    return np.sqrt(np.nansum(E[task.kept] ** 2) / np.nansum(A[task.kept] ** 2))


#: The scores of a row: the means of these powers of the sizes of the hidden residuals.
POWERS = {"quarter": 0.25, "root": 0.5, "three_quarters": 0.75, "absolute": 1, "square": 2}


def sizes_of(model, seen, task, hidden):
    """Return the sizes of the residuals on hidden entries after a fit to the others."""
    one = clone(model)
    prediction = one.fit_transform(seen) @ one.components_
    return np.abs(task.data - prediction)[hidden]


def cell(data, corruption, seed):
    """Fit every candidate to all entries, and to nine tenths of them; a row for each.

    Under a block, errors are planted over the same entries, too.
    """
    task = problem(data, corruption, seed)
    rng = np.random.RandomState(seed)
    hidden = hidden_entries(~np.isnan(task.data), 0.1, rng)
    seen = np.where(hidden, np.nan, task.data)
    planted = planted_values(task.data, hidden, rng)
    sigma = noise_scale(seen, task.rank, seed)
    rows = []
    for name, candidate in CANDIDATES.items():
        model = candidate(sigma)(task.rank, random_state=seed, **OPTIONS)
        restored = np.array([np.nan])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            started = time.process_time()
            error = relative(model.fit_transform(task.data) @ model.components_, task)
            cpu = time.process_time() - started
            sizes = sizes_of(model, seen, task, hidden)
            if corruption.startswith("block") and name in PLANTED:
                restored = sizes_of(model, planted, task, hidden)
        numbers = {"error": error, "cpu": cpu}
        numbers |= {word: (sizes**power).mean() for word, power in POWERS.items()}
        numbers["planted"] = restored.mean()
        rows.append({"candidate": name} | {k: float(f"{v:.5g}") for k, v in numbers.items()})
    return rows


CHOICES = Grid(
    "selection-choices",
    cell,
    quick={"seed": [0], "corruption": ["salt & pepper 10"], "data": ["low rank"]},
    paper={"seed": list(range(5)), "corruption": CORRUPTIONS, "data": list(DATA)},
)

NEEDED = ["yale32", "umist", "yaleb", "cbcl"]

GRIDS = [(CHOICES, NEEDED), (RANKS, []), (PIECES, NEEDED)]


def regrets(rows, score="absolute"):
    """Divide the error of the choice, and of two fixed models, by that of the best candidate.

    Parameters
    ----------
    rows : DataFrame
        Of :data:`CHOICES`.
    score : str, default="absolute"
        The column that a search makes small; "planted" is stored for blocks alone.

    Returns
    -------
    DataFrame
        Indexed by corruption, data and seed: the name `chosen`, and the ratios `search`,
        `RobustNMF` (at its default) and `NMF` to the best of the default candidates.
    """
    rows = rows.dropna(subset=[score])
    keys = ["corruption", "data", "seed"]
    error = rows.pivot(index=keys, columns="candidate", values="error")
    seen = rows.pivot(index=keys, columns="candidate", values=score)
    names = [name for name in default_names() if name in seen]
    best, chosen = error[names].min(axis=1), seen[names].idxmin(axis=1)
    taken = [error.loc[at, name] for at, name in chosen.items()]
    found = {"search": taken / best}
    if ROBUST in error:
        found["RobustNMF"] = error[ROBUST] / best
    return pd.DataFrame({"chosen": chosen, **found, "NMF": error["NMF"] / best})


def classes():
    """Return the names of the candidates of every class, by the first word."""
    found = {}
    for name in CANDIDATES:
        found.setdefault(name.split()[0], []).append(name)
    return found


def tuned(rows, score="absolute"):
    """Return the error of each class at the value that a search would have chosen.

    Parameters
    ----------
    rows : DataFrame
        Of :data:`CHOICES`.
    score : str, default="absolute"
        The column that a search makes small; "error" gives what only the truth could choose.

    Returns
    -------
    DataFrame
        Indexed by corruption, data and seed; a column for each class, and "search" for the choice
        among the default candidates.
    """
    keys = ["corruption", "data", "seed"]
    error = rows.pivot(index=keys, columns="candidate", values="error")
    seen = rows.pivot(index=keys, columns="candidate", values=score)
    found = {}
    for word, names in (classes() | {"search": default_names()}).items():
        names = [name for name in names if name in seen]
        chosen = seen[names].idxmin(axis=1)
        found[word] = [error.loc[at, name] for at, name in chosen.items()]
    return pd.DataFrame(found, index=error.index)
