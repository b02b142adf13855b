"""The rule of evidence, both sides of each of its boundaries, and its nulls."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from studies import rule
from studies.rule import (
    MISPRINT,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SAME_ORDERING,
    Printed,
    Row,
    better,
    sentence_verdict,
)


def printed(values, sd=np.nan, runs=1, rounding=0.0):
    return Printed(*np.broadcast_arrays(np.asarray(values, float), sd, runs, rounding))


def draws_of(mean, sd, n=3):
    """Numbers with exactly this mean and sample deviation."""
    base = np.arange(n) - (n - 1) / 2
    return mean + sd * base / base.std(ddof=1)


def level(value, mean, deviation, n=3, **more):
    return rule.level(printed([value], **more), draws_of(mean, deviation, n)[:, None])[0]


# -- Levels


def test_five_percent_on_both_sides_and_at_the_limit():
    assert [level(10.0, mean, 0.0) for mean in (10.5, 9.5)] == [REPRODUCED] * 2
    assert [level(10.0, mean, 0.0) for mean in (10.51, 9.49)] == [NOT_REPRODUCED] * 2


def test_two_standard_errors_of_the_difference_and_not_two_deviations():
    # One printed run, its deviation as ours: sd √(1/3 + 1) = 0.346, twice that is 0.693.
    assert level(10.0, 10.69, 0.3) == REPRODUCED
    assert level(10.0, 10.70, 0.3) == NOT_REPRODUCED
    # Three printed runs: 2 · 0.3 · √(1/3 + 1/3) = 0.490, less than 5 %; 2 · 0.4 · √(2/3) = 0.653.
    assert level(10.0, 10.51, 0.3, runs=3) == NOT_REPRODUCED
    assert level(10.0, 10.66, 0.4, runs=3) == NOT_REPRODUCED
    assert level(10.0, 10.65, 0.4, runs=3) == REPRODUCED
    # A printed deviation is used for theirs.
    assert level(10.0, 10.69, 0.3, sd=0.0) == NOT_REPRODUCED
    assert level(10.0, 11.0, 0.1, sd=0.45) == NOT_REPRODUCED
    assert level(10.0, 10.9, 0.1, sd=0.45) == REPRODUCED


def test_noise_never_earns_a_verdict():
    """Two errors of more than 10 %: nothing near is reproduced, and what is far still fails."""
    loud = 0.45  # 2 · 0.45 · √(4/3) = 1.04
    assert level(10.0, 10.0, loud) == NOT_TESTABLE
    assert level(10.0, 11.03, loud) == NOT_TESTABLE
    assert level(10.0, 11.05, loud) == NOT_REPRODUCED
    assert level(10.0, 10.9, 0.43) == REPRODUCED  # 2 · 0.43 · √(4/3) = 0.993
    gaps = [level(10.0, 10.9 + extra, sd) for sd in (0.5, 1, 5, 50) for extra in (0, 1, 10)]
    assert REPRODUCED not in gaps


def test_half_a_unit_of_the_last_digit_counts_near_zero():
    assert level(0.0, 0.004, 0.0, rounding=0.005) == REPRODUCED
    assert level(0.0, 0.006, 0.0, rounding=0.005) == NOT_REPRODUCED


def test_fewer_than_three_draws_decide_nothing():
    assert level(10.0, 10.0, 0.0, n=2) == NOT_TESTABLE
    assert level(10.0, 90.0, 0.0, n=2) == NOT_TESTABLE
    assert sentence_verdict([5.0, 5.1]) == NOT_TESTABLE
    assert not better([5.0, 5.0])


# -- Orders


def verdicts(values, ours, spread=0.01):
    noise = np.array([[-1.0], [0.0], [1.0]]) * spread
    return list(Row(printed(values), np.asarray(ours, float) + noise).verdicts())


def test_far_numbers_keep_their_side_or_lose_it():
    assert verdicts([1, 2, 3], [10, 20, 30]) == [SAME_ORDERING] * 3
    # The third is above both in print and here, the first two are exchanged.
    expected = [NOT_REPRODUCED, NOT_REPRODUCED, SAME_ORDERING]
    assert verdicts([1, 2, 3], [20, 10, 30]) == expected


def test_what_print_does_not_tell_apart_may_be_on_either_side():
    assert verdicts([1, 2, 2.1], [10, 21, 20]) == [SAME_ORDERING] * 3
    assert verdicts([1, 2, 2.2], [10, 21, 20]) == [SAME_ORDERING, NOT_REPRODUCED, NOT_REPRODUCED]


def test_a_row_that_print_does_not_order_has_no_ordering_to_keep():
    assert verdicts([2.0, 2.05, 2.1], [10, 20, 30]) == [NOT_REPRODUCED] * 3


def test_the_null_of_the_mean_judges_each_number_by_the_mean_of_each_draw():
    ours = np.array([[10.0, 20, 30], [11, 19, 30], [10, 21, 32]])
    row = Row(printed([10.0, 20.5, 30.0]), ours)
    assert list(row.verdicts_of_mean()) == [NOT_REPRODUCED, REPRODUCED, NOT_REPRODUCED]
    few = Row(printed([10.0, 20.5, 30.0]), ours[:2])
    assert list(few.verdicts_of_mean()) == [NOT_TESTABLE] * 3


def test_an_ordering_must_be_clear_in_paired_draws():
    common = np.array([[-5.0], [0.0], [5.0]])  # shared by the methods: pairs do not see it
    means = np.array([50.0, 60.0])
    clear = Row(printed([1, 2]), common + means + np.array([[0, 0], [0, 1], [0, -1]]))
    assert list(clear.verdicts()) == [SAME_ORDERING] * 2
    own = np.array([[-5.0, 5.0], [0, 0], [5, -5]])
    vague = Row(printed([1, 2]), own + means)
    assert list(vague.verdicts()) == [NOT_REPRODUCED] * 2


def test_a_pair_with_two_draws_in_common_orders_nothing():
    ours = np.array([[10.0, 20, 5], [10, 20, 5], [10, 20, np.nan]])
    found = Row(printed([1, 2, 3]), ours).verdicts()
    assert list(found) == [SAME_ORDERING, SAME_ORDERING, NOT_TESTABLE]
    ours[2, 2] = 5  # with a third draw the last is clearly on the wrong side
    assert list(Row(printed([1, 2, 3]), ours).verdicts()) == [NOT_REPRODUCED] * 3


# -- Better, and sentences


@pytest.mark.parametrize("n", [3, 5, 10])
def test_better_is_the_paired_t_test_of_draws(n):
    rng = np.random.default_rng(n)
    for _ in range(200):
        d = rng.normal(0.8, 1, n)
        assert better(d) == (ttest_1samp(d, 0, alternative="greater").pvalue < 0.025)


def test_equal_differences_are_clear_and_none_are_not():
    assert better([1.0, 1.0, 1.0])
    assert not better([0.0, 0.0, 0.0])
    assert not better([-1.0, -1.0, -1.0])


def test_every_part_of_a_sentence_counts():
    sure, weak, against = [3.0, 4.0, 5.0], [1.0, 2.0, 3.0], [1.0, -2.0, -3.0]
    assert sentence_verdict(sure) == REPRODUCED
    assert sentence_verdict(sure, weak) == SAME_ORDERING
    assert sentence_verdict(sure, against) == sentence_verdict(against) == NOT_REPRODUCED
    assert sentence_verdict(sure, [0.0, 0.0, 0.0]) == NOT_REPRODUCED
    assert sentence_verdict(sure, [-0.1, 0.0, 0.2]) == SAME_ORDERING
    assert sentence_verdict() == NOT_TESTABLE


def test_a_missing_draw_is_an_error():
    with pytest.raises(ValueError, match="finish the results"):
        better([1.0, np.nan, 2.0])


def test_a_difference_of_the_detectable_size_is_seen_in_eight_of_ten():
    rng = np.random.default_rng(0)
    for n in (5, 10):
        d = draws_of(0, 1, n)
        true = rule.detectable(d)
        seen = np.mean([better(rng.normal(true, 1, n)) for _ in range(4000)])
        assert 0.74 < seen < 0.86, (n, seen)
    assert np.isnan(rule.detectable([1.0, 2.0]))


# -- Tables


def table(rows, spread=0.01, **columns):
    """A printed table and draws: {row: [(printed, ours), ...]}."""
    cells = [(r, f"m{k}", p, o) for r, pairs in rows.items() for k, (p, o) in enumerate(pairs)]
    names = ["row", "method", "printed", "ours"]
    cells = pd.DataFrame(cells, columns=names).assign(**columns)
    runs = pd.concat(
        [cells.assign(draw=i, value=cells.ours + e) for i, e in enumerate((-spread, 0, spread))]
    )
    return cells.drop(columns="ours"), runs[["row", "method", "draw", "value"]]


def judged(rows, **columns):
    return rule.judge(*table(rows, **columns), cell=["row", "method"], row=["row"])


ROWS = {
    "a": [(10, 10), (20, 20), (30, 30)],  # the methods matter
    "b": [(10, 10), (10, 10), (10, 10)],  # they do not
    "c": [(10, 40), (20, 50), (30, 60)],  # same ordering
    "d": [(10, 60), (20, 50), (30, 40)],  # nothing
}


def test_the_verdicts_of_a_table():
    found = judged(ROWS)
    assert list(found.verdict) == [REPRODUCED] * 6 + [SAME_ORDERING] * 3 + [NOT_REPRODUCED] * 3
    assert list(found.seen) == list(found.verdict)
    assert list(found.ours[:3]) == [10, 20, 30] and list(found.runs[:3]) == [3, 3, 3]


def test_the_order_of_rows_draws_and_methods_does_not_matter():
    cells, runs = table(ROWS)
    there = rule.judge(cells, runs, cell=["row", "method"], row=["row"])
    rng = np.random.default_rng(0)
    for _ in range(5):
        mixed = cells.sample(frac=1, random_state=rng)
        other = runs.sample(frac=1, random_state=rng)
        again = rule.judge(mixed, other, cell=["row", "method"], row=["row"])
        assert list(again.index) == list(mixed.index)
        assert again.verdict.sort_index().equals(there.verdict)
        first = rule.nulls(there, shuffles=200)
        second = rule.nulls(again, shuffles=200)
        assert first["count"] == second["count"]
        assert first["mean_of_row"] == second["mean_of_row"]
        assert abs(first["shuffled"] - second["shuffled"]) < 0.5


def test_nulls_of_a_table_whose_answer_is_known():
    """Row a: its mean is right for the middle one; a deal of 3 is right for one on average.

    Row b: both nulls know everything. Rows c and d: nothing is near.
    """
    found = rule.nulls(judged(ROWS), shuffles=4000)
    assert found["count"] == 6 and found["mean_of_row"] == 1 + 3
    expected = np.mean(
        [sum(i == k for i, k in enumerate(order)) for order in permutations(range(3))]
    )
    assert abs(found["shuffled"] - (expected + 3)) < 0.06
    assert (found["low"], found["high"]) == (3, 6)
    assert found["beyond"] == pytest.approx(6 - max(4, found["shuffled"]))


def test_ordering_by_luck():
    """Of the six deals of c one keeps all three; four keep one or none, all by brute force."""
    found = rule.nulls(judged({"c": ROWS["c"]}), SAME_ORDERING, shuffles=6000)
    kept = []
    for order in permutations([40, 50, 60]):
        sides = np.sign(np.subtract.outer(order, order))
        kept.append((sides == np.sign(np.subtract.outer([1, 2, 3], [1, 2, 3]))).all(axis=1).sum())
    assert abs(found["shuffled"] - np.mean(kept)) < 0.06
    assert found["mean_of_row"] == 0


def test_a_substitute_can_neither_confirm_nor_refute():
    found = judged(ROWS, substitute=True)
    assert (found.verdict == NOT_TESTABLE).all()
    assert list(found.seen) == list(judged(ROWS).verdict)
    assert rule.nulls(found, shuffles=3)["count"] == 0


def test_a_number_without_a_verdict_says_why():
    cells, runs = table({"a": [(10, 10), (20, 20)]}, spread=5.0)
    loud = rule.judge(cells, runs, cell=["row", "method"], row=["row"])
    assert list(loud.verdict) == [NOT_TESTABLE] * 2 and loud.untested.str.contains("10 %").all()
    few = rule.judge(cells, runs[runs.draw < 2], cell=["row", "method"], row=["row"])
    assert list(few.untested) == ["fewer than 3 draws"] * 2
    assert (judged(ROWS).untested == "").all()


def test_a_misprint_gets_no_verdict_and_orders_nothing():
    cells, runs = table({"d": ROWS["d"]})
    cells["misprint"] = [True, False, False]
    found = rule.judge(cells, runs, cell=["row", "method"], row=["row"])
    assert list(found.verdict) == [MISPRINT, NOT_REPRODUCED, NOT_REPRODUCED]
    cells["printed"] = [1000, 40, 50]  # with it, the third would be on the wrong side
    runs["value"] *= [1, 1, 1.5] * 3
    found = rule.judge(cells, runs, cell=["row", "method"], row=["row"])
    assert found.verdict[2] == SAME_ORDERING


def test_a_missing_number_is_an_error_and_not_a_failure_to_reproduce():
    cells, runs = table(ROWS)
    with pytest.raises(ValueError, match="finish the stored results"):
        rule.judge(cells, runs[runs.method != "m1"], cell=["row", "method"], row=["row"])


def test_power_of_a_table():
    cells, runs = table({"a": [(10, 10), (20, 20)]}, spread=0.0)
    runs.loc[runs.method == "m1", "value"] += [-1, 0, 1]
    found = rule.power(rule.judge(cells, runs, cell=["row", "method"], row=["row"]))
    assert found["draws"] == 3 and found["printed"] == 0.5
    # (4.303 + 1.061) · 1/√3 of 20
    assert found["detectable"] == pytest.approx(5.364 / np.sqrt(3) / 20, rel=1e-3)


def test_a_failure_without_a_cause_is_an_error():
    rows = pd.DataFrame({"verdict": [NOT_REPRODUCED], "cause": ["noise"], "reason": [""]})
    rule.require_causes(rows)
    with pytest.raises(ValueError, match="no cause"):
        rule.require_causes(rows.assign(cause="bad luck"))
    with pytest.raises(ValueError, match="do not say why"):
        rule.require_causes(rows.assign(verdict=NOT_TESTABLE))
    rule.require_causes(rows.assign(verdict=NOT_TESTABLE, reason="a substitute"))


def test_the_power_of_a_table_counts_each_pair_of_a_row_once():
    cells, runs = table({"a": [(10, 10), (20, 20)], "b": [(10, 10), (12, 12), (15, 15)]}, spread=0)
    found = rule.power(rule.judge(cells, runs, cell=["row", "method"], row=["row"]))
    assert found["printed"] == pytest.approx(np.median([1 / 2, 2 / 12, 5 / 15, 3 / 15]))


def test_sides_are_whole_numbers():
    sides = rule.printed_sides(printed([1.0, 2.0]))
    assert sides.dtype == int and sides.tolist() == [[0, -1], [1, 0]]


# -- What else a caller sees


@pytest.mark.parametrize("differences", [[], [2.0]])
@pytest.mark.filterwarnings("error")
def test_too_few_draws_for_an_error_have_none_and_warn_of_nothing(differences):
    n, mean, error = rule.statistics(differences)
    assert n == len(differences) and np.isnan(error)
    assert mean == 2.0 if differences else np.isnan(mean)


def test_a_draw_that_is_none_is_missing():
    with pytest.raises(ValueError, match="finish the results"):
        rule.statistics([1.0, None, 2.0])
    ours = np.array([[10.0, 20, 5], [10, 20, 5], [10, 20, np.nan]])
    with_none = np.where(np.isnan(ours), None, ours)
    for same in (with_none, with_none.tolist()):
        found = Row(printed([1, 2, 3]), same).verdicts()
        assert list(found) == [SAME_ORDERING, SAME_ORDERING, NOT_TESTABLE]


def test_two_errors_are_those_of_each_number_alone():
    """By NumPy's own deviation of the draws that are there, one number after the other."""
    draws = np.random.default_rng(0).normal(5, 1, (6, 3))
    draws[4:, 1] = draws[0, 2] = np.nan
    given = printed([5.0, 5.0, 5.0], sd=np.array([np.nan, 0.5, 2.0]), runs=np.array([1, 4, 2]))
    found = rule.two_errors(given, draws)
    for k, n in enumerate((6, 4, 5)):
        own = draws[~np.isnan(draws[:, k]), k]
        assert own.size == n
        theirs = own.var(ddof=1) if np.isnan(given.sd[k]) else given.sd[k] ** 2
        expected = 2 * np.sqrt(own.var(ddof=1) / n + theirs / given.runs[k])
        assert found[k] == pytest.approx(expected, rel=1e-12)


