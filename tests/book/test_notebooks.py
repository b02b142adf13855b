"""What stores, checks and opens notebooks does its part; what they use is public."""

import ast
import re
import runpy
import shutil
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import nbformat
import pytest

from tests.book.test_project import PROJECT
from tests.project import ROOT, load_tool

tool = load_tool("notebooks")
# What tools/notebooks.py stores.


def one_cell(source, *outputs, tags=(), **states):
    """A notebook of one cell that was run, with the states of its widgets."""
    cell = nbformat.v4.new_code_cell(source, execution_count=1, outputs=list(outputs))
    cell.metadata["tags"] = list(tags)
    kind = "application/vnd.jupyter.widget-state+json"
    metadata = {"widgets": {kind: {"state": states}}} if states else {}
    return nbformat.v4.new_notebook(cells=[cell], metadata=metadata)


def shown(model):
    view = {
        "application/vnd.jupyter.widget-view+json": {"model_id": model},
        "text/plain": "_Box()",
    }
    return nbformat.v4.new_output("display_data", view)


def test_normalizing_forgets_what_changes_from_run_to_run():
    new = nbformat.v4.new_output

    def stored(box, layout, link, seconds):
        states = {
            link: {
                "model_name": "LinkModel",
                "state": {"source": [f"IPY_MODEL_{box}", "index"]},
            },
            box: {
                "model_name": "VBoxModel",
                "state": {"layout": f"IPY_MODEL_{layout}"},
            },
            layout: {"model_name": "LayoutModel", "state": {}},
            "e" * 32: {"model_name": "HTMLModel", "state": {"value": f"{seconds} s"}},
        }
        bar = {"text/plain": f" 50%|##  | 1/2 [00:{seconds}<?, 2it/s]"}
        outputs = [shown(box), new("display_data", bar)]
        outputs += [new("stream", text="a"), new("stream", text="b")]
        outputs += [new("execute_result", execution_count=seconds)]
        notebook = one_cell("1", *outputs, tags=["checks"], **states)
        notebook.cells[0].update(id=box[:8], execution_count=seconds)
        notebook.cells[0].metadata["execution"] = {"iopub.status.busy": str(seconds)}
        return notebook

    first = tool.normalize(stored("a" * 32, "b" * 32, "c" * 32, 1))
    second = tool.normalize(stored("5" * 32, "4" * 32, "3" * 32, 2))
    assert first == second == tool.normalize(first)
    setup, cell = first.cells
    assert tool.is_setup(setup) and not tool.is_setup(cell)
    folds = {"source_hidden": True, "outputs_hidden": True}
    assert cell.metadata == {"tags": ["checks", "hide-cell"], "jupyter": folds}
    assert len(tool.widget_states(first)) == 3
    assert cell.outputs[0].data["text/plain"] == "VBox(...)"
    assert [output.get("text") for output in cell.outputs] == [None, "ab", None]


RAN = nbformat.v4.new_output("stream", text="a")
ERROR = nbformat.v4.new_output("error", ename="E", evalue="", traceback=[])
WARNING = nbformat.v4.new_output(
    "stream", name="stderr", text="/a.py:1: UserWarning: b"
)
FORMULA = "$$\n\\begin{aligned}\na &= b%s\n\\end{aligned}\n$$\n\n%s"
OLD = {"0" * 32: {"model_name": "SliderBoxModel", "state": {}}}
TEXT = nbformat.v4.new_markdown_cell


@pytest.mark.parametrize(
    ("fault", "output", "states", "cells"),
    [
        ("not run", RAN, {}, [nbformat.v4.new_code_cell("x = 1")]),
        ("stores an error", ERROR, {}, []),
        ("stores a warning", WARNING, {}, []),
        ("widget that no longer exists", shown("0" * 32), OLD, []),
        ("widget that no longer exists", shown("0" * 32), {}, []),
        ("sentence does not go on", RAN, {}, [TEXT(FORMULA % (",", "*So*"))]),
        ("", RAN, {}, [TEXT(FORMULA % (",", "where")), TEXT(FORMULA % (".", "So"))]),
    ],
)
def test_what_is_wrong_with_a_stored_notebook_is_told(
    tmp_path, fault, output, states, cells
):
    path = tmp_path / "one.ipynb"
    book = one_cell("assert True", output, **states)
    book.cells += cells
    tool.write(path, tool.normalize(book))
    assert [fault in problem for problem in tool.problems(path)] == [True] * bool(fault)


def test_what_shows_data_that_are_absent_is_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr("rnmf_tutorial.data.available", lambda name: name != "orl")
    book = nbformat.v4.new_notebook(
        metadata={"rnmf": {"stored_with": ["orl", "yale64"]}}
    )
    nbformat.write(book, tmp_path / "one.ipynb")
    with pytest.raises(SystemExit, match="the data set orl, which is not here"):
        tool.execute(tmp_path / "one.ipynb")


def test_notebooks_are_tests(pytestconfig):
    """Without this option pytest passes over every notebook in silence."""
    assert pytestconfig.getoption("nbval_lax")


class IPyNbCell(SimpleNamespace):
    """What nbval makes of a cell."""

    __hash__ = object.__hash__


def output_of(kind, text="a"):
    return nbformat.v4.new_output("display_data", {kind: text})


# As a page stores it, and as the plain notebook does: with a still picture in place of
# the widget.
SLIDER = tool.normalize(
    one_cell("1", shown("0" * 32), **{"0" * 32: {"model_name": "VBoxModel"}})
)
STILL = nbformat.v4.new_output(
    "display_data", {"image/png": "", "text/plain": "VBox(...)"}
)


