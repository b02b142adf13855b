"""Print the built book as one PDF: title page, contents, outline, working links.

    python tools/print_book.py        writes _build/html/rnmf_tutorial.pdf

The articles of all pages are put into one HTML document, which Chromium prints; what a page on
paper looks like is said in ``book/_static/print.css``. The built site then gets its links to the
PDF, so a site without a PDF has no dead link.

Paper holds what one reads: text, equations, proofs, answers to the questions inside the text, and
the first picture of whatever moves. It leaves out what one opens or runs: folded code, checks and
solutions, but not a figure that is folded with its code; each chapter names its page online, which
has them. The API is set small in two columns, and the scoreboard is the appendix.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pikepdf
import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
PDF = SITE / "rnmf_tutorial.pdf"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
OFFER = "whole-book-link"  # class of the links to the PDF
ADDRESS = CONFIG["html"]["baseurl"]
VIRTUAL = "http://book.invalid/"  # where the browser believes the site to be; read from SITE
TEXT_WIDTH = 665  # CSS pixels between the margins that print.css sets on A4
API = "book/api"  # this page and those below it are set as one chapter, in two columns
APPENDIX = "book/scoreboard"
SHORT = 16  # lines of code that are not torn apart
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ["--no-sandbox", "--disable-gpu"]


def chapters(toc):
    """The caption of its part and the name of every page, in order; the root has no caption."""

    def below(caption, node):
        for entry in node.get("chapters", node.get("sections", [])):
            yield caption, entry["file"]
            yield from below(caption, entry)

    yield None, toc["root"]
    for part in toc["parts"]:
        yield from below(part["caption"], part)


def on_paper(pages):
    """The pages in the order of the menu, but the appendix stands last."""
    last = [("Appendix", name) for _, name in pages if name == APPENDIX]
    return [page for page in pages if page[1] != APPENDIX] + last


def parse(name):
    return BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "html.parser")


def anchor(name, fragment=""):
    """An id that is unique in the whole book."""
    return f"{name}--{fragment}".replace("/", ".")


def freeze(widget):
    """Leave the picture that a slider or a chooser shows first, and a line that names it."""
    for control in widget.select(".widget-slider, .widget-dropdown"):
        slider = control.find("input")
        if slider:
            stops, now = json.loads(slider["data-stops"]), int(slider["value"])
        else:
            options = control.find_all("option")
            stops = [option.get_text() for option in options]
            now = next((k for k, x in enumerate(options) if x.has_attr("selected")), 0)
        others = ", ".join(stops[:now] + stops[now + 1 :])
        control.name, control["class"] = "p", "setting"
        control.string = f"{control.label.get_text()}: {stops[now]}. Also online: {others}."
    for unseen in widget.select("[hidden]"):
        unseen.decompose()


def article(name, names):
    """The text of one page, ready to stand in one document with all others."""
    soup = parse(name)
    text = soup.select_one("article.bd-article")
    text["class"] = ["bd-article", "chapter"]
    if name.startswith(API):
        text["class"] += ["reference"] if name == API else ["reference", "run-on"]

    for widget in text.select(".widget-vbox"):
        freeze(widget)
    for tag in text.select(f"script, .headerlink, .viewcode-link, .toctree-wrapper, .{OFFER}"):
        tag.decompose()

    for figure in text.select("details.hide figure"):  # the text speaks of it
        figure.find_parent("details").insert_before(figure)
    for unread in text.select("details.fold, details.hide, .solution"):
        unread.decompose()
    for empty in text.select(".cell"):
        if not empty.get_text(strip=True) and not empty.find("img"):
            empty.decompose()
    for details in text.find_all("details"):
        details["open"] = ""
    for folded in text.select(".dropdown"):
        folded["class"] = [x for x in folded["class"] if x != "dropdown"]

    for paragraph in text.find_all("p"):
        if paragraph.get_text().rstrip().endswith(":"):
            paragraph["class"] = [*paragraph.get("class", []), "lead-in"]

    for code in text.select("div.highlight > pre"):
        if code.get_text().count("\n") <= SHORT:
            box = code.find_parent(class_="cell_input") or code
            box["class"] = [*box.get("class", []), "short"]

    for tag in text.find_all(id=True):
        tag["id"] = anchor(name, tag["id"])
    text["id"] = anchor(name)
    text.h1.insert_after(online(soup, name))
    for tag in text.find_all(src=True):
        tag["src"] = urljoin(f"{VIRTUAL}{name}.html", tag["src"])
    for link in text.find_all("a", href=True):
        address, part = urldefrag(urljoin(f"{VIRTUAL}{name}.html", link["href"]))
        page = address.removeprefix(VIRTUAL).removesuffix(".html")
        if page in names:
            link["href"] = "#" + anchor(page, part)
        elif address.startswith(VIRTUAL):  # a page that is not printed
            link["href"] = urljoin(ADDRESS, address.removeprefix(VIRTUAL)) + (part and f"#{part}")
    return text


def online(soup, name):
    """A line that names the page in the book online, where nothing is left out."""
    address = f"{ADDRESS}{name}.html"
    line = soup.new_tag("p", attrs={"class": "online"})
    link = soup.new_tag("a", href=address)
    link.string = address.removeprefix("https://")
    line.extend(["Solutions, checks and all code: ", link])
    return line


def entries(articles):
    """Level, id and heading of every chapter and section; a page of the API is a section."""
    for text in articles:
        if "run-on" in text["class"]:
            yield 1, text["id"], text.h1
            continue
        yield 0, text["id"], text.h1
        for heading in text.select("h2"):
            yield 1, heading.find_parent("section")["id"], heading


def contents(pages, articles):
    """A list of all chapters and sections; the page numbers come later."""
    captions = {anchor(name): caption for caption, name in pages}
    lines, last = [], None
    for level, place, heading in entries(articles):
        caption = captions.get(place, last)
        if caption != last:
            lines.append(f'<p class="part">{caption}</p>')
            last = caption
        lines.append(
            f'<p class="line level{level}"><a href="#{place}">'
            f'<span>{heading.decode_contents()}</span><span class="page">000</span></a></p>'
        )
    return "".join(lines)


def edition():
    """Version of the package, and date and name of the commit where there is one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    try:
        command = ["git", "log", "-1", "--format=%cs %h"]
        output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        day, commit = output.stdout.split()
    except (OSError, subprocess.SubprocessError, ValueError):
        return f"Version {project['version']}"
    day = datetime.date.fromisoformat(day)
    return f"Version {project['version']}, {day:%B} {day.day}, {day.year} (commit {commit})"


