"""The built book at an address, and a browser to read it with; without them a test is skipped."""

import os
import shutil

import pytest

from tests.site.reading import SITE, served

FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync"""


@pytest.fixture(scope="module")
def built():
    """The folder of the built book."""
    if not (SITE / "sitemap.xml").exists():
        pytest.skip("there is no built book to look at: run `make book` first")
    return SITE


@pytest.fixture(scope="module")
def address(built):
    with served(built) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    program = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, names)), None
    )
    if program is None:
        pytest.skip(
            "there is no browser: install Chromium, or name one in the variable CHROMIUM"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = {
            "executable_path": program,
            "args": FLAGS.split(),
            "timeout": 120_000,
        }
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()
