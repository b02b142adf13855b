"""Write the site's sitemap.xml and robots.txt.

The sitemap has one entry for each page of the book. Lists that Sphinx makes
by itself (indices, search, listings of the source) are left out: a reader who
searches the web wants the page that explains, not the one that lists.
"""

from pathlib import Path
from xml.sax.saxutils import escape

SITEMAP = """<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}
</urlset>
"""


def write_site_files(app, exception):
    if exception or app.builder.name != "html":
        return
    base = app.config.html_baseurl
    pages = map(app.builder.get_target_uri, sorted(app.env.found_docs))
    urls = "\n".join(f"  <url><loc>{escape(base + page)}</loc></url>" for page in pages)
    site = Path(app.outdir)
    (site / "sitemap.xml").write_text(SITEMAP.format(urls), encoding="utf-8")
    robots = f"User-agent: *\nAllow: /\n\nSitemap: {base}sitemap.xml\n"
    (site / "robots.txt").write_text(robots, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write_site_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
