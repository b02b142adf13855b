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


def read(path):
    """The text of a page, code included, and the names of its figures."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8"), []
    cells = nbformat.read(path, as_version=4).cells
    figures = [cell.metadata.get("mystnb", {}).get("figure", {}) for cell in cells]
    return "\n".join(x.source for x in cells), [x["name"] for x in figures if "name" in x]


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
    source, _ = read(book / f"{paper.chapter}.ipynb")
    if ":class: verdict-card" not in source:
        yield f"{paper.chapter}.ipynb: a verdict card"
    if f"papers.{paper.box}." not in source:
        yield f"{paper.chapter}.ipynb: the box, shown"
    head, (text, _) = (
        rf"^## {paper.name.split()[0].strip(',')}\b[^\n]*\n",
        read(book / "slips.ipynb"),
    )
    section = re.search(head + r"(.*?)(?=^## |\Z)", text, re.M | re.S)
    if not section or not re.search(r"^\| |We found none", section[1], re.M):
        yield 'slips.ipynb: a section with its slips, or the sentence "We found none."'
    if f"rnmf_tutorial.papers.{paper.box}\n" not in (book / "api" / "papers.md").read_text("utf-8"):
        yield f"api/papers.md: papers.{paper.box}"
    folder = book / "studies" / sys.modules[paper.rows[0].__module__].__name__.split(".")[1]
    written = [box, source, section[1] if section else ""]
    written += [p.read_text(encoding="utf-8") for p in folder.glob("*.py")]
    if any("TODO" in text for text in written):
        yield "an answer to every TODO"


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.name)
def test_a_paper_owes_nothing(paper):
    assert list(owed(paper)) == []


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


# The page of slips: every row leads to the place in the book that shows it.

LABEL = r"^\((\S+)\)=$|^:label: (\S+)$|^\$\$ \((\S+)\)$"
ROLE = re.compile(r"\{(?:ref|numref|eq|prf:ref)\}`(?:[^`<]*<)?([^`<>]+)>?`")


def rows_of(text):
    """The rows of the tables, each with its paper."""
    for section in re.split(r"(?m)^## ", text)[1:]:
        paper, *lines = section.splitlines()
        if paper != "Misread, or verdicts":  # what the other tables once had and should not
            rows = (x for x in lines if x.startswith("| ") and not x.startswith("| place |"))
            yield from ((paper, *map(str.strip, row.strip("| ").split(" | "))) for row in rows)


def test_each_slip_names_place_kind_and_exact_links_and_is_counted_once():
    book = ROOT / "book"
    page, _ = read(book / "slips.ipynb")
    rows = list(rows_of(page))
    assert len(rows) > 80 and len({row[0] for row in rows}) == len(papers())
    assert len(rows) == len({row[:4] for row in rows})
    labels = []
    for text, figures in map(read, [*book.glob("*.md"), *book.glob("*.ipynb")]):
        labels += figures + ["".join(found) for found in re.findall(LABEL, text, re.M)]
    for row in rows:
        assert len(row) == 6 and all(row), row
        assert row[4] in {"code", "claim", "print"}, row
        assert ROLE.search(row[5]) and "](" not in row[5], f"{row} links to a whole page"
    assert [link for link in ROLE.findall(page) if labels.count(link) != 1] == []
    cells = nbformat.read(book / "slips.ipynb", as_version=4).cells
    shown = [str(output.get("data")) for cell in cells for output in cell.get("outputs", [])]
    counts = re.findall(r"<td>(\d+)</td>", next(html for html in shown if "<td>" in html))
    assert int(counts[-1]) == len(rows)
