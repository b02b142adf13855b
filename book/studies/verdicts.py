"""What a verdict is, and how numbers and claims get one.

A row of kind "number" sets a printed number beside the mean of ours; a row of kind "claim" a
sentence beside what we found. The studies of the papers make such rows from stored results;
`scoreboard` puts them together.
"""

import numpy as np
import pandas as pd

REPRODUCED = "reproduced"
SAME_ORDERING = "same ordering"
NOT_REPRODUCED = "not reproduced"
MISPRINT = "misprint"
NOT_TESTED = "not tested"

#: Verdict -> its mark in the tables of the book.
MARKS = {REPRODUCED: "✓", SAME_ORDERING: "≈", NOT_REPRODUCED: "✗", MISPRINT: "–", NOT_TESTED: "○"}

#: Columns of a row of either kind.
COLUMNS = [
    *("paper", "kind", "place", "data", "setting", "method", "metric", "printed", "ours", "sd"),
    *("runs", "claim", "found", "verdict", "reason"),
]


def allowed_distance(printed, sd, rounding=0.0):
    """Return how far from the printed number still counts as reproduced.

    Two of our standard deviations, 5 % of the printed number, or its `rounding`, whichever is
    most. `rounding` is half a unit of the last printed digit; it matters near zero only.

    Examples
    --------
    >>> float(allowed_distance(0.2, sd=0.001)), float(allowed_distance(0.0, 0.0, rounding=0.005))
    (0.010000000000000002, 0.005)
    """
    return np.maximum(np.maximum(2 * sd, 0.05 * printed), rounding)


def judge(table, *, among, allowed, misprint=False):
    """Give every printed number its verdict.

    Parameters
    ----------
    table : DataFrame
        With the columns `printed` and `ours`.
    among : list of str
        Columns that are equal for the numbers whose order counts, such as those of one row.
    allowed : Series
        How far ours may be from the printed number to be "reproduced". Farther away, it has the
        "same ordering" if it takes the same place among its numbers.
    misprint : Series of bool
        Where the printed number is taken for an error of the press, so that nothing is judged.

    Returns
    -------
    DataFrame
        The table with the column `verdict`.

    Raises
    ------
    ValueError
        If a number of ours is missing.

    Examples
    --------
    >>> table = pd.DataFrame({"row": 1, "printed": [0.2, 0.3, 0.4], "ours": [0.2, 0.6, 0.5]})
    >>> list(judge(table, among=["row"], allowed=0.01).verdict)
    ['reproduced', 'not reproduced', 'not reproduced']
    """
    if table.ours.isna().any():
        raise ValueError(
            "Some printed numbers have no number of ours beside them; finish the stored results."
        )
    places = table.groupby(among, sort=False)[["printed", "ours"]].rank()
    near = (table.ours - table.printed).abs() <= allowed
    verdict = np.where(places.printed == places.ours, SAME_ORDERING, NOT_REPRODUCED)
    verdict = np.where(near, REPRODUCED, verdict)
    return table.assign(verdict=np.where(misprint, MISPRINT, verdict))


def grade(full, half=False):
    """Return the verdict on a claim that holds fully, or else half.

    Examples
    --------
    >>> grade(False, True)
    'same ordering'
    """
    if full:
        return REPRODUCED
    return SAME_ORDERING if half else NOT_REPRODUCED


def larger(differences, form="{:+.4f} ± {:.4f}", factor=2.0):
    """Judge the claim that these differences are positive on average.

    Parameters
    ----------
    differences : array-like
        One per draw, of the larger thing minus the smaller.
    form : str
        How to write the mean and its standard error.
    factor : float
        "Reproduced" asks for a mean above `factor` standard errors, "same ordering" for its sign.

    Returns
    -------
    verdict, text : str

    Examples
    --------
    >>> larger([1, 2, 3], "{:.1f} ± {:.1f}")
    ('reproduced', '2.0 ± 0.6')
    """
    d = pd.Series(np.asarray(differences, dtype=float))
    mean, error = d.mean(), d.sem()
    return grade(mean > factor * error, mean > 0), form.format(mean, error)


def claim(place, sentence, verdict, found, *, data="", reason=""):
    """Return one judged sentence of a paper as a row."""
    return {
        "kind": "claim",
        "place": place,
        "data": data,
        "claim": sentence,
        "found": found,
        "verdict": verdict,
        "reason": reason,
    }


def claim_rows(rows):
    """Return judged sentences as a table."""
    return pd.DataFrame(list(rows))


def claims_table(rows):
    """Return claims as the chapters show them.

    Parameters
    ----------
    rows : DataFrame
        With the columns place, claim, found and verdict.
    """
    heads = {"place": "where", "claim": "the paper's claim", "found": "ours", "verdict": "verdict"}
    return rows[list(heads)].rename(columns=heads)


def marks(rows):
    """Return the mark of each row's verdict."""
    return rows.verdict.map(MARKS).rename("mark")


def count(rows, by):
    """Return how many rows have each mark, one line per value of `by`."""
    counts = rows.groupby([*by, marks(rows)], sort=False).size().unstack(fill_value=0)
    return counts[[mark for mark in MARKS.values() if mark in counts]]
