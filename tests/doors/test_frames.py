"""Frames of any library are fitted by name; what is no amount is refused by name, all at once."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest

import rnmf_tutorial as rt
from rnmf_tutorial.selection import mark, suspects

RNG = np.random.default_rng(0)
NAMES = ["iron", "zinc", "lead", "tin", "gold", "silver"]
A = RNG.uniform(size=(30, 2)) @ RNG.uniform(1, 2, size=(2, 6))
A += 0.02 * RNG.uniform(size=A.shape)
GAPS = np.where(RNG.random(A.shape) < 0.1, np.nan, A)
FAST = {"max_iter": 20, "tol": 0, "random_state": 0}


def library(name):
    """Return a frame library, or skip the test if it is not installed."""
    return pytest.importorskip("pyarrow" if name == "table" else name)


def pandas_frame(columns):
    return pd.DataFrame(columns)


def polars_frame(columns):
    import polars

    return polars.DataFrame(columns, strict=False)


def arrow_table(columns):
    import pyarrow

    return pyarrow.table(columns)


#: Kind -> a function that makes a frame of columns by name.
MAKERS = {
    "pandas": pandas_frame,
    "polars": polars_frame,
    "table": arrow_table,
}
each_kind = pytest.mark.parametrize("kind", MAKERS)


def columns_of(values, names=NAMES):
    """Return columns by name; a missing number is None."""
    return {
        name: [None if np.isnan(x) else x for x in column.tolist()]
        for name, column in zip(names, values.T, strict=True)
    }


@each_kind
def test_a_frame_is_fitted_as_an_array_and_keeps_its_names(kind):
    library(kind)
    for values in (A, GAPS):
        frame = MAKERS[kind](columns_of(values))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = rt.HuberNMF(2, scale=0.1, **FAST).fit(frame)
            codes = model.transform(frame)
            score = model.score(frame)
        plain = rt.HuberNMF(2, scale=0.1, **FAST).fit(values)
        np.testing.assert_array_equal(model.components_, plain.components_)
        np.testing.assert_array_equal(codes, plain.transform(values))
        assert score == plain.score(values)
        assert model.feature_names_in_.tolist() == NAMES


@each_kind
def test_a_search_names_its_features_and_warns_of_nothing_untrue(kind):
    library(kind)
    frame = MAKERS[kind](columns_of(A))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = rt.MaskedSearchCV(n_components=2, n_repeats=1, random_state=0)
        codes = search.fit(frame).transform(frame)
        search.score(frame)
    assert search.feature_names_in_.tolist() == NAMES
    assert search.best_estimator_.feature_names_in_.tolist() == NAMES
    plain = rt.MaskedSearchCV(n_components=2, n_repeats=1, random_state=0).fit(A)
    np.testing.assert_array_equal(codes, plain.transform(A))


@each_kind
def test_suspects_and_marks_have_the_names_of_a_frame(kind):
    library(kind)
    values = A.copy()
    values[4, 2] = 50.0
    frame = MAKERS[kind](columns_of(values))
    model = rt.HuberNMF(2, random_state=0, tol=1e-3).fit(frame)
    found = suspects(model, frame)
    assert found[["sample", "feature"]].values.tolist()[0] == [4, "lead"]
    by_feature = suspects(model, frame, by="features")
    assert sorted(by_feature.index) == sorted(NAMES)

    values = np.vstack([A, A, A])
    values[10:40, 3] = 0.7
    frame = MAKERS[kind](columns_of(values))
    marked, report = mark(frame)
    assert type(marked) is type(frame)
    assert report["where"].tolist() == ["feature tin, samples 10 to 39"]
    expected = values.copy()
    expected[10:40, 3] = np.nan
    np.testing.assert_array_equal(np.asarray(pd.DataFrame(values_of(marked))), expected)


def values_of(frame):
    """Return the columns of a frame of any kind by name."""
    if hasattr(frame, "iloc"):
        return frame
    return frame.to_pydict() if hasattr(frame, "to_pydict") else frame.to_dict()


def test_a_frame_of_coefficients_of_polars_becomes_a_frame_of_the_data():
    polars = pytest.importorskip("polars")
    frame = polars_frame(columns_of(A * np.array([1, 1, 1, 1, 1, 100])))
    candidates = [rt.NMF(2, **FAST).set_output(transform="polars")]
    search = rt.MaskedSearchCV(candidates, scale_features=True, random_state=0)
    codes = search.fit(frame).transform(frame)
    assert codes.columns == ["nmf0", "nmf1"]
    restored = search.inverse_transform(codes)
    assert isinstance(restored, polars.DataFrame) and restored.columns == NAMES
    expected = search.inverse_transform(codes.to_numpy())
    np.testing.assert_array_equal(restored.to_numpy(), expected)


DAY = datetime.date(2020, 1, 1)
N = range(30)
#: What is no amount -> the column, and what an error says of it.
NO_AMOUNTS = {
    "day": ([DAY] * 30, "dates or times"),
    "moment": ([datetime.datetime(2020, 1, 1)] * 30, "dates or times"),
    "clock": ([datetime.time(1)] * 30, "dates or times"),
    "duration": ([datetime.timedelta(1)] * 30, "dates or times"),
    "gap in days": ([None, *[DAY] * 29], "dates or times"),
    "site": (["north"] * 30, "text, such as 'north'"),
    "gap in text": ([None, *["north"] * 29], "text, such as 'north'"),
    "nested": ([[1, 2]] * 30, "lists of several values"),
    "record": ([{"a": 1}] * 30, ""),  # a library makes lists of it, or leaves it
}


@each_kind
@pytest.mark.parametrize("who", ["NMF", "MaskedSearchCV"])
def test_one_error_lists_every_column_that_is_no_amount(kind, who):
    library(kind)
    columns = columns_of(A)
    frame = MAKERS[kind](columns | {name: c for name, (c, _) in NO_AMOUNTS.items()})
    with pytest.raises(ValueError) as caught:
        getattr(rt, who)().fit(frame)
    first, *lines = str(caught.value).split("\n")
    assert first == f"The data passed to {who}.fit hold:"
    assert len(lines) == len(NO_AMOUNTS)
    for line, (name, (_, says)) in zip(lines, NO_AMOUNTS.items(), strict=True):
        assert line.startswith(f"- {name!r}: {says}") and "Leave the column out" in line
        assert ("make it the index" in line) == (kind == "pandas")
    rt.NMF(2, **FAST).fit(MAKERS[kind](columns))  # without them


def test_categories_are_no_amounts_even_if_they_are_numbers():
    frame = pd.DataFrame(A, columns=NAMES)
    frames = [frame.assign(zip=pd.Categorical([1, 2] * 15))]
    frames.append(frame.assign(zip=pd.Categorical(["a", "b"] * 15)))
    try:
        import polars

        kinds = (polars.Categorical, polars.Enum(["a", "b"]))
        frame = polars_frame(columns_of(A))
        for dtype in kinds:
            series = polars.Series("zip", ["a", "b"] * 15, dtype=dtype)
            frames.append(frame.with_columns(series))
            frames.append(frames[-1].to_arrow())
    except ImportError:
        pass
    for frame in frames:
        with pytest.raises(ValueError, match="'zip': categories, which are no amounts"):
            rt.NMF(2).fit(frame)


@each_kind
def test_truth_values_are_ones_and_zeros_and_whole_numbers_have_gaps(kind):
    library(kind)
    columns = columns_of(A) | {
        "seen": [k % 2 == 0 for k in N],
        "seen or not known": [None if k == 3 else k % 2 == 0 for k in N],
        "count": [None if k == 5 else k for k in N],
    }
    frame = MAKERS[kind](columns)
    gaps = np.column_stack([A, *([np.arange(30) % 2 == 0] * 2), np.arange(30.0)])
    gaps[3, 7] = gaps[5, 8] = np.nan
    fits = [rt.NMF(2, **FAST).fit(data).components_ for data in (frame, gaps)]
    np.testing.assert_array_equal(*fits)


@each_kind
def test_a_column_without_an_entry_is_named(kind):
    library(kind)
    frame = MAKERS[kind](columns_of(A) | {"nothing": [None] * 30})
    with pytest.raises(ValueError, match="no entry at all in feature 'nothing'; leave"):
        rt.NMF(2).fit(frame)


def test_nullable_types_of_pandas_have_missing_entries():
    frame = pd.DataFrame(GAPS, columns=NAMES)
    expected = rt.NMF(2, **FAST).fit(GAPS).components_
    arrow = {"double[pyarrow]"} if _has("pyarrow") else set()
    for dtype in {"Float64", "object"} | arrow:
        other = frame.astype(dtype).where(frame.notna(), pd.NA)
        found = rt.NMF(2, **FAST).fit(other).components_
        np.testing.assert_array_equal(found, expected)


def _has(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def test_names_that_cannot_be_told_apart_or_are_not_all_text_are_listed():
    for model in (rt.NMF(2, **FAST), rt.MaskedSearchCV(random_state=0, n_repeats=1)):
        twice = pd.DataFrame(A, columns=["iron", "zinc", "iron", "zinc", "tin", "gold"])
        says = (
            "the name of more than one column: 'iron', 'zinc'. Give each column its own"
        )
        with pytest.raises(ValueError, match=says):
            model.fit(twice)
        mixed = pd.DataFrame(A, columns=["iron", 7, "lead", "tin", "gold", "silver"])
        with pytest.raises(ValueError, match=r"not text, where others are: 7\. Make"):
            model.fit(mixed)
        mixed.columns = mixed.columns.astype(str)  # as the error says
        assert model.fit(mixed).feature_names_in_[1] == "7"
        model.fit(pd.DataFrame(A))  # names that are all numbers are positions


def test_duplicate_names_of_an_arrow_table_are_listed():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_arrays(list(map(pyarrow.array, A.T[:2])), ["x", "x"])
    with pytest.raises(ValueError, match="the name of more than one column: 'x'"):
        rt.NMF(1).fit(table)


def test_a_lazy_frame_has_to_be_collected():
    pytest.importorskip("polars")
    lazy = polars_frame(columns_of(A)).lazy()
    fitted = rt.NMF(2, **FAST).fit(A)
    for call in (rt.NMF().fit, fitted.transform, rt.MaskedSearchCV().fit, mark):
        with pytest.raises(TypeError, match=r"LazyFrame, .* collect it first"):
            call(lazy)
    rt.NMF(2, **FAST).fit(lazy.collect())


def test_a_batch_of_a_table_has_to_become_one():
    pyarrow = pytest.importorskip("pyarrow")
    (batch,) = arrow_table(columns_of(A)).to_batches()
    with pytest.raises(TypeError, match=r"RecordBatch, .* pyarrow.Table.from_batches"):
        rt.NMF().fit(batch)
    rt.NMF(2, **FAST).fit(pyarrow.Table.from_batches([batch]))


def test_a_frame_of_narwhals_is_that_of_its_library():
    narwhals = pytest.importorskip("narwhals")
    frame = narwhals.from_native(pd.DataFrame(A, columns=NAMES))
    found = rt.NMF(2, **FAST).fit(frame).components_
    np.testing.assert_array_equal(found, rt.NMF(2, **FAST).fit(A).components_)


def test_masks_in_a_list_of_rows_are_missing_entries():
    expected = rt.NMF(1, **FAST).fit([[1, 2, np.nan], [1, 2, 3], [2, 4, 6]]).components_
    rows = [
        np.ma.array([1, 2, 999.0], mask=[0, 0, 1]),
        [1, 2, 3],
        np.ma.array([2, 4, 6]),
    ]
    cells = [[1, 2, np.ma.masked], [1, 2, 3], (2, 4, 6)]
    for data in (rows, tuple(rows), cells):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = rt.NMF(1, **FAST).fit(data).components_
        np.testing.assert_array_equal(found, expected)
