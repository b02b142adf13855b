"""Data of any kind mean the same at every public function, or are refused in one clear sentence."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from rnmf_tutorial import NMF, HuberNMF, MaskedSearchCV, selection
from rnmf_tutorial.selection import suspects
from rnmf_tutorial.validation import as_floats, refuse_empty

pytestmark = pytest.mark.filterwarnings("ignore:X has feature names")

COUNTS = np.random.default_rng(0).integers(1, 50, (12, 8))
GAPS = np.where(np.random.default_rng(1).random((12, 8)) < 0.2, np.nan, COUNTS)
FAST = {"max_iter": 10, "tol": 0, "random_state": 0, "solver": "cd"}
FIRST = NMF(1, **FAST)
SECOND = NMF(2, **FAST)
HUBER = HuberNMF(2, scale=3.0, **FAST)
SEARCH = MaskedSearchCV([FIRST, SECOND], refit=False, random_state=0)
#: What takes data, and calls itself by this name.
FUNCTIONS = {
    "MaskedSearchCV.fit": lambda A: SEARCH.fit(A).cv_results_["mean_test_score"],
    "default_candidates": lambda A: [len(selection.default_candidates(A, 2, 0))],
    "suspects": lambda A: suspects(HUBER.fit(GAPS), A)["residual"],
    "mark": lambda A: np.asarray(selection.mark(A)[0]),
    "planted_errors": lambda A: selection.planted_errors(HUBER, A, random_state=0)[
        "left"
    ],
    "agreement_of_starts": lambda A: selection.agreement_of_starts(SECOND, A, 2)[
        "cosines"
    ],
}
#: What a model itself is asked.
OF_MODELS = {
    "NMF.fit": lambda A: NMF(2, **FAST).fit(A).components_,
    "NMF.transform": lambda A: NMF(2, **FAST).fit(COUNTS).transform(A),
    "NMF.score": lambda A: [NMF(2, **FAST).fit(COUNTS).score(A)],
}


def nullable(A):
    return pd.DataFrame(
        {f"f{k}": pd.array(column, dtype="Int64") for k, column in enumerate(A.T)}
    )


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


def test_what_looks_at_data_takes_gaps_and_negative_entries_and_names_who_does_not():
    below = COUNTS - COUNTS.mean() / 2
    for name, call in FUNCTIONS.items():
        for data in [below] * (name != "suspects") + [GAPS] * (name != "mark"):
            assert np.isfinite(np.asarray(call(data), float)).all(), name
    candidates = {"cd": NMF(1, **FAST), "mu": NMF(1, **FAST | {"solver": "mu"})}
    with pytest.warns(
        UserWarning, match="mu failed and is left out: ValueError: Negative values"
    ):
        MaskedSearchCV(candidates, random_state=0).fit(below)


@pytest.mark.parametrize("name", ["suspects", *OF_MODELS])
def test_every_function_takes_every_kind(name):
    call = (FUNCTIONS | OF_MODELS)[name]
    for kinds, plain in ((KINDS, COUNTS.astype(float)), (GAPPY, GAPS)):
        expected = call(plain)
        for make in kinds.values():
            np.testing.assert_array_equal(call(make()), expected)


TEXT = COUNTS.astype(str)
DAY = datetime.date(2020, 1, 1)
REFUSED = [
    (COUNTS + 1j, "hold complex numbers"),
    (np.ma.masked_array(COUNTS + 1j), "hold complex numbers"),
    (COUNTS.astype("M8[D]"), "hold dates or times"),
    (COUNTS.astype("m8[s]"), "hold dates or times"),
    (np.full((3, 3), DAY), "hold dates or times"),
    (
        pd.DataFrame({"n": [1], "day": pd.to_datetime([DAY])}),
        "hold:\n- 'day': dates or times",
    ),
    (TEXT, "hold text"),
    (TEXT.astype(object), "hold text"),
    (np.where(COUNTS > 40, np.inf, COUNTS), "infinity"),
    (COUNTS[0], "2D array"),
    (COUNTS.reshape(3, 4, 8), "dim 3|3 dimensions|2D"),
    (np.ones((0, 4)), "0 sample"),
]


def test_a_frame_is_refused_with_all_its_columns_and_what_to_do():
    mixed = {
        "day": (
            pd.to_datetime([DAY] * 12),
            "dates or times. Leave the column out, or make it the",
        ),
        "who": (
            [f"shop {k}" for k in range(12)],
            "text, such as 'shop 0'. Leave the column out",
        ),
        "lead": (
            ["<5", "<5", "n/a", *["7"] * 9],
            r".*'<5' in 2 of 12 .*na_values=\['<5', 'n/a'\]",
        ),
        "price": (
            ["1,200", "-3,400.5", *["80"] * 10],
            ".*as in '1,200'. Read .* thousands=','",
        ),
        "cost": (
            ["1.200,5"] * 12,
            "commas in numbers, as in '1.200,5'. Read the file with decimal=','",
        ),
        "euro": (
            ["0,567", *["1,234"] * 11],
            "commas .* '0,567'. Read the file with decimal=','",
        ),
        "both": (
            ["1,234"] * 12,
            ".*'1,234'. Read the file with thousands=',', or decimal=','",
        ),
        "month": (
            pd.period_range("2020", periods=12),
            "values that are no numbers. Leave",
        ),
        "typed": (["1"] * 12, ".*pandas.to_numeric"),
        "heat": ([np.inf, *[1.0] * 11], "infinite in 1 of 12 rows. Write NaN"),
        "gain": ([-0.5, -1, *[2.0] * 10], "negative in 2 of 12 rows, the smallest -1"),
        "stock": ([-999, -999, *[2.0] * 10], "-999 in 2 of 12 rows, .* Write NaN"),
    }
    frame = pd.DataFrame(COUNTS).assign(
        **{name: column for name, (column, _) in mixed.items()}
    )
    expected = "\n".join(f"- '{name}': {says}.*" for name, (_, says) in mixed.items())
    with pytest.raises(
        ValueError, match=f"NMF.fit hold:\n{expected}\nUpdates by .*HuberNMF"
    ):
        NMF(2, **FAST | {"solver": "mu"}).fit(frame)


def test_negative_entries_are_refused_by_name_or_taken_with_a_word_about_marks():
    many = np.tile(-COUNTS, 3)
    for data in (many, sp.csr_array(many)):
        with pytest.raises(
            ValueError, match=r"(?s)NMF.fit:\n- feature 0: .*\n- and 4 more"
        ) as got:
            NMF(2, loss="kullback-leibler").fit(data)
        assert all(
            f" {name}" in str(got.value) for name in ("HuberNMF", "NeNMF", "CappedNMF")
        )
        assert " LocalNMF" not in str(got.value)
    marked = pd.DataFrame(COUNTS, dtype=float)
    marked.iloc[[1, 4], 3] = -1
    for model in (
        NMF(2, **FAST),
        MaskedSearchCV([NMF(2, **FAST)], scale_features=True),
    ):
        with pytest.warns(
            UserWarning, match=f"{type(model).__name__}: 3 is -1 in 2 of 12 rows"
        ):
            model.fit(marked.rename(columns=str))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in (-1.5, -2):  # no whole number; or not alone
            marked.iloc[1, 3] = value
            NMF(2, **FAST).fit(marked.to_numpy())


@pytest.mark.parametrize("name", OF_MODELS)
def test_every_function_refuses_what_are_no_amounts(name):
    for A, says in REFUSED:
        with pytest.raises((ValueError, TypeError), match=says):
            OF_MODELS[name](A)


def test_the_message_names_who_was_asked():
    for name, call in FUNCTIONS.items():
        with pytest.raises(ValueError, match=f"passed to {name} hold complex"):
            call(COUNTS + 1j)
    with pytest.raises(
        ValueError, match=r"to a test have .* feature 2 and 1 more; leave"
    ):
        refuse_empty(np.array([[1, 1, np.nan, np.nan]]), "a test")
    refuse_empty(np.array([[1, 1, np.nan, np.nan]]), "a test", features=False)


@pytest.mark.parametrize("kind", ["sparse", "dask"])
def test_sparse_and_dask_data_are_refused_with_what_to_do(kind):
    dask = pytest.importorskip("dask.array") if kind == "dask" else None
    A = dask.from_array(COUNTS) if dask else sp.csr_array(COUNTS)
    for name, call in FUNCTIONS.items():
        said = rf"{name} needs a dense array: .* as A\[:1000\]\.(toarray|compute)\(\), and fit"
        with pytest.raises(TypeError, match=said):
            call(A)
    best = clone(SEARCH).set_params(refit=True).fit(COUNTS[:9]).best_estimator_
    assert clone(best).fit(A).components_.shape[1] == 8  # what the error says works


def test_a_frame_of_coefficients_becomes_a_frame_of_the_data_with_their_names():
    frame = pd.DataFrame(
        COUNTS, [f"s{k}" for k in range(12)], [f"f{k}" for k in range(8)]
    )
    candidates = [NMF(2, **FAST).set_output(transform="pandas")]
    model = MaskedSearchCV(candidates, random_state=0).fit(frame)
    assert model.feature_names_in_.tolist() == [f"f{k}" for k in range(8)]
    assert model.n_features_in_ == 8
    plain = MaskedSearchCV([NMF(2, **FAST)], random_state=0).fit(COUNTS)
    assert model.best_score_ == plain.best_score_ and model.score(frame) == plain.score(
        COUNTS
    )
    restored = model.inverse_transform(model.transform(frame)[3:])
    pd.testing.assert_index_equal(restored.index, frame.index[3:])
    pd.testing.assert_index_equal(restored.columns, frame.columns)
    arrays = plain.inverse_transform(plain.transform(COUNTS))
    assert type(arrays) is np.ndarray
    np.testing.assert_array_equal(restored, arrays[3:])
    named = suspects(model, frame, beyond=1.0)
    np.testing.assert_array_equal(
        named["fitted"], suspects(plain, COUNTS, beyond=1.0)["fitted"]
    )