@pytest.mark.parametrize(
    ("outputs", "tags", "absent", "compared"),
    [
        ([RAN], [], [], True),
        ([WARNING], [], [], True),
        ([output_of("text/html")], [], [], True),
        ([output_of("application/papermill.record/text/plain")], [], [], True),
        ([RAN], ["nbval-ignore-output"], [], False),
        (SLIDER.cells[1].outputs, [], [], False),
        ([STILL], [], [], False),
        ([], [], [], False),
        # Where the notebook runs on other faces than those that it is stored with.
        ([RAN], [], ["orl"], False),
        ([output_of("text/html", "<table>")], [], ["orl"], True),
    ],
)
def test_stored_texts_are_compared_without_being_asked_to(
    monkeypatch, outputs, tags, absent, compared
):
    monkeypatch.setattr("rnmf_tutorial.data.available", lambda name: name not in absent)
    modify = runpy.run_path(str(ROOT / "conftest.py"))["pytest_collection_modifyitems"]
    cell = nbformat.v4.new_code_cell(outputs=outputs, metadata={"tags": tags})
    notebook = nbformat.v4.new_notebook(metadata={"rnmf": {"stored_with": ["orl"]}})
    parent = IPyNbCell(nb=notebook, skip_compare=())
    modify([item := IPyNbCell(cell=cell, parent=parent, options={"check": False})])
    assert item.options["check"] == compared


@pytest.mark.parametrize(("own", "marks"), [({"long": True}, ["long"]), ({}, [])])
def test_only_make_test_all_runs_a_notebook_that_says_that_it_is_long(own, marks):
    modify = runpy.run_path(str(ROOT / "conftest.py"))["pytest_collection_modifyitems"]
    notebook = nbformat.v4.new_notebook(metadata={"rnmf": own})
    given = []
    item = IPyNbCell(
        cell=nbformat.v4.new_code_cell(),
        parent=IPyNbCell(nb=notebook, skip_compare=()),
        options={},
        add_marker=given.append,
    )
    modify([item])
    assert [mark.name for mark in given] == marks


def test_only_pictures_of_times_are_not_compared():
    """What a clock decides is drawn; a text that differs from run to run prints too much."""
    ignored = []
    for path in tool.chapters():
        for cell in tool.read(path).cells:
            if "nbval-ignore-output" in cell.metadata.get("tags", []):
                ignored += [output.get("data", {}).keys() for output in cell.outputs]
    assert ignored and all("image/svg+xml" in kinds for kinds in ignored)


# What a reader has who opens a notebook alone, and would type.

#: Of a named tuple; what a model of one's own may override; the half of the loop that
#: is shown.
SHOWN = {"_replace", "_loss", "_step", "_reach"}


@pytest.mark.parametrize("path", tool.chapters(), ids=lambda path: path.stem)
def test_a_notebook_uses_public_names_with_short_paths(path):
    nodes = []
    for cell in tool.read(path).cells:
        if cell.cell_type == "code" and not tool.is_setup(cell):
            nodes += ast.walk(
                ast.parse(re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", cell.source))
            )
    imports = [x for x in nodes if isinstance(x, ast.Import | ast.ImportFrom)]
    names = {x.attr for x in nodes if isinstance(x, ast.Attribute)}
    names |= {alias.name for x in imports for alias in x.names}
    modules = {x.module for x in imports if isinstance(x, ast.ImportFrom)} | names
    assert [name for name in names - SHOWN if re.match("_[^_]", name)] == []
    ours = ("rnmf_tutorial", "figures", "studies")
    folders = (
        "rnmf_tutorial.models.",
        "studies.machinery.",
    )  # of which each module is one idea
    for module in modules:
        short = module.count(".") < 2 + module.startswith(folders)
        assert short or not module.startswith(ours), module


def test_the_setup_cell_finds_the_book_or_says_what_to_run(monkeypatch, tmp_path):
    """From the folder of the chapters, and from one in it."""
    repository = PROJECT["urls"]["Repository"]
    book = tmp_path / "book"
    (book / "tour").mkdir(parents=True)
    for folder in (book, book / "tour"):
        monkeypatch.setattr("sys.path", [])
        monkeypatch.chdir(folder)
        shutil.rmtree(book / "figures", ignore_errors=True)
        with pytest.raises(FileNotFoundError, match=f"git clone {repository}`"):
            exec(tool.SETUP, {})
        (book / "figures").mkdir()
        (book / "figures" / "__init__.py").touch()
        exec(tool.SETUP, {})
        assert sys.path[0] == str(book)


def test_what_is_not_installed_is_named_before_an_import_fails(monkeypatch):
    needed = (ROOT / "book/figures/needed.py").read_text()
    with monkeypatch.context() as patch:
        patch.setattr("importlib.util.find_spec", {"pytest": "is there"}.get)
        lacks = "rnmf_tutorial, matplotlib, ipywidgets. Run `%pip install -e "
        with pytest.raises(
            ModuleNotFoundError, match=f'{lacks}"{ROOT}.figures.*" pytest`'
        ):
            exec(needed, {"__file__": str(ROOT / "book/figures/needed.py")})
        patch.setattr("importlib.util.find_spec", lambda name: None)
        address = f"git+{PROJECT['urls']['Repository']}"
        with pytest.raises(
            ModuleNotFoundError, match=rf"%pip install {re.escape(address)}`"
        ):
            exec(tool.SETUP_ALONE, {})
        patch.setitem(sys.modules, "google.colab", None)
        shell = (
            Mock()
        )  # IPython's: in Colab, a notebook that is alone installs the package
        exec(tool.SETUP_ALONE, {"get_ipython": lambda: shell})
        shell.run_line_magic.assert_called_once_with("pip", f"install -q {address}")
