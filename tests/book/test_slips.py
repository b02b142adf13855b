"""Every slip that the book lists leads to the place in the book that shows it."""

import json
import re
from pathlib import Path

import pytest

BOOK = Path(__file__).resolve().parent.parent / "book"
ROLE = re.compile(r"\{(ref|numref|eq|prf:ref)\}`(?:[^`<]*<)?([^`<>]+)>?`")
MISREAD = "Misread, or verdicts"  # what the tables above once had and should not
DIRECTIVE = re.compile(r"^:{3,}\{(\S+)\}|^`{3,}\{(\S+)\}")


def cells(path):
    """Markdown and code cells of a page, as pairs of kind and text or cell."""
    if path.suffix == ".md":
        return [("markdown", path.read_text(encoding="utf-8"))]
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [
        (c["cell_type"], "".join(c["source"]) if c["cell_type"] == "markdown" else c)
        for c in notebook["cells"]
    ]


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
    known = {"ref": [], "eq": [], "prf:ref": [], "numref": []}
    for path in sorted(BOOK.glob("*.md")) + sorted(BOOK.glob("*.ipynb")):
        for kind, content in cells(path):
            if kind == "markdown":
                for role, names in labels(content).items():
                    known[role] += names
            elif kind == "code":
                figure = content["metadata"].get("mystnb", {}).get("figure", {})
                known["numref"] += [figure["name"]] if "name" in figure else []
    return known


def slips():
    rows, paper = [], None
    for kind, content in cells(BOOK / "slips.ipynb"):
        for line in content.splitlines() if kind == "markdown" else []:
            paper = line[3:] if line.startswith("## ") else paper
            if paper == MISREAD:
                continue
            if line.startswith("| ") and not line.startswith("| place |"):
                rows.append((paper, *(part.strip() for part in line.strip("| ").split(" | "))))
    return rows


def test_each_row_names_place_kind_and_an_exact_link(targets):
    rows = slips()
    assert len(rows) > 80 and len({row[0] for row in rows}) == 5
    for row in rows:
        assert len(row) == 6 and all(row), row
        assert row[4] in {"code", "claim", "print"}, row
        links = ROLE.findall(row[5])
        assert links, row
        assert "](" not in row[5], f"{row} links to a whole page"
        for role, name in links:
            assert targets[role].count(name) == 1, (role, name)


def test_no_slip_is_listed_twice():
    places = [row[:4] for row in slips()]
    assert len(places) == len(set(places))


def test_each_link_of_the_page_is_known_and_each_check_is_used(targets):
    text = "\n".join(content for kind, content in cells(BOOK / "slips.ipynb") if kind == "markdown")
    used = ROLE.findall(text)
    assert all(name in targets[role] for role, name in used)
    assert set(labels(text)["ref"]) <= {name for role, name in used if role == "ref"}


def test_the_count_on_the_page_is_that_of_its_rows():
    outputs = [
        out for kind, c in cells(BOOK / "slips.ipynb") if kind == "code" for out in c["outputs"]
    ]
    table = next(out["data"]["text/html"] for out in outputs if "text/html" in out.get("data", {}))
    printed = re.findall(r"<td>(\d+)</td>", "".join(table))
    assert int(printed[-1]) == len(slips())
