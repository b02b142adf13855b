"""The board has every number of the papers' tables, and each row its verdict by the one rule."""

import ast
import runpy
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from studies import papers, zhang
from studies.machinery import rule, scoreboard, verdicts
from studies.machinery.rule import MISPRINT, NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, SAME_ORDERING
from studies.sparse.sentences import comparable_gain
from tests.project import ROOT

STUDIES = ROOT / "book" / "studies"

# ------------------------------------------------------------------ sentences as rows

SURE, WEAK, AGAINST = [3.0, 4.0, 5.0], [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]
WHY = {"cause": "noise", "reason": "as measured"}
BARE = {"kind": "sentence", "place": "§1", "data": "", "claim": "“A”", "bar": ""}
DECIDED = {"verdict": NOT_TESTABLE, "reason": "other faces"}
BARE |= {"found": "+4.0000 ± 0.5774", "cause": "", "reason": ""}


@pytest.mark.parametrize(
    ("parts", "options", "changes", "verdict"),
    [
        ([SURE], {}, {}, REPRODUCED),
        ([SURE], {"about": "ORL", "data": "o"}, {"claim": "“A” (ORL)", "data": "o"}, REPRODUCED),
        # A failure keeps its cause, and nothing else has one.
        ([SURE, WEAK], {"found": "shown"} | WHY, {"found": "shown"}, SAME_ORDERING),
        ([AGAINST], {"found": "shown"} | WHY, {"found": "shown"} | WHY, NOT_REPRODUCED),
        # A substitute decides nothing.
        ([SURE], {"substitute": "other faces"} | WHY, DECIDED, REPRODUCED),
    ],
)
def test_a_sentence_is_a_quotation_with_its_verdict(parts, options, changes, verdict):
    found = verdicts.sentence("§1", "A", parts, **options)
    assert found == BARE | {"verdict": verdict, "seen": verdict} | changes


def test_what_we_found_is_written_with_an_error_from_two_draws_on():
    assert verdicts.differences([[1.0]]) == "+1.0000"
    assert verdicts.differences([[1.0], [2.0, 4.0]]) == "+1.0000 to +3.0000"
    assert verdicts.differences([[1.0, 3.0], [5.0, 5.0]]) == "+2.0000 ± 1.0000 to +5.0000 ± 0.0000"


def test_comparable_sparseness_is_that_of_lnmf_in_the_same_draw():
    path = pd.DataFrame({"seed": [0, 0, 1, 1], "s_l1": [0.9, 0.7, 0.5, 0.6], "e": [0.3, 0.1, 1, 1]})
    local = pd.DataFrame({"seed": [0, 1], "s_l1": 0.85, "e": 0.2, "method": "LocalNMF"})
    gain = comparable_gain(path, local)
    assert gain[0] == pytest.approx(0.2 - 0.25)
    assert np.isnan(gain[1])  # no basis of this path is as sparse


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([REPRODUCED, REPRODUCED], REPRODUCED),
        ([REPRODUCED, SAME_ORDERING], SAME_ORDERING),
        ([REPRODUCED, NOT_TESTABLE, SAME_ORDERING], NOT_TESTABLE),
        ([REPRODUCED, NOT_TESTABLE, NOT_REPRODUCED], NOT_REPRODUCED),
    ],
)
def test_a_printed_sentence_counts_once_and_is_as_good_as_its_weakest_part(parts, whole):
    rows = pd.DataFrame({"paper": "P", "place": "§1", "verdict": parts})
    rows["claim"] = [f"“A” (part {k})" for k in range(len(parts))]
    other = rows.assign(claim="“B”", verdict=REPRODUCED)
    once = verdicts.printed_once(pd.concat([rows, other, other.assign(place="§2")[:1]]))
    assert list(once.verdict) == [whole, REPRODUCED, REPRODUCED]


