"""A few pages of the built book, printed by the tool that prints it whole."""

import re

import pytest
import yaml

from tests.test_repository import load_tool
from tests.test_site import PAGES, ROOT, SITE

pytestmark = pytest.mark.site
pypdf = pytest.importorskip("pypdf")


@pytest.fixture(scope="module")
def tool():
    if not (SITE / "book" / "index.html").exists():
        pytest.skip("there is no built book to print: run `make book` first")
    tool = load_tool("print_book")
    try:
        tool.find_browser()
    except SystemExit as error:
        pytest.skip(str(error))
    return tool


@pytest.fixture(scope="module")
def toc():
    return yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))


def chapters(reader):
    return [item for item in reader.outline if not isinstance(item, list)]


def words(text):
    return re.findall(r"\w+", text.replace("ﬁ", "fi").replace("ﬂ", "fl"))


def test_every_page_of_the_book_is_printed_the_scoreboard_last(tool, toc):
    printed = tool.on_paper(list(tool.chapters(toc)))
    assert printed[-1] == ("Appendix", "book/scoreboard")
    assert [name for _, name in printed[:-1]] == [p for p in PAGES if p != "book/scoreboard"]


def test_what_one_opens_or_runs_is_not_printed(tool):
    page = tool.parse("book/nmf").select_one("article.bd-article")
    printed = tool.article("book/nmf", set(PAGES))
    left_out = "details.fold, .solution, input, select, .widget-stack [hidden]"
    assert len(page.select(left_out)) > 10
    assert printed.select(left_out) == []
    proofs = [fold for fold in page.select("details") if "Proof" in fold.summary.get_text()]
    assert proofs
    for proof in proofs:
        first = proof.select_one(".sd-card-body p").get_text()
        assert first in printed.get_text()
    for exercise in page.select(".exercise"):
        assert exercise.p.get_text() in printed.get_text()
    figures = [figure for figure in page.select("figure") if not figure.find_parent("details")]
    assert len(printed.select("figure")) >= len(figures) > 3
    assert printed.select_one("h1 + .online a")["href"] == f"{tool.ADDRESS}book/nmf.html"


def test_a_figure_that_folds_with_its_code_is_printed(tool):
    page = tool.parse("book/sparse_basis").select_one("article.bd-article")
    printed = tool.article("book/sparse_basis", set(PAGES))
    folded = [figure["id"] for figure in page.select("details.hide figure")]
    assert folded
    assert {tool.anchor("book/sparse_basis", name) for name in folded} <= {
        figure["id"] for figure in printed.select("figure[id]")
    }
    assert printed.select("details.hide") == []


def test_print_has_title_contents_outline_links_and_all_words(tool, toc, tmp_path):
    chosen = [page for page in tool.chapters(toc) if page[1] in ("book/index", "book/notation")]
    pdf = tmp_path / "two.pdf"
    assert tool.print_pages(chosen, pdf) == []  # nothing is wider than the paper
    reader = pypdf.PdfReader(pdf)
    texts = [page.extract_text() for page in reader.pages]
    assert reader.metadata.title == tool.CONFIG["title"]
    assert set(words(tool.CONFIG["title"])) <= set(words(texts[0]))
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert all(text.strip() for text in texts)

    items = chapters(reader)
    assert len(items) == 2
    for item in items:
        number = reader.get_destination_page_number(item)
        assert words(item.title) == words(texts[number])[: len(words(item.title))]
        line = next(line for line in texts[1].splitlines() if line.startswith(item.title))
        assert line.split()[-1] == str(number + 1)
    kinds = {link["/A"]["/S"] if "/A" in link else "/GoTo" for link in links(reader)}
    assert kinds == {"/GoTo", "/URI"}

    printed = set(words(" ".join(texts)))
    for _, name in chosen:
        prose = tool.article(name, set(PAGES))
        for tag in prose.select(".math, pre, svg"):
            tag.decompose()
        missing = [word for word in words(prose.get_text()) if word not in printed]
        assert len(missing) <= 0.01 * len(words(prose.get_text())), missing  # hyphens break some


def links(reader):
    for page in reader.pages:
        for note in page.get("/Annots", []):
            if note.get_object()["/Subtype"] == "/Link":
                yield note.get_object()


def test_whole_book_is_offered_only_where_it_was_printed(tool, toc):
    landing = (SITE / "book" / "index.html").read_text(encoding="utf-8")
    if not tool.PDF.exists():
        assert tool.PDF.name not in landing
        pytest.skip("the whole book was not printed: run `make pdf`")
    assert f'href="../{tool.PDF.name}"' in landing
    assert tool.PDF.stat().st_size < 30_000_000
    reader = pypdf.PdfReader(tool.PDF)
    assert len(reader.pages) <= 300
    alone = [name for name in PAGES if not name.startswith(f"{tool.API}/")]
    assert len(chapters(reader)) == len(alone)  # the pages below the API are its sections
    assert chapters(reader)[-1].title == "Scoreboard"
