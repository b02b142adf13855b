"""The rule of evidence, both sides of each of its boundaries, and its nulls."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from studies.machinery import rule
from studies.machinery.rule import (
    MISPRINT,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SAME_ORDERING,
)


def printed(values, sd=np.nan, runs=1, rounding=0.0):
    return rule.Printed(
        *np.broadcast_arrays(np.asarray(values, float), sd, runs, rounding)
    )


def draws_of(mean, sd, n=3):
    """Numbers with exactly this mean and sample deviation."""
    base = np.arange(n) - (n - 1) / 2
    return mean + sd * base / base.std(ddof=1)


# ------------------------------------------------------------------ levels


@pytest.mark.parametrize(
    ("mean", "deviation", "print_", "verdict", "alike"),
    [
        # Five percent, and half a unit of the last digit.
        (10.5, 0.0, {}, REPRODUCED, True),
        (10.51, 0.0, {}, NOT_REPRODUCED, False),
        (9.4, 0.0, {"rounding": 0.7}, REPRODUCED, True),
        (11.03, 0.45, {"rounding": 3.0}, REPRODUCED, True),
        # One printed run, its deviation as ours: sd √(1/3 + 1) = 0.346, twice that is
        # 0.693.
        (10.69, 0.3, {}, REPRODUCED, False),
        (10.70, 0.3, {}, NOT_REPRODUCED, False),
        # For a third of the deviation it is 0.231, which with the gap may be 0.5.
        (10.26, 0.1, {}, REPRODUCED, True),
        (10.28, 0.1, {}, REPRODUCED, False),
        # Noise never earns a verdict: 2 · 0.45 · √(4/3) = 1.04 is more than 10%.
        (11.03, 0.45, {}, NOT_TESTABLE, False),
        (11.05, 0.45, {}, NOT_REPRODUCED, False),
    ],
)
def test_two_errors_or_five_percent_decide_a_level(
    mean, deviation, print_, verdict, alike
):
    """Ours and print's both within five percent are equivalent."""
    given = printed([10], **print_)
    draws = draws_of(mean, deviation)[:, None]
    assert rule.level(given, draws) == verdict
    assert rule.equivalent(given, draws).tolist() == [alike]
    assert not rule.equivalent(given, draws[:2]).any()


def test_fewer_than_three_draws_decide_nothing():
    for value in (10.0, 90.0):
        assert rule.level(printed([10]), np.full((2, 1), value)) == NOT_TESTABLE
    assert rule.sentence_verdict([5.0, 5.1]) == rule.sentence_verdict() == NOT_TESTABLE
    assert not rule.better([5.0, 5.0]) and np.isnan(rule.detectable([1.0, 2.0]))


def test_two_errors_are_those_of_each_number_alone():
    """By NumPy's own deviation of the draws that are there, one number after the other."""
    draws = np.random.default_rng(0).normal(5, 1, (6, 3))
    draws[4:, 1] = draws[0, 2] = np.nan
    given = printed(
        [5.0, 5.0, 5.0], sd=np.array([np.nan, 0.5, 2.0]), runs=np.array([1, 4, 2])
    )
    for k, found in enumerate(rule.two_errors(given, draws)):
        own = draws[~np.isnan(draws[:, k]), k]
        theirs = own.var(ddof=1) if k == 0 else given.sd[k] ** 2
        expected = 2 * np.sqrt(own.var(ddof=1) / len(own) + theirs / given.runs[k])
        assert found == pytest.approx(expected, rel=1e-12)


# ------------------------------------------------------------------ orders


def verdicts(values, ours, spread=0.01):
    noise = np.array([[-1.0], [0.0], [1.0]]) * spread
    return (
        rule.Row(printed(values), np.asarray(ours, float) + noise).verdicts().tolist()
    )


@pytest.mark.parametrize(
    ("in_print", "ours", "marks"),
    [
        ([1, 2, 3], [10, 20, 30], "≈≈≈"),
        # The third is above both in print and here, the first two are exchanged.
        ([1, 2, 3], [20, 10, 30], "✗✗≈"),
        # What print does not tell apart may be on either side.
        ([1, 2, 2.1], [10, 21, 20], "≈≈≈"),
        ([1, 2, 2.2], [10, 21, 20], "≈✗✗"),
        # A number that print tells from no other has no ordering to keep.
        ([2.0, 2.05, 2.1], [10, 20, 30], "✗✗✗"),
        ([10, 10.4, 10.8], [100, 200, 300], "≈✗≈"),
    ],
)
def test_far_numbers_keep_their_side_or_lose_it(in_print, ours, marks):
    names = {"≈": SAME_ORDERING, "✗": NOT_REPRODUCED}
    assert verdicts(in_print, ours) == [names[mark] for mark in marks]


