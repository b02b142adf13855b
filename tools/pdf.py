"""Print the built book into one PDF, by Chromium: ``make pdf``.

    python tools/pdf.py                          the book, into _build/book.pdf
    python tools/pdf.py some.pdf book/nmf        some pages of it

Each page is printed as a browser prints it, in the light theme, with its folds open and
its answers last. Before them stand a title and the contents; links between pages stay
in the file.
"""

import sys
import threading
from functools import partial
from html import escape
from http.server import ThreadingHTTPServer
from io import BytesIO

import yaml
from live_pictures import Quiet, chromium
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, NameObject, TextStringObject
from rnmf_book.pages import ROOT, SITE, listed

STYLE = """<meta charset="utf-8"><style>
@page { size: A4; margin: 22mm 20mm } body { font: 12px/1.45 "Book Serif", serif; margin: 0 }
h1 { font-size: 34px; margin: 60mm 0 8mm } h2 { font-size: 15px; margin: 6mm 0 1mm }
p { margin: 0; display: flex; gap: 2mm } p::before { content: ""; order: 1; flex: 1;
border-bottom: 1px dotted #999; margin-bottom: 1mm } b { order: 2; font-weight: normal }
h1 + h2 { display: none }
.end { break-after: page } h1.contents { margin: 0 } </style>"""
NUMBER = (
    '<p style="width: 100%; text-align: center; font-size: 9px" class="pageNumber"></p>'
)
READY = """async () => {
  document.documentElement.dataset.theme = document.documentElement.dataset.mode = "light";
  document.querySelectorAll("img").forEach((picture) => (picture.loading = "eager"));
  await Promise.all([document.fonts.ready, window.MathJax?.startup?.promise]);
  await Promise.allSettled([...document.images].map((picture) => picture.decode()));
}"""


def contents(toc, pages, first):
    """The contents in HTML: each part with its pages, and the number on which each begins."""
    parts = [("", [{"file": toc["root"]}])]
    parts += [(part["caption"], part["chapters"]) for part in toc["parts"]]
    for caption, entries in parts:
        yield f"<h2>{escape(caption)}</h2>"
        for page, _ in (each for entry in entries for each in listed(entry)):
            if page in pages:
                yield f"<p><span>{escape(pages[page][0])}</span><b>{first.get(page, 0)}</b></p>"


def titled(about):
    names = (
        x.get("name") or f"{x['given-names']} {x['family-names']}"
        for x in about["authors"]
    )
    lines = [
        ", ".join(names),
        f"Version {about['version']}",
        about.get("date-released", ""),
        SITE,
    ]
    said = "<br>".join(escape(str(line)) for line in lines if line)
    title = escape(about["title"])
    return f"<h1>{title}</h1>{said}<div class=end></div><h1 class=contents>Contents"


def keep_links(book, here, first):
    """Let a link to a page lead to it in this file, and any other of the site to the site."""
    for page in book.pages:
        for link in (each.get_object() for each in page.get("/Annots", [])):
            address = link.get("/A", {}).get("/URI", "")
            if address.startswith(here):
                name = (
                    address.removeprefix(here).partition("#")[0].removesuffix(".html")
                )
                if name in first:
                    there = book.pages[first[name] - 1].indirect_reference
                    del link["/A"]
                    link[NameObject("/Dest")] = ArrayObject([there, NameObject("/Fit")])
                else:
                    link["/A"][NameObject("/URI")] = TextStringObject(
                        address.replace(here, SITE)
                    )


def main(file=ROOT / "_build" / "book.pdf", only=()):
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    about["title"] = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["title"]
    folder = ROOT / "_build" / "html"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as playwright:
        browser = chromium(playwright)
        page = browser.new_page(color_scheme="light")

        def printed(html="", **options):
            if html:
                page.set_content(STYLE + html)
            options |= {"prefer_css_page_size": True, "print_background": True}
            return PdfReader(BytesIO(page.pdf(**options)))

        pages = {}
        for name in only or [name for name, _ in listed(toc)]:
            page.goto(f"{here}{name}.html", wait_until="load")
            page.evaluate(READY)
            title = page.evaluate("document.querySelector('h1').innerText").strip(
                " #\n"
            )
            pages[name] = title, printed()
        page.goto(f"{here}book/index.html")
        count = len(printed(titled(about) + "".join(contents(toc, pages, {}))).pages)
        first = {}
        for name, (_, pdf) in pages.items():
            first[name] = count + 1
            count = count + len(pdf.pages)
        captions = {
            part["chapters"][0]["file"]: part["caption"] for part in toc["parts"]
        }
        book = PdfWriter()
        book.append(printed(titled(about) + "".join(contents(toc, pages, first))))
        part = None
        for name, (title, pdf) in pages.items():
            book.append(pdf, import_outline=False)
            if name in captions:
                part = book.add_outline_item(
                    title=captions[name], page_number=first[name] - 1, bold=True
                )
            book.add_outline_item(title=title, page_number=first[name] - 1, parent=part)
        keep_links(book, here, first)
        blank = "<div class=end>&nbsp;</div>" * (count - 1) + "&nbsp;"
        numbers = printed(
            blank,
            display_header_footer=True,
            header_template=" ",
            footer_template=NUMBER,
        )
        for sheet, number in zip(book.pages[1:], numbers.pages[1:], strict=True):
            sheet.merge_page(number)
            sheet.compress_content_streams()
        browser.close()
    server.shutdown()
    book.compress_identical_objects()
    book.add_metadata({"/Title": about["title"]})
    book.write(file)
    print(f"{file} has {count} pages.")


if __name__ == "__main__":
    main(*([sys.argv[1], sys.argv[2:]] if sys.argv[1:] else []))
