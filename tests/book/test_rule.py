"""The rule of evidence, both sides of each of its boundaries, and its nulls."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from studies.machinery import rule
from studies.machinery.rule import MISPRINT, NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, SAME_ORDERING


def printed(values, sd=np.nan, runs=1, rounding=0.0):
    return rule.Printed(*np.broadcast_arrays(np.asarray(values, float), sd, runs, rounding))


def draws_of(mean, sd, n=3):
    """Numbers with exactly this mean and sample deviation."""
    base = np.arange(n) - (n - 1) / 2
    return mean + sd * base / base.std(ddof=1)


# ------------------------------------------------------------------ levels


@pytest.mark.parametrize(
    ("mean", "deviation", "print_", "verdict", "alike"),
    [
        # Five percent, on both sides and at the limit.
        (10.5, 0.0, {}, REPRODUCED, True),
        (9.5, 0.0, {}, REPRODUCED, True),
        (10.51, 0.0, {}, NOT_REPRODUCED, False),
        (9.49, 0.0, {}, NOT_REPRODUCED, False),
        (10.6, 0.0, {"rounding": 0.7}, REPRODUCED, True),
        # One printed run, its deviation as ours: sd √(1/3 + 1) = 0.346, twice that is 0.693.
        (10.69, 0.3, {}, REPRODUCED, False),
        (10.70, 0.3, {}, NOT_REPRODUCED, False),
        # For a third of the deviation it is 0.231, which with the gap may be 0.5.
        (10.26, 0.1, {}, REPRODUCED, True),
        (10.28, 0.1, {}, REPRODUCED, False),
        (9.72, 0.1, {}, REPRODUCED, False),
        # Three printed runs: 2 · 0.3 · √(2/3) = 0.490, less than 5 %; 2 · 0.4 · √(2/3) = 0.653.
        (10.51, 0.3, {"runs": 3}, NOT_REPRODUCED, False),
        (10.65, 0.4, {"runs": 3}, REPRODUCED, False),
        (10.66, 0.4, {"runs": 3}, NOT_REPRODUCED, False),
        (10.69, 0.3, {"sd": 0.0}, NOT_REPRODUCED, False),  # a printed deviation is used for theirs
        # Noise never earns a verdict: 2 · 0.45 · √(4/3) = 1.04 is more than 10 %, 0.993 is not.
        (10.0, 0.45, {}, NOT_TESTABLE, False),
        (11.03, 0.45, {}, NOT_TESTABLE, False),
        (11.05, 0.45, {}, NOT_REPRODUCED, False),
        (10.9, 0.43, {}, REPRODUCED, False),
        (10.9, 50, {}, NOT_TESTABLE, False),
    ],
)
def test_two_errors_or_five_percent_decide_a_level(mean, deviation, print_, verdict, alike):
    """Ours and print's both within five percent are equivalent."""
    given, draws = printed([10], **print_), draws_of(mean, deviation)[:, None]
    assert rule.level(given, draws) == verdict
    assert rule.equivalent(given, draws).tolist() == [alike]
    assert not rule.equivalent(given, draws[:2]).any()


def test_near_zero_half_a_unit_of_the_last_digit_counts():
    for mean, verdict in ((0.0, REPRODUCED), (0.004, REPRODUCED), (0.006, NOT_REPRODUCED)):
        assert rule.level(printed([0], rounding=0.005), np.full((3, 1), mean)) == verdict
    assert rule.level(printed([0]), np.zeros((3, 1))) == REPRODUCED


def test_fewer_than_three_draws_decide_nothing():
    for value in (10.0, 90.0):
        assert rule.level(printed([10]), np.full((2, 1), value)) == NOT_TESTABLE
    assert rule.sentence_verdict([5.0, 5.1]) == rule.sentence_verdict() == NOT_TESTABLE
    assert not rule.better([5.0, 5.0]) and np.isnan(rule.detectable([1.0, 2.0]))


