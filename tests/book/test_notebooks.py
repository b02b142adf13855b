"""Every stored notebook is in order, and what stores, tests and opens notebooks does its part."""

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
each = pytest.mark.parametrize("path", tool.chapters(), ids=lambda path: path.stem)


@each
@pytest.mark.slow
def test_notebook_is_in_order(path):
    assert list(tool.problems(path)) == []


# What tools/notebooks.py stores.


def one_cell(source, *outputs, tags=(), **states):
    """A notebook of one cell that was run, with the states of its widgets."""
    cell = nbformat.v4.new_code_cell(source, execution_count=1, outputs=list(outputs))
    cell.metadata["tags"] = list(tags)
    kind = "application/vnd.jupyter.widget-state+json"
    metadata = {"widgets": {kind: {"state": states}}} if states else {}
    return nbformat.v4.new_notebook(cells=[cell], metadata=metadata)


def shown(model):
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": model}, "text/plain": "_Box()"}
    return nbformat.v4.new_output("display_data", view)


def test_normalizing_forgets_what_changes_from_run_to_run():
    new = nbformat.v4.new_output

    def stored(box, layout, link, seconds):
        states = {
            link: {"model_name": "LinkModel", "state": {"source": [f"IPY_MODEL_{box}", "index"]}},
            box: {"model_name": "VBoxModel", "state": {"layout": f"IPY_MODEL_{layout}"}},
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


def test_one_cell_that_was_not_run_is_found(tmp_path):
    path, book = tmp_path / "half.ipynb", one_cell("assert 1", nbformat.v4.new_output("stream"))
    book.cells.append(nbformat.v4.new_code_cell("x = 1"))
    tool.write(path, tool.normalize(book))
    assert ["not run" in problem for problem in tool.problems(path)] == [True]


@pytest.mark.parametrize("kind", ["SliderBoxModel", None])
def test_a_stored_widget_that_does_not_exist_is_found(tmp_path, kind):
    states = {"0" * 32: {"model_name": kind, "state": {}}} if kind else {}
    path = tmp_path / "old.ipynb"
    tool.write(path, tool.normalize(one_cell("assert box", shown("0" * 32), **states)))
    (problem,) = tool.problems(path)
    assert "widget that no longer exists" in problem


def test_a_sentence_that_lost_its_end_after_a_formula_is_found(tmp_path):
    path, formula = tmp_path / "cut.ipynb", "$$\n\\begin{aligned}\na &= b%s\n\\end{aligned}\n$$\n\n"
    for end, follows, wrong in ((",", "*So*", True), (",", "where", False), (".", "So", False)):
        book = one_cell("assert True", nbformat.v4.new_output("stream", text="a"))
        book.cells.append(nbformat.v4.new_markdown_cell(formula % end + follows))
        tool.write(path, tool.normalize(book))
        assert ["does not go on" in problem for problem in tool.problems(path)] == [True] * wrong


def test_notebooks_are_tests(pytestconfig):
    """Without this option pytest passes over every notebook in silence."""
    assert pytestconfig.getoption("nbval_lax")


class IPyNbCell(SimpleNamespace):
    """What nbval makes of a cell."""

    __hash__ = object.__hash__


def test_stored_tables_are_compared_without_being_asked_to():
    modify = runpy.run_path(str(ROOT / "conftest.py"))["pytest_collection_modifyitems"]
    for html, *tags in (("<table>",), ("<p>",), ("<table>", "nbval-ignore-output")):
        output = nbformat.v4.new_output("display_data", {"text/html": html})
        cell = nbformat.v4.new_code_cell(outputs=[output], metadata={"tags": tags})
        parent = IPyNbCell(nb=nbformat.v4.new_notebook(), skip_compare=())
        modify([item := IPyNbCell(cell=cell, parent=parent, options={"check": False})])
        assert item.options["check"] == (html == "<table>" and not tags)


# What a reader has who opens a notebook alone, and would type.

#: By the name under which Python imports it, what pip calls otherwise.
IMPORTED_AS = {"scikit-learn": "sklearn", "pillow": "PIL"}
#: Of a named tuple; what a model of one's own may override; the half of the loop that is shown.
SHOWN = {"_replace", "_loss", "_step", "_reach"}


def names_and_modules(path):
    """Every name that is looked up on something or imported, and every module."""
    nodes = []
    for cell in tool.read(path).cells:
        if cell.cell_type == "code" and not tool.is_setup(cell):
            nodes += ast.walk(ast.parse(re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", cell.source)))
    whole, parts = ([x for x in nodes if isinstance(x, t)] for t in (ast.Import, ast.ImportFrom))
    names = {x.attr for x in nodes if isinstance(x, ast.Attribute)}
    modules = {x.module for x in parts} | {alias.name for x in whole for alias in x.names}
    return names | {alias.name for x in parts for alias in x.names}, modules


@each
def test_a_notebook_uses_public_names_with_short_paths_of_what_its_readers_have(path):
    """The package and what it requires, and what a cell of the notebook installs."""
    names, modules = names_and_modules(path)
    assert {name for name in names - SHOWN if re.match("_[^_]", name)} == set()
    ours = {"rnmf_tutorial", "figures", "studies"}
    folders = ("rnmf_tutorial.models.", "studies.machinery.")  # of which each module is one idea
    for module in modules:
        short = module.count(".") < 2 + module.startswith(folders)
        assert short or module.split(".")[0] not in ours, module
    cells = [cell.source for cell in tool.read(path).cells if cell.cell_type == "code"]
    installed = " ".join(re.findall(r"%pip install -q (.*)", "\n".join(cells)))
    lines = [*PROJECT["dependencies"], *installed.split(), "pytest"]
    if tool.SETUP in cells:
        lines += PROJECT["optional-dependencies"]["figures"]
    have = {found[0] for line in lines if (found := re.match(r"[\w-]+", line))}
    have = {IMPORTED_AS.get(name, name) for name in have} | ours | {"IPython"}  # which runs them
    imported = {module.split(".")[0] for module in modules}
    assert imported - have - sys.stdlib_module_names == set()


def test_the_setup_cell_finds_the_book_or_says_what_to_run(monkeypatch, tmp_path):
    """From the folder of the chapters, and from one in it."""
    repository, book = PROJECT["urls"]["Repository"], tmp_path / "book"
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
        with pytest.raises(ModuleNotFoundError, match=f'{lacks}"{ROOT}.figures.*" pytest`'):
            exec(needed, {"__file__": str(ROOT / "book/figures/needed.py")})
        patch.setattr("importlib.util.find_spec", lambda name: None)
        address = f"git+{PROJECT['urls']['Repository']}"
        with pytest.raises(ModuleNotFoundError, match=rf"%pip install {re.escape(address)}`"):
            exec(tool.SETUP_ALONE, {})
        patch.setitem(sys.modules, "google.colab", None)
        shell = Mock()  # IPython's: in Colab, a notebook that is alone installs the package
        exec(tool.SETUP_ALONE, {"get_ipython": lambda: shell})
        shell.run_line_magic.assert_called_once_with("pip", f"install -q {address}")
