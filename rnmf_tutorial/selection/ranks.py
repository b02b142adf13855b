"""How many components: the curve of a search over ranks."""

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

__all__ = ["rank_curve"]


def rank_curve(search):
    """Return the best score of every rank that a search has tried, and which rank to take.

    Chosen is the smallest rank that is not told from the best one: whose mean score is lower by at
    most one standard error of the difference. The difference is taken repeat by repeat, as all
    candidates are scored on the same entries; take five or more repeats. With gross errors, robust
    candidates must be among those tried, as plain NMF stops at a rank that is too small; with
    three wrong entries in ten, the choice may still be off by one or two.

    Parameters
    ----------
    search : fitted MaskedSearchCV
        With more than one `n_components`, or candidates of several ranks.

    Returns
    -------
    DataFrame
        By "rank" as index: the best "candidate" of this rank, the "mean" of its scores, their "sd"
        over the repeats, "behind" (the best mean minus this one), the standard "error" of that,
        and whether it is "chosen". ``curve["mean"].plot(yerr=curve["sd"])`` draws it.

    Raises
    ------
    ValueError
        If a candidate has no `n_components`.

    Examples
    --------
    >>> from rnmf_tutorial import NMF, MaskedSearchCV
    >>> rng = np.random.default_rng(0)
    >>> A = rng.uniform(size=(60, 3)) @ rng.uniform(size=(3, 40))
    >>> A += 0.05 * rng.uniform(size=A.shape)
    >>> candidates = [NMF(r, solver="cd", tol=1e-3, random_state=0) for r in (1, 2, 3, 4, 6)]
    >>> search = MaskedSearchCV(candidates, n_repeats=5, refit=False, random_state=0).fit(A)
    >>> curve = rank_curve(search)
    >>> curve.index[curve["chosen"]].tolist()
    [3]
    >>> best = search.candidates_[curve["position"][3]].fit(A)
    """
    check_is_fitted(search, "cv_results_")
    results = search.cv_results_
    ranks = [params.get("n_components") for params in results["params"]]
    if None in ranks:
        name = results["candidate"][ranks.index(None)]
        raise ValueError(f"rank_curve needs candidates with n_components; {name} has none.")
    n = sum(key.startswith("split") for key in results)
    scores = np.array([results[f"split{s}_test_score"] for s in range(n)]).T
    table = pd.DataFrame(
        {
            "rank": ranks,
            "candidate": results["candidate"],
            "position": np.arange(len(ranks)),
            "mean": results["mean_test_score"],
            "sd": results["std_test_score"],
        }
    ).dropna(subset="mean")
    curve = table.loc[table.groupby("rank")["mean"].idxmax()].set_index("rank")
    behind = scores[curve["position"][curve["mean"].idxmax()]] - scores[curve["position"]]
    curve["behind"] = behind.mean(axis=1)
    curve["error"] = behind.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else 0.0
    curve["chosen"] = curve.index == curve.index[curve["behind"] <= curve["error"]].min()
    return curve
