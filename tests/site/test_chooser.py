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


def shown(box):
    box.page.wait_for_timeout(300)
    (alt,) = box.evaluate(SHOWN)
    return alt


def test_every_choice_and_every_level_has_a_picture_of_its_own_that_fits_the_phone(box):
    picture, lists, seen = box.locator("img:visible"), box.locator("select"), set()
    assert picture.bounding_box()["width"] <= 390
    assert picture.evaluate("x => getComputedStyle(x).imageRendering") == "pixelated"
    for chosen in lists.all():
        for option in chosen.locator("option").all_inner_texts():
            chosen.select_option(label=option)
            assert option.replace("\xa0", " ") in shown(box)
            seen.add(shown(box))
    # The last loss stays chosen while the corruptions pass: one picture of it was seen before.
    assert len(seen) == box.locator("option").count() - 1
    levels = {shown(box)}
    for key in ["ArrowLeft"] * 3 + ["ArrowRight"] * 3:
        box.locator("input[type=range]").focus()
        box.page.keyboard.press(key)
        levels.add(shown(box))
    assert len(levels) == 4


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
