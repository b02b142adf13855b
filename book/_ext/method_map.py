"""The directive ``method-map``: every estimator at its place, drawn as SVG.

The places are computed, by ``studies.places``. The drawing stands in the
page, so that its links work and its colors follow the theme, and beside the
page as a file to take along.
"""

import sys
from html import escape
from math import log1p
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

BOOK = Path(__file__).resolve().parent.parent
if str(BOOK) not in sys.path:
    sys.path.append(str(BOOK))

from studies.places import CHAPTERS, SOLVERS, models  # noqa: E402

FILE = "method-map.svg"
CHOOSER = "MaskedSearchCV"  # tries some of the models
COSTS = {  # against an error from -1 to 1; and in words
    "square": (lambda e: e**2, "its square: influence", "without limit"),
    "size": (lambda e: 0.75 * abs(e), "its size: bounded", "influence"),
    "less": (
        lambda e: 0.13 * log1p(100 * e**2),
        "less than its size:",
        "redescending",
    ),
    "ceiling": (
        lambda e: 0.42 * e**2 / (e**2 + 0.02),
        "at most a maximum:",
        "bounded loss",
    ),
}
SHARES = {  # the cells of a grid of 4 × 4 that share a weight
    "entry": ("an entry", lambda i, j: (i, j) == (1, 2)),
    "sample": ("a sample", lambda i, j: j == 2),
}

STYLE = """
figure:has(.method-map) { width: 100%; max-width: 100%; }
.method-map svg { display: block; width: 100%; height: auto; }
.method-map .narrow { display: none; max-width: 26rem; margin: auto; }
@media screen and (max-width: 799px) {
  .method-map .wide { display: none; }
  .method-map .narrow { display: block; }
}
svg.map { color: #222832; font-family: inherit; font-size: 12px; }
svg.map text { fill: currentColor; }
svg.map .small { font-size: 10.5px; }
svg.map .name { font-weight: 600; fill: #0b5c8f; }
svg.map .blue { fill: #0072b2; }
svg.map .orange { fill: #d55e00; }
svg.map .pale { fill: currentColor; fill-opacity: 0.16; }
svg.map .area { fill: currentColor; fill-opacity: 0.055; }
svg.map .chip { fill: #fff; stroke: currentColor; stroke-opacity: 0.3; }
svg.map .mark { fill: currentColor; fill-opacity: 0.1; }
svg.map .pen { fill: none; stroke: #0072b2; stroke-width: 2.2; }
svg.map .axis { fill: none; stroke: currentColor; stroke-opacity: 0.45; }
svg.map a:is(:hover, :focus) .chip { stroke: #0072b2; stroke-opacity: 1; }
svg.map a { color: inherit; text-decoration: none; }
svg.map a:hover text { text-decoration: underline; }
html[data-theme="dark"] svg.map { color: #ced6dd; }
html[data-theme="dark"] svg.map .name { fill: #7cc0ea; }
html[data-theme="dark"] svg.map .chip { fill: #121212; }
html[data-theme="dark"] svg.map .pen { stroke: #56b4e9; }
html[data-theme="dark"] svg.map .blue { fill: #3d9bd4; }
@media (min-width: 992px) {
  body:has(.method-map) .bd-sidebar-secondary { display: none; }
  body:has(.method-map) .bd-main .bd-content .bd-article-container {
    max-width: 60rem;
  }
}
"""

CHIP, ROW = 36, 42  # heights
# Width, and where in a row its models begin; who shares a weight, with x and
# width of a column; the columns of models without weights.
WIDE = (
    (762, 6),
    {"entry": (196, 276), "sample": (480, 276)},
    [(196, 170), (372, 170), (548, 208)],
)
NARROW = ((360, 56), {"entry": (6, 171), "sample": (183, 171)}, [(6, 138), (150, 204)])


def chapters():
    """The chapters that a model names."""
    named = {model.chapter for model in models()}
    return [chapter for chapter in CHAPTERS if chapter in named]


def text(x, y, words, kind="", anchor="start"):
    place = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
    return f'<text {place} class="{kind}">{escape(words)}</text>'


def box(x, y, width, height, kind, round_=6):
    size = f'width="{width:g}" height="{height:g}" rx="{round_}"'
    return f'<rect x="{x:g}" y="{y:g}" {size} class="{kind}"/>'


def mark(chapter, x, y, link, words=""):
    """The letter of a chapter in a circle; its number is another."""
    letter = "ABCDEFGH"[chapters().index(chapter)]
    return (
        f'<a href="{link(CHAPTERS[chapter])}" aria-label="{escape(chapter)}">'
        f'<circle cx="{x:g}" cy="{y:g}" r="8" class="mark"/>'
        + text(x, y + 3.5, letter, "small", "middle")
        + text(x + 12, y + 4, words, "small")
        + "</a>"
    )


def chip(name, said, x, y, width, link):
    """A model: its name, and what is said of it."""
    return (
        f'<a href="{link(f"api/models/{name}")}" data-model="{name}">'
        f"{box(x, y, width, CHIP, 'chip')}{text(x + 8, y + 15, name, 'name')}"
        f"{text(x + 8, y + 29, said, 'small')}</a>"
    )