def test_both_at_zero_is_reproduced():
    assert level(0.0, 0.0, 0.0) == REPRODUCED


def test_a_gap_of_just_two_errors_that_are_too_large_tells_nothing():
    """Ours 10.5, 12 and 13.5, theirs 10 ± 0.5: 2 √(2.25/3 + 0.25) = 2, without rounding."""

    def judge(value):
        return rule.level(printed([value], sd=0.5), np.array([[10.5], [12], [13.5]]))[0]

    assert rule.two_errors(printed([10.0], sd=0.5), np.array([[10.5], [12], [13.5]])) == 2
    assert judge(10.0) == NOT_TESTABLE
    # Beyond it even the room for rounding, which serves a quiet number, earns no verdict.
    assert judge(10.0 - 1e-9) == NOT_REPRODUCED


def test_a_difference_at_the_limit_is_not_told_apart():
    limit = 1 + 1e-9  # of half a unit, with the room for rounding
    assert not rule.printed_sides(printed([0.0, limit], rounding=1.0)).any()
    above = printed([0.0, np.nextafter(limit, 2)], rounding=1.0)
    assert rule.printed_sides(above).tolist() == [[0, -1], [1, 0]]


def test_our_sides_are_whole_numbers():
    sides = rule.our_sides(np.array([[1.0, 2.0]] * 3))
    assert sides.dtype == int and sides.tolist() == [[0, -1], [1, 0]]


