"""Rules for the outliers of Truncated Cauchy NMF, on the noises of Tables II to IV."""

from dataclasses import replace
from functools import partial

import numpy as np

import rnmf_tutorial
from rnmf_tutorial.fitting import Update
from rnmf_tutorial.models.truncated import TruncatedCauchy, mixture
from rnmf_tutorial.solvers import WeightedNesterov, improve_H, improve_W
from rnmf_tutorial.starts import initialize
from studies import grid

# Here the class has the name that it has in `published.guan`, and is the shortcut of it.
from studies.guan import twelve_steps as guan
from studies.guan.competitors import METHODS, RANK, scores
from studies.guan.noise import NOISES, corrupted_orl

PASSES = 100


class LiteralUpdates(WeightedNesterov):
    """The shortcut with line 7 to the letter: fresh weights for W, but no outliers."""

    def update(self, work, loss, comparison, memory):
        """Reject outliers for H alone."""
        W, H = comparison.W, comparison.H
        Q = loss.positive_weights(comparison)
        H = improve_H(work.X, W, H, Q, work.energies)
        untruncated = replace(loss, phi=TruncatedCauchy(np.inf))
        halfway = untruncated.compare(work, W, H, fill=False)
        Q = untruncated.positive_weights(halfway)
        W = improve_W(work.X, W, H, Q, work.energies)
        return Update(W, H)


class LiteralBox(rnmf_tutorial.TruncatedCauchyNMF):
    """The estimator with these updates."""

    def _solver(self, loss):
        return LiteralUpdates()


#: What the rows call a rule -> the model with it.
RULES = {
    "none": partial(guan.TruncatedCauchyNMF, outliers=None),
    "three-sigma": partial(guan.TruncatedCauchyNMF, outliers="three-sigma"),
    "literal": partial(LiteralBox, outliers="three-sigma", scale="published"),
    "mad": partial(guan.TruncatedCauchyNMF, outliers="mad"),
    "mixture": partial(guan.TruncatedCauchyNMF, outliers="mixture"),
    "published code": partial(guan.TruncatedCauchyNMF, outliers=None, scale=0.1),
    "mixture, fixed scale": partial(
        guan.TruncatedCauchyNMF, outliers="mixture", scale=0.1
    ),
}


def contender(method, seed):
    """Return a competitor with its budget, or Truncated Cauchy NMF with a rule."""
    if method in METHODS:
        return METHODS[method](RANK, random_state=seed)
    return RULES[method](RANK, max_iter=PASSES, tol=0, random_state=seed)


def median_start(X, r, seed):
    """Return a random start whose WH has the median of X as its mean, or the mean if that is zero.

    Where large outliers are many, the mean of X lies above most clean entries, and so
    does a start with that mean: a model that cuts errors off may never come down.
    """
    return initialize(X, r, random_state=seed, level=np.median(X) or X.mean())


def rule_cell(seed, noise, start, rule):
    """One run of Truncated Cauchy NMF, in single precision at half the time."""
    faces, A = corrupted_orl(noise, seed)
    A = A.astype(np.float32)
    init = median_start(A.T, RANK, seed) if start == "median" else "random"
    model = RULES[rule](RANK, init=init, max_iter=PASSES, tol=0, random_state=seed)
    return scores(model, faces, A) | {
        "scale": float(model.scale_),
        "threshold": float(model.threshold_),
        "rejected": float(model.outliers_.mean()),
    }


def odds_cell(seed, noise, odds):
    """One run with other odds in the mixture rule."""
    faces, A = corrupted_orl(noise, seed)
    rule = partial(mixture, odds=odds)
    model = guan.TruncatedCauchyNMF(
        RANK, outliers=rule, max_iter=PASSES, tol=0, random_state=seed
    )
    row = scores(model, faces, A.astype(np.float32))
    return row | {"rejected": float(model.outliers_.mean())}


def median_cell(seed, noise, method):
    """One run of a competitor from the start that has the median of the data."""
    faces, A = corrupted_orl(noise, seed)
    model = METHODS[method](RANK, init=median_start(A.T, RANK, seed))
    return scores(model, faces, A)


TABLE_3_AND_4 = [noise for noise in NOISES if not noise.startswith("Laplace")]
LAPLACE = [noise for noise in NOISES if noise.startswith("Laplace")]
HARD = [
    "salt & pepper 50",
    "salt & pepper 60",
    *(f"blocks {b}" for b in (16, 18, 20, 22)),
]

ALL_RULES = ["none", "three-sigma", "mad", "mixture"]


def rules_grid(name, quick, seeds, noises, rules, start="mean"):
    """Return a grid of outlier rules; quick is a noise and the rules of its first draw."""
    live = dict(zip(("noise", "rule"), quick, strict=True))
    draws = range(1, seeds + 1)
    return grid(
        name, rule_cell, live, seed=draws, noise=noises, start=[start], rule=rules
    )


SALT, NONE = ["salt & pepper 50"], ["none"]
RULE_TABLES = rules_grid(
    "guan-rules", (SALT, ALL_RULES[:2]), 10, TABLE_3_AND_4, ALL_RULES
)
OTHERS = ["literal", "published code", "mixture, fixed scale"]
RULES_MORE = rules_grid(
    "guan-rules-more", (SALT, OTHERS[1:2]), 3, TABLE_3_AND_4, OTHERS
)
RULES_MEDIAN = rules_grid(
    "guan-rules-median", (["blocks 18"], NONE), 5, HARD, ALL_RULES, "median"
)
OF_LAPLACE = ["none", "three-sigma", "mixture"]
RULES_LAPLACE = rules_grid(
    "guan-rules-laplace", (["Laplace 120"], NONE), 10, LAPLACE, OF_LAPLACE
)
MEDIAN = grid(
    "guan-median",
    median_cell,
    {"noise": ["blocks 18"], "method": ["HuberNMF"]},
    seed=range(1, 6),
    noise=HARD,
    method=["L1NMF", "HuberNMF", "CIMNMF"],
)
ODDS = grid(
    "guan-odds",
    odds_cell,
    {"odds": [20]},
    seed=[1, 2, 3],
    noise=["salt & pepper 30", "salt & pepper 50", "salt & pepper 60", "blocks 18"],
    odds=[1, 5, 20, 200, 2000],
)
