"""The study of the choice: damage as named, candidates as of a search, regrets by hand."""

import numpy as np
import pandas as pd
import pytest

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
    rows = pd.DataFrame(
        {
            "corruption": "none 0",
            "data": "digits",
            "seed": 0,
            "candidate": list(selection.CANDIDATES),
            "error": np.arange(len(selection.CANDIDATES)) + 2.0,
            "absolute": -np.arange(len(selection.CANDIDATES)) * 1.0,
        }
    )
    found = selection.regrets(rows).iloc[0]
    last = selection.default_names()[-1]
    assert found.chosen == last
    assert found.search == rows.error[rows.candidate == last].item() / 2
    assert found.NMF == 1
    tuned = selection.tuned(rows).iloc[0]
    assert tuned["search"] == 2 * found.search
    assert tuned["HuberNMF"] == rows.error[rows.candidate == "HuberNMF"].item()
    assert set(tuned.index) == {*selection.classes(), "search"}
