"""What the extensions of the book make of its pages, widgets, figures and formulas."""

import ast
import json
import os
import re
import sys
from importlib import import_module
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup
from docutils.core import publish_doctree
from ipywidgets.embed import dependency_state
from rnmf_book.pages import SITE, Plain
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from figures import Frame, pixel_png, static_chooser, static_slider
from figures.vector import LARGEST, PICTURE, as_svg
from tests.book.test_hand import BOOK as ALL
from tests.project import ROOT

BOOK = ROOT / "book"
sys.path.append(str(BOOK / "_ext"))

names = ("cells", "citing", "ink", "line_figures", "readable", "sliders", "teaching")
folds, citing, ink, line_figures, readable, sliders, teaching = map(
    import_module, names
)


def test_checks_are_counted_names_end_with_the_family_and_a_description_is_whole_sentences():
    source = "x = checks.iterates(m, A)\nchecks.decreases(x)\nassert x\n"
    assert (
        folds.number_of_checks(f"{source}with pytest.raises(ValueError):\n    f()") == 3
    )
    authors = [{"family-names": "Lovelace", "given-names": "Ada"}, {"name": "A Group"}]
    assert citing.names({"authors": authors}) == ["Ada Lovelace", "A Group"]
    page = "Title\n=====\n\n" + 20 * "A sentence of seven words of ours. "
    said = readable.description(
        publish_doctree(page, settings_overrides={"doctitle_xform": False})
    )
    assert said == " ".join(
        ["A sentence of seven words of ours."] * (readable.LONGEST // 35)
    )


# ----------------------------------------------------------------- an incremental build

PAGES = {
    "index": "A\n=\n\n.. toctree::\n\n   other\n\n.. index:: single: LNMF",
    "other": "B\n=\n\n.. index:: single: CIM; loss\n.. index:: see: NNDSVD; start",
}


def searched(book, extensions):
    """Build what changed, and return what the search then knows."""
    out = book / "_build"
    config = {"extensions": extensions}
    with patch_docutils(), docutils_namespace():
        Sphinx(book, None, out, out / ".doctrees", "html", config, status=None).build()
    text = (out / "searchindex.js").read_text()
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))[
        "indexentries"
    ]


@pytest.mark.slow
def test_search_keeps_its_index_entries_when_one_page_changes(tmp_path, monkeypatch):
    for name, text in PAGES.items():
        (tmp_path / f"{name}.rst").write_text(text)
    monkeypatch.syspath_prepend(BOOK / "_ext")
    first = searched(tmp_path, ["search_entries"])
    assert set(first) == {"lnmf", "cim", "loss", "nndsvd", "start"}
    page = tmp_path / "index.rst"
    page.write_text(page.read_text() + "\nOne more sentence.\n")
    later = page.stat().st_mtime_ns + 10**9
    os.utime(page, ns=(later, later))
    assert searched(tmp_path, ["search_entries"]) == first
    assert searched(tmp_path, []) == first  # another configuration: all built anew


# --------------------------------------------------------- stored widgets as plain HTML

DARK, LIGHT = (pixel_png([[[value, value]]]) for value in (0.0, 1.0))


def rendered(box):
    """The elements of a box, and the pictures that it saved."""
    saved = []

    def save(picture, kind):
        saved.append(picture)
        return f"{len(saved) - 1}.{kind}"

    state = dependency_state(box, drop_defaults=False)
    html = sliders.Widgets(state, save).render(box.model_id)
    return BeautifulSoup(html, "html.parser"), saved


def hidden(element):
    return element.find_parent(hidden=True) is not None


def test_a_slider_keeps_pictures_stops_and_alternative_texts():
    says = {"description": "a <b>", "alts": ["x", 'y"']}
    page, saved = rendered(static_slider([DARK, LIGHT], ["0", "<1>"], start=1, **says))
    assert saved == [DARK, LIGHT]
    (control,), label = page("input", type="range"), page.find("label")
    assert [control[name] for name in ("min", "max", "value")] == ["0", "1", "1"]
    assert control["aria-valuetext"] == "<1>" and label.text == "a <b>"
    assert [(x["alt"], x["src"], hidden(x), x.get("loading")) for x in page("img")] == [
        ("x", "0.png", True, "lazy"),
        ('y"', "1.png", False, None),
    ]
    assert (
        label["for"]
        == control["id"]
        == page.find(**{"data-control": True})["data-control"]
    )


