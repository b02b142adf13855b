"""Which rank a search takes where the true one is known, with gross errors and without."""

import numpy as np

from rnmf_tutorial import NMF, MaskedSearchCV
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


def rank_curves(A, tried, n_repeats, seed):
    """Return the curves of ranks of a default search, and of one with plain NMF alone.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
    tried : list of int
        The ranks.
    n_repeats, seed : int
        Of the searches.

    Returns
    -------
    dict of str to DataFrame
        "all" and "NMF" -> what `rank_curve` returns.
    """
    options = {"n_components": tried, "n_repeats": n_repeats, "random_state": seed}
    alone = [NMF(r, max_iter=100, tol=1e-4, random_state=seed) for r in tried]
    return {
        word: rank_curve(MaskedSearchCV(candidates, refit=False, **options).fit(A))
        for word, candidates in (("all", None), ("NMF", alone))
    }


def cell(rank, errors, seed):
    """Search over ranks and candidates; a row for all of them, and one for plain NMF alone."""
    curves = rank_curves(low_rank(rank, errors, seed), TRIED, 5, seed)
    return [
        {
            "candidates": word,
            "chosen": int(curve.index[curve["chosen"]][0]),
            "best": int(curve["mean"].idxmax()),
        }
        for word, curve in curves.items()
    ]


RANKS = Grid(
    "selection-ranks",
    cell,
    quick={"seed": [0], "errors": [0.3], "rank": [4]},
    paper={"seed": list(range(5)), "errors": [0.0, 0.1, 0.3], "rank": [4, 8]},
)