def test_an_ordering_must_be_clear_in_paired_draws():
    common = np.array(
        [[-5.0], [0.0], [5.0]]
    )  # shared by the methods: pairs do not see it
    means = np.array([50.0, 60.0])
    clear = rule.Row(
        printed([1, 2]), common + means + np.array([[0, 0], [0, 1], [0, -1]])
    )
    assert list(clear.verdicts()) == [SAME_ORDERING] * 2
    own = np.array([[-5.0, 5.0], [0, 0], [5, -5]])
    assert (
        list(rule.Row(printed([1, 2]), own + means).verdicts()) == [NOT_REPRODUCED] * 2
    )


# ---------------------------------------------------------------- better, and sentences


@pytest.mark.parametrize("n", [3, 5, 10])
def test_better_is_the_paired_t_test_of_draws(n):
    rng = np.random.default_rng(n)
    for _ in range(100):
        d = rng.normal(0.8, 1, n)
        assert rule.better(d) == (
            ttest_1samp(d, 0, alternative="greater").pvalue < 0.025
        )
    assert (
        rule.better([1.0] * n)
        and not rule.better([0.0] * n)
        and not rule.better([-1.0] * n)
    )


def test_every_part_of_a_sentence_counts():
    sure = [3.0, 4.0, 5.0]
    weak = [1.0, 2.0, 3.0]
    against = [1.0, -2.0, -3.0]
    assert rule.sentence_verdict(sure) == REPRODUCED
    assert rule.sentence_verdict(sure, weak) == SAME_ORDERING
    assert (
        rule.sentence_verdict(sure, against)
        == rule.sentence_verdict(against)
        == NOT_REPRODUCED
    )
    assert rule.sentence_verdict(sure, [0.0, 0.0, 0.0]) == NOT_REPRODUCED
    assert rule.sentence_verdict(sure, [-0.1, 0.0, 0.2]) == SAME_ORDERING


def test_a_difference_below_the_smallest_effect_is_none():
    """However clear it is; without a smallest effect it counts."""
    small = [0.0030, 0.0031, 0.0032]
    assert rule.better(small)
    assert rule.sentence_verdict(small) == NOT_REPRODUCED
    assert rule.sentence_verdict(small, least=0) == REPRODUCED
    assert rule.sentence_verdict([0.0049] * 3) == NOT_REPRODUCED
    assert rule.sentence_verdict([0.0051] * 3) == REPRODUCED
    assert rule.sentence_verdict([0.0] * 3, least=0) == NOT_REPRODUCED


@pytest.mark.parametrize("n", [3, 5, 10])
def test_one_part_is_reproduced_by_chance_in_one_of_forty_and_ordered_in_a_half(n):
    draws = np.random.default_rng(n).normal(3, 1, n)
    reproduced, ordered = rule.chance_levels(draws, least=0, simulations=20_000)
    assert reproduced == pytest.approx(0.025, abs=0.004)
    assert ordered == pytest.approx(0.5, abs=0.015)
    # Two equal parts say no more than one; two independent ones say more.
    assert rule.chance_levels(draws, draws, least=0, simulations=20_000) == (
        reproduced,
        ordered,
    )
    other = draws.mean() + np.array([1.0, -1.0] + [0.0] * (n - 2))
    assert rule.chance_levels(draws, other, least=0)[1] < 0.5
    assert rule.chance_levels(draws, least=10)[1] == 0


def test_the_p_value_of_a_sentence_is_the_largest_of_its_parts():
    rng = np.random.default_rng(0)
    parts = rng.normal(0.5, 1, (3, 6))
    each = [ttest_1samp(part, 0, alternative="greater").pvalue for part in parts]
    assert rule.p_value(*parts) == pytest.approx(max(each))
    assert rule.p_value([1.0] * 3) == 0 and rule.p_value([0.0] * 3) == 1
    assert np.isnan(rule.p_value([1.0, 2.0])) and np.isnan(rule.p_value())
    assert np.isnan(rule.chance_levels([1.0, 2.0])).all()


def test_holm_rejects_from_the_smallest_p_value_on_until_one_is_too_large():
    level = 0.05
    assert rule.holm([0.01, 0.04, 0.03], level).tolist() == [True, False, False]
    assert rule.holm([0.01, 0.04, 0.02], level).tolist() == [True, True, True]
    assert rule.holm([0.04], level).tolist() == [True]
    assert rule.holm([], level).tolist() == []


