"""The code of the chapters: what a reader would type, and nothing twice."""

import ast
import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import nbformat
import pytest

BOOK = Path(__file__).resolve().parent.parent / "book"
CHAPTERS = sorted(p for p in BOOK.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)
by_name = pytest.mark.parametrize("path", CHAPTERS, ids=[path.stem for path in CHAPTERS])

#: The chapters that derive an algorithm.
OF_A_PAPER = ["nmf", "robust_nmf", "l2_l1_l21", "sparse_basis", "truncated_cauchy", "supervised"]


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
def test_the_first_imports_fit_in_twenty_lines(path):
    nodes = imports(cells(path)[:1])
    assert sum(node.end_lineno - node.lineno + 1 for node in nodes) <= 20


@by_name
def test_public_paths_are_short(path):
    """`rnmf_tutorial.estimators`, not where in it something happens to stand."""
    modules = [node.module for node in imports(cells(path)) if isinstance(node, ast.ImportFrom)]
    ours = [name for name in modules if name.split(".")[0] in ("rnmf_tutorial", "studies")]
    assert [name for name in ours if name.count(".") > 1] == []


@by_name
def test_what_is_imported_comes_with_the_package_or_with_pytest(path):
    """A notebook runs where a reader opens it: its first cell installs no more than these."""
    project = tomllib.loads((BOOK.parent / "pyproject.toml").read_text())["project"]
    brought = {re.match(r"[\w-]+", text)[0] for text in project["dependencies"]}
    brought |= {"sklearn", "PIL", "IPython", "pytest", "rnmf_tutorial", "studies"}
    brought |= set(re.findall(r"%pip install -q ([\w-]+)\\n", path.read_text()))
    nodes = imports(cells(path))
    names = [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    assert {name.split(".")[0] for name in names} <= brought | sys.stdlib_module_names


@by_name
def test_no_private_name(path):
    assert private_names(cells(path)) == set()


@by_name
def test_each_stored_picture_of_a_slider_has_its_size(path):
    """Otherwise a page jumps when the picture comes."""
    stored = nbformat.read(path, as_version=4).metadata.get("widgets", {})
    states = stored.get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    texts = [state["state"].get("value", "") for state in states.values()]
    pictures = [tag for text in texts for tag in re.findall("<img [^>]*>", str(text))]
    assert [tag for tag in pictures if not re.search(r'width="\d+" height="\d+"', tag)] == []


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


def test_private_names_are_found():
    tree = ast.parse("from a import _b\nx._c()\nx.__class__\nd_, _ = x.e_")
    assert private_names([tree]) == {"_b", "_c"}


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


def test_a_helper_in_two_chapters_is_found():
    one, other = "def f(x):\n    'One.'\n    return x", "def f(x):\n    return x"
    assert defined_twice({"a": [ast.parse(one)], "b": [ast.parse(other)]}) == [
        [("a", "f"), ("b", "f")]
    ]


#: Tags of cells whose code a page does not show at once.
FOLDED = {"hide-input", "remove-input", "remove-cell", "hide-cell", "checks", "setup"}


def visible(path):
    """The source of each code cell that a page shows."""
    notebook = nbformat.read(path, as_version=4)
    return [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and not FOLDED & set(cell.metadata.get("tags", []))
    ]


def guards(source):
    """Lines of a cell that only guard the truth: assertions, and errors that must come."""
    tree = ast.parse(re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", source))
    return [
        ast.unparse(node).splitlines()[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
        or (isinstance(node, ast.With) and "pytest.raises" in ast.unparse(node.items[0]))
    ]


@by_name
def test_what_guards_the_text_is_folded(path):
    if path.stem == "checks":
        return  # they are what this page is about
    assert [line for source in visible(path) for line in guards(source)] == []


def test_guards_are_found():
    source = "x = 1\nassert x\nwith pytest.raises(ValueError):\n    f()\nwith open(p) as g: pass"
    assert guards(source) == ["assert x", "with pytest.raises(ValueError):"]


def opening(path):
    """The cells of a chapter before its first heading of the second level."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown" and re.search(r"(?m)^## ", cell.source):
            yield cell.source.split("\n## ")[0] if not cell.source.startswith("## ") else ""
            return
        yield cell.source


def has_picture(cell):
    return cell.cell_type == "code" and any(
        kind.startswith("image/") for output in cell.outputs for kind in output.get("data", {})
    )


@pytest.mark.parametrize("name", OF_A_PAPER)
def test_a_chapter_opens_with_a_picture_and_the_verdict(name):
    """Before the first section: the question with a figure, then the card, symbols folded."""
    path = BOOK / f"{name}.ipynb"
    before = "\n".join(opening(path))
    assert ":class: verdict-card" in before, f"{name}: no verdict card before the first section"
    cells = nbformat.read(path, as_version=4).cells
    card = next(k for k, cell in enumerate(cells) if ":class: verdict-card" in cell.source)
    assert any(map(has_picture, cells[:card])), f"{name}: no figure above the verdict card"


@pytest.mark.parametrize("name", OF_A_PAPER)
def test_exercises_say_how_long_they_take(name):
    text = (BOOK / f"{name}.ipynb").read_text(encoding="utf-8")
    titles = re.findall(r"\{exercise\}([^\\\"]*)", text)
    assert titles and [title for title in titles if "minute" not in title] == []
