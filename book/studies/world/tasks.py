"""Data with a known truth, and what is done to them: faces, spectra and counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rnmf_tutorial.data import (
    add_blocks,
    add_gaussian,
    add_salt_and_pepper,
    load_indian_pines,
    load_orl,
)
from studies.faces import add_sunglasses, strangers

FACE, EDGE, BANDS = (32, 32), 20, 200


@dataclass(frozen=True, eq=False)
class Task:
    """Spoiled data, and what a method may be told of them."""

    A: np.ndarray  # samples × features, with NaN for holes
    clean: np.ndarray
    wrong: (
        np.ndarray | None
    )  # True where an entry is wrong; None: all of them are, a little
    rank: int
    shape: tuple  # of a sample
    cube: (
        tuple | None
    )  # of all data as pictures, and the size of the median filter there
    seed: int


def faces(kind, seed):
    """Return a hundred faces of forty people, spoiled."""
    clean = load_orl(32).data[::4]
    nothing = np.zeros(clean.shape, dtype=bool)
    spoil: Any = {
        "clean": lambda: (clean, nothing),
        "noise": lambda: (add_gaussian(clean, 0.1, random_state=seed)[0], None),
        "entries 10": lambda: add_salt_and_pepper(clean, 0.1, random_state=seed),
        "entries 30": lambda: add_salt_and_pepper(clean, 0.3, random_state=seed),
        "shuffled 10": lambda: _shuffled(clean, 0.1, seed),
        "white blocks": lambda: add_blocks(clean, FACE, 12, random_state=seed),
        "gray blocks": lambda: add_blocks(
            clean, FACE, 12, value=0.5, random_state=seed
        ),
        "glasses": lambda: add_sunglasses(
            clean, FACE, fraction=0.3, eye_height=0.46, random_state=seed
        ),
        "samples": lambda: strangers(clean, 0.2, seed),
        "holes": lambda: _holes(clean, 0.3, seed),
    }
    A, wrong = spoil[kind]()
    if kind == "samples":
        wrong = nothing | wrong[:, None]
    return Task(A, clean, wrong, 25, FACE, ((-1, *FACE), (1, 3, 3)), seed)


def spectra(kind, seed):
    """Return the 400 spectra of a square of the field, spoiled."""
    rng = np.random.default_rng([seed, 1])
    top, left = rng.integers(145 - EDGE + 1, size=2)
    clean = load_indian_pines().images[:, top : top + EDGE, left : left + EDGE]
    clean = clean.reshape(BANDS, -1).T
    most, wrong = np.quantile(clean, 0.99), np.zeros(clean.shape, dtype=bool)
    if kind == "entries 10":
        wrong = rng.uniform(size=clean.shape) < 0.1
        A = np.where(wrong, most * rng.integers(0, 2, clean.shape), clean)
    else:  # thirty neighboring bands of each spectrum at one value
        at = rng.integers(BANDS - 30 + 1, size=(len(clean), 1))
        wrong = (np.arange(BANDS) >= at) & (np.arange(BANDS) < at + 30)
        A = np.where(wrong, most, clean)
    return Task(A, clean, wrong, 6, (BANDS,), ((EDGE, EDGE, BANDS), (3, 3, 1)), seed)


def counts(kind, seed):
    """Return Poisson counts of mean ten; of "gross 2", two in a hundred are typing errors."""
    rng = np.random.default_rng([seed, 2])
    rates = rng.gamma(0.5, size=(300, 5)) @ rng.gamma(0.5, size=(5, 120))
    rates *= 10 / rates.mean()
    A = rng.poisson(rates).astype(float)
    wrong = rng.uniform(size=A.shape) < (0.02 if kind == "gross 2" else 0)
    A[wrong] = rng.integers(100, 1000, wrong.sum())
    return Task(A, rates, wrong, 5, (120,), None, seed)


def _shuffled(clean, share, seed):
    """Replace a share of the entries by others of the same data, so that none is extreme."""
    rng = np.random.default_rng(seed)
    wrong = rng.uniform(size=clean.shape) < share
    return np.where(wrong, rng.choice(clean.ravel(), clean.shape), clean), wrong


def _holes(clean, share, seed):
    lost = np.random.default_rng(seed).uniform(size=clean.shape) < share
    return np.where(lost, np.nan, clean), lost


DATA = {"faces": faces, "spectra": spectra, "counts": counts}


def task_of(name, seed):
    """Return the task of a name such as "faces, white blocks"."""
    data, kind = name.split(", ")
    return DATA[data](kind, seed)
