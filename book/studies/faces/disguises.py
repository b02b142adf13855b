"""Simulated disguises for aligned faces: sunglasses and a scarf.

Like the corruptions of `rnmf_tutorial.data`, each returns ``(corrupted, mask)`` and
leaves its input untouched.
"""

import numpy as np
from numpy.typing import ArrayLike

from rnmf_tutorial.data.corruption import (
    check_number,
    choose_images,
    data_copy,
    image_shape,
)


def add_sunglasses(
    A: ArrayLike,
    shape: tuple[int, int],
    *,
    fraction: float = 1.0,
    eye_height: float = 0.25,
    random_state: int | np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Put simulated sunglasses on a random fraction of the faces.

    Two dark rounded lenses, a bridge and the side arms, placed in fractions of the
    image where the eyes are on an aligned, upright face. The lenses are nearly black,
    and a little lighter toward their lower rim; each face's pair has its own darkness.

    Parameters
    ----------
    A : array of shape (n_samples, height * width)
        Non-negative images in [0, 1], one flattened image per row.
    shape : (int, int)
        Height and width of the images, in pixels; at least 8 each.
    fraction : float, default=1.0
        Fraction of the images that get the glasses, in [0, 1].
    eye_height : float, default=0.25
        Where the eyes are, as a fraction of the height from the top, in [0.1, 0.9]. The
        default fits Yale and the aligned ORL faces; take 0.46 for the uncropped ORL
        faces, 0.2 for Extended Yale B.
    random_state : int, numpy.random.Generator or None, default=None

    Returns
    -------
    corrupted : array of shape (n_samples, height * width)
    mask : bool array of shape (n_samples, height * width)
        True on the glasses.

    Raises
    ------
    ValueError
        If `A` is not a finite, non-negative matrix of images of that shape, the images
        are smaller than 8×8, or `fraction` or `eye_height` is out of range.

    Examples
    --------
    >>> corrupted, mask = add_sunglasses(np.ones((4, 64 * 64)), (64, 64), fraction=0.5,
    ...                                  random_state=0)
    >>> int(mask.any(axis=1).sum())
    2
    """
    A = data_copy(A)
    y, x = _pixel_centers(A, shape)
    check_number(eye_height, "eye_height", ("between 0.1 and 0.9", 0.1, 0.9))
    drop = (y - eye_height) / 0.13
    lenses = np.abs((np.abs(x - 0.5) - 0.215) / 0.175) ** 3 + np.abs(drop) ** 3 <= 1
    bar = np.abs(drop + 0.45) <= 0.22
    glasses = lenses | bar
    rng = np.random.default_rng(random_state)
    chosen = choose_images(A, fraction, rng)
    shade = rng.uniform(0.02, 0.10, size=(chosen.size, 1)) + 0.03 * (1 + drop[glasses])
    return _cover(A, chosen, glasses, shade)


def add_scarf(
    A: ArrayLike,
    shape: tuple[int, int],
    *,
    fraction: float = 1.0,
    random_state: int | np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Put a simulated knitted scarf over the lower third of a random fraction of the faces.

    The upper edge rises toward the middle of the face. The scarf has slanted stripes
    and a fine grain; each face's scarf has its own brightness and stripes.

    Parameters
    ----------
    A : array of shape (n_samples, height * width)
        Non-negative images in [0, 1], one flattened image per row.
    shape : (int, int)
        Height and width of the images, in pixels; at least 8 each.
    fraction : float, default=1.0
        Fraction of the images that get the scarf, in [0, 1].
    random_state : int, numpy.random.Generator or None, default=None

    Returns
    -------
    corrupted : array of shape (n_samples, height * width)
    mask : bool array of shape (n_samples, height * width)
        True on the scarf.

    Raises
    ------
    ValueError
        If `A` is not a finite, non-negative matrix of images of that shape, the images
        are smaller than 8×8, or `fraction` is out of range.

    Examples
    --------
    >>> corrupted, mask = add_scarf(np.ones((4, 64 * 64)), (64, 64), random_state=0)
    >>> bool(0.3 < mask.mean() < 0.4)
    True
    """
    A = data_copy(A)
    y, x = _pixel_centers(A, shape)
    scarf = y >= 0.62 + 0.08 * (2 * x - 1) ** 2
    rng = np.random.default_rng(random_state)
    chosen = choose_images(A, fraction, rng)
    one_each = (chosen.size, 1)
    stripes = np.sin(
        2 * np.pi * rng.uniform(5, 8, one_each) * (y + 0.4 * x)[scarf]
        + rng.uniform(0, 2 * np.pi, one_each)
    )
    grain = rng.uniform(-0.06, 0.06, size=stripes.shape)
    texture = rng.uniform(0.35, 0.6, one_each) + 0.12 * stripes + grain
    return _cover(A, chosen, scarf, texture)


def _cover(A, chosen, region, values):
    """Write `values` (one row per chosen image) over `region` of the chosen images."""
    mask = np.zeros(A.shape, dtype=bool)
    mask[chosen] = region.ravel()
    A[mask] = values.ravel()
    return A, mask


def _pixel_centers(A, shape):
    """Height and width coordinates of every pixel, from 0 (top, left) to 1 (bottom, right)."""
    height, width = image_shape(A, shape)
    if min(height, width) < 8:
        raise ValueError(
            f"A disguise needs images of at least 8×8 pixels, got {height}×{width}."
        )
    y, x = np.mgrid[:height, :width]
    return (y + 0.5) / height, (x + 0.5) / width
