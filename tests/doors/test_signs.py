"""Data that non-negative factors cannot describe: one error, or one warning, in every container."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import rnmf_tutorial as rt
from rnmf_tutorial.scale_warnings import DataWarning
from rnmf_tutorial.validation import negative_of
from tests import problems

RNG = np.random.default_rng(0)
A = RNG.uniform(size=(40, 3)) @ RNG.uniform(size=(3, 12))
A += 0.02 * RNG.uniform(size=A.shape)
NAMES = [f"f{k}" for k in range(12)]
LABELS = np.arange(40) % 3
DECIBELS = 20 * np.log10(A / A.max())  # none is above zero
STANDARD = StandardScaler().fit_transform(A)
NOISY = A + 0.3 * A.mean() * RNG.normal(size=A.shape)
MARKED = A.copy()
MARKED[:5, 2] = -999
FAST = {"n_components": 2, "max_iter": 3, "tol": 0, "random_state": 0}


def chunked(A):
    return pytest.importorskip("dask.array").from_array(A, chunks=(15, 12))


def polars_frame(A):
    return pytest.importorskip("polars").DataFrame(A, schema=NAMES)


def arrow_table(A):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table({name: A[:, k] for k, name in enumerate(NAMES)})


CONTAINERS = {
    "array": np.asarray,
    "list": lambda A: A.tolist(),
    "sparse": sp.csr_array,
    "dask": chunked,
    "pandas": lambda A: pd.DataFrame(A, columns=NAMES),
    "polars": polars_frame,
    "arrow": arrow_table,
}
each_container = pytest.mark.parametrize("container", CONTAINERS)
#: One of each class that takes negative entries.
SIGNED = {type(m).__name__: m for m in problems.EVERY if m.takes_negative}


def said(call):
    """Return the warnings about data of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    caught = [w for w in caught if issubclass(w.category, DataWarning)]
    assert {w.filename for w in caught} <= {__file__}
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("name", SIGNED)
def test_nothing_above_zero_is_an_error_and_much_below_it_a_warning(name):
    model = problems.with_sizes(SIGNED[name]).set_params(**FAST)
    with pytest.raises(ValueError, match=rf"{name}\.fit: no entry is above zero.*deci"):
        clone(model).fit(DECIBELS)
    (sentence,) = said(lambda: clone(model).fit(STANDARD))
    share = (np.minimum(STANDARD, 0) ** 2).sum() / (STANDARD**2).sum()
    assert sentence.startswith(f"{name}: {100 * share:.0f}% of the sum of the squares")
    remedies = (
        A,
        MaxAbsScaler().fit_transform(A),
        StandardScaler(with_mean=False).fit_transform(A),
        10 ** (DECIBELS / 20),
        NOISY,
    )
    for data in remedies:
        assert said(lambda data=data: clone(model).fit(data)) == []


@each_container
def test_every_container_gets_the_same_sentences(container):
    make = CONTAINERS[container]
    model = rt.NMF(**FAST)
    called = "feature 2" if container in ("array", "list", "sparse", "dask") else "f2"
    with pytest.raises(ValueError, match="no entry is above zero"):
        clone(model).fit(make(DECIBELS))
    (plain,) = said(lambda: clone(model).fit(STANDARD))
    assert said(lambda: clone(model).fit(make(STANDARD))) == [plain]
    (mark,) = said(lambda: clone(model).fit(make(MARKED)))
    assert mark.startswith(f"NMF: {called} is -999 in 5 of 40 rows")
    assert said(lambda: clone(model).fit(make(NOISY))) == []


@pytest.mark.parametrize("container", ["array", "pandas", "polars", "arrow"])
def test_a_search_says_it_once(container):
    make = CONTAINERS[container]
    search = rt.MaskedSearchCV(n_components=2, n_repeats=1, random_state=0)
    with pytest.raises(ValueError, match=r"MaskedSearchCV\.fit: no entry is above"):
        search.fit(make(DECIBELS))
    for data, says in ((STANDARD, "51%|50%|49%"), (MARKED, "is -999 in 5 of 40")):
        (sentence,) = said(lambda data=data: search.fit(make(data)))
        assert sentence.startswith("MaskedSearchCV: ")
        assert any(part in sentence for part in says.split("|"))
    assert said(lambda: search.fit(make(NOISY))) == []


def test_a_model_that_takes_no_negative_entries_names_both_ways():
    for model in (rt.NMF(solver="mu"), rt.NMF(loss="kullback-leibler")):
        with pytest.raises(ValueError, match="No entry is above zero, so those cannot"):
            model.fit(DECIBELS)
        with pytest.raises(ValueError, match=r"with_mean=False.*PCA\.$"):
            model.fit(STANDARD)


def test_missing_entries_do_not_count_and_marks_are_no_part_of_the_share():
    data = STANDARD.copy()
    data[problems.hidden(data.shape, 0.2)] = np.nan
    (sentence,) = said(lambda: rt.NMF(**FAST).fit(data))
    share = np.nansum(np.minimum(data, 0) ** 2) / np.nansum(data**2)
    assert f" {100 * share:.0f}% " in sentence
    both = STANDARD.copy()
    both[:, 2] = MARKED[:, 2]
    sentences = said(lambda: rt.NMF(**FAST).fit(both))
    assert len(sentences) == 2 and "-999" in sentences[0] and "of neg" in sentences[1]


def test_many_marks_are_one_warning():
    data = np.tile(MARKED[:, 2:3], 30)
    (sentence,) = said(lambda: rt.NMF(**FAST).fit(data))
    assert sentence.count("is -999 in 5") == 20 and "of 10 more features" in sentence


def test_the_numbers_of_dense_and_of_sparse_data_agree():
    dense = negative_of(MARKED.T)
    stored = negative_of(sp.csc_array(MARKED.T))
    for one, other in zip(dense, stored, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
    assert dense.squares.sum() == 5 * 999.0**2
