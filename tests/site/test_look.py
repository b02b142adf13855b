"""A real browser sees the face of the book: type, measure, glyphs, choosers, the first screen."""

from itertools import pairwise

import pytest

from tests.site.reading import BOXES, assert_fits, at_rest, opened, show

pytestmark = pytest.mark.site


# ---------------------------------------------------------- type, measure, line figures


@pytest.fixture(scope="module")
def page(address, browser):
    screen = {"width": 1280, "height": 900}
    with opened(browser, address, "book/robust_nmf.html", viewport=screen) as page:
        yield page


def test_the_type_comes_from_the_book(page):
    loaded = (
        "[...document.fonts].filter((x) => x.status === 'loaded').map((x) => x.family)"
    )
    loaded = page.evaluate(loaded)
    assert {"Book Serif", "Book Sans", "Book Mono"} <= {
        name.strip('"') for name in loaded
    }
    first = "x => getComputedStyle(x).fontFamily.split(',')[0].replaceAll('\"', '')"
    for element, family in (
        ("p", "Book Serif"),
        ("figcaption", "Book Sans"),
        ("pre", "Book Mono"),
    ):
        assert page.locator(f"article {element}").first.evaluate(first) == family


def test_a_line_of_text_has_about_66_letters_and_one_of_code_78(page):
    show(page, 1280, "light")
    letters, columns = page.evaluate(
        """["section > p", ".cell_input pre"].map((kind) => {
            const boxes = [...document.querySelectorAll(`article ${kind}`)]
                .filter((x) => x.checkVisibility() && !x.querySelector(".math"));
            const { fontSize, fontFamily, paddingLeft } = getComputedStyle(boxes[0]);
            const pen = document.createElement("canvas").getContext("2d");
            pen.font = `${fontSize} ${fontFamily}`;
            const text = boxes.map((x) => x.textContent).join(" ");
            const room = boxes[0].clientWidth - 2 * parseFloat(paddingLeft);
            return room / pen.measureText(text).width * text.length;
        })"""
    )
    assert 62 <= letters <= 72
    assert columns >= 78


def test_headings_shrink_with_their_depth(page):
    sizes = page.evaluate(
        """["h1", "h2", "h3"].map((name) => {
            const style = getComputedStyle(document.querySelector(`article ${name}`));
            return parseFloat(style.fontSize) * style.fontWeight;
        })"""
    )
    assert sizes == sorted(set(sizes), reverse=True)


def test_line_figures_follow_the_theme_and_say_what_they_show(page):
    figure = page.locator("article svg.line-figure").first
    assert len(figure.get_attribute("aria-label")) > 20
    twice = "[...document.querySelectorAll(`#${CSS.escape(x.id)}`)].length > 1"
    ids = (
        f"[...document.querySelectorAll('svg.line-figure [id]')].filter((x) => {twice})"
    )
    assert page.evaluate(f"{ids}.map((x) => x.id)") == []
    for theme in ("light", "dark"):
        show(page, 1280, theme)
        text, ink, ground, page_ground = figure.evaluate(
            """(svg) => {
                const of = (x, what) => getComputedStyle(x)[what];
                return [
                    of(svg.querySelector("text"), "fill"), of(document.body, "color"),
                    of(svg.querySelector("path"), "fill"), of(document.body, "backgroundColor"),
                ];
            }"""
        )
        assert (text, ground) == (ink, page_ground)


# ------------------------------------------------------------------ the glyphs ✓ and ‹›


@pytest.fixture(params=[1280, 390], scope="module")
def tour(request, address, browser):
    options = {"viewport": {"width": request.param, "height": 900}, "has_touch": True}
    with opened(browser, address, "book/tour/1_parts.html", **options) as page:
        yield page


def test_a_glyph_says_what_it_holds_and_opens_it_below(tour):
    for kind, glyph, words in (
        ("checks", "✓", "4 checks passed: "),
        ("code", "‹›", "Code"),
    ):
        fold = tour.locator(f"details.fold-{kind}").first
        summary = fold.locator("summary")
        assert summary.inner_text() == glyph
        assert summary.get_attribute("aria-label").startswith(words)
        inside = fold.locator("pre").first
        assert not inside.is_visible()
        summary.focus()
        tour.keyboard.press("Enter")
        assert inside.bounding_box()["y"] > summary.bounding_box()["y"]
        tour.keyboard.press("Enter")
        assert not inside.is_visible()
        summary.click()
        assert inside.is_visible()
        summary.tap()
        assert not inside.is_visible()


