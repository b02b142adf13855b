"""The rules that tell outliers: exact thresholds; what they reject of clean data is on a page."""

from functools import partial

import numpy as np
import pytest

from rnmf_tutorial import TruncatedCauchyNMF
from rnmf_tutorial.models.truncated import (
    OUTLIER_RULES,
    TIGHT_SWEEPS,
    mixture,
    three_sigma,
)
from rnmf_tutorial.papers import guan


def test_three_sigma_and_its_box_take_the_smaller_half_in_any_order():
    """NumPy's partition puts only the places in order that it is asked for."""
    for n in (1, 2, 7, 8, *range(200, 300)):
        sizes = 3 * np.random.default_rng(n).random((1, n))
        half = np.sort(sizes.ravel())[: max(n // 2, 1)]
        for rule in (partial(three_sigma, scale=1.0, done=0), guan.three_sigma)[
            : min(n, 2)
        ]:
            assert rule(sizes) == pytest.approx(half.mean() + 3 * half.std(), rel=1e-12)


@pytest.mark.parametrize("rule", OUTLIER_RULES.values())
@pytest.mark.parametrize("done", [0, 50])
def test_the_unit_and_the_order_do_not_matter_and_zeros_have_a_threshold(rule, done):
    for dtype in ("f4", "f8"):
        sizes = np.random.default_rng(1).exponential(1, (30, 20)).astype(dtype) ** 2
        threshold = rule(sizes, 1.0, done)
        assert rule(1024 * sizes, 1024.0, done) == pytest.approx(
            1024 * threshold, rel=1e-6
        )
        assert rule(sizes[:, ::-1], 1.0, done) == pytest.approx(threshold, rel=1e-6)
    for sizes in (np.zeros((3, 4)), np.eye(4)):
        assert rule(sizes, 1.0, done) >= 0


# ------------------------------------------------------------------ the mixture


def drawn(share, b, R, n=40_000):
    """Sizes of Laplace errors of size b, the others uniform up to R."""
    rng = np.random.default_rng(0)
    inliers = int(share * n)
    return np.append(rng.exponential(b, inliers), rng.uniform(0, R, n - inliers))


@pytest.mark.parametrize("share", [0.4, 0.55, 0.65])
@pytest.mark.parametrize("odds", [{}, {"odds": 20.0}, {"odds": 5.0}])
def test_the_mixture_finds_where_the_odds_are_twenty_unless_told(share, odds):
    b = 0.05
    R = 2.0
    ratio = odds.get("odds", 20.0)
    exact = b * np.log(ratio * share * R / ((1 - share) * b))
    assert (1 - share) / R / (share / b * np.exp(-exact / b)) == pytest.approx(
        ratio, rel=1e-12
    )
    found = mixture(drawn(share, b, R), 1.0, TIGHT_SWEEPS, **odds)
    assert found == pytest.approx(exact, rel=0.05)


def test_the_mixture_starts_tight_and_lets_few_outliers_be():
    sizes = drawn(0.9, 0.05, 2.0)
    for done in (0, 19):
        assert (sizes <= mixture(sizes, 1.0, done)).mean() == pytest.approx(
            0.35, abs=1e-3
        )
    assert mixture(sizes, 1.0, 20) == np.inf
    model = TruncatedCauchyNMF(1, outliers="mixture", tol=0.9, random_state=0)
    assert (
        model.fit(sizes[:200].reshape(20, 10)).n_iter_ > 20
    )  # however slow its sweeps
