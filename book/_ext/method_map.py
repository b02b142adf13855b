"""The directive ``method-map``: every estimator at its place, drawn as SVG.

``MODELS`` is the map; a test holds it against the package. The drawing stands
in the page, so that its links work and its colors follow the theme, and
beside the page as a file to take along.
"""

from html import escape
from math import log1p
from pathlib import Path
from typing import ClassVar, NamedTuple

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

FILE = "method-map.svg"


class Model(NamedTuple):
    """A class: what a large error costs, who shares a weight, and so on."""

    name: str
    cost: str  # a key of COSTS
    shares: str  # "nothing", or a key of SHARES
    steps: str  # signs of STEPS, the default first
    page: str  # that derives or uses it
    more: str = ""  # what is added, and which other divergence there is


MODELS = [
    Model("NMF", "square", "nothing", "↓×", "nmf", "or KL"),
    Model("NeNMF", "square", "nothing", "∇", "truncated_cauchy"),
    Model(
        "RegularizedNMF",
        "square",
        "nothing",
        "○",
        "sparse_basis",
        "+ sparse basis",
    ),
    Model(
        "LocalNMF",
        "square",
        "nothing",
        "×",
        "sparse_basis",
        "KL + small parts",
    ),
    Model(
        "SupervisedNMF",
        "square",
        "nothing",
        "×",
        "supervised",
        "+ label graph",
    ),
    Model(
        "ManifoldDiscriminativeNMF",
        "square",
        "nothing",
        "×",
        "supervised",
        "KL + label graph",
    ),
    Model(
        "L1RobustNMF",
        "square",
        "sample",
        "↓×",
        "l2_l1_l21",
        "an error matrix",
    ),
    Model("L1NMF", "size", "entry", "∇", "l2_l1_l21"),
    Model(
        "RobustNMF", "size", "entry", "↓×", "robust_nmf", "an error matrix"
    ),
    Model(
        "HuberNMF", "size", "entry", "↓×", "truncated_cauchy_theory", "or KL"
    ),
    Model(
        "HypersurfaceNMF",
        "size",
        "entry",
        "↓×",
        "truncated_cauchy_theory",
        "or KL",
    ),
    Model("L21NMF", "size", "sample", "↓×", "l2_l1_l21", "or feature"),
    Model(
        "RobustManifoldNMF",
        "size",
        "sample",
        "×",
        "supervised",
        "+ neighbor graph",
    ),
    Model(
        "CauchyNMF", "logarithm", "entry", "↓×", "truncated_cauchy", "or KL"
    ),
    Model(
        "CIMNMF", "ceiling", "entry", "↓×", "truncated_cauchy_theory", "or KL"
    ),
    Model("CSNMF", "ceiling", "entry", "×", "supervised", "+ label graph"),
    Model("TruncatedCauchyNMF", "ceiling", "entry", "↓∇", "truncated_cauchy"),
    Model(
        "CappedNMF",
        "ceiling",
        "sample",
        "↓×",
        "truncated_cauchy_theory",
        "or feature",
    ),
    Model(
        "MCCGR", "ceiling", "sample", "×", "supervised", "feature, + graph"
    ),
    Model("WindowNMF", "ceiling", "window", "↓", "behind_the_block"),
]
CHOOSER = "MaskedSearchCV"  # tries some of them
COSTS = {  # against an error of -1 to 1, drawn; and in words
    "square": (lambda e: e * e, "its square:", "pulls ever harder"),
    "size": (lambda e: 0.75 * abs(e), "its size:", "pulls no harder"),
    "logarithm": (
        lambda e: 0.13 * log1p(100 * e * e),
        "its logarithm:",
        "pulls ever less",
    ),
    "ceiling": (
        lambda e: 0.42 * e * e / (e * e + 0.02),
        "at most a ceiling:",
        "is forgotten",
    ),
}
SHARES = {  # the cells of a grid of 4 × 4 that share a weight
    "entry": ("an entry", lambda i, j: (i, j) == (1, 2)),
    "sample": ("a sample", lambda i, j: j == 2),
    "window": ("a window", lambda i, j: i in (1, 2) and j in (1, 2)),
}
STEPS = {
    "↓": "coordinate descent",
    "×": "multiplicative",
    "∇": "Nesterov's gradient",
    "○": "gradient on a sphere",
}
CHAPTERS = {  # a mark for each, in the order of the book
    "nmf": "NMF",
    "robust_nmf": "Robust NMF",
    "l2_l1_l21": "L2, L1, L2,1",
    "sparse_basis": "Sparse basis",
    "truncated_cauchy": "Truncated Cauchy",
    "supervised": "Labels and graphs",
    "behind_the_block": "this book's own",
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

CHIP, GAP, MARGIN = 36, 6, 12  # heights
PLAIN, HEAD = (0, 216), (224, 110)  # x and width
COLUMNS = {"entry": (334, 170), "sample": (510, 170), "window": (686, 116)}
WIDTH, TOP = 802, 78
NARROW = 360
HALVES = {"entry": (6, 171), "sample": (183, 171), "window": (183, 171)}


def text(x, y, words, kind="", anchor="start"):
    return (
        f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )


def box(x, y, width, height, kind, round_=6):
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
        f'rx="{round_}" class="{kind}"/>'
    )


