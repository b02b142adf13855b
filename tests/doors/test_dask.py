"""A fit to a Dask array is the fit in memory, wherever and however often its chunks are read."""

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

from rnmf_tutorial import (
    CIMNMF,
    CSNMF,
    L1NMF,
    L21NMF,
    NMF,
    CauchyNMF,
    HuberNMF,
    L1RobustNMF,
    RobustNMF,
    TruncatedCauchyNMF,
)

dask = pytest.importorskip("dask", reason="Dask is not installed: pip install 'dask[distributed]'")
da = pytest.importorskip("dask.array")
pytest.importorskip("dask.bag")
from rnmf_tutorial.engine.chunks import Chunks, bare  # noqa: E402  Dask is optional

MODELS = [
    clone(model).set_params(solver=solver)
    for solver in ("mu", "cd")
    for model in (
        *(NMF(3), NMF(3, normalize="l1"), RobustNMF(3, lam=0.3)),
        *(HuberNMF(3, scale=0.1), CIMNMF(3, scale=0.2)),
    )
]
MODELS += [
    NMF(3, loss="kullback-leibler", solver="mu"),
    HuberNMF(3, scale=0.1, divergence="kullback-leibler", solver="mu"),
    L1RobustNMF(3, lam=0.3, solver="cd"),
]


def problem(missing=False, shape=(47, 19), seed=0):
    """Return data of low rank with gross errors, and holes if asked."""
    rng = np.random.default_rng(seed)
    A = rng.random((shape[0], 3)) @ rng.random((3, shape[1])) + 0.1 * rng.random(shape)
    A[rng.random(shape) < 0.05] = 3.0
    if missing:
        A[rng.random(shape) < 0.2] = np.nan
    return A


A = problem()
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def close(one, other, rtol=1e-9):
    np.testing.assert_allclose(one, other, rtol=0, atol=rtol * np.abs(other).max())


def shows(model):
    return [name for name in ("weights_", "scale_", "error_", "lam_") if hasattr(model, name)]


def same(there, here, Ht, Gt):
    """The fit `there` is the one `here`: basis, coefficients, objectives and what else it shows."""
    close(there.components_, here.components_)
    close(Ht, Gt)
    np.testing.assert_allclose(there.objective_history_, here.objective_history_, rtol=1e-9)
    assert there.n_iter_ == here.n_iter_ and there.n_features_in_ == here.n_features_in_
    for attribute in shows(here):
        shown = getattr(there, attribute)
        assert not np.ndim(shown) or isinstance(shown, da.Array)  # of the size of the data
        close(np.asarray(shown), getattr(here, attribute))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_equal_to_the_fit_in_memory(model):
    A = problem(missing=True)
    chunked = da.from_array(A, chunks=(13, 10))  # the last is small, and the features are cut too
    for tol in (0, 1e-3):
        here = clone(model).set_params(tol=tol, random_state=1)
        here.set_params(max_iter=10 if tol else 4)
        there = clone(here)
        same(there, here, there.fit_transform(chunked), here.fit_transform(A))
        close(there.transform(chunked), here.transform(A))
    single = clone(here).set_params(tol=0, max_iter=2)
    assert single.fit_transform(chunked.astype("f4")).dtype == single.components_.dtype == "f4"
    for shown in (getattr(single, name) for name in shows(single)):
        for array in (shown, shown.compute()) if np.ndim(shown) else ():
            assert array.shape == A.shape and array.dtype == "f4"


def test_any_chunks_will_do():
    A = problem(missing=True)
    here = HuberNMF(3, scale=0.1, solver="cd", max_iter=5, tol=0, random_state=0)
    Gt = here.fit_transform(A)
    first_empty = da.from_array(A, chunks=((0, 1, 45, 1), (19,)))
    many = da.from_array(A, chunks=(1, 19))  # 47 of them: their sums are added in two rounds
    in_columns = da.from_array(np.asfortranarray(A), chunks=(20, 19))
    masked = da.ma.masked_invalid(da.from_array(A, chunks=(20, 19)))
    for chunked in (first_empty, many, in_columns, masked, first_empty.rechunk((47, 19))):
        there = clone(here)
        same(there, here, there.fit_transform(chunked), Gt)


