"""scikit-learn's own checks of an estimator pass for every class with its defaults.

All of `check_estimator` runs for one class of each kind: without labels, with labels,
with labels if there are some. The other classes share that code and run a few checks;
`-m long` runs all.
"""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import rnmf_tutorial
from rnmf_tutorial import CSNMF, MCCGR, published
from rnmf_tutorial.base import BaseNMF

KINDS = rnmf_tutorial.NMF, CSNMF, MCCGR
FEW = ["check_no_attributes_set_in_init", "check_estimators_pickle"]
FEW += ["check_fit2d_predict1d", "check_n_features_in_after_fitting"]
# `fit_transform` and `transform` have to agree.
FEW += ["check_transformer_general", "check_transformer_data_not_an_array"]


def every_class():
    """Return each class of the package and of `published`, once."""
    modules = [rnmf_tutorial, *published.PAPERS.values()]
    exported = [getattr(module, name) for module in modules for name in module.__all__]
    kinds = [kind for kind in exported if isinstance(kind, type)]
    return dict.fromkeys(kind for kind in kinds if issubclass(kind, BaseNMF))


def all_checks():
    for kind in every_class():
        for number, (estimator, check) in enumerate(estimator_checks_generator(kind())):
            name = check.func.__name__
            if (
                name == "check_array_api_input"
            ):  # needs the environment variable SCIPY_ARRAY_API
                continue
            marks = () if kind in KINDS or name in FEW else pytest.mark.long
            label = f"{kind.__module__}.{kind.__name__}-{name}-{number}"
            yield pytest.param(
                estimator, check, marks=marks, id=label.removeprefix("rnmf_tutorial.")
            )


@pytest.mark.parametrize(("estimator", "check"), [*all_checks()])
# The data of the checks are noise, most of which a small lam takes for errors.
@pytest.mark.filterwarnings("ignore::rnmf_tutorial.ScaleWarning")
@pytest.mark.slow
def test_scikit_learns_checks(estimator, check):
    check(estimator)
