"""The directive `predict` says what is wrong with a question; every key of the book is checked."""

import re

import nbformat
import pytest
from rnmf_book.questions import ASKED

from figures.ask import _judged
from tests.project import ROOT, load_module, load_tool

predict = load_module(ROOT / "book" / "_ext" / "predict.py")
tool = load_tool("notebooks")
SHOWN = re.compile(
    r"^[ \t]*(?::number:|- \[.\] |---$)|\s\| ", re.M
)  # a key, or a part of one
KEY = re.compile(r"^# key of (\S+)$", re.M)


def asked(notebook):
    """The names of the questions of a notebook, in order; their keys are in the metadata."""
    for cell in notebook.cells:
        found = ASKED.findall(cell.source) if cell.cell_type == "markdown" else []
        names = [name for _, _, name, _ in found]
        assert len(names) == cell.source.count("{predict}") * (
            cell.cell_type == "markdown"
        )
        assert set(names) == set(cell.metadata.get("keys", {}))
        assert [text for *_, text in found if SHOWN.search(text)] == []
        yield from names


def checked(notebook):
    """The names under whose comment a cell of checks asserts something."""
    cells = [
        cell for cell in notebook.cells if "checks" in cell.metadata.get("tags", [])
    ]
    for cell in cells:
        _, *parts = KEY.split(cell.source)
        for name, code in zip(parts[::2], parts[1::2], strict=True):
            if re.search(r"^\s*assert ", code, re.M):
                yield name


def test_the_key_of_every_question_is_checked_and_no_two_share_a_name():
    names = []
    for path in tool.chapters():
        notebook = tool.read(path)
        here = list(asked(notebook))
        assert set(here) == set(checked(notebook)), path
        names += here
    assert len(names) == len(set(names)) > 0


# How a question and the key in the metadata of its cell come together.


def cell_of(text, **key):
    text = (
        f"Before.\n\n```{{predict}} A title\n:name: predict-a\n\n{text}\n```\n\nAfter."
    )
    return nbformat.v4.new_markdown_cell(text, metadata={"keys": {"predict-a": key}})


def test_a_key_goes_where_the_directive_reads_it_and_only_once():
    for cell, whole in (
        (
            cell_of("How many?", number="3", answer="$1 + 2$."),
            [":number: 3", "$1 + 2$."],
        ),
        (
            cell_of("- A.\n- B.", right=2, why=["C.", "D."]),
            ["- [ ] A. | C.", "- [x] B. | D."],
        ),
    ):
        notebook = predict.with_keys(nbformat.v4.new_notebook(cells=[cell]))
        text = notebook.cells[0].source
        assert set(whole) <= set(text.splitlines())
        assert text.startswith("Before.") and text.endswith("```\n\nAfter.")
        assert predict.with_keys(notebook).cells[0].source == text


def test_a_key_that_says_why_of_another_number_of_choices_is_told():
    cell = cell_of("Which?\n\n- One.", right=1, why=["a", "b"])
    with pytest.raises(
        ValueError, match="predict-a has 1 choices, and its key says why of 2"
    ):
        predict.with_keys(nbformat.v4.new_notebook(cells=[cell]))


# What a page says of a question that is not in order.

CHOICES = ["Which?", "", "- [ ] One. | No.", "- [x] The other, with", "  |x|. | Yes."]


def test_a_number_is_read_with_what_counts_as_near_or_told_to_be_none():
    for text, key in {
        "3": (3, 0),
        "1e-3 +- .5e-3": (1e-3, 5e-4),
        "−2 ± 1": (-2, 1),
    }.items():
        assert predict.number(text) == pytest.approx(key)
    assert predict.number("31% ± 5 %") == pytest.approx((0.31, 0.05))
    assert [_judged("31% ± 5%", guess)[0] for guess in ("36", "0.26", "0.37")] == [
        True,
        True,
        False,
    ]
    for text in ("", "many", "1 ± 2 ± 3", "1 ±", "0.3 ± 0", "1,5", "1 ± -1"):
        with pytest.raises(ValueError, match=r"number|above zero"):
            predict.number(text)


def test_choices_are_read_with_what_there_is_to_say():
    asked = predict.question([*CHOICES, "", "---", "More."], numeric=False)
    assert asked.text == ["Which?", ""] and asked.answer == ["More."]
    assert asked.choices == [
        (False, "One.", "No."),
        (True, "The other, with |x|.", "Yes."),
    ]


@pytest.mark.parametrize(
    ("lines", "numeric", "told"),
    [
        (CHOICES, True, "not both"),
        (["How many?", "---", ""], True, "what is true"),
        (["", "---", "Two."], True, "no question"),
        (CHOICES[:3], False, "two to four"),
        ([*CHOICES, *["- [ ] Third. | No."] * 3], False, "two to four"),
        ([CHOICES[0], *[CHOICES[2]] * 2], False, "0 choices are marked"),
        ([*CHOICES, "- [x] Third. | Yes."], False, "2 choices are marked"),
        ([*CHOICES, "- [ ] Third."], False, "Why it is wrong"),
    ],
)
def test_a_question_that_is_not_in_order_is_told(lines, numeric, told):
    with pytest.raises(ValueError, match=told):
        predict.question(lines, numeric)
