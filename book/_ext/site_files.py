"""Write the site's sitemap.xml and robots.txt.

The sitemap has one entry for each page of the book. Lists that Sphinx makes
by itself (indices, search, listings of the source) are left out: a reader who
searches the web wants the page that explains, not the one that lists.
"""

from pathlib import Path
from xml.etree import ElementTree

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


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


def setup(app):
    app.connect("build-finished", write_site_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
