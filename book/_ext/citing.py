"""Say how to cite the book, the package, a paper, and the page one reads.

``{bibtex} lee1999 lee2001`` shows these entries of the bibliography;
``{bibtex} book`` and ``{bibtex} package`` show what CITATION.cff says. Every
page of the book ends with its own citation.
"""

import re
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ENTRY = re.compile(r"^@\w+\{(\w+),.*?^\}$", re.M | re.S)


def citation(app):
    """What CITATION.cff says."""
    path = Path(app.srcdir, "CITATION.cff")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def names(cff):
    """The authors, each with the family name last."""
    people = cff["authors"]
    return [p.get("name") or f"{p['given-names']} {p['family-names']}" for p in people]


def year(cff):
    """The year of the release, or that there is none yet."""
    released = cff.get("date-released")
    return str(released)[:4] if released else "unreleased"


def own_entry(kind, cff, title):
    """An entry for the book or for the package."""
    fields = {
        "author": " and ".join(
            f"{{{name}}}" if "name" in author else name
            for name, author in zip(names(cff), cff["authors"], strict=True)
        ),
        "title": title if kind == "book" else cff["title"],
        "year": year(cff),
        "version": cff["version"],
        "url": cff["url"] if kind == "book" else cff["repository-code"],
    }
    if kind == "package" and "doi" in cff:
        fields["doi"] = cff["doi"]
    lines = [f"  {name:7} = {{{text}}}" for name, text in fields.items()]
    name = {"book": "rnmf_book", "package": "rnmf_tutorial"}[kind]
    what = {"book": "book", "package": "software"}[kind]
    return f"@{what}{{{name},\n" + ",\n".join(lines) + "\n}"


class BibTeX(SphinxDirective):
    """Entries to copy."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        path = Path(self.env.srcdir, "book", "references.bib")
        self.env.note_dependency(str(path))
        text = path.read_text(encoding="utf-8")
        entries = {match[1]: match[0] for match in ENTRY.finditer(text)}
        cff = citation(self.env.app)
        title = self.config.project
        for kind in ("book", "package"):
            entries[kind] = own_entry(kind, cff, title)
        keys = self.arguments[0].split()
        if unknown := [key for key in keys if key not in entries]:
            raise self.error(f"the bibliography lacks {unknown}")
        shown = "\n\n".join(entries[key] for key in keys)
        return [nodes.literal_block(shown, shown, language="bibtex")]


def cite_page(app, pagename, templatename, context, doctree):
    """End a page of the book with its citation."""
    if doctree is None or not pagename.startswith("book/"):
        return
    cff = citation(app)
    title = re.sub("<[^>]*>", "", context["title"])
    address = app.config.html_baseurl + app.builder.get_target_uri(pagename)
    book = escape(app.config.project)
    authors = escape(", ".join(names(cff)))
    context["body"] += (
        f'<p class="cite-page">Cite this page: {authors}, '
        f"“{title}”, in <cite>{book}</cite>, version {cff['version']}, "
        f"{escape(address)}. "
        f'<a href="{context["pathto"]("book/cite")}">BibTeX</a></p>\n'
    )


def setup(app):
    app.add_directive("bibtex", BibTeX)
    app.connect("html-page-context", cite_page, priority=950)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
