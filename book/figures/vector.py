"""Line figures as vectors: a notebook stores a figure as SVG where that is small."""

import re
from importlib import import_module

import matplotlib
from IPython import get_ipython
from IPython.core.pylabtools import print_figure
from matplotlib.figure import Figure

__all__ = ["vector_figures"]

LARGEST = 60_000  # bytes; what has more points is stored as dots
NAMELESS = dict.fromkeys(["Creator", "Date", "Format", "Type"])  # two runs give the same bytes
STYLE = {
    "svg.fonttype": "none",  # text stays text, in the type of the page
    "svg.hashsalt": "rnmf_tutorial",
}


def vector_figures():
    """Let the notebook that calls this store figures as SVG where that is small, else as PNG."""
    shell = get_ipython()
    if shell is None or "inline" not in matplotlib.get_backend():
        return
    import_module("matplotlib_inline.backend_inline")  # sets its own formats, once
    formatters = shell.display_formatter.formatters
    formatters["image/svg+xml"].for_type(Figure, small_svg)
    formatters["image/png"].for_type(Figure, png_of_the_rest)


def small_svg(figure):
    """Return a figure as SVG, or None if it holds pictures or too many points."""
    with matplotlib.rc_context(STYLE):
        svg = print_figure(figure, "svg", metadata=NAMELESS)
    if svg is None or "<image" in svg:  # None: there are no axes
        return None
    svg = lean(svg)
    return svg if len(svg) <= LARGEST else None


def lean(svg):
    """Leave out what a page gives anyway, and digits that nobody sees."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<defs>\s*<style.*?</defs>", "", svg, count=1, flags=re.DOTALL)
    svg = svg.replace("<svg ", '<svg stroke-linejoin="round" ', 1)
    svg = re.sub(r"'DejaVu Sans', .*?sans-serif", "sans-serif", svg)
    svg = re.sub(r' transform="rotate\(-?0 [^"]*"', "", svg)
    digits = re.compile(r"(\.\d\d)\d+")
    return re.sub(r' (d|x|y|points)="[^"]*"', lambda path: digits.sub(r"\1", path[0]), svg)


def png_of_the_rest(figure):
    """Return a figure as PNG, or None if it is stored as SVG."""
    return None if small_svg(figure) else print_figure(figure, "png", base64=True)
