"""In a browser: the scoreboard's table is filtered by its lists, and whole without a script."""

from contextlib import ExitStack

import pytest

from tests.site.reading import opened

pytestmark = pytest.mark.site
NAME = "book/scoreboard.html"
VISIBLE = "() => [...document.querySelectorAll('.filter-table tbody tr')].filter((r) => !r.hidden)"


@pytest.fixture
def open_page(address, browser):
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(opened(browser, address, NAME, **options))


def visible(page, column):
    """The values of a data- attribute in the rows that show."""
    return page.evaluate(f"({VISIBLE})().map((row) => row.dataset.{column})")


def test_lists_choose_rows_and_the_status_counts_them(open_page):
    page = open_page()
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
    said, *causes = status.text_content().split(" · ")  # then how many of each cause
    assert said == f"{failed} of {total} rows"
    assert sum(int(cause.split()[0]) for cause in causes) == failed
    # The other lists offer what is left, with counts; none can lead to an empty table.
    methods = page.get_by_label("method", exact=True).locator("option").all_text_contents()
    assert any(text.startswith("SupervisedNMF (") for text in methods)
    assert not any("PCA" in text for text in methods)

    page.get_by_role("button", name="show all").click()
    assert visible(page, "paper") == everything
    assert page.errors == []


def test_keyboard_alone_is_enough(open_page):
    page = open_page()
    page.get_by_label("paper", exact=True).focus()
    page.keyboard.press("ArrowDown")
    assert set(visible(page, "paper")) == {"Zhang et al."}
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.labels[0].textContent") == "place"
    page.locator(".filter-table-box").focus()
    before = page.evaluate("document.activeElement.scrollTop")
    page.get_by_label("paper", exact=True).select_option("")
    page.locator(".filter-table-box").focus()
    page.keyboard.press("End")
    page.wait_for_function(f"document.activeElement.scrollTop > {before}")


def test_everything_shows_without_a_script(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator(".filter-table tbody tr").count() > 500
    assert page.locator(".filter-table tbody tr").last.is_visible()
    assert page.locator(".filter-table select").count() == 0


def test_on_a_phone_the_table_scrolls_in_its_box(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    box = page.locator(".filter-table-box")
    assert box.evaluate("x => x.scrollWidth > x.clientWidth && x.clientHeight < 844")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