def test_to_deal_numbers_out_is_to_exchange_the_columns_of_our_draws():
    """Every deal of rows with draws missing here and there, by a row made of the dealt draws."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(6):
        given = printed(rng.choice([10.0, 10.4, 20.0, 30.0], 4))
        draws = rng.choice([10.0, 20.0, 30.0, 40.0], 4) + rng.normal(0, 0.1, (6, 4))
        draws[1:][rng.random((5, 4)) < 0.4] = np.nan
        row = Row(given, draws)
        for order in permutations(range(4)):
            dealt = Row(given, draws[:, order]).verdicts()
            assert row.verdicts(order).tolist() == dealt.tolist()
            seen |= set(dealt)
    assert seen == {REPRODUCED, SAME_ORDERING, NOT_REPRODUCED, NOT_TESTABLE}


def test_a_number_that_print_tells_from_no_other_has_no_ordering_to_keep():
    """10 and 10.8 are told apart, 10.4 is not told from either."""
    expected = [SAME_ORDERING, NOT_REPRODUCED, SAME_ORDERING]
    assert verdicts([10, 10.4, 10.8], [100, 200, 300]) == expected


def test_without_a_rounding_there_is_none():
    found = judged({"a": [(10, 10.8), (20, 20)]})
    assert list(found.verdict) == [SAME_ORDERING, REPRODUCED]
    assert list(judged({"a": [(10, 10.8), (20, 20)]}, rounding=1.0).verdict) == [REPRODUCED] * 2


def test_print_is_of_one_run_if_it_does_not_say():
    """2 · 0.3 · √(1/3 + 1) = 0.69 of one run, 0.55 of two."""
    pairs = {"a": [(10, 10.65), (20, 20)]}
    found = [
        rule.judge(*table(pairs, spread=0.3, **runs), cell=["row", "method"], row=["row"]).verdict[
            0
        ]
        for runs in ({}, {"printed_runs": 1}, {"printed_runs": 2})
    ]
    assert found == [REPRODUCED, REPRODUCED, SAME_ORDERING]


def test_a_judged_table_can_be_judged_again():
    cells, runs = table(ROWS, spread=0.5)
    names = {"cell": ["row", "method"], "row": ["row"]}
    found = rule.judge(cells, runs, **names)
    assert found.sd.to_numpy() == pytest.approx(np.full(12, 0.5), rel=1e-12)
    again = rule.judge(found, runs, **names)
    shown = [name for name in found if name != "row_of"]
    pd.testing.assert_frame_equal(again[shown], found[shown], check_like=True)


def test_one_column_may_name_a_number():
    cells, runs = table({"a": ROWS["c"]})
    both = rule.judge(cells, runs, cell=["row", "method"], row=["row"])
    alone = rule.judge(cells, runs.drop(columns="row"), cell=["method"], row=["row"])
    assert alone.verdict.tolist() == both.verdict.tolist() == [SAME_ORDERING] * 3
    assert alone.ours.tolist() == both.ours.tolist()


def test_what_print_does_not_state_may_be_none():
    """A deviation that is None is not stated; a substitute may be named, and "" is none."""
    pairs = {"a": [(10, 10.55), (20, 21.1)]}
    deviations = pd.Series([None, 2.0], dtype=object)
    assert list(judged(pairs, printed_sd=deviations).verdict) == [SAME_ORDERING, NOT_TESTABLE]
    named = judged(pairs, substitute=["", "other faces"])
    assert list(named.verdict) == [SAME_ORDERING, NOT_TESTABLE]
    assert list(named.seen) == [SAME_ORDERING] * 2


def test_the_shuffles_are_those_of_the_seed():
    found = judged(ROWS)
    shuffled = [rule.nulls(found, shuffles=300, seed=seed)["shuffled"] for seed in range(4)]
    again = [rule.nulls(found, shuffles=300, seed=seed)["shuffled"] for seed in range(4)]
    assert shuffled == again and shuffled[0] != shuffled[1]
    assert rule.nulls(found, shuffles=300)["shuffled"] == shuffled[0]


def test_power_is_that_of_paired_differences():
    """What all methods of a draw share costs no power."""
    cells, runs = table({"a": [(10, 10), (20, 20)]}, spread=5.0)
    found = rule.power(rule.judge(cells, runs, cell=["row", "method"], row=["row"]))
    assert found["detectable"] == 0


def test_the_shuffles_are_a_thousand_unless_told():
    found = judged({"a": ROWS["a"]})
    assert rule.nulls(found) == rule.nulls(found, shuffles=1000) != rule.nulls(found, shuffles=1001)
