"""What a search chooses where damage comes in pieces: by hidden entries, and by planted blocks."""

import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_sample_image
from sklearn.utils import Bunch

from rnmf_tutorial import MaskedSearchCV
from rnmf_tutorial.measures import relative_error
from studies import Grid
from studies.selection import problems

#: None; a block of one value or of another sample over so many percent of every sample;
#: scattered entries.
DAMAGES = [
    "none 0",
    "white 14",
    "black 14",
    "pieces 14",
    "white 25",
    "salt & pepper 10",
]


def objects():
    """Return patches of two photographs: many different things, and no low rank."""
    rng, patches = np.random.default_rng(0), []
    for name in ("china.jpg", "flower.jpg"):
        image = load_sample_image(name).mean(axis=2) / 255
        for _ in range(60):
            y, x = (rng.integers(0, n - 64) for n in image.shape)
            patch = image[y : y + 64, x : x + 64]
            patches.append(patch.reshape(16, 4, 16, 4).mean(axis=(1, 3)).ravel())
    return np.array(patches), (16, 16), 10


#: Name -> a function that returns the matrix, the shape of a sample and the rank.
PICTURES = problems.DATA | {"objects": objects}


def damaged(name, damage, seed):
    """Return clean and damaged data, the shape of a sample and the rank."""
    A, shape, rank = PICTURES[name]()
    if name == "low rank":
        A = A * problems.UNITS[seed % len(problems.UNITS)]
    kind, level = damage.rsplit(" ", 1)
    rng = np.random.default_rng([seed, 7])
    if kind in ("none", "salt & pepper"):
        B = problems.spoiled(A, shape, damage, rng)[0]
        return Bunch(clean=A, data=B, shape=shape, rank=rank)
    B, one = A.copy(), np.nanpercentile(A, 99)
    sides = problems.block_sides(shape, float(level) / 100)
    for sample in B.reshape(-1, *shape):
        corner = [rng.integers(0, n - k + 1) for n, k in zip(shape, sides, strict=True)]
        box = tuple(slice(a, a + k) for a, k in zip(corner, sides, strict=True))
        other = A[rng.integers(len(A))].reshape(shape)[box][::-1]
        sample[box] = {"white": one, "black": 0, "pieces": other}[kind]
    return Bunch(clean=A, data=np.where(np.isnan(A), np.nan, B), shape=shape, rank=rank)


def cell(data, damage, seed, search):
    """Search; a row for each candidate: its score, and its error when it is fitted to all."""
    task = damaged(data, damage, seed)
    options = {"n_components": task.rank, "random_state": seed, "refit": False}
    shape = task.shape if search == "planted" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = MaskedSearchCV(shape=shape, **options).fit(task.data)
        results, rows = found.cv_results_, []
        for k, model in enumerate(found.candidates_):
            one, known = clone(model), ~np.isnan(task.clean)
            fitted = one.inverse_transform(one.fit_transform(task.data))
            rows.append(
                {
                    "candidate": results["candidate"][k].replace(
                        f", r = {task.rank}", ""
                    ),
                    "error": float(
                        f"{relative_error(task.clean[known], fitted[known]):.5g}"
                    ),
                    "score": float(f"{results['mean_test_score'][k]:.6g}"),
                    "chosen": k == found.best_index_,
                }
            )
    return rows


PIECES = Grid(
    "selection-pieces",
    cell,
    quick={
        "seed": [0],
        "damage": ["white 14"],
        "data": ["low rank"],
        "search": ["planted"],
    },
    paper={
        "seed": [0],
        "damage": DAMAGES,
        "data": list(PICTURES),
        "search": ["hidden", "planted"],
    },
)


def chosen_in_pieces(rows):
    """Return the choices of both searches, and their errors over plain NMF's and over the lowest.

    Parameters
    ----------
    rows : DataFrame
        Of :data:`PIECES`.

    Returns
    -------
    DataFrame
        Indexed by damage, data, seed and search: the name `chosen`, and the ratios
        `to_NMF` and `to_best`, of the candidates of both searches.
    """
    problem = ["damage", "data", "seed"]
    taken = rows[rows.chosen.astype(bool)].set_index([*problem, "search"])
    best = rows.groupby(problem).error.min()
    plain = rows[rows.candidate == "NMF"].groupby(problem).error.mean()
    return pd.DataFrame(
        {
            "chosen": taken.candidate,
            "to_NMF": taken.error / plain,
            "to_best": taken.error / best,
        }
    )
