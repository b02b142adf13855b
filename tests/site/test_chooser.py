"""A real browser turns every control of the page *One engine*, with no kernel behind it."""

import pytest

from tests.site.reading import opened

pytestmark = pytest.mark.site
PAGE = "book/engine.html"
SHOWN = "x => [...x.querySelectorAll('img')].filter((i) => i.offsetParent).map((i) => i.alt)"


@pytest.fixture(scope="module")
def box(address, browser):
    """The box with the chooser, drawn."""
    with opened(browser, address, PAGE, viewport={"width": 390, "height": 844}) as page:
        box = page.locator("article .widget-vbox", has=page.locator(".widget-dropdown"))
        box.locator("img:visible").first.wait_for()
        yield box


def shown(box, wait=300):
    box.page.wait_for_timeout(wait)
    alts = box.evaluate(SHOWN)
    assert len(alts) == 1
    return alts[0]


def test_one_picture_shows_and_fits_the_phone(box):
    shown(box)
    picture = box.locator("img:visible")
    assert picture.bounding_box()["width"] <= 390
    assert picture.evaluate("x => getComputedStyle(x).imageRendering") == "pixelated"


def test_every_list_is_named_and_every_choice_has_a_picture_of_its_own(box):
    lists = box.locator("select")
    seen = set()
    for number in range(lists.count()):
        chosen = lists.nth(number)
        label = chosen.evaluate("x => x.labels.length ? x.labels[0].textContent : ''")
        assert label in ("loss", "corruption")
        for option in chosen.locator("option").all_inner_texts():
            chosen.select_option(label=option)
            alt = shown(box)
            assert option.replace("\xa0", " ") in alt
            seen.add(alt)
    # The last loss stays chosen while the corruptions pass: one picture of it was seen before.
    options = [lists.nth(k).locator("option").count() for k in range(lists.count())]
    assert len(seen) == sum(options) - 1


def test_the_slider_moves_by_keyboard_through_every_level(box):
    handle = box.locator("input[type=range]")
    seen = {shown(box)}
    for _ in range(3):
        handle.focus()
        box.page.keyboard.press("ArrowLeft")
        seen.add(shown(box))
    for _ in range(3):
        handle.focus()
        box.page.keyboard.press("ArrowRight")
        seen.add(shown(box))
    assert len(seen) == 4


def test_a_choice_keeps_the_other_controls(box):
    lists = box.locator("select")
    lists.nth(0).select_option(label="CIMNMF")
    lists.nth(1).select_option(label="salt and pepper")
    handle = box.locator("input[type=range]")
    for _ in range(4):
        handle.focus()
        box.page.keyboard.press("ArrowLeft")
    lists.nth(0).select_option(label="L21NMF")
    alt = shown(box)
    assert "L21NMF" in alt and "salt and pepper (5% of all pixels)" in alt, alt