def test_a_chooser_shows_one_picture_of_all():
    frames = [[Frame(DARK, alt=f"{i}{j}") for j in range(3)] for i in range(2)]
    page, _ = rendered(
        static_chooser(frames, {"first": "ab", "second": "cde"}, start=(1, 2))
    )
    assert [(x.text, x.has_attr("selected")) for x in page("option")] == [
        ("a", False),
        ("b", True),
    ]
    assert [x["alt"] for x in page("img") if not hidden(x)] == ["12"]


# ----------------------------------------------------------- figures of lines; formulas


@pytest.fixture
def figure():
    figure, ax = plt.subplots(figsize=(5, 3))
    ax.plot(
        [0, 1, 2], [0.123456, 1, 0], "o-", color="#D55E00", mfc="#6666AA", label="a < b"
    )
    ax.legend()
    return figure


def test_a_figure_is_stored_as_svg_the_same_each_time_and_only_many_points_as_dots(
    figure,
):
    figure.axes[0].imshow(np.eye(3))
    svg = as_svg(figure)
    assert (
        svg == as_svg(figure) and as_svg(plt.figure()) is None
    )  # there nothing is drawn
    inside = ElementTree.fromstring(svg).iter
    assert "a < b" in [x.text for x in inside("{http://www.w3.org/2000/svg}text")]
    (picture,) = inside("{http://www.w3.org/2000/svg}image")
    assert (picture.get("width"), "pixelated" in picture.get("style")) == ("3", True)
    cloud, ax = plt.subplots()
    ax.plot(*np.random.default_rng(0).random((2, 5000)), ".")
    assert "<image" in (dots := as_svg(cloud)) and len(PICTURE.sub("", dots)) < LARGEST


def test_in_a_page_ids_are_its_own_and_colors_follow_the_theme(figure):
    page = line_figures.inline(as_svg(figure), "what it shows", "f7-")
    ids = re.findall(r' id="([^"]*)"', page)
    used = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', page)
    assert ids and all(name.startswith("f7-") for name in ids)
    assert used and {a or b for a, b in used} <= set(ids)
    assert 'role="img"' in page and 'aria-label="what it shows"' in page
    assert not re.search(r"(fill|stroke): #", page)
    for color in ("#d55e00", "#6666aa"):
        assert f"color-mix(in srgb, {color}, #fff var(--figure-lift, 0%))" in page
    assert "currentColor" in page and "var(--figure-ground, #fff)" in page


def test_formulas_take_the_inks_that_a_comment_gives():
    tex = "X \\approx WH + S_{ij}\n% model: WH\n% outlier: S_{ij}"
    assert (
        ink.inked(tex)
        == "X \\approx \\class{ink-model}{WH} + \\class{ink-outlier}{S_{ij}}"
    )
    assert ink.inked("a \\% b") == "a \\% b"
    both = r"\class{ink-model}{(WH)_i} + \class{ink-model}{(WH)}"
    assert ink.inked("(WH)_i + (WH)\n% model: (WH); (WH)_i") == both


# --------------------------------------------------------------- what teachers hand out

LAB = ALL.notebook("book/lab")
SHEET = teaching.without_solutions(ALL)


def slides_of(*cells):
    """The texts of the slides of a page with such cells."""
    cells = [
        nbformat.v4.new_markdown_cell(x) if isinstance(x, str) else x for x in cells
    ]
    page = nbformat.v4.new_notebook(cells=cells)
    draw = Plain(ALL, "book/index", page, online=True)
    return [cell.source for cell in teaching.slides_of(draw, page)]


