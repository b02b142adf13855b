"""Problems that the tests draw, and the estimators they go through."""

import inspect

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone

import rnmf_tutorial
from rnmf_tutorial import (
    CSNMF,
    MCCGR,
    NMF,
    ManifoldDiscriminativeNMF,
    RobustManifoldNMF,
    RobustNMF,
    SupervisedNMF,
    TruncatedCauchyNMF,
)

#: The models with a graph between samples; those with labels take them in `fit`.
GRAPH_ESTIMATORS = [
    CSNMF(),
    SupervisedNMF(lam=1.0, encoding="pinv"),
    ManifoldDiscriminativeNMF(lam=1.0),
    MCCGR(),
    RobustManifoldNMF(lam=0.1),
]


def other_estimators():
    """One of each exported estimator without a graph, with its defaults: a new one joins."""
    graphs = tuple(type(model) for model in GRAPH_ESTIMATORS)
    exported = [getattr(rnmf_tutorial, name) for name in rnmf_tutorial.__all__]
    return [kind() for kind in exported if inspect.isclass(kind) and kind not in graphs]


#: One of each kind of fit.
ESTIMATORS = [
    *other_estimators(),
    NMF(normalize="l1"),
    NMF(normalize="l2"),
    NMF(loss="kullback-leibler"),
    NMF(loss="kullback-leibler", normalize="l1"),
    RobustNMF(lam=1.0),
    TruncatedCauchyNMF(outliers=None),
]

#: Those whose solver can be chosen, with the other one.
CD_ESTIMATORS = [
    clone(model).set_params(solver="cd")
    for model in ESTIMATORS
    if hasattr(model, "solver") and getattr(model, "loss", "") != "kullback-leibler"
]
ESTIMATORS += CD_ESTIMATORS


@st.composite
def data(draw, scales=(1e-6, 1.0, 1e6)):
    """Draw A (samples × features) with zeros and zero rows and columns, a rank and a scale."""
    n_samples, n_features = draw(st.sampled_from([(4, 9), (7, 5), (12, 6), (5, 14)]))
    r = draw(st.integers(1, 3))
    A = draw(
        hnp.arrays(
            float,
            (n_samples, n_features),
            elements=st.one_of(st.just(0.0), st.floats(0.01, 1.0)),
        )
    )
    if draw(st.booleans()):
        A[draw(st.integers(0, n_samples - 1))] = 0
    if draw(st.booleans()):
        A[:, draw(st.integers(0, n_features - 1))] = 0
    scale = draw(st.sampled_from(scales))
    return A * scale, r, scale


def positive(shape, seed):
    """Return strictly positive uniform numbers."""
    return np.random.default_rng(seed).uniform(0.1, 1.0, shape)


def in_units(model, unit):
    """Return the model with every parameter that is a size in the data fixed for such data."""
    model = clone(model)
    if isinstance(model, RobustNMF):
        model.set_params(lam=model.lam * unit)
    if hasattr(model, "scale"):
        model.set_params(scale=(model.scale or 0.2) * unit)
    if hasattr(model, "theta"):
        model.set_params(theta=(model.theta or 0.5) * unit)
    if hasattr(model, "outliers"):
        model.set_params(outliers=0.4 * unit)
    return model


def as_fitted(model):
    """Return an unfitted model whose parameters are fixed at what the fit ended with."""
    found = {"scale": "scale_", "theta": "theta_", "lam": "lam_", "outliers": "threshold_"}
    return clone(model).set_params(
        **{k: getattr(model, v) for k, v in found.items() if hasattr(model, v)}
    )
