"""Verdicts on Zhang et al.: what the paper reads in its figures, which have no numbers."""

import numpy as np
import scipy.stats

from studies.rows import stored
from studies.verdicts import claim, claim_rows, grade
from studies.zhang import grids

#: The mean of five differences is above zero if it exceeds so many standard errors.
STUDENT = scipy.stats.t.ppf(0.975, df=4)
#: Where the paper sees its method ahead.
LAMBDAS = [lam for lam in grids.LAMBDAS if 0.1 <= lam <= 0.6]
#: So large that the error matrix is empty: plain NMF.
PLAIN = 2.0
OTHERS = ("PCA", "LSI", "raw pixels")


def best_run(table, by):
    """Return the run with the lowest objective for each value of `by`."""
    best = table.loc[table.groupby(by)["objective"].idxmin()]
    return best.assign(method="RobustNMF")


def rows_of(table, **where):
    """Return the rows in which these columns have these values."""
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def paired(ours, theirs, metric):
    """Return mean and standard error of the differences, draw by draw."""
    d = ours.set_index("seed")[metric] - theirs.set_index("seed")[metric]
    if len(d) != 5 or d.isna().any():
        raise ValueError("The verdicts need the same five draws of both; finish the results.")
    return d.mean(), d.std(ddof=1) / np.sqrt(len(d))


def better(pairs):
    """Judge a claim that every one of these differences is above zero."""
    full = all(mean > STUDENT * error for mean, error in pairs)
    return grade(full, all(mean > 0 for mean, _ in pairs))


def text(pairs):
    """Write the smallest and the largest difference in points, with their standard errors."""
    shown = dict.fromkeys([min(pairs), max(pairs)])
    return " to ".join(f"{100 * mean:+.1f} ± {100 * error:.1f}" for mean, error in shown)


def claims():
    """Judge what the paper reads in Figs. 1, 3 and 4."""
    clustering = best_run(stored("zhang-clustering"), ["seed", "lam"])
    recognition = best_run(stored("zhang-recognition"), ["data", "seed", "lam"])
    return claim_rows(
        [
            *_case_study(stored("zhang-case-study").set_index("method")),
            *_clustering(clustering, stored("zhang-clustering-baselines")),
            *_recognition(recognition, stored("zhang-recognition-baselines")),
        ]
    )


def _case_study(runs):
    robust, plain = runs.loc["RobustNMF"], runs.loc["NMF"]
    yield claim(
        "Fig. 1",
        "blocks can hardly be found in the reconstructions",
        grade(robust.share < 0.1),
        f"{robust.share:.0%} of a block comes back; plain NMF: {plain.share:.0%}",
        data="yale",
    )
    yield claim(
        "Fig. 1",
        "the error vectors capture the blocks",
        grade(robust.found > 0.9),
        f"S > 0 at {robust.found:.0%} of their pixels",
        data="yale",
    )


def _clustering(ours, baselines):
    pixels = rows_of(baselines, method="raw pixels")
    for metric in ("ac", "nmi"):
        name = metric.upper()
        chosen = [rows_of(ours, lam=lam) for lam in LAMBDAS]
        others = [rows_of(baselines, method=method) for method in OTHERS]
        pairs = [paired(mine, theirs, metric) for mine in chosen for theirs in others]
        sentence = f"RNMF better than all others for λ from 0.1 to 0.6 ({name})"
        yield claim("Fig. 3", sentence, better(pairs), text(pairs), data="yale")
        pairs = [paired(mine, rows_of(ours, lam=PLAIN), metric) for mine in chosen]
        sentence = f"... and than plain NMF, its limit for large λ ({name})"
        yield claim("Fig. 3", sentence, better(pairs), text(pairs), data="yale")
        pairs = [paired(theirs, pixels, metric) for theirs in others[:2]]
        sentence = f"PCA and LSI better than raw pixels ({name})"
        yield claim("Fig. 3", sentence, better(pairs), text(pairs), data="yale")


def _recognition(ours, baselines):
    for data in ("orl", "yale64"):
        mine = rows_of(ours, data=data, lam=PLAIN)
        others = [rows_of(baselines, data=data, method=method) for method in OTHERS]
        place = {"place": "Fig. 4", "data": data.rstrip("64") + ", simulated disguises"}
        pairs = [paired(mine, theirs, "rate") for theirs in others]
        sentence = f"RNMF at λ = 2 better than all others ({data})"
        yield claim(sentence=sentence, verdict=better(pairs), found=text(pairs), **place)
        pairs = [paired(others[2], theirs, "rate") for theirs in others[:2]]
        sentence = f"raw pixels better than PCA and LSI ({data})"
        yield claim(sentence=sentence, verdict=better(pairs), found=text(pairs), **place)
