"""Verdicts on Cheng, Wang and Guan: Tables 1 to 3 and the ranking of the methods."""

import pandas as pd

from studies.cheng.printed import printed_tables
from studies.rows import stored
from studies.verdicts import REPRODUCED, claim, claim_rows, judge, larger

SETS = {"yale": "Yale", "umist": "UMIST", "orl": "ORL"}
PRINTED_METHODS = ["CSNMF", "CIMNMF", "MCCGR", "SupervisedNMF"]
COLUMN = ["data", "n_train"]  # what one column of a table has in common


def stored_runs():
    """Return all runs of the tables; CSNMF is the one on bytes."""
    names = [f"cheng-{data}" for data in SETS]
    runs = pd.concat([stored(name) for name in names], ignore_index=True)
    names = {"CSNMF": "CSNMF, [0, 1]", "CSNMF, bytes": "CSNMF"}
    return runs.assign(method=runs.method.replace(names))


def best_of_ranks(runs, reading):
    """Return the best rank of each method, with mean and standard deviation there."""
    keys = [*COLUMN, "method"]
    stats = runs[runs.method.isin(PRINTED_METHODS)].groupby([*keys, "r"])[reading]
    stats = stats.agg(["mean", "std", "count"]).reset_index()
    best = stats.loc[stats.groupby(keys)["mean"].idxmax()]
    names = {"r": "rank", "mean": "ours", "std": "sd", "count": "runs"}
    return best.rename(columns=names).set_index(keys)


def tables(runs, reading="both_pinv"):
    """Judge Tables 1 to 3 by the coefficients of one reading, one row per printed number.

    Ours is "reproduced" within one standard deviation of our splits.
    """
    ours = best_of_ranks(runs, reading)
    rows = printed_tables().rename(columns={"accuracy": "printed"})
    rows = rows.join(ours, on=[*COLUMN, "method"])
    return judge(rows, among=COLUMN, allowed=rows.sd)


def at_best_rank(runs, reading="both_pinv"):
    """Return the accuracy of each method at its best rank, split by split."""
    best = best_of_ranks(runs, reading)["rank"].reset_index()
    rows = runs.merge(best, on=[*COLUMN, "method"])
    rows = rows[rows.r == rows["rank"]]
    return rows.pivot(index=[*COLUMN, "seed"], columns="method", values=reading)


def numbers():
    """Return Tables 1 to 3 with verdicts, and the reason of each failure, as scoreboard rows."""
    rows = tables(stored_runs())
    place = rows.data.map({"yale": "Table 1", "umist": "Table 2", "orl": "Table 3"})
    setting = rows.n_train.astype(str) + " training images"
    reason = [_reason(row) for row in rows.itertuples()]
    return rows.assign(kind="number", place=place, setting=setting, metric="ac", reason=reason)


def _reason(row):
    if row.verdict == REPRODUCED:
        return ""
    if row.data == "umist":
        return "smaller images"
    if row.method == "SupervisedNMF":
        return "the labels are not heard"
    return "less gained by more training images"


def claims():
    """Judge, set by set, that CSNMF is better than each competitor."""
    accuracy = at_best_rank(stored_runs())
    names = {"CIMNMF": "CIM-NMF", "MCCGR": "MCCGR", "SupervisedNMF": "SNMF"}
    return claim_rows(
        row
        for method, name in names.items()
        for row in ranking(f"CSNMF better than {name}", accuracy["CSNMF"] - accuracy[method])
    )


def ranking(sentence, difference):
    """Judge, set by set, that a paired difference is positive.

    The training sizes of a set are averaged first, since their splits share seeds.
    """
    per_split = difference.groupby(level=["data", "seed"]).mean()
    for data, name in SETS.items():
        verdict, found = larger(per_split[data], "{:+.3f} ± {:.3f}")
        place = f"Table {1 + list(SETS).index(data)}"
        yield claim(place, sentence, verdict, found, data=data) | {"set": name}