def title_page():
    return f"""
    <section class="title-page">
      <img src="{VIRTUAL}_static/logo.svg" alt="">
      <h1 class="book-title">{CONFIG["title"]}</h1>
      <p class="authors">{CONFIG["author"]}</p>
      <p>{edition()}</p>
      <p><a href="{ADDRESS}">{ADDRESS}</a></p>
      <p class="licence">{CONFIG["html"]["extra_footer"]}</p>
      <p class="licence">This is the book on paper: text, equations, proofs and figures, of each
      slider the first picture. Online, the sliders move, figures compute, and solutions, checks
      and all code open with a click.</p>
    </section>"""


def running_head(number, text):
    """Style of the pages of one chapter: its title stands on top."""
    title = plain(text.h1).replace("\\", "").replace('"', "”")
    return f'@page chapter{number} {{ @top-left {{ content: "{title}" }} }}'


def plain(heading):
    return re.sub(r"\\[()]", "", heading.get_text())


def styles_and_mathjax(pages, articles):
    """The style sheets of all pages, and MathJax with its settings, each once."""
    kept = {}
    for (_, name), text in zip(pages, articles, strict=True):
        for tag in text.find_parent("html").head.select("link[rel=stylesheet], script"):
            if tag.name == "script" and "mathjax" not in str(tag).lower():
                continue
            for attribute in {"href", "src"} & tag.attrs.keys():
                tag[attribute] = urljoin(f"{VIRTUAL}{name}.html", tag[attribute])
            kept[str(tag)] = None
    return "".join(kept)


def document(pages, articles):
    """One HTML document of the whole book."""
    chapter = 0
    for number, text in enumerate(articles):
        if "run-on" not in text["class"]:  # another named page begins on a new sheet
            chapter = number
        text["style"] = f"page: chapter{chapter}"
    heads = "".join(running_head(number, text) for number, text in enumerate(articles))
    return f"""<!DOCTYPE html>
    <html lang="en" data-theme="light" data-mode="light">
    <head><meta charset="utf-8"><title>{CONFIG["title"]}</title>
    {styles_and_mathjax(pages, articles)}<style media="print">{heads}</style></head>
    <body class="whole-book">{title_page()}
    <nav class="list-of-contents"><h1>Contents</h1>{contents(pages, articles)}</nav>
    <main class="bd-content">{"".join(map(str, articles))}</main></body></html>"""


def find_browser():
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise SystemExit(
            "The book is printed by Chromium, and there is none: install it (on Debian and "
            "Ubuntu: apt install chromium), or name a browser in the variable CHROMIUM."
        )
    return program


