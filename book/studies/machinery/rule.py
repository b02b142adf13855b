r"""The rule of evidence: what a printed number or a sentence needs to count as reproduced.

Fixed on 2026-11-22, and the same for all five papers. It was written before the tables
were graded by it, but all our rows were known by then, and the commit that graded them
changed its logic once more: a pair with fewer than three draws in common was left out
of an ordering.

**Draw.** The unit is one repetition of a whole experiment: new noise or a new split, a
new start, and every method on the same draw. Settings that share their seeds are
averaged within a draw first, so that they do not count as repetitions.

**A number** is the mean of the paper's repetitions; ours is the mean of our draws. The
difference of the two has the standard error :math:`\sqrt{s^2/n + s_0^2/n_0}`, with the
paper's deviation :math:`s_0` of :math:`n_0` repetitions; where it prints none, ours
stands in for it.

- *Reproduced*: ours is within two standard errors or 5% of the printed number,
  whichever is more, provided that two standard errors are at most 10% of it. So our
  own noise never earns a verdict.
- *Same ordering*: not that; but against every other number of its row that print tells
  apart from it, by more than 5%, ours is clearly on the printed side. (There must be
  at least one; a pair with fewer than three draws in common is left out.)
- *Cannot be tested here*: ours is within two standard errors, and these are more than
  10%; or there are fewer than three draws; or the data are a substitute.
- *Not reproduced*: everything else, with its cause.

**Better** has one meaning here: the mean of the paired differences, one per draw,
exceeds the 97.5% point of Student's t, with the number of draws less one as degrees of
freedom, times its standard error.

**A sentence** is quoted with its section and turned into one or more differences per
draw that are positive where it holds; where it compares with several things, each is a
part. A part has a **smallest effect**: half a point (0.005 of an error, an accuracy or
another share of one). A smaller mean difference counts as none, however small its error
is. This was added on 2026-11-27, when the verdicts without it were known.

- *Reproduced*: every part is better in that sense, and by the smallest effect on
  average.
- *Same ordering*: every part is positive by the smallest effect on average.
- *Cannot be tested here*: fewer than three draws, a substitute, or a word that no
  number defines.
- *Not reproduced*: everything else, with its cause.

Two kinds of sentences have no smallest effect. A theorem is true or false. A trend is
judged step by step, and how large a step is depends on the values that we chose.

A bar that the sentence itself does not state is ours, and the row says so. A question
that stands in no paper is ours too, and is not counted.

**A substitute** is another set of images, or the same at another size than the paper
states. It can neither confirm nor refute, so both verdicts become *cannot be tested
here*, beside what was seen.

**What the nulls explain.** A count of verdicts is read beside three nulls: the same
rule on our numbers when each method of a row gets the mean of the row; when the numbers
of a row are dealt out anew among its methods, many times; and when every method of a
table gets the numbers of one of them, the one that earns most. The headline is the
count less the largest of the three.

**Sides.** Among the pairs of a row that print tells apart, by more than 5%, ours are
clearly on the printed side, clearly on the opposite one, or neither. Where methods do
not differ, the two are equally frequent, so the null of their difference is zero.

**Equivalent** is a number whose gap and two standard errors together are at most 5% of
it. It is stricter than *reproduced*, which may also mean that ours and the printed
number cannot be told apart.

**Power** is the smallest true difference that the rule would call better in eight of
ten repetitions of all our draws.

**The chance level of a sentence** is how often it would get its verdict if none of its
parts differed from zero: in simulated draws that are normal with mean zero and have the
deviations and correlations of ours. It is at most 2.5% for *reproduced*. For *same
ordering* or better it can be one half, if there is only one part. So *same ordering*
says little of a sentence with one or two parts.

**Multiplicity.** The rule judges each sentence by itself. How many would stay
reproduced if all of them were judged together, so that the chance of even one wrong
one is at most 2.5%? For this the p-value of a sentence is the largest one of its
parts, and Holm's method corrects for their number.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtr as student_probability
from scipy.special import stdtrit as student_quantile

#: When the rule was fixed.
DATE = "2026-11-22"

REPRODUCED = "reproduced"
SAME_ORDERING = "same ordering"
NOT_REPRODUCED = "not reproduced"
NOT_TESTABLE = "cannot be tested here"
MISPRINT = "misprint"

#: Share of a printed number within which ours is near, and above which two errors are
#: too much.
SHARE, LIMIT = 0.05, 0.10
LEAST_DRAWS = 3
CONFIDENCE, POWER = 0.975, 0.8
#: The smallest effect of a part of a sentence: half a point.
LEAST_EFFECT = 0.005
#: How many times the draws of a sentence are simulated for its chance level.
SIMULATIONS = 2000

#: Why something is not reproduced; each failure has one of these.
CAUSES = (
    "data differ",
    "protocol not stated",
    "stopping point",
    "start",
    "noise",
    "the claim does not hold",
)


# -- Sentences
# ----------------------------------------------------------------------------


def statistics(differences):
    """Return number, mean and standard error of the differences, one per draw."""
    d = np.asarray(differences, dtype=float)
    if np.isnan(d).any():
        raise ValueError(
            "A draw is missing on one side of a comparison; finish the results."
        )
    error = d.std(ddof=1) / np.sqrt(len(d)) if len(d) > 1 else np.nan
    return len(d), float(d.mean()) if len(d) else np.nan, float(error)


def better(differences):
    """Whether the mean of paired differences, one per draw, is clearly above zero.

    Examples
    --------
    >>> better([1, 2, 3]), better([3, 4, 5])
    (False, True)
    """
    n, mean, error = statistics(differences)
    return bool(n >= LEAST_DRAWS and mean > student_quantile(n - 1, CONFIDENCE) * error)


def sentence_verdict(*parts, least=LEAST_EFFECT):
    """Judge a sentence by its parts, each with one number per draw, positive where it holds.

    Parameters
    ----------
    *parts : array-like
    least : float, default=LEAST_EFFECT
        The smallest effect: a smaller mean difference counts as none.

    Examples
    --------
    >>> sentence_verdict([3, 4, 5], [1, 2, 3])
    'same ordering'
    >>> sentence_verdict([0.003, 0.003, 0.003])
    'not reproduced'
    """
    if not parts or min(map(len, parts)) < LEAST_DRAWS:
        return NOT_TESTABLE
    means = [statistics(part)[1] for part in parts]
    if not all(mean > 0 and mean >= least for mean in means):
        return NOT_REPRODUCED
    return REPRODUCED if all(map(better, parts)) else SAME_ORDERING


def p_value(*parts):
    """Return the largest one-sided p-value of the parts of a sentence, by Student's t.

    NaN with fewer than three draws. All parts have to hold, so the sentence is no more
    certain than its weakest part.

    Examples
    --------
    >>> round(p_value([3, 4, 5], [1, 2, 3]), 3)
    0.037
    """
    if not parts or min(map(len, parts)) < LEAST_DRAWS:
        return np.nan
    values = []
    for part in parts:
        n, mean, error = statistics(part)
        if error > 0:
            values.append(float(student_probability(n - 1, -mean / error)))
        else:
            values.append(0.0 if mean > 0 else 1.0)
    return max(values)


def chance_levels(*parts, least=LEAST_EFFECT, simulations=SIMULATIONS, seed=0):
    """Return how often a sentence would be reproduced, or at least ordered, by chance.

    Parameters
    ----------
    *parts : array-like
        The draws of each part. Those at the same place are of the same noise.
    least : float, default=LEAST_EFFECT
        The smallest effect.
    simulations : int
    seed : int

    Returns
    -------
    reproduced, ordered : float
        The shares of simulated draws without any difference that the rule calls
        *reproduced*, and *same ordering* or *reproduced*. NaN with fewer than three
        draws.

    Examples
    --------
    >>> reproduced, ordered = chance_levels([-1.0, 0.0, 2.0], least=0)
    >>> 0.01 < reproduced < 0.04, 0.45 < ordered < 0.55
    (True, True)
    """
    if not parts or min(map(len, parts)) < LEAST_DRAWS:
        return np.nan, np.nan
    most = max(map(len, parts))
    # The parts share the weights, so that their draws stay as dependent as ours are.
    weights = np.random.default_rng(seed).standard_normal((simulations, most, most))
    ordered = np.ones(simulations, bool)
    reproduced = np.ones(simulations, bool)
    for part in parts:
        ours = np.asarray(part, dtype=float)
        n = len(ours)
        # A sum of the rows of `off` with normal weights has the variance of our draws.
        off = (ours - ours.mean()) / np.sqrt(n - 1)
        draws = weights[:, :n, :n] @ off
        mean = draws.mean(axis=1)
        error = draws.std(axis=1, ddof=1) / np.sqrt(n)
        large = (mean > 0) & (mean >= least)
        ordered &= large
        reproduced &= large & (mean > student_quantile(n - 1, CONFIDENCE) * error)
    return float(reproduced.mean()), float(ordered.mean())


def holm(p_values, level=1 - CONFIDENCE):
    """Tell which of several hypotheses can be rejected together, by Holm's method.

    Parameters
    ----------
    p_values : array-like
        Without NaN.
    level : float, default=0.025
        The largest chance that even one of them is rejected wrongly.

    Returns
    -------
    ndarray of bool

    Examples
    --------
    >>> holm([0.001, 0.02, 0.011], level=0.025)
    array([ True,  True,  True])
    >>> holm([0.02, 0.02, 0.02], level=0.025)
    array([False, False, False])
    """
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values, kind="stable")
    left = np.arange(len(p_values), 0, -1)  # how many are not decided yet
    passed = np.logical_and.accumulate(p_values[order] <= level / left)
    rejected = np.zeros(len(p_values), dtype=bool)
    rejected[order] = passed
    return rejected


def detectable(differences):
    """Return the smallest true difference that would be called better in 8 of 10 repetitions.

    With ``t`` of both levels for the noncentral distribution, which is close from three
    draws on.
    """
    n, _, error = statistics(differences)
    if n < LEAST_DRAWS:
        return np.nan
    return float(
        (student_quantile(n - 1, CONFIDENCE) + student_quantile(n - 1, POWER)) * error
    )


# -- Numbers
# ------------------------------------------------------------------------------


class Printed(NamedTuple):
    """What a paper prints of one row, an array entry per number.

    `runs` are its repetitions; `sd` their deviation, NaN where it prints none;
    `rounding` half a unit of the last digit.
    """

    value: np.ndarray
    sd: np.ndarray
    runs: np.ndarray
    rounding: np.ndarray


def two_errors(printed, draws):
    """Return twice the standard error of ours minus printed; draws in rows, numbers in columns."""
    n = (~np.isnan(draws)).sum(axis=0)
    off = draws - np.nanmean(draws, axis=0)
    ours = np.nansum(off**2, axis=0) / np.maximum(
        n - 1, 1
    )  # one draw has no verdict anyway
    theirs = np.where(np.isnan(printed.sd), ours, np.square(printed.sd))
    return 2 * np.sqrt(ours / n + theirs / printed.runs)


def level(printed, draws):
    """Judge the level of each number alone: reproduced, too noisy to tell, or not reproduced."""
    n = (~np.isnan(draws)).sum(axis=0)
    gap = np.abs(np.nanmean(draws, axis=0) - printed.value)
    errors = two_errors(printed, draws)
    near = np.maximum(SHARE * np.abs(printed.value), printed.rounding)
    noisy = errors > np.maximum(LIMIT * np.abs(printed.value), printed.rounding)
    # The last bits of a mean or of 5% must not decide.
    within = gap <= np.maximum(near, errors) * (1 + 1e-9)
    verdict = np.where(within, REPRODUCED, NOT_REPRODUCED)
    verdict = np.where(noisy & (gap <= errors), NOT_TESTABLE, verdict)
    verdict = np.where(noisy & (gap > errors), NOT_REPRODUCED, verdict)
    return np.where(n < LEAST_DRAWS, NOT_TESTABLE, verdict)


def equivalent(printed, draws):
    """Whether the gap and two standard errors together are within 5% of each printed number."""
    n = (~np.isnan(draws)).sum(axis=0)
    gap = np.abs(np.nanmean(draws, axis=0) - printed.value)
    near = np.maximum(SHARE * np.abs(printed.value), printed.rounding)
    return (n >= LEAST_DRAWS) & (gap + two_errors(printed, draws) <= near * (1 + 1e-9))


def printed_sides(printed):
    """Return 1 where print tells the number of the row above that of the column, -1 below, or 0.

    Two numbers are told apart by more than 5% of the larger one.
    """
    p = printed.value
    room = SHARE * np.maximum(np.abs(p)[:, None], np.abs(p)[None, :])
    room = np.maximum(
        room, np.maximum(printed.rounding[:, None], printed.rounding[None, :])
    )
    difference = p[:, None] - p[None, :]
    return np.where(
        np.abs(difference) > room * (1 + 1e-9), np.sign(difference), 0
    ).astype(int)


def our_sides(draws):
    """Return the same of our draws: 1 or -1 where a paired difference is better in one way."""
    k = draws.shape[1]
    sides = np.zeros((k, k), dtype=int)
    for i in range(k):
        for j in range(i):
            d = draws[:, i] - draws[:, j]
            d = d[~np.isnan(d)]
            sides[i, j] = int(better(d)) - int(better(-d))
            sides[j, i] = -sides[i, j]
    return sides


def shared_draws(draws):
    """Return how many draws each pair of methods has in common."""
    there = (~np.isnan(draws)).astype(int)
    return there.T @ there


class Row:
    """The numbers that a reader of a table compares, with all that verdicts and nulls need.

    Parameters
    ----------
    printed : Printed
    draws : ndarray of shape (n_draws, n_numbers)
        Ours, paired by draw; NaN where a method has no such draw.
    names : sequence or None
        What tells the numbers of the row apart, such as methods; their places without.
    substitute : bool
        Whether the data are a substitute.
    """

    def __init__(self, printed, draws, names=None, *, substitute=False):
        self.printed, self.draws = printed, np.asarray(draws, dtype=float)
        k = len(printed.value)
        self.names = list(range(k)) if names is None else list(names)
        self.substitute = substitute
        # levels[i, j]: printed number i judged by our draws of method j.
        of_printed = [
            Printed(*(np.repeat(part[i], k) for part in printed)) for i in range(k)
        ]
        self.levels = np.array([level(one, self.draws) for one in of_printed])
        self.in_print, self.ours = printed_sides(printed), our_sides(self.draws)
        self.comparable = shared_draws(self.draws) >= LEAST_DRAWS

    def verdicts(self, order=None):
        """Judge each number; `order` deals our numbers out anew, or one in each of its rows."""
        order = np.arange(len(self.levels)) if order is None else np.asarray(order)
        pairs = order[..., :, None], order[..., None, :]
        found = self.levels[np.arange(order.shape[-1]), order]
        told = (self.in_print != 0) & self.comparable[pairs]
        same = (self.ours[pairs] == self.in_print) | ~told
        ordered = told.any(axis=-1) & same.all(axis=-1)
        return np.where((found == NOT_REPRODUCED) & ordered, SAME_ORDERING, found)

    def verdicts_of_mean(self):
        """Judge as if every method had the mean of the row in each draw; it has no ordering."""
        mean = np.nanmean(self.draws, axis=1)
        return level(self.printed, np.repeat(mean[:, None], len(self.levels), axis=1))

    def verdicts_of_one(self, name):
        """Judge as if every method had the draws of this one; a row without it has no verdict."""
        if name not in self.names:
            return np.full(len(self.levels), NOT_TESTABLE, dtype=object)
        return self.levels[:, self.names.index(name)]

    def sides(self):
        """Count the pairs that print tells apart, those as printed, and those opposite."""
        told = np.triu((self.in_print != 0) & self.comparable)
        agree = self.ours * self.in_print
        return np.array(
            [told.sum(), (told & (agree > 0)).sum(), (told & (agree < 0)).sum()]
        )


def judge(table, draws, *, cell, row):
    """Give every printed number its verdict, and its verdict by the two nulls.

    Parameters
    ----------
    table : DataFrame
        One row per printed number: the columns of `cell`, and `printed`; where there
        are such columns also `printed_sd`, `printed_runs` (1 without), `rounding` (0
        without), `misprint` and `substitute` (False without).
    draws : DataFrame
        Our runs: the columns of `cell`, `draw` and `value`; several values of a draw
        are averaged.
    cell, row : list of str
        What names a number, and what the numbers of one row have in common.

    Returns
    -------
    DataFrame
        The table in its own order with the columns `ours`, `sd`, `runs`, `verdict`;
        `seen`, what a verdict would be if the data were the paper's; `untested`, why
        there is none; `equivalent`; and `row_of`, the `Row` and the place in it, from
        which `nulls` and `sides` count.

    Raises
    ------
    ValueError
        If a number of ours is missing.
    """
    defaults = {"printed_sd": np.nan, "printed_runs": 1, "rounding": 0.0}
    defaults |= dict.fromkeys(("misprint", "substitute"), False)
    given = table.assign(
        **{name: table.get(name, value) for name, value in defaults.items()}
    )
    values = draws.groupby([*cell, "draw"]).value.mean()
    known = values.groupby(level=list(range(len(cell)))).agg(["mean", "std", "count"])
    known = known.set_axis(["ours", "sd", "runs"], axis=1)
    given = given.drop(columns=["ours", "sd", "runs"], errors="ignore")
    given = given.join(known, on=cell)
    if given.ours.isna().any():
        raise ValueError(
            "Some printed numbers have no number of ours beside them; finish the stored results."
        )
    verdict = pd.Series(MISPRINT, index=given.index, dtype=object)
    seen, row_of = verdict.copy(), pd.Series(None, index=given.index, dtype=object)
    alike = pd.Series(False, index=given.index)
    within = [name for name in cell if name not in row]
    for _, part in given[~given.misprint.astype(bool)].groupby(row, sort=False):
        keys = [tuple(key) for key in part[cell].itertuples(index=False, name=None)]
        columns = [values.loc[key] for key in keys]
        paired = pd.concat(columns, axis=1, keys=range(len(keys)))
        numbers = part[["printed", "printed_sd", "printed_runs", "rounding"]].to_numpy(
            float
        )
        one = Row(
            Printed(*numbers.T),
            paired.to_numpy(),
            part[within].itertuples(index=False, name=None),
            substitute=bool(part.substitute.astype(bool).any()),
        )
        found = one.verdicts()
        alike.loc[part.index] = equivalent(one.printed, one.draws)
        seen.loc[part.index] = found
        verdict.loc[part.index] = np.where(
            part.substitute.astype(bool), NOT_TESTABLE, found
        )
        row_of.loc[part.index] = [(one, i) for i in range(len(keys))]
    alike &= ~given.substitute.astype(bool)
    given = given.assign(verdict=verdict, seen=seen, row_of=row_of, equivalent=alike)
    return given.assign(untested=[_untested(row) for row in given.itertuples()])


def _untested(row):
    """Say why a number has no verdict, if the data are the paper's."""
    if row.seen != NOT_TESTABLE:
        return ""
    if row.runs < LEAST_DRAWS:
        return f"fewer than {LEAST_DRAWS} draws"
    return "two standard errors of the difference are more than 10% of the number"


