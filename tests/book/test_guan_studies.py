"""What the experiments of Guan et al. rest on: printed numbers, corruptions, the literal box."""

import numpy as np
import pytest

from rnmf_tutorial import TruncatedCauchyNMF
from studies.guan.limits import spoiled_low_rank
from studies.guan.noise import NOISES, positive_laplace
from studies.guan.printed import MISPRINTS, printed_table
from studies.guan.rules import LiteralBox
from studies.guan.stopping import found_in_gamma

A = np.random.default_rng(0).uniform(0.2, 0.9, (6, 1024))


def test_printed_tables_are_complete():
    printed = printed_table()
    counts = printed.groupby("metric").size()
    assert counts.to_dict() == {"ac": 63, "nmi": 63, "rre": 98}
    assert list(printed.noise.unique()) == NOISES
    assert printed.printed.between(0.1, 0.9).all()
    named = set(printed[["noise", "method", "metric"]].itertuples(index=False, name=None))
    assert named > MISPRINTS


def test_spoiled_matrix_has_rank_three_and_the_share_asked_for():
    clean, spoiled = spoiled_low_rank(0.3, 1)
    assert np.linalg.matrix_rank(clean) == 3
    assert (clean != spoiled).sum() == round(0.3 * clean.size)


def test_positive_noise_spares_every_second_pixel_and_lowers_none():
    """By its share of exact pixels, and the mean b and the square 2b² of an exponential."""
    black = np.zeros((200, 1024))
    added = positive_laplace(black, 120, 0.917, seed=0)
    b = 0.917 * 120 / 255 / np.sqrt(2)
    assert added.min() == 0 and abs((added == 0).mean() - 0.5) < 5e-3
    above = added[added > 0]
    assert above.mean() == pytest.approx(b, rel=0.02)
    assert (above**2).mean() == pytest.approx(2 * b**2, rel=0.04)
    assert np.array_equal(positive_laplace(A, 120, 0.917, seed=0), A + added[:6])


@pytest.mark.parametrize("rule, same", [(None, True), ("three-sigma", False)])
def test_literal_box_differs_where_something_is_rejected_and_nowhere_else(rule, same):
    options = {"outliers": rule, "max_iter": 3, "tol": 0, "random_state": 0}
    options |= {"solver": "nesterov", "scale": "published"}
    literal, package = (
        model(2, **options).fit(A[:, :40]).components_ for model in (LiteralBox, TruncatedCauchyNMF)
    )
    assert np.allclose(literal, package, rtol=1e-9) == same


def test_the_printed_rule_looks_among_the_sizes_up_to_the_median():
    sizes = np.array([1.0, 1, 1, 1, 1, 1, 1, 5, 90, 90, 90, 90, 90, 90, 90, 90])
    # μ + 3δ of the lower half is 1.5 + 3 · 1.32 = 5.47: nothing of Γ is beyond it.
    assert found_in_gamma(sizes) == 0
    # With more ones, the 5 is: 23 ones and it have 1.17 + 3 · 0.80 = 3.56.
    sizes = np.r_[np.ones(23), 5, np.full(24, 90)]
    assert found_in_gamma(sizes) == 1 / 48
