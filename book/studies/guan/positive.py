"""Table II and Fig. 6 of Guan et al. once more, with the positive part of the noise alone."""

import numpy as np

from rnmf_tutorial.data import load_orl
from studies import grid
from studies.guan.competitors import METHODS, clustering_scores, scores
from studies.guan.noise import LEVELS, POSITIVE, positive_laplace
from studies.guan.rules import contender

HALF = [40, 120, 200, 280]


def positive_cell(seed, reading, noise, method):
    """One run in single precision; the seed draws the noise and the start."""
    level = int(noise.rsplit(" ", 1)[1])
    faces = load_orl(32, aligned=True)
    A = positive_laplace(faces.data, level, POSITIVE[reading], seed).astype(np.float32)
    if method == "pixels":
        nothing = {"rre": None, "objective": None, "sweeps": None}
        return nothing | clustering_scores(A, faces.target)
    return scores(contender(method, seed), faces, A)


CONTENDERS = ["pixels", *METHODS, "none", "three-sigma"]

POSITIVE_NOISE = grid(
    "guan-positive",
    positive_cell,
    {"noise": ["Laplace 120"], "method": ["NeNMF", "HuberNMF"]},
    seed=[1, 2, 3],
    reading=["positive, scaled"],
    noise=[f"Laplace {level}" for level in LEVELS["Laplace"]],
    method=CONTENDERS,
)
UNSCALED = grid(
    "guan-positive-unscaled",
    positive_cell,
    {"noise": ["Laplace 120"], "method": ["NeNMF"]},
    seed=[1],
    reading=["positive"],
    noise=[f"Laplace {level}" for level in HALF],
    method=CONTENDERS,
)
