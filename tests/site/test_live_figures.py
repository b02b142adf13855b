"""The live figures in a page: by keyboard, touch and ear, in both themes, and without script."""

import re
from contextlib import ExitStack
from itertools import pairwise

import pytest

from tests.site.reading import BOXES, at_rest, built, drag, opened, served

pytestmark = [pytest.mark.site, pytest.mark.slow]

NAMES = ("pull", "sweep", "workbench")
# A page is longer than a screen, and scrolls: what a finger must not do in a figure.
PAGE = "# The {0}\n\n```{{live}} {0}\n```\n" + "\nOne more line.\n" * 60
PAGES = {
    "index": "# Book\n\n```{toctree}\npull\nsweep\nworkbench\n```\n\nNo figure here.\n",
    **{name: PAGE.format(name) for name in NAMES},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out, told = built(tmp_path_factory.mktemp("live"), "live", PAGES)
    assert told == ""
    return out


@pytest.fixture
def visit(site, browser):
    """Open a page as a reader does; it must end without an error or a warning."""
    with ExitStack() as stack:
        address = stack.enter_context(served(site))
        pages = []

        def open_page(name, *, width=390, state="", **options):
            options |= {"viewport": {"width": width, "height": 844}, "has_touch": True}
            page = opened(browser, address, f"{name}.html{state}", **options)
            pages.append(stack.enter_context(page))
            return pages[-1]

        yield open_page
        assert [page.errors + page.warnings for page in pages] == [[]] * len(pages)


def says(page, pattern):
    """Wait until the figure rests and has spoken what it shows; return what it shows.

    It speaks a while after it has shown, so what it said before may still stand there.
    """
    spoken = """(pattern) => {
        const stage = document.querySelector(".live-stage");
        const [shown, spoken] = [".live-says", ".live-spoken[aria-live=polite]"].map(
            (line) => stage.querySelector(line).textContent.trim().replace(/\\s+/g, " "));
        const rests = stage.ariaBusy !== "true" && spoken.startsWith(shown);
        return rests && RegExp(pattern).test(spoken) && shown;
    }"""
    return page.wait_for_function(spoken, arg=pattern).json_value()


def state(page, name):
    text = "name => new URLSearchParams(location.hash.slice(1)).get(name)"
    return page.evaluate(text, name)


def center(locator):
    locator.scroll_into_view_if_needed()
    at_rest(locator.page)
    return middle(locator)


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# -------------------------------------------------------------------- every figure


def test_only_pages_with_a_figure_load_its_scripts(site):
    for name in PAGES:
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        scripts = set(re.findall(r'src="_static/live/(\w+)\.js', text))
        assert scripts == ({"nmf", "live", name} if name in NAMES else set())


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_with_its_text_stands_where_no_script_runs_and_in_print(visit, name):
    page = visit(name, java_script_enabled=False)
    picture = page.locator(f"figure.live-{name} img")
    assert picture.is_visible()
    assert len(picture.get_attribute("alt")) > 80
    assert page.locator("figcaption").is_visible()
    assert "scripts are off" in page.locator("article").inner_text()
    page = visit(name)
    picture = page.locator(f"figure.live-{name} img")
    stage = page.locator(".live-stage")
    assert stage.is_visible() and not picture.is_visible()
    page.emulate_media(media="print")
    assert picture.is_visible() and not stage.is_visible()


@pytest.mark.parametrize("name", NAMES)
def test_works_from_a_folder_at_an_anchor(browser, site, name):
    with opened(browser, site.as_uri(), f"{name}.html#the-{name}") as page:
        assert says(page, r"\d\.\d")
        assert (
            page.evaluate("location.hash") == f"#the-{name}"
        )  # an anchor of the page stays one


# -------------------------------------------------------------------- the pull


def test_the_pull_by_keyboard(visit):
    page = visit("pull")
    assert "Cauchy and correntropy ignore it" in says(page, "Point at 9.0")
    page.get_by_label("height", exact=True).focus()
    page.keyboard.press("ArrowDown")
    says(page, r"Point at 8\.9")
    page.get_by_label("height", exact=True).fill("4.2")
    page.keyboard.press("ArrowUp")
    assert "no loss ignores it" in says(page, r"Point at 4\.3")
    slopes = page.locator(".live-spoken").text_content()
    assert len(re.findall(r"0\.5\d", slopes)) == 5
    assert page.locator("tbody td").count() == 15
    assert state(page, "pull") == "4.3_0.6"
    page.get_by_label("scale c").focus()
    page.keyboard.press("ArrowRight")
    assert state(page, "pull") == "4.3_0.7"
    page.reload()
    says(page, r"Point at 4\.3")


def test_the_pull_by_touch_and_beside_its_point_a_finger_scrolls_the_page(visit):
    page = visit("pull")
    x, y = center(page.locator(".handle"))
    drag(page, *((x - 120, y + 200 - step) for step in range(0, 221, 10)))
    page.wait_for_function("scrollY > 150")  # now Chromium could hold on to the point
    at_rest(page)  # the page goes on for a while after the finger has left
    assert "Point at 9.0" in says(page, ".")
    x, y = middle(page.locator(".handle"))
    before = middle(page.locator(".live-plot"))[1]
    drag(page, *((x, y + step) for step in range(0, 121, 10)))
    height = float(re.search(r"Point at (\d\.\d)", says(page, r"Point at [2-6]\."))[1])
    assert float(state(page, "pull").split("_")[0]) == height
    assert abs(middle(page.locator(".live-plot"))[1] - before) < 1  # the page stays,
    assert (
        abs(middle(page.locator(".handle"))[1] - (y + 120)) < 3
    )  # the point is at the finger


@pytest.mark.parametrize("height", [0, 4.1, 10])
def test_the_lines_of_the_pull_have_names_none_upon_another(visit, height):
    page = visit("pull", state=f"#pull={height}_0.6")
    names = page.locator(".live-plot .named").evaluate_all(BOXES)
    assert len(names) == 5
    for one, other in pairwise(sorted(names, key=lambda box: box["top"])):
        assert one["bottom"] <= other["top"] + 3  # boxes have air in them
    assert max(box["right"] for box in names) <= 390


# -------------------------------------------------------------------- one sweep


def test_a_sweep_cell_by_cell(visit):
    page = visit("sweep", state="#sweep=n1")
    spoken = page.locator(".live-spoken")
    next_ = page.get_by_role("button", name="Next")
    next_.focus()
    seen = []
    for words in ("denominator", "becomes", "Numerator"):
        page.keyboard.press("Enter")
        spoken.filter(has_text=words).wait_for(state="attached")
        seen.append(page.locator(".live-formula").inner_text())
    assert len(set(seen)) == 3
    assert state(page, "sweep") == "n4"
    for _ in range(38):
        next_.press("Enter")
    spoken.filter(has_text="W 3 2 becomes").wait_for(state="attached")
    next_.press("Enter")
    says(page, "After 1 sweep")


def numbers(page):
    text = says(page, r"After \d+ sweeps?: objective")
    return [float(x) for x in re.findall(r"\d+\.\d\d", text)]


def test_another_entry_of_x_begins_another_curve(visit):
    page = visit("sweep", state="#sweep=s.s.s", reduced_motion="reduce")
    curve = page.locator(".live-chart path").last
    assert curve.get_attribute("d").count("L") == 3
    page.get_by_role("button", name="X 2 3").click()
    assert "L" not in curve.get_attribute("d")


def settle(page):
    """Run to the end, and return what is said there."""
    page.get_by_role("button", name="Run").click()
    return numbers(page)


def test_a_run_takes_its_time_and_its_curve_has_a_point_for_each_sweep(visit):
    page = visit("sweep")
    page.evaluate(
        """() => {
            const stage = document.querySelector(".live-stage");
            window.seen = [];
            new MutationObserver(() => window.seen.push(stage.ariaBusy))
                .observe(stage, { attributeFilter: ["aria-busy"] });
        }"""
    )
    page.get_by_role("button", name="Run").click()
    sweeps = int(re.search(r"After (\d+)", says(page, "After"))[1])
    assert (
        page.locator(".live-chart path").last.get_attribute("d").count("L")
        == sweeps
        > 20
    )
    assert page.evaluate("window.seen") == ["true"] * sweeps + [
        "false"
    ]  # each is shown


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_one_wrong_entry_spoils_squares_and_not_cauchys_loss(visit, motion):
    page = visit("sweep", reduced_motion=motion)
    objective, away = settle(page)
    assert objective < 0.1 and away < 0.3
    page.get_by_role("button", name="X 2 3").tap()
    assert settle(page)[1] > 3
    page.get_by_label("weights").select_option("Cauchy")
    assert settle(page)[1] < 0.3
    label = page.get_by_role("button", name="X 2 3").get_attribute("aria-label")
    assert float(re.search(r"weight (\S+)", label)[1]) < 0.05
    kept = numbers(page)
    page.reload()
    assert numbers(page) == kept


# -------------------------------------------------------------------- the workbench


def errors(page):
    return [float(x) for x in re.findall(r"0\.\d{3}", says(page, "After .* sweeps"))]


WAYS = {
    "in a worker": {},
    "without workers": {"before": "delete window.Worker"},
    # in every object, and no loss
    "with a wrong address": {"state": "#workbench=toString_0.04_7_valueOf"},
}


@pytest.mark.parametrize("way", WAYS)
def test_the_workbench_tells_its_story_by_itself(visit, way):
    page = visit("workbench", **WAYS[way])
    plain, robust = errors(page)
    assert robust < 0.25 < 0.4 < plain
    assert len(page.workers) == (way != "without workers")


def test_painting_by_touch_and_by_keyboard(visit):
    page = visit("workbench", reduced_motion="reduce")
    before = errors(page)
    canvas = page.get_by_role("application")
    page.get_by_label("on every house").check()
    x, y = center(canvas)
    scrolled = page.evaluate("scrollY")
    drag(page, (x, y), (x + 20, y + 10), (x + 40, y + 20))
    after = errors(page)
    assert page.evaluate("scrollY") == scrolled
    assert (
        after[1] > before[1] + 0.1
    )  # the same place on every house: it becomes a part
    painted = state(page, "workbench").split("_")[5]
    assert len(painted) == 12 and set(painted[1::4]) == {"8"}

    page.get_by_label("on every house").uncheck()
    page.get_by_label("black", exact=True).check()
    canvas.focus()
    page.keyboard.press("ArrowUp")
    says(page, "Brush at column")
    page.keyboard.press("Space")
    errors(page)
    signs = state(page, "workbench").split("_")[5]
    assert signs.startswith(painted + "k3") and len(signs) == 16
    canvas.blur()
    picture = "document.querySelector('[role=application]').toDataURL()"
    shown = page.evaluate(picture)
    page.reload()
    errors(page)
    assert page.evaluate(picture) == shown

    page.get_by_role("button", name="Clean").click()
    assert errors(page)[0] < 0.1


def test_windows_see_through_blocks_that_hubers_loss_lets_pass(visit):
    page = visit(
        "workbench",
        state="#workbench=HuberNMF_0.2_7_cd_blocks",
        reduced_motion="reduce",
    )
    huber = errors(page)[1]
    page.get_by_label("loss", exact=True).select_option("WindowNMF")
    windows = errors(page)[1]
    assert windows < 0.6 * huber
    assert page.locator(".live-parts div").last.locator("canvas").count() == 7
    page.locator(".live-more summary").click()
    page.get_by_role("button", name="Start again").click()
    assert errors(page)[1] == windows


def test_another_house_shows_and_stops_no_fit(visit):
    page = visit("workbench")
    stage = page.locator(".live-stage")
    page.locator(".live-pictures canvas").first.scroll_into_view_if_needed()
    page.locator(".live-stage[data-sweeps]").wait_for()
    picture = "document.querySelector('[role=application]').toDataURL()"
    before = page.evaluate(picture)
    page.get_by_role("button", name="house 2").click()
    assert page.evaluate(picture) != before
    errors(page)
    assert stage.get_attribute("data-sweeps") == "150"
