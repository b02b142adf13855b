"""The search finds what readers type: methods, acronyms, questions, and words for none of them."""

import pytest

from tests.project import ROOT, load_module
from tests.site.reading import PAGES, opened

search_entries = load_module(ROOT / "book" / "_ext" / "search_entries.py")

# Where a word of a reader must lead, among the first three things found: to one of these pages.
ACRONYMS = {
    "methods": "MD-NMF CSNMF SNMF MCCGR RMNMF RNMF RCNMF HCNMF TCNMF NeNMF SRC NNDSVD",
    "supervised": "CIM",
    "l2_l1_l21": "MahNMF L2,1",
    "api/models/L21NMF": "L21",
    "sparse_basis": "LNMF",
}
QUESTIONS = {
    "choose lambda": "robust_nmf supervised sparse_basis MaskedSearchCV",
    "choose rank": "nmf 5_choosing MaskedSearchCV",
    "choose scale": "truncated_cauchy MaskedSearchCV",
    "missing values": "your_data faster",
    "outliers": "your_data 3_outlier truncated_cauchy",
    "recommendation": "your_data choosing",
    "which method": "your_data choosing MaskedSearchCV",
    "negative values": "your_data_cases",
    "number of iterations": "nmf",
    "cross-validation": "5_choosing",
    "citation": "cite",
    "bibtex": "cite",
    "install": "index your_data",
    "csv": "your_data",
    "missing": "your_data faster gallery",
    "rank": "your_data 5_choosing nmf",
    "occluded": "behind_the_block gallery",
    "breakdown": "neighbors",
    "robust PCA": "neighbors world",
    "sparse": "sparse_basis robust_nmf your_data_cases",
}
TYPED = {word: page for page, words in ACRONYMS.items() for word in words.split()} | QUESTIONS


@pytest.fixture(scope="module")
def search(address, browser):
    """A function from words to the addresses of the first three things that the site finds.

    The page of a search is loaded once; each search runs in it, without summaries of the results.
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
    assert any(f"/{page}.html" in f"/{link}" for link in found for page in pages.split()), found


def test_words_lead_to_pages_that_there_are():
    assert set(search_entries.WORDS) <= set(PAGES)