def test_glyphs_are_large_apart_and_on_the_page(tour):
    glyphs = tour.locator("details.fold > summary:visible").evaluate_all(BOXES)
    assert len(glyphs) >= 8
    assert min(min(box["width"], box["height"]) for box in glyphs) >= 24
    tops = sorted(box["y"] for box in glyphs)
    assert min(b - a for a, b in pairwise(tops)) >= 24
    assert_fits(tour, tour.viewport_size["width"])


def test_a_glyph_covers_no_text(tour):
    covered = tour.evaluate(
        """() => [...document.querySelectorAll("details.fold > summary")].filter((x) => {
            const a = x.getBoundingClientRect();
            return a.width && [...document.querySelectorAll("article :is(p, li, pre, img, h2)")]
                .filter((y) => y.checkVisibility() && !x.parentElement.contains(y))
                .some((y) => {
                    const range = document.createRange();
                    range.selectNodeContents(y);
                    const boxes = y.matches("img") ? [y.getBoundingClientRect()]
                        : [...range.getClientRects()];
                    return boxes.some((b) => b.left < a.right - 2 && b.right > a.left + 2 &&
                        b.top < a.bottom - 6 && b.bottom > a.top + 6);
                });
        }).map((x) => x.outerHTML)"""
    )
    assert covered == []


# ----------------------------------------------------------------- a chooser on a phone


def test_each_picture_is_that_of_all_that_is_chosen_and_fits_the_phone(
    address, browser
):
    phone = {"width": 390, "height": 844}
    with opened(browser, address, "book/engine.html", viewport=phone) as page:
        box = page.locator("article .widget-vbox", has=page.locator(".widget-dropdown"))
        picture, (method, damage) = (
            box.locator("img:visible"),
            box.locator("select").all(),
        )
        level = box.locator("input[type=range]")
        seen = set()
        assert picture.bounding_box()["width"] <= 390
        assert (
            picture.evaluate("x => getComputedStyle(x).imageRendering") == "pixelated"
        )
        for chosen in (method, damage):
            for option in chosen.locator("option").all_inner_texts():
                chosen.select_option(label=option)
                seen.add(picture.get_attribute("alt"))
                assert option.replace("\xa0", " ") in picture.get_attribute("alt")
        # The last loss stays chosen while the corruptions pass: one picture of it was
        # seen before.
        assert len(seen) == box.locator("option").count() - 1
        damage.select_option(label="salt and pepper")
        levels = []
        for key in ["End", *["ArrowLeft"] * 3]:
            level.focus()
            page.keyboard.press(key)
            levels.append(picture.get_attribute("alt"))
        assert len(set(levels)) == 4
        method.select_option(label="L21NMF")
        alt = picture.get_attribute("alt")
        assert "L21NMF" in alt and "salt and pepper (5% of all pixels)" in alt, alt


# -------------------------------------------------------------------- the first screen


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_first_page_is_playable_at_once(address, browser, width, height):
    """On a laptop's first screen; on a phone pictures and controls share one. The doors follow."""
    screen = {"width": width, "height": height}
    boxes = """(names) => Object.fromEntries(names.map(
        (name) => [name, document.querySelector(name).getBoundingClientRect().toJSON()]))"""
    pictures = [f".live-{name} canvas" for name in ("seen", "NMF", "robust")]
    with opened(browser, address, "book/index.html", viewport=screen) as page:
        page.locator(".live-stage[data-sweeps]").wait_for()
        at_rest(page)
        box = page.evaluate(
            boxes, [".live-tools", ".live-knobs", ".sd-card", *pictures]
        )
        first = 0 if width == 1280 else box[".live-tools"]["top"]
        assert box[".live-knobs"]["bottom"] - first <= height
        assert box[".sd-card"]["top"] > box[".live-knobs"]["top"]
        for name in pictures:
            assert (
                abs(box[name]["width"] - box[name]["height"]) < 2
                and box[name]["width"] > 160
            )
        page.locator(pictures[0]).scroll_into_view_if_needed()
        at_rest(page)
        x, y, width, height = page.locator(pictures[0]).bounding_box().values()
        page.mouse.move(x + width / 4, y + height / 4)
        page.mouse.down()
        page.mouse.move(x + width / 2, y + height / 4, steps=4)
        page.mouse.up()
        page.wait_for_function("location.hash.includes('workbench=')")