def chapter_of(page):
    """The key of the chapter that a page belongs to."""
    return next(key for key in CHAPTERS if page.startswith(key))


def mark(page):
    """The letter of a chapter; the book numbers its chapters otherwise."""
    return "ABCDEFG"[list(CHAPTERS).index(chapter_of(page))]


def chip(model, x, y, width, link):
    """A model: its name, what is added, its steps, and its chapter's mark."""
    letter, title = mark(model.page), CHAPTERS[chapter_of(model.page)]
    said = f"{model.more} · {model.steps}" if model.more else model.steps
    right = x + width - 15
    reference = link(f"api/models/{model.name}")
    return (
        f'<a href="{reference}" data-model="{model.name}">'
        + box(x, y, width, CHIP, "chip")
        + text(x + 8, y + 15, model.name, "name")
        + text(x + 8, y + 29, said, "small")
        + f'</a><a href="{link(model.page)}" aria-label="{title}">'
        + f'<circle cx="{right}" cy="{y + CHIP - 11}" r="8" class="mark"/>'
        + text(right, y + CHIP - 7.5, letter, "small", "middle")
        + "</a>"
    )


def grid(x, y, chosen, kind="orange"):
    """Four by four cells, the chosen ones in color."""
    return "".join(
        box(x + 9 * j, y + 9 * i, 8, 8, kind if chosen(i, j) else "pale", 1)
        for i in range(4)
        for j in range(4)
    )


def curve(x, y, bent):
    """A cost against the error from -1 to 1, in a box of 44 by 30."""
    places = [k / 12 - 1 for k in range(25)]

    def path(f, kind):
        at = (
            f"{x + 22 + 22 * e:.1f} {y + 30 - 30 * f(e):.1f}" for e in places
        )
        return f'<path class="{kind}" d="M{"L".join(at)}"/>'

    ground = f'<path class="axis" d="M{x} {y + 30}h44"/>'
    return ground + path(COSTS["square"][0], "axis") + path(bent, "pen")


def draw(link):
    """The map as SVG; ``link`` turns the name of a page into an address."""
    parts, y = [], TOP
    parts += [
        text(PLAIN[0] + 8, 18, "Every entry counts alike", "name"),
        grid(PLAIN[0] + 8, 30, lambda i, j: True, "blue"),
        text(PLAIN[0] + 52, 44, "no weights:", "small"),
        text(PLAIN[0] + 52, 58, "plain NMF and its terms", "small"),
        text(HEAD[0] + 8, 44, "What a large"),
        text(HEAD[0] + 8, 60, "error costs"),
        text(
            COLUMNS["entry"][0],
            18,
            "Weights: which entries share one?",
            "name",
        ),
    ]
    for key, (x, _) in COLUMNS.items():
        words, chosen = SHARES[key]
        parts += [grid(x, 30, chosen), text(x + 46, 52, words)]
    for cost, (bent, *words) in COSTS.items():
        cells = {
            key: [m for m in MODELS if (m.cost, m.shares) == (cost, key)]
            for key in COLUMNS
        }
        high = max(map(len, cells.values())) * (CHIP + GAP) - GAP
        high = max(high, 62)
        parts += [
            box(HEAD[0], y, WIDTH - HEAD[0], high + MARGIN, "area"),
            curve(HEAD[0] + 10, y + 6, bent),
            text(HEAD[0] + 8, y + 52, words[0], "small"),
            text(HEAD[0] + 8, y + 64, words[1], "small"),
        ]
        for key, models in cells.items():
            x, width = COLUMNS[key]
            for k, model in enumerate(models):
                at = y + MARGIN / 2 + k * (CHIP + GAP)
                parts.append(chip(model, x, at, width - 6, link))
        y += high + MARGIN + GAP
    parts.append(box(PLAIN[0], TOP, PLAIN[1], y - TOP - GAP, "area"))
    plain = [m for m in MODELS if m.shares == "nothing"]
    for k, model in enumerate(plain):
        at = TOP + MARGIN / 2 + k * (CHIP + GAP)
        parts.append(chip(model, PLAIN[0] + 6, at, PLAIN[1] - 12, link))
    parts.append(chooser(PLAIN[0] + 6, y - GAP - 72, PLAIN[1] - 12, link))
    y += 14
    steps = "   ".join(f"{sign} {words}" for sign, words in STEPS.items())
    parts.append(
        text(8, y, f"Steps:   {steps}   (the default first)", "small")
    )
    x, y = 8, y + 22
    for page, title in CHAPTERS.items():
        parts.append(legend(page, x, y, link))
        x += 40 + 5.9 * len(title)
    return picture("wide", WIDTH, y + 12, [f"<style>{STYLE}</style>", *parts])


