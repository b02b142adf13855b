"""Figures as vectors: text stays text, so that a page gives it its type and its theme."""

import re
from importlib import import_module

import matplotlib
from IPython import get_ipython
from IPython.core.pylabtools import print_figure
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import AxLine

__all__ = ["vector_figures"]

LARGEST = 60_000  # bytes of lines; where there are more, what is drawn from data is one picture
NAMELESS = dict.fromkeys(
    ["Creator", "Date", "Format", "Type"]
)  # two runs give the same bytes
STYLE = {
    "svg.fonttype": "none",  # text stays text, in the type of the page
    "svg.hashsalt": "rnmf_tutorial",
    "image.composite_image": False,  # each picture is stored with the pixels that it has
}
PICTURE = re.compile(r"<image .*?/>", re.DOTALL)


def vector_figures():
    """Let the notebook that calls this store figures as SVG."""
    shell = get_ipython()
    if shell is None or "inline" not in matplotlib.get_backend():
        return
    import_module("matplotlib_inline.backend_inline")  # sets its own formats, once
    formatters = shell.display_formatter.formatters
    formatters["image/svg+xml"].for_type(Figure, as_svg)
    formatters["image/png"].pop(Figure, None)


def as_svg(figure):
    """Return a figure as SVG, or None if there are no axes."""
    for picture in figure.findobj(AxesImage):
        picture.set_interpolation("none")  # by SVG: as sharp squares
    svg = drawn(figure)
    if svg and len(PICTURE.sub("", svg)) > LARGEST:
        for ax in figure.axes:
            for artist in (*ax.get_lines(), *ax.collections):
                if not isinstance(artist, AxLine):
                    artist.set_rasterized(True)
        svg = drawn(figure)
    return svg


def drawn(figure):
    """Return what Matplotlib writes, without what a page gives anyway."""
    with matplotlib.rc_context(STYLE):
        svg = print_figure(figure, "svg", metadata=NAMELESS)
    return svg and lean(svg)


def lean(svg):
    """Leave out what a page gives anyway, and digits that nobody sees."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<defs>\s*<style.*?</defs>", "", svg, count=1, flags=re.DOTALL)
    svg = svg.replace("<svg ", '<svg stroke-linejoin="round" ', 1)
    svg = re.sub(r"'DejaVu Sans', .*?sans-serif", "sans-serif", svg)
    svg = re.sub(r' transform="rotate\(-?0 [^"]*"', "", svg)
    svg = svg.replace("base64,\n", "base64,")
    digits = re.compile(r"(\.\d\d)\d+")
    return re.sub(
        r' (d|x|y|points)="[^"]*"', lambda path: digits.sub(r"\1", path[0]), svg
    )
