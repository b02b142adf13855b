"""What the experiments rest on: one start, and damage as named."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from rnmf_tutorial import TruncatedCauchyNMF
from rnmf_tutorial.data import available, load_orl
from rnmf_tutorial.measures import relative_error
from rnmf_tutorial.starts import initialize
from studies.choosing.grids import MODELS, RANK, fitted
from studies.guan.competitors import METHODS, scores
from studies.guan.noise import POSITIVE, positive_laplace
from studies.guan.positive import HALF
from studies.guan.printed import printed_table
from studies.guan.rules import LiteralBox
from studies.guan.stopping import found_in_gamma

# --------------------------------------------------------- all models on the same faces


@pytest.mark.parametrize("model", MODELS)
def test_every_model_starts_from_one_point_and_a_checkpoint_is_a_shorter_fit(model):
    rng = np.random.default_rng(0)
    face = np.arange(60) > 5
    clean = rng.uniform(0.1, 1, (60, 50))
    task = Bunch(clean=clean, data=clean + rng.exponential(0.1, clean.shape), face=face)
    W0, H0 = initialize(task.data.T, RANK, "random", 7)
    rows, fit, F = fitted(MODELS[model][0], 2, task, 7, at=(0, 1))
    start = relative_error(task.clean[task.face].T, (W0 @ H0)[:, task.face])
    assert [row["sweep"] for row in rows] == [0, 1, 2]
    assert rows[0]["rre"] == pytest.approx(start, rel=1e-12)
    end = relative_error(task.clean[task.face], fit.inverse_transform(F)[task.face])
    assert rows[-1]["rre"] == pytest.approx(end, rel=1e-10)
    assert rows[-1]["objective"] == fit.objective_history_[-1]
    shorter, *_ = fitted(MODELS[model][0], 1, task, 7)
    assert rows[1]["rre"] == pytest.approx(shorter[-1]["rre"], rel=1e-13)


# ------------------------------------------------------------------ Guan et al.


def off(share):
    """Our errors of L2 over the printed ones, less one, at the levels of the fit."""
    printed = printed_table().query("method == 'NeNMF' and metric == 'rre'")
    printed = printed.set_index("noise").printed
    faces = load_orl(32, aligned=True)
    found = []
    for level in HALF:
        A = positive_laplace(faces.data, level, share, 1).astype(np.float32)
        model = METHODS["NeNMF"](RANK, random_state=1)
        found.append(scores(model, faces, A)["rre"] / printed[f"Laplace {level}"] - 1)
    return np.array(found)


@pytest.mark.long
@pytest.mark.skipif(not available("orl32"), reason="the aligned ORL faces are absent")
def test_the_share_is_what_fits_the_errors_of_l2_and_nearly_the_brightest_pixel():
    chosen = POSITIVE["positive, scaled"]
    least = off(0.9)
    most = off(0.935)
    # between the two the errors are straight lines; least squares of all four
    slope = (most - least) / 0.035
    assert 0.9 - (least @ slope) / (slope @ slope) == pytest.approx(chosen, abs=0.002)
    # faces stretched to the full range, and noise as printed, are the same up to a unit
    brightest = load_orl(32, aligned=True).data.max()
    assert brightest == pytest.approx(chosen, rel=0.006)
    assert np.abs(off(brightest)).max() < 0.01


@pytest.mark.parametrize("rule, same", [(None, True), ("three-sigma", False)])
def test_literal_box_differs_where_something_is_rejected_and_nowhere_else(rule, same):
    A = np.random.default_rng(0).uniform(0.2, 0.9, (6, 40))
    options = {"outliers": rule, "max_iter": 3, "tol": 0, "random_state": 0}
    options |= {"solver": "nesterov", "scale": "published"}
    kinds = LiteralBox, TruncatedCauchyNMF
    literal, package = (kind(2, **options).fit(A).components_ for kind in kinds)
    assert np.allclose(literal, package, rtol=1e-9) == same


def test_the_printed_rule_looks_among_the_sizes_up_to_the_median():
    sizes = np.array([1.0, 1, 1, 1, 1, 1, 1, 5, 90, 90, 90, 90, 90, 90, 90, 90])
    # μ + 3δ of the lower half is 1.5 + 3 · 1.32 = 5.47: nothing of Γ is beyond it.
    assert found_in_gamma(sizes) == 0
    # With more ones, the 5 is: 23 ones and it have 1.17 + 3 · 0.80 = 3.56.
    sizes = np.r_[np.ones(23), 5, np.full(24, 90)]
    assert found_in_gamma(sizes) == 1 / 48
