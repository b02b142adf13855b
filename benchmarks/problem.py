"""The data that every measurement uses, and the estimators that are measured."""

from functools import cache, partial

import numpy as np

import rnmf_tutorial
from rnmf_tutorial import (
    CIMNMF,
    CSNMF,
    L1NMF,
    L21NMF,
    MCCGR,
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    HypersurfaceNMF,
    L1RobustNMF,
    LocalNMF,
    ManifoldDiscriminativeNMF,
    NeNMF,
    RegularizedNMF,
    RobustManifoldNMF,
    RobustNMF,
    SupervisedNMF,
    TruncatedCauchyNMF,
)
from rnmf_tutorial.data import load_orl

#: Every estimator of the package, by the name it has in the tables.
MODELS = {
    "NMF": NMF,
    "NMF, divergence": partial(NMF, loss="kullback-leibler"),
    "NeNMF": NeNMF,
    "RobustNMF": partial(RobustNMF, lam=0.3),
    "L1RobustNMF": L1RobustNMF,
    "L21NMF": L21NMF,
    "CappedNMF": CappedNMF,
    "HuberNMF, fixed scale": partial(HuberNMF, scale=0.1),
    "HuberNMF": HuberNMF,
    "CIMNMF, fixed scale": partial(CIMNMF, scale=0.1),
    "CIMNMF": CIMNMF,
    "CauchyNMF, fixed scale": partial(CauchyNMF, scale=0.1),
    "CauchyNMF": CauchyNMF,
    "HypersurfaceNMF": partial(HypersurfaceNMF, scale=0.1),
    "L1NMF": L1NMF,
    "TruncatedCauchyNMF, no rule": partial(TruncatedCauchyNMF, outliers=None),
    "TruncatedCauchyNMF": TruncatedCauchyNMF,
    "TruncatedCauchyNMF, mixture": partial(TruncatedCauchyNMF, outliers="mixture"),
    "RegularizedNMF": partial(RegularizedNMF, lam=1.0),
    "LocalNMF": LocalNMF,
    "SupervisedNMF": SupervisedNMF,
    "CSNMF": CSNMF,
    "ManifoldDiscriminativeNMF": ManifoldDiscriminativeNMF,
    "RobustManifoldNMF": RobustManifoldNMF,
    "MCCGR": MCCGR,
}
# An estimator that has no line of its own is measured with its defaults.
MODELS |= {
    name: getattr(rnmf_tutorial, name)
    for name in rnmf_tutorial.models.__all__
    if name in rnmf_tutorial.__all__ and name not in MODELS
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
