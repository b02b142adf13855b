"""The book in JupyterLab, on paper, and in plain Markdown with a kernel."""

import json
import os
import re
import subprocess
import sys
import time
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.book.test_hand import BOOK, MARKUP, PAGES
from tests.project import ROOT
from tests.site.reading import opened

pytestmark = [pytest.mark.site, pytest.mark.long]
LINES = 12  # of code in sight before the first picture
SETTINGS = {  # all cells in the page at once; no news, no saving
    "docmanager-extension/plugin": {"autosave": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false"},
}


@pytest.fixture(scope="module")
def lab(browser, tmp_path_factory):
    """JupyterLab in the folder of the book, as an editable installation has it."""
    pytest.importorskip(
        "jupyterlab", reason='to read in it, pip install -e ".[notebooks]"'
    )
    folder = tmp_path_factory.mktemp("lab")
    port = 8000 + os.getpid() % 2000
    for name, settings in SETTINGS.items():
        file = folder / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings))
    ours = {
        f"JUPYTER_{kind}_DIR": str(folder / kind)
        for kind in ("CONFIG", "DATA", "RUNTIME")
    }
    ours |= {
        "JUPYTERLAB_SETTINGS_DIR": str(folder),
        "JUPYTER_CONFIG_PATH": f"{ROOT}/tools/jupyter",
    }
    ours |= {
        "JUPYTERLAB_WORKSPACES_DIR": str(folder),
        "PYTHONPATH": f"{ROOT}/tools:{ROOT}",
    }
    options = f"--no-browser --allow-root --port={port} --port-retries=0 --IdentityProvider.token="
    command = [sys.executable, "-m", "jupyterlab", "book", *options.split()]
    command.append("--LabApp.expose_app_in_browser=True")
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | ours) as server:
        address = f"http://127.0.0.1:{port}"
        for _ in range(240):
            try:
                urlopen(f"{address}/api").close()
                break
            except URLError:
                time.sleep(0.5)
        with opened(
            browser, address, "lab", viewport={"width": 1400, "height": 1000}
        ) as page:
            page.wait_for_function(
                "window.jupyterapp?.shell.widgets('left').next().done === false"
            )
            yield page
        server.terminate()


OPEN = """async (path) => {
    window.opened = await jupyterapp.commands.execute("docmanager:open", {path});
    jupyterapp.shell.activateById(opened.id);
}"""


def open_in(lab, page):
    """Open a page, and wait until all of it is drawn."""
    path = page.removeprefix("book/") + ".ipynb"
    lab.evaluate(OPEN, path)
    notebook = lab.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    notebook.locator(".jp-Cell").first.wait_for()
    drawn = r"""() => {
        const shown = document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden)");
        const texts = [...shown.querySelectorAll(".jp-MarkdownOutput")];
        return texts.length > 2 && texts.every((x) => x.textContent.trim())
            && !texts.some((x) => /[$]{2}|\\begin[{]/.test(x.textContent));
    }"""
    lab.wait_for_function(drawn)
    return notebook


START = """async () => {
    await opened.sessionContext.ready;  // opening starts a kernel: another would race with it
    await (await opened.sessionContext.changeKernel({name: "python3"})).info;
}"""


def in_words(line):
    """The longest part of a line, or of what is said to a choice, that has no markup."""
    line = line.rpartition(" | ")[2]
    return max(
        re.split(r"""\$[^$]*\$|`[^`]*`|\{[\w:]*\}|[*\[\]()"'<>]""", line), key=len
    ).strip()


def run_all(lab, notebook):
    lab.evaluate(START)
    notebook.locator(".jp-Cell").first.click()  # a command is for what has the focus
    lab.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")


READ = """(shown) => {
    const cells = [...shown.querySelectorAll(".jp-Notebook .jp-Cell")];
    const first = cells.findIndex((x) => x.querySelector(".jp-OutputArea :is(img, svg)"));
    const open = cells.slice(0, first + 1).filter((x) => x.matches(".jp-CodeCell"))
        .filter((x) => !x.querySelector(".jp-InputPlaceholder"));
    const names = [...shown.querySelectorAll("[id], [data-jupyter-id]")];
    const there = new Set(names.map((x) => x.id || x.dataset.jupyterId));
    const links = [...shown.querySelectorAll(".jp-MarkdownOutput a[href^='#']")];
    const texts = [...shown.querySelectorAll(".jp-MarkdownOutput")].map((x) => {
        const copy = x.cloneNode(true);
        copy.querySelectorAll("code, mjx-container").forEach((y) => y.remove());
        return copy.textContent;
    });
    return {
        text: texts.join("\\n"),
        errors: shown.querySelectorAll("mjx-merror, .jupyter-widgets-error").length,
        lines: open.flatMap((x) => [...x.querySelectorAll(".cm-line")]).length,
        lost: links.map((x) => x.getAttribute("href").slice(1)).filter(
            (x) => x && !there.has(decodeURIComponent(x))),
    };
}"""