def test_the_sheet_has_every_task_no_solution_and_all_that_it_needs():
    lab, sheet = ([c for c in n.cells if c.cell_type == "code"] for n in (LAB, SHEET))
    asked = sum(cell.source.count("BEGIN SOLUTION") for cell in lab)
    assert asked == sum(cell.source.count(teaching.TO_DO) for cell in sheet) >= 5
    assert not any("SOLUTION" in cell.source for cell in SHEET.cells)
    assert (
        len(SHEET.cells) == len(LAB.cells) - 5
    )  # answers to tasks 4 to 7, and their check
    assert not any(cell.outputs for cell in sheet)
    for cell in sheet:
        ast.parse(re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", cell.source))
    # a student has the sheet and the package, not the repository
    setup, *cells = (cell.source for cell in sheet)
    assert "results" not in setup and "git+https" in setup
    links = [
        x for cell in SHEET.cells for x in re.findall(r"\]\(([^)]*)\)", cell.source)
    ]
    assert len(links) > 1 and all(link.startswith(f"{SITE}book/") for link in links)
    assert not re.search(
        r"(?:import|from) (?:figures|studies)|\bPath\(", "\n".join(cells)
    )
    with pytest.raises(NotImplementedError, match="your lines"):
        exec(teaching.TO_DO)


@pytest.mark.slow
def test_the_slides_have_each_section_and_picture_of_the_tour_and_load_nothing_else():
    page = teaching.as_slides(ALL, "fetched/startup.js")
    titles = [
        title for name, title in ALL.titles.items() if name.startswith("book/tour/")
    ]
    for title in titles:
        assert title.split("`")[0][:20] in page
    assert (
        re.findall(r'(?:src|<link[^>]* href|from) ?= ?["\']https?:[^"\']*', page) == []
    )
    assert "import mermaid" not in page
    assert page.count("data:image/svg+xml") >= len(titles) == 5
    words = re.sub("<[^>]*>", "", page)
    assert "array([[2, 1, 5]," in words  # what W @ H is, below it
    assert r"X \approx WH, \qquad" in words  # the equation that a sentence ends in
    assert (
        "There are none. The top pixel requires" in words
    )  # the right answer, and why
    assert "Judge a picture as a whole, by the length" not in words  # a solution


def test_a_sentence_that_ends_in_an_equation_takes_it_along_and_no_other():
    text = "## One\n\nIt becomes\n\n$$ x $$\n\n## Two\n\nIt is done.\n\n$$ y $$"
    assert slides_of(text) == [
        "## One\n\nIt becomes\n\n$$ x $$",
        "## Two\n\nIt is done.",
    ]


def test_code_has_the_words_that_lead_to_it_also_after_a_question():
    ask = "\n\n```{predict} Why?\n:name: a\n\nEh?\n\n- [x] So. | Yes.\n- [ ] Not. | No.\n```"
    text, code = (
        "## One\n\nIt.\n\nNo.\n\nNow x:\n\n$$ x $$",
        nbformat.v4.new_code_cell("x = 1"),
    )
    assert slides_of(text, code) == ["## One\n\nIt.\n\nNow x:\n\n$$ x $$", "x = 1"]
    assert slides_of(text + ask, code)[-2:] == ["Now x:\n\n$$ x $$", "x = 1"]


def test_an_exercise_is_on_a_slide_and_no_part_of_its_solution():
    fence = "````{solution-%s} ex\n````"
    task = "## Try\n\n```{exercise} Two\n:label: ex\n\nDo it.\n```\n\n"
    cells = [
        task + fence % "start" + "\n\nBecause.",
        "So.\n\n" + fence % "end" + "\n\nAfter.",
    ]
    cells.insert(1, nbformat.v4.new_code_cell("x = 1"))
    slides = slides_of(*cells, nbformat.v4.new_code_cell("y = 2"))
    assert slides == ["## Try\n\n**Two.** Do it.", "After.", "y = 2"]


def test_each_question_of_an_exam_has_an_answer():
    texts = [
        (BOOK / f"{name}.md").read_text("utf-8") for name in ("teach", "teach_answers")
    ]
    asked, answered = (re.findall(r"^(\d+)\. ", text, re.M) for text in texts)
    assert asked == answered == [str(n) for n in range(1, 11)]
