"""Find values that are not measurements: fill values, plateaus, stuck sensors, dead lines."""

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_scalar

from rnmf_tutorial.far_out import find_far_out
from rnmf_tutorial.frames import is_frame, parts_of, with_names
from rnmf_tutorial.selection.planting import as_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["mark"]

# With these, at most 2 of 10,000 cells are marked in fifteen clean tables of other
# kinds (see tests/doors/test_suspects.py): zeros are data if more than this share of
# their runs is one long,
ZEROS = 0.05
# a plateau has so many times the cells that the next values let expect,
TIES = 10
# and a run of equal values, or a line of them, comes by chance in one of so many
# tables.
CHANCE = 1000


def mark(A: ArrayLike, *, least: int = 5) -> "tuple[Any, pd.DataFrame]":
    """Replace values that are not measurements by NaN.

    These are fill values, plateaus, stuck sensors and dead lines.

    Where values are clipped, or a sensor repeats its last one, no loss can separate the
    errors from the signal; a model that takes missing entries passes over them. Marked
    are, in this order:

    - "far out": entries that are absurdly far out, more than a thousand times as large
      as all others, such as a fill value (:mod:`rnmf_tutorial.far_out`);
    - "dead": a sample or a feature with a single value, unless more than half of them
      have one, or chance explains it;
    - "saturated": the largest value, of the table or of a feature, if more cells share
      it than the next ten values let expect (`least` cells where these occur once, ten
      times as many as the commonest of them where they repeat), and "floor", the same
      of the smallest value but zero;
    - "stuck": a run of equal values along the samples of a feature, or along the
      features of a sample, longer than chance explains in all but one of a thousand
      tables, at the rate at which neighbors are equal elsewhere in this line, or in
      half of the lines.

    Zeros can be data. A line of zeros is dead only if chance does not explain it at the
    rate of zeros of the line that has most of them, and the smallest value is never
    zero. A run of zeros is stuck, at the rate at which other values are equal, unless
    zeros come one by one, as in counts (more than 5% of the runs of zeros are one
    long); or other values fall toward them (half as large beside zeros as elsewhere, in
    the median); or most lines are zero in the same places, as at the edges of pictures.
    What is constant on purpose, such as a column for a baseline, has to be left out
    before.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        NaN, or what a masked array hides, is missing. The samples in the order of their
        measurement, if they have one.
    least : int, default=5
        The fewest equal cells that are called a plateau, a run or a dead line.

    Returns
    -------
    marked : ndarray or DataFrame of shape (n_samples, n_features)
        A copy with NaN in the marked places; a frame keeps its names. A dead line has
        no entry left, and models ask to leave it out, as by `marked.dropna(axis=1,
        how="all")`.
    report : DataFrame
        "kind", "where" (of names, or positions), "cells" (how many) and "value" of what
        was marked.

    Raises
    ------
    ValueError
        If the data are no table of numbers, or `least` is below 3.

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
    import pandas as pd  # whoever imports the package may do without it

    check_scalar(least, "least", Integral, min_val=3)
    values = as_table(A, "mark").copy()
    frame: Any = A
    samples = frame.index if hasattr(frame, "iloc") else pd.RangeIndex(len(values))
    features: Any = range(values.shape[1])
    if is_frame(frame):
        features = parts_of(frame)[0]
    rows = []

    def marks(kind, where, part, place):
        found = part[place][~np.isnan(part[place])]
        rows.append((kind, where, len(found), float(found[0])))
        part[place] = np.nan  # all parts are views of the values

    far = find_far_out(values)
    if far is not None:
        for i, j in zip(far.samples, far.features, strict=True):
            where = f"sample {samples[i]}, feature {features[j]}"
            marks("far out", where, values, (slice(i, i + 1), j))
    by_feature = "feature", values.T, features, "samples", samples
    by_sample = "sample", values, samples, "features", features
    for line, lines, names, *_ in (by_feature, by_sample):
        for k in dead_lines(lines, least):
            marks("dead", f"{line} {names[k]}", lines, k)
    places = ["the table", *(f"feature {name}" for name in features)]
    for where, part in zip(places, [values, *values.T], strict=True):
        for kind, value in plateaus(part, least):
            marks(kind, where, part, part == value)
    for line, lines, names, other, others in (by_feature, by_sample):
        for k, first, last in stuck_runs(lines, least):
            where = f"{line} {names[k]}, {other} {others[first]} to {others[last]}"
            marks("stuck", where, lines, (k, slice(first, last + 1)))
    return with_names(A, values), pd.DataFrame(
        rows, columns=["kind", "where", "cells", "value"]
    )


def equal_neighbors(lines):
    """Return which entries equal the next in their line, and how many steps chance explains.

    The rate of equal neighbors is that of the line outside its longest run, at least
    the median of all lines; a line of a single value gives none.
    """
    same = lines[:, 1:] == lines[:, :-1]
    line, first, last = runs_of(same)
    last += 1  # a run of equal steps ends at the next entry
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
    n = known[~constant].sum(axis=1)
    most_zeros = (((others == 0).sum(axis=1) + 1) / (n + 2)).max()
    zeros = np.log(CHANCE * len(others)) / -np.log(most_zeros)  # in a line, by chance
    enough = np.where(low != 0, np.median(equal_neighbors(others)[-1]), zeros)
    return np.flatnonzero(constant & (known.sum(axis=1) >= np.maximum(enough, least)))


def plateaus(part, least):
    """Yield the kind and the value of the plateaus at the two ends of an array."""
    values, counts = np.unique(part[part > 0], return_counts=True)
    if len(values) < 2 * least:  # too few levels: each looks like a plateau
        return
    for kind, end in (("saturated", -1), ("floor", 1)):
        here, *following = counts[::end][:11].tolist()
        falling = following[0] ** 2 / following[1]  # if counts go down by one factor
        if here >= least + TIES * (max(*following, falling) - 1):
            yield kind, values[::end][0]


def stuck_runs(lines, least):
    """Yield the line, the first and the last place of runs that chance does not explain."""
    zero = lines == 0
    positive = np.where(zero, np.nan, lines)
    if zeros_are_data(zero, positive):
        lines = positive
    line, first, last, _ = equal_neighbors(lines)
    chance = equal_neighbors(positive)[-1]
    for k in np.flatnonzero(last - first >= np.maximum(chance, least - 1)[line]):
        most_are_zero = zero[:, first[k] : last[k] + 1].mean() > 0.5
        if not (zero[line[k], first[k]] and most_are_zero):
            yield line[k], first[k], last[k]


def zeros_are_data(zero, positive):
    """Return whether the zeros in lines come one by one, or other values fall toward them."""
    line, first, last = runs_of(zero)
    if not len(line):
        return False
    framed = np.pad(positive, ((0, 0), (1, 1)), constant_values=np.nan)
    beside = np.append(framed[line, first], framed[line, last + 2])
    alone = (first == last).mean() > ZEROS
    return alone or np.nanmedian(beside) < np.nanmedian(positive) / 2


def runs_of(marked):
    """Return the line, the first and the last place of the runs of True in each line."""
    steps = np.diff(np.pad(marked, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    line, first = np.nonzero(steps == 1)
    _, last = np.nonzero(steps == -1)
    return line, first, last - 1
