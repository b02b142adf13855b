"""The board has every number of the papers' tables, and each row its verdict by the one rule.

What it says of each row is stored in the notebook of the board, and compared when that
runs.
"""

import runpy
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from studies import papers
from studies.machinery import rule, scoreboard, verdicts
from studies.machinery.rule import MISPRINT, NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED
from tests.project import ROOT


def test_a_printed_sentence_counts_once_and_is_as_good_as_its_weakest_part():
    claims = [f"“A” (part {k})" for k in range(3)]
    rows = pd.DataFrame({"claim": claims, "paper": "P", "place": "§1"})
    rows["verdict"] = [REPRODUCED, NOT_TESTABLE, NOT_REPRODUCED]
    for n, whole in enumerate(rows.verdict, start=1):
        assert verdicts.printed_once(rows[:n]).verdict.tolist() == [whole]


def test_a_sentence_with_a_word_that_no_number_defines_has_no_verdict():
    sure = [[3.0, 4.0, 5.0]]
    said = verdicts.sentence("§1", "A", sure, undefined="no number says what A is")
    assert said["verdict"] == NOT_TESTABLE and said["seen"] == REPRODUCED
    assert said["reason"] == "no number says what A is"


def test_printed_sentences_are_counted_beside_what_chance_would_give():
    """A sentence of two rows has the smaller chance and the larger p-value."""
    clear = np.array([1.0, 1.1, 1.2, 0.9, 1.0])
    weak = clear - 0.9 + np.array([0.0, 0.4, -0.4, 0.2, -0.2])
    rows = [
        verdicts.sentence("§1", "A", [clear], about="one"),
        verdicts.sentence("§1", "A", [weak], about="two"),
        verdicts.sentence("§2", "B", [clear, clear]),
        verdicts.sentence("§3", "C", [clear], substitute="other data"),
    ]
    rows = pd.DataFrame(rows).assign(paper="P")
    found = verdicts.sentences_by_chance(rows).loc["P"]
    assert found.tested == 2 and found.reproduced == 1 and found.together == 1
    assert found.ordered == 1 + (rows.verdict[1] != NOT_REPRODUCED)
    expected = min(rows.chance[:2]) + rows.chance[2]
    assert found.reproduced_by_chance == pytest.approx(expected)


def test_the_difference_that_would_have_been_seen_is_the_largest_of_the_parts():
    parts = [[1.0, 2.0, 3.0], [1.0, 1.1, 1.2]]
    largest = max(map(rule.detectable, parts))
    assert verdicts.smallest_seen(parts, unit=2) == f"{2 * largest:.4f}"
    row = verdicts.sentence("§1", "A", [[-1.0, 0.0, 2.0]])
    assert row["detectable"] == f"{rule.detectable([-1.0, 0.0, 2.0]):.4f}"
    assert verdicts.sentence("§1", "A", parts, "told")["detectable"] == ""


def test_a_mean_of_one_draw_has_no_error():
    assert verdicts.differences([[1.0], [2.0, 4.0]]) == "+1.0000 to +3.0000"


@pytest.fixture(scope="module")
def board():
    return scoreboard.scoreboard()


@pytest.mark.slow
def test_rows_are_complete(board):
    assert list(board.columns) == verdicts.COLUMNS
    assert set(board.paper) == set(scoreboard.PAPERS) and board.verdict.notna().all()
    kinds = dict(list(board.groupby("kind")))
    assert set(kinds) == {"number", "sentence", "question"}
    assert kinds["number"][["printed", "ours"]].notna().all(axis=None)
    quoted = kinds["sentence"]
    own = kinds["question"]
    assert (pd.concat([quoted, own])[["claim", "found"]] != "").all(axis=None)
    assert (
        quoted.claim.str.startswith("“").all() and not own.claim.str.contains("“").any()
    )
    assert list(quoted.place[~quoted.place.str.match("§|abstract")]) == []
    rule.require_causes(board[board.kind != "question"])
    numbers = scoreboard.counted(board).query("kind == 'number'")
    cell = ["paper", "place", "data", "setting", "method", "metric"]
    assert not numbers.duplicated(cell).any()
    others = board[(board.reading != "") & (board.kind == "number")]
    assert not others.duplicated([*cell, "reading"]).any()
    assert set(map(tuple, others[cell].to_numpy())) <= set(
        map(tuple, numbers[cell].to_numpy())
    )
    assert (board[board.verdict == REPRODUCED].cause == "").all()


@pytest.mark.slow
def test_every_number_is_graded_through_the_rule(board):
    """The board's verdict is that of the `Row` behind it, on all of them, or of a substitute."""
    for row in board[
        (board.kind == "number") & (board.verdict != MISPRINT)
    ].itertuples():
        one, place = row.row_of
        assert row.seen == one.verdicts()[place]
        assert row.verdict in (row.seen, NOT_TESTABLE)
        assert one.printed.value[place] == row.printed
        assert np.nanmean(one.draws[:, place]) == pytest.approx(row.ours)


@pytest.mark.slow
def test_every_sentence_is_graded_through_the_rule(monkeypatch):
    """With a rule that always says no, every sentence of every paper is no, or a substitute's."""
    monkeypatch.setattr(
        verdicts, "sentence_verdict", lambda *parts, least: NOT_REPRODUCED
    )
    for makers in (paper.rows for paper in scoreboard.PAPERS.values()):
        rows = makers[-1]()
        assert (rows.seen == NOT_REPRODUCED).all()
        others = rows[rows.verdict != NOT_REPRODUCED]
        assert (others.verdict == NOT_TESTABLE).all() and (others.reason != "").all()


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
    assert (text.why != "").all()
    with pytest.raises(ValueError, match="different addresses"):
        scoreboard.as_text(pd.concat([board[:3], board[1:2]]))


@pytest.mark.slow
def test_each_number_of_the_papers_is_that_of_the_stored_results(board, monkeypatch):
    monkeypatch.setattr(scoreboard, "scoreboard", lambda: board)
    fill = runpy.run_path(str(ROOT / "paper" / "fill.py"))
    wanted = fill["files"]()
    behind = [
        path.name for path, new in wanted.items() if path.read_text("utf-8") != new
    ]
    assert behind == [], "run `python paper/fill.py`"
    counted = scoreboard.counted(board)
    once = verdicts.printed_once(counted[counted.kind == "sentence"]).verdict
    tested = (once != NOT_TESTABLE).sum()
    held = (once == REPRODUCED).sum()
    text = " ".join((ROOT / "paper" / "paper.md").read_text("utf-8").split())
    assert f"Of {tested} sentences that could be tested, {held} hold." in text
    words = {
        (3, 4): "undecided",
        (3, 5): "Re",
        (0, 3): "¬Re",
        (0, 5): "undecided",
        (1, 3): "undecided",
    }
    for ticks, word in words.items():
        tables = pd.DataFrame({"ticks": ticks, "low": 1, "high": 3.5, "null": [3, 4]})
        assert fill["label"](tables).strip("*[]") == word
