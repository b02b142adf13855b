"""A fit to a Dask array is the fit in memory, wherever and however often its chunks are read."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import rnmf_tutorial as rt
from tests.problems import EVERY, hidden, in_units, near, peak

dask = pytest.importorskip(
    "dask", reason="Dask is not installed: pip install 'dask[distributed]'"
)
da = pytest.importorskip("dask.array")
pytest.importorskip("dask.bag")
from rnmf_tutorial.chunks import Chunks, bare  # noqa: E402 - Dask is optional

MODELS = [in_units(model, 1.0).set_params(n_components=3) for model in EVERY]
MODELS = [model for model in MODELS if model.takes_chunks]
A = np.random.default_rng(0).random((47, 3)) @ np.random.default_rng(1).random((3, 19))
A += 0.1 * np.random.default_rng(2).random(A.shape)
A[np.random.default_rng(3).random(A.shape) < 0.05] = 3.0  # gross errors
HOLES = np.where(hidden(A.shape, 0.2), np.nan, A)
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def shows(model):
    return [
        name
        for name in ("weights_", "scale_", "error_", "lam_")
        if hasattr(model, name)
    ]


def same(there, here, Ht, Gt):
    """The fit `there` is the one `here`: basis, coefficients, objectives and what else it shows."""
    near(there.components_, here.components_)
    near(Ht, Gt)
    np.testing.assert_allclose(
        there.objective_history_, here.objective_history_, rtol=1e-9
    )
    errors = float(there.reconstruction_err_), here.reconstruction_err_
    assert errors[0] == pytest.approx(errors[1], rel=1e-9)
    assert there.n_iter_ == here.n_iter_ and there.n_features_in_ == here.n_features_in_
    for attribute in shows(here):
        shown = getattr(there, attribute)
        assert not np.ndim(shown) or isinstance(
            shown, da.Array
        )  # of the size of the data
        near(np.asarray(shown), getattr(here, attribute))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_equal_to_the_fit_in_memory(model):
    # The last chunk is small, and the features are cut too.
    chunked = da.from_array(HOLES, chunks=(20, 10))
    for tol in (0, 1e-3):
        here = clone(model).set_params(tol=tol, random_state=1)
        here.set_params(max_iter=10 if tol else 4)
        there = clone(here)
        same(there, here, there.fit_transform(chunked), here.fit_transform(HOLES))
        near(there.transform(chunked), here.transform(HOLES))
    single = clone(here).set_params(tol=0, max_iter=2)
    assert (
        single.fit_transform(chunked.astype("f4")).dtype
        == single.components_.dtype
        == "f4"
    )
    for shown in (getattr(single, name) for name in shows(single)):
        for array in (shown, shown.compute()) if np.ndim(shown) else ():
            assert array.shape == A.shape and array.dtype == "f4"


def test_any_chunks_will_do():
    here = rt.HuberNMF(3, scale=0.1, solver="cd", max_iter=5, tol=0, random_state=0)
    Gt = here.fit_transform(HOLES)
    first_empty = da.from_array(HOLES, chunks=((0, 1, 45, 1), (19,)))
    many = da.from_array(
        HOLES, chunks=(1, 19)
    )  # 47 of them: their sums are added in two rounds
    in_columns = da.from_array(np.asfortranarray(HOLES), chunks=(20, 19))
    masked = da.ma.masked_invalid(da.from_array(HOLES, chunks=(20, 19)))
    for chunked in (
        first_empty,
        many,
        in_columns,
        masked,
        first_empty.rechunk((47, 19)),
    ):
        there = clone(here)
        same(there, here, there.fit_transform(chunked), Gt)
    below = HOLES - 0.5
    there = clone(here)
    in_chunks = there.fit_transform(da.from_array(below, chunks=(20, 19)))
    same(there, here, in_chunks, here.fit_transform(below))


def counted(stop=None):
    """Return the data in three chunks, and a list that grows by a reading; one may interrupt."""
    readings = []

    def read(block):
        readings.append(1)
        if len(readings) == stop:
            raise KeyboardInterrupt
        return block

    return da.from_array(A, chunks=(16, 19)).map_blocks(
        read, dtype=float, meta=A[:0]
    ), readings


def test_an_interrupt_leaves_the_last_finished_sweep():
    data, _ = counted(stop=3 * 6 + 2)  # the survey, the start, 4 sweeps, and a bit
    cut = rt.CauchyNMF(3, scale=0.1, max_iter=9, tol=0, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        cut.fit(data)
    whole = clone(cut).set_params(max_iter=4).fit(A)
    assert cut.n_iter_ == 4
    near(cut.components_, whole.components_)
    near(np.asarray(cut.weights_), whole.weights_)


def test_a_sweep_reads_the_data_once():
    # the survey, the start and 4 sweeps; again where going further led up
    for model in (rt.NMF(3), rt.HuberNMF(3, scale=0.1), rt.CauchyNMF(3, scale=0.1)):
        for solver, most in (("mu", 6), ("cd", 6 + 3)):
            data, readings = counted()
            model.set_params(max_iter=4, tol=0, solver=solver, random_state=1).fit(data)
            assert 3 * 6 <= len(readings) <= 3 * most
            near(
                model.components_, clone(model).fit(A).components_
            )  # plain steps in between, too


# ----------------------------------------------------------------------------- refusals


def test_what_cannot_be_fitted_says_so_and_what_to_do():
    chunked = da.from_array(A, chunks=20)
    for model in [
        *(
            rt.L1NMF(2),
            rt.L21NMF(2),
            rt.CSNMF(2, scale=0.1),
            rt.HuberNMF(2),
            rt.RobustNMF(2),
        ),
        *(rt.RobustNMF(2, lam=0.3, solver="mu"), rt.L1RobustNMF(2, solver="mu")),
        rt.TruncatedCauchyNMF(2, scale=0.1, solver="nesterov"),
        rt.TruncatedCauchyNMF(2, scale=0.1, outliers=0.5, solver="cd"),
        rt.NMF(2, loss="kullback-leibler", solver="cd"),
    ]:
        told = f"^{type(model).__name__} cannot be fitted to a Dask array with these"
        with pytest.raises(ValueError, match=told):
            model.fit(chunked)
    for data, told in (
        (chunked[chunked[:, 0] > 0.1], "compute_chunk_sizes"),
        (dask.bag.from_sequence([1, 2]), "two dimensions"),
        (chunked * 1j, "real numbers"),
    ):
        with pytest.raises(ValueError, match=told):
            rt.NMF(2).fit(data)
    with pytest.raises(ValueError, match=r"'random', or .W0, H0."):
        rt.NMF(2, init="nndsvd").fit(chunked)


def test_every_model_encodes_chunk_by_chunk():
    chunked = da.from_array(A, chunks=20)
    for model in (
        rt.L1NMF(),
        rt.CauchyNMF(),
        rt.TruncatedCauchyNMF(max_iter=50),
        rt.L21NMF(),
    ):
        model.set_params(random_state=0, init="nndsvda")
        model.fit(A[:30])
        parts = [model.transform(A[first : first + 20]) for first in (0, 20, 40)]
        np.testing.assert_array_equal(model.transform(chunked), np.vstack(parts))


def test_the_checks_of_the_data_are_those_in_memory():
    where = {
        "negative": (40, 3),
        "inf": (40, 3),
        "sample": 40,
        "feature": (slice(None), 7),
    }
    bad = {name: A.copy() for name in where} | {"small": A * 1e-160}
    for name, value in zip(where, (-1, np.inf, np.nan, np.nan), strict=True):
        bad[name][where[name]] = value
    for data in bad.values():
        words = []
        for given in (data, da.from_array(data, chunks=20)):
            with pytest.raises(ValueError) as caught:
                rt.NMF(3, solver="mu").fit(given)
            words.append(str(caught.value))
        alike = [
            words[0],
            "Input X contains infinity",
            "Negative values in data passed to NMF.fit",
        ]
        assert words[1].startswith(tuple(alike))
    model = rt.NMF(3, random_state=0).fit(A)
    with pytest.raises(
        ValueError, match=r"begins with sample 40: .*no entry at all in sample 0"
    ):
        model.transform(da.from_array(bad["sample"], chunks=(20, 19)))
    with pytest.raises(ValueError, match="18 features"):
        model.transform(da.from_array(A[:, :18], chunks=20))


# ---------------------------------------------------------------------- workers, memory


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_a_fit_never_holds_all_of_the_data(solver):
    def read(block_info=None):
        (first, last), _ = block_info[None]["array-location"]
        rng = np.random.default_rng(first)
        return rng.random((last - first, 5)) @ rng.random((5, 1000))

    data = da.map_blocks(read, chunks=((50,) * 20, (1000,)), dtype=float)
    there = rt.CauchyNMF(5, scale=0.2, solver=solver, max_iter=1, tol=0, random_state=0)
    there.fit(data[:60])  # what is imported only now
    assert peak(lambda: there.fit(data)) < data.nbytes / 2
    here = clone(there).fit(data.compute())
    np.testing.assert_allclose(
        there.objective_history_, here.objective_history_, rtol=1e-9
    )


def test_workers_get_nothing_as_large_as_the_data(monkeypatch):
    rng = np.random.default_rng(0)
    sizes = []
    tasks = Chunks.tasks

    def weighed(self, function, *arguments, **options):
        sizes.append(len(pickle.dumps(function)))
        return tasks(self, function, *arguments, **options)

    monkeypatch.setattr(Chunks, "tasks", weighed)
    large = rng.random((300, 200))
    model = rt.CauchyNMF(3, scale=0.1, max_iter=3, tol=1, callback=lambda *_: False)
    model.set_params(init=(rng.random((200, 3)), rng.random((3, 300)))).fit(large)
    model.fit(da.from_array(large, chunks=100))
    assert (
        model.weights_.shape == (300, 200) and len(sizes) >= 3 and max(sizes) < 10_000
    )
    assert (
        len(pickle.dumps(bare(model.fit(large)))) < 10_000
    )  # the basis of new samples
    assert model.weights_.shape == (300, 200)  # the model itself keeps them