def grid(x, y, chosen, kind="orange"):
    """Four by four cells, the chosen ones in color."""
    cells = ((i, j) for i in range(4) for j in range(4))
    return "".join(
        box(x + 9 * j, y + 9 * i, 8, 8, kind if chosen(i, j) else "pale", 1)
        for i, j in cells
    )


def curve(x, y, bent):
    """A cost against the error from -1 to 1, and that of its square."""

    def path(f, kind):
        points = (
            f"{x + 22 + 22 * e:.1f} {y + 30 - 30 * f(e):.1f}"
            for e in (k / 12 - 1 for k in range(25))
        )
        return f'<path class="{kind}" d="M{"L".join(points)}"/>'

    ground = f'<path class="axis" d="M{x} {y + 30}h44"/>'
    return ground + path(COSTS["square"][0], "axis") + path(bent, "pen")


def row(y, size, lines, places, link):
    """Three lines; models at x, with a width, in a row; and where it ends."""
    width, drop = size
    rows = max((k + 1 for *_, k in places.values()), default=0)
    high = max(56, drop + ROW * rows)
    parts = [box(0, y, width, high, "area")]
    for k, line in enumerate(lines):
        parts.append(text(66, y + 18 + 14 * k, line, "small"))
    for model, (x, wide, k) in places.items():
        said = f"{model.more} · {model.solvers}" if model.more else model.solvers
        at = y + drop + ROW * k
        parts.append(chip(model.name, said, x, at, wide, link))
        parts.append(mark(model.chapter, x + wide - 15, at + CHIP - 11, link))
    return parts, y + high + 6


def flow(items, y, width, gap):
    """Words in lines, each with its place; and where the last line is."""
    x = 8
    placed = []
    for words in items:
        need = gap + 5.6 * len(words)
        x, y = (8, y + 22) if x + need > width + gap else (x, y)
        placed.append((x, y, words))
        x += need
    return placed, y


def draw(link, layout=WIDE):
    """The map as SVG; ``link`` turns the name of a page into an address."""
    size, columns, free = layout
    width = size[0]
    plain = [model for model in models() if model.shares == "nothing"]
    high = -(-len(plain) // len(free))
    places = {model: (*free[k // high], k % high) for k, model in enumerate(plain)}
    lines = ("The same weight for", "every entry: plain NMF", "and its extensions")
    parts, y = row(0, size, lines, places, link)
    parts.append(grid(14, 10, lambda i, j: True, "blue"))
    question = "Weights: which entries share one?"
    parts.append(text(8, y + 22, question, "name"))
    for share, (x, _) in columns.items():
        words, chosen = SHARES[share]
        parts += [grid(x + 8, y + 34, chosen), text(x + 54, y + 56, words)]
    y += 80
    for cost, (bent, *lines) in COSTS.items():
        places = {}
        for share, (x, wide) in columns.items():
            here = [
                model
                for model in models()
                if (model.cost, model.shares) == (cost, share)
            ]
            places |= {model: (x, wide, k) for k, model in enumerate(here)}
        parts.append(curve(10, y + 13, bent))
        lines = ["A large error costs", *lines]
        drawn, y = row(y, size, lines, places, link)
        parts[:0] = drawn
    parts.append(chip(CHOOSER, "tries several of these", 6, y, 184, link))
    solvers = [f"{sign} {words}" for sign, (words, _) in SOLVERS.items()]
    solvers = ["Solvers, the default first:", *solvers]
    placed, y = flow(solvers, y + ROW + 18, width, 14)
    parts += [text(x, at, words, "small") for x, at, words in placed]
    placed, y = flow(chapters(), y + 24, width, 38)
    parts += [mark(words, x + 8, at - 4, link, words) for x, at, words in placed]
    kind = "narrow"
    style = ""
    if layout is WIDE:
        kind = "wide"
        style = f"<style>{STYLE}</style>"
    return (
        f'<svg class="map {kind}" xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {width} {y + 12:g}" role="group" '
        f'aria-label="Map of the methods">{style}{"".join(parts)}</svg>'
    )


class MethodMap(SphinxDirective):
    """The drawing; the body of the directive is its caption."""

    has_content = True

    def run(self):
        here = self.env.docname
        builder = self.env.app.builder

        def link(page):
            return builder.get_relative_uri(here, f"book/{page}")

        both = draw(link) + draw(link, NARROW)
        html = f'<div class="method-map">{both}</div>'
        figure = nodes.figure("", nodes.raw("", html, format="html"))
        self.set_source_info(figure)
        (text,) = self.parse_content_to_nodes()
        figure += nodes.caption("", "", *text.children)
        figure["names"].append("fig-map")
        self.state.document.note_explicit_target(figure)
        up = "../" * here.count("/")
        take = (
            f'<p><a href="{up}_static/{FILE}">The map as a file</a> (SVG), '
            "to reprint with the name of this book, CC BY 4.0.</p>"
        )
        return [figure, nodes.raw("", take, format="html")]


def write_file(app, error):
    """Put the map beside the pages, with whole addresses."""
    if error or app.builder.format != "html":
        return
    base = app.config.html_baseurl
    svg = draw(lambda page: f"{base}book/{page}.html")
    Path(app.outdir, "_static", FILE).write_text(svg, encoding="utf-8")


def setup(app):
    app.add_directive("method-map", MethodMap)
    app.connect("build-finished", write_file)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
