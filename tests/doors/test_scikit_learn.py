"""scikit-learn's own checks of an estimator, run against ours.

All of `check_estimator` runs for one class of each kind: without labels, with labels,
with labels if there are some. The other classes share that code and run a few checks;
`-m long` runs all.
"""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

import rnmf_tutorial
from rnmf_tutorial import CSNMF, MCCGR, TruncatedCauchyNMF
from tests.problems import ESTIMATORS, GRAPH_ESTIMATORS

KINDS = rnmf_tutorial.NMF, CSNMF, MCCGR
FEW = ["check_no_attributes_set_in_init", "check_estimators_pickle"]
FEW += ["check_fit2d_predict1d", "check_n_features_in_after_fitting"]
# Where fit and transform must agree, sixty sweeps are not enough.
CONVERGED = {"check_transformer_general", "check_transformer_data_not_an_array"}
# One model of each class and solver; of these a check costs forty of the others'.
MODELS = [*reversed(ESTIMATORS), *GRAPH_ESTIMATORS]
MODELS = {(type(model), getattr(model, "solver", "")): model for model in MODELS}
for solver in ("nesterov", "cd", "published"):
    MODELS[TruncatedCauchyNMF, solver] = TruncatedCauchyNMF(solver=solver, max_iter=60)


def all_checks():
    for model in MODELS.values():
        for number, (estimator, check) in enumerate(estimator_checks_generator(model)):
            name = check.func.__name__
            if (
                name == "check_array_api_input"
            ):  # needs the environment variable SCIPY_ARRAY_API
                continue
            # The published updates of a robust loss crawl: a fit keeps what its last
            # sweep held, and `transform` goes on to the minimum.
            crawls = (
                getattr(model, "solver", "") == "mu"
                and type(model) is not rnmf_tutorial.NMF
            )
            if name in CONVERGED and crawls:
                continue
            quick = type(model) in KINDS or name in FEW
            marks = () if quick else pytest.mark.long
            yield pytest.param(
                estimator, check, marks=marks, id=f"{model!r}-{name}-{number}"
            )


@pytest.mark.parametrize(("estimator", "check"), [*all_checks()])
# The data of the checks are noise, most of which a small lam takes for errors.
@pytest.mark.filterwarnings("ignore::rnmf_tutorial.ScaleWarning")
@pytest.mark.slow
def test_scikit_learns_checks(estimator, check):
    if check.func.__name__ not in CONVERGED:
        estimator = clone(estimator).set_params(max_iter=20)
    elif (
        estimator.takes_negative
    ):  # and gets centered data, whose least objective is large
        estimator = clone(estimator).set_params(tol=1e-9)
    check(estimator)