def rows_behind(judged):
    """Return the rows behind some judged numbers, each once, with the places that are theirs."""
    rows = {}
    for one, place in judged.row_of.dropna():
        rows.setdefault(id(one), (one, []))[1].append(place)
    return list(rows.values())


def nulls(judged, mark=REPRODUCED, *, shuffles=1000, seed=0):
    """Count a verdict, and how often each null earns it.

    Numbers whose data are a substitute, and misprints, have no verdict to be earned.

    Parameters
    ----------
    judged : DataFrame
        Rows of `judge`, of one table.
    mark : str
    shuffles : int
    seed : int

    Returns
    -------
    dict
        `count`; `mean_of_row`; `shuffled`, the mean over all shuffles; `low` and
        `high`, between which 95% of them are; `one_method`, the most that the numbers
        of one method earn in every place, and `method`, whose they are; `beyond`, the
        count less the largest null.
    """
    counted = judged[judged.row_of.notna() & (judged.verdict != NOT_TESTABLE)]
    rows = rows_behind(counted)
    of_mean = sum(
        (one.verdicts_of_mean()[places] == mark).sum() for one, places in rows
    )
    of_one = {
        name: sum(
            (one.verdicts_of_one(name)[places] == mark).sum() for one, places in rows
        )
        for name in dict.fromkeys(name for one, _ in rows for name in one.names)
    }
    best = max(of_one, key=of_one.get, default=None)
    rng = np.random.default_rng(seed)
    dealt = np.zeros(shuffles)
    for one, places in rows:
        orders = np.array([rng.permutation(len(one.levels)) for _ in range(shuffles)])
        dealt += (one.verdicts(orders)[:, places] == mark).sum(axis=1)
    count = int((counted.verdict == mark).sum())
    low, high = np.quantile(dealt, [0.025, 0.975])
    known = float(of_mean), float(dealt.mean()), float(of_one.get(best, 0))
    return {
        "count": count,
        "mean_of_row": int(of_mean),
        "shuffled": float(dealt.mean()),
        "low": float(low),
        "high": float(high),
        "one_method": int(of_one.get(best, 0)),
        "method": best,
        "beyond": count - max(known),
    }


