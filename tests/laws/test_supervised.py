"""The models with a graph: the graphs, the graph's term in each step, and what `fit` promises.

That CSNMF and SupervisedNMF are their paper's boxes is tested in test_papers.py.
"""

import numpy as np
import pytest
import scipy.optimize
from sklearn.base import clone
from sklearn.utils import get_tags

import rnmf_tutorial as rt
from rnmf_tutorial import checks
from rnmf_tutorial.models.graphs import LabelGraph, NeighborGraph
from rnmf_tutorial.papers import cheng
from tests.problems import GRAPH_ESTIMATORS, objective_at, peak, positive, spoiled_start

each_estimator = pytest.mark.parametrize("model", GRAPH_ESTIMATORS, ids=repr)
A, X, W0, H0 = spoiled_start(13)
Y = np.array(
    [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 1, 5]
)  # the last one is alone in its class
START = {"init": (W0, H0), "tol": 0, "n_components": 3}


def nearest(n_neighbors, labels):
    """Return which samples are among the nearest ones of either, by definition."""
    distance = np.linalg.norm(A[:, None] - A[None, :], axis=2)
    affinity = np.zeros((13, 13))
    for i in range(13):
        others = [j for j in range(13) if j != i and labels[j] == labels[i]]
        for j in sorted(others, key=lambda j, i=i: distance[i, j])[:n_neighbors]:
            affinity[i, j] = affinity[j, i] = 1
    return affinity


SAME_CLASS = (Y[:, None] == Y[None, :]) - np.eye(13)
ANY = np.zeros(13)


def laplacian(affinity):
    return np.diag(affinity.sum(axis=0)) - affinity


def affinity_of(model):
    """Return the affinity that the model takes for A and Y."""
    return SAME_CLASS if model.by_labels else nearest(5, ANY)


# ------------------------------------------------------------------ graphs


GRAPHS = {
    "labels": (LabelGraph(Y), SAME_CLASS),
    "near": (NeighborGraph(A), nearest(5, ANY)),
    "nearest": (NeighborGraph(A, 1), nearest(1, ANY)),
    "near in class": (NeighborGraph(A, 3, Y), nearest(3, Y)),
    "all": (NeighborGraph(A, 99), 1 - np.eye(13)),
}


@pytest.mark.parametrize(("graph", "affinity"), GRAPHS.values(), ids=GRAPHS)
def test_products_of_a_graph_are_those_of_the_dense_one(graph, affinity):
    assert np.allclose(graph.sums(H0), H0 @ affinity, rtol=1e-13)
    assert np.array_equal(graph.degrees, affinity.sum(axis=0))
    assert graph.energy(H0) == pytest.approx(
        np.trace(H0 @ laplacian(affinity) @ H0.T), rel=1e-12
    )
    pairs = ((H0[:, :, None] - H0[:, None, :]) ** 2).sum(axis=0)
    assert graph.energy(H0) == pytest.approx((affinity * pairs).sum() / 2, rel=1e-12)


def test_nothing_of_n_by_n_entries_is_formed_and_single_precision_takes_half():
    n = 50_000
    peaks = {}
    for dtype in ("f4", "f8"):
        graph = LabelGraph(np.arange(n) % 3, dtype)
        H = np.ones((9, n), dtype)
        assert graph.sums(H).dtype == graph.degrees.dtype == dtype
        peaks[dtype] = peak(lambda graph=graph, H=H: (graph.sums(H), graph.energy(H)))
        assert graph.energy(H) == 0
    assert peaks["f4"] < 0.6 * peaks["f8"]
    assert peaks["f8"] < 50 * 8 * n  # a dense affinity has 8 n²
    assert NeighborGraph(positive((1000, 2), 0), 5).affinity.nnz <= 2 * 5 * 1000


@pytest.mark.parametrize(
    "Model", [rt.ManifoldDiscriminativeNMF, rt.MCCGR, rt.RobustManifoldNMF]
)
def test_the_objective_is_the_printed_one(Model):
    """Those of CSNMF and of SupervisedNMF are compared with their boxes' objectives."""
    E, L = X - W0 @ H0, laplacian(affinity_of(Model))
    fit, weight = {
        rt.ManifoldDiscriminativeNMF: ((X * np.log(X / (W0 @ H0)) - E).sum(), 0.5),
        rt.MCCGR: ((1 - np.exp(-(E**2).sum(axis=1) / 4.5)).sum(), 0.5),
        rt.RobustManifoldNMF: (np.linalg.norm(E, axis=0).sum(), 1),
    }[Model]
    model = Model(lam=0.7, **({"scale": 1.5} if Model is rt.MCCGR else {}))
    value = fit + weight * 0.7 * np.trace(H0 @ L @ H0.T)
    assert objective_at(model, X, W0, H0, Y) == pytest.approx(value, rel=1e-12)


