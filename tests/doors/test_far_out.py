"""Entries that are absurdly far out, such as fill values: the answer is that of NaN in their place.

Bounded losses and the search give this answer. Other models say which entries these are.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array, csr_array
from sklearn.base import clone

import rnmf_tutorial as rt
from rnmf_tutorial import published, starts
from rnmf_tutorial.far_out import GAP, find_far_out
from rnmf_tutorial.selection import mark, suspects
from rnmf_tutorial.validation import work_of_data

#: The largest sizes that can be squared and summed.
SIZES = [(np.float64, size) for size in (1e4, 1e20, 1e150)]
SIZES += [(np.float32, size) for size in (1e9, 1e16)]
# `make test-all` tries more.
MORE = [(np.float64, size) for size in (1e6, 1e9, 1e105)]
MORE += [(np.float32, size) for size in (1e4, 9.97e13)]
SIZES += [pytest.param(*size, marks=pytest.mark.long) for size in MORE]
CELLS = [
    [(3, 2)],
    [(0, 0), (39, 19), (3, 2)],
    [(3, 2), (3, 9), (17, 2), (8, 0), (9, 1)],
]
BOUNDED = [
    rt.CauchyNMF(2),
    rt.CIMNMF(2),
    rt.TruncatedCauchyNMF(2),
    rt.CappedNMF(2),
]
LIMITING = [rt.HuberNMF(2), rt.HypersurfaceNMF(2), rt.RobustNMF(2)]


def table(n_samples=40, n_features=20, dtype=float):
    """Return data of rank 2 with one percent of noise, all between zero and three."""
    rng = np.random.default_rng(0)
    W = rng.uniform(size=(n_samples, 2))
    A = W @ rng.uniform(size=(2, n_features)) + 0.01 * rng.uniform(
        size=(n_samples, n_features)
    )
    return A.astype(dtype)


def with_cells(A, cells, value):
    """Return a copy with a value in some cells; several get different values of that size."""
    A = A.copy()
    for k, cell in enumerate(cells):
        A[cell] = value / (1 + k)
    return A


def fitted(model, A, ignored=True):
    """Return a clone that is fitted, from the seed zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if ignored else "error")
        return clone(model).set_params(random_state=0).fit(A)


def restored(model, A):
    """Return the reconstruction of data by a fitted model."""
    return np.asarray(model.inverse_transform(model.transform(A)))


def distance(A, B):
    """Return the relative distance of two tables."""
    return np.linalg.norm(A - B) / np.linalg.norm(B)


