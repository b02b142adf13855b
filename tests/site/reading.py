"""How the tests read the book in a browser: as a site, at a width, in a theme, without barriers."""

import sys
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest
import yaml
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from tests.project import ROOT, toc_files

SITE = ROOT / "_build" / "html"
PAGES = list(toc_files(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))))

#: How a small book looks and behaves: as the whole one.
CONFIG = {
    "html_theme": "sphinx_book_theme",
    "html_static_path": ["book/_static"],
    "html_css_files": ["custom.css", ["print.css", {"media": "print"}]],
    "html_js_files": ["reading.js"],
    "html_favicon": "book/_static/logo.svg",
    "html_context": {"default_mode": "auto"},
    "language": "en",
    "numfig": True,
    "suppress_warnings": ["myst.header"],
}


def built(folder, extension, pages):
    """Build a small book with an extension of ours; where it is, and what was told meanwhile."""
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    (folder / "book").mkdir()
    (folder / "book" / "_static").symlink_to(ROOT / "book" / "_static")
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    config = CONFIG | {"extensions": ["myst_parser", extension]}
    told = StringIO()
    out = folder / "_build"
    with patch_docutils(), docutils_namespace():
        Sphinx(
            folder, None, out, out / "x", "html", config, status=None, warning=told
        ).build()
    return out, told.getvalue()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@contextmanager
def served(folder):
    """Serve a folder, and yield its address."""
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(QuietHandler, directory=folder)
    )
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@contextmanager
def opened(browser, address, name, before="", **options):
    """Open a page; what it asks for outside of the site is cut off, and with its errors kept."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.errors = []
    page.warnings = []
    page.outside = []
    page.loaded = []
    told = {"error": page.errors, "warning": page.warnings}

    def keep(message):
        if (
            "basic.css" not in message.location["url"]
        ):  # axe searches for imports beside the page
            told.get(message.type, []).append(message.text)

    def cut(route):
        page.outside.append(route.request.url)
        route.abort()

    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", keep)
    page.on("requestfinished", lambda each: page.loaded.append(each))
    page.route(lambda url: not url.startswith((address, "data:", "blob:")), cut)
    page.set_default_timeout(120_000)  # a busy machine is no fault of the page
    if before:
        page.add_init_script(before)
    page.goto(f"{address}/{name}", wait_until="load")
    if options.get("java_script_enabled", True):  # words move until both are there
        page.wait_for_function("!window.MathJax || window.MathJax.startup?.promise")
        both = "[document.fonts.ready, window.MathJax?.startup.promise]"
        page.evaluate(f"Promise.all({both}).then(() => true)")
    yield page
    context.close()


def show(page, width, theme):
    """Give the page the width and the theme of a reader; tests are in order, to change seldom."""
    if getattr(page, "shown", None) == (width, theme):
        return
    page.shown = width, theme
    page.set_viewport_size({"width": width, "height": 900})
    change = "(to) => Object.assign(document.documentElement.dataset, to)"
    page.evaluate(change, {"theme": theme, "mode": theme})
    at_rest(page)


#: Where elements are, all at one moment.
BOXES = "(all) => all.map((x) => x.getBoundingClientRect().toJSON())"


def assert_fits(page, width):
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# A page hears of a finger's move with its next frame, so some frames have to pass
# between two.
FRAMES = """() => new Promise((done) => {
    let left = 3;
    (function frame() { left-- ? requestAnimationFrame(frame) : done(); })();
})"""


def drag(page, *places):
    """Move a finger over these places, some frames at each."""
    session = page.context.new_cdp_session(page)
    for kind, (x, y) in zip(
        ["touchStart"] + ["touchMove"] * len(places), places, strict=False
    ):
        points = [{"x": x, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.evaluate(FRAMES)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def at_rest(page):
    """Wait until nothing has moved for twenty frames, and no picture in sight is still to come."""
    page.evaluate(
        """() => new Promise((done) => {
            let [last, still] = ["", 0];
            const inSight = (x) => {
                const { top, bottom } = x.getBoundingClientRect();
                return bottom > 0 && top < innerHeight && x.checkVisibility();
            };
            (function frame() {
                const { scrollWidth, scrollHeight } = document.documentElement;
                const now = [scrollX, scrollY, innerWidth, scrollWidth, scrollHeight].join();
                const moves = document.getAnimations().some((x) => x instanceof CSSTransition);
                const waits = [...document.images].some((x) => !x.complete && inSight(x));
                still = now === last && !moves && !waits ? still + 1 : 0;
                last = now;
                still > 20 ? done() : requestAnimationFrame(frame);
            })();
        })"""
    )


def barriers(page, contrast_alone=False):
    """What axe-core finds. Tests of this come last, since it thins the page out first.

    Equations go, and of the words of code all but one of each color. The contrast of a
    text is a matter of its color, its size and what lies behind it, so it is measured
    once for each: axe takes minutes for the ten thousand texts of a reference page,
    which differ in a few dozen.
    """
    axe = pytest.importorskip("axe_playwright_python")
    if not page.evaluate("Boolean(window.axe)"):
        page.add_script_tag(path=Path(axe.__file__).parent / "axe.min.js")
    return page.evaluate(
        """async (alone) => {
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
            const others = alone ? { violations: [] } : await axe.run({
                resultTypes: ["violations"], rules: { "color-contrast": { enabled: false } },
            });
            return [contrast, others].flatMap(({ violations }) => violations).flatMap(
                ({ id, nodes }) =>
                    nodes.map((node) => [id, node.target.join(" "), node.failureSummary])
            );
        }""",
        contrast_alone,
    )
