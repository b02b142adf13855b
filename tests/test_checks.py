"""Every check passes what is right and catches what is wrong."""

import numpy as np
import pytest
from rnmf_tutorial.models.errors.robust import soft_threshold

from rnmf_tutorial import NMF, RobustNMF, checks
from rnmf_tutorial.arrays import ratio, unit_columns
from tests.problems import positive

A = positive((9, 13), seed=0)
X = A.T


def test_decreases_tells_a_rise_from_rounding():
    assert checks.decreases([3.0, 2.0, 2.0 * (1 + 1e-12)]) == pytest.approx(1e-12, rel=1e-3)
    with pytest.raises(AssertionError, match="Step 2 raises"):
        checks.decreases([3.0, 2.0, 2.0 * (1 + 1e-9), 1.0])


@pytest.mark.parametrize("history", [[1.0], [1.0, np.nan], [np.inf, 1.0]])
def test_decreases_rejects_what_it_cannot_judge(history):
    with pytest.raises(AssertionError):
        checks.decreases(history)


def test_majorizes_needs_both_conditions():
    points = np.random.default_rng(0).normal(scale=3, size=200)

    def touching(d, e):
        return d**2 / (2 * e) + e / 2

    assert checks.majorizes(touching, abs, 1.5, points) >= 0
    with pytest.raises(AssertionError, match="touching point"):
        checks.majorizes(lambda d, e: touching(d, e) + 1e-6, abs, 1.5, points)
    with pytest.raises(AssertionError, match="below"):
        checks.majorizes(lambda d, e: touching(d, e) - 0.4 * (abs(d) - e) ** 2, abs, 1.5, points)
    with pytest.raises(AssertionError, match="No point"):
        checks.majorizes(touching, abs, 1.5, [])


def test_gradient_matches_catches_a_factor_and_a_transpose():
    M = positive((4, 4), seed=1)

    def f(V):
        return np.exp(V).sum() + (M * V).sum()

    V = positive((4, 4), seed=2)
    assert checks.gradient_matches(f, np.exp(V) + M, V) < 1e-9
    for wrong in (2 * np.exp(V) + M, np.exp(V) + M.T, np.exp(V) + M * (1 + 1e-6)):
        with pytest.raises(AssertionError, match="off by"):
            checks.gradient_matches(f, wrong, V)


def test_kkt_residual_sees_both_kinds_of_violation():
    assert checks.kkt_residual(np.array([0.0, 3.0]), np.array([2.0, 0.0])) == 0
    assert checks.kkt_residual(np.array([0.0, 3.0]), np.array([-2.0, 0.0]), scale=4) == 0.5
    assert checks.kkt_residual(np.array([0.0, 3.0]), np.array([2.0, 1.0]), scale=4) == 0.25


def test_same_iterates_measures_and_catches():
    assert checks.same_iterates([A, A], [A, A * (1 + 1e-11)]) == pytest.approx(1e-11, rel=1e-3)
    with pytest.raises(AssertionError, match="Iterate 1"):
        checks.same_iterates([A, A], [A, A * (1 + 1e-9)])
    with pytest.raises(AssertionError, match="to compare"):
        checks.same_iterates([A], [A, A])
    with pytest.raises(AssertionError, match="shapes"):
        checks.same_iterates([A], [A.T])


def test_nothing_is_no_proof():
    with pytest.raises(AssertionError, match="0 and 0 iterates to compare"):
        checks.same_iterates([], [])


def test_a_tolerance_is_the_largest_error_allowed():
    x = np.array([1.0, 2.0])
    error = checks.gradient_matches(lambda v: (v**3).sum(), 3 * x**2 + 1e-9, x)
    assert checks.gradient_matches(lambda v: (v**3).sum(), 3 * x**2 + 1e-9, x, rtol=error) == error
    with pytest.raises(AssertionError, match="off by"):
        checks.gradient_matches(lambda v: (v**3).sum(), 3 * x**2 + 1e-9, x, rtol=0.9 * error)
    error = checks.same_iterates([A], [A * (1 + 1e-11)])
    assert checks.same_iterates([A], [A * (1 + 1e-11)], rtol=error) == error
    assert checks.majorizes(lambda d, e: d**2, lambda d: d**2, 2.0, [1.0, 4.0], rtol=0) == 0


