"""scikit-learn's own tests of its NMF, taken from the installed package and run against ours.

Left out: what asks for parameters that we do not have (penalties, other beta losses, mini-batches,
`n_components="auto"`, more components than features, sparse input), and the texts of messages.
"""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import rnmf_tutorial
from tests.problems import ESTIMATORS, GRAPH_ESTIMATORS, positive

theirs = pytest.importorskip("sklearn.decomposition.tests.test_nmf")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SOLVERS = ["mu", *(["cd"] if "solver" in rnmf_tutorial.NMF().get_params() else [])]


class NMF(rnmf_tutorial.NMF):
    """Our NMF with scikit-learn's names of the parameters, its defaults and its orientation."""

    def __init__(
        self,
        n_components=None,
        *,
        init=None,
        solver="mu",
        beta_loss=2,
        tol=1e-4,
        max_iter=200,
        random_state=None,
        alpha_W=0.0,
        alpha_H="same",
    ):
        options = {"solver": solver} if len(SOLVERS) > 1 else {}
        super().__init__(
            n_components or 2,
            loss={2: "frobenius", 1: "kullback-leibler"}[beta_loss],
            init=init or "nndsvda",
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
            **options,
        )

    def fit_transform(self, X, y=None, W=None, H=None):
        if W is not None:
            self.init = (H.T, W.T)
        Ht = super().fit_transform(X)
        twice = 2 if self.loss == "kullback-leibler" else 1
        self.reconstruction_err_ = np.sqrt(twice * self.objective_history_[-1])
        return Ht

    def fit(self, X, y=None):
        self.fit_transform(X)
        return self


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("init", [None, "nndsvd", "nndsvda", "nndsvdar", "random"])
def test_nothing_is_negative(solver, init):
    theirs.test_nmf_fit_nn_output(NMF, {"solver": solver}, init, 0.0, 0.0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["test_nmf_fit_close", "test_nmf_transform_custom_init"])
def test_of_an_estimator(solver, name):
    getattr(theirs, name)(NMF, {"solver": solver})


def test_float32_and_float64_agree():
    # Their 200 sweeps of "mu" stop by a test of every tenth sweep; ours, of every sweep.
    for solver in SOLVERS:
        X = positive((50, 7), 0)
        options = {"random_state": 0, "init": "random", "tol": 0, "max_iter": 10}
        single, double = (
            NMF(solver=solver, **options).fit_transform(X.astype(t)) for t in ("f4", "f8")
        )
        assert np.allclose(single, double, atol=1e-5 * double.max())


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_the_type_of_the_data(solver, dtype):
    out = dtype if dtype in (np.float32, np.float64) else np.float64
    theirs.test_nmf_dtype_match(NMF, {"solver": solver}, dtype, out)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["test_nmf_transform", "test_nmf_inverse_transform"])
def test_of_their_class(solver, name, monkeypatch):
    monkeypatch.setattr(theirs, "NMF", NMF)
    getattr(theirs, name)(solver)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("init", [None, "nndsvd", "nndsvda", "nndsvdar", "random"])
@pytest.mark.parametrize("shape", [(30, 10), (10, 30)])
def test_every_start(solver, init, shape, monkeypatch):
    if "shape" not in inspect.signature(getattr(theirs, "test_nmf_smoke", print)).parameters:
        pytest.skip("this version of scikit-learn has no such test")
    monkeypatch.setattr(theirs, "NMF", NMF)
    theirs.test_nmf_smoke(init, shape, solver)


def test_the_exact_solution_by_the_divergence():
    rng = np.random.default_rng(42)
    left, right = np.zeros((15, 5)), np.zeros((5, 10))
    left[np.arange(5), np.arange(5)] = rng.random(5)
    right[np.arange(10) % 5, np.arange(10)] = rng.random(10)
    model = NMF(5, solver="mu", beta_loss=1, max_iter=1000, random_state=0)
    assert np.allclose(model.fit_transform(left @ right) @ model.components_, left @ right)
    assert model.reconstruction_err_ < 0.1


def test_names_of_the_features(monkeypatch):
    monkeypatch.setattr(theirs, "NMF", NMF)
    theirs.test_feature_names_out()


# ------------------------------------------------------------------ set_output


@pytest.mark.parametrize("model", [*ESTIMATORS, *GRAPH_ESTIMATORS], ids=repr)
def test_set_output_holds_for_transform_and_fit_transform(model):
    A, y = pd.DataFrame(positive((11, 8), 0), index=[f"s{i}" for i in range(11)]), [0, 1] * 5 + [0]
    model = clone(model).set_params(n_components=2, max_iter=3)
    model.set_output(transform="pandas")
    for codes in (model.fit_transform(A, y), model.fit(A, y).transform(A)):
        assert isinstance(codes, pd.DataFrame)
        assert list(codes.index) == list(A.index)
        assert list(codes.columns) == list(model.get_feature_names_out())
