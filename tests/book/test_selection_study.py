"""The study of the choice: damage as named, candidates as of a search, regrets by hand."""

import numpy as np
import pandas as pd
import pytest

from rnmf_tutorial.selection import default_candidates
from studies import selection
from studies.selection.problems import block_sides, spoiled

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


def test_damage_is_what_its_name_says():
    rng, one = np.random.default_rng(1), np.percentile(A, 99)
    salted, _ = spoiled(A, (10, 10), "salt & pepper 30", rng)
    assert np.mean(salted != A) == pytest.approx(0.3, abs=0.02)
    assert set(np.unique(salted[salted != A])) == {0, one}
    noisy, _ = spoiled(A + 9, (10, 10), "Gaussian 0.1", rng)
    assert np.std(noisy - A - 9) == pytest.approx(0.1 * np.percentile(A + 9, 99), rel=0.05)
    block, kept = spoiled(A, (10, 10), "block 14", rng)
    assert ((block == one).sum(axis=1) >= 16).all() and (block != A).sum(axis=1).max() <= 16
    assert kept.all() and block_sides((10, 10), 0.14) == [4, 4]
    assert block_sides((1, 100), 0.14) == [1, 14]
    _, kept = spoiled(A, (10, 10), "strangers 20", rng)
    assert (~kept).sum() == 8
    holes = np.where(A > 0.9, np.nan, A)
    assert (np.isnan(spoiled(holes, (10, 10), "Laplace 0.2", rng)[0]) == np.isnan(holes)).all()
    with pytest.raises(ValueError, match="not known"):
        spoiled(A, (10, 10), "rain 3", rng)


def test_low_rank_data_have_three_units():
    sizes = [selection.problem("low rank", "none 0", seed).clean.mean() for seed in range(3)]
    np.testing.assert_allclose(np.array(sizes) / sizes[0], [1, 1e-4, 1e4])


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
