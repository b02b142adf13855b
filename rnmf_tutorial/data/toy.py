"""Small problems whose answer is known."""

import numbers

import numpy as np
from sklearn.utils import Bunch, check_scalar

from rnmf_tutorial.data.corruption import AT_LEAST_ZERO, Seed, check_number

__all__ = ["random_low_rank", "toy_houses"]


def random_low_rank(
    n_features: int,
    n_samples: int,
    n_components: int,
    *,
    noise: float = 0.0,
    random_state: Seed = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw a non-negative matrix of low rank, with the factors it was made of.

    `W` and `H` have independent entries, uniform on [0, 1); ``X = W @ H``, plus
    Gaussian noise if asked for, with what falls below zero set to zero.

    Parameters
    ----------
    n_features, n_samples, n_components : int
        At least 1 each.
    noise : float, default=0.0
        Standard deviation of the noise, at least 0, in units of `X`.
    random_state : int, numpy.random.Generator or None, default=None

    Returns
    -------
    X : float64 array of shape (n_features, n_samples)
        A sample is a column, as everywhere inside the package.
    W : float64 array of shape (n_features, n_components)
    H : float64 array of shape (n_components, n_samples)

    Raises
    ------
    ValueError
        If a size is below 1 or `noise` is negative (TypeError if a size is no whole
        number).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.data import random_low_rank
    >>> X, W, H = random_low_rank(6, 5, 2, random_state=0)
    >>> X.shape, bool(np.allclose(X, W @ H)), int(np.linalg.matrix_rank(X))
    ((6, 5), True, 2)
    """
    sizes = {
        "n_features": n_features,
        "n_samples": n_samples,
        "n_components": n_components,
    }
    for name, size in sizes.items():
        check_scalar(size, name, numbers.Integral, min_val=1)
    check_number(noise, "noise", AT_LEAST_ZERO)
    rng = np.random.default_rng(random_state)
    W = rng.random((n_features, n_components))
    H = rng.random((n_components, n_samples))
    X = W @ H
    if noise > 0:
        X = np.maximum(X + rng.normal(0.0, noise, X.shape), 0)
    return X, W, H


_NAMES = ["wall", "roof", "door", "window", "chimney", "sun", "tree"]


def toy_houses(n_samples: int = 300, *, random_state: Seed = None) -> Bunch:
    """Draw pictures of houses, each a sum of seven parts with a brightness of its own.

    The parts are wall, roof, door, window, chimney, sun and tree, which nowhere
    overlap. Each brightness is uniform between 0.1 and 0.8, independent of all others,
    so that the pictures are a non-negative matrix of rank seven whose factors are
    known.

    Parameters
    ----------
    n_samples : int, default=300
        How many houses, at least 1.
    random_state : int, numpy.random.Generator or None, default=None

    Returns
    -------
    Bunch
        `data`, (n_samples, 1024): a house a row. `images`: the same as 32 by 32
        pictures. `parts`, (7, 1024): zeros and ones. `brightness`, (n_samples, 7), with
        ``data = brightness @ parts``. `part_names`: what the parts are, in their order.

    Raises
    ------
    ValueError
        If `n_samples` is below 1 (TypeError if it is no whole number).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.data import toy_houses
    >>> houses = toy_houses(50, random_state=0)
    >>> houses.data.shape, int(np.linalg.matrix_rank(houses.data)), houses.part_names[0]
    ((50, 1024), 7, 'wall')
    """
    check_scalar(n_samples, "n_samples", numbers.Integral, min_val=1)
    parts = _house_parts().reshape(len(_NAMES), -1)
    brightness = np.random.default_rng(random_state).uniform(
        0.1, 0.8, (n_samples, len(parts))
    )
    data = brightness @ parts
    names = list(_NAMES)
    images = data.reshape(-1, 32, 32)
    return Bunch(
        data=data, images=images, parts=parts, brightness=brightness, part_names=names
    )


def _house_parts():
    """Return seven pictures of zeros and ones, in the order of their names."""
    y, x = np.mgrid[:32, :32]
    roof = (y >= 8) & (y < 16) & (abs(x - 11.5) < y - 5.5)
    door = (y >= 22) & (y < 28) & (x >= 12) & (x < 16)
    window = (y >= 18) & (y < 22) & (x >= 5) & (x < 10)
    wall = (y >= 16) & (y < 28) & (x >= 3) & (x < 21) & ~door & ~window
    chimney = (y >= 4) & (y < 12) & (x >= 15) & (x < 18) & ~roof
    sun = (y - 5.5) ** 2 + (x - 26) ** 2 < 14
    crown = (y - 17) ** 2 + (x - 26) ** 2 < 17
    trunk = (y >= 21) & (y < 28) & (x >= 25) & (x < 28)
    return np.array(
        [wall, roof, door, window, chimney, sun, crown | trunk], dtype=float
    )