def counted(stop=None):
    """Return the data in three chunks, and a list that grows by a reading; one may interrupt."""
    readings = []

    def read(block):
        readings.append(1)
        if len(readings) == stop:
            raise KeyboardInterrupt
        return block

    return da.from_array(A, chunks=(16, 19)).map_blocks(read, dtype=float, meta=A[:0]), readings


def test_an_interrupt_leaves_the_last_finished_sweep():
    data, _ = counted(stop=3 * 6 + 2)  # the survey, the start, 4 sweeps, and a bit
    cut = CauchyNMF(3, scale=0.1, max_iter=9, tol=0, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        cut.fit(data)
    whole = clone(cut).set_params(max_iter=4).fit(A)
    assert cut.n_iter_ == 4
    close(cut.components_, whole.components_)
    close(np.asarray(cut.weights_), whole.weights_)


@pytest.mark.parametrize("model", [NMF(3), RobustNMF(3, lam=0.3), CauchyNMF(3, scale=0.1)], ids=str)
def test_a_sweep_reads_the_data_once(model):
    # the survey, the start and 4 sweeps; again where going further led up
    for solver, most in (("mu", 6), ("cd", 6 + 3)):
        data, readings = counted()
        clone(model).set_params(max_iter=4, tol=0, solver=solver).fit(data)
        assert 3 * 6 <= len(readings) <= 3 * most


# ------------------------------------------------------------------------------ refusals


def test_what_cannot_be_fitted_says_so_and_what_to_do():
    chunked = da.from_array(A, chunks=20)
    for model in [
        *(L1NMF(2), L21NMF(2), CSNMF(2, scale=0.1), HuberNMF(2), RobustNMF(2)),
        *(RobustNMF(2, solver="mu"), L1RobustNMF(2, solver="mu")),
        TruncatedCauchyNMF(2, scale=0.1, solver="nesterov"),
        TruncatedCauchyNMF(2, scale=0.1, outliers=0.5, solver="cd"),
        NMF(2, loss="kullback-leibler", solver="cd"),
    ]:
        told = f"^{type(model).__name__} cannot be fitted to a Dask array with these"
        with pytest.raises(ValueError, match=told):
            model.fit(chunked)
    for data, told in (
        (chunked[chunked[:, 0] > 0.1], "compute_chunk_sizes"),
        (chunked[0], "two dimensions"),
        (dask.bag.from_sequence([1, 2]), "two dimensions"),
        (chunked * 1j, "real numbers"),
    ):
        with pytest.raises(ValueError, match=told):
            NMF(2).fit(data)
    with pytest.raises(ValueError, match="'random', or a pair"):
        NMF(2, init="nndsvd").fit(chunked)


def test_every_model_encodes_chunk_by_chunk():
    chunked = da.from_array(A, chunks=20)
    for model in (L1NMF(2), CauchyNMF(2), TruncatedCauchyNMF(2, max_iter=50), L21NMF(2)):
        model.set_params(random_state=0, init="nndsvda")
        model.fit(A[:30])
        parts = [model.transform(A[first : first + 20]) for first in (0, 20, 40)]
        np.testing.assert_array_equal(model.transform(chunked), np.vstack(parts))


def test_the_checks_of_the_data_are_those_in_memory():
    where = {"negative": (40, 3), "inf": (40, 3), "sample": 40, "feature": (slice(None), 7)}
    bad = {name: A.copy() for name in where} | {"small": A * 1e-160}
    for name, value in zip(where, (-1, np.inf, np.nan, np.nan), strict=True):
        bad[name][where[name]] = value
    for data in bad.values():
        words = []
        for given in (data, da.from_array(data, chunks=20)):
            with pytest.raises(ValueError) as caught:
                NMF(3).fit(given)
            words.append(str(caught.value))
        assert words[1] == words[0] or "infinity" in words[1]
    with pytest.raises(ValueError, match="too large for data with n_samples = 47"):
        NMF(20).fit(da.from_array(A, chunks=10))
    model = NMF(3, random_state=0).fit(A)
    with pytest.raises(ValueError, match=r"begins with sample 40: .*no entry at all in sample 0"):
        model.transform(da.from_array(bad["sample"], chunks=(20, 19)))
    with pytest.raises(ValueError, match="18 features"):
        model.transform(da.from_array(A[:, :18], chunks=20))


# ------------------------------------------------------------------------------ workers, memory


LIMITED = """
import json, re, resource, sys
import dask, dask.array as da, numpy as np
from rnmf_tutorial import CauchyNMF

def read(block_info=None):
    (first, last), _ = block_info[None]["array-location"]
    return np.array(np.load(sys.argv[1], mmap_mode="r")[first:last])

dask.config.set(scheduler="synchronous")
whole = np.load(sys.argv[1], mmap_mode="r")
shape, size = whole.shape, whole.nbytes
del whole
model = CauchyNMF(5, scale=0.2, solver=sys.argv[2], max_iter=2, tol=0, random_state=0)
model.fit(da.ones((50, 20), chunks=(25, 20)) * 2)  # what is imported only now
held = 1000 * int(re.search(r"VmData:\\s+(\\d+)", open("/proc/self/status").read())[1])
resource.setrlimit(resource.RLIMIT_DATA, (held + size // 10,) * 2)
try:
    np.ones(size // 8 // 8)
    raise SystemExit("the limit does not hold")
except MemoryError:
    pass
A = da.map_blocks(read, chunks=((100,) * (shape[0] // 100), shape[1:]), dtype=float)
print(json.dumps([float(model.fit_transform(A).sum()), *model.objective_history_]))
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory as Linux does")
@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_data_ten_times_the_memory_allowed(tmp_path, solver):
    shape, rng = (24_000, 2000), np.random.default_rng(0)
    file = np.lib.format.open_memmap(tmp_path / "A.npy", "w+", float, shape)
    for first in range(0, len(file), 1000):
        file[first : first + 1000] = rng.random((1000, 5)) @ rng.random((5, shape[1]))
    del file
    command = [sys.executable, "-W", "ignore", "-c", LIMITED, tmp_path / "A.npy", solver]
    # Freed arrays go back at once: what is counted is then what is held.
    own = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    own["MALLOC_MMAP_THRESHOLD_"] = "65536"
    done = subprocess.run(command, env=os.environ | own, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    here = CauchyNMF(5, scale=0.2, solver=solver, max_iter=2, tol=0, random_state=0)
    Ht = here.fit_transform(np.load(tmp_path / "A.npy"))
    found = [Ht.sum(), *here.objective_history_]
    np.testing.assert_allclose(json.loads(done.stdout), found, rtol=1e-9)


def test_workers_get_nothing_as_large_as_the_data(monkeypatch):
    rng, sizes, tasks = np.random.default_rng(0), [], Chunks.tasks

    def weighed(self, function, *arguments, **options):
        sizes.append(len(pickle.dumps(function)))
        return tasks(self, function, *arguments, **options)

    monkeypatch.setattr(Chunks, "tasks", weighed)
    large = rng.random((300, 200))
    model = CauchyNMF(3, scale=0.1, max_iter=3, tol=1, callback=lambda *_: False)
    model.set_params(init=(rng.random((200, 3)), rng.random((3, 300)))).fit(large)
    model.fit(da.from_array(large, chunks=100))
    assert model.weights_.shape == (300, 200) and len(sizes) >= 3 and max(sizes) < 10_000
    assert len(pickle.dumps(bare(model.fit(large)))) < 10_000  # the basis of new samples
    assert model.weights_.shape == (300, 200)  # the model itself keeps them