def test_two_errors_are_those_of_each_number_alone():
    """By NumPy's own deviation of the draws that are there, one number after the other."""
    draws = np.random.default_rng(0).normal(5, 1, (6, 3))
    draws[4:, 1] = draws[0, 2] = np.nan
    given = printed([5.0, 5.0, 5.0], sd=np.array([np.nan, 0.5, 2.0]), runs=np.array([1, 4, 2]))
    for k, found in enumerate(rule.two_errors(given, draws)):
        own = draws[~np.isnan(draws[:, k]), k]
        theirs = own.var(ddof=1) if k == 0 else given.sd[k] ** 2
        expected = 2 * np.sqrt(own.var(ddof=1) / len(own) + theirs / given.runs[k])
        assert found == pytest.approx(expected, rel=1e-12)


# ------------------------------------------------------------------ orders


def verdicts(values, ours, spread=0.01):
    noise = np.array([[-1.0], [0.0], [1.0]]) * spread
    return rule.Row(printed(values), np.asarray(ours, float) + noise).verdicts().tolist()


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
    common = np.array([[-5.0], [0.0], [5.0]])  # shared by the methods: pairs do not see it
    means = np.array([50.0, 60.0])
    clear = rule.Row(printed([1, 2]), common + means + np.array([[0, 0], [0, 1], [0, -1]]))
    assert list(clear.verdicts()) == [SAME_ORDERING] * 2
    own = np.array([[-5.0, 5.0], [0, 0], [5, -5]])
    assert list(rule.Row(printed([1, 2]), own + means).verdicts()) == [NOT_REPRODUCED] * 2


# ------------------------------------------------------------------ better, and sentences


@pytest.mark.parametrize("n", [3, 5, 10])
def test_better_is_the_paired_t_test_of_draws(n):
    rng = np.random.default_rng(n)
    for _ in range(200):
        d = rng.normal(0.8, 1, n)
        assert rule.better(d) == (ttest_1samp(d, 0, alternative="greater").pvalue < 0.025)
    assert rule.better([1.0] * n) and not rule.better([0.0] * n) and not rule.better([-1.0] * n)


def test_every_part_of_a_sentence_counts():
    sure, weak, against = [3.0, 4.0, 5.0], [1.0, 2.0, 3.0], [1.0, -2.0, -3.0]
    assert rule.sentence_verdict(sure) == REPRODUCED
    assert rule.sentence_verdict(sure, weak) == SAME_ORDERING
    assert rule.sentence_verdict(sure, against) == rule.sentence_verdict(against) == NOT_REPRODUCED
    assert rule.sentence_verdict(sure, [0.0, 0.0, 0.0]) == NOT_REPRODUCED
    assert rule.sentence_verdict(sure, [-0.1, 0.0, 0.2]) == SAME_ORDERING


def test_a_missing_draw_is_an_error():
    for hole in (np.nan, None):
        with pytest.raises(ValueError, match="finish the results"):
            rule.statistics([1.0, hole, 2.0])


# ------------------------------------------------------------------ tables


NAMES = {"cell": ["row", "method"], "row": ["row"]}
ROWS = {
    "a": [(10, 10), (20, 20), (30, 30)],  # the methods matter
    "b": [(10, 10), (10, 10), (10, 10)],  # they do not
    "c": [(10, 40), (20, 50), (30, 60)],  # same ordering
    "d": [(10, 60), (20, 50), (30, 40)],  # nothing
}


def table(rows, spread=0.01, **columns):
    """A printed table and draws: {row: [(printed, ours), ...]}."""
    cells = [(r, f"m{k}", p, o) for r, pairs in rows.items() for k, (p, o) in enumerate(pairs)]
    cells = pd.DataFrame(cells, columns=["row", "method", "printed", "ours"]).assign(**columns)
    runs = pd.concat(
        [cells.assign(draw=i, value=cells.ours + e) for i, e in enumerate((-spread, 0, spread))]
    )
    return cells.drop(columns="ours"), runs[["row", "method", "draw", "value"]]


