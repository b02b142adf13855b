"""A real browser reads every page of the built book, with everything outside it cut off."""

import os
import re
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from tests.project import toc_files

pytestmark = pytest.mark.site

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
PAGES = list(toc_files(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))))
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HEAVIEST = 2_500_000  # bytes that a first visit transfers, nothing compressed
SLOWEST = 5_000  # milliseconds to the first text; a quiet laptop needs a tenth


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address():
    if not (SITE / "book" / "index.html").exists():
        pytest.skip("there is no built book to look at: run `make book` first")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip(
            "there is no browser: install Chromium (on Debian and Ubuntu: apt install chromium), "
            "or name one in the environment variable CHROMIUM"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module", params=PAGES)
def page(request, address, browser):
    """One page of the book, loaded and typeset; what it asked for and complained of is kept."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, has_touch=True)
    page = context.new_page()
    page.name, page.errors, page.outside, page.loaded = request.param, [], [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda m: m.type == "error" and page.errors.append(m.text))
    page.on("requestfinished", lambda each: page.loaded.append(each))

    def cut(route):
        page.outside.append(route.request.url)
        route.abort()

    page.route(lambda url: not url.startswith((address, "data:", "blob:")), cut)
    page.set_default_timeout(120_000)  # a busy machine is no fault of the page
    page.goto(f"{address}/{request.param}.html", wait_until="load")
    page.wait_for_function("!window.MathJax || (MathJax.startup && MathJax.startup.promise)")
    page.evaluate("window.MathJax && MathJax.startup.promise.then(() => true)")
    page.weight = sum(each.sizes()["responseBodySize"] for each in page.loaded)
    page.evaluate("document.querySelectorAll('article details').forEach((x) => (x.open = true))")
    yield page
    context.close()


def show(page, width, theme):
    """Give the page the width and the theme of a reader; tests are in order, to change seldom."""
    if getattr(page, "shown", None) == (width, theme):
        return
    page.shown = width, theme
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(
        """(theme) => {
            document.documentElement.dataset.theme = theme;
            document.documentElement.dataset.mode = theme;
            return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 400)));
        }""",
        theme,
    )


def test_loads_without_errors_and_asks_for_nothing_outside(page):
    assert page.outside == []
    assert page.errors == []


def test_is_light_and_soon_readable(page):
    paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    delay = page.evaluate(paint)
    print(f"\n{page.name}: {page.weight / 1e6:.2f} MB, text after {delay:.0f} ms")
    assert page.weight <= HEAVIEST
    assert delay <= SLOWEST


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
    if page.locator(".math").count():
        assert page.locator("mjx-container").count() > 0


def assert_fits(page, width):
    inside = page.evaluate("document.documentElement.scrollWidth")
    if inside > width:
        wide = page.evaluate(
            """(width) => [...document.querySelectorAll("article *")]
                .filter((x) => x.getBoundingClientRect().right > width + 1)
                .slice(0, 5).map((x) => x.outerHTML.slice(0, 120))""",
            width,
        )
        pytest.fail(f"the page is {inside} pixels wide on a {width} pixel screen: {wide}")


def barriers(page):
    """What axe-core finds. Tests of this come last, since it thins the page out first.

    Equations go, and of the words of code all but one of each color. The contrast of a text is a
    matter of its color, its size and what lies behind it, so it is measured once for each: axe
    takes minutes for the ten thousand texts of a reference page, which differ in a few dozen.
    """
    axe = pytest.importorskip("axe_playwright_python")
    if not page.evaluate("Boolean(window.axe)"):
        page.add_script_tag(path=Path(axe.__file__).parent / "axe.min.js")
    return page.evaluate(
        """async () => {
            document.querySelectorAll("mjx-container").forEach((x) => x.replaceWith("x"));
            const colors = new Set();
            for (const word of document.querySelectorAll("pre span[class]")) {
                if (colors.has(word.className)) word.replaceWith(word.textContent);
                colors.add(word.className);
            }
            const behind = new Map([[null, ""]]);  // of each element: all backgrounds below it
            const texts = new Map();
            for (const x of document.querySelectorAll("html, html *")) {
                const style = getComputedStyle(x);
                const own = [style.backgroundColor, style.backgroundImage, style.opacity].join();
                const below = behind.get(x.parentElement);
                behind.set(x, below.endsWith(own) ? below : below + own);
                const written = [...x.childNodes].some((y) => y.nodeType === 3 && y.data.trim());
                if (!written || !x.checkVisibility()) continue;
                const { color, fontSize, fontWeight, position } = style;
                texts.set([color, fontSize, fontWeight, position, behind.get(x)].join(), x);
            }
            const contrast = await axe.run(
                { include: [...texts.values()] },
                { resultTypes: ["violations"], runOnly: ["color-contrast"] },
            );
            const others = await axe.run({
                resultTypes: ["violations"], rules: { "color-contrast": { enabled: false } },
            });
            return [contrast, others].flatMap(({ violations }) => violations).flatMap(
                ({ id, nodes }) =>
                    nodes.map((node) => [id, node.target.join(" "), node.failureSummary])
            );
        }"""
    )


def test_pictures_have_alternative_text(page):
    silent = "img:not([alt]), img[alt=''], img[alt^='data:'], img[alt*='_build'], img[alt*='.png']"
    pictures = page.locator("article").locator(silent)
    assert [
        pictures.nth(k).evaluate("x => x.outerHTML.slice(0, 120)") for k in range(pictures.count())
    ] == []


def test_on_a_laptop_nothing_scrolls_sideways(page):
    show(page, 1280, "light")
    assert_fits(page, 1280)


SHOWN = "x => [...x.querySelectorAll('img')].filter((i) => i.offsetParent).map((i) => i.src)"


def test_controls_have_names_and_move_their_pictures(page):
    show(page, 1280, "light")
    assert page.locator("article [type*=widget]").count() == 0  # none is left for a manager
    controls = page.locator("article :is(.widget-slider input, .widget-dropdown select)")
    for number in range(controls.count()):
        control = controls.nth(number)
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


def test_pictures_keep_their_shape_on_a_phone(page):
    show(page, 390, "light")
    for picture in page.locator("article img:visible").all():
        picture.scroll_into_view_if_needed()
        picture.evaluate("x => x.decode()")
        shown, drawn, source = picture.evaluate(
            "x => [x.clientWidth / x.clientHeight, x.naturalWidth / x.naturalHeight, x.src]"
        )
        assert shown == pytest.approx(drawn, rel=0.03), source


def test_on_a_phone_nothing_scrolls_sideways(page):
    show(page, 390, "light")
    assert_fits(page, 390)


def test_what_is_too_wide_for_a_phone_scrolls_also_by_keyboard(page):
    show(page, 390, "light")
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
            return [...mute, ...cut].map((x) => x.outerHTML.slice(0, 120));
        }"""
    )
    assert lost == []


