"""Each paper that a study declares has what a paper owes; `make paper` writes the empty places."""

import ast
import json
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from studies.paper import papers
from tests.project import ROOT

each = pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.name)


def owed(paper, root=ROOT):
    """What a paper lacks, as sentences."""
    book = root / "book"
    bib = (book / "references.bib").read_text(encoding="utf-8")
    if not re.search(rf"^@\w+\{{{paper.key},", bib, re.M):
        yield f"book/references.bib: an entry {paper.key}"
    box = (root / "rnmf_tutorial" / "papers" / f"{paper.box}.py").read_text(encoding="utf-8")
    functions = {n.name for n in ast.parse(box).body if isinstance(n, ast.FunctionDef)}
    if not {name for name in functions if f"{name}_objective" in functions}:
        yield f"papers/{paper.box}.py: a box, and its objective beside it"
    tests = [p.read_text(encoding="utf-8") for p in (root / "tests" / "laws").glob("test_*.py")]
    if not any(re.search(rf"import [^\n]*\b{paper.box}\b", text) for text in tests):
        yield f"tests/laws: a test that imports papers.{paper.box}"
    chapter = nbformat.read(book / f"{paper.chapter}.ipynb", as_version=4)
    source = "\n".join(cell.source for cell in chapter.cells)
    if ":class: verdict-card" not in source:
        yield f"{paper.chapter}.ipynb: a verdict card"
    if f"papers.{paper.box}." not in source:
        yield f"{paper.chapter}.ipynb: the box, shown"
    slips = nbformat.read(book / "slips.ipynb", as_version=4)
    section = re.search(
        rf"^## {paper.name.split()[0].strip(',')}\b[^\n]*\n(.*?)(?=^## |\Z)",
        "\n".join(cell.source for cell in slips.cells if cell.cell_type == "markdown"),
        re.M | re.S,
    )
    if not section or not re.search(r"^\| |We found none", section[1], re.M):
        yield 'slips.ipynb: a section with its slips, or the sentence "We found none."'
    if f"rnmf_tutorial.papers.{paper.box}\n" not in (book / "api" / "papers.md").read_text("utf-8"):
        yield f"api/papers.md: papers.{paper.box}"
    folder = book / "studies" / sys.modules[paper.rows[0].__module__].__name__.split(".")[1]
    written = [box, source, section[1] if section else ""]
    written += [p.read_text(encoding="utf-8") for p in folder.glob("*.py")]
    if any("TODO" in text for text in written):
        yield "an answer to every TODO"


@each
def test_a_paper_owes_nothing(paper):
    assert list(owed(paper)) == []


@each
@pytest.mark.slow
def test_each_claim_of_a_paper_is_judged_and_what_fails_has_a_cause(paper):
    for make in paper.rows:
        rows = make()
        assert len(rows) and rows.verdict.notna().all()


@pytest.mark.long
def test_a_scaffold_is_in_order_and_owes_what_only_a_reader_can_write(tmp_path):
    """In a copy of the repository; the tool's files pass the style check as they are."""
    parts = ["book", "rnmf_tutorial", "tests", "tools", "_toc.yml", "pyproject.toml"]
    for part in parts:
        if (ROOT / part).is_dir():
            ignored = shutil.ignore_patterns("results", "_static", "__pycache__", "models")
            shutil.copytree(ROOT / part, tmp_path / part, ignore=ignored)
        else:
            shutil.copy(ROOT / part, tmp_path)
    command = [sys.executable, "tools/paper.py", "newpaper", "New et al.", "new2030"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    new = ["rnmf_tutorial/papers", "tests/laws/test_newpaper.py", "book/studies/newpaper"]
    style = [sys.executable, "-m", "ruff", "check", "-q", *new]
    assert subprocess.run(style, cwd=tmp_path, capture_output=True).stdout == b""
    code = (
        "import json, sys; sys.path[:0] = ['book', '.']; from pathlib import Path\n"
        "from studies.paper import papers; from tests.book.test_papers import owed\n"
        "new = papers()[-1]; print(json.dumps([new.name, list(owed(new, Path.cwd()))]))"
    )
    clean = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{tmp_path}:{tmp_path / 'book'}"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=clean, capture_output=True
    )
    name, lacks = json.loads(done.stdout.splitlines()[-1])
    assert name == "New et al."
    assert [what.split(":")[0] for what in lacks] == ["slips.ipynb", "an answer to every TODO"]
    again = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "changed" not in again.stdout and "written" not in again.stdout
