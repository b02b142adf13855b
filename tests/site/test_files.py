"""The files around the pages: sitemap, 404, previews, links; and search by acronym."""

import re
from functools import cache
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from xml.etree import ElementTree

import pytest
import yaml
from bs4 import BeautifulSoup
from PIL import Image

from tests.project import ROOT
from tests.site.reading import PAGES, SITE

pytestmark = pytest.mark.site

CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
BASE = CONFIG["html"]["baseurl"]
ROOT_PATH = urlsplit(BASE).path


@pytest.fixture(autouse=True)
def built():
    if not (SITE / "sitemap.xml").exists():
        pytest.skip("there is no built book to look at: run `make book` first")


@cache
def parse(name):
    return BeautifulSoup((SITE / name).read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(name):
    soup = parse(name)
    named = soup.find_all("a", attrs={"name": True})
    return {tag["id"] for tag in soup.find_all(id=True)} | {tag["name"] for tag in named}


def addresses(soup):
    """Everything that a page links to or loads, without what stands in the page itself."""
    for attribute in ("href", "src"):
        for tag in soup.find_all(attrs={attribute: True}):
            if not tag[attribute].startswith(("data:", "mailto:", "javascript:")):
                yield tag[attribute]


def test_sitemap_lists_every_page_and_nothing_else():
    urls = ElementTree.parse(SITE / "sitemap.xml").getroot()
    listed = [url[0].text for url in urls]
    assert sorted(listed) == sorted(f"{BASE}{name}.html" for name in PAGES)
    assert f"Sitemap: {BASE}sitemap.xml" in (SITE / "robots.txt").read_text(encoding="utf-8")


def test_not_found_page_works_from_any_address():
    """It answers for addresses of any depth, so nothing on it may be relative."""
    soup = parse("404.html")
    for link in addresses(soup):
        if "://" in link or link.startswith("#"):
            continue
        assert link.startswith(ROOT_PATH), link
        path = urlsplit(link).path.removeprefix(ROOT_PATH)
        assert (SITE / path).is_file(), link
    form = soup.select_one("article form")
    assert form["action"] == f"{ROOT_PATH}search.html"
    assert form.find("label")["for"] == form.find("input", attrs={"name": "q"})["id"]
    assert soup.select_one(f"article a[href='{ROOT_PATH}book/index.html']")


@pytest.mark.parametrize("name", PAGES)
def test_page_says_what_it_is(name):
    soup = parse(f"{name}.html")
    said = {tag["property"]: tag["content"] for tag in soup.select("meta[property]")}
    assert said["og:title"] and len(said["og:description"]) > 20
    assert said["og:url"] == soup.select_one("link[rel=canonical]")["href"] == f"{BASE}{name}.html"
    assert soup.select_one("link[rel=icon]")
    assert said["og:image"].startswith(BASE)
    with Image.open(SITE / said["og:image"].removeprefix(BASE)) as card:
        width, height = card.size
    assert width >= 1100 and 1.8 < width / height < 2


def test_every_page_has_a_title_and_a_description_of_its_own():
    soups = [parse(f"{name}.html") for name in PAGES]
    said = [soup.select_one("meta[name=description]")["content"] for soup in soups]
    assert len({soup.title.get_text() for soup in soups}) == len(set(said)) == len(PAGES)
    assert all(soup.html["lang"] == "en" for soup in soups)
    for description in said:
        assert 40 <= len(description) <= 320, description
        assert not re.search(r"[\\$]|,,|\.\.\.$", description), description


def leads_somewhere(link, here):
    """Whether a page, and a place in it, exist; another site is only judged by its address."""
    if "://" in link:
        parts = urlsplit(link)
        if parts.netloc == "doi.org" and not re.fullmatch(r"/10\.\d{4,9}/\S+", unquote(parts.path)):
            return False
        return parts.scheme == "https" and "." in parts.netloc
    path, place = urldefrag(urljoin(here, link))
    path = urlsplit(path).path
    if not (SITE / path).is_file():
        return False
    return not place or not path.endswith(".html") or unquote(place) in anchors(path)


@pytest.mark.parametrize("name", [*PAGES, "genindex", "search"])
def test_links_lead_somewhere(name):
    here = f"{name}.html"
    assert [link for link in addresses(parse(here)) if not leads_somewhere(link, here)] == []


@pytest.fixture(scope="module")
def search(address, browser):
    """A function from words to the addresses of the first three things that the site finds.

    The page of a search is loaded once; each search runs in it, without summaries of the results.
    """
    page = browser.new_page()
    page.goto(f"{address}/search.html")
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
        page.wait_for_function(
            "document.querySelector('.search-summary')?.textContent.includes('inished')",
            timeout=30_000,
        )
        links = page.locator("#search-results li > a")
        return [links.nth(k).get_attribute("href") for k in range(min(3, links.count()))]

    yield ask
    page.close()


# Where a word of a reader must lead, among the first three things found.
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
}


@pytest.mark.parametrize(
    ("acronym", "page"), [(each, page) for page, all_ in ACRONYMS.items() for each in all_.split()]
)
def test_search_finds_a_method_by_its_acronym(search, acronym, page):
    found = search(acronym)
    assert any(f"book/{page}.html" in link for link in found), found


@pytest.mark.parametrize(("question", "pages"), QUESTIONS.items())
def test_search_answers_in_the_words_of_readers(search, question, pages):
    found = search(question)
    wanted = [f"/{page}.html#" for page in pages.split()]
    assert any(place in link for link in found for place in wanted), found
