"""A real browser opens what waits behind the glyphs ✓ and ‹› of a page."""

import pytest

from tests.site.reading import assert_fits, opened

pytestmark = pytest.mark.site
PAGE = "book/tour/1_parts.html"


@pytest.fixture(params=[1280, 390])
def page(request, address, browser):
    options = {"viewport": {"width": request.param, "height": 900}, "has_touch": True}
    with opened(browser, address, PAGE, **options) as page:
        yield page


def test_a_glyph_says_what_it_holds_and_opens_it_below(page):
    for kind, glyph, words in (("checks", "✓", "1 check passed: "), ("code", "‹›", "Imports")):
        fold = page.locator(f"details.fold-{kind}").first
        summary = fold.locator("summary")
        assert summary.inner_text() == glyph
        assert summary.get_attribute("aria-label").startswith(words)
        inside = fold.locator("pre").first
        assert not inside.is_visible()
        summary.focus()
        page.keyboard.press("Enter")
        assert inside.bounding_box()["y"] > summary.bounding_box()["y"]
        page.keyboard.press("Enter")
        assert not inside.is_visible()
        summary.click()
        assert inside.is_visible()
        summary.tap()
        assert not inside.is_visible()


def test_glyphs_are_large_apart_and_on_the_page(page):
    glyphs = [x.bounding_box() for x in page.locator("details.fold > summary:visible").all()]
    assert len(glyphs) >= 10
    for one in glyphs:
        assert min(one["width"], one["height"]) >= 24
    tops = sorted(one["y"] for one in glyphs)
    assert min(b - a for a, b in zip(tops, tops[1:], strict=False)) >= 24
    assert_fits(page, page.viewport_size["width"])


def test_a_glyph_covers_no_text(page):
    covered = page.evaluate(
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
