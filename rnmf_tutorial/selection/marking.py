"""What in a table is no measurement: plateaus, stuck sensors, dead lines."""

from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.utils import check_scalar

from rnmf_tutorial.inputs import as_floats

__all__ = ["mark"]

#: Zeros are data if more than this part of the entries outside lines of zeros is zero.
ZEROS = 0.05
#: A plateau has more than so many times the cells that the next values let expect.
TIES = 10
#: A run of equal values is called stuck if it would come by chance in one of so many tables.
CHANCE = 1000


def mark(A, *, least=5):
    """Replace what is no measurement by NaN: plateaus, stuck sensors, dead rows and columns.

    Where values are clipped, or a sensor repeats its last one, no loss tells the errors from the
    signal; a model that takes missing entries passes over them. Marked are, in this order:

    - "dead": a sample or a feature with a single value, unless more than half of them have one, or
      chance explains it;
    - "saturated": the largest value, of the table or of a feature, if more cells share it than the
      next ten values let expect (`least` cells where these stand alone, ten times as many as the
      commonest of them where they repeat), and "floor", the same of the smallest value but zero;
    - "stuck": a run of equal values along the samples of a feature, or along the features of a
      sample, longer than chance explains in all but one of a thousand tables, at the rate at which
      neighbors are equal in the rest of this line, or in half of the lines.

    Zeros are data where they are common: a line of zeros is dead only if chance does not explain it
    at the rate of zeros of the line that has most of them, a run of zeros is stuck only where less
    than 5 % of the entries are zero, and the smallest value is never zero. What is constant on
    purpose, such as a column for a baseline, has to be left out before.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        Non-negative; NaN, or what a masked array hides, is missing. The samples in the order of
        their measurement, if they have one.
    least : int, default=5
        The fewest equal cells that are called a plateau, a run or a dead line.

    Returns
    -------
    marked : ndarray or DataFrame of shape (n_samples, n_features)
        A copy with NaN in the marked places; a frame keeps its names. A dead line has no entry
        left, and models ask to leave it out, as by `marked.dropna(axis=1, how="all")`.
    report : DataFrame
        "kind", "where" (of names, or positions), "cells" (how many) and "value" of what was marked.

    Raises
    ------
    ValueError
        If the data are no table of non-negative numbers, or `least` is below 3.

    Examples
    --------
    >>> A = np.random.default_rng(0).gamma(2, size=(200, 6))
    >>> A[:, 1] = np.minimum(A[:, 1], 4.0)
    >>> A[50:80, 3] = A[50, 3]
    >>> marked, report = mark(A)
    >>> report[["kind", "where", "cells"]].values.tolist()
    [['saturated', 'feature 1', 22], ['stuck', 'feature 3, samples 50 to 79', 30]]
    >>> int(np.isnan(marked).sum())
    52
    """
    check_scalar(least, "least", Integral, min_val=3)
    values = as_floats(A, "mark").copy()
    framed = isinstance(A, pd.DataFrame)
    samples, features = (A.index, A.columns) if framed else map(range, values.shape)
    rows = []

    def marks(kind, where, place):
        found = values[place][~np.isnan(values[place])]
        rows.append((kind, where, len(found), float(found[0])))
        values[place] = np.nan

    lined = ("feature", features, samples, "sample"), ("sample", samples, features, "feature")
    for line, names, _, _ in lined:
        for k in dead_lines(values.T if line == "feature" else values, least):
            marks("dead", f"{line} {names[k]}", np.s_[:, k] if line == "feature" else k)
    parts = {"the table": slice(None)} | {f"feature {name}": [k] for k, name in enumerate(features)}
    for where, part in parts.items():
        for kind, value in plateaus(values[:, part], least):
            i, j = np.nonzero(values[:, part] == value)
            marks(kind, where, (i, np.arange(values.shape[1])[part][j]))
    for line, names, others, other in lined:
        for k, first, last in stuck_runs(values.T if line == "feature" else values, least):
            run = slice(first, last + 1)
            where = f"{line} {names[k]}, {other}s {others[first]} to {others[last]}"
            marks("stuck", where, (run, k) if line == "feature" else (k, run))
    marked = pd.DataFrame(values, samples, features) if framed else values
    return marked, pd.DataFrame(rows, columns=["kind", "where", "cells", "value"])


def zeros_are_data(lines):
    """Tell whether zeros are common outside the lines that are all zero."""
    something = lines > 0
    part = lines[something.any(axis=1)][:, something.any(axis=0)]
    return bool((part == 0).sum() > ZEROS * (~np.isnan(part)).sum())


def equal_neighbors(lines):
    """Return which entries equal the next in their line, and how many steps chance explains.

    The rate of equal neighbors is that of the line outside its longest run, at least the median of
    all lines; a line of a single value tells none.
    """
    same = lines[:, 1:] == lines[:, :-1]
    steps = np.diff(np.pad(same, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (line, first), last = np.nonzero(steps == 1), np.nonzero(steps == -1)[1]
    longest = np.zeros(len(lines), int)
    np.maximum.at(longest, line, last - first)
    pairs = (~np.isnan(lines[:, 1:] + lines[:, :-1])).sum(axis=1)
    rate = (same.sum(axis=1) - longest + 1) / (pairs - longest + 2)
    rate = np.maximum(rate, np.median(rate))
    chance = np.log(CHANCE * lines.size) / -np.log(rate)
    return line, first, last, np.where(longest == pairs, np.inf, chance)


def dead_lines(lines, least):
    """Return which lines have a single value, unless most have."""
    known = ~np.isnan(lines)
    low = np.where(known, lines, np.inf).min(axis=1)
    constant = low == np.where(known, lines, -np.inf).max(axis=1)
    if constant.mean() > 0.5 or not constant.any():
        return []
    others = lines[~constant]
    enough = np.where(low > 0, np.median(equal_neighbors(others)[-1]), zeros_by_chance(others))
    return np.flatnonzero(constant & (known.sum(axis=1) >= np.maximum(enough, least)))


def zeros_by_chance(lines):
    """Return how many zeros a line has by chance, at the rate of the line that has the most."""
    zero, known = (lines == 0).sum(axis=1), (~np.isnan(lines)).sum(axis=1)
    return np.log(CHANCE * len(lines)) / -np.log(((zero + 1) / (known + 2)).max())


def plateaus(part, least):
    """Yield the kind and the value of the plateaus at the two ends of an array."""
    values, counts = np.unique(part[part > 0], return_counts=True)
    if len(values) < 2 * least:  # too few levels to tell a plateau from a level
        return
    for kind, end in (("saturated", -1), ("floor", 1)):
        here, *following = counts[::end][:11].tolist()
        falling = following[0] ** 2 / following[1]  # if counts go down by one factor
        if here >= least + TIES * (max(*following, falling) - 1):
            yield kind, values[::end][0]


def stuck_runs(lines, least):
    """Yield the line, the first and the last place of runs that chance does not explain."""
    if zeros_are_data(lines):
        lines = np.where(lines == 0, np.nan, lines)
    line, first, last, chance = equal_neighbors(lines)
    for k in np.flatnonzero(last - first >= np.maximum(chance, least - 1)[line]):
        yield line[k], first[k], last[k]
