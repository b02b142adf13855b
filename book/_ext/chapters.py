"""Number figures, equations and theorems by chapter, and no heading below it.

Sphinx numbers every section of a chapter, and so would the menu. A number
that readers cite needs the chapter alone: equation (7.3). A page below a
chapter has no number of its own, and counts on where the chapter ends.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.environment.collectors.toctree import TocTreeCollector

NUMBER = re.compile(r'<span class="section-number">.*?</span>')


def number_chapters(app):
    """Let every collector of numbers, ours or an extension's, do as below."""
    for kind in (TocTreeCollector, *TocTreeCollector.__subclasses__()):
        kind.assign_section_numbers = assign


def assign(self, env):
    """Give numbers to chapters; return the pages whose numbers are new."""
    old = env.toc_secnumbers
    env.toc_secnumbers = {}
    for title in env.titles.values():
        title.attributes.pop("secnumber", None)
    chapter = 0
    root = env.get_doctree(env.config.root_doc)
    for tree in root.findall(addnodes.toctree):
        for _, name in tree["entries"] if tree.get("numbered") else []:
            chapter += 1
            env.titles[name]["secnumber"] = [chapter]
            first = next(env.tocs[name].findall(nodes.reference))
            first["secnumber"] = [chapter]
            for page in below(env, name):
                env.toc_secnumbers[page] = {"": (chapter,)}
    pages = old.keys() | env.toc_secnumbers.keys()
    return [name for name in pages if old.get(name) != env.toc_secnumbers.get(name)]


def below(env, name):
    """A page and all that the menu has below it."""
    yield name
    for page in env.toctree_includes.get(name, []):
        yield from below(env, page)


def number_titles_alone(app, pagename, templatename, context, doctree):
    """Take the chapter's number from all headings but a chapter's title."""
    body = context.get("body", "")
    title = app.env.titles.get(pagename, {})
    head, end, rest = body.partition("</h1>")
    if not title.get("secnumber"):
        head = NUMBER.sub("", head)
    context["body"] = head + end + NUMBER.sub("", rest)


def setup(app):
    app.connect("builder-inited", number_chapters, priority=900)
    app.connect("html-page-context", number_titles_alone)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
