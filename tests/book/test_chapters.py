"""The code of the chapters: what a reader would type, and nothing twice."""

import ast
import re
from collections import defaultdict

import nbformat
import pytest

from studies.paper import papers
from tests.project import ROOT, load_tool

BOOK = ROOT / "book"
CHAPTERS = load_tool("notebooks").chapters()
by_name = pytest.mark.parametrize("path", CHAPTERS, ids=[path.stem for path in CHAPTERS])

#: The chapters that derive an algorithm.
OF_A_PAPER = [paper.chapter for paper in papers()]


def cells(path):
    """The code cells as syntax trees, without the one that brings the package."""
    notebook = nbformat.read(path, as_version=4)
    return [
        ast.parse(re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", cell.source))
        for cell in notebook.cells
        if cell.cell_type == "code" and "setup" not in cell.metadata.get("tags", [])
    ]


def imports(trees):
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def private_names(trees):
    """Names with one leading underscore that are imported or looked up on something."""
    names = {node.attr for tree in trees for node in ast.walk(tree) if hasattr(node, "attr")}
    names |= {alias.name for node in imports(trees) for alias in node.names}
    # Of a named tuple; what a model of one's own may override; the half of the loop that is shown.
    public = {"_replace", "_loss", "_step", "_reach"}
    return {name for name in names - public if name.startswith("_") and not name.startswith("__")}


@by_name
def test_names_are_public_and_their_paths_short(path):
    """`rnmf_tutorial.estimators`, not where in it something happens to stand."""
    trees = cells(path)
    modules = [node.module for node in imports(trees) if isinstance(node, ast.ImportFrom)]
    ours = [name for name in modules if name.split(".")[0] in ("rnmf_tutorial", "studies")]
    assert [name for name in ours if name.count(".") > 1] == []
    assert private_names(trees) == set()


def shown_sources(trees):
    """What stands between the brackets of show_source."""
    return [
        ast.unparse(argument)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "show_source"
        for argument in node.args
    ]


@pytest.mark.parametrize("name", OF_A_PAPER)
def test_a_chapter_shows_the_printed_box_and_then_the_step(name):
    shown = shown_sources(cells(BOOK / f"{name}.ipynb"))
    boxes = [k for k, source in enumerate(shown) if source.startswith("papers.")]
    steps = [k for k, source in enumerate(shown) if source.endswith(".__call__")]
    assert boxes and steps and min(boxes) < min(steps)


def defined_twice(chapters):
    """Functions and classes that stand in two chapters, word for word; docstrings do not count."""
    where = defaultdict(set)
    for name, trees in chapters.items():
        for node in (node for tree in trees for node in tree.body):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                if ast.get_docstring(node) is not None:
                    node.body = node.body[1:]
                where[ast.dump(node)].add((name, node.name))
    return [sorted(places) for places in where.values() if len(places) > 1]


def test_no_helper_stands_in_two_chapters():
    assert defined_twice({path.stem: cells(path) for path in CHAPTERS}) == []


def has_picture(cell):
    return cell.cell_type == "code" and any(
        kind.startswith("image/") for output in cell.outputs for kind in output.get("data", {})
    )


@pytest.mark.parametrize("name", OF_A_PAPER)
def test_a_chapter_opens_with_a_picture_and_the_verdict(name):
    """Before the first section: the question with a figure, then the card, symbols folded."""
    cells = nbformat.read(BOOK / f"{name}.ipynb", as_version=4).cells
    card = next(k for k, cell in enumerate(cells) if ":class: verdict-card" in cell.source)
    text = "\n".join(cell.source for cell in cells[: card + 1] if cell.cell_type == "markdown")
    before = re.split(r"(?m)^## ", text)[0]
    assert ":class: verdict-card" in before, f"{name}: no verdict card before the first section"
    assert any(map(has_picture, cells[:card])), f"{name}: no figure above the verdict card"
