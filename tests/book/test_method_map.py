"""The map of the methods: what it computes is what the papers say, and it draws every estimator."""

import inspect
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sklearn.base import BaseEstimator

import rnmf_tutorial
from studies import places
from tests.project import ROOT, load_module

method_map = load_module(ROOT / "book" / "_ext" / "method_map.py")

#: What the papers and the chapters say.
KNOWN = Path(__file__).with_name("method_map.md").read_text(encoding="utf-8")


def test_each_model_stands_where_its_paper_says():
    lines = re.findall(r"^\| (\w+) +\| (.*?) +\| (.*?) *\|$", KNOWN, re.M)[1:]
    at = {
        m.name: (m.name, f"{m.cost}, {m.shares}, {m.solvers}", m.more)
        for m in places.models()
    }
    assert [at[name] for name, *_ in lines] == lines


def test_a_chapter_is_named_by_the_first_words_of_its_title():
    for title, page in places.CHAPTERS.items():
        cells = json.loads(
            (ROOT / "book" / f"{page}.ipynb").read_text(encoding="utf-8")
        )["cells"]
        assert "".join(cells[0]["source"]).startswith(f"# {title}")
    with pytest.raises(ValueError, match="docstring of MyNMF needs the line"):
        places.chapter_of("MyNMF", "My own.\n\nSee the chapter *Nowhere* of the book.")


def test_the_glossary_names_the_chapters_of_the_papers_methods():
    entries = (ROOT / "book" / "methods.md").read_text(encoding="utf-8").split("\n\n")
    for model in places.models():
        page = places.CHAPTERS[model.chapter]
        about = [x for x in entries if f"`~rnmf_tutorial.{model.name}`" in x]
        assert not about or any(f"{{doc}}`{page}" in entry for entry in about), (
            model.name
        )


@pytest.mark.parametrize(
    "layout", [method_map.WIDE, method_map.NARROW], ids=["wide", "narrow"]
)
def test_it_is_svg_with_each_estimator_once_and_no_name_runs_out_of_its_box(layout):
    svg = method_map.draw(lambda page: f"https://example.org/{page}.html", layout)
    tree = ElementTree.fromstring(svg)
    ns = "{http://www.w3.org/2000/svg}"
    links = [a for a in tree.iter(f"{ns}a") if "data-model" in a.attrib]
    exported = (getattr(rnmf_tutorial, name) for name in rnmf_tutorial.__all__)
    known = [
        x.__name__
        for x in exported
        if inspect.isclass(x) and issubclass(x, BaseEstimator)
    ]
    assert sorted(a.get("data-model") for a in links) == sorted(known)
    assert all(
        a.get("href").startswith("https://example.org/api/models/") for a in links
    )
    for a in links:
        frame = a.find(f"{ns}rect")
        name = a.find(f"{ns}text")
        assert 7.6 * len(name.text) + 10 < float(frame.get("width"))