def test_zhangs_differences_are_paired_by_draw():
    ours = pd.DataFrame({"seed": range(5), "ac": [5.0, 1, 2, 3, 4]})
    theirs = pd.DataFrame({"seed": [4, 3, 2, 1, 0], "ac": [3.0, 2, 1, 0, 4]})
    assert zhang.paired(ours, theirs, "ac").tolist() == [1.0] * 5
    with pytest.raises(ValueError, match="same five draws"):
        zhang.paired(ours[:4], theirs, "ac")


def test_a_reason_says_how_far_off_a_number_is():
    table = pd.DataFrame({"cell": ["a", "b"], "row": 1, "printed": [10.0, 20.0]})
    draws = pd.DataFrame({"cell": [*"aaaabbbb"], "draw": [0, 1, 2, 3] * 2})
    draws["value"] = [9.9, 10, 10, 9.9] + [30] * 4
    judged = rule.judge(table, draws, cell=["cell"], row=["row"]).assign(kind="number")
    near, far = map(scoreboard._by_the_rule, judged.itertuples())
    # s² = 0.01/3, twice the root of s²/4 + s²/1 is 0.129
    assert near == "0.5 % below, two errors 1.3 %, equivalent"
    assert far == "50.0 % above, two errors 0.0 %, each side as printed"


def test_no_other_module_has_a_rule_of_its_own():
    """None of them types a verdict, or computes a quantile or a standard error to reach one."""
    known = {REPRODUCED, SAME_ORDERING, NOT_REPRODUCED, NOT_TESTABLE}
    for path in set(STUDIES.rglob("*.py")) - {STUDIES / "machinery" / "rule.py"}:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        assert not known & {node.value for node in nodes if isinstance(node, ast.Constant)}, path
        called = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert not {"ppf", "ttest_1samp", "ttest_rel"} & called, path


# ------------------------------------------------------------------ the board: it takes seconds


@pytest.fixture(scope="module")
def board():
    return scoreboard.scoreboard()