# Shrink what is wider than the text, and report what is still too wide.
FIT = """(width) => {
    for (const box of document.querySelectorAll("mjx-container[display=true], table, pre")) {
        if (box.matches(".dataframe")) {
            for (const cell of box.querySelectorAll("td")) {
                if (cell.textContent.length < 12) cell.style.whiteSpace = "nowrap";
                else cell.style.minWidth = "4.6rem";  // a number and its spread: two lines
            }
        }
        const room = Math.min(box.parentElement.clientWidth, width);
        const wide = box.tagName === "MJX-CONTAINER"
            ? box.firstElementChild.getBoundingClientRect().width : box.scrollWidth;
        if (room && wide > room) box.style.zoom = Math.max(0.5, (room / wide) * 0.99);
    }
    return [...document.querySelectorAll("article *:not(mjx-assistive-mml, mjx-assistive-mml *)")]
        .filter((box) => box.getBoundingClientRect().right > width + 2)
        .map((box) => box.outerHTML.slice(0, 100));
}"""
FILL = """(pages) => document.querySelectorAll(".list-of-contents a").forEach((line) => {
    line.querySelector(".page").textContent = pages[line.getAttribute("href").slice(1)] ?? "";
})"""


def print_pages(pages, target):
    """Print the pages into a PDF, twice: the first print tells the page numbers.

    Returns what did not fit on the paper.
    """
    names = {name for _, name in pages}
    articles = [article(name, names) for _, name in pages]
    html = document(pages, articles)

    def serve(route):
        path = route.request.url.removeprefix(VIRTUAL).split("?")[0]
        if path == "book.html":
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        elif (SITE / path).is_file():
            route.fulfill(path=SITE / path)
        else:
            route.abort()

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        page = browser.new_page(viewport={"width": TEXT_WIDTH, "height": 1000})
        page.set_default_timeout(0)
        page.emulate_media(media="print")
        page.route("**/*", serve)
        page.goto(f"{VIRTUAL}book.html")
        page.evaluate("MathJax.startup.promise.then(() => document.fonts.ready).then(() => 0)")
        too_wide = page.evaluate(FIT, TEXT_WIDTH)
        style = {"prefer_css_page_size": True, "print_background": True}
        page.pdf(path=target, **style)
        with pikepdf.open(target) as pdf:
            page.evaluate(FILL, {name: place[0] + 1 for name, place in places(pdf).items()})
        page.pdf(path=target, tagged=True, **style)
        browser.close()
    finish(target, articles)
    return too_wide


def places(pdf):
    """Page number, from 0, left and top of every id that the book links to."""
    number = {page.objgen: k for k, page in enumerate(pdf.pages)}
    return {
        name.removeprefix("/"): (number[place[0].objgen], float(place[2]), float(place[3]))
        for name, place in pdf.Root.Dests.items()
    }


def finish(target, articles):
    """Add the outline and the metadata. (Chromium's own outline garbles long titles.)"""
    with pikepdf.open(target, allow_overwriting_input=True) as pdf:
        found = places(pdf)
        with pdf.open_outline() as outline:
            for level, name, heading in entries(articles):
                number, left, top = found[name]
                item = pikepdf.OutlineItem(plain(heading), number, "XYZ", left=left, top=top)
                (outline.root[-1].children if level else outline.root).append(item)
        with pdf.open_metadata(set_pikepdf_as_editor=False) as metadata:
            metadata["dc:title"] = CONFIG["title"]
            metadata["dc:creator"] = [CONFIG["author"]]
        pdf.Root.PageMode = pikepdf.Name.UseOutlines
        pdf.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate)


def offer(names):
    """Link to the PDF: in the download menu of every page, and below the landing page's text."""
    menu = re.compile(r'dropdown-download-buttons">.*?<ul class="dropdown-menu">', re.DOTALL)
    for name in names:
        file = SITE / f"{name}.html"
        html = file.read_text(encoding="utf-8")
        if OFFER in html:
            continue
        link = f'href="{"../" * name.count("/")}{PDF.name}"'
        item = (
            f'<li class="{OFFER}"><a {link} class="btn btn-sm dropdown-item">'
            '<span class="btn__icon-container"><i class="fas fa-download"></i></span>'
            '<span class="btn__text-container">whole book (.pdf)</span></a></li>'
        )
        html = menu.sub(lambda match, item=item: match[0] + item, html, count=1)
        if name == names[0]:
            line = (
                f'<p class="{OFFER}"><a {link}>The whole book as one PDF</a>, to read offline.</p>'
            )
            html = html.replace(
                '<div class="toctree-wrapper', line + '<div class="toctree-wrapper', 1
            )
        file.write_text(html, encoding="utf-8")


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    if not (SITE / "index.html").exists():
        raise SystemExit("There is no built book to print: run `make book` first.")
    pages = on_paper(
        list(chapters(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))))
    )
    for box in print_pages(pages, PDF):
        print(f"wider than the paper: {box}")
    offer([name for _, name in pages])
    PDF.touch()  # newer than the pages; the next build that writes one takes the PDF back
    with pikepdf.open(PDF) as pdf:
        size = PDF.stat().st_size / 1e6
        print(f"{PDF.relative_to(ROOT)}: {len(pdf.pages)} pages, {size:.0f} MB")


if __name__ == "__main__":
    main()
