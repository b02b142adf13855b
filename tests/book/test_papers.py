"""Each paper that a study declares has what a paper owes; `make paper` writes the empty places."""

import ast
import json
import re
import shutil
import subprocess
import sys
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import nbformat
import pytest

from studies import papers
from tests.project import ROOT, load_tool


@cache
def read(path):
    """The text of a notebook, code and the metadata of cells included."""
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(f"{cell.source}\n{json.dumps(cell.metadata)}" for cell in cells)


def owed(paper, root=ROOT):
    """What a paper lacks, as sentences."""
    book = root / "book"
    laws = root / "tests" / "laws"
    folder = book / "studies" / paper.rows[0].__module__.split(".")[1]
    files = [
        root / "rnmf_tutorial" / "papers" / f"{paper.box}.py",
        *sorted(folder.glob("*.py")),
    ]
    files += folder.glob("*.toml")
    box = files[0].read_text(encoding="utf-8")
    functions = {n.name for n in ast.parse(box).body if isinstance(n, ast.FunctionDef)}
    if not {name for name in functions if f"{name}_objective" in functions}:
        yield f"papers/{paper.box}.py: a box, and its objective beside it"
    imported = re.compile(rf"import [^\n]*\b{paper.box}\b")
    tests = [
        p
        for p in sorted(laws.glob("*.py"))
        if imported.search(p.read_text(encoding="utf-8"))
    ]
    if not tests:
        yield f"tests/laws: a test that imports papers.{paper.box}"
    yield from owed_by_a_chapter(book / f"{paper.chapter}.ipynb")
    written = {
        p.relative_to(root): p.read_text(encoding="utf-8") for p in [*files, *tests]
    }
    written[f"{paper.chapter}.ipynb"] = read(book / f"{paper.chapter}.ipynb")
    sections = re.split(r"^## ", read(book / "slips.ipynb"), flags=re.M)
    first = re.compile(rf"{re.escape(paper.name.split()[0].strip(','))}\b")
    near = [x for x in sections if first.match(x)]
    same = [x for x in near if x.startswith(f"{paper.name}\n")]
    written["slips.ipynb"] = section = [*same, *near, ""][0]
    if not re.search(r"^\| (?!place)|We found none", section, re.M):
        yield 'slips.ipynb: a section with its slips, or the sentence "We found none."'
    bib = (book / "references.bib").read_text(encoding="utf-8")
    entry = re.search(rf"^@\w+\{{{paper.key},.*?^\}}", bib, re.M | re.S)
    if not entry:
        yield f"references.bib: an entry {paper.key}"
    written["references.bib"] = entry[0] if entry else ""
    cite = (book / "cite.md").read_text(encoding="utf-8")
    entry = (
        rf"([^\n]*\n\n)?```\{{bibtex\}}[^\n]* {paper.key}\b"  # with the line above it
    )
    if not (entry := re.search(entry, cite)):
        yield f"cite.md: its entry, to be copied, by `{{bibtex}} {paper.key}`"
    written["cite.md"] = entry[0] if entry else ""
    if f"rnmf_tutorial.papers.{paper.box}\n" not in (
        book / "api" / "papers.md"
    ).read_text("utf-8"):
        yield f"api/papers.md: papers.{paper.box}"
    for grid, _ in sys.modules[f"studies.{folder.name}"].GRIDS:
        if not (book / "results" / f"{grid.name}-paper.jsonl").exists():
            command = f"python -m studies {folder.name} --scale paper"
            yield f"rows of {grid.name}: commit, then `cd book && ../.venv/bin/{command}`"
    for file, text in written.items():
        if count := text.count("TODO"):
            yield f"{file}: an answer to each TODO, {count} of them"


