"""Figures that compute in the page: the directive ``live`` and its scripts.

``{live} pull`` stands for a still picture with its text; with ``:hero:`` it
opens its page, and is wider. The body of the directive is that text; without
one it is the text given here. Where scripts run, ``_static/live/pull.js``
puts the live figure in the picture's place. Only pages that have such a
figure load its scripts and its style.
"""

import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

ARITHMETIC, FRAME = "live/nmf.js", "live/live.js"
STILL = (
    "<noscript><p>This is a picture of a figure that you can play with. It "
    "computes in your browser, by a script; here scripts are off.</p>"
    "</noscript>"
)
ALTS = {
    "pull": (
        "Eight points on a line through the origin, the last of them far "
        "above it. The line of least squares turns up to it, those of the "
        "absolute and of Huber's loss a little, those of Cauchy's loss and "
        "of correntropy stay with the other seven."
    ),
    "sweep": (
        "A matrix of three rows and four columns stands beside its factors, "
        "three by two and two by four. One entry of the second factor is "
        "being updated: its old value times a numerator over a denominator."
    ),
    "workbench": (
        "Toy houses behind white blocks. What NMF makes of them shows gray "
        "ghosts of the blocks; what robust NMF makes of them looks like the "
        "clean houses."
    ),
}
TEXTS = {
    "pull": (
        "Five losses fit the slope of one line to the same eight points. A "
        "string ties the large point to each line, as thick as the weight "
        "that the loss gives the point. Beside it, the losses, their pull "
        "and their weights against the residual e, how far the point lies "
        "above the line; dots mark where it is, triangles where that is "
        "beyond the panel. A small residual costs its square, except under "
        "the absolute loss, which has Huber's outer slope everywhere."
    ),
    "sweep": (
        "A multiplicative update takes every entry of a factor times what "
        "the data X say, over what the product WH says. WH stays as it is "
        "until all entries of H are done; then it is computed anew, and all "
        "entries of W follow. The first row of X is the sum of the other "
        "two, so that two parts fit it exactly. The curve is the objective, "
        "on a logarithmic axis; it starts anew where X is changed."
    ),
    "workbench": (
        "Forty toy houses, each a sum of seven parts, with a white block on "
        "each; what NMF and a robust model make of one of them; the weights "
        "by which the robust model decides what to trust (orange is none); "
        "and the parts that both have learned. The error is the distance "
        "from the clean houses as a part of their size. Among the losses, "
        "windows weigh 5 × 5 neighbors together, and start with one part, to "
        "which another is added after every five sweeps; their scale is the "
        "slider's. WindowNMF begins so, and then leaves patches out."
    ),
}


MARK = re.compile(rf'<figure class="[^"]*\blive-({"|".join(ALTS)})\b')


class Live(SphinxDirective):
    """A still picture with its text, and the name of the live figure."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"name": str, "hero": directives.flag}

    def run(self):
        name = self.arguments[0]
        if name not in ALTS:
            raise self.error(f"no live figure {name}: use {', '.join(ALTS)}")
        picture = nodes.image(uri=f"/book/_static/live/{name}.png", alt=ALTS[name])
        classes = ["live", f"live-{name}"]
        if "hero" in self.options:
            classes.append("live-hero")
        figure = nodes.figure("", picture, classes=classes)
        self.set_source_info(figure)
        text = nodes.Element()
        if self.content:
            self.state.nested_parse(self.content, self.content_offset, text)
        else:
            text += nodes.paragraph(TEXTS[name], TEXTS[name])
        first, *others = text.children
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
    for script in (ARITHMETIC, FRAME, *(f"live/{name}.js" for name in dict.fromkeys(names))):
        app.add_js_file(script, loading_method="defer")


def setup(app):
    app.add_directive("live", Live)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
