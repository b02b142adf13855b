"""What a release needs agrees with what the project says: authors, citation, papers, references."""

import re
import runpy

import pytest
import yaml

from tests.project import ROOT

BIBLIOGRAPHY = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
ENTRIES = {e[1]: e[0] for e in re.finditer(r"^@\w+\{(\w+),.*?^\}$", BIBLIOGRAPHY, re.M | re.S)}


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_all_files_take_their_authors_from_citation_cff():
    """The owner fills in `authors` of CITATION.cff, runs tools/metadata.py, and is done."""
    wanted = runpy.run_path(str(ROOT / "tools" / "metadata.py"))["files"]()
    assert {name: text(name) for name in wanted} == wanted


def test_people_with_affiliations_reach_every_file():
    tool = runpy.run_path(str(ROOT / "tools" / "metadata.py"))
    cff = yaml.safe_load(text("CITATION.cff"))
    person = {"given-names": "Ada", "family-names": "Lovelace", "affiliation": "London"}
    cff["authors"] = [person | {"orcid": "https://orcid.org/0000-0001"}, {"name": "A group"}]
    assert tool["codemeta"](cff)["author"][0]["affiliation"]["name"] == "London"
    assert tool["zenodo"](cff)["creators"][0]["name"] == "Lovelace, Ada"
    front = yaml.safe_load(tool["front_matter"](cff))
    assert [a["name"] for a in front["authors"]] == ["Ada Lovelace", "A group"]
    assert front["authors"][0]["orcid"] == "0000-0001"
    assert front["affiliations"][0] == {"name": "London", "index": 1}


@pytest.mark.slow
def test_each_number_of_the_papers_is_that_of_the_stored_results():
    wanted = runpy.run_path(str(ROOT / "paper" / "fill.py"))["files"]()
    behind = [path.name for path, new in wanted.items() if path.read_text("utf-8") != new]
    assert behind == [], "run `python paper/fill.py`"


@pytest.mark.parametrize("name", ["paper", "rescience"])
def test_the_papers_type_no_result_by_hand(name):
    _, _, body = text(f"paper/{name}.in.md").split("---\n", 2)
    body = re.sub(r"\{\{\w+\}\}|@\w+", "", body)
    typed = re.findall(r"(?<![\w.])\d{2,}", body)
    assert typed == []


def test_the_paper_for_education_is_short_enough():
    _, _, body = text("paper/paper.md").split("---\n", 2)
    assert len(body.split()) <= 1000


def test_every_reference_has_an_address_and_is_cited():
    lost = [k for k, e in ENTRIES.items() if not re.search(r"^  (doi|url|isbn) ", e, re.M)]
    assert lost == ["regularized"]  # its authors are unknown
    pages = [p for s in ("*.md", "*.ipynb") for p in (ROOT / "book").rglob(s)]
    cites = r"cite(?::\w+)?\}`([^`]*)`"
    found = [re.findall(cites, p.read_text(encoding="utf-8")) for p in pages if p.is_file()]
    keys = {key.strip() for page in found for group in page for key in group.split(",")}
    assert set(ENTRIES) == keys


def test_nothing_but_a_tag_publishes_and_no_password_is_kept():
    workflow = yaml.safe_load(text(".github/workflows/release.yml"))
    assert workflow[True] == {"push": {"tags": ["v*"]}}  # YAML reads the key "on" as true
    publish = workflow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert "secrets" not in text(".github/workflows/release.yml")
    others = [p for p in (ROOT / ".github" / "workflows").glob("*.yml") if p.stem != "release"]
    assert [p.name for p in others if "pypi-publish" in p.read_text(encoding="utf-8")] == []
