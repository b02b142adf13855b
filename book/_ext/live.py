"""Figures that compute in the page: the directive ``live`` and its scripts.

``{live} pull`` stands for a still picture with its text; with ``:hero:`` it
opens its page, and is wider. With ``:plain:`` the figure ``sweep`` has no menu of
weights, for a page that has not explained them. The body of the directive is that text; without
one it is that of `live.toml`. Where scripts run, ``_static/live/pull.js``
puts the live figure in the picture's place. Only pages that have such a
figure load its scripts and its style.
"""

import re
import tomllib
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

ARITHMETIC = "live/nmf.js"
FRAME = "live/live.js"
STILL = (
    "<noscript><p>This is a picture of a figure that you can play with. It "
    "computes in your browser, by a script; here scripts are off.</p>"
    "</noscript>"
)
#: Figure -> the alternative text of its still picture, and the text below it.
WORDS = tomllib.loads(Path(__file__).with_name("live.toml").read_text(encoding="utf-8"))
MARK = re.compile(rf'<figure class="[^"]*\blive-({"|".join(WORDS)})\b')


class Live(SphinxDirective):
    """A still picture with its text, and the name of the live figure."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "name": str,
        "hero": directives.flag,
        "plain": directives.flag,
    }

    def run(self):
        name = self.arguments[0]
        if name not in WORDS:
            raise self.error(f"no live figure {name}: use {', '.join(WORDS)}")
        picture = nodes.image(
            uri=f"/book/_static/live/{name}.png", alt=WORDS[name]["alt"]
        )
        classes = ["live", f"live-{name}"]
        if "hero" in self.options:
            classes.append("live-hero")
        if "plain" in self.options:
            classes.append("live-plain")
        figure = nodes.figure("", picture, classes=classes)
        self.set_source_info(figure)
        default = [nodes.paragraph("", WORDS[name]["text"])]
        first, *others = self.parse_content_to_nodes() if self.content else default
        figure += nodes.caption("", "", *first.children)
        if others:
            figure += nodes.legend("", *others)
        self.add_name(figure)
        return [figure, nodes.raw("", STILL, format="html")]


def add_scripts(app, pagename, templatename, context, doctree):
    names = MARK.findall(context.get("body", ""))
    if not names:
        return
    app.add_css_file("live/live.css")
    for script in (
        ARITHMETIC,
        FRAME,
        *(f"live/{name}.js" for name in dict.fromkeys(names)),
    ):
        app.add_js_file(script, loading_method="defer")


def setup(app):
    app.add_directive("live", Live)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