def sides(judged):
    """Count on which side ours are where print tells two numbers of a row apart.

    Returns
    -------
    dict
        `pairs` that print tells apart and that have three draws in common; how many of
        them are significantly `as_printed`, and how many `opposite`. Rows on
        substitutes do not count.
    """
    each = [one.sides() for one, _ in rows_behind(judged) if not one.substitute]
    total = np.sum(each, axis=0) if each else np.zeros(3)
    return dict(zip(("pairs", "as_printed", "opposite"), map(int, total), strict=True))


def power(judged):
    """Return how large a difference between two numbers of a row could have been seen.

    Returns
    -------
    dict
        `draws`, the smallest number; `detectable`, the median over all pairs of numbers
        in a row of the smallest difference that could be seen, as a share of the
        printed number; `printed`, the median of the printed differences, in the same
        unit.
    """
    seen, printed, runs = [], [], []
    for one, _ in rows_behind(judged):
        p = one.printed.value
        for i in range(len(p)):
            for j in range(i):
                d = one.draws[:, i] - one.draws[:, j]
                d, unit = d[~np.isnan(d)], max(abs(p[i]), abs(p[j]))
                runs.append(len(d))
                seen.append(detectable(d) / unit)
                printed.append(abs(p[i] - p[j]) / unit)
    return {
        "draws": min(runs),
        "detectable": float(np.nanmedian(seen)),
        "printed": float(np.median(printed)),
    }


# -- Both
# ---------------------------------------------------------------------------------


def require_causes(rows):
    """Raise an error where something is not reproduced and has no cause, or not one of `CAUSES`.

    Parameters
    ----------
    rows : DataFrame
        With the columns `verdict`, `cause` and `reason`.
    """
    failed = rows[rows.verdict == NOT_REPRODUCED]
    for wrong, lack in (
        (failed[~failed.cause.isin(CAUSES)], "are not reproduced and have no cause"),
        (
            rows[(rows.verdict == NOT_TESTABLE) & (rows.reason == "")],
            "do not say why not tested",
        ),
    ):
        if len(wrong):
            raise ValueError(f"{len(wrong)} rows {lack}:\n{wrong.head()}")