def test_decreases_measures_a_rise_by_the_size_of_a_negative_objective():
    """With the sign of the objective in the scale, a rise would pass for a fall."""
    assert checks.decreases([-2.0, -3.0]) == -0.5
    with pytest.raises(AssertionError, match="Step 1 raises"):
        checks.decreases([-3.0, -2.0])


def test_majorizes_rejects_a_surrogate_that_misses_the_touching_point_from_either_side():
    points = np.array([-3.0, 0.5, 4.0])

    def above(d, e):
        return d**2 / (2 * e) + e / 2

    with pytest.raises(AssertionError, match="touching point"):
        # Only at the touching point too low, so no other comparison can find it.
        checks.majorizes(lambda d, e: above(d, e) - (d == e) * 1e-3, abs, 1.5, points)
    # A loss below zero is measured by its size: there is room for rounding, and for no more.
    points = np.array([-1.5, 1.5, 4.0])
    for rounding in (1e-13, -1e-13):
        gap = checks.majorizes(
            lambda d, e, r=rounding: above(d, e) - 9 + r, lambda d: abs(d) - 9, 1.5, points
        )
        assert gap == pytest.approx(rounding / 7.5, rel=1e-2)
    with pytest.raises(AssertionError, match="touching point"):
        checks.majorizes(lambda d, e: above(d, e) - 9 + 1e-3, lambda d: abs(d) - 9, 1.5, points)


def test_same_iterates_returns_the_worst_and_not_the_last():
    pairs = [A * (1 + 3e-11), A * (1 + 1e-11)]
    assert checks.same_iterates([A, A], pairs) == pytest.approx(3e-11, rel=1e-3)


@pytest.mark.parametrize("x", [[1e-6, 2e-6], [1e6, 2e6], np.ones(10_000)], ids=["μ", "M", "many"])
def test_the_step_is_a_thousandth_of_a_typical_entry(x):
    """A longer one leaves where the logarithm is defined, or smooth; a shorter one rounds."""
    x = np.asarray(x)
    error = checks.gradient_matches(lambda v: (v * np.log(v)).sum(), 1 + np.log(x), x)
    assert error < 1e-9


def test_majorizes_measures_rounding_by_the_larger_of_the_values():
    def above(d, e):
        return d**2 + 1e6 + 1e-5

    assert checks.majorizes(above, lambda d: d**2 + 1e6, 1.0, [0.0, 2.0]) > 0
    # A loss of zero has no size of its own: what is lost beside the value at the touch is rounding.
    gap = checks.majorizes(lambda d, e: d - 1e-12 * (d == 0), lambda d: d, 4.0, [0.0])
    assert gap == pytest.approx(-2.5e-13, rel=1e-12)


# ------------------------------------------------------------------ sabotaged updates


class Simultaneous(NMF):
    """Both factors from the same old ones: W never sees the new H."""

    def sweep(self, X, W, H, now):
        new_W = W * ratio(X @ H.T, W @ (H @ H.T))
        new_H = H * ratio(W.T @ X, (W.T @ W) @ H)
        return new_W, new_H, None


class DoubleStep(NMF):
    """The update factor cubed: three times the step."""

    def sweep(self, X, W, H, now):
        H = H * ratio(W.T @ X, (W.T @ W) @ H) ** 3
        W = W * ratio(X @ H.T, W @ (H @ H.T)) ** 3
        return W, H, None


class Flipped(NMF):
    """The fraction upside down."""

    def sweep(self, X, W, H, now):
        H = H * ratio((W.T @ W) @ H, W.T @ X)
        return W, H, None


