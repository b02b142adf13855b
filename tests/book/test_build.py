"""What an incremental build of the book must not lose, tried on a book of two pages."""

import json
import os

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from tests.project import ROOT

CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "book" / "_ext")!r})
extensions = {{extensions}}
html_baseurl = "https://example.org/"
"""
PAGES = {
    "index": "Index\n=====\n\n.. toctree::\n\n   other\n\n"
    ".. index::\n   single: LNMF\n   see: NNDSVD; start\n",
    "other": "Other\n=====\n\n.. index::\n   single: CIM; loss\n   pair: graph; labels\n",
}


@pytest.fixture
def book(tmp_path):
    for name, text in PAGES.items():
        (tmp_path / f"{name}.rst").write_text(text)
    return tmp_path


def build(book, extensions):
    """Build what changed, in this process."""
    (book / "conf.py").write_text(CONF.format(extensions=extensions))
    out = book / "_build"
    with patch_docutils(), docutils_namespace():
        Sphinx(book, book, out, out / ".doctrees", "html", status=None).build()
    return out


def change(book, name):
    page = book / f"{name}.rst"
    page.write_text(page.read_text() + "\nOne more sentence.\n")
    later = page.stat().st_mtime_ns + 10**9
    os.utime(page, ns=(later, later))


def found_by_search(out):
    text = (out / "searchindex.js").read_text()
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))["indexentries"]


@pytest.mark.slow
def test_search_keeps_its_index_entries(book):
    first = found_by_search(build(book, ["search_entries"]))
    assert set(first) == {"lnmf", "cim", "loss", "graph", "labels", "nndsvd", "start"}
    change(book, "index")
    assert found_by_search(build(book, ["search_entries"])) == first
    assert found_by_search(build(book, [])) == first  # another configuration: all built anew