# --------------------------------------------------------- updates against literal ones


def literal_divergence(W, H, affinity, lam, sigma):
    """Every entry of H is the positive root of its quadratic slope."""
    D = affinity.sum(axis=0)
    while True:
        yield W, H
        pull = H * (W.T @ (X / (W @ H)) + lam * H @ affinity)
        push = W.sum(axis=0)[:, None]
        H = 2 * pull / (push + np.sqrt(push**2 + 4 * lam * D * pull))
        W = W * ((X / (W @ H)) @ H.T) / H.sum(axis=1)


def literal_rows(W, H, affinity, lam, sigma):
    """(21) and (22) with the weights of (4), also where they cancel."""
    while True:
        yield W, H
        s2 = (
            sigma**2
            if sigma != "published"
            else ((X - W @ H) ** 2).sum() / (2 * len(X))
        )
        Q = np.exp(-((X - W @ H) ** 2).sum(axis=1, keepdims=True) / (2 * s2))
        H = cheng.update_H(X, W, H, Q, affinity, lam, s2)
        W = cheng.update_W(X, W, H, Q)


def literal_columns(W, H, affinity, lam, sigma):
    """(18) of Díaz et al. with the graph's gradient 2λHL in the update of H."""
    while True:
        yield W, H
        D = np.diag(1 / np.linalg.norm(X - W @ H, axis=0))
        W = W * (X @ D @ H.T) / (W @ H @ D @ H.T)
        up = W.T @ X @ D + 2 * lam * H @ affinity
        H = H * up / (W.T @ W @ H @ D + 2 * lam * H @ np.diag(affinity.sum(axis=0)))


LITERAL = [
    (rt.ManifoldDiscriminativeNMF(), literal_divergence),
    (rt.MCCGR(), literal_rows),
]
LITERAL += [
    (rt.MCCGR(scale=1.5), literal_rows),
    (rt.RobustManifoldNMF(), literal_columns),
]


@pytest.mark.parametrize(("model", "literal"), LITERAL)
@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_sweeps_equal_the_literal_ones(model, literal, lam):
    model = clone(model).set_params(lam=lam, max_iter=30, **START)
    steps = literal(W0, H0, affinity_of(model), lam, getattr(model, "scale", None))
    expected = [next(steps) for _ in range(31)]
    ours = checks.iterates(model, A, Y)
    for factor in (0, 1):
        checks.same_iterates(
            [pair[factor] for pair in expected], [pair[factor] for pair in ours]
        )


# ------------------------------------------------------- what fit and transform promise


@each_estimator
def test_with_a_tolerance_fit_and_transform_agree(model):
    """Without one the coefficients stay as the graph has shaped them."""
    model = clone(model).set_params(max_iter=7, **START)
    assert np.array_equal(
        checks.iterates(model, A, Y)[-1][1], model.fit_transform(A, Y).T
    )
    model.set_params(init="random", random_state=0, max_iter=500, tol=1e-4)
    assert np.array_equal(model.fit_transform(A, Y), model.transform(A))


@each_estimator
def test_both_encodings(model):
    model = clone(model).set_params(n_components=3, max_iter=50, tol=0, random_state=0)
    model.set_params(encoding="nnls").fit(A, Y)
    W = model.components_.T
    new = positive((6, 8), 4)
    new[3:] = np.eye(3, 8)  # far from what the basis can be
    exact = [scipy.optimize.nnls(W, a)[0] for a in new]
    assert np.allclose(model.transform(new), exact, rtol=1e-7, atol=1e-9)
    F = model.set_params(encoding="pinv").transform(new)
    assert F.min() < -0.01
    assert np.allclose(
        F, [np.linalg.lstsq(W, a, rcond=None)[0] for a in new], rtol=1e-9
    )
    assert np.allclose(F[2:3], model.transform(new[2:3]), rtol=1e-12, atol=1e-14)


# ------------------------------------------------------------------ labels


BAD_LABELS = [
    (None, "{} requires y to be passed"),
    (Y[:-1], "inconsistent numbers of samples"),
    (np.r_[Y[:-1], np.nan], "y contains NaN"),
    (np.array(["a"] * 12 + [np.nan], object), "contains NaN"),
    (np.linspace(0, 1, 13), "Unknown label type"),
    (np.ones((13, 2)), "1d array"),
]


@each_estimator
def test_bad_labels_are_refused_where_labels_are_required(model):
    assert get_tags(model).target_tags.required == model.by_labels
    for y, message in BAD_LABELS if model.by_labels else ():
        with pytest.raises(ValueError, match=message.format(type(model).__name__)):
            clone(model).fit(A, y)