def said(model, A, **options):
    """Return the sentences about far-out entries of a fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(model).set_params(random_state=0, **options).fit(A)
    return [str(w.message) for w in caught if "times as large" in str(w.message)]


# ------------------------------------------------------------------ which they are


HEAVY = {
    "lognormal": lambda rng, shape: rng.lognormal(0, 2, shape),
    "Pareto": lambda rng, shape: 1 + rng.pareto(1.5, shape),
    "counts": lambda rng, shape: rng.poisson(rng.lognormal(0, 2, shape)).astype(float),
    "peaks": lambda rng, shape: (
        1e-3 * rng.random(shape)
        + 10
        ** (
            9
            * np.exp(-(((np.arange(shape[1]) - shape[1] / 2) / 3) ** 2))
            * rng.random((shape[0], 1))
        )
    ),
}


@pytest.mark.parametrize("shape", [(80, 30), (12, 9), (6, 40)])
@pytest.mark.parametrize("kind", HEAVY)
def test_heavy_tails_and_huge_peaks_are_sound(kind, shape):
    rng = np.random.default_rng(1)
    found = [find_far_out(HEAVY[kind](rng, shape)) for _ in range(100)]
    assert found == [None] * 100


def test_a_large_sample_or_feature_is_sound():
    A = table()
    for line in (np.s_[3], np.s_[:, 2], np.s_[:3], np.s_[:, :3]):
        B = A.copy()
        B[line] *= 1e9
        assert find_far_out(B) is None
        B[np.random.default_rng(0).random(B.shape) < 0.7] = 0
        assert find_far_out(B) is None
    # Signal in each line over rounding errors.
    assert find_far_out(1e-12 * A + np.eye(40, 20)) is None


@pytest.mark.parametrize("cells", CELLS, ids=len)
@pytest.mark.parametrize("shape", [(40, 20), (60, 40), (100, 20), (12, 10)])
def test_a_few_cells_far_out_are_found_the_largest_first(shape, cells):
    for transposed in (False, True):
        A = table(*shape)
        cells = [(min(i, shape[0] - 1), min(j, shape[1] - 1)) for i, j in cells]
        B = with_cells(A, cells, -1e20)
        B = B.T if transposed else B
        far = find_far_out(B)
        places = list(zip(far.samples.tolist(), far.features.tolist(), strict=True))
        assert places == [cell[::-1] if transposed else cell for cell in cells]
        assert far.values.tolist() == [B[place] for place in places]
        assert far.others == np.sort(abs(A.ravel()))[-1]


def test_each_is_a_thousand_times_as_large_as_the_largest_other():
    A = table()
    largest = A.max()
    for factor, number in ((0.999, 0), (1.001, 1)):
        far = find_far_out(with_cells(A, [(3, 2)], factor * GAP * largest))
        assert number == (0 if far is None else len(far.values))


@pytest.mark.parametrize(
    "make", [np.array, csr_array, csc_array], ids=lambda f: f.__name__
)
def test_a_fit_overlooks_none(make):
    """It searches only where half of the lines have a much smaller largest entry."""
    rng = np.random.default_rng(2)
    numbers = []
    for _ in range(200):
        A = rng.lognormal(0, 1, rng.integers(3, 15, 2))
        A[rng.random(A.shape) < rng.choice([0, 0.5])] = 0
        A[rng.random(A.shape) < rng.choice([0.02, 0.1])] *= 1e7
        A[0, 0] = 1
        far = find_far_out(A)
        found = work_of_data(rt.NMF(1), make(A), "fit").far_out
        assert (far is None) == (found is None)
        if far is not None:
            np.testing.assert_array_equal(far.values, found.values)
            numbers.append(len(far.values))
    assert len(numbers) > 20 and max(numbers) > 1


# ------------------------------------------------------------------ what they do


@pytest.mark.parametrize("cells", CELLS, ids=len)
@pytest.mark.parametrize("model", BOUNDED, ids=repr)
@pytest.mark.parametrize(("dtype", "size"), SIZES)
def test_a_bounded_loss_gives_the_answer_of_nan(model, dtype, size, cells):
    A = table(dtype=dtype)
    right = restored(fitted(model, with_cells(A, cells, np.nan)), A)
    corrupted = with_cells(A, cells, size)
    found = restored(fitted(model, corrupted, ignored=False), corrupted)
    # CappedNMF leaves out whole samples.
    rows = np.arange(len(A))
    if isinstance(model, rt.CappedNMF):
        rows = np.setdiff1d(rows, [i for i, _ in cells])
    assert distance(found[rows], right[rows]) < 2e-3


@pytest.mark.parametrize("model", LIMITING, ids=repr)
@pytest.mark.parametrize(("dtype", "size"), SIZES)
def test_a_loss_that_limits_errors_starts_without_them(model, dtype, size):
    A = table(dtype=dtype)
    corrupted = with_cells(A, CELLS[1], size)
    assert distance(restored(fitted(model, corrupted), corrupted), A) < 0.02


@pytest.mark.parametrize("kind", [rt.CIMNMF, rt.CauchyNMF])
@pytest.mark.parametrize("container", ["sparse", "dask"])
def test_a_bounded_loss_with_a_scale_gives_the_answer_in_every_container(
    kind, container
):
    A = table()
    model = kind(2, scale=0.1, tol=1e-4)
    right = restored(fitted(model, with_cells(A, CELLS[1], np.nan)), A)
    corrupted = with_cells(A, CELLS[1], 1e20)
    data = csr_array(corrupted)
    if container == "dask":
        da = pytest.importorskip("dask.array")
        data = da.from_array(corrupted, chunks=(25, 20))
    found = restored(fitted(model, data, ignored=False), data)
    assert distance(found, right) < 5e-3


@pytest.mark.parametrize(
    "model",
    [rt.NMF(2), published.guan.CauchyNMF(2), published.zhang.RobustNMF(2, lam=0.1)],
)
def test_plain_nmf_and_published_methods_keep_their_start(model):
    A = with_cells(table(), [(3, 2)], 1e6)
    with warnings.catch_warnings(action="ignore"):
        start = next(clone(model).set_params(random_state=0).sweeps(A))
    W, H = starts.initialize(A.T, 2, "random", 0)
    np.testing.assert_allclose(start.W @ start.H, W @ H)


ENCODING = [
    (model, size)
    for model in (*BOUNDED[:3], *LIMITING)
    for size in (1e5, 1e9, 1e20, 1e105, 1e150)
]
ENCODING.append((rt.CauchyNMF(2, divergence="kullback-leibler", tol=1e-3), 1e20))


@pytest.mark.parametrize(("model", "size"), ENCODING, ids=repr)
def test_an_absurd_entry_of_a_new_sample_is_ignored(model, size):
    """Also the largest, whatever the other samples are, and with a known basis."""
    A = table(12)
    model = fitted(model, A)
    B = with_cells(A, [(3, 2), (3, 9), (0, 19)], size)
    codes = model.transform(B)
    assert distance(model.inverse_transform(codes), A) < 0.02
    np.testing.assert_allclose(codes[3], model.transform(B[3:4])[0])
    np.testing.assert_allclose(codes[4], model.transform(A)[4])
    if hasattr(model, "scale"):
        known = clone(model).set_params(scale=0.05).with_components(model.components_)
        assert distance(restored(known, B), A) < 0.02


def test_a_sample_of_large_entries_is_large():
    A = table()
    model = fitted(rt.CauchyNMF(2), A)
    B = 1e12 * A[:3]
    assert distance(restored(model, B), B) < 0.02


# ------------------------------------------------------------------ what is said


ALL = [rt.NMF(2), rt.NMF(2, solver="mu"), rt.NeNMF(2), rt.L21NMF(2), rt.L1NMF(2)]
ALL += [rt.L1RobustNMF(2), rt.LocalNMF(2), rt.RegularizedNMF(2), *LIMITING]


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_a_warning_lists_the_cells_until_they_are_mended(model):
    A = table()
    corrupted = with_cells(A, CELLS[1], 1e6)
    (sentence,) = said(model, corrupted, max_iter=3)
    name = type(model).__name__
    assert sentence.startswith(
        f"{name}: 3 entries are more than 1000 times as large as all others: "
        "1e+06 in sample 0, feature 0; 5e+05 in sample 39, feature 19; 3.33e+05 in "
    )
    remedy = "write NaN in their place" if model.takes_missing else "the right value in"
    assert remedy in sentence
    mended = np.nan if model.takes_missing else 1.0
    assert said(model, with_cells(A, CELLS[1], mended), max_iter=3) == []


def test_the_sentence_is_the_same_in_every_container_and_has_the_names():
    da = pytest.importorskip("dask.array")
    A = with_cells(table(), CELLS[2], 1e20)
    model = rt.HuberNMF(2, scale=0.1, max_iter=3)
    (sentence,) = said(model, A)
    chunked = da.from_array(A, chunks=(7, 20))
    for data in (
        A.tolist(),
        np.ma.masked_invalid(A),
        csr_array(A),
        csc_array(A),
        chunked,
    ):
        assert said(model, data) == [sentence]
    samples = [f"r{i}" for i in range(40)]
    features = [f"c{j}" for j in range(20)]
    (named,) = said(model, pd.DataFrame(A, samples, features))
    assert (
        "1e+20 in sample 'r3', feature 'c2'; 5e+19 in sample 'r3', feature 'c9'"
        in named
    )
    assert said(model, csr_array(with_cells(A, CELLS[2], 1.0))) == []


def test_beyond_what_can_be_squared_an_error_names_the_cell():
    A = with_cells(table(), [(3, 2)], 1e200)
    frame = pd.DataFrame(A, [f"r{i}" for i in range(40)], [f"c{j}" for j in range(20)])
    da = pytest.importorskip("dask.array")
    single = with_cells(table(dtype=np.float32), [(3, 2)], 1e30)
    plain = "sample 3, feature 2"
    for data, place in (
        (A, plain),
        (single, plain),
        (csr_array(A), plain),
        (da.from_array(A, chunks=(7, 20)), plain),
        (frame, "sample 'r3', feature 'c2'"),
    ):
        for model in (rt.NMF(2), rt.HuberNMF(2, scale=0.1)):
            with pytest.raises(
                ValueError, match=f"in {place}.*write NaN in its place.*unit"
            ):
                model.fit(data)
    A[3, 2] = np.nan
    rt.NMF(2).fit(A)
    with pytest.raises(ValueError, match=r"is 1e.200, in sample 3, feature 2;"):
        rt.NMF(2).fit(table()).transform(with_cells(table(), [(3, 2)], 1e200))


# ------------------------------------------------------------------ search and lists


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("scale_features", [None, True])
@pytest.mark.parametrize("size", [1e4, 1e9, 1e300])
def test_a_search_gives_the_answer_of_nan(size, scale_features, named):
    A = table()

    def search(A):
        if named:
            A = pd.DataFrame(
                A, [f"r{i}" for i in range(40)], [f"c{j}" for j in range(20)]
            )
        options = {"n_components": 2, "random_state": 0, "n_repeats": 1}
        candidates = [rt.NMF(2, random_state=0), rt.CauchyNMF(2, random_state=0)]
        model = rt.MaskedSearchCV(candidates, scale_features=scale_features, **options)
        with warnings.catch_warnings(action="error"):
            model.fit(A)
            return model, restored(model, A), A

    missing, right, _ = search(with_cells(A, CELLS[1], np.nan))
    found, result, data = search(with_cells(A, CELLS[1], size))
    np.testing.assert_array_equal(result, right)
    assert found.best_index_ == missing.best_index_
    assert sorted(map(tuple, found.left_out_)) == sorted(CELLS[1])
    # The list has names, and the weight of what was left out is zero.
    first = suspects(found, data).head(3)
    names = [(f"r{i}", f"c{j}") if named else (i, j) for i, j in CELLS[1]]
    assert {tuple(cell) for cell in first[["sample", "feature"]].values} == set(names)
    assert (first["weight"] == 0).all()
    # One sample alone gets the same coefficients.
    alone = data.iloc[3:4] if named else data[3:4]
    np.testing.assert_allclose(found.transform(alone), found.transform(data)[3:4])


def test_a_search_by_default_keeps_the_sound_rest_of_a_sample():
    A = table()
    corrupted = with_cells(A, CELLS[1], 1e9)
    model = fitted(rt.MaskedSearchCV(n_components=2), corrupted)
    missing = with_cells(A, CELLS[1], np.nan)
    right = fitted(rt.MaskedSearchCV(n_components=2), missing)
    assert len(model.dropped_) == 0
    np.testing.assert_array_equal(restored(model, corrupted), restored(right, missing))
    assert model.score(corrupted) == right.score(missing)


def test_a_search_sees_what_is_far_out_only_in_the_unit_of_its_feature():
    A = table()
    A[:, 5] *= 1e6
    A[3, 2] = 1e7
    assert find_far_out(A) is None
    model = fitted(rt.MaskedSearchCV(n_components=2, scale_features=True), A)
    assert model.left_out_.tolist() == [[3, 2]]
    assert suspects(model, A)[["sample", "feature"]].values.tolist()[0] == [3, 2]


@pytest.mark.parametrize("model", [rt.NMF(2), rt.HuberNMF(2), rt.L1NMF(2)], ids=repr)
@pytest.mark.parametrize("size", [1e4, 1e9])
def test_suspects_and_marks_begin_with_the_cells(model, size):
    A = with_cells(table(), CELLS[1], size)
    first = suspects(fitted(model, A), A).head(3)
    assert {tuple(c) for c in first[["sample", "feature"]].values} == set(CELLS[1])
    B = A.copy()
    B[:30, 7] = B[0, 7]  # stuck
    marked, report = mark(B)
    assert report["kind"].tolist() == ["far out"] * 3 + ["stuck"]
    assert report["where"][0] == "sample 0, feature 0" and report["value"][0] == size
    assert np.isnan(marked[tuple(np.transpose(CELLS[1]))]).all()
