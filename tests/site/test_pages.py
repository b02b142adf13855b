"""A real browser reads every page of the built book, with everything outside it cut off."""

import pytest

from tests.site.reading import PAGES, assert_fits, at_rest, barriers, drag, opened, show

pytestmark = pytest.mark.site

HEAVIEST = 2_500_000  # bytes that a first visit transfers, nothing compressed
HOLDS_UP = 650_000  # of these, bytes that the first text waits for
ON_A_LAPTOP = (1280, "light")
ON_A_PHONE = (390, "light")


@pytest.fixture(scope="module", params=PAGES)
def page(request, address, browser):
    """One page of the book, loaded and typeset."""
    options = {"viewport": {"width": 1280, "height": 900}, "has_touch": True}
    with opened(browser, address, f"{request.param}.html", **options) as page:
        page.weight = sum(each.sizes()["responseBodySize"] for each in page.loaded)
        page.evaluate(
            "document.querySelectorAll('article details').forEach((x) => (x.open = 1))"
        )
        page.name = request.param
        yield page


def test_loads_without_errors_and_light_from_the_site_alone(page):
    assert page.outside == page.errors == []
    assert page.weight <= HEAVIEST
    waits_for = """performance.getEntriesByType("resource")
        .filter((x) => x.renderBlockingStatus === "blocking")
        .reduce((total, x) => total + x.encodedBodySize, 0)"""
    assert 0 < page.evaluate(waits_for) <= HOLDS_UP


def test_equations_are_typeset(page):
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    text = page.evaluate(
        """() => {
            const article = document.querySelector("article").cloneNode(true);
            article.querySelectorAll("pre, code, script, style").forEach((x) => x.remove());
            return article.textContent;
        }"""
    )
    for raw in ("\\(", "\\[", "$$", "\\begin{", "\\frac", "\\lVert"):
        assert raw not in text
    assert bool(page.locator(".math").count()) <= bool(
        page.locator("mjx-container").count()
    )


def test_a_formula_within_a_line_is_no_stop_of_the_keyboard_and_no_line_begins_with_its_stop(
    page,
):
    show(page, *ON_A_LAPTOP)
    inline = "[...document.querySelectorAll('article mjx-container:not([display])')]"
    scrolls = "(x) => getComputedStyle(x).overflowX !== 'visible'"
    lonely = """(x) => /^[.,;:?!)]/.test(x.parentElement.nextSibling?.data ?? '')
        && getComputedStyle(x.parentElement.parentElement).whiteSpace !== 'nowrap'"""
    counts = f"[{inline}.filter({scrolls}).length, {inline}.filter({lonely}).length]"
    assert page.evaluate(counts) == [0, 0]


def test_pictures_have_alternative_text(page):
    silent = "img:not([alt]), img[alt=''], img[alt^='data:'], img[alt*='_build'], img[alt*='.png']"
    pictures = page.locator("article").locator(silent)
    assert [
        picture.evaluate("x => x.outerHTML.slice(0, 120)") for picture in pictures.all()
    ] == []


SHOWN = "x => [...x.querySelectorAll('img')].filter((i) => i.offsetParent).map((i) => i.src)"


def test_on_a_laptop_nothing_scrolls_sideways_and_controls_move_their_pictures(page):
    show(page, *ON_A_LAPTOP)
    assert (
        page.locator("article [type*=widget]").count() == 0
    )  # none is left for a manager
    assert_fits(page, 1280)
    for control in page.locator(
        "article :is(.widget-slider input, .widget-dropdown select)"
    ).all():
        assert control.evaluate("x => x.labels[0].textContent.trim()")
        box = control.locator("xpath=ancestor::div[contains(@class, 'widget-vbox')][1]")
        before = box.evaluate(SHOWN)
        assert len(before) == 1
        control.focus()
        last = "x => x.type === 'range' ? x.value === x.max : x.selectedIndex === x.length - 1"
        page.keyboard.press("ArrowLeft" if control.evaluate(last) else "ArrowRight")
        after = box.evaluate(SHOWN)
        assert len(after) == 1
        assert after != before
        box.locator("img:visible").evaluate("x => x.decode()")


def test_on_a_phone_nothing_scrolls_sideways_and_pictures_keep_their_shape(page):
    show(page, *ON_A_PHONE)
    assert_fits(page, 390)
    for picture in page.locator("article img:visible").all():
        picture.scroll_into_view_if_needed()
        picture.evaluate("x => x.decode()")
        shapes = (
            "[x.clientWidth / x.clientHeight, x.naturalWidth / x.naturalHeight, x.src]"
        )
        shown, drawn, source = picture.evaluate(f"(x) => {shapes}")
        assert shown == pytest.approx(drawn, rel=0.03), source


def test_what_is_too_wide_for_a_phone_scrolls_also_by_keyboard_and_no_cell_is(page):
    show(page, *ON_A_PHONE)
    lost = page.evaluate(
        """() => {
            const inside = (x) => {
                const equation = x.querySelector(":scope > mjx-math");
                return equation ? equation.getBoundingClientRect().width : x.scrollWidth;
            };
            const scrolls = (x) =>
                /auto|scroll/.test(getComputedStyle(x).overflowX) && inside(x) > x.clientWidth + 1;
            const boxes = [...document.querySelectorAll("article *:not(mjx-container *)")]
                .filter((x) => x.checkVisibility() && scrolls(x));
            const mute = boxes.filter((x) => x.tabIndex < 0 || !x.getAttribute("aria-label"));
            const parts = document.querySelectorAll(
                "article :is(mjx-container, pre, table, img, select, input, dt)"
            );
            const cut = [...parts].filter(
                (x) => x.checkVisibility() && x.getBoundingClientRect().right > innerWidth + 1 &&
                    !boxes.some((box) => box.contains(x))
            );
            const cells = [...document.querySelectorAll("article .cell_input pre")]
                .filter((x) => x.checkVisibility() && x.scrollWidth > x.clientWidth + 1);
            return [...mute, ...cut, ...cells].map((x) => x.outerHTML.slice(0, 120));
        }"""
    )
    assert lost == []


def test_sliders_follow_a_finger(page):
    show(page, *ON_A_PHONE)
    for slider in page.locator("article .widget-slider input").all():
        slider.evaluate("x => { x.value = 0; x.dispatchEvent(new Event('input')); }")
        slider.scroll_into_view_if_needed()
        at_rest(page)
        box = slider.bounding_box()
        y = box["y"] + box["height"] / 2
        drag(
            page, *((box["x"] + x, y) for x in (8, box["width"] / 2, box["width"] - 2))
        )
        page.wait_for_function("(x) => x.value === x.max", arg=slider.element_handle())


def test_has_no_barrier_on_a_phone_in_the_dark_theme(page):
    show(page, 390, "dark")
    assert barriers(page) == []


def test_has_no_barrier_on_a_laptop_in_the_light_theme(page):
    """What is not a matter of color is that of the phone, but for the bars at the sides."""
    show(page, *ON_A_LAPTOP)
    assert barriers(page, contrast_alone=page.name != PAGES[0]) == []


def test_a_barrier_is_found(browser):
    """One pale word among many dark ones, and a picture without a text."""
    page = browser.new_page()
    pale = "<p>dark <b style='color: #bbb'>pale</b></p><p style='background: #444'>on dark</p><img>"
    page.set_content(
        f"<html lang=en><title>t</title><main><h1>t</h1>{'<p>dark</p>' * 50}{pale}"
    )
    found = sorted(rule for rule, *_ in barriers(page))
    page.close()
    assert found == ["color-contrast", "color-contrast", "image-alt"]
