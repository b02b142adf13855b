"""The files around the code agree with each other, and nothing is tracked that should not be."""

import importlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import yaml
from IPython.core.inputtransformer2 import TransformerManager

import rnmf_tutorial

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


notebooks = load_tool("notebooks")
CHAPTERS = notebooks.chapters()


def toc_files(node):
    """Every file that the table of contents names, in order."""
    if isinstance(node, dict):
        yield from (node[key] for key in ("root", "file") if key in node)
        node = node.values()
    if not isinstance(node, str | bool):
        for part in node:
            yield from toc_files(part)


def test_environment_lists_what_the_project_requires():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *conda, pip = environment["dependencies"]
    extras = PROJECT["optional-dependencies"]
    required = PROJECT["dependencies"] + extras["book"] + extras["test"] + extras["lab"]
    assert pip["pip"] == [*required, "-e ."]
    assert f"python{PROJECT['requires-python']}" in conda


def test_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert rnmf_tutorial.__version__ == PROJECT["version"] == citation["version"]


def test_toc_names_existing_files_and_every_notebook():
    names = list(toc_files(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))))
    assert len(names) == len(set(names))
    for name in names:
        assert any((ROOT / f"{name}{suffix}").exists() for suffix in (".md", ".ipynb")), name
    chapters = {path.relative_to(ROOT).with_suffix("").as_posix() for path in CHAPTERS}
    assert chapters <= set(names)


def test_every_class_has_its_name_in_the_glossary():
    text = (ROOT / "book" / "methods.md").read_text(encoding="utf-8")
    classes = [name for name in rnmf_tutorial.__all__ if not name.startswith("_")]
    assert [name for name in classes if f"`~rnmf_tutorial.{name}`" not in text] == []


def test_repository_address_is_the_same_everywhere():
    address = PROJECT["urls"]["Repository"]
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert config["repository"]["url"] == citation["repository-code"] == address
    assert address in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
@pytest.mark.slow
def test_notebook_is_in_order(path):
    assert list(notebooks.problems(path)) == []


def test_equivalent_mutants_are_told_with_a_reason():
    """Their functions exist, and each changes something; the tool stops on one without a reason."""
    for change in load_tool("mutants").equivalents():
        place, *lines = change.splitlines()
        # A line that is taken out whole has none in its place.
        assert {line[:2] for line in lines} in ({"- ", "+ "}, {"- "}), place
        module, name = place.rsplit(".", 1)
        try:
            owner = importlib.import_module(module)
        except ModuleNotFoundError:  # a method: the class stands before it
            module, kind = module.rsplit(".", 1)
            owner = getattr(importlib.import_module(module), kind)
        assert hasattr(owner, name), place


@pytest.mark.parametrize(
    ("before", "after", "excused"),
    [
        ("E = residual(X, W, H, out=work)", "E = residual(X, W, H, )", True),
        ("return np.add(u, 1, out=out)", "return np.add(u, 1, out=None)", True),
        ("X.astype(float, copy=False)", "X.astype(float, copy=True)", False),  # nobody takes it
        ("np.log(E, out=E)", "np.log(E, )", False),
        ("E = np.add(u, 1, out=out)", "E = np.add(u, 2, out=out)", False),
        ("E = np.add(u, 1, out=out)", "E = np.add(u, out=out)", False),
        ("A = B.reshape(len(B), -1)", "A = B.reshape(len(B), -2)", True),
        ("A = B.reshape(len(B), -1)[-1]", "A = B.reshape(len(B), -1)[-2]", False),
        ("a = history[-1]", "a = history[-2]", False),
    ],
)
def test_a_mutant_that_only_takes_other_memory_is_excused(before, after, excused):
    change = f"module.function\n- {before}\n+ {after}"
    assert load_tool("mutants").takes_other_memory(change) is excused


def test_no_data_file_is_tracked():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this copy is no git checkout; clone the repository to run this test")
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    data = re.compile(r"\.(mat|pgm|npy|npz|pkl|h5|zip|tgz|gz|jpe?g|bmp)$", re.IGNORECASE)
    assert [name for name in tracked if data.search(name)] == []
    assert [name for name in tracked if name.startswith((".venv/", "_build/"))] == []


