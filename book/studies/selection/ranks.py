"""Which rank a search takes where the true one is known, with gross errors and without."""

from copy import copy

import numpy as np

from rnmf_tutorial import MaskedSearchCV
from rnmf_tutorial.selection import rank_curve
from studies import Grid

#: The ranks that are tried.
TRIED = [2, 4, 8, 16]


def low_rank(rank, errors, seed):
    """Return skewed factors' product with noise of a tenth of its mean, and gross errors.

    Parameters
    ----------
    rank : int
        The true one.
    errors : float
        The share of the entries that become uniform between zero and the largest entry.
    seed : int

    Returns
    -------
    ndarray of shape (100, 80)
    """
    rng = np.random.default_rng([seed, rank])
    A = rng.gamma(1, size=(100, rank)) @ rng.gamma(1, size=(rank, 80))
    A = np.maximum(A + 0.1 * A.mean() * rng.standard_normal(A.shape), 0)
    wrong = rng.uniform(size=A.shape) < errors
    A[wrong] = rng.uniform(0, A.max(), wrong.sum())
    return A


def chosen(search, allowed):
    """Return the rank that the curve of some candidates takes, and that of their best score."""
    part, results = copy(search), search.cv_results_
    kept = np.array([allowed(name) for name in results["candidate"]])
    part.cv_results_ = {
        key: np.asarray(column, dtype=object if key == "params" else None)[kept]
        for key, column in results.items()
    }
    curve = rank_curve(part)
    return int(curve.index[curve["chosen"]][0]), int(curve["mean"].idxmax())


def cell(rank, errors, seed):
    """Search over ranks and candidates; a row for all of them, and one for plain NMF alone."""
    A = low_rank(rank, errors, seed)
    options = {"n_repeats": 5, "refit": False, "random_state": seed}
    search = MaskedSearchCV(n_components=TRIED, **options).fit(A)
    rows = []
    for word, allowed in (
        ("all", lambda name: True),
        ("NMF", lambda name: name.startswith("NMF")),
    ):
        taken, best = chosen(search, allowed)
        rows.append({"candidates": word, "chosen": taken, "best": best})
    return rows


RANKS = Grid(
    "selection-ranks",
    cell,
    quick={"seed": [0], "errors": [0.3], "rank": [4]},
    paper={"seed": list(range(5)), "errors": [0.0, 0.1, 0.3], "rank": [4, 8]},
)
