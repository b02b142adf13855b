"""Data of any kind mean the same at every public function, or are refused in one clear sentence."""

import datetime

import numpy as np
import pandas as pd
import pytest

from rnmf_tutorial import NMF, HuberNMF, MaskedSearchCV
from rnmf_tutorial.inputs import as_floats, refuse_empty
from rnmf_tutorial.selection import (
    agreement_of_starts,
    default_candidates,
    mark,
    noise_scale,
    planted_errors,
    suspects,
)

pytestmark = pytest.mark.filterwarnings("ignore:X has feature names")

COUNTS = np.random.default_rng(0).integers(1, 50, (12, 8))
GAPS = np.where(np.random.default_rng(1).random((12, 8)) < 0.2, np.nan, COUNTS)
FAST = {"max_iter": 10, "tol": 0, "random_state": 0, "solver": "cd"}


#: What takes data, and calls itself by this name.
FUNCTIONS = {
    "MaskedSearchCV.fit": lambda A: (
        MaskedSearchCV([NMF(1, **FAST), NMF(2, **FAST)], refit=False, random_state=0)
        .fit(A)
        .cv_results_["mean_test_score"]
    ),
    "noise_scale": lambda A: [noise_scale(A, 2, 0)],
    "default_candidates": lambda A: [
        model.get_params().get("scale", 0) for model in default_candidates(A, 2, 0).values()
    ],
    "suspects": lambda A: suspects(HuberNMF(2, scale=3.0, **FAST).fit(GAPS), A)["residual"],
    "mark": lambda A: np.asarray(mark(A)[0]),
    "planted_errors": lambda A: planted_errors(
        HuberNMF(2, scale=3.0, **FAST), A, share=0.1, random_state=0
    )["left"],
    "agreement_of_starts": lambda A: agreement_of_starts(NMF(2, **FAST), A, 2)["cosines"],
}
#: What a model itself is asked.
OF_MODELS = {
    "NMF.fit": lambda A: NMF(2, **FAST).fit(A).components_,
    "NMF.transform": lambda A: NMF(2, **FAST).fit(COUNTS).transform(A),
    "NMF.score": lambda A: [NMF(2, **FAST).fit(COUNTS).score(A)],
}


def nullable(A):
    return pd.DataFrame({f"f{k}": pd.array(column, dtype="Int64") for k, column in enumerate(A.T)})


#: The same data in other clothes; those of the first have no gaps.
KINDS = {
    "integers": lambda: COUNTS,
    "bytes": lambda: COUNTS.astype("u1"),
    "list": lambda: COUNTS.tolist(),
    "float16": lambda: COUNTS.astype("f2"),
    "other order of bytes": lambda: COUNTS.astype(">f8"),
    "Fortran": lambda: np.asfortranarray(COUNTS, dtype=float),
    "frame": lambda: pd.DataFrame(COUNTS),
    "objects": lambda: pd.DataFrame(COUNTS, dtype=object),
    "masked": lambda: np.ma.masked_array(COUNTS),
}
GAPPY = {
    "list": lambda: [[None if np.isnan(x) else x for x in row] for row in GAPS],
    "masked": lambda: np.ma.masked_array(COUNTS, np.isnan(GAPS)),
    "masked by numbers": lambda: np.ma.masked_array(COUNTS, np.isnan(GAPS).astype(int)),
    "masked objects": lambda: np.ma.masked_array(COUNTS.astype(object), np.isnan(GAPS)),
    "frame": lambda: pd.DataFrame(GAPS),
    "nullable": lambda: nullable(np.where(np.isnan(GAPS), pd.NA, COUNTS)),
    "objects": lambda: pd.DataFrame(GAPS).astype(object).where(~np.isnan(GAPS), pd.NA),
}


def test_every_kind_becomes_the_same_floats():
    for kinds, expected in ((KINDS, COUNTS), (GAPPY, GAPS)):
        for make in kinds.values():
            floats = as_floats(make(), "a test")
            assert floats.dtype == np.float64 and floats.flags.c_contiguous
            np.testing.assert_array_equal(floats, expected)
    for kind in ("f4", ">f4"):
        for A in (COUNTS.astype(kind), np.ma.masked_array(COUNTS.astype(kind))):
            assert as_floats(A, "a test").dtype == np.dtype("f4")
    assert np.shares_memory(as_floats(GAPS, "a test"), GAPS)


@pytest.mark.parametrize("name", ["suspects", *OF_MODELS])
def test_every_function_takes_every_kind(name):
    call = (FUNCTIONS | OF_MODELS)[name]
    for kinds, plain in ((KINDS, COUNTS.astype(float)), (GAPPY, GAPS)):
        expected = call(plain)
        for make in kinds.values():
            np.testing.assert_array_equal(call(make()), expected)


TEXT, DAY = COUNTS.astype(str), datetime.date(2020, 1, 1)
REFUSED = [
    (COUNTS + 1j, "hold complex numbers"),
    (np.ma.masked_array(COUNTS + 1j), "hold complex numbers"),
    (COUNTS.astype("M8[D]"), "hold dates or times"),
    (COUNTS.astype("m8[s]"), "hold dates or times"),
    (np.full((3, 3), DAY), "hold dates or times"),
    (
        pd.DataFrame({"n": [1], "day": pd.to_datetime([DAY])}),
        "Column 'day' of the data holds dates",
    ),
    (TEXT, "hold text"),
    (TEXT.astype(object), "hold text"),
    (pd.DataFrame({"n": [1], "who": ["a"]}), "Column 'who' of the data holds text"),
    (-COUNTS, "Negative values .* is -49. Shift or clip"),
    (-GAPS, "Negative values"),
    (np.where(COUNTS > 40, np.inf, COUNTS), "infinity"),
    (COUNTS[0], "2D array"),
    (COUNTS.reshape(3, 4, 8), "dim 3|3 dimensions|2D"),
    (np.ones((0, 4)), "0 sample"),
]


@pytest.mark.parametrize("name", OF_MODELS)
def test_every_function_refuses_what_are_no_amounts(name):
    for A, says in REFUSED:
        with pytest.raises((ValueError, TypeError), match=says):
            OF_MODELS[name](A)


def test_the_message_names_who_was_asked():
    for name, call in FUNCTIONS.items():
        who = "noise_scale" if name == "default_candidates" else name
        with pytest.raises(ValueError, match=f"passed to {who} hold complex"):
            call(COUNTS + 1j)
    with pytest.raises(ValueError, match=r"to a test have .* feature 2 and 1 more; leave"):
        refuse_empty(np.array([[1, 1, np.nan, np.nan]]), "a test")
    refuse_empty(np.array([[1, 1, np.nan, np.nan]]), "a test", features=False)


def test_the_search_remembers_the_names_of_the_columns():
    search = MaskedSearchCV([NMF(1, **FAST)], random_state=0).fit(nullable(COUNTS))
    assert search.feature_names_in_.tolist() == [f"f{k}" for k in range(8)]
    assert search.n_features_in_ == 8
