"""What the loaders share: sizes, orientation, and the Bunch they return."""

import numbers

import numpy as np
from PIL import Image
from sklearn.utils import Bunch


def resized(pictures, height, width):
    """8-bit gray pictures at another size, in [0, 1], by averaging areas of pixels."""
    # Mode F: Pillow then averages in floating point, and nothing is rounded to 8 bits.
    pictures = (Image.fromarray(np.asarray(picture, dtype=np.float32)) for picture in pictures)
    box = Image.Resampling.BOX
    return np.stack([np.asarray(p.resize((width, height), box), float) for p in pictures]) / 255


def resized_8_bit(pictures, height, width, resample):
    """8-bit gray pictures at another size, in [0, 1], by Pillow on 8 bits: as its users get it."""
    method = Image.Resampling[resample.upper()]
    pictures = (Image.fromarray(picture).resize((width, height), method) for picture in pictures)
    return np.stack([np.asarray(picture) for picture in pictures]) / 255


def upright(rows, side):
    """Square images from rows of pixels that were stored column by column."""
    return rows.reshape(-1, side, side).transpose(0, 2, 1)


def bunch(images, target, description):
    images = np.ascontiguousarray(images, dtype=float)
    return Bunch(
        data=images.reshape(len(images), -1),
        target=None if target is None else labels(target),
        images=images,
        DESCR=description,
    )


def labels(target):
    return np.asarray(target, dtype=int)


def height_width(size):
    pair = (size, size) if isinstance(size, numbers.Integral) else tuple(np.atleast_1d(size))
    if len(pair) != 2 or not all(isinstance(n, numbers.Integral) and n > 0 for n in pair):
        raise ValueError(
            f"size must be a positive whole number or a pair (height, width), got {size!r}."
        )
    return pair
