"""Verdicts on *Regularized non-negative matrix factorization*: Tables 1 and 2."""

import pandas as pd

from studies import stored
from studies.machinery.rule import judge
from studies.machinery.verdicts import with_reasons
from studies.sparse import printed as in_print

UNITS = {"e": 100, "s": 100, "c": 1}  # the paper's percent


def table(runs, printed, axis):
    """Judge one table by the means of `runs`; the numbers of a column are compared.

    The paper speaks of one run each.

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
    draws = runs.assign(
        **{column: unit * runs[column] for column, unit in UNITS.items()}
    )
    draws = draws.melt([axis, "seed"], list(UNITS), var_name="metric")
    draws = draws.rename(columns={"seed": "draw"})
    long["rounding"] = 0.005
    return judge(long, draws, cell=[axis, "metric"], row=["metric"])


def table_1():
    """Judge Table 1: plain NMF on three numbers of images."""
    return table(stored("sparse-table1"), in_print.TABLE_1, "n")


def table_2():
    """Judge Table 2: five methods on a hundred images."""
    return table(stored("sparse-methods"), in_print.TABLE_2, "method")


def numbers():
    """Return Tables 1 and 2 with verdicts as rows of the scoreboard."""
    first, second = table_1(), table_2()
    first = first.assign(
        place="Table 1", method="NMF", setting=first.n.astype(str) + " images"
    )
    second = second.assign(place="Table 2", setting="100 images")
    rows = pd.concat([first, second], ignore_index=True)
    rows = rows.assign(kind="number", data="cbcl", reading="")
    return with_reasons(rows, _why)


def _why(row):
    what = "which images and which start are not printed"
    if row.metric == "s":
        what = "the threshold of a zero; 10⁻⁴ was tried, others in the chapter"
    return "protocol not stated", what
