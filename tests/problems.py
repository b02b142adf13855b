"""Problems that the tests draw, and the estimators they go through."""

import inspect
import tracemalloc

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone

import rnmf_tutorial as rt
from rnmf_tutorial import published
from rnmf_tutorial.base import BaseNMF
from rnmf_tutorial.losses import work_for
from rnmf_tutorial.models.entrywise import EntrywiseNMF
from rnmf_tutorial.models.graphs import GraphNMF
from rnmf_tutorial.models.lines import LinewiseNMF

#: The models with a graph between samples; those with labels take them in `fit`.
GRAPH_ESTIMATORS = [
    rt.CSNMF(),
    rt.SupervisedNMF(lam=1.0, encoding="pinv"),
    rt.ManifoldDiscriminativeNMF(lam=1.0),
    rt.MCCGR(),
    rt.RobustManifoldNMF(lam=0.1),
]


def other_estimators():
    """One of each exported estimator without a graph, with its defaults: a new one joins."""
    exported = [getattr(rt, name) for name in rt.__all__]
    models = [
        kind for kind in exported if inspect.isclass(kind) and issubclass(kind, BaseNMF)
    ]
    return [kind() for kind in models if not issubclass(kind, GraphNMF)]


def every_class():
    """Return every class of an estimator of the package, exported or of a paper."""
    kinds = [getattr(rt, name) for name in rt.__all__]
    for paper in published.PAPERS.values():
        kinds += [getattr(paper, name) for name in paper.__all__]
    models = [kind for kind in kinds if inspect.isclass(kind)]
    models = [kind for kind in models if issubclass(kind, BaseNMF)]
    return list(dict.fromkeys(models))


def as_published(model):
    """Return the model with its paper's solver and rules, as a class of the package.

    Its parameters then show in its name. An entrywise model of no paper gets the solver
    of the others.
    """
    changed = type(model)(**published.of(model).get_params())
    if isinstance(model, EntrywiseNMF) and changed.solver == "cd":
        changed.set_params(solver="mu")
    return changed


#: One of each kind of fit, with its defaults: coordinate descent where there is a
#: choice.
_KINDS = [
    *other_estimators(),
    rt.NMF(normalize="l1"),
    rt.NMF(normalize="l2"),
    rt.NMF(loss="kullback-leibler"),
    rt.NMF(loss="kullback-leibler", normalize="l1"),
    rt.RobustNMF(lam=1.0),
    rt.TruncatedCauchyNMF(outliers=None),
]
CD_ESTIMATORS = [model for model in _KINDS if hasattr(model, "solver")]
CD_ESTIMATORS = [
    m for m in CD_ESTIMATORS if getattr(m, "loss", "") != "kullback-leibler"
]
#: These, and each kind as published.
ESTIMATORS = [as_published(model) for model in _KINDS] + CD_ESTIMATORS

#: The models with a φ of every entry's divergence, and their other divergence and
#: groups.
ENTRYWISE = [model for model in other_estimators() if isinstance(model, EntrywiseNMF)]
OTHER_LOSSES = [
    clone(model).set_params(solver=solver, **{name: value})
    for models, name, value in (
        ([rt.NMF()], "loss", "kullback-leibler"),
        (ENTRYWISE, "divergence", "kullback-leibler"),
        ([rt.L21NMF(), rt.CappedNMF()], "group", "features"),
    )
    for model in models
    for solver in ("mu", "cd")
    if (type(model), solver) != (rt.NMF, "mu")  # which is there
]
for _model in OTHER_LOSSES:
    if _model.solver == "mu" and hasattr(_model, "scale"):
        _model.set_params(scale=0.2)  # to find one takes a fit of its own
EVERY = [*ESTIMATORS, *OTHER_LOSSES]
AND_GRAPHS = [*EVERY, *GRAPH_ESTIMATORS]


@st.composite
def data(draw, scales=(1e-6, 1.0, 1e6)):
    """Draw A (samples × features) with zeros and zero rows and columns, a rank and a scale."""
    n_samples, n_features = draw(st.sampled_from([(4, 9), (7, 5), (12, 6), (5, 14)]))
    r = draw(st.integers(1, 3))
    entries = st.one_of(st.just(0.0), st.floats(0.01, 1.0))
    A = draw(hnp.arrays(float, (n_samples, n_features), elements=entries))
    if draw(st.booleans()):
        A[draw(st.integers(0, n_samples - 1))] = 0
    if draw(st.booleans()):
        A[:, draw(st.integers(0, n_features - 1))] = 0
    scale = draw(st.sampled_from(scales))
    return A * scale, r, scale


def positive(shape, seed):
    """Return strictly positive uniform numbers."""
    return np.random.default_rng(seed).uniform(0.1, 1.0, shape)


def spoiled_start(n_samples):
    """Return data with a gross error and a sample that is off, their transpose, and a start."""
    A = positive((n_samples, 8), seed=0)
    A[3, 2] += 5
    A[7] = A[7, ::-1] * 4
    return A, A.T, positive((8, 3), seed=1), positive((3, n_samples), seed=2)


def in_units(model, unit):
    """Return the model with every parameter that is a size in the data fixed for such data."""
    given = model.get_params()
    sizes = {"scale": 0.2, "theta": 0.5 if given.get("group") == "samples" else 2.0}
    sizes |= {"outliers": 0.4} | (
        {"lam": 0.3} if isinstance(model, rt.RobustNMF) else {}
    )
    sizes = {
        name: number(given[name], size) for name, size in sizes.items() if name in given
    }
    found = {name: unit * size for name, size in sizes.items()}
    if isinstance(model, rt.L1RobustNMF):
        found["lam"] = number(model.lam, 0.04)  # which has no unit
    return clone(model).set_params(**found)


