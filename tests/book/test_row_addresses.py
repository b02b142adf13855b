"""Every row of the scoreboard has an address, made of what names it."""

import pandas as pd
import pytest

from studies import rule, scoreboard


def row(**changes):
    known = {
        "paper": "Guan et al.",
        "kind": "number",
        "place": "Table III",
        "data": "orl",
        "setting": "salt & pepper 50",
        "method": "L1NMF",
        "metric": "rre",
        "reading": "",
        "claim": "",
    }
    return next(pd.DataFrame([known | changes]).itertuples())


@pytest.mark.parametrize(
    ("changes", "address"),
    [
        ({}, "guan-table-3-orl-salt-pepper-50-l1nmf-rre"),
        (
            {"place": "Table IV", "reading": "three-sigma"},
            "guan-table-4-orl-salt-pepper-50-l1nmf-rre-three-sigma",
        ),
        (
            {"paper": "Díaz et al.", "setting": "Laplace 0.06"},
            "diaz-table-3-orl-laplace-0-06-l1nmf-rre",
        ),
        (
            {
                "kind": "sentence",
                "paper": "Zhang et al.",
                "place": "§5.3.2",
                "data": "yale, smaller",
                "claim": "“one, two λ three four five six seven” (L2,1)",
            },
            "zhang-5-3-2-yale-smaller-one-two-lambda-three-four-five-l21",
        ),
        (
            {"kind": "question", "place": "our own", "claim": "is λ below σ?"},
            "guan-our-own-orl-is-lambda-below-sigma",
        ),
    ],
)
def test_an_address_is_made_of_what_names_the_row(changes, address):
    assert scoreboard.anchor(row(**changes)) == address


@pytest.mark.slow
def test_no_two_rows_have_one_address_and_every_verdict_has_a_reason():
    board = scoreboard.scoreboard()
    text = scoreboard.as_text(board)
    assert text.id.is_unique and text.id.str.fullmatch("[a-z0-9-]+").all()
    assert (text.why != "").all()
    turned = scoreboard.as_text(board[::-1])  # the place of a row is no part of it
    assert list(turned.id) == list(text.id[::-1])
    with pytest.raises(ValueError, match="different addresses"):
        scoreboard.as_text(pd.concat([board[:3], board[1:2]]))


def test_a_reason_says_how_far_off_a_number_is():
    table = pd.DataFrame({"cell": ["a", "b"], "row": 1, "printed": [10.0, 20.0]})
    draws = pd.DataFrame(
        {
            "cell": ["a"] * 4 + ["b"] * 4,
            "draw": [0, 1, 2, 3] * 2,
            "value": [9.9, 10, 10, 9.9] + [30] * 4,
        }
    )
    judged = rule.judge(table, draws, cell=["cell"], row=["row"]).assign(kind="number")
    near, far = map(scoreboard._by_the_rule, judged.itertuples())
    # s² = 0.01/3, twice the root of s²/4 + s²/1 is 0.129
    assert near == "0.5 % below, two errors 1.3 %, equivalent"
    assert far == "50.0 % above, two errors 0.0 %, each side as printed"
