"""Sliders that work in the built page, where no kernel runs."""

import base64
import html
import io

import ipywidgets as widgets
import matplotlib.pyplot as plt
from PIL import Image

__all__ = ["frame_png", "static_slider"]


def frame_png(figure, *, dpi=80, colors=64):
    """Render a figure as a small PNG for a slider, and close it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure; no longer shown afterwards.
    dpi : int, default=80
        Resolution, in dots per inch.
    colors : int, default=64
        Size of the palette; a small one makes a small file.

    Returns
    -------
    bytes

    Examples
    --------
    >>> frame_png(plt.figure(figsize=(1, 1)))[1:4]
    b'PNG'
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, facecolor="white")
    plt.close(figure)
    picture = Image.open(buffer).convert("RGB").quantize(colors)
    buffer = io.BytesIO()
    picture.save(buffer, format="png", optimize=True)
    return buffer.getvalue()


class _SliderBox(widgets.VBox):
    """A box that shows its first picture where no widgets are shown."""

    fallback = b""

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        bundle["image/png"] = base64.b64encode(self.fallback).decode()
        return bundle


def static_slider(frames, values, *, description, alts, start=0):
    """Return a slider that switches precomputed pictures in the browser.

    The pictures and the link between slider and picture are stored with the notebook, so that
    the slider moves in the built page too.

    Parameters
    ----------
    frames : list of bytes
        PNG pictures, as :func:`frame_png` gives them.
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
    >>> frames = [frame_png(plt.figure(figsize=(1, 1))) for _ in range(2)]
    >>> box = static_slider(frames, ["0.1", "1"], description="λ", alts=["low", "high"])
    >>> len(box.children)
    2
    """
    if not len(frames) == len(values) == len(alts) >= 2:
        raise ValueError(
            f"{len(frames)} frames, {len(values)} values and {len(alts)} alternative texts: "
            "give one of each for every stop, and at least two stops."
        )
    slider = widgets.SelectionSlider(
        options=[(str(value), k) for k, value in enumerate(values)],
        index=start,
        description=description,
        continuous_update=True,
        layout=widgets.Layout(width="100%", max_width="520px"),
    )
    pictures = widgets.Stack(
        [
            widgets.HTML(
                f'<img alt="{html.escape(alt, quote=True)}" style="max-width:100%;height:auto" '
                f'src="data:image/png;base64,{base64.b64encode(frame).decode()}">'
            )
            for frame, alt in zip(frames, alts, strict=True)
        ],
        selected_index=start,
    )
    widgets.jslink((slider, "index"), (pictures, "selected_index"))
    box = _SliderBox([slider, pictures])
    box.fallback = frames[start]
    return box
