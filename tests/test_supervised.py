"""The models with a graph: the graphs, the graph's term in each step, and what `fit` promises."""

import tracemalloc

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from rnmf_tutorial.models.graphs.graph import LabelGraph, NeighborGraph, checked_labels
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

from rnmf_tutorial import (
    CIMNMF,
    CSNMF,
    L21NMF,
    MCCGR,
    NMF,
    ManifoldDiscriminativeNMF,
    RobustManifoldNMF,
    SupervisedNMF,
    checks,
)
from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.papers import cheng
from tests.problems import GRAPH_ESTIMATORS, as_fitted, data, in_units, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
each_estimator = pytest.mark.parametrize("model", GRAPH_ESTIMATORS, ids=repr)
MODELS = [CSNMF, SupervisedNMF, ManifoldDiscriminativeNMF, MCCGR, RobustManifoldNMF]
each_model = pytest.mark.parametrize("Model", MODELS)

A = positive((13, 8), seed=0)
A[3, 2] += 5
A[7] = A[7, ::-1] * 4
Y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 1, 5])  # the last one is alone in its class
X, W0, H0 = A.T, positive((8, 3), seed=1), positive((3, 13), seed=2)
START = {"init": (W0, H0), "tol": 0, "n_components": 3}


def fixed(Model, lam, **options):
    """Return the model, at a fixed scale if it has one."""
    scale = {CSNMF: {"scale": 0.3}, MCCGR: {"scale": 1.5}}.get(Model, {})
    return Model(lam=lam, **scale, **options)


def dense(graph):
    """Return A and L as matrices, from the definition of a label graph or the stored affinity."""
    if isinstance(graph, NeighborGraph):
        affinity = graph.affinity.toarray()
    else:
        affinity = (Y[:, None] == Y[None, :]) * 1.0 - np.eye(len(Y))
    return affinity, np.diag(affinity.sum(axis=0)) - affinity


SCIKIT_LEARN = [
    pytest.param(estimator, check, id=f"{estimator!r}-{check.func.__name__}-{number}")
    for model in GRAPH_ESTIMATORS
    for number, (estimator, check) in enumerate(estimator_checks_generator(model))
    if check.func.__name__ != "check_array_api_input"
]


