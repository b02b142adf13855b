"""What the map of the models rests on: the two half-quadratic forms, and which models are one."""

import inspect

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from rnmf_tutorial.models import BaseNMF, ColumnwiseNMF, EntrywiseNMF
from rnmf_tutorial.models.distances import column_norms, huber
from rnmf_tutorial.models.errors.l1_robust import column_thresholds, shrink_columns
from rnmf_tutorial.models.errors.robust import soft_threshold
from rnmf_tutorial.models.parameters import base_estimator, estimator
from rnmf_tutorial.models.weights.nesterov_sweep import NesterovSweep
from rnmf_tutorial.solvers.weighted_nesterov import improve_H
from scipy.optimize import least_squares

from rnmf_tutorial import (
    CIMNMF,
    L21NMF,
    MCCGR,
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    HypersurfaceNMF,
    L1RobustNMF,
    RobustNMF,
    TruncatedCauchyNMF,
    checks,
)
from rnmf_tutorial.arrays import ratio
from tests.problems import data, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
each_loss = pytest.mark.parametrize("Model", [HuberNMF, HypersurfaceNMF, CauchyNMF, CIMNMF])

A = positive((11, 8), seed=0)
A[3, 2] += 5
A[7] = A[7, ::-1] * 4
X, W0, H0 = A.T, positive((8, 3), seed=1), positive((3, 11), seed=2)
E0 = X - W0 @ H0
START = {"init": (W0, H0), "tol": 0, "n_components": 3, "max_iter": 20}
ERRORS = hnp.arrays(float, (4, 3), elements=st.floats(-3, -1e-6) | st.floats(1e-6, 3))


def products(model):
    return [W @ H for W, H in checks.iterates(model.set_params(**START), A)]


def by_line(weights, sweeps=20):
    """The engine in one line for each factor: weights are a function of W and H."""
    W, H = W0, H0
    found = [W @ H]
    for _ in range(sweeps):
        Q = weights(W, H)
        H = H * (W.T @ (Q * X)) / (W.T @ (Q * (W @ H)))
        Q = weights(W, H)
        W = W * ((Q * X) @ H.T) / ((Q * (W @ H)) @ H.T)
        found.append(W @ H)
    return found


# ------------------------------------------------------------------ the two half-quadratic forms

GRID = np.linspace(-6, 6, 601)
SQUARES = np.linspace(0, 36, 1801)
SLOPES = np.r_[0, np.logspace(-4, 3, 2000), 1]
DISTANCE2 = (GRID[:, None] - GRID) ** 2
PHIS = {
    **{M: lambda u, M=M: M.loss(u, M.weight(u)) for M in (HuberNMF, HypersurfaceNMF, CIMNMF)},
    "truncated Cauchy": lambda u: np.log1p(np.minimum(u, 4)),
    "truncated square": lambda u: np.minimum(u, 4),
    "absolute value": np.sqrt,
    "forgives small errors": lambda u: np.maximum(np.sqrt(u) - 1, 0) ** 2,
}


def misses_by_weights(phi):
    values = phi(SQUARES)
    psi = np.array([(values - q * SQUARES).max() for q in SLOPES])
    best = np.min(SLOPES * SQUARES[1:, None] + psi, axis=1)
    return float(np.abs(best - values[1:]).max())


def misses_by_error_matrix(phi):
    rho = phi(GRID**2)
    price = (rho[:, None] - DISTANCE2).max(axis=0)
    return float(np.abs((DISTANCE2 + price).min(axis=1) - rho).max())


@pytest.mark.parametrize("name", PHIS, ids=str)
def test_a_loss_has_weights_if_concave_and_an_error_matrix_if_its_rest_is_convex(name):
    by_weights, by_error = misses_by_weights(PHIS[name]), misses_by_error_matrix(PHIS[name])
    assert (by_weights < 2e-3) == (name != "forgives small errors")
    assert (by_error < 2e-3) == (name != "absolute value")


