"""The face of the book: its type, its measure, its numbers, its figures in both themes."""

import re

import pytest
import yaml

from tests.project import ROOT, toc_files
from tests.site.reading import PAGES, SITE, opened, show

pytestmark = pytest.mark.site

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGE = "book/robust_nmf"


@pytest.fixture(scope="module")
def page(address, browser):
    with opened(browser, address, f"{PAGE}.html", viewport={"width": 1280, "height": 900}) as page:
        page.evaluate("document.fonts.ready.then(() => true)")
        yield page


def test_the_type_comes_from_the_book(page):
    loaded = page.evaluate(
        "[...document.fonts].filter((x) => x.status === 'loaded').map((x) => x.family)"
    )
    assert {"Book Serif", "Book Sans", "Book Mono"} <= {name.strip('"') for name in loaded}
    first = "x => getComputedStyle(x).fontFamily.split(',')[0].replaceAll('\"', '')"
    for element, family in (("p", "Book Serif"), ("figcaption", "Book Sans"), ("pre", "Book Mono")):
        assert page.locator(f"article {element}").first.evaluate(first) == family


def test_a_line_of_text_has_about_66_letters_and_one_of_code_78(page):
    show(page, 1280, "light")
    letters, columns = page.evaluate(
        """() => {
            const wide = (box, text) => {
                const probe = document.createElement("span");
                probe.style.cssText = "position: absolute; white-space: pre";
                probe.textContent = text;
                box.append(probe);
                const width = probe.getBoundingClientRect().width;
                probe.remove();
                return width;
            };
            const [text, ...more] = [...document.querySelectorAll("article section > p")]
                .filter((x) => !x.querySelector(".math"));
            const sample = [text, ...more].map((x) => x.textContent).join(" ");
            const room = (x) => x.clientWidth - parseFloat(getComputedStyle(x).paddingLeft)
                - parseFloat(getComputedStyle(x).paddingRight);
            const code = [...document.querySelectorAll("article pre")]
                .find((x) => x.checkVisibility());
            return [
                room(text) / (wide(text, sample) / sample.length),
                room(code) / (wide(code, "0".repeat(100)) / 100),
            ];
        }"""
    )
    assert 62 <= letters <= 72
    assert columns >= 78


def test_headings_shrink_with_their_depth(page):
    sizes = page.evaluate(
        """["h1", "h2", "h3"].map((name) => {
            const heading = document.querySelector(`article ${name}`);
            return heading && parseFloat(getComputedStyle(heading).fontSize)
                * parseFloat(getComputedStyle(heading).fontWeight);
        }).filter((x) => x)"""
    )
    assert len(sizes) >= 2 and sizes == sorted(set(sizes), reverse=True)


def chapters():
    """The pages that are numbered, in order, and the pages below each."""
    number = 0
    for part in TOC["parts"]:
        for chapter in part["chapters"] if part.get("numbered") else []:
            number += 1
            yield number, chapter["file"], list(toc_files(chapter))


def read(name):
    return (SITE / f"{name}.html").read_text(encoding="utf-8")


def test_figures_equations_and_theorems_are_numbered_by_chapter():
    for number, chapter, names in chapters():
        counted = {"Fig.": [], "Theorem": [], "": []}
        for name in dict.fromkeys([chapter, *names]):
            text = read(name)
            for kind, n, k in re.findall(
                r'caption-number">(Fig\.|Theorem) (?:(\d+)\.)?(\d+)', text
            ):
                counted[kind].append((n, int(k)))
            counted[""] += [
                (n, int(k)) for n, k in re.findall(r'"eqno">\((?:(\d+)\.)?(\d+)\)', text)
            ]
        for found in counted.values():
            assert found == [(str(number), k) for k in range(1, len(found) + 1)], chapter


def test_only_chapters_have_a_number_in_their_title():
    numbered = {chapter: number for number, chapter, _ in chapters()}
    for name in PAGES:
        headings = re.findall(r'<h\d><span class="section-number">(.*?)\. </span>', read(name))
        assert headings == ([str(numbered[name])] if name in numbered else []), name


def line_figures(page):
    return page.locator("article svg.line-figure")


def test_line_figures_follow_the_theme_and_say_what_they_show(address, browser):
    drawn = [name for name in PAGES if 'class="line-figure"' in read(name)]
    if not drawn:
        pytest.skip("no notebook was run since figures are stored as lines")
    with opened(browser, address, f"{drawn[0]}.html", viewport={"width": 1280, "height": 900}) as p:
        figure = line_figures(p).first
        assert len(figure.get_attribute("aria-label")) > 20
        ids = p.evaluate("[...document.querySelectorAll('[id]')].map((x) => x.id)")
        assert len(ids) == len(set(ids))
        for theme in ("light", "dark"):
            show(p, 1280, theme)
            text, ink, ground, page_ground = figure.evaluate(
                """(svg) => {
                    const of = (x, what) => getComputedStyle(x)[what];
                    return [
                        of(svg.querySelector("text"), "fill"), of(document.body, "color"),
                        of(svg.querySelector("path"), "fill"),
                        of(document.body, "backgroundColor"),
                    ];
                }"""
            )
            assert (text, ground) == (ink, page_ground)