@pytest.mark.parametrize(("estimator", "check"), SCIKIT_LEARN)
@pytest.mark.slow
def test_scikit_learn(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ graphs


GRAPHS = [LabelGraph(Y), NeighborGraph(A, 3), NeighborGraph(A, 3, Y), NeighborGraph(A, 99)]


@pytest.mark.parametrize("graph", GRAPHS, ids=["labels", "near", "near in class", "all"])
def test_graph_products_equal_the_dense_ones(graph):
    affinity, L = dense(graph)
    assert np.allclose(graph.sums(H0), H0 @ affinity, rtol=1e-13)
    assert np.array_equal(graph.degrees, affinity.sum(axis=0))
    assert graph.energy(H0) == pytest.approx(np.trace(H0 @ L @ H0.T), rel=1e-12)


@pytest.mark.parametrize("graph", GRAPHS, ids=["labels", "near", "near in class", "all"])
def test_the_sum_over_pairs_is_twice_the_trace(graph):
    affinity, _ = dense(graph)
    pairs = sum(
        affinity[i, j] * ((H0[:, i] - H0[:, j]) ** 2).sum() for i in range(13) for j in range(13)
    )
    assert pairs == pytest.approx(2 * graph.energy(H0), rel=1e-12)


@pytest.mark.parametrize("y", [None, Y], ids=["all", "in class"])
def test_neighbors_are_the_nearest_ones_of_either(y):
    labels = np.zeros(13) if y is None else y
    distance = np.linalg.norm(A[:, None] - A[None, :], axis=2)
    expected = np.zeros((13, 13))
    for i in range(13):
        others = [j for j in range(13) if j != i and labels[j] == labels[i]]
        for j in sorted(others, key=lambda j: distance[i, j])[:2]:
            expected[i, j] = expected[j, i] = 1
    assert np.array_equal(NeighborGraph(A, 2, y).affinity.toarray(), expected)


def test_nothing_of_n_by_n_entries_is_formed():
    n = 50_000
    y, H = np.arange(n) % 3, np.ones((2, n))
    tracemalloc.start()
    graph = LabelGraph(y)
    graph.sums(H), graph.energy(H)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30 * 8 * n  # a dense affinity has 8 n²
    near = NeighborGraph(positive((1000, 2), 0), 5)
    assert near.affinity.nnz <= 2 * 5 * 1000


def test_names_of_the_labels_do_not_matter():
    names = np.array(["w", "x", "y", "u", "u", "z"])[Y]
    fits = [CSNMF(lam=0.1, max_iter=20, tol=0, random_state=0).fit(A, y) for y in (Y, names)]
    assert np.array_equal(fits[0].components_, fits[1].components_)


# ------------------------------------------------------------------ objectives and gradients


@each_model
def test_objectives_are_the_printed_ones(Model):
    model = fixed(Model, 0.7, max_iter=1, **START).fit(A, Y)
    E, (_, L) = X - W0 @ H0, dense(model.graph_)
    graph = 0.7 * np.trace(H0 @ L @ H0.T)
    printed = {
        CSNMF: lambda: (1 - np.exp(-(E**2) / (2 * 0.3**2))).mean() + graph / 2,
        SupervisedNMF: lambda: (E**2).sum() / 2 + graph / 2,
        ManifoldDiscriminativeNMF: lambda: (
            (X * np.log(X / (W0 @ H0)) - X + W0 @ H0).sum() + graph / 2
        ),
        MCCGR: lambda: (1 - np.exp(-(E**2).sum(axis=1) / (2 * 1.5**2))).sum() + graph / 2,
        RobustManifoldNMF: lambda: np.linalg.norm(E, axis=0).sum() + graph,
    }
    assert model.objective_history_[0] == pytest.approx(printed[Model](), rel=1e-12)
    assert model.objective(X, W0, H0) == pytest.approx(printed[Model](), rel=1e-12)


@each_model
def test_every_entry_of_H_moves_against_its_gradient(Model):
    model = fixed(Model, 0.5, max_iter=1, **START).fit(A, Y)
    E, (_, L) = X - W0 @ H0, dense(model.graph_)
    graph = 0.5 * H0 @ L
    data_term = {
        CSNMF: lambda: -(W0.T @ (np.exp(-(E**2) / 0.18) * E)) / (E.size * 0.09),
        SupervisedNMF: lambda: -W0.T @ E,
        ManifoldDiscriminativeNMF: lambda: W0.T @ (1 - X / (W0 @ H0)),
        MCCGR: lambda: -W0.T @ (np.exp(-(E**2).sum(axis=1) / 4.5)[:, None] * E) / 2.25,
        RobustManifoldNMF: lambda: -W0.T @ (E / np.linalg.norm(E, axis=0)) + graph,
    }
    gradient = data_term[Model]() + graph
    checks.gradient_matches(lambda H: model.objective(X, W0, H), gradient, H0, step=1e-4, rtol=1e-6)
    _, H, _ = model.sweep(X, W0, H0, model.start(X, W0, H0))
    if Model is not RobustManifoldNMF:  # which updates W first
        assert (np.sign(H0 - H) == np.sign(gradient)).all()


# ------------------------------------------------------------------ updates against literal ones
# (those of CSNMF and SupervisedNMF run beside their box in test_papers.py)


def literal_divergence(W, H, L, affinity, lam, sigma):
    """Every entry of H minimizes the surrogate, by a root-finder."""
    D = np.diag(L + affinity)
    while True:
        yield W, H
        pull = H * (W.T @ (X / (W @ H)) + lam * H @ affinity)
        push = W.sum(axis=0)

        def slope(h, k, j, pull=pull, push=push):
            return lam * D[j] * h + push[k] - pull[k, j] / h

        H = np.array(
            [
                [scipy.optimize.brentq(slope, 1e-12, 1e3, (k, j), xtol=1e-15) for j in range(13)]
                for k in range(3)
            ]
        )
        W = W * ((X / (W @ H)) @ H.T) / H.sum(axis=1)


def literal_rows(W, H, L, affinity, lam, sigma):
    """(21) and (22) with the weights of (4), also where they cancel."""
    while True:
        yield W, H
        s2 = sigma**2 if sigma else ((X - W @ H) ** 2).sum() / (2 * len(X))
        Q = np.exp(-((X - W @ H) ** 2).sum(axis=1, keepdims=True) / (2 * s2))
        H = cheng.update_H(X, W, H, Q, affinity, lam, s2)
        W = cheng.update_W(X, W, H, Q)


def literal_columns(W, H, L, affinity, lam, sigma):
    """(18) of Díaz et al. with the graph's gradient 2λHL in the update of H."""
    while True:
        yield W, H
        D = np.diag(1 / np.linalg.norm(X - W @ H, axis=0))
        W = W * (X @ D @ H.T) / (W @ H @ D @ H.T)
        up = W.T @ X @ D + 2 * lam * H @ affinity
        H = H * up / (W.T @ W @ H @ D + 2 * lam * H @ (L + affinity))


LITERAL = {
    ManifoldDiscriminativeNMF: literal_divergence,
    MCCGR: literal_rows,
    RobustManifoldNMF: literal_columns,
}


@pytest.mark.parametrize("Model", LITERAL)
@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_sweeps_equal_the_literal_ones(Model, lam, adaptive):
    model = (
        Model(lam=lam, max_iter=30, **START)
        if adaptive
        else fixed(Model, lam, max_iter=30, **START)
    )
    affinity, L = dense(clone(model).fit(A, Y).graph_)
    literal = LITERAL[Model](W0, H0, L, affinity, lam, getattr(model, "scale", None))
    expected = [next(literal) for _ in range(31)]
    ours = checks.iterates(model, A, Y)
    for factor in (0, 1):
        checks.same_iterates([pair[factor] for pair in expected], [pair[factor] for pair in ours])


@pytest.mark.parametrize(
    ("model", "plain"),
    [
        (CSNMF(lam=0), CIMNMF()),
        (CSNMF(lam=0, scale=0.3), CIMNMF(scale=0.3)),
        (SupervisedNMF(lam=0), NMF()),
        (ManifoldDiscriminativeNMF(lam=0), NMF(loss="kullback-leibler")),
        (RobustManifoldNMF(lam=0), L21NMF()),
    ],
    ids=repr,
)
def test_without_its_weight_the_graph_does_nothing(model, plain):
    runs = [checks.iterates(m.set_params(max_iter=40, **START), A, Y) for m in (model, plain)]
    assert checks.same_iterates(*[[W @ H for W, H in run] for run in runs]) < 1e-10


def test_a_sample_alone_in_its_class_has_no_neighbors():
    runs = [
        [W @ H for W, H in checks.iterates(m, A, np.arange(13))]
        for m in (CSNMF(lam=9.0, max_iter=30, **START), CIMNMF(max_iter=30, **START))
    ]
    checks.same_iterates(*runs)


class NearNMF(SupervisedNMF):
    """The Euclidean model on the graph of nearest neighbors."""

    def make_graph(self, X, y):
        return NeighborGraph(X.T)


@pytest.mark.parametrize(
    ("model", "plain", "size"), [(CSNMF(), SupervisedNMF(), 104), (MCCGR(), NearNMF(), 1)], ids=repr
)
def test_a_large_scale_gives_squared_errors(model, plain, size):
    scale = 1e5  # the loss is E² / 2σ², summed or averaged
    model.set_params(lam=0.5 / (size * scale**2), scale=scale, max_iter=40, **START)
    plain.set_params(lam=0.5, max_iter=40, **START)
    runs = [[H for _, H in checks.iterates(m, A, Y)] for m in (model, plain)]
    assert checks.same_iterates(*runs, rtol=1e-8) < 1e-8


# ------------------------------------------------------------------ descent


@each_model
@settings(max_examples=40, deadline=None)
@given(problem=data(), lam=st.sampled_from([0.0, 1e-5, 1e-2, 1.0, 1e3]), seed=st.integers(0, 99))
def test_every_sweep_descends_and_stays_finite(Model, problem, lam, seed):
    A, r, scale = problem
    y = np.random.default_rng(seed).integers(0, 3, len(A))
    model = in_units(Model(lam=lam), scale)
    model.set_params(n_components=r, max_iter=15, tol=0, random_state=seed)
    Ht = model.fit_transform(A, y)
    for factor in (Ht, model.components_):
        assert np.isfinite(factor).all() and factor.min() >= 0
    history = model.objective_history_
    # An objective at rounding level of the data, or of the start, cannot be asked to fall.
    sizes = {CSNMF: 1.0, MCCGR: 1.0, SupervisedNMF: np.vdot(A, A)}
    noise = 1e-13 * max(sizes.get(Model, A.sum()), history[0])
    checks.decreases(np.maximum(history, noise) if noise else history + 1, rtol=1e-9)


@each_model
@pytest.mark.parametrize("lam", [1e-5, 1e-2, 10.0])
def test_long_runs_descend(Model, lam):
    for seed in range(3):
        model = fixed(Model, lam, n_components=3, max_iter=300, tol=0, random_state=seed)
        checks.decreases(model.fit(A, Y).objective_history_)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), lam=st.sampled_from([0.0, 0.1, 10.0]))
