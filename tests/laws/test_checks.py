"""Every check passes what is right and catches what is wrong."""

import numpy as np
import pytest

from rnmf_tutorial import checks
from tests.problems import positive

A = positive((9, 13), seed=0)


# ------------------------------------------------------------------ what each measures


def test_decreases_returns_the_largest_relative_rise_and_rejects_what_it_cannot_judge():
    # by the size of a negative objective; bytes would wrap around
    for history, largest in (([-2.0, -3.0], -0.5), (np.array([4, 3], np.uint8), -0.25)):
        assert checks.decreases(history) == largest
    assert checks.decreases([3.0, 2.0, 2.0 * (1 + 1e-12)]) == pytest.approx(
        1e-12, rel=1e-3
    )
    for history, message in (
        ([3.0, 2.0, 2.0 * (1 + 1e-9), 1.0], "Step 2 raises"),
        (
            [8.0, 4.0, 2.0, 3.0, 1.0],
            r"Step 3 .* from 2 to 3, by 5\.00e-01 of its value\.",
        ),
        ([1.0], "no step"),
        ([1.0, np.nan], "not finite"),
    ):
        with pytest.raises(AssertionError, match=message):
            checks.decreases(history)


def tangent(d, e):
    """A parabola above the absolute value that touches it at e."""
    return d**2 / (2 * e) + e / 2


POINTS = np.random.default_rng(0).normal(scale=3, size=200)


SURROGATES = [
    (lambda d, e: tangent(d, e) + 1e-6, POINTS, "touching point"),
    # Too low at the touching point alone, so no other comparison can find it.
    (lambda d, e: tangent(d, e) - (d == e) * 1e-3, POINTS, "touching point"),
    (lambda d, e: tangent(d, e) - 0.4 * (abs(d) - e) ** 2, POINTS, "below"),
    (
        lambda d, e: abs(d) - (d != e) * 0.25,
        [1.0],
        r"below the loss, by 1\.67e-01 of its",
    ),
    (tangent, [], "No point"),
]


@pytest.mark.parametrize(("surrogate", "points", "message"), SURROGATES)
def test_majorizes_needs_both_conditions(surrogate, points, message):
    assert checks.majorizes(tangent, abs, 1.5, POINTS) >= 0
    with pytest.raises(AssertionError, match=message):
        checks.majorizes(surrogate, abs, 1.5, points)


def test_gradient_matches_catches_a_factor_and_a_transpose():
    M, V = positive((4, 4), seed=1), positive((4, 4), seed=2)

    def f(V):
        return np.exp(V).sum() + (M * V).sum()

    assert checks.gradient_matches(f, np.exp(V) + M, V) < 1e-9
    for wrong in (2 * np.exp(V) + M, np.exp(V) + M.T, np.exp(V) + M * (1 + 1e-6)):
        with pytest.raises(AssertionError, match="off by"):
            checks.gradient_matches(f, wrong, V)


@pytest.mark.parametrize(
    "x", [[1e-6, 2e-6], [1e6, 2e6], np.ones(10_000)], ids=["μ", "M", "many"]
)
def test_the_step_is_a_thousandth_of_a_typical_entry(x):
    """A longer one leaves where the logarithm is defined, or smooth; a shorter one rounds."""
    x = np.asarray(x)
    assert (
        checks.gradient_matches(lambda v: (v * np.log(v)).sum(), 1 + np.log(x), x)
        < 1e-9
    )


def test_kkt_residual_finds_both_kinds_of_violation():
    for V, gradient, residual in (
        ([0.0, 3.0], [8.0, 0.0], 0),
        ([0.0, 3.0], [-2.0, 0.0], 0.5),
        ([0.0, 3.0], [2.0, 1.0], 0.25),
        ([1.0, 4.0], [9.0, 0.0], 0.25),
    ):
        assert (
            checks.kkt_residual(np.array(V), np.array(gradient), scale=4.0) == residual
        )


def test_same_iterates_returns_the_worst_pair_and_catches():
    near = [A * (1 + 3e-11), A * (1 + 1e-11)]
    assert checks.same_iterates([A, A], near) == pytest.approx(3e-11, rel=1e-3)
    for a, b, message in (
        ([A, A], [A, A * (1 + 1e-9)], "Iterate 1"),
        ([A], [A, A], "1 and 2 iterates to compare"),
        ([], [], "0 and 0 iterates to compare"),
        ([A], [A.T], "shapes"),
    ):
        with pytest.raises(AssertionError, match=message):
            checks.same_iterates(a, b)


@pytest.mark.filterwarnings("error")
def test_zeros_are_measured_without_a_warning():
    assert checks.decreases([0.0, 0.0]) == 0
    assert checks.majorizes(lambda d, e: d**2, lambda d: d**2, 0.0, [0.0]) == 0
    assert checks.kkt_residual(np.zeros(2), np.zeros(2)) == 0
    assert checks.same_iterates([np.zeros(2)], [np.zeros(2)]) == 0
