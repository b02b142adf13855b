"""Verdicts on *Regularized non-negative matrix factorization*: Tables 1, 2 and its sentences."""

import pandas as pd

from studies.rows import stored
from studies.sparse import printed as in_print
from studies.verdicts import allowed_distance, judge

UNITS = {"e": 100, "s": 100, "c": 1}  # the paper's percent


def table(runs, printed, axis):
    """Judge one table by the means of `runs`; the order counts within its columns.

    Parameters
    ----------
    runs : DataFrame
        Stored rows, with the columns of UNITS.
    printed : DataFrame
        The table of the paper.
    axis : str
        The column of `runs` that the table has as its index.
    """
    long = printed.rename_axis(axis).reset_index()
    long = long.melt(axis, list(UNITS), var_name="metric", value_name="printed")
    stats = runs.assign(**{column: unit * runs[column] for column, unit in UNITS.items()})
    stats = stats.groupby(axis)[list(UNITS)].agg(["mean", "std", "count"])
    stats = stats.stack(level=0, future_stack=True).rename_axis([axis, "metric"])
    stats = stats.set_axis(["ours", "sd", "runs"], axis=1)
    rows = long.join(stats, on=[axis, "metric"])
    allowed = allowed_distance(rows.printed, rows.sd, rounding=0.005)
    return judge(rows, among=["metric"], allowed=allowed)


def table_1():
    """Judge Table 1: plain NMF on three numbers of images."""
    return table(stored("sparse-table1"), in_print.TABLE_1, "n")


def table_2():
    """Judge Table 2: five methods on a hundred images."""
    return table(stored("sparse-methods"), in_print.TABLE_2, "method")


def numbers():
    """Return Tables 1 and 2 with verdicts as rows of the scoreboard."""
    first, second = table_1(), table_2()
    first = first.assign(place="Table 1", method="NMF", setting=first.n.astype(str) + " images")
    second = second.assign(place="Table 2", setting="100 images")
    return pd.concat([first, second]).assign(kind="number", data="cbcl", reason="")
