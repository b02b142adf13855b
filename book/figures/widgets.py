"""Controls that switch precomputed pictures in the built page, where no kernel runs."""

import base64
import html
import io
from collections.abc import Sequence
from typing import NamedTuple

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
from ipywidgets.widgets.widget_string import HTMLStyle
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from PIL import Image

__all__ = ["Frame", "frame_picture", "pixel_png", "static_chooser", "static_slider"]

DENSITY = 2  # dots of a frame for each that a page shows it with


class Frame(NamedTuple):
    """One stop of a chooser: a picture, its alternative text, and what stands below.

    Parameters
    ----------
    picture : bytes
        An image file, as :func:`frame_picture` or :func:`pixel_png` gives it.
    alt : str
        What the picture shows, for readers who cannot see it.
    text : str, default=""
        HTML below the picture.

    Examples
    --------
    >>> Frame(b"", alt="a face").text
    ''
    """

    picture: bytes
    alt: str
    text: str = ""  # HTML


def frame_picture(figure: Figure, *, colors: int = 64) -> bytes:
    """Render a figure as a small image file for a slider, and close it.

    It has two dots for each that a page shows it with, 192 to the inch, and is a
    lossless WebP, a fifth smaller than a PNG.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure; no longer shown afterwards.
    colors : int, default=64
        Size of the palette; a small one makes a small file.

    Returns
    -------
    bytes

    Examples
    --------
    >>> frame_picture(plt.figure(figsize=(1, 1)))[8:12]
    b'WEBP'
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DENSITY * 96, facecolor="white")
    plt.close(figure)
    few = {"colors": colors, "dither": Image.Dither.NONE}
    few |= {
        "method": Image.Quantize.MAXCOVERAGE,
        "kmeans": 1,
    }  # thin lines keep their color
    picture = Image.open(buffer).convert("RGB").quantize(**few)
    return _file(picture.convert("RGB"), "webp", lossless=True, quality=100)


def _file(picture, kind, **options):
    buffer = io.BytesIO()
    picture.save(buffer, format=kind, **options)
    return buffer.getvalue()


def pixel_png(images: ArrayLike, *, levels: int = 16) -> bytes:
    """Join gray images from left to right into a PNG with one pixel for each of theirs.

    A page scales it up (``static_chooser(..., pixelated=True)``), so that a row of
    faces takes one or two kilobytes.

    Parameters
    ----------
    images : array-like of shape (n, height, width)
        In [0, 1]: 0 is black, 1 is white; what lies outside is clipped.
    levels : int, default=16
        Number of gray levels, at most 256.

    Returns
    -------
    bytes

    Examples
    --------
    >>> import io
    >>> from PIL import Image
    >>> Image.open(io.BytesIO(pixel_png([[[0.0, 1.0]], [[0.5, 0.5]]]))).size
    (4, 1)
    """
    row = np.hstack([np.clip(image, 0, 1) for image in images])
    picture = Image.fromarray(np.rint(row * (levels - 1)).astype(np.uint8), mode="P")
    grays = np.rint(np.linspace(0, 255, levels)).astype(np.uint8)
    picture.putpalette(np.repeat(grays, 3).tobytes())
    return _file(picture, "png", optimize=True, bits=max(1, (levels - 1).bit_length()))


class _Box(widgets.VBox):
    """A box that shows its first picture where no widgets are shown."""

    fallback = b""

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        picture = Image.open(io.BytesIO(self.fallback)).convert("RGB").quantize(256)
        bundle["image/png"] = base64.b64encode(
            _file(picture, "png", optimize=True)
        ).decode()
        return bundle


def static_chooser(
    frames: list,
    controls: dict[str, list[str]],
    *,
    start: Sequence[int] | None = None,
    pixelated: bool = False,
) -> widgets.VBox:
    """Return controls that switch precomputed pictures in the browser.

    Each control is a list to choose from, but the last one, whose stops are in order,
    is a slider. The pictures and the links between controls and pictures are stored
    with the notebook, so that the controls work in the built page too.

    Parameters
    ----------
    frames : nested list of Frame
        ``frames[i][j]`` belongs to stop i of the first control and stop j of the
        second, and so on for any number of controls.
    controls : dict of str to list of str
        Name of each control, what it shows at its stops.
    start : sequence of int, optional
        The stop of each control to begin at; the first by default.
    pixelated : bool, default=False
        Scale the pictures up to the width of the page, their pixels as squares.
        Otherwise a picture is shown with two of its dots to one of the page, as
        :func:`frame_picture` draws.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    ValueError
        If a control has fewer than two stops, or the frames do not match the controls.

    Examples
    --------
    >>> frames = [[Frame(pixel_png([[[v, w]]]), alt=f"{v}, {w}") for w in (0, 1)] for v in (0, 1)]
    >>> box = static_chooser(frames, {"left": ["dark", "bright"], "right": ["dark", "bright"]})
    >>> [type(child).__name__ for child in box.children]
    ['Dropdown', 'SelectionSlider', 'Stack']
    """
    start = tuple(start or [0] * len(controls))
    *lists, slider = (
        _control(kind, name, stops, stop)
        for kind, (name, stops), stop in zip(
            [widgets.Dropdown] * (len(controls) - 1) + [widgets.SelectionSlider],
            controls.items(),
            start,
            strict=True,
        )
    )
    wide = {"width": "100%", "max_width": "640px"} if pixelated else {}
    shared = {
        "layout": widgets.Layout(**wide),
        "style": HTMLStyle(),
    }  # one state for all pages
    pictures = _pages(frames, [*lists, slider], start, pixelated, shared)
    box = _Box([*lists, slider, pictures])
    for stop in start:
        frames = frames[stop]
    box.fallback = frames.picture
    return box


def _control(kind, name, stops, start):
    if len(stops) < 2:
        raise ValueError(f"{name!r} has {len(stops)} stops: give at least two.")
    return kind(
        options=[(str(stop), k) for k, stop in enumerate(stops)],
        index=start,
        description=name,
        layout=widgets.Layout(width="100%", max_width="520px"),
    )


def _pages(frames, controls, start, pixelated, shared):
    """Return the frames as pages, stacks of pages, stacks of these …, one for each control."""
    if not controls:
        if not isinstance(frames, Frame):
            raise ValueError(
                "The frames are nested more deeply than there are controls."
            )
        return widgets.HTML(_img(frames, pixelated) + frames.text, **shared)
    control, *others = controls
    stops = control.options
    if isinstance(frames, Frame) or len(frames) != len(stops):
        found = "one frame" if isinstance(frames, Frame) else f"{len(frames)} frames"
        raise ValueError(
            f"{found} for the {len(stops)} stops of {control.description!r}."
        )
    stack = widgets.Stack(
        [_pages(inner, others, start[1:], pixelated, shared) for inner in frames],
        selected_index=start[0],
        layout=shared["layout"],
    )
    widgets.jslink((control, "index"), (stack, "selected_index"))
    return stack


def _img(frame, pixelated):
    """Return a frame as HTML, with its size, so that nothing jumps when it comes."""
    picture = Image.open(io.BytesIO(frame.picture))
    width, height = (n if pixelated else round(n / DENSITY) for n in picture.size)
    style = "width:100%;image-rendering:pixelated" if pixelated else "max-width:100%"
    code = base64.b64encode(frame.picture).decode()
    return (
        f'<img alt="{html.escape(frame.alt, quote=True)}" width="{width}" height="{height}" '
        f'style="{style};height:auto" src="data:image/{picture.format.lower()};base64,{code}">'
    )


def static_slider(
    frames: list[bytes],
    values: list[str],
    *,
    description: str,
    alts: list[str],
    start: int = 0,
) -> widgets.VBox:
    """Return a slider that switches precomputed pictures: a chooser with one control.

    Parameters
    ----------
    frames : list of bytes
        Image files, as :func:`frame_picture` gives them.
    values : list of str
        What the slider shows at each stop.
    description : str
        Name of the parameter.
    alts : list of str
        What each picture shows, for readers who cannot see it.
    start : int, default=0
        The stop to begin at.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    ValueError
        If the lists differ in length or hold fewer than two stops.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> frames = [frame_picture(plt.figure(figsize=(1, 1))) for _ in range(2)]
    >>> box = static_slider(frames, ["0.1", "1"], description="λ", alts=["low", "high"])
    >>> len(box.children)
    2
    """
    if not len(frames) == len(values) == len(alts) >= 2:
        raise ValueError(
            f"{len(frames)} frames, {len(values)} values and {len(alts)} alternative texts: "
            "give one of each for every stop, and at least two stops."
        )
    pages = [Frame(frame, alt) for frame, alt in zip(frames, alts, strict=True)]
    return static_chooser(pages, {description: values}, start=[start])