@pytest.mark.slow
def test_every_number_of_every_table_is_counted_once(board):
    """Rows × columns of the tables, as printed; the rest is named as left out."""
    numbers = scoreboard.counted(board).query("kind == 'number'")
    assert numbers.groupby(["paper", "place"]).size().to_dict() == {
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
    cell = ["paper", "place", "data", "setting", "method", "metric"]
    assert not numbers.duplicated(cell).any()
    others = board[(board.reading != "") & (board.kind == "number")]
    assert not others.duplicated([*cell, "reading"]).any()
    assert set(map(tuple, others[cell].to_numpy())) <= set(map(tuple, numbers[cell].to_numpy()))
    assert {"Table 1", "Table I", "Table V"} <= {place for _, place in scoreboard.LEFT_OUT}


@pytest.mark.slow
def test_rows_are_complete(board):
    assert list(board.columns) == verdicts.COLUMNS
    assert set(board.paper) == set(scoreboard.PAPERS) and board.verdict.notna().all()
    kinds = dict(list(board.groupby("kind")))
    assert set(kinds) == {"number", "sentence", "question"}
    assert kinds["number"][["printed", "ours"]].notna().all(axis=None)
    quoted, own = kinds["sentence"], kinds["question"]
    assert (pd.concat([quoted, own])[["claim", "found"]] != "").all(axis=None)
    assert quoted.claim.str.startswith("“").all() and not own.claim.str.contains("“").any()
    assert list(quoted.place[~quoted.place.str.match("§|abstract")]) == []
    rule.require_causes(board[board.kind != "question"])
    assert (board[board.verdict == REPRODUCED].cause == "").all()


@pytest.mark.slow
def test_every_number_is_graded_through_the_rule(board):
    """The board's verdict is that of the `Row` behind it, on all of them, or of a substitute."""
    for row in board[(board.kind == "number") & (board.verdict != MISPRINT)].itertuples():
        one, place = row.row_of
        assert row.seen == one.verdicts()[place]
        assert row.verdict in (row.seen, NOT_TESTABLE)
        assert one.printed.value[place] == row.printed
        assert np.nanmean(one.draws[:, place]) == pytest.approx(row.ours)


@pytest.mark.slow
def test_every_sentence_is_graded_through_the_rule(monkeypatch):
    """With a rule that always says no, every sentence of every paper is no, or a substitute's."""
    monkeypatch.setattr(verdicts, "sentence_verdict", lambda *parts: NOT_REPRODUCED)
    for makers in (paper.rows for paper in scoreboard.PAPERS.values()):
        rows = makers[-1]()
        assert (rows.seen == NOT_REPRODUCED).all()
        others = rows[rows.verdict != NOT_REPRODUCED]
        assert (others.verdict == NOT_TESTABLE).all() and (others.reason != "").all()


#: Addresses that a link may name: of numbers, with a reading, of a sentence, of a question.
ADDRESSES = {
    "guan-table-3-orl-salt-pepper-50-l1nmf-rre",
    "guan-table-4-orl-blocks-16-truncatedcauchynmf-ac-three-sigma",
    "diaz-table-2-yaleb-gaussian-0-01-l21nmf-nmi-nearest-pixel",
    "diaz-4-2-2-yaleb-nearest-pixel-l21-was-able-to-consistently-produce-salt-pepper-l1",
    "zhang-our-own-yale-rnmf-better-than-plain-nmf-its-own-limit-for-lambda-from-0-1-to-0-6-ac",
}


@pytest.mark.slow
@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.name)
def test_every_quoted_sentence_stands_on_the_board(board, paper):
    """A table of words that nothing judges would be a claim without a row."""
    words = Path(sys.modules[paper.rows[0].__module__].__file__).with_name("words.toml")
    quoted = tomllib.loads(words.read_text(encoding="utf-8"))["sentences"].values()
    each = [said for entry in quoted for said in (entry, *entry.get("on", {}).values())]
    claims = board[board.paper == paper.name].claim
    for said in each:
        if "quotation" in said:
            about = f" ({said['about']})" if "about" in said else ""
            assert claims.str.startswith(f"“{said['quotation']}”{about}").any(), said
        elif "asked" in said:
            assert claims.eq(said["asked"]).any(), said


def test_every_row_has_an_address_made_of_what_names_it_and_a_reason(board):
    text = scoreboard.as_text(board)
    assert text.id.is_unique and text.id.str.fullmatch("[a-z0-9-]+").all()
    assert set(text.id) > ADDRESSES and (text.why != "").all()
    with pytest.raises(ValueError, match="different addresses"):
        scoreboard.as_text(pd.concat([board[:3], board[1:2]]))


@pytest.mark.slow
def test_each_number_of_the_papers_is_that_of_the_stored_results(board, monkeypatch):
    monkeypatch.setattr(scoreboard, "scoreboard", lambda: board)
    fill = runpy.run_path(str(ROOT / "paper" / "fill.py"))
    wanted = fill["files"]()
    behind = [path.name for path, new in wanted.items() if path.read_text("utf-8") != new]
    assert behind == [], "run `python paper/fill.py`"
    counted = scoreboard.counted(board)
    once = verdicts.printed_once(counted[counted.kind == "sentence"]).verdict
    tested, held = (once != NOT_TESTABLE).sum(), (once == REPRODUCED).sum()
    text = " ".join((ROOT / "paper" / "paper.md").read_text("utf-8").split())
    assert f"Of {tested} sentences that could be tested, {held} hold." in text
    for ticks, low, word in (
        ([3, 4], 1, "undecided"),
        ([3, 5], 1, "Re"),
        ([0, 3], 1, "¬Re"),
        ([0, 5], 1, "undecided"),
    ):
        tables = pd.DataFrame({"ticks": ticks, "low": low, "high": 3.5, "null": [3, 4]})
        assert fill["label"](tables).strip("*[]") == word