def owed_by_a_chapter(path):
    """Above its first section a picture and the card; then the box, and the step if it is shown."""
    opening = ""
    outputs = []
    for cell in nbformat.read(path, as_version=4).cells:
        above, *section = re.split(r"^## ", cell.source, maxsplit=1, flags=re.M)
        opening = opening + above
        outputs = outputs + cell.get("outputs", [])
        if section:
            break
    if not any(
        kind.startswith("image/") for x in outputs for kind in x.get("data", {})
    ):
        yield f"{path.name}: a figure above the first section; `make notebooks NB=...` stores it"
    if ":class: verdict-card" not in opening:
        yield f"{path.name}: a verdict card above the first section"
    shown = re.findall(r"show_source\(\s*(.*)", read(path))
    boxes = [k for k, what in enumerate(shown) if what.startswith("papers.")]
    steps = [
        k for k, what in enumerate(shown) if re.search(r"\.(update|next_H)\b", what)
    ]
    if not boxes or boxes[0] > min(steps, default=len(shown)):
        yield f"{path.name}: `show_source` of the box, before that of a step"


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.chapter)
def test_a_paper_owes_nothing(paper):
    if debts := list(owed(paper)):
        pytest.fail("\n".join([f"{paper.name} still owes", *debts]), pytrace=False)


