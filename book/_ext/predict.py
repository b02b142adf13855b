"""A question before its answer: the directive ``predict``.

Its body is the question, then with choices in place of ``:number:`` a list of them,
each with what there is to say to it after a bar, then a line ``---`` and what is true
and why. In a notebook the metadata of a cell hold the key (see
``tools/rnmf_book/questions.py``). Without script the answer waits in a fold;
``predict.js`` makes a form of it. In print the answer is shown.
"""

import sys
from pathlib import Path
from typing import ClassVar

import nbformat
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

from rnmf_book.questions import PLUS_MINUS, number, question, said_of, with_keys


class Tag(nodes.General, nodes.Element):
    """An element of the page: its name in ``tag``, the rest in ``says``."""


def open_tag(self, node):
    self.body.append(self.starttag(node, node["tag"], **node["says"]))


def close_tag(self, node):
    self.body.append(f"</{node['tag']}>\n")


def tag(name, kind, *children, **says):
    says = {key.replace("_", "-"): value for key, value in says.items()}
    return Tag("", *children, tag=name, classes=[f"predict{kind}"], says=says)


class Predict(SphinxDirective):
    """A question, and in a fold its answer."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {
        "name": directives.unchanged,
        "number": directives.unchanged,
    }

    def run(self):
        given = self.options.get("number")
        name = self.options.get("name")
        if not (name or "").startswith("predict-"):
            raise self.error("predict: give it a :name: predict-…")
        try:
            key = None if given is None else number(given)
            asked = question(self.content, key is not None)
        except ValueError as error:
            raise self.error(f"{name}: {error}") from error
        title = tag("p", "-title", *self.line(self.arguments[0]))
        title["ids"] = [f"{nodes.make_id(name)}-title"]
        box = tag(
            "div",
            "",
            title,
            *self.parse(asked.text),
            role="group",
            aria_labelledby=title["ids"][0],
        )
        fold = tag("details", "-answer", tag("summary", "-show", nodes.Text("Answer")))
        if key:
            fold += tag("p", "-key", nodes.Text(said_of(given)))
            box["says"] |= {
                "data-number": f"{key[0]:.12g}",
                "data-within": f"{key[1]:.12g}",
                "data-shown": PLUS_MINUS.split(given)[0].strip(),
            }
        else:
            box += tag(
                "ul",
                "-choices",
                *(tag("li", "-choice", *self.line(x.text)) for x in asked.choices),
            )
            fold += tag("ul", "-reasons", *map(self.reason, asked.choices))
        fold += self.parse(asked.answer)
        box += fold
        self.set_source_info(box)
        self.add_name(box)
        return [box]

    def reason(self, choice):
        mark = "✓ " if choice.right else "✗ "
        return tag(
            "li",
            "-right" if choice.right else "-wrong",
            nodes.Text(mark),
            nodes.emphasis("", "", *self.line(choice.text)),
            nodes.Text(" "),
            tag("span", "-why", *self.line(choice.why)),
        )

    def parse(self, lines):
        return self.parse_text_to_nodes(StringList(lines, self.get_source_info()[0]))

    def line(self, text):
        """The words of one line; a link has to stand in a text element."""
        words = [word for part in self.parse([text]) for word in part.children]
        return [nodes.inline("", "", *words)]


def put_keys(app, docname, source):
    if app.env.doc2path(docname).endswith(".ipynb"):
        source[0] = nbformat.writes(with_keys(nbformat.reads(source[0], as_version=4)))


def add_files(app, pagename, templatename, context, doctree):
    if 'class="predict"' in context.get("body", ""):
        app.add_css_file("predict.css")
        app.add_js_file("predict.js", loading_method="defer")


def setup(app):
    app.add_node(Tag, html=(open_tag, close_tag))
    app.add_directive("predict", Predict)
    app.connect("source-read", put_keys)
    app.connect("html-page-context", add_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
