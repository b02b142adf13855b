"""The comparison of all models: one start, honest checkpoints, corruptions as named."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from rnmf_tutorial import NMF
from rnmf_tutorial.engine import initialize
from rnmf_tutorial.evaluation import relative_error
from studies import published
from studies.choosing.grids import CANDIDATES, MODELS, RANK, SETTINGS, code_scores, fitted


def small_task(seed=0):
    rng = np.random.default_rng(seed)
    clean = rng.uniform(0.1, 1, (60, 50))
    face = np.arange(60) > 5
    return Bunch(clean=clean, data=clean + rng.exponential(0.1, clean.shape), face=face)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_starts_from_the_same_point(model):
    task = small_task()
    W0, H0 = initialize(task.data.T, RANK, "random", 7)
    make = MODELS[model][0]
    rows, fit, F = fitted(make, 2, task, 7, at=(0, 1))
    start = relative_error(task.clean[task.face].T, (W0 @ H0)[:, task.face])
    assert [row["sweep"] for row in rows] == [0, 1, 2]
    assert rows[0]["rre"] == pytest.approx(start, rel=1e-12)
    end = relative_error(task.clean[task.face], fit.inverse_transform(F)[task.face])
    assert rows[-1]["rre"] == pytest.approx(end, rel=1e-10)
    assert rows[-1]["objective"] == fit.objective_history_[-1]


def test_a_checkpoint_is_a_fit_with_that_many_sweeps():
    task = small_task()
    long, *_ = fitted(NMF, 9, task, 3, at=(4,))
    short, *_ = fitted(NMF, 4, task, 3)
    assert long[0]["sweep"] == 4
    assert long[0]["rre"] == pytest.approx(short[0]["rre"], rel=1e-13)


def test_the_first_candidate_is_the_published_value():
    for model, (name, values, _) in CANDIDATES.items():
        kind = getattr(published, model.split(",")[0])
        assert values[0] == (0.3 if kind is published.RobustNMF else kind().get_params()[name])
    assert len(SETTINGS) == 1 + sum(len(values) for _, values, _ in CANDIDATES.values())


def test_scores_of_codes_do_not_depend_on_the_scale_of_the_basis():
    rng = np.random.default_rng(0)
    target = np.repeat(np.arange(5), 8)
    F = np.eye(5)[target] * 3 + rng.uniform(0, 1, (40, 5))
    components, scale = rng.uniform(0.1, 1, (5, 12)), np.array([0.01, 5.0, 1.0, 30.0, 0.2])
    scores = code_scores(F, components, target)
    assert scores == code_scores(F * scale, components / scale[:, None], target)
    assert 0.9 < scores["one_nn"] <= 1 and scores["ac"] > 0.9
