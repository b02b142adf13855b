"""A real browser reads every page of the built book, with everything outside it cut off."""

import os
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from tests.test_repository import toc_files

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
HARMLESS = "THEBE_JS_URL"  # the theme declares it twice


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
    """One page of the book, loaded and typeset; what the console said is in `page.errors`."""
    html = (SITE / f"{request.param}.html").read_text(encoding="utf-8")
    if "widget-view+json" in html and "fetched/widgets-" not in html:
        pytest.skip(
            "the script that shows sliders was not fetched, so this page needs a network: "
            "install npm and run `make clean book`"
        )
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.errors, page.outside = [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda m: m.type == "error" and page.errors.append(m.text))

    def cut(route):
        page.outside.append(route.request.url)
        route.abort()

    page.route(lambda url: not url.startswith((address, "data:", "blob:")), cut)
    page.goto(f"{address}/{request.param}.html", wait_until="load")
    page.wait_for_function(
        "!window.MathJax || (MathJax.startup && MathJax.startup.promise)", timeout=30_000
    )
    page.evaluate("window.MathJax && MathJax.startup.promise.then(() => true)")
    if page.locator("script[type='application/vnd.jupyter.widget-view+json']").count():
        page.locator(".jupyter-widgets").first.wait_for(timeout=30_000)
    yield page
    context.close()


def test_loads_without_errors_and_asks_for_nothing_outside(page):
    assert page.outside == []
    assert [text for text in page.errors if HARMLESS not in text] == []


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


@pytest.mark.parametrize("width", [1280, 390])
def test_does_not_scroll_sideways(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    inside = page.evaluate("document.documentElement.scrollWidth")
    if inside > width:
        wide = page.evaluate(
            """(width) => [...document.querySelectorAll("article *")]
                .filter((x) => x.getBoundingClientRect().right > width + 1)
                .slice(0, 5).map((x) => x.outerHTML.slice(0, 120))""",
            width,
        )
        pytest.fail(f"the page is {inside} pixels wide on a {width} pixel screen: {wide}")


def test_pictures_have_alternative_text(page):
    silent = "img:not([alt]), img[alt=''], img[alt^='data:'], img[alt*='_build'], img[alt*='.png']"
    pictures = page.locator("article").locator(silent)
    assert [
        pictures.nth(k).evaluate("x => x.outerHTML.slice(0, 120)") for k in range(pictures.count())
    ] == []


def test_sliders_move_their_pictures(page):
    page.set_viewport_size({"width": 1280, "height": 900})
    sliders = page.locator("article .jupyter-widgets.widget-slider")
    for number in range(sliders.count()):
        slider = sliders.nth(number)
        box = slider.locator("xpath=ancestor::div[contains(@class, 'widget-vbox')][1]")
        shown = (
            "x => [...x.querySelectorAll('img')].filter((i) => i.offsetParent).map((i) => i.src)"
        )
        before = box.evaluate(shown)
        assert len(before) == 1
        handle = slider.locator(".noUi-handle")
        at_end = handle.get_attribute("aria-valuenow") == handle.get_attribute("aria-valuemax")
        handle.focus()
        page.keyboard.press("ArrowLeft" if at_end else "ArrowRight")
        page.wait_for_timeout(200)
        after = box.evaluate(shown)
        assert len(after) == 1
        assert after != before