@each_loss
def test_the_best_error_is_what_the_weights_leave_out(Model):
    fine = np.linspace(-4, 4, 8001)
    rho = Model.loss(fine**2, Model.weight(fine**2))
    price = (rho[:, None] - (fine[:, None] - GRID) ** 2).max(axis=0)
    for e in (-2.5, -1.2, -0.4, 0.0, 0.7, 1.9):
        best = GRID[np.argmin((e - GRID) ** 2 + price)]
        q = Model.weight(np.array([e**2])).item()
        assert best == pytest.approx((1 - q) * e, abs=0.03)


@each_loss
@settings(max_examples=30, deadline=None)
@given(problem=data(), scale=st.sampled_from([0.05, 0.5, 5.0]))
def test_the_error_matrix_steps_as_the_weights_do_but_never_farther(Model, problem, scale):
    B, r, unit = problem
    X, scale = B.T, scale * unit
    W, H = positive((X.shape[0], r), 1), positive((r, X.shape[1]), 2) * unit
    WH = W @ H
    Q = Model.weight(((X - WH) / scale) ** 2)
    M = X - (1 - Q) * (X - WH)
    assert np.allclose(M, Q * X + (1 - Q) * WH, rtol=1e-12, atol=1e-14 * unit)
    assert M.min() >= -1e-14 * unit
    bold = W.T @ (Q * X) / (W.T @ (Q * WH)) - 1
    shy = W.T @ M / (W.T @ WH) - 1
    assert (np.abs(shy) <= np.abs(bold) + 1e-12).all()
    assert (shy * bold >= -1e-12).all()


@each_loss
@settings(max_examples=30, deadline=None)
@given(at=ERRORS, step=ERRORS, scale=st.sampled_from([0.1, 1.0]))
def test_the_surrogate_of_the_weights_is_the_lower_one(Model, at, step, scale):
    Q = Model.weight((at / scale) ** 2)
    S = (1 - Q) * at
    by_weights = (Q * ((at + step) ** 2 - at**2)).sum()
    by_error = ((at + step - S) ** 2 - (at - S) ** 2).sum()
    assert by_error - by_weights == pytest.approx(((1 - Q) * step**2).sum(), rel=1e-9, abs=1e-9)
    rise = value(Model, at + step, scale) - value(Model, at, scale)
    assert rise <= by_weights + 1e-9 <= by_error + 2e-9


def value(Model, E, scale):
    u = (E / scale) ** 2
    return scale**2 * float(Model.loss(u, Model.weight(u)).sum())


# ------------------------------------------------------------------ error matrices


class AdditiveHuber(HuberNMF):
    def sweep(self, X, W, H, now):
        M = now.Q * X + (1 - now.Q) * now.WH
        W = W * ratio(M @ H.T, W @ (H @ H.T))
        H = H * ratio(W.T @ M, (W.T @ W) @ H)
        return W, H, self.weigh(X, W, H, now.next(), rescale=True)


@pytest.mark.parametrize("cutoff", [0.02, 0.2, 2.0])
def test_robust_nmf_is_huber_by_an_error_matrix(cutoff):
    additive, robust = AdditiveHuber(scale=cutoff), RobustNMF(lam=2 * cutoff)
    assert checks.same_iterates(products(additive), products(robust)) < 1e-12
    with pytest.raises(AssertionError, match="differs"):  # λ is twice the cutoff
        checks.same_iterates(products(additive), products(RobustNMF(lam=cutoff)))


@settings(max_examples=100, deadline=None)
@given(e=st.floats(-5, 5), s=st.floats(-5, 5), threshold=st.floats(0, 3))
def test_soft_thresholding_is_a_proximal_map(e, s, threshold):
    def cost(s):
        return (e - s) ** 2 / 2 + threshold * abs(s)

    best = float(soft_threshold(np.array(e), threshold))
    # Strongly convex: every other s costs at least half its squared distance more.
    assert cost(s) >= cost(best) + (s - best) ** 2 / 2 - 1e-12


def shen_weights(E, lam):
    return np.minimum(1, column_thresholds(E, lam) / np.abs(E))


def shen(E, lam):
    S = shrink_columns(E, lam)
    return float(((E - S) ** 2).sum() + lam * (np.abs(S).sum(axis=0) ** 2).sum())