def test_sliders_follow_a_finger(page):
    show(page, 390, "light")
    sliders = page.locator("article .widget-slider input")
    touch = page.context.new_cdp_session(page) if sliders.count() else None
    for number in range(sliders.count()):
        slider = sliders.nth(number)
        slider.evaluate("x => { x.value = 0; x.dispatchEvent(new Event('input')); }")
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        y = box["y"] + box["height"] / 2
        places = [box["x"] + 8, box["x"] + box["width"] / 2, box["x"] + box["width"] - 2]
        for kind, x in zip(("touchStart", "touchMove", "touchMove"), places, strict=True):
            touch.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            )
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        assert slider.evaluate("x => x.value === x.max")


def test_has_no_barrier_on_a_phone_in_the_dark_theme(page):
    show(page, 390, "dark")
    assert barriers(page) == []


def test_has_no_barrier_on_a_laptop_in_the_light_theme(page):
    show(page, 1280, "light")
    assert barriers(page) == []


def test_a_barrier_is_found(browser):
    """One pale word among many dark ones, and a picture without a text."""
    page = browser.new_page()
    page.set_content(
        "<html lang=en><title>t</title><main><h1>t</h1>"
        + "<p>dark</p>" * 50
        + "<p>dark <b style='color: #bbb'>pale</b></p><p style='background: #444'>on dark</p><img>"
    )
    found = barriers(page)
    page.close()
    assert sorted(rule for rule, *_ in found) == ["color-contrast", "color-contrast", "image-alt"]


def head(name):
    """Title and description of a page, as its file has them."""
    text = (SITE / f"{name}.html").read_text(encoding="utf-8")
    titles = re.findall(r"<title>(.*?)</title>", text, re.DOTALL)
    descriptions = re.findall(r'<meta name="description" content="([^"]*)"', text)
    assert 'lang="en"' in text
    assert len(titles) == len(descriptions) == 1
    return titles[0].strip(), descriptions[0]


def test_every_page_has_a_title_and_a_description_of_its_own(address):
    heads = {name: head(name) for name in PAGES}
    for kind in zip(*heads.values(), strict=True):
        assert len(set(kind)) == len(PAGES)
    for name, (_, description) in heads.items():
        assert 40 <= len(description) <= 320, name
        assert not re.search(r"[\\$]|,,|\.\.\.$", description), name
