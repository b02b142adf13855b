"""Write the site's sitemap.xml and robots.txt, and take a stale PDF back.

The sitemap has one entry for each page of the book. Lists that Sphinx makes
by itself (indices, search, listings of the source) are left out: a reader who
searches the web wants the page that explains, not the one that lists.

The whole book as a PDF is older than the site as soon as a page or a style is
written anew; it and the links to it then go, until ``make pdf`` prints again.
"""

import re
from pathlib import Path
from xml.etree import ElementTree

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
OFFER = re.compile(r'<(li|p) class="whole-book-link">.*?</\1>', re.DOTALL)


def write_site_files(app, exception):
    if exception or app.builder.name != "html":
        return
    base = app.config.html_baseurl
    urls = ElementTree.Element("urlset", xmlns=NAMESPACE)
    for name in sorted(app.env.found_docs):
        url = ElementTree.SubElement(urls, "url")
        address = base + app.builder.get_target_uri(name)
        ElementTree.SubElement(url, "loc").text = address
    ElementTree.indent(urls)
    site = Path(app.outdir)
    ElementTree.ElementTree(urls).write(
        site / "sitemap.xml", encoding="utf-8", xml_declaration=True
    )
    robots = f"User-agent: *\nAllow: /\n\nSitemap: {base}sitemap.xml\n"
    (site / "robots.txt").write_text(robots, encoding="utf-8")


def withdraw_stale_pdf(app, exception):
    if exception or app.builder.name != "html":
        return
    site = Path(app.outdir)
    names = app.env.found_docs
    pages = [site / app.builder.get_target_uri(name) for name in names]
    written = [*pages, *site.glob("_static/*.css")]
    newest = max(file.stat().st_mtime for file in written)
    for pdf in site.glob("*.pdf"):
        if pdf.stat().st_mtime >= newest:
            continue
        for page in pages:
            html = page.read_text(encoding="utf-8")
            page.write_text(OFFER.sub("", html), encoding="utf-8")
        pdf.unlink()


def setup(app):
    app.connect("build-finished", write_site_files)
    app.connect("build-finished", withdraw_stale_pdf)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
