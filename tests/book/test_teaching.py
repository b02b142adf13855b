"""What teachers hand out: made from the notebooks, complete, and without what they leave out."""

import ast
import re

import nbformat
import pytest

from tests.project import ROOT, load_module

BOOK = ROOT / "book"
teaching = load_module(ROOT / "book" / "_ext" / "teaching.py")
LAB = nbformat.read(BOOK / "lab.ipynb", as_version=4)
SHEET = teaching.without_solutions(LAB)


def test_the_sheet_has_every_task_and_no_solution():
    lab, sheet = ([c.source for c in n.cells if c.cell_type == "code"] for n in (LAB, SHEET))
    asked = sum(source.count("BEGIN SOLUTION") for source in lab)
    assert asked == sum(source.count("...  # your lines") for source in sheet) >= 5
    for cell in SHEET.cells:
        assert "SOLUTION" not in cell.source
        if cell.cell_type == "code":
            assert not cell.outputs
            if "setup" not in cell.metadata.get("tags", []):
                ast.parse(cell.source)


def test_the_sheet_as_it_is_solves_nothing():
    """Each task's assertions fail on the lines to fill in."""
    first = next(c.source for c in SHEET.cells if c.source.startswith("import numpy"))
    task = next(c.source for c in SHEET.cells if "def weight" in c.source)
    check = next(c.source for c in SHEET.cells if "assert np.allclose(weight" in c.source)
    with pytest.raises((AssertionError, TypeError)):
        exec("\n".join([first, task, check]), {})


@pytest.mark.slow
def test_the_slides_have_each_section_and_picture_of_the_tour_and_load_nothing_else():
    pages = [nbformat.read(BOOK / "tour" / f"{n}.ipynb", as_version=4) for n in teaching.TOUR]
    page = teaching.as_slides(pages, "fetched/startup.js")
    for notebook in pages:
        text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
        title = re.search(r"^# (.*)$", text, re.M)[1]
        assert title.split("`")[0][:20] in page
    assert re.findall(r'(?:src|href|from) ?= ?["\']https?:[^"\']*', page) == []
    assert "import mermaid" not in page
    assert page.count("data:image/png") + page.count("<svg") >= len(pages)


def test_each_learning_objective_names_a_page_that_exists_and_each_question_an_answer():
    text = (BOOK / "teach.md").read_text(encoding="utf-8")
    pages = re.findall(r"\]\(([\w/]+\.(?:ipynb|md))\)", text)
    assert [page for page in pages if not (BOOK / page).exists()] == []
    answers = (BOOK / "teach_answers.md").read_text(encoding="utf-8")
    numbers = [re.findall(r"^(\d+)\. ", t, re.M) for t in (text, answers)]
    assert numbers[0] == numbers[1] == [str(n) for n in range(1, 11)]