def test_half_the_curvature_is_below_the_step(seed, lam):
    """The lemma of the descent: 2M - K - λL is positive semidefinite, though M - K - λL is not."""
    rng = np.random.default_rng(seed)
    n, r = 4, 2
    affinity = np.triu(rng.random((n, n)) < 0.6, 1) * 1.0
    affinity += affinity.T
    D = np.diag(affinity.sum(axis=0))
    W, H = rng.random((5, r)) + 0.01, rng.random((r, n)) + 0.01
    blocks = [W.T @ (rng.random(5)[:, None] * W) for _ in range(n)]
    K = scipy.linalg.block_diag(*blocks)  # coefficients stacked sample by sample
    h = H.T.ravel()
    M = np.diag((K @ h) / h) + lam * np.kron(D, np.eye(r))
    hessian = K + lam * np.kron(D - affinity, np.eye(r))
    assert np.linalg.eigvalsh(2 * M - hessian).min() >= -1e-10 * np.abs(M).max()


def test_the_step_alone_does_not_bound_the_curvature():
    # One component and two neighbors: M - K - λL is λA, whose eigenvalues are λ and -λ.
    W, h, lam = np.ones((1, 1)), np.array([1.0, 1.0]), 2.0
    x = np.array([1.0, 1.0])

    def objective(v):
        return 0.5 * ((x - W[0] * v) ** 2).sum() + lam / 2 * (v[0] - v[1]) ** 2

    def surrogate(v, h):
        gradient = (h - x) + lam * (h - h[::-1])
        return objective(h) + gradient @ (v - h) + 0.5 * (1 + lam) * ((v - h) ** 2).sum()

    with pytest.raises(AssertionError, match="lies below"):
        checks.majorizes(surrogate, objective, h, [np.array([1.5, 0.5])])


