"""Sparse data give what they give dense, and no fit holds more arrays than it needs."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import get_tags

import rnmf_tutorial as rt
from rnmf_tutorial import sparse as stored
from rnmf_tutorial.fitting import Work
from rnmf_tutorial.models.entrywise import EntrywiseNMF
from rnmf_tutorial.models.lines import LinewiseNMF
from rnmf_tutorial.solvers import kullback_leibler
from rnmf_tutorial.solvers.coordinate import descend_rows
from rnmf_tutorial.validation import as_sparse_floats
from tests import problems
from tests.problems import largest_rise, peak, positive

TAKING = [
    model for model in map(problems.with_sizes, problems.EVERY) if model.takes_sparse
]
TAKING = [model for model in TAKING if not isinstance(model, EntrywiseNMF)]
for capped in (model for model in TAKING if hasattr(model, "theta")):
    # The cap that is found by default comes from a robust start, in which the zeros
    # count in full.
    capped.set_params(theta="published")
each_model = pytest.mark.parametrize("model", TAKING, ids=repr)


#: Counts of which most are zero, with an empty sample and an empty feature.
RNG = np.random.default_rng(0)
RATE = RNG.gamma(0.3, 1, (40, 3)) @ RNG.gamma(0.3, 1, (3, 25))
A = RNG.poisson(RATE / RATE.mean() / 2).astype(float)
A[3] = 0
A[:, 5] = 0


def with_explicit_zeros(A):
    """Return A as a sparse matrix that stores a fifth of its zeros."""
    places = np.nonzero((A > 0) | (np.random.default_rng(1).random(A.shape) < 0.2))
    return sp.csr_array((A[places], places), shape=A.shape)


def full_lines(A):
    """Return data whose every line has many entries."""
    return np.where(
        np.random.default_rng(2).random(A.shape) < 0.5, A + 1 + positive(A.shape, 3), 0
    )


def data_and_sweeps(model):
    """Return data for a model, and for how many sweeps two ways of rounding stay side by side.

    The weight of a line that is fitted exactly is as large as its rounding is small. A
    loss of lines comes to fit some exactly, and two fits then part, dense ones too.
    """
    return (full_lines(A), 8) if isinstance(model, LinewiseNMF) else (A, 15)


@each_model
@pytest.mark.parametrize(
    "unit, init", [(1, "random"), (1e-5, "nndsvd"), (1e6, "nndsvdar")]
)
def test_the_whole_fit_is_that_of_dense_data(model, unit, init):
    D, sweeps = data_and_sweeps(model)
    D, S = unit * D, unit * with_explicit_zeros(D)
    options = {
        "n_components": 3,
        "init": init,
        "max_iter": sweeps,
        "tol": 0,
        "random_state": 0,
    }
    dense, sparse, single = (clone(model).set_params(**options) for _ in range(3))
    before = S.copy()
    there = dense.fit_transform(D)
    here = sparse.fit_transform(S)
    assert (before != S).nnz == 0
    history = dense.objective_history_
    np.testing.assert_allclose(sparse.objective_history_, history, rtol=1e-10, atol=0)
    fitted = sparse.inverse_transform(here)
    np.testing.assert_allclose(
        fitted, dense.inverse_transform(there), atol=1e-6 * D.max()
    )
    codes = dense.transform(D[:20])
    np.testing.assert_allclose(
        dense.transform(S[:20]), codes, rtol=0, atol=1e-10 * there.max()
    )
    assert dense.score(S) == pytest.approx(dense.score(D), rel=1e-12)
    if hasattr(model, "group"):
        np.testing.assert_allclose(sparse.weights_, dense.weights_, rtol=1e-6)
    # single precision stays single
    assert (
        single.fit_transform(S.astype("f4")).dtype == single.components_.dtype == "f4"
    )
    assert single.transform(S.astype("f4")).dtype == "f4"
    history = dense.fit(D.astype("f4")).objective_history_
    np.testing.assert_allclose(single.objective_history_, history, rtol=2e-5)


@each_model
@pytest.mark.filterwarnings("ignore::rnmf_tutorial.ScaleWarning")
def test_a_fit_that_stops_by_itself_stops_with_the_dense_one_and_zeros_are_fitted_by_zeros(
    model,
):
    D, _ = data_and_sweeps(model)
    dense = clone(model).set_params(
        n_components=3, max_iter=200, tol=1e-3, random_state=0
    )
    sparse = clone(dense).fit(sp.csr_array(D))
    assert 2 < sparse.n_iter_ == dense.fit(D).n_iter_ < 200
    nothing = np.zeros((6, 5))
    history = dense.set_params(max_iter=5).fit(nothing).objective_history_
    sparse.set_params(max_iter=5).fit(sp.csr_array(nothing))
    np.testing.assert_allclose(
        sparse.objective_history_, history, rtol=1e-10, atol=1e-300
    )
    assert sparse.score(sp.csr_array(nothing)) == pytest.approx(
        dense.score(nothing), abs=1e-12
    )


def test_every_format_and_type_and_order_becomes_one_and_stays_as_it_is():
    names = "csr", "csc", "coo", "lil", "dok", "bsr", "dia"
    kinds = [
        getattr(sp, f"{name}_{kind}") for name in names for kind in ("array", "matrix")
    ]
    rows, columns = np.nonzero(A)
    order = np.random.default_rng(0).permutation(
        2 * len(rows)
    )  # every entry in two halves
    halves = np.tile(A[rows, columns] / 2, 2)[order]
    places = np.tile([rows, columns], 2)[:, order]
    S = sp.csr_array(sp.coo_array((halves, tuple(places)), A.shape))
    data, indices = (
        np.repeat(S.data / 2, 2),
        np.repeat(S.indices, 2),
    )  # and in two more, reversed
    S = sp.csr_array(
        (data[::-1], indices[::-1], 2 * (S.indptr[-1] - S.indptr[::-1])), A.shape
    )
    given = [*((kind(A), A) for kind in kinds), (sp.csr_array(A.astype(int)), A)]
    for sparse, dense in [*given, (sp.csc_matrix(A, dtype="u1"), A), (S, A[::-1])]:
        before = sparse.copy()
        found = as_sparse_floats(sparse, "a test")
        assert (
            found.has_canonical_format
            and found.dtype == float
            and found.format == "csr"
        )
        np.testing.assert_allclose(found.toarray(), dense, rtol=1e-14)
        for name in {"data", "indices", "indptr"} & vars(before).keys():
            np.testing.assert_array_equal(getattr(sparse, name), getattr(before, name))


LENGTHS = [rt.L21NMF(2, group=group, solver="mu") for group in ("samples", "features")]
CANCELLING = [
    (rt.NMF(2), "f8"),
    (rt.NMF(2), "f4"),
    *((model, "f8") for model in LENGTHS),
]
CANCELLING += [
    (rt.HuberNMF(2, scale=1e3), "f8")
]  # which counts the zeros by themselves


@pytest.mark.parametrize(("model", "dtype"), CANCELLING, ids=repr)
def test_an_objective_that_cancels_keeps_its_digits(model, dtype):
    """Blocks that are met up to 1e-5 leave the three traces no digits."""
    W, H = np.zeros((20, 2)), np.zeros((2, 30))
    W[:10, 0] = positive(10, 0)
    W[10:, 1] = positive(10, 1)
    H[0, :10] = 1
    H[1, 10:] = 2
    X = (W @ H).astype(dtype)
    W, H = (
        (factor + 1e-5 * positive(factor.shape, 2)).astype(dtype) for factor in (W, H)
    )
    model = (
        clone(model).set_params(init=(W, H), max_iter=1, tol=0).fit(sp.csr_array(X.T))
    )
    E = X.astype(float) - W.astype(float) @ H
    lengths = np.linalg.norm(E, axis=1 if "features" in repr(model) else 0)
    expected = lengths.sum() if hasattr(model, "group") else (E**2).sum()
    near = 1e-9 if dtype == "f8" else 2e-2
    assert model.objective_history_[0] == pytest.approx(expected, rel=near, abs=0)


@each_model
def test_nothing_of_the_size_of_dense_data_is_ever_held(model):
    rng = np.random.default_rng(0)
    shape = (2000, 3000)
    S = sp.csr_array(
        (rng.random(6000), [rng.integers(0, n, 6000) for n in shape]), shape
    )
    model = clone(model).set_params(n_components=3, max_iter=3, tol=0, random_state=0)
    # of which score has blocks of 2^20 entries
    assert peak(lambda: model.fit(S).score(S[:1000])) < 0.75 * 8 * np.prod(S.shape)


def test_a_fit_holds_the_data_and_four_arrays():
    A = np.random.default_rng(0).random((1100, 700), np.float32)
    for model, tol, arrays in (
        *(
            (rt.NMF(4), 0, 0.3),
            (rt.RobustNMF(4, lam=0.6), 1e-9, 4.2),
            (rt.RobustNMF(4), 0, 4.4),
        ),
        *((rt.L1RobustNMF(4), 0, 4.4), (rt.TruncatedCauchyNMF(4), 0, 4.4)),
    ):
        model.set_params(max_iter=3, tol=tol, random_state=0)
        assert peak(lambda model=model: model.fit(A)) < arrays * A.nbytes


def test_stored_entries_that_no_fit_can_take_and_what_a_dense_fit_would_not_take_are_refused():
    fitted = rt.NMF(2, max_iter=2, tol=0).fit(A)
    S = sp.csr_array(A)
    for value, message in (
        (np.nan, r"passed to NMF.fit hold NaN.*not store is zero.*A.toarray\(\)"),
        (np.inf, "contains infinity"),
        (1e200, "another unit"),
    ):
        S.data[7] = value
        with pytest.raises(ValueError, match=message):
            rt.NMF(2).fit(S)
        if value != 1e200:
            with pytest.raises(ValueError, match=message.replace("fit", "transform")):
                fitted.transform(S)
    for call, data, message in (
        (fitted.transform, A[:, :7], "25 features"),
        (rt.NMF(2).fit, A + 1j, "Complex data not supported"),
        (rt.NMF(26).fit, A, "n_components=26 is too large"),
    ):
        with pytest.raises(ValueError, match=message):
            call(sp.csr_array(data))


REFUSING = [model for model in problems.AND_GRAPHS if not model.takes_sparse]


@pytest.mark.parametrize("model", REFUSING, ids=repr)
def test_other_models_say_what_to_do(model):
    name = f"{type(model).__name__}( with solver='mu')?"
    says = rf"(fit|transform), but {name} needs .* its 8e-06 GB .*A\[:1000\].*'cd', .*L21NMF.*NMF"
    fitted = clone(model).set_params(max_iter=2, tol=0).fit(A, np.arange(40) % 3)
    for method in ("fit", "transform", "score"):
        with pytest.raises(TypeError, match=says):
            getattr(fitted, method)(sp.csr_array(A))
    assert not get_tags(model).input_tags.sparse


def test_the_tag_says_who_takes_them():
    assert all(get_tags(model).input_tags.sparse for model in [*TAKING, *ENTRYWISE])


# ------------------------------------------------------- a weight for each stored entry

ENTRYWISE = [
    kind(
        4,
        scale=0.7,
        divergence=divergence,
        solver="cd",
        random_state=0,
        max_iter=25,
        tol=0,
    )
    for kind in (rt.HuberNMF, rt.CIMNMF, rt.CauchyNMF, rt.HypersurfaceNMF)
    for divergence in ("frobenius", "kullback-leibler")
]
each_entrywise = pytest.mark.parametrize("model", ENTRYWISE, ids=repr)


def with_weights_where(positive, model):
    """Return the model whose φ is φ(u) = u at the other entries, for dense data."""

    class Phi(type(model.phi)):
        def value(self, u, q):
            return np.where(positive, super().value(u, q), u)

        def slope(self, u, out=None):
            return np.where(positive, super().slope(u), 1)

    dense = clone(model)
    dense.phi = Phi()
    return dense


@each_entrywise
def test_a_zero_that_is_not_stored_counts_in_full(model, monkeypatch):
    """Also where entries and samples are many, and a last block has one entry."""
    D = A.copy()
    D[7, 9] = 40
    monkeypatch.setattr(stored, "BLOCK", np.count_nonzero(D) - 1)
    # 13 samples of ten pairs of components
    monkeypatch.setattr(kullback_leibler, "MODEL_BLOCK", 130)
    sparse = clone(model)
    dense = with_weights_where(D.T > 0, model)
    sparse.fit(sp.csr_array(D))
    dense.fit(D)
    assert sparse.weights_.format == "csr" and sparse.weights_.nnz == np.count_nonzero(
        D
    )
    np.testing.assert_allclose(
        sparse.objective_history_, dense.objective_history_, rtol=1e-10
    )
    weights = np.where(D > 0, sparse.weights_.toarray(), 1)
    np.testing.assert_allclose(weights, dense.weights_, rtol=1e-6, atol=1e-9)
    assert weights[7, 9] < 0.1
    codes = sparse.transform(sp.csr_array(D))
    for k in (0, 3, 7):
        one = with_weights_where(D[k : k + 1].T > 0, model)
        one.components_ = sparse.components_
        one._fitted_loss = sparse._fitted_loss
        one._fitted_loss = replace(one._fitted_loss, phi=one.phi)
        one._fitted_solver = sparse._fitted_solver
        expected = one._encode(Work(D[k : k + 1].T), sparse.components_.T)
        np.testing.assert_allclose(codes[k], expected[:, 0], rtol=1e-6, atol=1e-9)


@each_entrywise
def test_zeros_that_are_stored_change_nothing_and_nothing_need_be_stored(model):
    model = clone(model).set_params(n_components=2, scale=None, max_iter=5)
    fits = [
        clone(model).fit(data) for data in (sp.csr_array(A), with_explicit_zeros(A))
    ]
    np.testing.assert_array_equal(*(fit.components_ for fit in fits))
    assert fits[0].scale_ == fits[1].scale_
    nothing = sp.csr_array((6, 5))
    np.testing.assert_allclose(
        model.fit_transform(nothing) @ model.components_, 0, atol=1e-9
    )
    assert not model.transform(nothing).any()


@pytest.mark.slow
@each_entrywise
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_the_objective_of_sparse_data_never_rises(model, dtype):
    rise = largest_rise(model, dtype, given=sp.csr_array)
    assert rise <= (1e-10 if dtype == "f8" else 2e-3)


def test_a_scale_is_estimated_from_the_stored_entries():
    model = rt.HuberNMF(3, solver="cd", random_state=0, max_iter=20, tol=0).fit(
        sp.csr_array(A)
    )
    errors = np.abs(A - model.inverse_transform(model.transform(A)))[A > 0]
    assert errors.min() < model.scale_ < errors.max()


# ------------------------------------------------------------------ the cost


WIDE = [rt.NMF(), rt.NMF(loss="kullback-leibler"), rt.L21NMF(), rt.HuberNMF(scale=1.0)]


@pytest.mark.parametrize("model", WIDE, ids=repr)
def test_wide_data_take_no_memory_for_what_is_not_stored(model):
    """400 samples of 2^16 features would take 210 MB as a dense array."""
    rng = np.random.default_rng(0)
    places = (np.repeat(np.arange(400), 5), rng.integers(0, 2**16, 2000))
    wide = sp.csr_array((rng.random(2000) + 1, places), shape=(400, 2**16))
    model = clone(model).set_params(max_iter=2, tol=0, random_state=0)
    model.fit(wide[:5])  # what is imported only now
    # 20 arrays of the size of the basis, or of the entries.
    most = 20 * 8 * 2 * 2**16
    for call in (model.fit, model.transform, model.score):
        assert peak(lambda call=call: call(wide)) < most


def test_columns_of_zeros_that_stay_are_left_out_and_the_others_are_not():
    """Few columns have data: the result is that of these columns alone."""
    rng = np.random.default_rng(0)
    gram = positive((3, 3), 4)
    gram = gram @ gram.T
    B = np.zeros((3, 50))
    H = np.zeros((3, 50))
    B[:, [2, 30]] = rng.normal(size=(3, 2))  # data where H is zero
    H[:, [7, 30]] = positive((3, 2), 5)  # H where there are no data
    found = descend_rows(gram, B, H)
    assert not H[:, 2].any() and found[:, 2].any()
    for k in range(50):
        alone = descend_rows(gram, B[:, [k]], H[:, [k]])
        np.testing.assert_allclose(found[:, [k]], alone, rtol=1e-13)


@each_model
def test_a_score_of_sparse_data_is_that_of_dense_data(model):
    model = clone(model).set_params(n_components=2, max_iter=5, tol=0, random_state=0)
    model.fit(A)
    expected = -np.abs(A - model.inverse_transform(model.transform(A))).mean()
    assert model.score(with_explicit_zeros(A)) == pytest.approx(expected, rel=1e-9)
