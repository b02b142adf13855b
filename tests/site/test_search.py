"""The search finds what readers type: methods, acronyms, questions, and words for none of them."""

import tomllib
from pathlib import Path

import pytest

from tests.project import ROOT, load_module
from tests.site.reading import PAGES, opened

search_entries = load_module(ROOT / "book" / "_ext" / "search_entries.py")

TYPED = tomllib.loads(
    Path(__file__).with_name("search.toml").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def search(address, browser):
    """A function from words to the addresses of the first three things that the site finds.

    The page of a search is loaded once; each search runs in it, without summaries of
    the results.
    """
    with opened(browser, address, "search.html") as page:
        page.wait_for_function("typeof Search !== 'undefined' && Search.hasIndex()")
        page.evaluate("DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false")

        def ask(words):
            page.evaluate(
                """(words) => {
                    document.getElementById("search-results").replaceChildren();
                    Search.performSearch(words);
                }""",
                words,
            )
            done = "document.querySelector('.search-summary')?.textContent.includes('inished')"
            page.wait_for_function(done)
            links = page.locator("#search-results li > a").all()
            return [link.get_attribute("href") for link in links[:3]]

        yield ask


@pytest.mark.site
@pytest.mark.parametrize(("typed", "pages"), TYPED.items())
def test_search_finds_what_readers_type(search, typed, pages):
    found = search(typed)
    assert any(
        f"/{page}.html" in f"/{link}" for link in found for page in pages.split()
    ), found


def test_words_lead_to_pages_that_there_are():
    assert set(search_entries.WORDS) <= set(PAGES)
