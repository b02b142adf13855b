"""Where a reader comes in: the first page, and the words that are typed into the search."""

import importlib.util

import pytest

from tests.project import ROOT
from tests.site.reading import PAGES, SITE, opened
from tests.site.test_files import search  # noqa: F401

PATH = ROOT / "book" / "_ext" / "search_entries.py"
if not PATH.exists():
    pytest.skip("the book is not here", allow_module_level=True)
pytest.importorskip("sphinx")
spec = importlib.util.spec_from_file_location("search_entries", PATH)
search_entries = importlib.util.module_from_spec(spec)
spec.loader.exec_module(search_entries)

# What readers type, and the pages of which one must be among the first three found. Where a page
# may not be written yet, the next stands in for it, as in the extension.
TYPED = {
    "citation": ["cite|index"],
    "bibtex": ["cite|index"],
    "install": ["index", "your_data"],
    "csv": ["your_data"],
    "missing": ["your_data", "faster", "gallery"],
    "rank": ["your_data", "tour/5_choosing", "nmf"],
    "occluded": ["behind_the_block", "gallery"],
    "breakdown": ["neighbors"],
    "robust PCA": ["neighbors", "world"],
    "sparse": ["sparse_basis", "robust_nmf", "your_data_cases"],
}


@pytest.mark.site
@pytest.mark.parametrize(("typed", "pages"), TYPED.items())
def test_search_finds_what_readers_type(search, typed, pages):  # noqa: F811
    names = [next(x for x in page.split("|") if f"book/{x}" in PAGES) for page in pages]
    found = search(typed)
    assert any(f"/book/{name}.html" in f"/{link}" for link in found for name in names), found


def test_words_go_to_the_first_page_that_there_is():
    alone = search_entries.words_of({"book/index"})
    assert ("bibtex", "", "main") in alone["book/index"]
    both = search_entries.words_of({"book/index", "book/cite"})
    assert ("bibtex", "", "main") in both["book/cite"] - both["book/index"]


def test_words_are_given_to_pages_of_the_book():
    given = {page for pages in search_entries.WORDS for page in pages}
    assert given - set(PAGES) <= {"book/cite"}


@pytest.mark.site
def test_the_first_page_is_playable_at_once(address, browser):
    """The title, a sentence and the whole workbench on a laptop's first screen; the doors below."""
    screen = {"width": 1280, "height": 800}
    with opened(browser, address, "book/index.html", viewport=screen) as page:
        page.locator(".live-stage[data-sweeps]").wait_for()
        knobs = page.locator(".live-knobs").bounding_box()
        assert knobs["y"] + knobs["height"] <= 800
        doors = page.locator(".sd-card").first.bounding_box()
        assert doors["y"] > knobs["y"]
        x, y, width, height = page.locator(".live-seen canvas").bounding_box().values()
        page.mouse.move(x + width / 4, y + height / 4)
        page.mouse.down()
        page.mouse.move(x + width / 2, y + height / 4, steps=4)
        page.mouse.up()
        assert "workbench=" in page.evaluate("location.hash")


@pytest.mark.site
def test_on_a_phone_the_controls_stand_at_the_pictures(address, browser):
    screen = {"width": 390, "height": 844}
    with opened(browser, address, "book/index.html", viewport=screen) as page:
        page.locator(".live-stage[data-sweeps]").wait_for()
        first, last = (page.locator(f".live-{x}").bounding_box() for x in ("tools", "knobs"))
        assert last["y"] + last["height"] - first["y"] <= 844


@pytest.mark.site
def test_the_map_can_be_taken_along():
    if not SITE.exists():
        pytest.skip("there is no built book to look at: run `make book` first")
    svg = (SITE / "_static" / "method-map.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg") and svg.count("https://") > 40
