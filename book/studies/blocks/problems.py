"""Small parts of ten data sets, and pieces of other things in every sample."""

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
from studies.faces import disguised

SQUARE = (32, 32)
EYES = {"ORL": 0.46, "Yale B": 0.2}  # as a part of the height


def _pines_bands():
    """Every second band as a picture of every fifth pixel."""
    return load_indian_pines().images[::2, ::5, ::5].reshape(100, -1), (29, 29), 5


def _pines_spectra():
    """Every fourteenth pixel of every fourteenth line, a spectrum each."""
    return load_indian_pines().images[:, ::14, ::14].reshape(200, -1).T, (200,), 6


def _kinetic():
    """Every third emission and every third time; NaN where nothing was measured."""
    mixtures = load_kinetic()
    A = np.where(mixtures.missing, np.nan, mixtures.data).reshape(mixtures.tensor.shape)
    return A[:, ::3, :, ::3].reshape(64, -1), (40, 20), 4


def _low_rank():
    rng = np.random.default_rng(0)
    A = rng.gamma(1, size=(120, 5)) @ rng.gamma(1, size=(5, 80))
    return np.maximum(A + 0.02 * A.mean() * rng.standard_normal(A.shape), 0), (80,), 5


#: Name -> a function that returns the matrix, the shape of a sample and the rank.
DATA = {
    "ORL": lambda: (load_orl(32).data[::5], SQUARE, 15),
    "CBCL": lambda: (load_cbcl().data[::30], (19, 19), 15),
    "Yale": lambda: (load_yale(32).data[::2], SQUARE, 15),
    "UMIST": lambda: (load_umist().data[::7], SQUARE, 15),
    "Yale B": lambda: (load_yaleb().data[::30], SQUARE, 15),
    "digits": lambda: (load_digits().data[::18], (8, 8), 10),
    "Pines, bands": _pines_bands,
    "Pines, spectra": _pines_spectra,
    "Kinetic": _kinetic,
    "low rank": _low_rank,
}


@lru_cache(maxsize=1)
def clean(name):
    """Return the clean data, the shape of a sample and the rank."""
    return DATA[name]()


def sides(shape, share):
    """Return the sides of a piece that covers at most such a share of a sample."""
    part = share ** (1 / len(shape))
    return tuple(max(1, int(part * n)) for n in shape)


def problem(name, damage, seed):
    """Return clean and damaged data, where the damage is, the shape of a sample, and the rank.

    Parameters
    ----------
    name : str
        Of :data:`DATA`.
    damage : str
        "none"; "disguise" (sunglasses on 30% of the faces, a scarf on 30%); "lost 14"
        and "lost 25", the zeros of a run along the last axis; or what a piece shows,
        the percentage of each sample that it covers and perhaps the number of pieces:
        "white 14", "black 25 4". "white" is the largest value, one for faces; "gray"
        half of it, "texture" noise up to it, "piece" a part of another sample, "cloud"
        an ellipse of white that is thin at its edge.
    seed : int

    Returns
    -------
    Bunch
    """
    A, shape, rank = clean(name)
    rng = np.random.default_rng(seed)
    B, mask = A.copy(), np.zeros(A.shape, bool)
    known = dict(zip(("kind", "share", "pieces"), damage.split(), strict=False))
    if damage == "disguise":
        B, _ = disguised(A, shape, 0.3, seed, eye_height=EYES.get(name, 0.25))
        mask = B != A
    elif damage != "none":
        pieces = int(known.get("pieces", 1))
        top = 1.0 if shape in (SQUARE, (19, 19)) else np.nanmax(A)
        size = sides(shape, int(known["share"]) / 100 / pieces)
        if known["kind"] == "lost":
            size = (*shape[:-1], max(1, int(int(known["share"]) / 100 * shape[-1])))
        whole, marks = B.reshape(-1, *shape), mask.reshape(-1, *shape)
        for one, mark in zip(whole, marks, strict=True):
            for _ in range(pieces):
                place = _place(shape, size, rng)
                one[place], covered = _shown(
                    known["kind"], one[place], A.reshape(-1, *shape), size, top, rng
                )
                mark[place] |= covered
    return Bunch(
        clean=A,
        data=np.where(np.isnan(A), np.nan, B),
        mask=mask,
        shape=shape,
        rank=rank,
    )


def _place(shape, size, rng):
    """Return where a piece of that size lies in a sample, all places being as likely."""
    firsts = [rng.integers(n - k + 1) for n, k in zip(shape, size, strict=True)]
    return tuple(slice(at, at + k) for at, k in zip(firsts, size, strict=True))


def _shown(kind, here, others, size, top, rng):
    """Return what a place shows after the damage, and which of its entries were hit."""
    everywhere = np.ones(size, bool)
    if kind == "piece":
        other = others[rng.integers(len(others))]
        return other[_place(other.shape, size, rng)], everywhere
    if kind == "texture":
        return rng.uniform(0, top, size), everywhere
    if kind == "cloud":
        axes = np.meshgrid(*(np.linspace(-1, 1, k) for k in size), indexing="ij")
        thick = np.clip(2 * (1 - sum(axis**2 for axis in axes)), 0, 1)
        return here + thick * (top - here), thick > 0
    return {"white": top, "gray": top / 2, "black": 0.0, "lost": 0.0}[kind], everywhere