@settings(max_examples=40, deadline=None)
@given(at=ERRORS, other=ERRORS, lam=st.sampled_from([1e-3, 0.1, 1.0, 30.0]))
def test_the_squared_column_penalty_is_huber_with_a_cutoff_for_each_column(at, other, lam):
    checks.majorizes(lambda E, at: (shen_weights(at, lam) * E**2).sum(), lambda E: shen(E, lam), at,
                     [other, other / 1e3, 2 * at, at + other / 100])  # fmt: skip
    assert np.allclose(at - shrink_columns(at, lam), shen_weights(at, lam) * at, rtol=1e-12)


def test_the_engine_solves_the_model_with_the_squared_column_penalty():
    lam = 0.05
    history = [shen(X - V, lam) for V in by_line(lambda W, H: shen_weights(X - W @ H, lam), 200)]
    checks.decreases(history)
    published = L1RobustNMF(lam=lam).set_params(**{**START, "max_iter": 200})
    W, H = checks.iterates(published, A)[-1]
    assert history[-1] == pytest.approx(shen(X - W @ H, lam), rel=0.2)
    with pytest.raises(AssertionError, match="touching point"):  # the threshold of another λ
        checks.majorizes(
            lambda E, at: (shen_weights(at, 2 * lam) * E**2).sum(), lambda E: shen(E, lam), E0, [E0]
        )


# ------------------------------------------------------------------ capped and truncated


def test_a_capped_sample_is_a_sample_left_out():
    norms = column_norms(X, W0, H0)
    theta = float(np.median(norms))
    near = norms <= theta
    capped, l21 = CappedNMF(theta=theta), L21NMF()
    assert capped.objective(X, W0, H0) == pytest.approx(np.minimum(norms, theta).sum(), rel=1e-12)
    with_all = capped.sweep(X, W0, H0, capped.start(X, W0, H0))[0]
    some = X[:, near], W0, H0[:, near]
    without = l21.sweep(*some, l21.start(*some))[0]
    assert checks.same_iterates([with_all], [without]) < 1e-13
    assert not np.allclose(with_all, l21.sweep(X, W0, H0, l21.start(X, W0, H0))[0], rtol=1e-3)


@pytest.mark.parametrize("threshold", [0.05, 0.5, 50.0])
def test_truncated_cauchy_is_the_smaller_of_cauchy_and_a_constant(threshold):
    entries = 0.2**2 * np.log1p((E0 / 0.2) ** 2)
    most = 0.2**2 * np.log1p((threshold / 0.2) ** 2)
    model = TruncatedCauchyNMF(scale=0.2, outliers=threshold)
    expected = np.minimum(entries, most).sum()
    assert model.objective(X, W0, H0) == pytest.approx(expected, rel=1e-12)


@settings(max_examples=100, deadline=None)
@given(e=st.floats(-5, 5).filter(lambda e: abs(abs(e) - 1.5) > 1e-3), s=st.floats(-5, 5))
def test_hard_thresholding_belongs_to_two_prices(e, s):
    for price in (
        lambda s: 1.5**2 * (s != 0),
        lambda s: 3 * abs(s) - s**2 if abs(s) <= 1.5 else 1.5**2,
    ):
        best = e if abs(e) > 1.5 else 0.0
        lowest = (e - best) ** 2 + price(best)
        assert lowest == pytest.approx(min(e**2, 1.5**2), abs=1e-14)
        assert (e - s) ** 2 + price(s) >= lowest - 1e-12


# ------------------------------------------------------------------ old losses, limits


@pytest.mark.parametrize(
    ("Model", "name"), [(HuberNMF, "huber"), (HypersurfaceNMF, "soft_l1"), (CauchyNMF, "cauchy")]
)
@pytest.mark.parametrize("scale", [0.1, 1.0, 4.0])
def test_losses_are_those_of_scipy(Model, name, scale):
    for e in (-7.0, -0.99 * scale, 0.0, 1e-3, 1.01 * scale, 3.0):
        found = least_squares(lambda v: v, e, loss=name, f_scale=scale, max_nfev=1)
        assert value(Model, np.array([e]), scale) == pytest.approx(2 * found.cost, rel=1e-12)


