"""Verdicts on Zhang et al.: what the paper reads in its figures, which have no numbers."""

import pandas as pd

from studies import stored
from studies.machinery.verdicts import sentence_rows
from studies.machinery.words import sentences
from studies.zhang import grids

#: Where the paper sees its method ahead.
LAMBDAS = [lam for lam in grids.LAMBDAS if 0.1 <= lam <= 0.6]
#: So large that the error matrix is empty: plain NMF.
PLAIN = 2.0
#: That of the paper's pictures.
SHOWN = 0.3
OTHERS = ("PCA", "LSI", "raw pixels")
POINTS = {"form": "{:+.1f} ± {:.1f}", "unit": 100}


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
    """Return the differences, draw by draw, for every draw of ours."""
    d = ours.set_index("seed")[metric] - theirs.set_index("seed")[metric]
    d = d.reindex(ours.seed)
    if len(d) < 5 or d.isna().any():
        raise ValueError(
            "The verdicts need the same draws of both, at least five; finish the results."
        )
    return d


def more_draws():
    """Return the clustering at λ = 0.3 and without S in all draws, best of five starts."""
    few = stored("zhang-clustering")
    few = few[few.lam.isin([SHOWN, PLAIN]) & (few.run < 5)]
    runs = pd.concat([few, stored("zhang-clustering-more")], ignore_index=True)
    return best_run(runs, ["seed", "lam"])


says = sentences(__file__)


def claims():
    """Judge what the paper reads in Figs. 1, 3 and 4."""
    clustering = best_run(stored("zhang-clustering"), ["seed", "lam"])
    recognition = best_run(stored("zhang-recognition"), ["data", "seed", "lam"])
    return sentence_rows(
        [
            *_case_study(stored("zhang-case-study")),
            *_clustering(clustering, stored("zhang-clustering-baselines")),
            *_more_clustering(more_draws()),
            *_recognition(recognition, stored("zhang-recognition-baselines")),
        ]
    )


def _case_study(runs):
    robust, plain = rows_of(runs, method="RobustNMF"), rows_of(runs, method="NMF")
    found = f"{robust.share.mean():.0%} of a block comes back; plain NMF: {plain.share.mean():.0%}"
    yield says("blocks-gone", [0.1 - robust.share], found)
    found = f"S > 0 at {robust.found.mean():.0%} of their pixels"
    yield says("blocks-found", [robust.found - 0.9], found)


def _clustering(ours, baselines):
    chosen = [rows_of(ours, lam=lam) for lam in LAMBDAS]
    pca, lsi, pixels = others = [rows_of(baselines, method=method) for method in OTHERS]
    for metric in ("ac", "nmi"):
        more = {"about": metric.upper(), "data": "yale", **POINTS}
        ahead = [paired(mine, theirs, metric) for mine in chosen for theirs in others]
        yield says("clustering", ahead, **more)
        ahead = [paired(theirs, pixels, metric) for theirs in (pca, lsi)]
        yield says("clustering-pca", ahead, **more)
        ahead = [paired(mine, rows_of(ours, lam=PLAIN), metric) for mine in chosen]
        yield says(f"clustering-plain-{metric}", ahead, data="yale", **POINTS)


def _more_clustering(runs):
    robust, plain = rows_of(runs, lam=SHOWN), rows_of(runs, lam=PLAIN)
    for metric in ("ac", "nmi"):
        gain = paired(robust, plain, metric)
        yield says(f"clustering-more-{metric}", [gain], data="yale", **POINTS)


def _recognition(ours, baselines):
    for data in ("orl", "yale64"):
        mine = rows_of(ours, data=data, lam=PLAIN)
        others = [rows_of(baselines, data=data, method=method) for method in OTHERS]
        more = {"data": data.rstrip("64"), **POINTS}
        yield says(
            "recognition", [paired(mine, theirs, "rate") for theirs in others], **more
        )
        behind = [paired(others[2], theirs, "rate") for theirs in others[:2]]
        yield says("recognition-pca", behind, **more)
