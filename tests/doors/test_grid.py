"""Every estimator with awkward data: a result that is finite, or an error that names the class.

Never an error from inside. A value is compared with what is right where this is known: data of
other types and orders of memory give what the plain array gives.
"""

import datetime
import decimal
import fractions
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import rnmf_tutorial as rt
from tests import problems

RNG = np.random.default_rng(0)
PLAIN = RNG.uniform(0.1, 1, (8, 6))
COUNTS = RNG.integers(1, 20, (8, 6))
GAPS = np.where(problems.hidden(PLAIN.shape, 0.2), np.nan, PLAIN)


def changed(*where, value, of=PLAIN):
    """Return a copy with a value in one place."""
    A = np.array(of, dtype=float)
    A[where] = value
    return A


def read_only(A):
    A = A.copy()
    A.setflags(write=False)
    return A


def mapped(A, path):
    """Return a memory map of data, which cannot be written to."""
    np.save(path / "data.npy", A)
    return np.load(path / "data.npy", mmap_mode="r")


def unaligned(A):
    """Return the same numbers at an odd address."""
    buffer = np.zeros(A.nbytes + 1, dtype="u1")
    other = buffer[1:].view(A.dtype).reshape(A.shape)
    other[:] = A
    return other


#: The plain data, or counts, in other clothes: the result must be that of the array.
SAME = {
    "fortran": (np.asfortranarray(PLAIN), PLAIN),
    "every second row": (np.repeat(PLAIN, 2, axis=0)[::2], PLAIN),
    "every second column": (np.repeat(PLAIN, 2, axis=1)[:, ::2], PLAIN),
    "backward": (PLAIN[::-1, ::-1][::-1, ::-1], PLAIN),
    "transposed": (PLAIN.T.copy().T, PLAIN),
    "read-only": (read_only(PLAIN), PLAIN),
    "unaligned": (unaligned(PLAIN), PLAIN),
    "swapped bytes": (PLAIN.astype(">f8"), PLAIN),
    "list": (PLAIN.tolist(), PLAIN),
    "tuples": (tuple(map(tuple, PLAIN.tolist())), PLAIN),
    "list of arrays": (list(PLAIN), PLAIN),
    "objects": (PLAIN.astype(object), PLAIN),
    "masked, none hidden": (np.ma.array(PLAIN), PLAIN),
    "frame": (pd.DataFrame(PLAIN), PLAIN),
    "frame of named samples": (pd.DataFrame(PLAIN, list("abcdefgh")), PLAIN),
    "int64": (COUNTS, COUNTS),
    "int8": (COUNTS.astype("i1"), COUNTS),
    "uint64": (COUNTS.astype("u8"), COUNTS),
    "float16": (COUNTS.astype("f2"), COUNTS),
    "longdouble": (COUNTS.astype(np.longdouble), COUNTS),
    "decimals": ([[decimal.Decimal(x) for x in r] for r in COUNTS.tolist()], COUNTS),
    "fractions": (
        [[fractions.Fraction(x) for x in r] for r in COUNTS.tolist()],
        COUNTS,
    ),
    "booleans": (COUNTS > 10, (COUNTS > 10).astype(float)),
    "numbers as objects": (COUNTS.astype(object), COUNTS),
    "small ints in a frame": (pd.DataFrame(COUNTS.astype("u1")), COUNTS),
    "nullable ints": (pd.DataFrame(COUNTS).astype("Int64"), COUNTS),
}

#: Missing entries in other clothes: those of GAPS, for the models that take them.
MISSING = {
    "nan": GAPS,
    "None": [[None if np.isnan(x) else x for x in row] for row in GAPS],
    "masked": np.ma.masked_invalid(GAPS),
    "masked values": np.ma.array(PLAIN, mask=np.isnan(GAPS)),
    "NA": pd.DataFrame(GAPS).astype(object).where(~np.isnan(GAPS), pd.NA),
    "nullable": pd.DataFrame(GAPS).astype("Float64"),
    "list of masked rows": list(np.ma.masked_invalid(GAPS)),
}

