"""In a browser: the scoreboard's rows have addresses, its lists choose and count rows."""

from contextlib import ExitStack

import pytest

from tests.site.reading import opened

pytestmark = pytest.mark.site
NAME = "book/scoreboard.html"
ROW = "guan-table-3-orl-salt-pepper-50-l1nmf-rre"
VISIBLE = "() => [...document.querySelectorAll('.filter-table tbody tr')].filter((r) => !r.hidden)"


@pytest.fixture
def open_page(address, browser):
    with ExitStack() as stack:
        yield lambda to="", **more: stack.enter_context(
            opened(browser, address, NAME + to, **more)
        )


@pytest.fixture(scope="module")
def kept_open(address, browser):
    """The page takes seconds to load, so what leaves it as it was shares one."""
    with opened(
        browser, address, NAME, viewport={"width": 1280, "height": 900}
    ) as page:
        yield page
        assert page.errors == []


@pytest.fixture
def page(kept_open):
    kept_open.get_by_role("button", name="show all").click()
    return kept_open


def visible(page, column):
    """The values of a data- attribute in the rows that show."""
    return page.evaluate(f"({VISIBLE})().map((row) => row.dataset.{column})")


def counts(page):
    """Mark -> how many rows have it, as the status says."""
    said = page.locator(".filter-table [role=status] b").all_text_contents()
    return {mark: int(n) for mark, n, *_ in map(str.split, said)}


def assert_led_to(page, row):
    place = page.locator(f"#{row}")
    page.wait_for_function(
        """(row) => {
            const place = document.getElementById(row).getBoundingClientRect();
            const box = document.querySelector(".filter-table-box").getBoundingClientRect();
            return place.height > 0 && place.top >= Math.max(box.top, 0)
                && place.bottom <= Math.min(box.bottom, innerHeight);
        }""",
        arg=row,
    )
    assert place.evaluate("(x) => x.matches(':target')")
    other = page.locator(".filter-table tbody tr:not(:target):not([hidden]) td").first
    color = "(x) => getComputedStyle(x).backgroundColor"
    assert place.locator("td").first.evaluate(color) != other.evaluate(color)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_row_has_an_address_that_leads_to_it_and_every_cell_can_be_read(
    open_page, width
):
    page = open_page(f"#{ROW}", viewport={"width": width, "height": 900})
    assert_led_to(page, ROW)
    link = page.locator(".filter-table tbody tr a").nth(3)
    to = link.get_attribute("href")[1:]
    link.click()
    assert page.evaluate("location.hash") == f"#{to}"
    assert_led_to(page, to)
    page.go_back()
    page.wait_for_function("(row) => location.hash == `#${row}`", arg=ROW)
    assert_led_to(page, ROW)

    box = page.locator(".filter-table-box")
    assert box.evaluate(
        "x => x.scrollWidth <= x.clientWidth && x.clientHeight < innerHeight"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cut = "(cells) => cells.filter((x) => x.scrollWidth > x.clientWidth + 1).length"
    assert page.locator(".filter-table td").evaluate_all(cut) == 0
    named = page.locator(".filter-table tbody td:nth-child(3):not(:empty)").first
    before = named.evaluate("(x) => getComputedStyle(x, '::before').content")
    assert before == ("none" if width == 1280 else '"printed: "')


def test_lists_choose_rows_and_the_status_counts_them(page):
    everything = visible(page, "paper")
    # 446 numbers with other readings of some, the sentences and our own questions.
    total = len(everything)
    assert total > 500
    status = page.locator(".filter-table [role=status]")
    assert status.get_attribute("aria-live") == "polite"
    assert status.text_content().startswith(f"{total} of {total} rows")
    # a browser that fills a list in again would name what the rows do not show
    assert page.locator(".filter-table select:not([autocomplete=off])").count() == 0

    page.get_by_label("paper", exact=True).select_option("Cheng et al.")
    assert set(visible(page, "paper")) == {"Cheng et al."}
    assert len(visible(page, "paper")) == everything.count("Cheng et al.")
    page.get_by_label("verdict", exact=True).select_option("✗ not reproduced")
    assert set(visible(page, "verdict")) == {"✗ not reproduced"}
    failed = len(visible(page, "verdict"))
    assert 0 < failed < total
    assert status.text_content().startswith(f"{failed} of {total} rows")
    assert counts(page) == {mark: failed * (mark == "✗") for mark in "✓≈✗–○"}
    # The other lists offer what is left, with counts; none can lead to an empty table.
    methods = (
        page.get_by_label("method", exact=True).locator("option").all_text_contents()
    )
    assert any(text.startswith("SupervisedNMF (") for text in methods)
    assert not any("PCA" in text for text in methods)

    page.get_by_role("button", name="show all").click()
    assert visible(page, "paper") == everything
    page.get_by_label("place", exact=True).select_option("Table III")
    marks = "".join(verdict[0] for verdict in visible(page, "verdict"))
    assert counts(page) == {mark: marks.count(mark) for mark in "✓≈✗–○"}


def test_what_is_chosen_is_kept_in_the_address(page, open_page):
    page.get_by_label("paper", exact=True).select_option("Guan et al.")
    page.get_by_label("verdict", exact=True).select_option("✓ reproduced")
    chosen = visible(page, "place")
    again = open_page(
        page.evaluate("location.search")
    )  # as another reader would open it
    assert visible(again, "place") == chosen
    page.get_by_role("button", name="show all").click()
    assert page.evaluate("location.search") == ""


def test_an_address_leads_to_its_row_whatever_is_chosen(open_page):
    page = open_page(f"?paper=Guan+et+al.#{ROW}")
    assert_led_to(page, ROW)
    assert set(visible(page, "paper")) == {"Guan et al."}  # nothing hid it
    hidden = open_page(f"?paper=Cheng+et+al.#{ROW}")
    assert_led_to(hidden, ROW)
    assert hidden.evaluate("location.search") == ""
    assert len(visible(hidden, "paper")) > 500


def test_keyboard_alone_is_enough(page):
    page.get_by_label("paper", exact=True).focus()
    page.keyboard.press("ArrowDown")
    assert set(visible(page, "paper")) == {"Lee and Seung"}
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.labels[0].textContent") == "place"
    page.get_by_label("paper", exact=True).select_option("")
    page.locator(".filter-table-box").focus()
    page.evaluate("document.activeElement.scrollTop = 0")
    page.keyboard.press("End")
    page.wait_for_function("document.activeElement.scrollTop > 0")


def test_everything_shows_without_a_script(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator(".filter-table tbody tr").count() > 500
    assert page.locator(".filter-table tbody tr").last.is_visible()
    assert page.locator(".filter-table select").count() == 0