def test_every_page_is_drawn_in_jupyterlab(lab):
    """No markup, no answer, no lost link; the first picture comes before much code."""
    found = {}
    for page in PAGES:
        read = open_in(lab, page).evaluate(READ)
        text = read.pop("text")
        wrong = []
        wrong += MARKUP.findall(text)
        for name in (
            name for name, asked in BOOK.questions.items() if asked[0] == page
        ):
            said = in_words(BOOK.questions[name][3][-1])
            wrong += [name] * (len(said) > 20 and said in text)
        read["lines"] = max(0, read["lines"] - LINES)
        found |= {page: (wrong, read)} if wrong or any(read.values()) else {}
        lab.evaluate("opened.dispose()")
    assert found == {}, found


def test_a_question_is_answered_and_a_slider_moves_in_a_kernel(lab):
    notebook = open_in(lab, "book/start")
    run_all(lab, notebook)
    notebook.locator(".widget-toggle-button").nth(1).click()
    notebook.get_by_role("button", name="Check", exact=True).click()
    notebook.get_by_text("one sixteenth: 64 of 1024 pixels.").wait_for()
    notebook.locator(".widget-toggle-button").nth(0).click()
    notebook.get_by_role("button", name="Check", exact=True).click()
    notebook.get_by_text("covers a quarter of the side in each direction").wait_for()
    notebook = open_in(lab, "book/nmf")
    assert notebook.locator(".widget-slider").count() == 0
    run_all(lab, notebook)
    slider = notebook.locator(".widget-slider").first
    slider.wait_for()
    pictures = ".jp-OutputArea-output:has(.widget-slider) img"
    before = notebook.locator(f"{pictures}:visible").first.get_attribute("src")
    slider.get_by_role("slider").press("ArrowRight")
    moved = f"""(src) => [...document.querySelectorAll("{pictures}")]
        .some((x) => x.checkVisibility() && x.src !== src)"""
    lab.wait_for_function(moved, arg=before)


def test_on_paper_proofs_are_open_and_answers_stand_last(built, tmp_path):
    pypdf = pytest.importorskip("pypdf")
    file = tmp_path / "some.pdf"
    names = ["book/robust_nmf", "book/nmf", "book/tour/1_parts"]
    subprocess.run([sys.executable, ROOT / "tools/pdf.py", file, *names], check=True)
    book = pypdf.PdfReader(file)
    # A long title takes two lines.
    sheets = [" ".join(page.extract_text().split()) for page in book.pages]
    titles = [BOOK.titles[name] for name in names]
    starts = [
        sheets.index(next(x for x in sheets[2:] if x.startswith(t))) for t in titles
    ]
    assert [item.title for item in book.outline if not isinstance(item, list)]
    text = " ".join(" ".join(sheets).split())
    proofs = (
        "Changing the signs of both",
        "Take one entry and write",
        "is the minimizer over",
    )
    for proof in (*proofs, "Jensen", "soft-thresholding, Zhang (26)"):
        assert proof in text, proof
    for start, name in zip(starts, names, strict=True):
        end = min([x for x in starts if x > start], default=len(sheets))
        text = " ".join(" ".join(sheets[start:end]).split())
        asked, _, answers = text.rpartition("Answers ")
        for page, title, _, body in BOOK.questions.values():
            if page == name:
                assert title in asked and title in answers
                said = in_words(body[-1])
                assert len(said) < 20 or (said not in asked and said in answers), said
    headings = {
        x
        for n in names
        for x in re.findall(r"^#+ (.*)", BOOK.path(n).read_text(), re.M)
    }
    for sheet in sheets[2:]:
        lines = [
            line.strip() for line in sheet.splitlines() if not line.strip().isdigit()
        ]
        assert lines[-1] not in headings


def test_the_plain_edition_runs(tmp_path):
    env = os.environ | {"PYTHONPATH": f"{ROOT}/tools:{ROOT}"}
    folder = ROOT / "_build" / "plain"
    subprocess.run([sys.executable, "-m", "rnmf_book", folder], check=True, env=env)
    some = [folder / "start.ipynb", folder / "tour" / "1_parts.ipynb"]
    run = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        *some,
    ]
    subprocess.run(run, check=True, cwd=ROOT, env=env)