#: Numbers that a fit must survive, or refuse.
NUMBERS = {
    **{f"{m} x {n}": RNG.uniform(0.1, 1, (m, n)) for m in (1, 2, 9) for n in (1, 2, 9)},
    "40 x 3": RNG.uniform(0.1, 1, (40, 3)),
    "3 x 40": RNG.uniform(0.1, 1, (3, 40)),
    "zeros": np.zeros((8, 6)),
    "ones": np.ones((8, 6)),
    "a row of zeros": changed(2, value=0),
    "half of the rows zeros": changed(slice(4), value=0),
    "a column of zeros": changed(slice(None), 3, value=0),
    "half of the columns zeros": changed(slice(None), slice(3), value=0),
    "one entry": changed(3, 2, value=1, of=np.zeros((8, 6))),
    "one entry of a million": changed(3, 2, value=1e6),
    "one column of a million": changed(slice(None), 2, value=1e6),
    "one row of a million": changed(2, value=1e6),
    "a constant row": changed(2, value=0.5),
    "equal rows": np.tile(PLAIN[:1], (8, 1)),
    "equal columns": np.tile(PLAIN[:, :1], (1, 6)),
    "rank one": np.outer(PLAIN[:, 0], PLAIN[0]),
    "diagonal": np.eye(8, 6),
    "blocks": np.kron(np.eye(2), np.ones((4, 3))),
    "mostly zeros": PLAIN * (RNG.random((8, 6)) < 0.1),
    "negative zeros": changed(0, value=-0.0),
    **{f"unit {unit:g}": unit * PLAIN for unit in (1e-30, 1e-9, 1e9, 1e30)},
    **{f"far unit {unit:g}": unit * PLAIN for unit in (1e-300, 1e-160, 1e160, 1e300)},
    "mixed units": PLAIN * np.logspace(-6, 6, 6),
    "denormal": changed(0, 0, value=5e-324),
    "denormal alone": np.full((8, 6), 5e-324),
    "float32": PLAIN.astype("f4"),
    "float32, small": (1e-12 * PLAIN).astype("f4"),
    "float32, large": (1e12 * PLAIN).astype("f4"),
    "float32, too large": np.full((8, 6), 3e38, "f4"),
    "counts": COUNTS,
    "large counts": COUNTS.astype(np.int64) * 10**15,
    "a byte that wraps": np.full((8, 6), 255, "u1"),
    "slightly negative": PLAIN - 0.15,
    "noise": RNG.normal(size=(8, 6)),
    "negative": -PLAIN,
    "standardized": (PLAIN - PLAIN.mean(axis=0)) / PLAIN.std(axis=0),
    "marks": changed(slice(3), 2, value=-999),
    "gaps": GAPS,
    "a gap": changed(3, 2, value=np.nan),
    "a column of gaps": changed(slice(None), 3, value=np.nan),
    "a row of gaps": changed(2, value=np.nan),
    "gaps alone": np.full((8, 6), np.nan),
    "one known": changed(3, 2, value=1, of=np.full((8, 6), np.nan)),
    "a diagonal known": np.where(np.eye(8, 6, dtype=bool), 1.0, np.nan),
    "gaps and zeros": np.where(np.isnan(GAPS), np.nan, 0),
    "sparse": sp.csr_array(PLAIN * (PLAIN > 0.5)),
    "sparse, full": sp.csc_matrix(PLAIN),
    "sparse, nothing stored": sp.csr_array((8, 6)),
    "sparse counts": sp.coo_array(COUNTS * (COUNTS > 10)),
    "sparse booleans": sp.csr_array(COUNTS > 10),
    "sparse, negative": sp.csr_array(PLAIN - 0.5),
    "sparse, all negative": sp.csr_array(-PLAIN),
    "sparse, float32": sp.csr_array(PLAIN.astype("f4")),
}

#: What is no table of finite real numbers: an error that names the class.
REFUSED = {
    "infinity": changed(3, 2, value=np.inf),
    "minus infinity": changed(3, 2, value=-np.inf),
    "complex": PLAIN + 1j,
    "matrix": np.asmatrix(PLAIN),
    "text": PLAIN.astype(str),
    "text in objects": PLAIN.astype(str).astype(object),
    "bytes": PLAIN.astype("S"),
    "one word": [[1.0, "iron"], [2.0, 3.0]],
    "dates": COUNTS.astype("M8[D]"),
    "durations": COUNTS.astype("m8[s]"),
    "date objects": np.full((8, 6), datetime.date(2020, 1, 1)),
    "clock times": np.full((8, 6), datetime.time(1)),
    "records": np.zeros(8, dtype=[("iron", float), ("zinc", float)]),
    "dicts": [{"iron": 1.0}, {"iron": 2.0}],
    "ragged": [[1.0, 2.0], [1.0]],
    "nested": [[[1.0], [2.0]], [[1.0], [2.0]]],
    "a frame of lists": pd.DataFrame({"a": [[1.0], [2.0, 3.0]], "b": [1.0, 2.0]}),
    "one dimension": PLAIN[0],
    "a number": 3.0,
    "None": None,
    "no rows": np.ones((0, 6)),
    "no columns": np.ones((8, 0)),
    "nothing": [],
    "an empty frame": pd.DataFrame(),
    "names twice": pd.DataFrame([[1.0, 2.0]] * 3, columns=["iron", "iron"]),
    "names of two kinds": pd.DataFrame([[1.0, 2.0]] * 3, columns=["iron", 1]),
    "a series": pd.Series([1.0, 2.0]),
    "a word": "iron",
    "a frame with a word": pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
    "a frame with dates": pd.DataFrame({"a": pd.to_datetime(["2020", "2021"])}),
    "a frame with infinity": pd.DataFrame({"a": [1.0, np.inf], "b": [1.0, 2.0]}),
    "sparse, complex": sp.csr_array(PLAIN + 1j),
    "sparse, nan": sp.csr_array(GAPS),
    "sparse, infinity": sp.csr_array(changed(3, 2, value=np.inf)),
    "a set": {1.0, 2.0},
    "a function": len,
}
MODELS = [
    problems.with_sizes(kind()).set_params(max_iter=3, tol=0, random_state=0)
    for kind in (getattr(rt, name) for name in rt.__all__)
    if isinstance(kind, type) and issubclass(kind, problems.BaseNMF)
]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
pytestmark = pytest.mark.filterwarnings("ignore")


