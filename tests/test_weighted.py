"""The weighted models: their losses, the surrogate, and the updates against literal ones."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rnmf_tutorial.models import ColumnwiseNMF
from rnmf_tutorial.models.distances import column_norms, huber
from sklearn.base import clone

from rnmf_tutorial import (
    CIMNMF,
    L21NMF,
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    HypersurfaceNMF,
    RobustNMF,
    checks,
)
from rnmf_tutorial.arrays import ratio
from tests.problems import as_fitted, data, in_units, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
ENTRYWISE = [HuberNMF, CIMNMF, CauchyNMF, HypersurfaceNMF]
COLUMNWISE = [L21NMF(), CappedNMF(theta=1.0)]
each_loss = pytest.mark.parametrize("Model", ENTRYWISE)
each_column_loss = pytest.mark.parametrize("model", COLUMNWISE, ids=repr)
each_model = pytest.mark.parametrize(
    "model", [Model(scale=0.2) for Model in ENTRYWISE] + COLUMNWISE, ids=repr
)

A = positive((11, 8), seed=0)
A[3, 2] += 5
A[7] = A[7, ::-1] * 4
X, W0, H0 = A.T, positive((8, 3), seed=1), positive((3, 11), seed=2)
START = {"init": (W0, H0), "tol": 0, "n_components": 3}


def value(Model, e, scale):
    """Return the loss of single residuals."""
    u = np.atleast_1d(e) ** 2 / scale**2
    return scale**2 * Model.loss(u, Model.weight(u))


# ------------------------------------------------------------------ losses, weights, scales


# Table I of Guan et al. with its slips mended, times the factor that makes a small residual cost
# its square.
TABLE_I = {
    HuberNMF: lambda e, c: np.where(abs(e) <= c, e**2, 2 * c * abs(e) - c**2),
    CIMNMF: lambda e, s: 2 * s**2 * (1 - np.exp(-(e**2) / (2 * s**2))),
    CauchyNMF: lambda e, g: g**2 * np.log(1 + (e / g) ** 2),
    HypersurfaceNMF: lambda e, c: 2 * c**2 * (np.sqrt(1 + (e / c) ** 2) - 1),
}


@each_loss
def test_losses_are_those_of_the_table(Model):
    e = np.linspace(-8, 8, 161)
    for scale in (0.1, 1.0, 3.0):
        assert np.allclose(value(Model, e, scale), TABLE_I[Model](e, scale), rtol=1e-12)
    # Near zero the formulas above lose their digits; the loss must not.
    assert value(Model, 1e-8, 1.0)[0] == pytest.approx(1e-16, rel=1e-12, abs=0)


@each_loss
@settings(max_examples=200, deadline=None)
@given(u=st.one_of(st.floats(1e-3, 50), st.sampled_from([1 - 1e-4, 1 + 1e-4])))
def test_weights_are_the_derivative_by_the_squared_residual(Model, u):
    step = 4e-5 * min(1, u)
    assume(abs(u - 1) > step)  # stay on one side of Huber's breakpoint
    low, high = value(Model, np.sqrt([u - step, u + step]), 1.0)
    weight = Model.weight(np.array([u]))[0]
    assert (high - low) / (2 * step) == pytest.approx(weight, rel=1e-6, abs=1e-11)
    assert Model.weight(np.zeros(1)) == 1


@each_column_loss
@pytest.mark.parametrize("length", [1e-3, 0.5, 0.99, 1.01, 7.0])
def test_column_weights_are_twice_the_derivative_by_the_squared_length(model, length):
    squares = length**2 + np.array([-1, 1]) * 1e-6 * length**2
    slope = np.diff(model.loss(np.sqrt(squares))) / np.diff(squares)
    assert 2 * slope == pytest.approx(model.weight(np.array([length])), rel=1e-9)


@each_model
def test_weights_give_the_gradient_of_the_objective(model):
    W, H = W0 / 2, H0  # away from Huber's and the cap's breakpoints
    state = model.start(X, W, H)
    Q = state.d / 2 if isinstance(model, ColumnwiseNMF) else state.Q
    E = X - W @ H
    checks.gradient_matches(
        lambda V: model.objective(X, V, H), -2 * (Q * E) @ H.T, W, step=1e-4, rtol=1e-6
    )
    checks.gradient_matches(
        lambda V: model.objective(X, W, V), -2 * W.T @ (Q * E), H, step=1e-4, rtol=1e-6
    )


@each_loss
@settings(max_examples=60, deadline=None)
@given(at=st.floats(0.0, 20), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_the_tangent_by_the_squared_residual_is_a_surrogate(Model, at, scale):
    at *= scale
    (q,) = Model.weight(np.array([(at / scale) ** 2]))

    def loss(e):
        return float(value(Model, e, scale)[0])

    def tangent(e, at):
        return loss(at) + q * (e**2 - at**2)

    points = scale * np.concatenate([np.linspace(-30, 30, 121), [1e-9, 1 - 1e-9, 1 + 1e-9]])
    checks.majorizes(tangent, loss, at, points)


@each_column_loss
@settings(max_examples=60, deadline=None)
@given(at=st.floats(1e-3, 5))
def test_the_tangent_by_the_squared_length_is_a_surrogate(model, at):
    def loss(length):
        return float(model.loss(np.array([length]))[0])

    def tangent(length, at):
        return loss(at) + float(model.weight(np.array([at]))[0]) / 2 * (length**2 - at**2)

    checks.majorizes(tangent, loss, at, np.linspace(0, 10, 201))


@pytest.mark.parametrize("shape", [(7, 5), (6, 5)])  # an odd and an even number of entries
def test_scales_are_the_published_estimates(shape):
    E = np.random.default_rng(0).standard_normal(shape)
    assert HuberNMF.estimate_scale(E**2) == pytest.approx(np.median(np.abs(E)), rel=1e-14)
    assert CIMNMF.estimate_scale(E**2) ** 2 == pytest.approx((E**2).mean() / 2, rel=1e-14)
    assert HypersurfaceNMF.estimate_scale(E**2) == HuberNMF.estimate_scale(E**2)


def test_nagy_ends_at_the_maximum_likelihood_and_every_step_climbs():
    E = np.random.default_rng(0).standard_cauchy((60, 70)) * 0.3

    def negative_log_likelihood(log_scale):
        return log_scale + np.log1p((E / np.exp(log_scale)) ** 2).mean()

    best = scipy.optimize.minimize_scalar(negative_log_likelihood, bracket=(-3, 1), tol=1e-12)
    assert CauchyNMF.estimate_scale(E**2) == pytest.approx(np.exp(best.x), rel=1e-5)
    for start in (1e-3, 50.0):
        scales = [start]
        for _ in range(40):
            scales.append(CauchyNMF.estimate_scale(E**2, scales[-1]))
        checks.decreases([10 + negative_log_likelihood(np.log(scale)) for scale in scales])
        assert scales[-1] == pytest.approx(np.exp(best.x), rel=1e-6)


# ------------------------------------------------------------------ updates


class Literal(CauchyNMF):
    """The weighted updates as the papers print them, for any loss of one residual."""

    Loss = CauchyNMF

    def sweep(self, X, W, H, now):
        def weights(W, H):
            return self.Loss.weight((X - W @ H) ** 2 / now.scale**2)

        H = H * (W.T @ (weights(W, H) * X)) / (W.T @ (weights(W, H) * (W @ H)))
        W = W * ((weights(W, H) * X) @ H.T) / ((weights(W, H) * (W @ H)) @ H.T)
        return W, H, self.start(X, W, H)


@each_loss
def test_entrywise_sweeps_equal_the_literal_ones(Model):
    literal = Literal(scale=0.2, max_iter=40, **START)
    literal.Loss = Model
    kept = []
    literal.set_params(callback=lambda _, W, H, *__: kept.append(W @ H)).fit(A)
    ours = [W @ H for W, H in checks.iterates(Model(scale=0.2, max_iter=40, **START), A)]
    assert checks.same_iterates(kept, ours) < 1e-10


@each_loss
def test_a_large_scale_gives_plain_nmf(Model):
    plain = NMF(max_iter=40, **START).fit(A)
    model = Model(scale=1e7, max_iter=40, **START).fit(A)
    products = [[W @ H for W, H in checks.iterates(m, A)] for m in (plain, model)]
    assert checks.same_iterates(*products) < 1e-10
    assert np.allclose(model.objective_history_, plain.objective_history_, rtol=1e-10)


def test_a_large_cap_gives_the_L21_norm():
    pair = [m.set_params(max_iter=40, **START).fit(A) for m in (L21NMF(), CappedNMF(theta=1e6))]
    assert np.array_equal(pair[0].components_, pair[1].components_)


def test_huber_is_robust_nmf_with_the_sparse_error_minimized_out():
    for cutoff in (0.02, 0.2, 2.0):
        additive, weighted = RobustNMF(lam=2 * cutoff), HuberNMF(scale=cutoff)
        expected = additive.objective(X, W0, H0, additive.start(X, W0, H0))
        assert weighted.objective(X, W0, H0) == pytest.approx(expected, rel=1e-12)
        assert weighted.objective(X, W0, H0) == pytest.approx(huber(X - W0 @ H0, cutoff), rel=1e-12)
        # With W fixed the problem is convex: the two half-quadratic forms end at one value.
        values = []
        for model in (additive, weighted):
            model.set_params(n_components=3, max_iter=20000, tol=1e-10)
            model.components_, model.n_features_in_ = W0.T, 8
            values.append(huber(X - W0 @ model.transform(A).T, cutoff))
        assert values[0] == pytest.approx(values[1], rel=1e-7)


def test_column_norms_from_products_equal_the_residual_also_when_they_cancel():
    W, H = positive((6, 2), 0), positive((2, 9), 1)
    H[:, 4] = 0
    for noise in (1.0, 1e-4, 1e-8, 0.0):
        X = W @ H + noise * positive((6, 9), 2)
        X[:, 7] = W @ H[:, 7]  # one column is exact, whatever the others are
        products = (X**2).sum(axis=0), W.T @ X, W.T @ W
        direct = np.linalg.norm(X - W @ H, axis=0)
        assert np.allclose(column_norms(X, W, H, products), direct, rtol=1e-9, atol=1e-15)


@each_model
@settings(max_examples=25, deadline=None)
@given(problem=data())
def test_encoding_descends_for_every_single_sample(model, problem):
    A, r, scale = problem
    X, rng = A.T, np.random.default_rng(0)
    model = in_units(model, scale)
    W, H = rng.random((X.shape[0], r)), rng.random((r, X.shape[1])) * scale
    for j in range(X.shape[1]):
        x, h = X[:, [j]], H[:, [j]]
        before = model.objective(x, W, h)
        after = model.objective(x, W, model.encode(x, W, h))
        assert after <= before * (1 + 1e-10) + 1e-14 * float(np.abs(x).sum())


# ------------------------------------------------------------------ scales that follow the fit


@pytest.mark.parametrize("Model", [HuberNMF, CIMNMF, CauchyNMF, CappedNMF])
@settings(max_examples=25, deadline=None)
@given(problem=data(scales=(1.0,)))
def test_with_an_estimated_scale_only_its_growth_can_raise_the_record(Model, problem):
    A, r, _ = problem
    scales = []

    def watch(_, W, H, state):
        scales.append(state.theta if Model is CappedNMF else state.scale)

    model = Model(r, max_iter=20, tol=0, random_state=0, callback=watch).fit(A)
    rises = np.diff(model.objective_history_) > 1e-10 * model.objective_history_[:-1] + 1e-12
    assert not (rises & (np.diff(scales) <= 0)).any()


def test_an_estimated_scale_can_raise_the_record():
    histories = [
        CIMNMF(2, max_iter=60, tol=0, random_state=seed).fit(A).objective_history_
        for seed in range(30)
    ]
    assert any((np.diff(history) > 1e-6).any() for history in histories)


@pytest.mark.parametrize("model", [HuberNMF(), CIMNMF(), CauchyNMF(), CappedNMF()], ids=repr)
def test_the_unit_of_the_data_does_not_matter(model):
    model.set_params(n_components=2, max_iter=25, tol=0, random_state=0)
    one, big = clone(model), clone(model)
    Ht, Gt = one.fit_transform(A), big.fit_transform(1024 * A)
    assert np.allclose(big.inverse_transform(Gt), 1024 * one.inverse_transform(Ht), rtol=1e-9)


@pytest.mark.parametrize("Model", [*ENTRYWISE, CappedNMF])
def test_new_samples_do_not_change_the_scale_or_each_other(Model):
    model = Model(3, max_iter=60, tol=0, random_state=0).fit(A)
    model.set_params(tol=1e-8)
    together, far = model.transform(A), A.copy()
    far[0] *= 100
    assert np.allclose(model.transform(far)[1:], together[1:], rtol=1e-6, atol=1e-9)


# ------------------------------------------------------------------ what the fit leaves


@each_model
def test_weights_belong_to_the_final_factors(model):
    model = clone(model).set_params(n_components=3, max_iter=30, tol=0, random_state=0)
    E = A - model.fit_transform(A) @ model.components_
    if model.weights_.ndim == 1:
        expected = model.weight(np.linalg.norm(E, axis=1))
    else:
        expected = model.weight((E / model.scale_) ** 2)
    assert np.allclose(model.weights_, expected, rtol=1e-9)


@pytest.mark.parametrize("Model", [L21NMF, CappedNMF, *ENTRYWISE])
def test_with_a_tolerance_fit_and_transform_agree(Model):
    model = Model(3, max_iter=3000, tol=1e-6, random_state=0)
    Ht = model.fit_transform(A)
    assert np.array_equal(Ht, model.transform(A))
    state = as_fitted(model).start(A.T, model.components_.T, Ht.T)
    weights = state.d if isinstance(model, ColumnwiseNMF) else state.Q.T
    assert np.allclose(model.weights_, weights, rtol=1e-9)


def test_a_sample_beyond_the_cap_teaches_nothing():
    B = np.outer(positive(9, 0), positive(6, 1))
    clean = NMF(1, tol=1e-12, random_state=0).fit(B)
    B[4] = 50 * positive(6, 2)
    model = CappedNMF(1, init=(clean.components_.T, np.ones((1, 9))), theta=5.0, tol=1e-9).fit(B)
    assert np.flatnonzero(model.weights_ == 0).tolist() == [4]
    cosine = float(model.components_[0] @ clean.components_[0]) / np.prod(
        [np.linalg.norm(m.components_) for m in (model, clean)]
    )
    assert cosine == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_residual_below_the_rounding_of_the_data_is_none(dtype):
    B = (3 * X).astype(dtype)
    nothing = np.zeros_like(B)
    limits = np.finfo(dtype)
    assert HuberNMF().new_scale(B, nothing, None) == limits.eps * float(B.max())
    assert HuberNMF().new_scale(0 * B, nothing, None) == float(np.sqrt(limits.tiny))
    assert HuberNMF().new_scale(B, nothing + 1, None) == 1


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_a_scale_beyond_the_numbers_is_refused(scale):
    with pytest.raises(ValueError, match="beyond what float64 resolves"):
        HuberNMF(scale=scale).fit(A)


@pytest.mark.parametrize("model", [CappedNMF(theta=1e-3), CIMNMF(scale=1e-3)], ids=repr)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_a_start_where_everything_is_an_outlier_is_not_lost(model, dtype):
    B = np.outer(positive(9, 0), positive(6, 1)).astype(dtype)
    start = np.full((6, 1), 3, dtype), np.full((1, 9), 3, dtype)
    Ht = model.set_params(init=start, n_components=1, max_iter=300, tol=0).fit_transform(B)
    assert np.allclose(model.inverse_transform(Ht), B, rtol=1e-3)


@pytest.mark.parametrize(
    ("model", "message"),
    [(Model(scale=bad), "scale == ") for Model in ENTRYWISE for bad in (0, -1.0, np.nan, np.inf)]
    + [(CappedNMF(theta=bad), "theta == ") for bad in (0, -1.0, np.nan, np.inf)],
)
def test_bad_scales(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(A)


# ------------------------------------------------------------------ sabotaged models


class StaleWeights(CIMNMF):
    """The weights are found once and never again."""

    def sweep(self, X, W, H, now):
        first = getattr(self, "first", now.Q.copy())
        self.first = first
        H = H * ratio(W.T @ (first * X), W.T @ (first * (W @ H)))
        W = W * ratio((first * X) @ H.T, (first * (W @ H)) @ H.T)
        return W, H, self.start(X, W, H)


class FlippedWeights(HuberNMF):
    """The root upside down: a large residual counts more."""

    @staticmethod
    def weight(u, out=None):
        return np.sqrt(np.maximum(u, 1))

    @staticmethod
    def loss(u, q):
        return HuberNMF.loss(u, HuberNMF.weight(u))


class PrintedCIM(CIMNMF):
    """Table I as printed: the exponential in the denominator."""

    @staticmethod
    def weight(u, out=None):
        return np.exp(np.minimum(u, 100) / 2)


class WeightsOnOneSide(CauchyNMF):
    """The numerator is weighted, the denominator is not."""

    def sweep(self, X, W, H, now):
        Q = now.Q
        H = H * ratio(W.T @ (Q * X), W.T @ now.WH)
        W = W * ratio(X @ H.T, (W @ H) @ H.T)
        return W, H, self.start(X, W, H)


class FlippedColumnWeights(L21NMF):
    """The length itself in the place of its inverse."""

    def weight(self, norms):
        return norms


@pytest.mark.parametrize(
    "model",
    [
        StaleWeights(scale=0.2),
        FlippedWeights(scale=0.2),
        PrintedCIM(scale=0.5),
        WeightsOnOneSide(scale=0.2),
        FlippedColumnWeights(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_descent_catches_wrong_weights(model):
    model.set_params(n_components=3, max_iter=200, tol=0, random_state=0).fit(A)
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(model.objective_history_)


@each_model
def test_and_passes_the_right_ones(model):
    model = clone(model).set_params(n_components=3, max_iter=200, tol=0, random_state=0).fit(A)
    checks.decreases(model.objective_history_)


def test_a_scale_at_the_end_of_what_can_be_resolved_is_taken():
    smallest = float(np.sqrt(np.finfo(float).tiny))
    for scale in (smallest, 1 / smallest):
        assert CauchyNMF(scale=scale).new_scale(np.ones((2, 2)), np.ones((2, 2)), None) == scale
    told = r"between 1\.5e-154 and 6\.7e\+153\. Give"
    for scale in (smallest / 2, 2 / smallest):
        with pytest.raises(ValueError, match=told):
            CauchyNMF(scale=scale).new_scale(np.ones((2, 2)), np.ones((2, 2)), None)


def test_nagys_iteration_of_residuals_that_are_all_zero_or_all_one():
    assert CauchyNMF.estimate_scale(np.zeros((2, 3))) == 0
    scale = CauchyNMF.estimate_scale(np.ones((2, 3)))
    assert CauchyNMF.nagy_step(np.ones((2, 3)), scale) == pytest.approx(scale, rel=1e-5)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_weights_of_samples_end_at_the_rounding_of_the_data(dtype):
    """A sample that fits exactly has the weight of a residual of rounding's size."""
    W, H = np.array([[3.0], [4.0]], dtype), np.array([[1.0, 2.0]], dtype)
    state = L21NMF().start(W @ H, W, H)
    assert state.norms.tolist() == [0, 0]
    assert state.d == pytest.approx([1 / (10 * np.finfo(dtype).eps)] * 2, rel=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_weights_of_correntropy_do_not_fall_below_a_floor(dtype):
    floor = np.cbrt(np.finfo(dtype).tiny)
    u = np.array([0, 1, -2 * np.log(floor) - 1, -2 * np.log(floor) + 1, 1e4], dtype)
    expected = np.maximum(np.exp(-u.astype(float) / 2), floor)
    rtol = 1e-4 if dtype == "f4" else 1e-12
    np.testing.assert_allclose(CIMNMF.weight(u), expected, rtol=rtol, atol=0)


def test_the_cap_of_a_vector_of_lengths_is_three_times_their_median():
    norms = np.array([1.0, 2.0, 2.0, 5.0, 6.0, 7.0, 1.5])
    assert CappedNMF().loss(norms).tolist() == [1, 2, 2, 5, 6, 6, 1.5]
    assert CappedNMF().weight(norms).tolist() == [1, 1 / 2, 1 / 2, 1 / 5, 1 / 6, 0, 1 / 1.5]


@each_column_loss
def test_what_coordinate_descent_sees_are_the_derivatives_by_the_squared_lengths(model):
    start = clone(model).set_params(**START)
    state = start.start(X, W0, H0)
    seen = start.look(X, W0, H0, state)
    squares, h = column_norms(X, W0, H0) ** 2, 1e-6
    up, down = (start.loss(np.sqrt(squares * (1 + step))) for step in (h, -h))
    heard = seen.weights > 1e-50  # a sample beyond the cap keeps a trace of a weight
    np.testing.assert_allclose(
        seen.weights[heard], ((up - down) / (2 * h * squares))[heard], rtol=1e-8
    )
    assert (up == down)[~heard].all()
    assert seen.objective == pytest.approx(start.objective(X, W0, H0), rel=1e-12)


class Fixed(CauchyNMF):
    """Nagy's step, replaced by a fall by one."""

    steps = 0

    @classmethod
    def nagy_step(cls, E2, scale):
        cls.steps += 1
        return scale - 1


def test_nagys_iteration_ends_where_a_step_changes_a_millionth():
    assert Fixed.estimate_scale(np.full((2, 3), 1e12)) == 1e6 - 1
    assert Fixed.steps == 1
    assert Fixed.estimate_scale(np.full((2, 3), (1e6 - 1) ** 2)) == 1e6 - 101
    assert Fixed.steps == 101


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_zero_of_the_data_counts_from_a_residual_above_rounding_on(dtype):
    B = np.array([[0, 0, 0, 2, 2]], dtype)
    floor = float(np.finfo(dtype).eps) * 2
    for share, scale in ((0.9, 1.5), (1.1, 1.1 * floor)):
        E = np.array([[share * floor] * 3 + [1, 2]], dtype)
        assert HuberNMF().new_scale(B, E**2, None) == pytest.approx(scale, rel=1e-6)