# ------------------------------------------------------------------ sabotaged models


class Swapped(SupervisedNMF):
    """D and A in each other's place."""

    def pull(self, H, weight):
        return super().pull(H, weight)[::-1]


class NeighborsOnly(SupervisedNMF):
    """The part of the degrees is forgotten."""

    def pull(self, H, weight):
        HA, _ = super().pull(H, weight)
        return HA, 0


class WithoutSigma(CSNMF):
    """The factor mnσ² of (21) is forgotten on one side."""

    def pull(self, H, weight):
        _, HD = super().pull(H, weight)
        return self.lam * self.graph_.sums(H), HD


class StaleWeights(CSNMF):
    """The weights are found once and never again."""

    def sweep(self, X, W, H, now):
        Q = self.first = getattr(self, "first", now.Q.copy())
        HA, HD = self.pull(H, self.lam_ * X.size * now.scale**2)
        H = H * ratio(W.T @ (Q * X) + HA, W.T @ (Q * (W @ H)) + HD)
        W = W * ratio((Q * X) @ H.T, (Q * (W @ H)) @ H.T)
        return W, H, self.weigh(X, W, H, now.next())


class PlainWeight(RobustManifoldNMF):
    """The weights d are left out next to the graph, as if they still cancelled."""

    def pull(self, H, weight):
        return super().pull(H, 50 * self.lam)


@pytest.mark.parametrize(
    "model",
    [
        Swapped(lam=1.0, max_iter=5),
        NeighborsOnly(lam=1.0, max_iter=5),
        WithoutSigma(lam=0.1, scale=0.05, max_iter=5),
        StaleWeights(scale=0.5, max_iter=200),
        PlainWeight(lam=0.5, max_iter=200),
    ],
    ids=lambda model: type(model).__name__,
)
def test_descent_catches_wrong_steps(model):
    def run():
        for seed in range(6):  # the right steps pass with every seed, above
            model.set_params(n_components=3, tol=0, random_state=seed).fit(A, Y)
            checks.decreases(model.objective_history_)

    with pytest.raises(AssertionError, match="raises the objective"):
        run()