def labels_of(A):
    """Return labels for data, if they have samples."""
    n = A.shape[0] if hasattr(A, "shape") and np.ndim(A) else len(np.atleast_1d(A))
    return np.arange(n) % 2


def fitted(model, A, y):
    """Return a fit that has the largest rank up to two."""
    r = min(2, *np.shape(A) if not hasattr(A, "shape") else A.shape)
    return clone(model).set_params(n_components=r).fit(A, y)


def test_the_grid_is_as_large_as_it_says():
    assert len(SAME) + len(MISSING) + len(NUMBERS) + len(REFUSED) >= 115


@each_model
def test_data_in_other_clothes_give_the_same_fit(model, tmp_path):
    kinds = {**SAME, "memory map": (mapped(PLAIN, tmp_path), PLAIN)}
    for name, (data, plain) in kinds.items():
        y = np.arange(8) % 2
        expected = fitted(model, np.asarray(plain, float), y)
        found = fitted(model, data, y)
        # Rows that are cut out of an array are added up in another order.
        assert np.allclose(found.components_, expected.components_, rtol=1e-9), name
        codes = found.transform(data)
        assert np.allclose(codes, expected.transform(plain), rtol=1e-7, atol=1e-12), (
            name
        )


@each_model
def test_missing_entries_in_other_clothes_give_the_same_fit(model):
    y = np.arange(8) % 2
    for name, data in MISSING.items():
        if model.takes_missing:
            expected = fitted(model, GAPS, y).components_
            assert np.array_equal(fitted(model, data, y).components_, expected), name
        else:
            says = f"NaN, but {type(model).__name__} takes no missing"
            with pytest.raises(ValueError, match=says):
                fitted(model, data, y)


@each_model
def test_numbers_give_finite_factors_or_an_error_that_names_the_class(model):
    name = type(model).__name__
    for about, A in NUMBERS.items():
        y = np.arange(A.shape[0]) % 2
        try:
            fit = fitted(model, A, y)
            codes = fit.transform(A)
        except (ValueError, TypeError) as error:
            assert name in str(error), f"{about}: {error!r}"
            continue
        r = fit.n_components
        assert fit.components_.shape == (r, A.shape[1]), about
        assert codes.shape == (A.shape[0], r), about
        for factor in (fit.components_, codes):
            assert np.isfinite(factor).all() and factor.min() >= 0, about
        assert np.isfinite(fit.objective_history_).all(), about
        assert np.isfinite(fit.reconstruction_err_), about


@pytest.mark.parametrize("method", ["fit", "transform", "score"])
@each_model
def test_what_is_no_table_of_numbers_is_refused_with_the_name_of_the_class(
    model, method
):
    fit = clone(model).fit(PLAIN, np.arange(8) % 2)
    for about, A in REFUSED.items():
        y = (np.arange(8) % 2,) if method == "fit" else ()
        call = getattr(clone(model) if method == "fit" else fit, method)
        with pytest.raises((ValueError, TypeError)) as caught:
            call(A, *y)
        assert type(model).__name__ in str(caught.value), f"{about}: {caught.value!r}"


def test_a_search_takes_the_same_data_or_names_itself():
    search = rt.MaskedSearchCV(
        [rt.NMF(1, max_iter=3, tol=0, random_state=0)], n_repeats=1, random_state=0
    )
    for about, A in (NUMBERS | REFUSED).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                codes = clone(search).fit(A).transform(A)
            except (ValueError, TypeError) as error:
                named = "MaskedSearchCV" in str(error) or "NMF" in str(error)
                assert named or "holdout" in str(error), f"{about}: {error!r}"
                continue
        assert np.isfinite(codes).all() and codes.min() >= 0, about
