"""Whatever an error or a warning recommends is done, and then it is gone."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import rnmf_tutorial as rt
from rnmf_tutorial.selection import suspects
from tests import problems

RNG = np.random.default_rng(0)
A = RNG.exponential(size=(40, 2)) @ RNG.exponential(size=(2, 30))
A = A / A.mean() + 0.05 * RNG.random(A.shape)
A[RNG.random(A.shape) < 0.05] = 6
LABELS = np.arange(40) % 3
GAPS = np.where(problems.hidden(A.shape, 0.1), np.nan, A)
W0, H0 = problems.positive((30, 2), 1), problems.positive((2, 40), 2)
FRAME = pd.DataFrame(A).rename(columns=str)
SPARSE = sp.csr_array(A * (A > 1))
UNITS = FRAME * np.where(np.arange(30) < 15, 1, 1e4)


def other(A, *where, value):
    """Return a copy with a value in one place."""
    A = A.copy()
    A[where] = value
    return A


def fit(model, data=A, **change):
    """Return a call that fits a clone of a model, with other parameters, to data."""
    options = {"random_state": 0, "max_iter": 100, "tol": 1e-3, "n_components": 2}
    known = model.get_params()
    options = {k: v for k, v in options.items() if k in known}
    return lambda: clone(model).set_params(**(options | change)).fit(data, LABELS)


def nmf(data=A, **change):
    return fit(rt.NMF(), data, **change)


def search(data=A, **change):
    candidates = [rt.NMF(1, max_iter=5, tol=0), rt.NMF(2, max_iter=5, tol=0)]
    options = {"candidates": candidates, "n_repeats": 1, "random_state": 0}
    return lambda: rt.MaskedSearchCV(**(options | change)).fit(data)


def transformed(model, data, **change):
    """Return a call that encodes data by a fitted model with other parameters."""
    return lambda: model().set_params(**change).transform(data)


def exact_start(model, **change):
    """Return a call that fits from an exact fit of all but one entry."""
    data = other((W0 @ H0).T, 3, 4, value=9.0)
    return fit(model, data, init=(W0, H0), tol=1e-15, **change)


def chunked(**change):
    """Return a call that fits a model to a Dask array."""

    def call():
        array = pytest.importorskip("dask.array").from_array(A, chunks=(20, 30))
        model = change.pop("model", rt.NMF())
        return fit(model, array, **change)()

    return call


def unknown_chunks(known):
    def call():
        array = pytest.importorskip("dask.array").from_array(A, chunks=(20, 30))
        array = array[array[:, 0] > 0]
        return nmf(array.compute_chunk_sizes() if known else array)()

    return call


def sparse_suspects(data):
    return lambda: suspects(fit(rt.HuberNMF(scale=1.0), data)(), A)


#: What is wrong, the beginning of what is recommended, and doing it.
CASES = {
    "scale too large": (
        fit(rt.HuberNMF(scale=100.0)),
        "give a smaller scale",
        fit(rt.HuberNMF(scale=0.3)),
    ),
    "scale too small": (
        fit(rt.CauchyNMF(scale=0.0001)),
        "Give a larger scale",
        fit(rt.CauchyNMF(scale=0.3)),
    ),
    "scale of labels too small": (
        fit(rt.CSNMF(scale=0.0001)),
        "Give a larger scale",
        fit(rt.CSNMF(scale=1.0)),
    ),
    "lam too small": (
        fit(rt.RobustNMF(lam=0.001)),
        "[Gg]ive a larger lam|a larger lam",
        fit(rt.RobustNMF(lam=None)),
    ),
    "lam too large": (
        fit(rt.RobustNMF(lam=100.0)),
        "no residual is above lam/2",
        fit(rt.RobustNMF(lam=0.5)),
    ),
    "theta too small": (
        fit(rt.CappedNMF(theta=0.001)),
        "longer than theta",
        fit(rt.CappedNMF(theta=5.0)),
    ),
    "scale collapsed": (
        exact_start(rt.HuberNMF(scale="published")),
        "Give scale as a",
        exact_start(rt.HuberNMF(scale=0.1)),
    ),
    "threshold collapsed": (
        exact_start(rt.TruncatedCauchyNMF(outliers="mad", scale=0.1)),
        "Give outliers as a number",
        exact_start(rt.TruncatedCauchyNMF(outliers=0.4, scale=0.1)),
    ),
    "max_iter reached": (
        nmf(max_iter=2, tol=1e-09),
        "raise max_iter",
        nmf(max_iter=20000, tol=1e-06),
    ),
    "max_iter reached on purpose": (
        nmf(max_iter=2, tol=1e-09),
        "or set tol=0",
        nmf(max_iter=2, tol=0),
    ),
    "unsettled coefficients": (
        transformed(fit(rt.HuberNMF(scale=0.1)), A, max_iter=1, tol=1e-9),
        "raise max_iter, or tol",
        transformed(fit(rt.HuberNMF(scale=0.1)), A, max_iter=2000, tol=1e-9),
    ),
    "marks": (
        nmf(other(A, slice(3), 2, value=-9)),
        "Write NaN in its place",
        nmf(other(A, slice(3), 2, value=np.nan)),
    ),
    "decibels": (nmf(-A), "take the amplitudes", nmf(10 ** (-A / 20))),
    "standardized": (
        nmf((A - A.mean(axis=0)) / A.std(axis=0)),
        "divide by the deviation without",
        nmf(A / A.std(axis=0)),
    ),
    "negative entries": (
        nmf(A - 0.1, solver="mu"),
        "Squares with solver='cd'",
        nmf(A - 0.1, solver="cd"),
    ),
    "negative entries and a divergence": (
        nmf(A - 0.1, loss="kullback-leibler"),
        "Squares with solver='cd'",
        fit(rt.HuberNMF(scale=1.0), A - 0.1),
    ),
    "missing entries": (
        fit(rt.NeNMF(), GAPS),
        "take CIMNMF.*HuberNMF",
        fit(rt.HuberNMF(scale=1.0), GAPS),
    ),
    "an empty feature": (
        nmf(other(A, slice(None), 3, value=np.nan)),
        "leave such f",
        nmf(np.delete(A, 3, axis=1)),
    ),
    "an infinite entry": (
        nmf(FRAME.replace(FRAME.max().max(), np.inf)),
        "Write NaN",
        nmf(FRAME.replace(FRAME.max().max(), np.nan)),
    ),
    "a small unit": (
        nmf(1e-160 * A),
        "divide them by 9e-160",
        nmf(1e-160 * A / 9e-160),
    ),
    "a small scale": (
        fit(rt.HuberNMF(scale=1e-200)),
        "Give the data another unit",
        fit(rt.HuberNMF(scale=1.0), 1e200 * (1e-200 * A)),
    ),
    "a rank too large": (nmf(n_components=31), "take at most 30", nmf(n_components=30)),
    "a rank to find": (
        nmf(n_components="auto"),
        r"MaskedSearchCV\(n_components=range",
        lambda: rt.MaskedSearchCV(
            n_components=range(1, 3), n_repeats=1, random_state=0
        ).fit(A),
    ),
    "text": (nmf(FRAME.assign(site="x")), "Leave the column out", nmf(FRAME)),
    "a column for the index": (
        nmf(FRAME.assign(site=list(map(str, LABELS)), day="monday")),
        "or make it the index",
        nmf(FRAME.assign(site="x").set_index("site")),
    ),
    "numbers stored as text": (
        nmf(FRAME.astype(str)),
        "Convert it by pandas.to_num",
        nmf(FRAME.astype(str).apply(pd.to_numeric)),
    ),
    "names of two kinds": (
        nmf(FRAME.rename(columns={"3": 3})),
        r"astype\(str\)",
        nmf(FRAME.rename(columns={"3": 3}).rename(columns=str)),
    ),
    "NaN in sparse data": (
        nmf(sp.csr_array(GAPS)),
        r"A\.toarray\(\)",
        nmf(sp.csr_array(GAPS).toarray()),
    ),
    "sparse data": (
        fit(rt.L1NMF(), SPARSE),
        r"Pass A\.toarray\(\)",
        fit(rt.L1NMF(), SPARSE.toarray()),
    ),
    "sparse data for a solver": (
        fit(rt.HuberNMF(scale=1.0, solver="mu"), SPARSE),
        "With solver='cd', these",
        fit(rt.HuberNMF(scale=1.0, solver="cd"), SPARSE),
    ),
    "a search in sparse data": (
        search(SPARSE),
        "take some rows",
        search(SPARSE[:1000].toarray()),
    ),
    "suspects of a sparse fit": (
        sparse_suspects(SPARSE),
        r"A\.toarray\(\)",
        sparse_suspects(A),
    ),
    "zeros at the start": (
        nmf(init=(0 * W0, 0 * H0)),
        "Give positive numbers",
        nmf(init=(W0, H0)),
    ),
    "zeros at the start of ratios": (
        nmf(init=(W0, 0 * H0), solver="mu"),
        "init='rand",
        nmf(init="random", solver="mu"),
    ),
    "a large start": (
        nmf(init=(1e200 * W0, H0)),
        "Divide W0 or H0 by a number",
        nmf(init=(W0, H0)),
    ),
    "equal components": (
        nmf(init=(np.ones_like(W0), np.ones_like(H0)), solver="mu"),
        "Give components that differ",
        nmf(init=(W0, H0), solver="mu"),
    ),
    "a callback": (
        nmf(callback="x"),
        "Give a function",
        nmf(callback=lambda number, W, H: None),
    ),
    "a known basis": (
        lambda: rt.HuberNMF(2).with_components(W0.T),
        "give scale as a number",
        lambda: rt.HuberNMF(2, scale=0.1).with_components(W0.T),
    ),
    "columns of other units": (
        search(UNITS.to_numpy()),
        "give scale_features=True",
        search(UNITS.to_numpy(), scale_features=True),
    ),
    "columns of other units, left": (
        search(UNITS.to_numpy()),
        "if not, False",
        search(UNITS.to_numpy(), scale_features=False),
    ),
    "candidates that are a rank": (
        search(candidates=3),
        "use n_components",
        search(candidates=None, n_components=3),
    ),
    "nothing to hide": (
        search(A, holdout=1e-09),
        "Take a larger holdout",
        search(A, holdout=0.1),
    ),
    "Dask, the divergence": (
        chunked(loss="kullback-leibler"),
        "Give solver='mu'",
        chunked(loss="kullback-leibler", solver="mu"),
    ),
    "Dask, a scale": (
        chunked(model=rt.HuberNMF()),
        "Give a number as scale",
        chunked(model=rt.HuberNMF(scale=0.3)),
    ),
    "Dask, ratios with errors": (
        chunked(model=rt.RobustNMF(solver="mu")),
        "Give solver='cd' and a number as lam",
        chunked(model=rt.RobustNMF(solver="cd", lam=0.5)),
    ),
    "Dask, both": (
        chunked(model=rt.HuberNMF(divergence="kullback-leibler")),
        "Give solver='mu' and a number as scale",
        chunked(
            model=rt.HuberNMF(divergence="kullback-leibler", solver="mu", scale=0.3)
        ),
    ),
    "Dask, a start": (chunked(init="nndsvd"), "take 'random'", chunked()),
    "Dask, unknown sizes": (
        unknown_chunks(False),
        "compute_chunk_sizes",
        unknown_chunks(True),
    ),
}


def sentences(call):
    """Return the error of a call and its warnings, as texts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        texts = []
        try:
            call()
        except (TypeError, ValueError) as error:
            texts.append(str(error))
    texts += [
        str(w.message)
        for w in caught
        if issubclass(w.category, UserWarning | ConvergenceWarning)
    ]
    return texts


@pytest.mark.parametrize("case", CASES)
def test_what_a_message_recommends_makes_it_go_away(case):
    wrong, recommended, remedied = CASES[case]
    before = [text for text in sentences(wrong) if re.search(recommended, text)]
    assert len(before) == 1
    after = sentences(remedied)
    begin = before[0][:40]
    assert not [text for text in after if re.search(recommended, text)]
    assert not [text for text in after if text.startswith(begin)]