def test_normalizing_forgets_what_changes_from_run_to_run():
    def stored(ids, seconds):
        box, layout, link = ids
        state = {
            link: {"model_name": "LinkModel", "state": {"source": [f"IPY_MODEL_{box}", "index"]}},
            box: {"model_name": "VBoxModel", "state": {"layout": f"IPY_MODEL_{layout}"}},
            layout: {"model_name": "LayoutModel", "state": {}},
            "e" * 32: {"model_name": "HTMLModel", "state": {"value": f"{seconds} s"}},
        }
        view = {"application/vnd.jupyter.widget-view+json": {"model_id": box}}
        view["text/plain"] = "_PrivateBox(children=())"
        bar = {"text/plain": f" 50%|##  | 1/2 [00:{seconds}<?, 2it/s]"}
        cell = notebooks.nbformat.v4.new_code_cell(
            "1",
            id=box[:8],
            execution_count=seconds,
            metadata={"execution": {"iopub.status.busy": str(seconds)}, "tags": ["kept"]},
            outputs=[
                notebooks.nbformat.v4.new_output("display_data", view),
                notebooks.nbformat.v4.new_output("display_data", bar),
                notebooks.nbformat.v4.new_output("stream", text="a"),
                notebooks.nbformat.v4.new_output("stream", text="b"),
                notebooks.nbformat.v4.new_output("execute_result", execution_count=seconds),
            ],
        )
        states = {"application/vnd.jupyter.widget-state+json": {"state": state}}
        return notebooks.nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": states})

    first = notebooks.normalize(stored(["a" * 32, "b" * 32, "c" * 32], 1))
    second = notebooks.normalize(stored(["5" * 32, "4" * 32, "3" * 32], 2))
    assert first == second == notebooks.normalize(first)
    assert [notebooks.is_setup(cell) for cell in first.cells] == [True, False]
    assert first.cells[1].metadata == {"tags": ["kept"]}
    assert first.cells[1].outputs[0].data["text/plain"] == "VBox(...)"
    assert len(notebooks.widget_states(first)) == 3
    assert [output.get("text") for output in first.cells[1].outputs] == [None, "ab", None]


@pytest.mark.parametrize("kind", ["SliderBoxModel", None])
def test_a_stored_widget_that_does_not_exist_is_found(tmp_path, kind):
    path = tmp_path / "old.ipynb"
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "0" * 32}}
    shown = notebooks.nbformat.v4.new_output("display_data", view)
    cell = notebooks.nbformat.v4.new_code_cell("assert box", execution_count=1, outputs=[shown])
    state = {"0" * 32: {"model_name": kind, "state": {}}} if kind else {}
    states = {"application/vnd.jupyter.widget-state+json": {"state": state}}
    old = notebooks.nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": states})
    notebooks.write(path, notebooks.normalize(old))
    (problem,) = notebooks.problems(path)
    assert "widget that no longer exists" in problem


def test_notebooks_are_tests(pytestconfig):
    """Without this option pytest passes over every notebook in silence."""
    assert pytestconfig.getoption("nbval_lax")


@pytest.fixture
def setup_cell(monkeypatch, tmp_path):
    """The cell's code, where there is no package; and the folder that it runs in."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    return TransformerManager().transform_cell(notebooks.SETUP), tmp_path


def test_setup_cell_on_colab_fetches_the_package(monkeypatch, setup_cell):
    run = []
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    shell = SimpleNamespace(system=run.append, run_line_magic=lambda *words: run.append(words))
    exec(setup_cell[0], {"get_ipython": lambda: shell})
    clone, enter, install = run
    assert clone.endswith(PROJECT["urls"]["Repository"])
    assert enter == ("cd", "-q rnmf_tutorial/book") and install == ("pip", "install -q .. pytest")


def test_setup_cell_elsewhere_says_what_to_run(monkeypatch, setup_cell):
    code, folder = setup_cell
    with pytest.raises(FileNotFoundError, match=f"git clone {PROJECT['urls']['Repository']}`"):
        exec(code, {})  # a notebook that was downloaded alone
    (folder / "results").mkdir()
    with pytest.raises(ModuleNotFoundError, match=r"%pip install -e \.\. pytest"):
        exec(code, {})
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    exec(code, {})


def test_setup_cell_of_a_notebook_that_stands_alone(monkeypatch, tmp_path):
    """It asks for no stored results, and installs the package without them."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    code = TransformerManager().transform_cell(notebooks.SETUP_ALONE)
    with pytest.raises(ModuleNotFoundError, match=f"git.{PROJECT['urls']['Repository']}`"):
        exec(code, {})
    run = []
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    shell = SimpleNamespace(run_line_magic=lambda *words: run.append(words))
    exec(code, {"get_ipython": lambda: shell})
    assert run == [("pip", f"install -q git+{PROJECT['urls']['Repository']}")]


def test_only_a_notebook_that_says_so_gets_the_short_setup_cell():
    cells = [notebooks.nbformat.v4.new_markdown_cell("# Title")]
    for alone, source in ((True, notebooks.SETUP_ALONE), (False, notebooks.SETUP)):
        book = notebooks.nbformat.v4.new_notebook(
            cells=list(cells), metadata={"rnmf": {"alone": alone}}
        )
        notebooks.place_setup(book)
        assert book.cells[1].source == source


def exercises_and_solutions(notebook):
    """The labels of the exercises, and for each solution the code cells between its gates."""
    asked, solved, inside = [], {}, None
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if inside is not None:
                solved[inside].append(cell)
            continue
        for directive in re.finditer(
            r"\{(exercise|solution[a-z-]*)\}(.*)\n(:label: *(\S+))?", cell.source
        ):
            kind, title, _, label = directive.groups()
            if kind == "exercise":
                asked.append(label)
            elif kind == "solution-start":
                inside = title.strip()
                solved[inside] = []
            elif kind == "solution-end":
                inside = None
            else:
                raise AssertionError(f"a solution without gates holds no code: {title}")
    return asked, solved


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_exercise_has_a_solution_that_runs(path):
    asked, solved = exercises_and_solutions(notebooks.read(path))
    assert list(solved) == asked
    for label, cells in solved.items():
        assert any(cell.outputs or re.search(r"assert|checks\.", cell.source) for cell in cells), (
            label
        )
