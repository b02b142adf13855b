"""Every slip that the book lists leads to the place in the book that shows it."""

import re
from collections import defaultdict

import nbformat
import pytest

from studies.paper import papers
from tests.project import ROOT

ROLE = re.compile(r"\{(ref|numref|eq|prf:ref)\}`(?:[^`<]*<)?([^`<>]+)>?`")
DIRECTIVE = re.compile(r"^:{3,}\{(\S+)\}|^`{3,}\{(\S+)\}")


def read(path):
    """The text of a page, and its code cells."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8"), []
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return text, [cell for cell in cells if cell.cell_type == "code"]


def labels(text):
    """Labels that a text defines, by the role that refers to them."""
    found = {"ref": re.findall(r"^\(([^)]+)\)=$", text, re.M)}
    found["eq"] = re.findall(r"^\$\$ \(([^)]+)\)$", text, re.M)
    directive = ""
    for line in text.splitlines():
        if opened := DIRECTIVE.match(line):
            directive = opened[1] or opened[2]
        elif line.startswith(":label: "):
            role = "prf:ref" if directive.startswith("prf:") else "ref"
            found.setdefault(role, []).append(line.removeprefix(":label: "))
    return found


@pytest.fixture(scope="module")
def targets():
    known, book = defaultdict(list), ROOT / "book"
    for text, code in map(read, [*book.glob("*.md"), *book.glob("*.ipynb")]):
        for role, names in labels(text).items():
            known[role] += names
        figures = (cell.metadata.get("mystnb", {}).get("figure", {}) for cell in code)
        known["numref"] += [figure["name"] for figure in figures if "name" in figure]
    return known


TEXT, CODE = read(ROOT / "book" / "slips.ipynb")


def slips():
    """The rows of the tables, each with its paper."""
    for section in re.split(r"(?m)^## ", TEXT)[1:]:
        paper, *lines = section.splitlines()
        if paper != "Misread, or verdicts":  # what the other tables once had and should not
            rows = (x for x in lines if x.startswith("| ") and not x.startswith("| place |"))
            yield from ((paper, *map(str.strip, row.strip("| ").split(" | "))) for row in rows)


def test_each_row_names_place_kind_and_an_exact_link_and_none_is_there_twice(targets):
    rows = list(slips())
    assert len(rows) > 80 and len({row[0] for row in rows}) == len(papers())
    assert len(rows) == len({row[:4] for row in rows})
    for row in rows:
        assert len(row) == 6 and all(row), row
        assert row[4] in {"code", "claim", "print"}, row
        assert ROLE.search(row[5]) and "](" not in row[5], f"{row} links to a whole page"
        for role, name in ROLE.findall(row[5]):
            assert targets[role].count(name) == 1, (role, name)


def test_each_link_of_the_page_is_known_and_each_check_is_used(targets):
    used = ROLE.findall(TEXT)
    assert all(name in targets[role] for role, name in used)
    assert set(labels(TEXT)["ref"]) <= {name for role, name in used if role == "ref"}


def test_the_count_on_the_page_is_that_of_its_rows():
    outputs = [output.get("data", {}).get("text/html", "") for x in CODE for output in x.outputs]
    printed = re.findall(r"<td>(\d+)</td>", next(filter(None, outputs)))
    assert int(printed[-1]) == len(list(slips()))