def judged(rows, spread=0.01, **columns):
    return rule.judge(*table(rows, spread, **columns), **NAMES)


def test_the_verdicts_of_a_table_whatever_its_order_and_again():
    cells, runs = table(ROWS)
    found = rule.judge(cells, runs, **NAMES)
    assert list(found.verdict) == [REPRODUCED] * 6 + [SAME_ORDERING] * 3 + [NOT_REPRODUCED] * 3
    assert list(found.seen) == list(found.verdict) and (found.untested == "").all()
    assert list(found.ours[:3]) == [10, 20, 30] and list(found.runs[:3]) == [3, 3, 3]
    assert found.sd.to_numpy() == pytest.approx(np.full(12, 0.01), rel=1e-9)
    mixed = cells.sample(frac=1, random_state=0)
    again = rule.judge(mixed, runs.sample(frac=1, random_state=0), **NAMES)
    assert list(again.index) == list(mixed.index)
    assert again.verdict.sort_index().equals(found.verdict)
    first, second = (rule.nulls(part, shuffles=200) for part in (found, again))
    for name in ("count", "mean_of_row"):
        assert first[name] == second[name]


@pytest.mark.parametrize(
    ("pair", "columns", "first"),
    [
        ((10, 10.8), {}, SAME_ORDERING),
        ((10, 10.8), {"rounding": 1.0}, REPRODUCED),
        # 2 · 0.3 · √(1/3 + 1) = 0.69 of one run, 0.55 of two; one if print does not say.
        ((10, 10.65), {"spread": 0.3}, REPRODUCED),
        ((10, 10.65), {"spread": 0.3, "printed_runs": 2}, SAME_ORDERING),
        ((10, 10), {"printed_sd": 2.0}, NOT_TESTABLE),
        ((10, 10), {"substitute": ["", "other faces"]}, REPRODUCED),
        ((10, 10), {"substitute": ["other faces", ""]}, NOT_TESTABLE),
    ],
)
def test_what_print_states_is_used_and_what_it_does_not_has_a_default(pair, columns, first):
    assert judged({"a": [pair, (20, 20)]}, **columns).verdict[0] == first


def test_nulls_of_a_table_whose_answer_is_known():
    """Row a: its mean is right for the middle one; a deal of 3 is right for one on average.

    Row b: both nulls know everything. Rows c and d: nothing is near.
    """
    found = rule.nulls(judged(ROWS), shuffles=4000)
    assert found["count"] == 6 and found["mean_of_row"] == 1 + 3
    assert abs(found["shuffled"] - (1 + 3)) < 0.06
    assert (found["low"], found["high"]) == (3, 6)
    assert found["beyond"] == pytest.approx(6 - max(4, found["shuffled"]))


@pytest.mark.parametrize("seed", range(3))
def test_the_null_of_one_method_is_the_best_table_that_one_method_fills(seed):
    """By tables in which every method has the draws of one, each judged anew."""
    rng = np.random.default_rng(seed)
    rows = {
        name: [(p, p * rng.choice([0.9, 1, 1.1, 2])) for p in rng.choice([10.0, 11.0, 30.0], 4)]
        for name in "abcde"
    }
    cells, runs = table(rows, spread=0.2)
    earned = {}
    for method in cells.method.unique():
        theirs = runs[runs.method == method].drop(columns="method")
        filled = cells[["row", "method"]].merge(theirs, on="row")
        earned[method] = (rule.judge(cells, filled, **NAMES).verdict == REPRODUCED).sum()
    found = rule.nulls(rule.judge(cells, runs, **NAMES), shuffles=50)
    assert found["one_method"] == max(earned.values()) == earned[found["method"][0]]
    known = found["mean_of_row"], found["shuffled"], found["one_method"]
    assert found["beyond"] == found["count"] - max(known)
    half = rule.judge(cells, runs, **NAMES).query("row in ['a', 'b']")
    assert rule.nulls(half, shuffles=2)["one_method"] <= found["one_method"]