def test_hypersurface_is_pseudo_huber_and_cim_is_welsch():
    e = np.linspace(-5, 5, 41)
    for scale in (0.3, 2.0):
        expected = 2 * scipy.special.pseudo_huber(scale, e).sum()
        assert value(HypersurfaceNMF, e, scale) == pytest.approx(expected, rel=1e-12)
        b = np.sqrt(2) * scale
        expected = (b**2 * (1 - np.exp(-((e / b) ** 2)))).sum()
        assert value(CIMNMF, e, scale) == pytest.approx(expected, rel=1e-12)


@settings(max_examples=50, deadline=None)
@given(E=ERRORS, cutoff=st.sampled_from([1e-3, 0.1, 1.0]))
def test_huber_over_twice_its_cutoff_is_within_half_a_cutoff_of_the_absolute_value(E, cutoff):
    short = np.abs(E).sum() - huber(E, cutoff) / (2 * cutoff)
    assert -1e-12 <= short <= E.size * cutoff / 2 + 1e-12


@pytest.mark.parametrize("Model", [HypersurfaceNMF, CauchyNMF, CIMNMF])
def test_ten_times_the_scale_is_a_hundred_times_closer_to_plain_nmf(Model):
    plain = products(NMF())
    off = [
        checks.same_iterates(plain, products(Model(scale=scale)), rtol=1)
        for scale in (1e3, 1e4, 1e5)
    ]
    assert np.allclose(np.divide(off[:-1], off[1:]), 100, rtol=0.02)


# ------------------------------------------------------------------ rows, divergence, solvers


class WelschColumns(ColumnwiseNMF):
    def loss(self, norms):
        return 1 - np.exp(-(norms**2) / 8)

    def weight(self, norms):
        return np.exp(-(norms**2) / 8) / 4


def test_weights_for_rows_are_weights_for_columns_of_the_transpose():
    rows = products(MCCGR(lam=0.0, scale=2.0))
    turned = WelschColumns(**{**START, "init": (H0.T.copy(), W0.T.copy())})
    columns = [(W @ H).T for W, H in checks.iterates(turned, X)]
    assert checks.same_iterates(rows, columns) < 1e-12


def test_the_divergence_runs_on_the_line_but_squares_do_not_bound_it():
    line = by_line(lambda W, H: 1 / (W @ H))
    assert checks.same_iterates(line, products(NMF(loss="kullback-leibler"))) < 1e-12

    def divergence(y):
        return float(np.log(1 / y) - 1 + y)

    with pytest.raises(AssertionError, match="below the loss"):
        checks.majorizes(
            lambda y, at: divergence(at) + ((1 - y) ** 2 - (1 - at) ** 2) / (2 * at),
            divergence,
            0.5,
            np.logspace(-3, 1, 99),
        )


class NesterovCauchy(NesterovSweep, CauchyNMF):
    pass


def test_without_a_threshold_truncated_cauchy_is_cauchy_with_the_other_solver():
    pair = NesterovCauchy(scale=0.2), TruncatedCauchyNMF(scale=0.2, outliers=None)
    for one, other in zip(*map(products, pair), strict=True):
        assert np.array_equal(one, other)


@each_loss
def test_both_solvers_descend_on_one_surrogate(Model):
    Q = Model.weight((E0 / 0.2) ** 2)

    def G(H):
        return float((Q * (X - W0 @ H) ** 2).sum())

    once = H0 * ratio(W0.T @ (Q * X), W0.T @ (Q * (W0 @ H0)))
    assert G(improve_H(X, W0, H0, Q)) < G(once) < G(H0)


# ------------------------------------------------------------------ a loss of one's own, sabotage


class GemanMcClureNMF(EntrywiseNMF):
    @staticmethod
    def loss(u, q):
        return u / (1 + u)

    @staticmethod
    def weight(u, out=None):
        return np.divide(1, (1 + u) ** 2, out=out)

    @staticmethod
    def estimate_scale(E2, previous=None):
        return 3 * np.sqrt(np.median(E2))


