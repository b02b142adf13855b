"""Two questions beside Guan et al.'s tables: where each loss breaks, and is it the solver?"""

from functools import partial

import numpy as np

import rnmf_tutorial
from rnmf_tutorial import L1NMF, NeNMF
from rnmf_tutorial.measures import relative_error
from rnmf_tutorial.published import guan
from rnmf_tutorial.solvers import WeightedNesterov
from studies import grid
from studies.guan import twelve_steps
from studies.guan.competitors import RANK, scores
from studies.guan.noise import corrupted_orl

#: Every method of the chapter, run to its end; the hypersurface at a fixed scale of 1,
#: as printed.
EVERY = {
    "NeNMF": partial(NeNMF, max_iter=200),
    "L21NMF": partial(guan.L21NMF, max_iter=1000),
    "CappedNMF": partial(guan.CappedNMF, max_iter=1000),
    "HypersurfaceNMF": partial(guan.HypersurfaceNMF, scale=1.0, max_iter=1000),
    "RobustNMF": partial(guan.RobustNMF, lam=0.3, max_iter=1000),
    "L1NMF": partial(L1NMF, max_iter=60),
    "HuberNMF": partial(guan.HuberNMF, max_iter=1000),
    "CIMNMF": partial(guan.CIMNMF, max_iter=1000),
    "CauchyNMF": partial(guan.CauchyNMF, max_iter=1000),
    "published code": partial(
        twelve_steps.TruncatedCauchyNMF, outliers=None, scale=0.1, max_iter=200
    ),
    "three-sigma": partial(
        twelve_steps.TruncatedCauchyNMF, outliers="three-sigma", max_iter=200
    ),
    "mad": partial(twelve_steps.TruncatedCauchyNMF, outliers="mad", max_iter=200),
    "mixture": partial(
        twelve_steps.TruncatedCauchyNMF, outliers="mixture", max_iter=200
    ),
}


def spoiled_low_rank(p, seed):
    """Return a 100×80 matrix of rank 3 and mean 1, and one with a share p of its entries replaced.

    The factors are exponential, so that some entries are large; the new entries are
    uniform up to 6.
    """
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(100, 3)) @ rng.exponential(size=(3, 80))
    X /= X.mean()
    hit = rng.permuted(np.arange(X.size) < round(p * X.size)).reshape(X.shape)
    return X, np.where(hit, rng.uniform(0, 6, X.shape), X)


def sparse_low_rank(seed):
    """Return 60 samples of rank 4, three fifths of the factors zero, with 1% of noise and clean.

    Nothing in them is gross.
    """
    rng, shapes = np.random.default_rng(seed), ((80, 4), (4, 60))
    W, H = (rng.random(shape) * (rng.random(shape) < 0.4) for shape in shapes)
    clean = (W @ H).T
    noise = 0.01 * clean.mean() * rng.standard_normal(clean.shape)
    return np.maximum(clean + noise, 0), clean


def breakdown_cell(seed, p, method):
    """Return the error against the clean matrix, which has the rank of the model."""
    clean, spoiled = spoiled_low_rank(p, seed)
    model = EVERY[method](3, tol=0, random_state=seed)
    F = model.fit_transform(spoiled.T)
    return {"rre": relative_error(clean.T, model.inverse_transform(F))}


class NesterovHuber(rnmf_tutorial.HuberNMF):
    """Huber's weights, Nesterov's steps."""

    def _solver(self, loss):
        return WeightedNesterov()


class NesterovCIM(rnmf_tutorial.CIMNMF):
    """Correntropy's weights, Nesterov's steps."""

    def _solver(self, loss):
        return WeightedNesterov()


SOLVERS = {
    "HuberNMF": partial(guan.HuberNMF, max_iter=300),
    "NesterovHuber": partial(NesterovHuber, scale="published", max_iter=100),
    "CIMNMF": partial(guan.CIMNMF, max_iter=300),
    "NesterovCIM": partial(NesterovCIM, scale="published", max_iter=100),
    "CauchyNMF": partial(guan.CauchyNMF, max_iter=300),
    "NesterovCauchy": partial(
        twelve_steps.TruncatedCauchyNMF, outliers=None, max_iter=100
    ),
}


def solver_cell(seed, noise, method):
    """One run with a published sweep or a Nesterov one, from the same start."""
    faces, A = corrupted_orl(noise, seed)
    return scores(
        SOLVERS[method](RANK, tol=0, random_state=seed), faces, A.astype(np.float32)
    )


BREAKDOWN = grid(
    "guan-breakdown",
    breakdown_cell,
    {"p": [0.3], "method": ["NeNMF", "HuberNMF"]},
    seed=range(5),
    p=[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
    method=list(EVERY),
)
SOLVER = grid(
    "guan-solver",
    solver_cell,
    {"method": ["CIMNMF"]},
    seed=[1, 2, 3],
    noise=["salt & pepper 40", "blocks 14"],
    method=list(SOLVERS),
)
