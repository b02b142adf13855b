"""scikit-learn's own checks of an estimator, and its own tests of its NMF, run against ours.

All of `check_estimator` runs for one class of each kind: without labels, with labels, with labels
if there are some. The other classes share that code and run a few checks; `-m long` runs all.

Of the tests of its NMF, taken from the installed package, what asks for parameters that we do not
have is left out: penalties, other beta losses, mini-batches.
"""

import inspect

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array, csc_matrix, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

import rnmf_tutorial
from rnmf_tutorial import CSNMF, MCCGR, TruncatedCauchyNMF
from tests.problems import ESTIMATORS, GRAPH_ESTIMATORS, positive

theirs = pytest.importorskip("sklearn.decomposition.tests.test_nmf")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SOLVERS = ["mu", "cd"]


# ------------------------------------------------------------------ check_estimator


KINDS = rnmf_tutorial.NMF, CSNMF, MCCGR
FEW = (
    "check_no_attributes_set_in_init",
    "check_estimators_pickle",
    "check_fit2d_predict1d",
    "check_n_features_in_after_fitting",
)
# Where fit and transform must agree, sixty sweeps are not enough.
CONVERGED = {"check_transformer_general", "check_transformer_data_not_an_array"}
# One model of each class and solver; of these a check costs forty of the others'.
MODELS = {
    (type(m), getattr(m, "solver", "")): m for m in [*reversed(ESTIMATORS), *GRAPH_ESTIMATORS]
}
MODELS |= {
    (TruncatedCauchyNMF, solver): TruncatedCauchyNMF(solver=solver, max_iter=60)
    for solver in ("nesterov", "cd")
}


def all_checks():
    for model in MODELS.values():
        for number, (estimator, check) in enumerate(estimator_checks_generator(model)):
            name = check.func.__name__
            if name == "check_array_api_input":  # needs the environment variable SCIPY_ARRAY_API
                continue
            # The published updates of a robust loss crawl: a fit keeps what its last sweep held,
            # and `transform` goes on to the minimum.
            crawls = getattr(model, "solver", "") == "mu" and type(model) is not rnmf_tutorial.NMF
            if name in CONVERGED and crawls:
                continue
            quick = type(model) in KINDS or name in FEW
            marks = () if quick else pytest.mark.long
            yield pytest.param(estimator, check, marks=marks, id=f"{model!r}-{name}-{number}")


@pytest.mark.parametrize(("estimator", "check"), all_checks())
@pytest.mark.slow
def test_scikit_learns_checks(estimator, check):
    if check.func.__name__ not in CONVERGED:
        estimator = clone(estimator).set_params(max_iter=60)
    check(estimator)


@pytest.mark.parametrize("model", [*ESTIMATORS, *GRAPH_ESTIMATORS], ids=repr)
def test_set_output_holds_for_transform_and_fit_transform(model):
    A, y = pd.DataFrame(positive((11, 8), 0), index=[f"s{i}" for i in range(11)]), [0, 1] * 5 + [0]
    model = clone(model).set_params(n_components=2, max_iter=3)
    model.set_output(transform="pandas")
    for codes in (model.fit_transform(A, y), model.fit(A, y).transform(A)):
        assert isinstance(codes, pd.DataFrame)
        assert list(codes.index) == list(A.index)
        assert list(codes.columns) == list(model.get_feature_names_out())


# ------------------------------------------------------------------ the tests of its NMF


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
        super().__init__(
            n_components or 2,
            loss={2: "frobenius", 1: "kullback-leibler"}[beta_loss],
            init=init or "nndsvda",
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
        )
        self.beta_loss, self.alpha_W, self.alpha_H = beta_loss, alpha_W, alpha_H  # for a clone

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


@pytest.fixture(autouse=True)
def ours(monkeypatch):
    monkeypatch.setattr(theirs, "NMF", NMF)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("init", [None, "nndsvd", "nndsvda", "nndsvdar", "random"])
def test_every_start(solver, init):
    theirs.test_nmf_fit_nn_output(NMF, {"solver": solver}, init, 0.0, 0.0)
    if "shape" in inspect.signature(getattr(theirs, "test_nmf_smoke", print)).parameters:
        for shape in ((30, 10), (10, 30)):
            theirs.test_nmf_smoke(init, shape, solver)


@pytest.mark.parametrize("solver", SOLVERS)
def test_of_an_estimator(solver):
    theirs.test_nmf_fit_close(NMF, {"solver": solver})
    theirs.test_nmf_transform_custom_init(NMF, {"solver": solver})
    theirs.test_nmf_transform(solver)
    theirs.test_nmf_inverse_transform(solver)
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        out = dtype if dtype in (np.float32, np.float64) else np.float64
        theirs.test_nmf_dtype_match(NMF, {"solver": solver}, dtype, out)
    theirs.test_feature_names_out()
    for container in (csr_array, csr_matrix, csc_array, csc_matrix):
        theirs.test_nmf_sparse_input(NMF, {"solver": solver}, container, 0.0, 0.0)
        theirs.test_nmf_sparse_transform(NMF, {"solver": solver}, container)
