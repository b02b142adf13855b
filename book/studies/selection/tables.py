"""Tables that judge a search, by draws on which none of its rules was set, and five conditions."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.utils import Bunch

from studies.selection.problems import spoiled

#: A share of the entries, in percent, times ten, to zero, or to zero and the 99th
#: percentile; a share of the samples replaced by uniform noise.
DAMAGE = ["none 0", "tenfold 3", "zeros 10", "salt & pepper 10", "strangers 10"]


def _text(rng):
    """Words in documents: counts, two thirds of them zero."""
    topics = rng.dirichlet(np.full(150, 0.08), 5)
    rates = (
        rng.integers(40, 400, (250, 1)) * rng.dirichlet(np.full(5, 0.3), 250) @ topics
    )
    return rates, rng.poisson(rates), 5


def _cells(rng):
    """Genes in cells: counts that vary more than Poisson's."""
    rates = rng.gamma(0.6, size=(200, 4)) @ rng.gamma(0.4, size=(4, 120))
    rates *= 8 / rates.mean()
    return rates, rng.poisson(rates * rng.gamma(10, 0.1, rates.shape)), 4


def _traffic(rng):
    """Vehicles by the hour: counts around a hundred."""
    hours = np.arange(96) / 4
    peaks = [
        np.exp(-((hours - h) ** 2) / (2 * w**2))
        for h, w in ((8, 1.5), (17, 2), (13, 4))
    ]
    rates = 150 * rng.gamma(3, 1 / 3, (150, 3)) @ np.array(peaks) + 5
    return rates, rng.poisson(rates), 4


def _spectra(rng):
    """Peaks over a low background, with noise of 1% of the largest."""
    x, pure = np.arange(180), np.zeros((4, 180))
    for row in pure:
        for center in rng.uniform(0, 180, 7):
            row += rng.gamma(1) / (1 + ((x - center) / rng.uniform(1, 4)) ** 2)
    truth = rng.dirichlet(np.ones(4), 150) @ pure
    noise = 0.01 * truth.max() * rng.standard_normal(truth.shape)
    return truth, np.maximum(truth + noise, 0), 4


def _sound(rng):
    """Notes with harmonics that come and go: most entries are close to zero."""
    x, pure = np.arange(129), np.zeros((5, 129))
    for k, row in enumerate(pure):
        for harmonic in range(1, 9):
            center = harmonic * (6 + 1.7 * k)
            row += np.exp(-((x - center) ** 2) / 2) / harmonic
    played = rng.gamma(1, size=(200, 5)) * (rng.random((200, 5)) < 0.4)
    truth = played @ pure
    noise = 0.003 * truth.max() * rng.standard_normal(truth.shape)
    return truth, np.maximum(truth + noise, 0), 5


def _ratings(rng):
    """Ratings from 1 to 5, two thirds of them missing."""
    tastes = rng.dirichlet(np.full(4, 0.5), 200) @ rng.uniform(1, 5, (4, 90))
    given = np.clip(np.round(tastes + 0.5 * rng.standard_normal(tastes.shape)), 1, 5)
    return tastes, np.where(rng.random(tastes.shape) < 2 / 3, np.nan, given), 4


def _pictures(rng):
    """Pictures of 8 bits: disks of different brightness on black."""
    y, x = np.mgrid[:16, :16]
    centers, radii = rng.uniform(3, 13, (5, 2)), rng.uniform(2, 4, 5)
    disks = [
        (y - a) ** 2 + (x - b) ** 2 < r**2
        for (a, b), r in zip(centers, radii, strict=True)
    ]
    shown = rng.uniform(size=(200, 5)) * (rng.random((200, 5)) < 0.7)
    truth = shown @ np.reshape(disks, (5, -1))
    truth *= 255 / truth.max()
    return truth, np.round(truth), 5


def _sensors(rng):
    """Stations with courses of a day, and noise in proportion to the value."""
    days = np.arange(72) / 24
    courses = np.exp(np.sin(2 * np.pi * (days - rng.random((4, 1)))))
    truth = rng.lognormal(0, 0.7, (180, 4)) @ courses
    return truth, truth * rng.lognormal(0, 0.05, truth.shape), 4


def _measured(load, rank):
    """Return a table of scikit-learn, each column divided by its median, and what judges in it.

    The truth is not known, and plain NMF has the lowest squared error on entries that
    it sees: a tenth of the entries, which no model sees, judges.
    """

    def table(rng):
        A = load().data
        A = A / [np.median(column[column > 0]) for column in A.T]
        hidden = rng.random(A.shape) < 0.1
        return np.where(hidden, A, np.nan), np.where(hidden, np.nan, A), rank

    return table


_TABLES = _text, _cells, _traffic, _spectra, _sound, _ratings, _pictures, _sensors
#: Name -> a function of a Generator that returns the truth, the table and the rank.
TABLES = {make.__name__[1:]: make for make in _TABLES} | {
    "wine": _measured(load_wine, 3),
    "cells' shapes": _measured(load_breast_cancer, 3),
}


def table(name, damage, seed):
    """Return the truth and the spoiled table, which samples were kept, and the rank."""
    rng = np.random.default_rng([seed, 1])
    truth, A, rank = TABLES[name](rng)
    A, (kind, level) = A.astype(float), damage.rsplit(" ", 1)
    kept, hit = np.ones(len(A), bool), rng.random(A.shape) < float(level) / 100
    if kind in ("tenfold", "zeros"):
        A[hit] *= 10 if kind == "tenfold" else 0
    else:
        A, kept = spoiled(A, (1, A.shape[1]), damage, rng)
    return Bunch(clean=truth, data=A, kept=kept, rank=rank)