def test_a_missing_draw_is_an_error():
    for hole in (np.nan, None):
        with pytest.raises(ValueError, match="finish the results"):
            rule.statistics([1.0, hole, 2.0])


# ------------------------------------------------------------------ tables


NAMES = {"cell": ["row", "method"], "row": ["row"]}


def table(rows, spread=0.01, **columns):
    """A printed table and draws: {row: [(printed, ours), ...]}."""
    cells = [
        (r, f"m{k}", p, o)
        for r, pairs in rows.items()
        for k, (p, o) in enumerate(pairs)
    ]
    cells = pd.DataFrame(cells, columns=["row", "method", "printed", "ours"]).assign(
        **columns
    )
    off = enumerate((-spread, 0, spread))
    runs = pd.concat([cells.assign(draw=i, value=cells.ours + e) for i, e in off])
    return cells.drop(columns="ours"), runs[["row", "method", "draw", "value"]]


@pytest.mark.parametrize("seed", range(3))
def test_the_null_of_one_method_is_the_best_table_that_one_method_fills(seed):
    """By tables in which every method has the draws of one, each judged anew."""
    rng = np.random.default_rng(seed)
    drawn = {name: rng.choice([10.0, 11.0, 30.0], 4) for name in "abcde"}
    rows = {
        n: [(p, p * rng.choice([0.9, 1, 1.1, 2])) for p in row]
        for n, row in drawn.items()
    }
    cells, runs = table(rows, spread=0.2)
    earned = {}
    for method in cells.method.unique():
        theirs = runs[runs.method == method].drop(columns="method")
        filled = cells[["row", "method"]].merge(theirs, on="row")
        earned[method] = (
            rule.judge(cells, filled, **NAMES).verdict == REPRODUCED
        ).sum()
    found = rule.nulls(rule.judge(cells, runs, **NAMES), shuffles=50)
    assert found["one_method"] == max(earned.values()) == earned[found["method"][0]]
    known = found["mean_of_row"], found["shuffled"], found["one_method"]
    assert found["beyond"] == found["count"] - max(known)
    half = rule.judge(cells, runs, **NAMES).query("row in ['a', 'b']")
    assert rule.nulls(half, shuffles=2)["one_method"] <= found["one_method"]


def test_a_number_without_a_verdict_says_why_and_a_missing_one_is_an_error():
    cells, runs = table({"a": [(10, 10), (20, 20)]}, spread=5.0)
    loud = rule.judge(cells, runs, **NAMES)
    assert (
        list(loud.verdict) == [NOT_TESTABLE] * 2
        and loud.untested.str.contains("10%").all()
    )
    few = rule.judge(cells, runs[runs.draw < 2], **NAMES)
    assert list(few.untested) == ["fewer than 3 draws"] * 2
    with pytest.raises(ValueError, match="finish the stored results"):
        rule.judge(cells, runs[runs.method != "m1"], **NAMES)


def test_a_misprint_gets_no_verdict_and_orders_nothing():
    cells, runs = table(
        {"d": [(10, 60), (20, 50), (30, 40)]}, misprint=[True, False, False]
    )
    found = rule.judge(cells, runs, **NAMES)
    assert list(found.verdict) == [MISPRINT, NOT_REPRODUCED, NOT_REPRODUCED]
    sides = {"pairs": 1, "as_printed": 0, "opposite": 1}
    assert rule.sides(found) == sides
    assert rule.power(found)["printed"] == pytest.approx(1 / 3)
    other = rule.sides(rule.judge(cells.assign(substitute=True), runs, **NAMES))
    assert other == dict.fromkeys(sides, 0)
    cells["printed"] = [1000, 40, 50]  # with it, the third would be on the wrong side
    runs["value"] *= [1, 1, 1.5] * 3
    assert rule.judge(cells, runs, **NAMES).verdict[2] == SAME_ORDERING


def test_a_failure_without_a_cause_is_an_error():
    rows = pd.DataFrame(
        {"verdict": [NOT_REPRODUCED], "cause": ["noise"], "reason": [""]}
    )
    rule.require_causes(rows)
    with pytest.raises(ValueError, match="no cause"):
        rule.require_causes(rows.assign(cause="bad luck"))
    with pytest.raises(ValueError, match="do not say why"):
        rule.require_causes(rows.assign(verdict=NOT_TESTABLE))
    rule.require_causes(rows.assign(verdict=NOT_TESTABLE, reason="a substitute"))
