"""The study of the choice: damage as named, candidates as of a search, regrets by hand."""

import numpy as np
import pandas as pd
import pytest

from rnmf_tutorial import MaskedSearchCV
from rnmf_tutorial.selection import default_candidates
from studies import selection

A = np.random.default_rng(0).uniform(0.2, 1, (40, 100))


def test_the_default_candidates_are_those_of_a_search():
    names = [name.replace(", r = 3", "").replace(",", "") for name in default_candidates(A, 3, 0)]
    assert selection.default_names() == names
    for name, model in zip(names, default_candidates(A, 3, 0).values(), strict=True):
        made = selection.CANDIDATES[name](1.0)(3)
        assert type(made) is type(model)
        for key in ("scale", "outliers"):
            if isinstance(getattr(model, key, None), float):
                unit = model.scale / float(name.split()[1])
                assert getattr(model, key) == pytest.approx(unit * getattr(made, key))


def test_regret_and_classes_by_hand():
    names = list(selection.CANDIDATES)
    errors = pd.DataFrame({"candidate": names, "error": np.arange(len(names)) + 2.0})
    rows = errors.assign(corruption="none 0", data="digits", seed=0, absolute=2 - errors.error)
    found = selection.regrets(rows).iloc[0]
    last = selection.default_names()[-1]
    assert found.chosen == last
    assert found.search == rows.error[rows.candidate == last].item() / 2
    assert found.NMF == 1
    tuned = selection.tuned(rows).iloc[0]
    assert tuned["search"] == 2 * found.search
    assert tuned["HuberNMF"] == rows.error[rows.candidate == "HuberNMF"].item()
    assert set(tuned.index) == {*selection.classes(), "search"}


def test_the_choice_by_regions_by_hand():
    keys = {"damage": "none 0", "data": "digits", "seed": 0}
    errors = pd.DataFrame({"candidate": ["NMF", "Huber", "Window"], "error": [2.0, 1.0, 3.0]})
    rows = errors.assign(**keys, chosen=errors.candidate == "Window")
    found = selection.chosen_by_regions(rows).iloc[0]
    assert (found.chosen, found.to_NMF, found.to_best) == ("Window", 1.5, 3.0)


def test_damage_of_regions_is_one_box_in_every_sample():
    for damage in selection.DAMAGES[:-1]:
        task = selection.regions.damaged("ORL", damage, 0)
        changed = (task.data != task.clean).reshape(-1, 16, 16)
        side = {"none 0": 0, "white 25": 8}.get(damage, 6)
        for axis in (1, 2):
            lines = changed.any(axis=axis)
            assert (lines.sum(axis=1) == side).all()
            assert (np.diff(lines.astype(int), axis=1) > 0).sum(axis=1).max() <= 1
            assert lines.any(axis=0).all() == (side > 0)


def test_a_curve_of_plain_nmf_alone_sees_no_other_candidate():
    search = MaskedSearchCV()
    splits = {"split0_test_score": np.array([-2.0, -1.0]), "split1_test_score": [-2.1, -1.2]}
    search.cv_results_ = splits | {
        "candidate": np.array(["NMF, r = 1", "HuberNMF, r = 2"], dtype=object),
        "params": [{"n_components": 1}, {"n_components": 2}],
        "mean_test_score": np.array([-2.05, -1.1]),
        "std_test_score": np.array([0.05, 0.1]),
    }
    assert selection.ranks.chosen(search, lambda name: True) == (2, 2)
    assert selection.ranks.chosen(search, lambda name: name.startswith("NMF")) == (1, 1)
