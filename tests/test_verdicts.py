"""The rules of the verdicts, and that the scoreboard has every number of the papers' tables."""

import numpy as np
import pandas as pd
import pytest

from studies import cheng, diaz, guan, scoreboard, sparse, verdicts, zhang
from studies.verdicts import (
    MISPRINT,
    NOT_REPRODUCED,
    REPRODUCED,
    SAME_ORDERING,
    allowed_distance,
    grade,
    judge,
    larger,
)


def table(printed, ours):
    return pd.DataFrame({"row": 0, "printed": printed, "ours": ours})


def judged(printed, ours, allowed=0.0, **more):
    return list(judge(table(printed, ours), among=["row"], allowed=allowed, **more).verdict)


@pytest.fixture(scope="module")
def board():
    return scoreboard.scoreboard()


def test_the_largest_of_three_distances_is_allowed():
    assert allowed_distance(10.0, sd=1.0) == 2.0
    assert allowed_distance(100.0, sd=1.0) == 5.0
    assert allowed_distance(0.0, sd=0.0) == 0.0
    assert allowed_distance(0.0, sd=0.0, rounding=0.005) == 0.005


def test_a_number_at_the_very_limit_is_reproduced():
    assert judged([4.0, 8.0], [4.5, 7.5], allowed=0.5) == [REPRODUCED, REPRODUCED]
    assert judged([4.0, 8.0], [4.5, 7.4], allowed=0.5) == [REPRODUCED, SAME_ORDERING]


def test_far_numbers_keep_their_place_or_lose_it():
    assert judged([1, 2, 3], [10, 20, 30]) == [SAME_ORDERING] * 3
    assert judged([1, 2, 3], [20, 10, 30]) == [NOT_REPRODUCED, NOT_REPRODUCED, SAME_ORDERING]


def test_two_equal_numbers_share_a_place():
    assert judged([1, 2, 2], [10, 20, 20]) == [SAME_ORDERING] * 3
    assert judged([1, 2, 2], [10, 20, 30]) == [SAME_ORDERING, NOT_REPRODUCED, NOT_REPRODUCED]


def test_places_are_counted_within_their_row_only():
    rows = pd.concat([table([1, 2], [10, 20]), table([5, 6], [1, 2]).assign(row=1)])
    assert (judge(rows, among=["row"], allowed=0.0).verdict == SAME_ORDERING).all()


def test_a_misprint_gets_no_verdict_whatever_ours_is():
    assert judged([1, 2], [1, 9], misprint=[True, True]) == [MISPRINT] * 2


def test_a_missing_number_is_an_error_and_not_a_failure_to_reproduce():
    with pytest.raises(ValueError, match="finish the stored results"):
        judged([1, 2], [1, np.nan])


def test_claims_need_the_sign_and_twice_the_standard_error():
    assert larger([1, 1.1, 0.9])[0] == REPRODUCED
    assert larger([-1, 1, 0.3])[0] == SAME_ORDERING
    assert larger([-1, -1.1])[0] == NOT_REPRODUCED
    assert larger([1, 1, 1, -0.2])[0] == REPRODUCED  # 0.7 ± 0.3
    assert larger([1, 1, 1, -0.2], factor=2.8)[0] == SAME_ORDERING
    assert [grade(True), grade(False, True), grade(False)] == [
        REPRODUCED,
        SAME_ORDERING,
        NOT_REPRODUCED,
    ]


def test_the_standard_error_is_that_of_a_sample():
    """Of n draws, with n - 1 below the sum of squares: 2.0 ± 1.0, not ± 0.8."""
    differences = [2 - np.sqrt(3), 2.0, 2 + np.sqrt(3)]
    assert larger(differences, "{:.3f} ± {:.3f}", factor=1.9) == (REPRODUCED, "2.000 ± 1.000")
    assert larger(differences, factor=2.1)[0] == SAME_ORDERING


def test_no_difference_at_all_reproduces_nothing():
    assert larger([0.0, 0.0, 0.0])[0] == NOT_REPRODUCED
    # A mean of exactly two standard errors is not above them.
    assert larger([1.0, 3.0], factor=2.0)[0] == SAME_ORDERING


def test_zhang_asks_that_every_difference_is_clearly_positive():
    assert zhang.better([(3, 1), (5, 1)]) == REPRODUCED
    assert zhang.better([(2, 1), (5, 1)]) == SAME_ORDERING
    assert zhang.better([(-0.1, 1), (5, 1)]) == NOT_REPRODUCED
    assert 2.77 < zhang.verdicts.STUDENT < 2.78


def test_one_rule_serves_three_chapters(monkeypatch):
    """One of them also allows half a unit of the last digit; no verdict depends on it."""

    def all_three():
        as_text, _ = diaz.table_2_runs()
        sparse_2 = sparse.table_2()
        rows = diaz.table_2(as_text), sparse_2, guan.tables()
        return [verdict for table in rows for verdict in table.verdict]

    with_rounding = all_three()
    for module in (diaz.verdicts, guan.verdicts, sparse.verdicts):
        monkeypatch.setattr(
            module, "allowed_distance", lambda printed, sd, rounding: allowed_distance(printed, sd)
        )
    assert all_three() == with_rounding


def test_methods_in_another_order_lose_the_same_ordering():
    """Sabotage: our numbers of each row go one method on; the order says so."""
    as_text, _ = diaz.table_2_runs()
    rows = diaz.table_2(as_text).drop(columns="verdict")
    row = ["data", "noise", "metric"]
    shifted = rows.assign(ours=rows.groupby(row).ours.transform(lambda x: np.roll(x, 1)))
    found, lost = (judge(t, among=row, allowed=-1.0).verdict for t in (rows, shifted))
    places = rows.groupby(row)[["printed", "ours"]].rank()
    kept = places.printed == places.ours
    assert list(found == SAME_ORDERING) == list(kept)
    assert not (kept & (lost == SAME_ORDERING)).any()  # a rotation moves everyone