def number(given, otherwise):
    """Return what is given if it is a number."""
    return given if isinstance(given, float) else otherwise


def with_sizes(model):
    """Return the model with the sizes that it would have to find by a fit of its own."""
    sizes = {"scale": 0.2, "theta": 1.0, "lam": 0.1}
    asked = {
        name: size for name, size in sizes.items() if getattr(model, name, 0) is None
    }
    return clone(model).set_params(**asked)


def as_fitted(model):
    """Return an unfitted model whose parameters are fixed at what the fit ended with."""
    found = {
        "scale": "scale_",
        "theta": "theta_",
        "lam": "lam_",
        "outliers": "threshold_",
    }
    sizes = {
        name: getattr(model, at) for name, at in found.items() if hasattr(model, at)
    }
    if sizes.get("outliers") == np.inf:
        sizes["outliers"] = None
    return clone(model).set_params(**sizes)


def shown(model):
    """Return the fitted attributes of a model by name."""
    return {name: getattr(model, name) for name in vars(model) if name.endswith("_")}


#: The models whose solver can be chosen, which are those that take missing entries;
#: both solvers.
CHOOSING = [model for model in EVERY if hasattr(model, "solver")]

_CORNERS = [(4, 9, 2, 1e-6), (7, 5, 3, 1.0), (5, 14, 3, 1e6)]


def hard_fits(dtype, share_missing=0.0):
    """Yield data, a unit, a rank and a start: zeros, dead components and sizes far off."""
    for seed, (n, m, r, unit) in enumerate(_CORNERS):
        rng = np.random.default_rng(seed)
        A = np.where(rng.random((n, m)) < 0.3, 0, rng.uniform(0.01, 1, (n, m)))
        A[rng.random((n, m)) < 0.05] = 9
        if seed:
            A[1] = 0
            A[:, 2] = 0
        A = (A * unit).astype(dtype)
        if share_missing:
            A[hidden(A.shape, share_missing, seed)] = np.nan
        W, H = unit * rng.random((m, r)), rng.random((r, n))
        sparse = W * (rng.random(W.shape) < 0.4), H * (rng.random(H.shape) < 0.4)
        dead = W.copy(), H.copy()
        dead[0][:, 0] = 0
        dead[1][0] = 0
        dead[1][:, 0] = 0
        huge = (W * 1e4, H)
        tiny = (W, H * 1e-8)
        for start in (
            "random",
            "nndsvd",
            sparse,
            dead,
            huge,
            tiny,
            (W, H * 0),
            (W * 0, H),
        ):
            yield A, unit, r, start


def hidden(shape, share, seed=0):
    """Return a random part of the entries; each row and each column keeps one."""
    where = np.random.default_rng(seed).random(shape) < share
    where[np.arange(max(shape)) % shape[0], np.arange(max(shape)) % shape[1]] = False
    return where


def largest_rise(model, dtype, share_missing=0.0, given=np.asarray):
    """Return the largest relative rise of the objective in fits from all `hard_fits`.

    What is `given` to the fit is made of the data so.
    """
    worst = -np.inf
    for A, unit, r, start in hard_fits(dtype, share_missing):
        fitted = in_units(model, unit).set_params(max_iter=15, tol=0, random_state=0)
        fitted.set_params(n_components=r, init=start)
        try:
            history = fitted.fit(given(A)).objective_history_
        except ValueError as error:
            # Ratios cannot leave a start of zeros, and say so.
            assert "init has zeros only" in str(error) and 0 in map(np.max, start)
            continue
        assert np.isfinite(fitted.components_).all() and fitted.components_.min() >= 0
        # An objective at the rounding of the data cannot be asked to fall.
        X = np.nan_to_num(A).astype(float)
        rounding = (1e-13 if dtype == "f8" else 1e-6) * size_of_objective(model, X)
        history = np.maximum(history, rounding)
        worst = max(worst, float((np.diff(history) / history[:-1]).max()))
    return worst


def size_of_objective(model, X):
    """Return what the objective of a model is for W and H that are zero, up to a factor."""
    by_square = not isinstance(model, LinewiseNMF)
    by_square &= "kullback-leibler" not in (
        getattr(model, k, "") for k in ("loss", "divergence")
    )
    return (X**2 if by_square else X).sum()


def objective_at(model, X, W, H, y=None):
    """Return the objective at the start of a fit from these factors."""
    model = clone(model).set_params(n_components=W.shape[1], init=(W, H))
    return next(model.sweeps(X.T, y)).objective


def states_of(model, A, y=None):
    """Return the states of a fit: sweeps that also have the memory of the solver."""
    _, states = model._prepare(A, y)
    return list(states)


def loss_at(loss, X, W, H, memory=None):
    """Return the value of any loss at W and H, computed with new arrays.

    NaN is a missing entry of X. `memory` is that of the solver, for a loss that uses it.
    """
    work = work_for(X)
    return loss.total(work, loss.compare(work, W, H, memory))


def updated(solver, loss, X, W, H):
    """Return one update of W and H by a solver, computed with new arrays.

    NaN is a missing entry of X.
    """
    work = work_for(X)
    return solver.update(work, loss, loss.compare(work, W, H), None)


def near(one, other, rel=1e-9):
    """Fail if two arrays differ by more than a fraction of the largest entry of the second."""
    np.testing.assert_allclose(one, other, rtol=0, atol=rel * np.abs(other).max())


def peak(call):
    """Return the most bytes that the arrays of a call hold at once."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