class FullThreshold(RobustNMF):
    """Soft-thresholding at λ instead of λ/2: S is not where the objective is lowest."""

    def sweep(self, X, W, H, now):
        stricter = RobustNMF(lam=2 * self.lam)
        return RobustNMF.sweep(stricter, X, W, H, now)


class StaleS(RobustNMF):
    """S is found once and never again."""

    def sweep(self, X, W, H, now):
        W = W * ratio((X - now.S) @ H.T, W @ (H @ H.T))
        H = H * ratio(W.T @ (X - now.S), (W.T @ W) @ H)
        return *unit_columns(W, H), now


@pytest.mark.parametrize(
    ("Sabotaged", "sweeps"), [(Simultaneous, 30), (DoubleStep, 30), (Flipped, 4)]
)
def test_descent_catches(Sabotaged, sweeps):
    with np.errstate(over="ignore"):
        model = Sabotaged(3, max_iter=sweeps, tol=0, random_state=0).fit(A)
    with pytest.raises(AssertionError):
        checks.decreases(model.objective_history_)


def distance_of_S(model):
    """Return how far S is from the minimizer over S, for the model's own final factors."""
    final = {}
    model.set_params(callback=lambda _, W, H, S, *__: final.update(W=W, H=H, S=S)).fit(A)
    best = soft_threshold(X - final["W"] @ final["H"], model.lam / 2)
    return np.linalg.norm(final["S"] - best) / np.linalg.norm(best)


def test_stationarity_catches_what_descent_does_not():
    options = {"lam": 0.1, "max_iter": 3000, "tol": 0, "random_state": 0}
    sound, stale, strict = (Model(3, **options) for Model in (RobustNMF, StaleS, FullThreshold))
    assert distance_of_S(sound) < 1e-3
    assert min(distance_of_S(stale), distance_of_S(strict)) > 0.1
    checks.decreases(stale.objective_history_)  # all the way down, to the wrong place
    with pytest.raises(AssertionError):  # ... this one betrays itself after many sweeps
        checks.decreases(strict.objective_history_)
    checks.decreases(strict.objective_history_[:300])


def test_a_history_of_bytes_does_not_wrap_around():
    assert checks.decreases(np.array([4, 3], np.uint8)) == -0.25


def test_a_rise_is_told_by_its_step_and_both_values():
    told = r"Step 3 raises the objective from 2 to 3, by 5\.00e-01 of its value\."
    with pytest.raises(AssertionError, match=told):
        checks.decreases([8.0, 4.0, 2.0, 3.0, 1.0])
    assert checks.decreases([8.0, 4.0, 2.0, 3.0, 1.0], rtol=0.5) == 0.5


def test_a_surrogate_too_low_is_told_by_how_much():
    with pytest.raises(AssertionError, match=r"below the loss, by 2\.50e-01 of its value"):
        checks.majorizes(lambda d, e: d**2 - (d != e), lambda d: d**2, 1.0, [1.0, 2.0])


def test_majorizes_measures_rounding_by_a_loss_larger_than_at_the_touch():
    gap = checks.majorizes(lambda d, e: d * (1 - 1e-11 * (d > e)), lambda d: d, 1.0, [1e6])
    assert gap == pytest.approx(-1e-11, rel=1e-3)


def test_a_residual_is_measured_by_the_largest_entry_and_by_one():
    assert checks.kkt_residual(np.array([1.0, 4.0]), np.array([9.0, 0.0])) == 0.25
    assert checks.kkt_residual(np.array([0.0, 4.0]), np.array([-3.0, 0.0])) == 3.0


@pytest.mark.filterwarnings("error")
def test_zeros_are_measured_without_a_warning():
    assert checks.decreases([0.0, 0.0]) == 0
    assert checks.majorizes(lambda d, e: d**2, lambda d: d**2, 0.0, [0.0]) == 0
    assert checks.kkt_residual(np.zeros(2), np.zeros(2)) == 0
    assert checks.same_iterates([np.zeros(2)], [np.zeros(2)]) == 0
