"""Take the still pictures of the live figures: what they show first, for paper and without script.

    python tools/live_pictures.py

They are photographed in Chromium, in the light theme, without their controls. Run it
again after a change of what a live figure shows first.
"""

import os
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PAGE = """<!doctype html><html data-theme="light"><head>
    <link rel="stylesheet" href="live.css"><style>
    html {{ --pst-color-background: #fff; --pst-color-text-base: #222; --pst-color-border: #bbb;
        --pst-color-primary: #176de8; --pst-color-surface: #fff; color: #222; font-family: Arial }}
    figure {{ width: 660px; margin: 0; padding: 8px; background: #fff }}
    table {{ border-collapse: collapse }} td button {{ font: inherit; min-height: 0 !important }}
    .live-try, .live-says, .live-controls, .live-slider, .live-strip, .live-chart, .hint {{
        display: none !important }}
    .live-stage {{ margin: 0 !important }} .live-formula {{ min-height: 0 }}
    .live-parts {{ margin-top: 8px }} canvas {{ outline: none !important }}
    </style></head><body><figure class="live-{name}"><img alt=""></figure>{scripts}</body></html>"""
SCRIPT = '<script charset="utf-8" src="{}.js"></script>'


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def chromium(playwright):
    """A browser of this machine."""
    program = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )
    return playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])


def take(page, name):
    """Photograph one figure, once it rests."""
    scripts = "".join(map(SCRIPT.format, ("nmf", "live", name)))
    page.set_content(PAGE.format(name=name, scripts=scripts))
    if name == "workbench":
        page.locator(".live-more").evaluate("drawer => (drawer.open = true)")
        page.locator(".live-stage[aria-busy=false]").wait_for(timeout=300_000)
    file = STATIC / "live" / f"{name}.png"
    page.locator("figure").screenshot(path=file)
    with Image.open(file) as picture:
        picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(
            file, optimize=True
        )
    print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


def main():
    folder = STATIC / "live"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = chromium(playwright)
        page = browser.new_page(
            viewport={"width": 700, "height": 900}, device_scale_factor=2
        )
        page.goto(f"http://127.0.0.1:{server.server_port}/live.css")
        for name in ("pull", "sweep", "workbench"):
            take(page, name)
        browser.close()
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()