def test_a_loss_and_its_weight_make_a_model():
    model = GemanMcClureNMF(3, scale=0.2, max_iter=100, tol=0, random_state=0).fit(A)
    checks.decreases(model.objective_history_)
    line = by_line(lambda W, H: 1 / (1 + ((X - W @ H) / 0.2) ** 2) ** 2)
    assert checks.same_iterates(line, products(GemanMcClureNMF(scale=0.2))) < 1e-12
    adaptive = GemanMcClureNMF(3, max_iter=50, tol=0, random_state=0)
    Ht = adaptive.fit_transform(A)
    assert adaptive.transform(A).shape == Ht.shape and 0 < adaptive.scale_ < np.inf


FIRST = np.exp(-(E0**2) / (2 * 0.2**2))


@pytest.mark.parametrize(
    "weights",
    [
        lambda W, H: FIRST,
        lambda W, H: np.exp(-((X - W @ H) ** 2) / 0.2**2),
        lambda W, H: np.exp(np.minimum((X - W @ H) ** 2 / (2 * 0.2**2), 300)),
        lambda W, H: np.exp(-((X - W @ H) ** 2) / (2 * 0.2)),
    ],
    ids=["stale", "squared", "sign of the exponent", "scale not squared"],
)
def test_iterates_catch_wrong_weights(weights):
    right = by_line(lambda W, H: np.exp(-((X - W @ H) ** 2) / (2 * 0.2**2)))
    assert checks.same_iterates(right, products(CIMNMF(scale=0.2))) < 1e-12
    with pytest.raises(AssertionError, match="differs"):
        checks.same_iterates(by_line(weights), products(CIMNMF(scale=0.2)))


DECLARED = """Weigh it.

    Parameters
    ----------
    {n_components}
    lam : float, default=0.5
        The weight.
    {solver}
    {common}
    """


def declared(decorator, **fields):
    """Return a class as a reader would write it, decorated."""

    class Declared(BaseNMF):
        lam: float = 0.5
        max_iter: int = 321
        tol: float = 0.25

    for name, value in ({"__doc__": DECLARED} | fields).items():
        setattr(Declared, name, value)
    made = decorator(Declared)
    assert made is Declared
    return made


@pytest.mark.parametrize("decorator", [estimator, base_estimator])
def test_a_declared_model_has_the_signature_of_scikit_learns(decorator):
    model = declared(decorator)
    parameters = inspect.signature(model).parameters
    shared = ["max_iter", "tol", "init", "random_state", "callback", "verbose"]
    assert list(parameters)[:2] == ["n_components", "lam"]
    assert sorted(list(parameters)[2:]) == sorted(shared)
    assert parameters["lam"].kind is inspect.Parameter.KEYWORD_ONLY
    with pytest.raises(TypeError):
        model(3, 0.1)
    one, other = model(3, lam=0.1), model(3, lam=0.1)
    assert one.get_params() == other.get_params() | {"n_components": 3, "lam": 0.1}
    # As of every estimator of scikit-learn: two are equal if they are one, and repr is short.
    assert one != other and hash(one) != hash(other)
    assert repr(one) == "Declared(lam=0.1, n_components=3)"


@pytest.mark.parametrize("ends", [True, False])
def test_the_documentation_of_a_declared_model_is_complete(ends):
    doc = declared(estimator, published="mu", ends_encoded=lambda model: ends).__doc__
    heads = [line.split(" : ")[0].strip() for line in doc.split("\n") if line[4:5].strip()]
    start = heads.index("----------")
    assert heads[start + 1 :] == [
        "n_components",
        "lam",
        "solver",
        *("init", "max_iter", "tol", "random_state", "callback", "verbose"),
    ]
    assert 'solver : {"mu", "cd"}, default="mu"' in doc
    assert "max_iter : int, default=321" in doc and "tol : float, default=0.25" in doc
    assert ("this fraction of it; then" in doc) == ends == ("that `transform` finds" in doc)
    assert ends or "this fraction of it. 0 means" in doc
    assert not any(word in doc for word in ("{n_comp", "{solver}", "{common}", "{{", "XX"))
    assert "lam: float = 0.5" in declared(estimator, __doc__=None).__doc__
    assert 'default=""' in declared(estimator).__doc__