def test_the_sides_of_a_table_count_each_pair_once_and_no_substitute():
    """Rows a and c keep all their sides, d loses all, and print tells no pair of b apart."""
    assert rule.sides(judged(ROWS)) == {"pairs": 9, "as_printed": 6, "opposite": 3}
    on_others = {"a": "", "c": "other faces"}
    rows = {name: ROWS[name] for name in on_others}
    found = judged(rows, substitute=[on_others[name] for name in rows for _ in range(3)])
    assert rule.sides(found)["pairs"] == 3
    assert list(found.equivalent) == [True] * 3 + [False] * 3


def test_a_substitute_can_neither_confirm_nor_refute():
    found = judged(ROWS, substitute=True)
    assert (found.verdict == NOT_TESTABLE).all() and not found.equivalent.any()
    assert rule.sides(found) == {"pairs": 0, "as_printed": 0, "opposite": 0}
    assert list(found.seen) == list(judged(ROWS).verdict)
    assert rule.nulls(found, shuffles=3)["count"] == 0


def test_a_number_without_a_verdict_says_why_and_a_missing_one_is_an_error():
    cells, runs = table({"a": [(10, 10), (20, 20)]}, spread=5.0)
    loud = rule.judge(cells, runs, **NAMES)
    assert list(loud.verdict) == [NOT_TESTABLE] * 2 and loud.untested.str.contains("10 %").all()
    few = rule.judge(cells, runs[runs.draw < 2], **NAMES)
    assert list(few.untested) == ["fewer than 3 draws"] * 2
    with pytest.raises(ValueError, match="finish the stored results"):
        rule.judge(cells, runs[runs.method != "m1"], **NAMES)


def test_a_misprint_gets_no_verdict_and_orders_nothing():
    cells, runs = table({"d": ROWS["d"]}, misprint=[True, False, False])
    found = rule.judge(cells, runs, **NAMES)
    assert list(found.verdict) == [MISPRINT, NOT_REPRODUCED, NOT_REPRODUCED]
    cells["printed"] = [1000, 40, 50]  # with it, the third would be on the wrong side
    runs["value"] *= [1, 1, 1.5] * 3
    assert rule.judge(cells, runs, **NAMES).verdict[2] == SAME_ORDERING


def test_power_is_that_of_paired_differences_and_counts_each_pair_of_a_row_once():
    cells, runs = table({"a": [(10, 10), (20, 20)]}, spread=0.0)
    runs.loc[runs.method == "m1", "value"] += [-1, 0, 1]
    found = rule.power(rule.judge(cells, runs, **NAMES))
    assert found["draws"] == 3 and found["printed"] == 0.5
    # (4.303 + 1.061) · 1/√3 of 20
    assert found["detectable"] == pytest.approx(5.364 / np.sqrt(3) / 20, rel=1e-3)
    # What all methods of a draw share costs no power.
    found = rule.power(judged({"a": [(10, 10), (20, 20)]}, spread=5.0))
    assert found["detectable"] == 0
    two = {"a": [(10, 10), (20, 20)], "b": [(10, 10), (12, 12), (15, 15)]}
    found = rule.power(judged(two, spread=0))
    assert found["printed"] == pytest.approx(np.median([1 / 2, 2 / 12, 5 / 15, 3 / 15]))


def test_a_failure_without_a_cause_is_an_error():
    rows = pd.DataFrame({"verdict": [NOT_REPRODUCED], "cause": ["noise"], "reason": [""]})
    rule.require_causes(rows)
    with pytest.raises(ValueError, match="no cause"):
        rule.require_causes(rows.assign(cause="bad luck"))
    with pytest.raises(ValueError, match="do not say why"):
        rule.require_causes(rows.assign(verdict=NOT_TESTABLE))
    rule.require_causes(rows.assign(verdict=NOT_TESTABLE, reason="a substitute"))
