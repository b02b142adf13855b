"""The files of the built book: sitemap, 404, previews, links, numbers of what is numbered."""

import re
from functools import cache
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from PIL import Image

from tests.book.test_project import CONFIG, TOC
from tests.project import toc_files
from tests.site.reading import PAGES, SITE

pytestmark = [pytest.mark.site, pytest.mark.usefixtures("built")]

BASE = CONFIG["html"]["baseurl"]
ROOT_PATH = urlsplit(BASE).path


def read(name):
    return (SITE / f"{name}.html").read_text(encoding="utf-8")


@cache
def parse(name):
    return BeautifulSoup(read(name), "html.parser")


@cache
def anchors(name):
    soup = parse(name)
    named = soup.find_all("a", attrs={"name": True})
    return {tag["id"] for tag in soup.find_all(id=True)} | {
        tag["name"] for tag in named
    }


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
    assert f"Sitemap: {BASE}sitemap.xml" in (SITE / "robots.txt").read_text(
        encoding="utf-8"
    )


def test_not_found_page_works_from_any_address():
    """It answers for addresses of any depth, so nothing on it may be relative."""
    soup = parse("404")
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


def test_every_page_says_what_it_is_in_words_of_its_own():
    titles = set()
    descriptions = set()
    for name in PAGES:
        soup = parse(name)
        said = {
            tag["property"]: tag["content"] for tag in soup.select("meta[property]")
        }
        assert said["og:title"] and len(said["og:description"]) > 20, name
        address = soup.select_one("link[rel=canonical]")["href"]
        assert said["og:url"] == address == f"{BASE}{name}.html"
        assert soup.select_one("link[rel=icon]") and soup.html["lang"] == "en"
        assert said["og:image"].startswith(BASE)
        with Image.open(SITE / said["og:image"].removeprefix(BASE)) as card:
            width, height = card.size
        assert width >= 1100 and 1.8 < width / height < 2
        description = soup.select_one("meta[name=description]")["content"]
        assert 40 <= len(description) <= 320, description
        assert not re.search(r"[\\$]|,,|\.\.\.$", description), description
        titles.add(soup.title.get_text())
        descriptions.add(description)
    assert len(titles) == len(descriptions) == len(PAGES)


def leads_somewhere(link, here):
    """Whether a page, and a place in it, exist; another site is only judged by its address."""
    if "://" in link:
        parts = urlsplit(link)
        if parts.netloc == "doi.org" and not re.fullmatch(
            r"/10\.\d{4,9}/\S+", unquote(parts.path)
        ):
            return False
        return parts.scheme == "https" and "." in parts.netloc
    path, place = urldefrag(urljoin(here, link))
    path = urlsplit(path).path
    there = (SITE / path).is_file()
    if not (there and place and path.endswith(".html")):
        return there
    return unquote(place) in anchors(path.removesuffix(".html"))


@pytest.mark.parametrize("name", [*PAGES, "genindex", "search"])
def test_links_lead_somewhere(name):
    here = f"{name}.html"
    assert [
        link for link in addresses(parse(name)) if not leads_somewhere(link, here)
    ] == []


def chapters():
    """The pages that are numbered, in order, and the pages below each."""
    number = 0
    for part in TOC["parts"]:
        for chapter in part["chapters"] if part.get("numbered") else []:
            number += 1
            yield number, chapter["file"], list(toc_files(chapter))


def test_figures_equations_and_theorems_are_numbered_by_chapter():
    for number, chapter, names in chapters():
        texts = [read(name) for name in dict.fromkeys([chapter, *names])]
        numbered = r'caption-number">(Fig\.|Theorem) |"eqno">()\('
        counted = {"Fig.": [], "Theorem": [], "": []}
        for kind, _, n, k in re.findall(
            rf"(?:{numbered})(?:(\d+)\.)?(\d+)", "".join(texts)
        ):
            counted[kind].append((n, int(k)))
        for found in counted.values():
            assert found == [(str(number), k) for k in range(1, len(found) + 1)], (
                chapter
            )


def test_only_chapters_have_a_number_in_their_title():
    numbered = {chapter: number for number, chapter, _ in chapters()}
    for name in PAGES:
        headings = re.findall(
            r'<h\d><span class="section-number">(.*?)\. </span>', read(name)
        )
        assert headings == ([str(numbered[name])] if name in numbered else []), name


def test_the_map_can_be_taken_along():
    svg = (SITE / "_static" / "method-map.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg") and svg.count("https://") > 40