# ------------------------------------------------------------------ what fit and transform promise


@each_estimator
def test_history_starts_at_the_start_point_and_ends_at_the_fit(model):
    model = clone(model).set_params(max_iter=7, **START)
    Ht = model.fit_transform(A, Y)
    assert model.n_iter_ == 7 and model.objective_history_.shape == (8,)
    assert model.objective_history_[0] == pytest.approx(model.objective(X, W0, H0), rel=1e-12)
    final = as_fitted(model).fit(A, Y)  # the same graph, and the scale that the fit ended with
    value = final.objective(X, model.components_.T, Ht.T)
    assert model.objective_history_[-1] == pytest.approx(value, rel=1e-12)


@each_estimator
def test_with_a_tolerance_fit_and_transform_agree_and_without_the_graph_has_shaped_H(model):
    model = clone(model).set_params(n_components=3, max_iter=500, tol=1e-4, random_state=0)
    assert np.array_equal(model.fit_transform(A, Y), model.transform(A))
    seen = []
    model.set_params(tol=0, max_iter=9, callback=lambda _, W, H, *__: seen.append(H.copy()))
    assert np.array_equal(model.fit_transform(A, Y), seen[-1].T)


@each_model
def test_both_encodings(Model):
    model = Model(3, max_iter=50, tol=0, random_state=0).fit(A, Y)
    W, new = model.components_.T, positive((6, 8), 4)
    new[3:] = np.eye(3, 8)  # far from what the basis can be
    exact = [scipy.optimize.nnls(W, a)[0] for a in new]
    assert np.allclose(model.transform(new), exact, rtol=1e-7, atol=1e-9)
    model.set_params(encoding="pinv")
    F = model.transform(new)
    assert F.min() < -0.01
    assert np.allclose(F, [np.linalg.lstsq(W, a, rcond=None)[0] for a in new], rtol=1e-9)
    assert np.allclose(F[2:3], model.transform(new[2:3]), rtol=1e-12, atol=1e-14)


@each_estimator
def test_float32_is_kept_and_agrees(model):
    options = {"max_iter": 30, "tol": 0, "random_state": 0}
    double = clone(model).set_params(**options).fit(A, Y)
    single = clone(model).set_params(**options)
    Ht = single.fit_transform(A.astype("f4"), Y)
    assert Ht.dtype == single.components_.dtype == single.transform(A.astype("f4")).dtype == "f4"
    assert single.objective_history_[-1] == pytest.approx(double.objective_history_[-1], rel=1e-3)


@each_estimator
def test_zero_rows_columns_and_matrices(model):
    B = A.copy()
    B[2], B[:, 5] = 0, 0
    model = clone(model).set_params(max_iter=50, tol=0, random_state=0).fit(B, Y)
    assert not model.components_[:, 5].any() and not model.transform(B)[2].any()
    for init in ("random", "nndsvd", "nndsvda", "nndsvdar"):
        zero = clone(model).set_params(init=init).fit(np.zeros((4, 5)), [0, 0, 1, 1])
        assert not zero.components_.any() and not zero.transform(np.zeros((2, 5))).any()


def test_row_weights_belong_to_the_final_factors():
    model = MCCGR(3, lam=0.1, max_iter=30, tol=0, random_state=0)
    Ht = model.fit_transform(A)
    squares = ((A - Ht @ model.components_) ** 2).sum(axis=0)
    assert model.scale_**2 == pytest.approx(squares.mean() / 2, rel=1e-10)
    assert np.allclose(model.weights_, np.exp(-squares / (2 * model.scale_**2)), rtol=1e-9)


def test_the_labels_pull_the_coefficients_of_a_class_together():
    def spread(lam):
        model = SupervisedNMF(3, lam=lam, max_iter=500, tol=0, random_state=0)
        H = model.fit_transform(A, Y).T
        return model.graph_.energy(H) / np.vdot(H, H)

    assert spread(10.0) < 0.1 * spread(0.0)


