"""The data that every measurement uses, and the estimators that are measured."""

from functools import cache, partial

import numpy as np

from rnmf_tutorial import models, published
from rnmf_tutorial.data import load_orl

#: Every estimator of the package.
ESTIMATORS = {
    name: kind for name, kind in vars(models).items() if isinstance(kind, type)
}
#: Those of a paper, as it publishes them.
PUBLISHED = {
    name: getattr(paper, name)
    for paper in published.PAPERS.values()
    for name in paper.__all__
}
#: Truncated Cauchy NMF with twelve gradient steps for each least squares problem, where
#: the printed algorithm goes on until the gradient is small.
SHORTCUT = {"solver": "nesterov"}
#: What a table has beside an estimator as published, or in its place: name ->
#: parameters.
VARIANTS = {
    "NMF, divergence": {"loss": "kullback-leibler"},
    "RobustNMF": {"lam": 0.3},
    "HuberNMF, fixed scale": {"scale": 0.1},
    "CIMNMF, fixed scale": {"scale": 0.1},
    "CauchyNMF, fixed scale": {"scale": 0.1},
    "HypersurfaceNMF": {"scale": 0.1},
    "TruncatedCauchyNMF": SHORTCUT,
    "TruncatedCauchyNMF, no rule": SHORTCUT | {"outliers": None},
    "TruncatedCauchyNMF, mixture": SHORTCUT | {"outliers": "mixture"},
    "RegularizedNMF": {"lam": 1.0},
}


def of_its_own(kind, parameters):
    """Return those of some parameters, a dict, that an estimator has."""
    known = kind().get_params()
    return {name: value for name, value in parameters.items() if name in known}


def made(name):
    """Return what makes a model: as a paper has it, or by the multiplicative update at a scale."""
    kind = ESTIMATORS[name]
    given = of_its_own(kind, {"solver": "mu", "scale": 0.1})
    return PUBLISHED.get(name, partial(kind, **given))


#: What is measured, by the name it has in the tables: the published update and the
#: published scale.
MODELS = {
    name: partial(made(name.split(",")[0]), **VARIANTS.get(name, {}))
    for name in sorted({*ESTIMATORS, *VARIANTS})
}


@cache
def problem(data, precision="float64"):
    """Return A (samples × features), labels and a rank: ORL 32×32, or a toy for the tests."""
    if data == "toy":
        rng = np.random.default_rng(0)
        A, y, r = rng.random((12, 3)) @ rng.random((3, 20)), np.arange(12) % 3, 3
    else:
        faces = load_orl(size=32)
        A, y, r = faces.data, faces.target, 40
    # scikit-learn's divergence wants positive data
    return np.ascontiguousarray(A + 1e-3, dtype=precision), y, r


def start_point(A, r, seed):
    """Return W0 (n_features × r) and H0 (r × n_samples), such that W0 @ H0 has the mean of A."""
    rng = np.random.default_rng(seed)
    scale = np.sqrt(4 * A.mean() / r)
    W0, H0 = (scale * rng.random(shape) for shape in ((A.shape[1], r), (r, A.shape[0])))
    return W0.astype(A.dtype), H0.astype(A.dtype)
