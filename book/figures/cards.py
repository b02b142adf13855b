"""The cards at the top of the gallery: pictures that lead to their sections."""

import base64
import io
from html import escape

import numpy as np
from IPython.display import HTML
from PIL import Image

KINDS = """\
scattered | Isolated entries | some values are wrong, here and there | MaskedSearchCV
blocks | Blocks | a block of each sample is hidden | CauchyNMF, small scale
rows | Whole samples | some samples are bad from end to end | CappedNMF
runs | Gaps | a run of values is lost, or a sensor is stuck | mark, then NMF
holes | Missing entries | some entries were never measured | NMF with NaN
counts | Counts | small numbers, some of them mistyped | CauchyNMF, Kullback–Leibler
noise | Noise | every value is a little off | NMF"""
MISSING = (213, 94, 0)  # orange is what is missing or has a low weight

STYLE = """
.gallery { display: grid; gap: 1rem; }
.gallery { grid-template-columns: repeat(auto-fill, minmax(8.4rem, 1fr)); }
.gallery a { display: block; color: inherit; text-decoration: none; line-height: 1.3; }
.gallery img { width: 100%; aspect-ratio: 1; image-rendering: pixelated; border-radius: 4px; }
.gallery b { display: block; margin-top: 0.35rem; }
.gallery a:hover b, .gallery a:focus b { text-decoration: underline; }
.gallery span { display: block; font-size: 0.85rem; }
.gallery span + span { margin-top: 0.2rem; font-style: italic; }
"""


def picture(values):
    """An array as the bytes of a PNG, from black to white; what is missing is orange."""
    values = values.reshape(32, 32) if values.ndim == 1 else values
    gray = np.nan_to_num(values / np.nanmax(values)).clip(0, 1)
    pixels = np.repeat((255 * gray).round().astype(np.uint8)[..., None], 3, axis=-1)
    pixels[np.isnan(values)] = MISSING
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def cards(pictures):
    """A card for each kind of corruption: a picture, a name, a line, and what helps."""
    html = []
    for kind, values in zip(KINDS.splitlines(), pictures, strict=True):
        name, title, line, model = map(escape, kind.split(" | "))
        html.append(
            f'<a href="#gallery-{name}"><img alt="{title}: {line}" '
            f'src="data:image/png;base64,{picture(values)}"><b>{title}</b>'
            f"<span>{line}</span><span>{model}</span></a>"
        )
    return HTML(f'<style>{STYLE}</style><div class="gallery">{"".join(html)}</div>')