WRONG = {
    name: ("Gao et al.", "gao2015")
    for name in ("class", "match", "list", "A", "np", "json")
}
WRONG |= {
    name: ("Gao et al.", "gao2015")
    for name in ("rows", "slips", "engine", "figures", "lee")
}
WRONG |= {
    "gat": ("Gao ", "k"),
    "gas": ("Zhang et al.", "k"),
    "gau": ("Gao", "zhang2011"),
}
WRONG |= {
    "gao": ('Gao "et" al.', "gao2015"),
    "gan": ("Gao\\", "gao2015"),
    "gap": ("Gao", "a}b"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_name_that_would_break_or_hide_something_is_refused(name, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    refusal = load_tool("paper").refusal
    assert refusal(name, *WRONG[name]) and not refusal("gao", "Née & O'Neil", "gao2015")
    assert not refusal(
        "lee", "Lee and Seung", "lee2001"
    )  # the same command again changes nothing


def test_the_pages_count_the_papers_that_there_are():
    """All of them on three pages, and elsewhere those on robust NMF; a change log is history."""
    robust = sum(paper.robust for paper in papers())
    words = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
    ]
    pages = [
        p
        for kind in ("*.md", "*.cff", "paper/*.md", "book/**/*.*")
        for p in ROOT.glob(kind)
    ]
    kinds = {".md", ".cff", ".ipynb", ".py"}
    wrong = []
    for page in (p for p in pages if p.suffix in kinds and p.stem != "CHANGELOG"):
        text = page.read_text("utf-8") if page.suffix != ".ipynb" else read(page)
        found = re.findall(rf"(?i)\b({'|'.join(words[4:])})(?: of the)? papers\b", text)
        counts = {words.index(word.lower()) for word in found}
        whole = page.stem in ("README", "index", "scoreboard")
        fewer = whole and counts and max(counts) < len(papers())
        if fewer or counts - {len(papers()), robust}:
            wrong.append(page.name)
    assert not wrong, (
        f"there are {len(papers())} papers, {robust} of them on robust NMF"
    )


@pytest.mark.long
def test_a_scaffold_is_in_order_and_owes_what_only_a_reader_can_write(tmp_path):
    """In a copy of the repository; its name has an accent, and is not the last of the alphabet."""
    ignored = shutil.ignore_patterns("results", "_static", "__pycache__")
    for part in ("book", "rnmf_tutorial", "tests", "tools"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=ignored)
    for file in ("_toc.yml", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path)

    def python(*command):
        clean = {
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": f"{tmp_path}:{tmp_path / 'book'}",
        }
        run = partial(
            subprocess.run, cwd=tmp_path, env=clean, check=True, capture_output=True
        )
        return run([sys.executable, *command], text=True).stdout

    scaffold = ("tools/paper.py", "newpaper", "Née et al.", "new2030")
    python(*scaffold)
    new = [
        "rnmf_tutorial/papers",
        "tests/laws/test_newpaper.py",
        "book/studies/newpaper",
    ]
    python("-m", "ruff", "check", "-q", *new)
    python("-m", "ruff", "format", "--check", "-q", *new)
    code = (
        "import json; from pathlib import Path; from studies import papers\n"
        "from tests.book.test_papers import owed\n"
        "new = papers()[-1]; print(json.dumps([new.name, list(owed(new, Path.cwd()))]))"
    )
    name, lacks = json.loads(python("-c", code).splitlines()[-1])
    assert name == "Née et al."
    assert [what.split(":")[0] for what in lacks] == [
        "newpaper.ipynb",  # its figure is not drawn yet
        "rows of newpaper-experiment",
        "rnmf_tutorial/papers/newpaper.py",
        *(
            f"book/studies/newpaper/{file}"
            for file in ("__init__.py", "grids.py", "verdicts.py")
        ),
        "book/studies/newpaper/words.toml",
        "tests/laws/test_newpaper.py",
        *("newpaper.ipynb", "slips.ipynb", "references.bib", "cite.md"),
    ]
    assert not re.search("changed|written", python(*scaffold))


# Links to places of the book: from the page of slips, and from the tables *Equation by
# equation*.

ROLE = re.compile(r"\{(?:ref|numref|eq|prf:ref)\}`(?:[^`<]*<)?([^`<>]+)>?`")


def numbers(text):
    """The numbers of equations in a text, such as (1)–(3) and (5a)."""
    ends = re.findall(r"\((\d+)[ab]?\)(?:[–-]\((\d+)\))?", text)
    return [
        n for first, last in ends for n in range(int(first), int(last or first) + 1)
    ]


# Lee and Seung come first, and owe no table.
@pytest.mark.parametrize("paper", papers()[1:], ids=lambda paper: paper.chapter)
def test_the_book_says_of_each_equation_and_algorithm_of_a_paper_where_it_is(paper):
    page = read(ROOT / "book" / f"{paper.chapter}.ipynb")
    table = r"\((\S+)\)=\n## Equation by equation$(.*?)^````$"
    label, table = re.search(table, page, re.M | re.S).groups()
    card = page[page.index("verdict-card") :].partition("**You need**")[0]
    assert label in ROLE.findall(card)
    listed = []
    for place, _, here in re.findall(r"^\| (.+?) \| (.+?) \| (.+) \|$", table, re.M)[
        1:
    ]:
        names = re.findall(r"`((?:papers|studies|rnmf_tutorial)\.[\w.]+)`", here)
        assert ROLE.search(here) or names or here.startswith("not needed: "), place
        for name in names:
            module, _, function = re.sub(
                "^papers", "rnmf_tutorial.papers", name
            ).rpartition(".")
            assert callable(getattr(import_module(module), function)), name
            if name.startswith(
                "papers."
            ):  # the comments of a box have the printed numbers
                file = Path(sys.modules[module].__file__).read_text(encoding="utf-8")
                assert place in file or {*numbers(place)} & {*numbers(file)}, (
                    place,
                    name,
                )
        listed += numbers(place) or [place]
    expected = [*range(1, paper.equations + 1), *paper.algorithms]
    assert sorted(listed, key=str) == sorted(expected, key=str) != []


# The page of slips: every row leads to the place in the book that shows it.


def test_each_slip_names_place_kind_and_exact_links_and_is_counted_once():
    book = ROOT / "book"
    page = read(book / "slips.ipynb")
    rows = []
    cells_of = re.compile(r"(?m)^\| (?!place \|)(.*?)[| ]*$")
    for section in re.split(r"(?m)^## ", page)[1:]:
        paper = section.partition("\n")[0]
        if (
            paper != "Misreadings and verdicts"
        ):  # what the other tables once had and should not
            rows += [(paper, *row.split(" | ")) for row in cells_of.findall(section)]
    assert len(rows) > 80
    assert len(rows) == len({row[:4] for row in rows})
    for row in rows:
        assert len(row) == 6 and all(row), row
        assert row[4] in {"code", "claim", "print"}, row
        assert ROLE.search(row[5]) and "](" not in row[5], (
            f"{row} links to a whole page"
        )
    cells = nbformat.read(book / "slips.ipynb", as_version=4).cells
    shown = [
        str(output.get("data")) for cell in cells for output in cell.get("outputs", [])
    ]
    counts = re.findall(
        r"<td>(\d+)</td>", next(html for html in shown if "<td>" in html)
    )
    assert int(counts[-1]) == len(rows)