def test_every_number_of_every_table_is_there_once(board):
    """Rows × columns of the tables, as printed; the rest is named as left out."""
    numbers = board[board.kind == "number"]
    second_reading = numbers.method.str.endswith(", three-sigma")
    found = numbers[~second_reading].groupby(["paper", "place"]).size().to_dict()
    assert found == {
        ("Díaz et al.", "Table 2"): 9 * 3 * 6,
        ("Regularized NMF", "Table 1"): 3 * 3,
        ("Regularized NMF", "Table 2"): 5 * 3,
        ("Guan et al.", "Table II"): 7 * 7,
        ("Guan et al.", "Table III"): 7 * 7,
        ("Guan et al.", "Table IV"): 7 * 9 * 2,
        ("Cheng et al.", "Table 1"): 4 * 3,
        ("Cheng et al.", "Table 2"): 4 * 3,
        ("Cheng et al.", "Table 3"): 4 * 3,
    }
    own = numbers[numbers.method.str.startswith("TruncatedCauchyNMF")]
    assert second_reading.sum() * 2 == len(own) == 2 * (7 + 7 + 2 * 7)
    cell = ["paper", "place", "data", "setting", "method", "metric"]
    assert not numbers.duplicated(cell).any()
    for left_out in ("Table 1", "Table I", "Table V"):
        assert left_out in {place for _, place in scoreboard.LEFT_OUT}
    assert guan.printed_recognition().shape == (8, 6)  # Table V, the only results left out


def test_rows_are_complete(board):
    assert list(board.columns) == verdicts.COLUMNS
    assert set(board.paper) == set(scoreboard.PAPERS)
    numbers, claims = board[board.kind == "number"], board[board.kind == "claim"]
    assert len(numbers) + len(claims) == len(board)
    assert numbers[["printed", "ours", "sd"]].notna().all(axis=None)
    assert numbers.runs.ge(2).all()
    assert (claims[["claim", "found"]] != "").all(axis=None)
    failed = numbers[numbers.verdict == NOT_REPRODUCED]
    assert (failed.reason != "").all()
    assert (numbers[numbers.verdict == REPRODUCED].reason == "").all()


def test_counts_of_the_chapters(board):
    """What the chapters' text says."""
    numbers = board[board.kind == "number"]
    counts = numbers.groupby(["paper", "data", "verdict"]).size()
    yes, weak, no = REPRODUCED, SAME_ORDERING, NOT_REPRODUCED
    assert counts["Díaz et al.", "orl"][[yes, weak, no]].to_list() == [59, 11, 11]
    assert counts["Díaz et al.", "yaleb"][[yes, weak, no]].to_list() == [16, 17, 48]
    assert counts["Cheng et al.", "yale"][[yes, weak, no]].to_list() == [6, 2, 4]
    assert counts["Cheng et al.", "umist"].to_dict() == {no: 9, weak: 3}
    assert counts["Cheng et al.", "orl"][[yes, weak, no]].to_list() == [5, 2, 5]
    assert counts["Regularized NMF", "cbcl"].to_dict() == {yes: 16, weak: 8}
    claims = board[board.kind == "claim"].groupby(["paper", "verdict"]).size()
    assert claims["Regularized NMF"][[yes, weak, no]].to_list() == [13, 4, 2]
    assert claims["Cheng et al."].to_dict() == {yes: 9}


def test_text_of_a_number_and_of_a_claim(board):
    text = scoreboard.as_text(board)
    assert len(text) == len(board) and text.notna().all(axis=None)
    pca = text[text.what == "CBCL · 100 images · PCA · s (%)"].iloc[0]
    assert pca.printed == "0.028"
    claim = text[text.method == "(a sentence)"].iloc[0]
    assert claim.printed == "" and claim.place == "Fig. 1"


def test_the_tables_of_one_reading_do_not_depend_on_the_others():
    runs = cheng.stored_runs()
    rows = cheng.tables(runs)
    alone = cheng.tables(runs.drop(columns=["both_nnls", "span"]))
    pd.testing.assert_frame_equal(rows, alone)
    assert not rows.ours.equals(cheng.tables(runs, "span").ours)


def test_claims_as_rows_and_as_the_chapters_show_them():
    rows = verdicts.claim_rows(
        [
            verdicts.claim("Fig. 1", "A is best", REPRODUCED, "1 ± 0", data="orl", reason="r"),
            verdicts.claim("Fig. 2", "B is worst", NOT_REPRODUCED, "0 ± 1"),
            verdicts.claim("Fig. 2", "C is worst", REPRODUCED, "2 ± 1"),
        ]
    )
    assert rows.iloc[0].to_dict() == {
        "kind": "claim",
        "place": "Fig. 1",
        "data": "orl",
        "claim": "A is best",
        "found": "1 ± 0",
        "verdict": REPRODUCED,
        "reason": "r",
    }
    assert rows.iloc[1][["data", "reason"]].tolist() == ["", ""]
    shown = verdicts.claims_table(rows)
    assert shown.columns.tolist() == ["where", "the paper's claim", "ours", "verdict"]
    assert shown.iloc[1].tolist() == ["Fig. 2", "B is worst", "0 ± 1", NOT_REPRODUCED]
    marks = verdicts.marks(rows)
    assert marks.name == "mark" and marks.tolist() == ["✓", "✗", "✓"]
    counts = verdicts.count(rows, ["place"])
    assert counts.columns.tolist() == ["✓", "✗"]
    assert counts.loc["Fig. 1"].tolist() == [1, 0] and counts.loc["Fig. 2"].tolist() == [1, 1]