@pytest.mark.slow
def test_many_sweeps_shift_the_scale_and_undo_the_graph():
    # cW and H/c cost less than W and H: the model has no minimizer.
    model = SupervisedNMF(3, lam=10.0, tol=0, random_state=0)
    sizes, spreads = [], []
    for sweeps in (20, 200, 2000, 20000):
        H = model.set_params(max_iter=sweeps).fit_transform(A, Y).T
        sizes.append(np.linalg.norm(model.components_))
        spreads.append(model.graph_.energy(H) / np.vdot(H, H))
    assert (np.diff(sizes) > 0).all() and sizes[-1] > 10 * sizes[0]
    assert spreads[-1] > 2 * min(spreads)
    W = model.components_.T
    assert model.objective(A.T, 2 * W, H / 2) < model.objective(A.T, W, H)


def test_a_pipeline_passes_the_labels_on():
    pipeline = make_pipeline(CSNMF(3, random_state=0), KNeighborsClassifier(1))
    assert pipeline.fit(A, Y).score(A, Y) == 1


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "CSNMF requires y to be passed"),
        (Y[:-1], "inconsistent numbers of samples"),
        (np.r_[Y[:-1], np.nan], "y contains NaN"),
        (np.array(["a"] * 12 + [np.nan], object), "contains NaN"),
        (np.linspace(0, 1, 13), "Unknown label type"),
        (np.ones((13, 2)), "1d array"),
    ],
)
def test_bad_labels(y, message):
    with pytest.raises(ValueError, match=message):
        CSNMF().fit(A, y)


@each_estimator
@pytest.mark.parametrize("lam", [-0.1, np.nan, np.inf])
def test_bad_weights_of_the_graph(model, lam):
    with pytest.raises(ValueError, match=r"lam == .*must be"):
        clone(model).set_params(lam=lam).fit(A, Y)


@each_estimator
def test_bad_encoding_and_neighbors(model):
    with pytest.raises(ValueError, match="encoding='svd' is not known; use 'nnls' or 'pinv'"):
        clone(model).set_params(encoding="svd").fit(A, Y)
    if hasattr(model, "n_neighbors"):
        with pytest.raises(ValueError, match="n_neighbors == 0, must be >= 1"):
            clone(model).set_params(n_neighbors=0).fit(A, Y)


def test_labels_in_a_column_are_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector"):
        found = checked_labels(np.ones((2, 3)), np.array([[0], [1], [1]]), "CSNMF")
    assert found.tolist() == [0, 1, 1]


def test_one_neighbor_is_a_neighbor():
    graph = NeighborGraph(np.array([[0.0], [1.0], [3.0]]), n_neighbors=1)
    assert graph.affinity.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert graph.degrees.tolist() == [1, 2, 1]


def test_labels_are_required_by_tag_and_asked_for_by_name():
    for Model in (SupervisedNMF, ManifoldDiscriminativeNMF, CSNMF):
        assert get_tags(Model()).target_tags.required
    for Model in (MCCGR, RobustManifoldNMF):
        assert not get_tags(Model()).target_tags.required
    with pytest.raises(ValueError, match="ManifoldDiscriminativeNMF"):
        ManifoldDiscriminativeNMF(2).fit(A, None)


@pytest.mark.parametrize("Model", [MCCGR, RobustManifoldNMF])
def test_a_fit_joins_as_many_neighbors_as_asked(Model):
    for n_neighbors in (1, 2, 7):
        model = Model(2, n_neighbors=n_neighbors, max_iter=1, tol=0, random_state=0).fit(A)
        expected = NeighborGraph(A, n_neighbors).affinity.toarray()
        assert np.array_equal(model.graph_.affinity.toarray(), expected)
        assert model.graph_.degrees.min() >= n_neighbors
    assert get_tags(Model()).target_tags.required is False


def test_a_graph_of_labels_in_single_precision_takes_half_the_memory():
    n, peaks = 100_000, {}
    for dtype in ("f4", "f8"):
        graph, H = LabelGraph(np.arange(n) % 3, dtype), np.ones((9, n), dtype)
        assert graph.sums(H).dtype == dtype
        assert graph.degrees.dtype == dtype
        tracemalloc.start()
        assert graph.energy(H) == 0
        peaks[dtype] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks["f4"] < 0.6 * peaks["f8"]