def draw_narrow(link):
    """The same map for a phone: the rows below one another."""
    ordered = sorted(
        (m for m in MODELS if m.shares == "nothing"),
        key=lambda m: len(m.name),
    )
    parts = [
        grid(8, 6, lambda i, j: True, "blue"),
        text(52, 20, "Every entry counts alike", "name"),
        text(52, 36, "no weights: plain NMF and its terms", "small"),
        box(0, 52, NARROW, 3 * (CHIP + GAP) + GAP, "area"),
    ]
    for k, model in enumerate(ordered):  # the long names at the right
        x, width = (6, 138) if k < 3 else (150, 204)
        parts.append(chip(model, x, 58 + k % 3 * (CHIP + GAP), width, link))
    y = 58 + 3 * (CHIP + GAP) + 24
    parts.append(text(8, y, "Weights: which entries share one?", "name"))
    for share in ("entry", "sample"):
        words, chosen = SHARES[share]
        x = HALVES[share][0]
        parts += [grid(x, y + 10, chosen), text(x + 46, y + 32, words)]
    y += 56
    for cost, (bent, *words) in COSTS.items():
        top, y = y, y + 48
        parts += [
            curve(10, top + 8, bent),
            text(66, top + 21, "A large error costs " + words[0][:-1] + ","),
            text(66, top + 36, "and " + words[1], "small"),
        ]
        cells = {
            share: [m for m in MODELS if (m.cost, m.shares) == (cost, share)]
            for share in HALVES
        }
        alone = cells.pop("window")
        for share, models in cells.items():
            for k, model in enumerate(models):
                at = y + k * (CHIP + GAP)
                parts.append(chip(model, *place(share, at), link))
        y += max(map(len, cells.values())) * (CHIP + GAP)
        for model in alone:
            words, chosen = SHARES["window"]
            parts += [
                grid(72, y, chosen),
                text(118, y + 22, words),
                chip(model, *place("window", y), link),
            ]
            y += CHIP + GAP
        parts.insert(0, box(0, top, NARROW, y - top, "area"))
        y += GAP
    parts.append(chooser(6, y, NARROW - 12, link))
    y += 90
    parts.append(text(8, y, "Steps, the default first:", "small"))
    for k, (sign, words) in enumerate(STEPS.items()):
        x, at = 8 + k % 2 * 177, y + 18 * (1 + k // 2)
        parts.append(text(x, at, f"{sign} {words}", "small"))
    y += 64
    for k, page in enumerate(CHAPTERS):
        parts.append(legend(page, 8 + k % 2 * 177, y + 22 * (k // 2), link))
    return picture("narrow", NARROW, y + 22 * 4 - 8, parts)


def place(share, y):
    """Where a chip of the narrow drawing stands, and how wide it is."""
    x, width = HALVES[share]
    return x, y, width


def chooser(x, y, width, link):
    """The box of the search."""
    lines = (
        "hides entries, tries models of",
        "this map, and keeps the one that",
        "restores them best",
    )
    says = [
        text(x + 8, y + 33 + 13 * k, line, "small")
        for k, line in enumerate(lines)
    ]
    return (
        f'<a href="{link(f"api/models/{CHOOSER}")}" data-model="{CHOOSER}">'
        + box(x, y, width, 66, "chip")
        + text(x + 8, y + 17, CHOOSER, "name")
        + "".join(says)
        + "</a>"
    )


def legend(page, x, y, link):
    """The mark of a chapter, and its name."""
    return (
        f'<a href="{link(page)}">'
        f'<circle cx="{x + 8}" cy="{y - 4}" r="8" class="mark"/>'
        + text(x + 8, y - 0.5, mark(page), "small", "middle")
        + text(x + 20, y, CHAPTERS[page], "small")
        + "</a>"
    )


def picture(kind, width, height, parts):
    return (
        f'<svg class="map {kind}" xmlns="http://www.w3.org/2000/svg" '
        f'role="group" viewBox="0 0 {width} {height:g}" '
        f'aria-label="Map of the methods">{"".join(parts)}</svg>'
    )


class MethodMap(SphinxDirective):
    """The drawing; the body of the directive is its caption."""

    has_content = True
    option_spec: ClassVar = {}

    def run(self):
        here, builder = self.env.docname, self.env.app.builder

        def link(page):
            return builder.get_relative_uri(here, f"book/{page}")

        both = draw(link) + draw_narrow(link)
        html = f'<div class="method-map">{both}</div>'
        figure = nodes.figure("", nodes.raw("", html, format="html"))
        self.set_source_info(figure)
        text = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, text)
        figure += nodes.caption("", "", *text.children[0].children)
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
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
