"""Nine matrices whose clean version is known well enough, and nine ways to spoil them."""

from functools import lru_cache

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from rnmf_tutorial.data import (
    load_cbcl,
    load_indian_pines,
    load_kinetic,
    load_orl,
    load_umist,
    load_yale,
    load_yaleb,
)


def _faces(images, step):
    """Return every so manieth image at 16×16 pixels."""
    small = images[::step].reshape(-1, 16, 2, 16, 2).mean(axis=(2, 4))
    return small.reshape(-1, 256), (16, 16), 10


def _cbcl():
    return load_cbcl().data[::40], (19, 19), 8


def _digits():
    return load_digits().data[::9], (8, 8), 10


def _pines():
    """Every fourteenth pixel of every fourteenth line, in the numbers of the file."""
    field = load_indian_pines()
    return field.scale * field.images[:, ::14, ::14].reshape(200, -1).T, (1, 200), 6


def _kinetic():
    """Every third emission and every sixth time; NaN where nothing was measured."""
    mixtures = load_kinetic()
    A = mixtures.scale * np.where(mixtures.missing, np.nan, mixtures.data)
    return A.reshape(mixtures.tensor.shape)[:, ::3, :, ::6].reshape(64, -1), (40, 10), 4


def _low_rank():
    rng = np.random.default_rng(0)
    A = rng.gamma(1, size=(120, 5)) @ rng.gamma(1, size=(5, 80))
    return np.maximum(A + 0.02 * A.mean() * rng.standard_normal(A.shape), 0), (1, 80), 5


#: Name -> a function that returns the matrix, the shape of a sample and the rank.
DATA = {
    "ORL": lambda: _faces(load_orl(32).data, 7),
    "Yale": lambda: _faces(load_yale(32).data, 3),
    "UMIST": lambda: _faces(load_umist().data, 10),
    "Yale B": lambda: _faces(load_yaleb().data, 40),
    "CBCL": _cbcl,
    "digits": _digits,
    "Indian Pines": _pines,
    "Kinetic": _kinetic,
    "low rank": _low_rank,
}

#: The low-rank data have another unit for each seed.
UNITS = [1, 1e-4, 1e4]


@lru_cache(maxsize=1)
def clean(name):
    """Return the clean data, the shape of a sample and the rank."""
    return DATA[name]()


def block_sides(shape, share):
    """Return the sides of a block that covers such a share of an image, or of a spectrum."""
    long = [n > 1 for n in shape]
    part = share ** (1 / sum(long))
    return [
        max(1, round(part * n)) if is_long else 1
        for n, is_long in zip(shape, long, strict=True)
    ]


def spoiled(A, shape, corruption, rng):
    """Return a spoiled copy, and which samples are still samples.

    The unit of a level is the 99th percentile of the data.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
    shape : pair of int
        Of a sample.
    corruption : str
        A kind and a level: the deviation of Gaussian noise, the scale of Laplace noise,
        the percentage of the entries that become 0 or 1, the percentage of a sample
        that a block of ones covers, or the percentage of the samples that become
        uniform noise.
    rng : Generator

    Returns
    -------
    spoiled : ndarray of shape (n_samples, n_features)
    kept : bool ndarray of shape (n_samples,)
    """
    kind, level = corruption.rsplit(" ", 1)
    level, one = float(level), np.nanpercentile(A, 99)
    B, kept = A.copy(), np.ones(len(A), dtype=bool)
    if kind == "Gaussian":
        B = np.maximum(A + level * one * rng.standard_normal(A.shape), 0)
    elif kind == "Laplace":
        B = np.maximum(A + rng.laplace(0, level * one, A.shape), 0)
    elif kind == "salt & pepper":
        hit = rng.uniform(size=A.shape) < level / 100
        B[hit] = one * rng.integers(0, 2, hit.sum())
    elif kind == "block":
        sides = block_sides(shape, level / 100)
        for image in B.reshape(-1, *shape):
            y, x = (
                rng.integers(0, n - k + 1) for n, k in zip(shape, sides, strict=True)
            )
            image[y : y + sides[0], x : x + sides[1]] = one
    elif kind == "strangers":
        kept[rng.choice(len(A), round(level / 100 * len(A)), replace=False)] = False
        B[~kept] = one * rng.uniform(size=(np.sum(~kept), A.shape[1]))
    elif kind != "none":
        raise ValueError(f"The corruption {corruption!r} is not known.")
    return np.where(np.isnan(A), np.nan, B), kept


def problem(name, corruption, seed):
    """Return clean and spoiled data, which samples were kept, the shape of one, and the rank."""
    A, shape, rank = clean(name)
    if name == "low rank":
        A = A * UNITS[seed % len(UNITS)]
    data, kept = spoiled(A, shape, corruption, np.random.default_rng(seed))
    return Bunch(clean=A, data=data, kept=kept, shape=shape, rank=rank)
