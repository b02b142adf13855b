"""What users import is typed, and has a complete numpydoc docstring with an example."""

import doctest
import inspect
import re
from importlib import import_module

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

from rnmf_tutorial import papers
from rnmf_tutorial.base import BaseNMF
from tests.project import ROOT, load_module

exported = load_module(ROOT / "book" / "_ext" / "public_names.py").exported
#: What the reference documents.
PUBLIC = [
    "rnmf_tutorial",
    *(f"rnmf_tutorial.papers.{name}" for name in papers.__all__),
    *(f"rnmf_tutorial.{x}" for x in ("selection", "checks", "data", "measures")),
]
#: What a user calls on an estimator; its page in the reference shows these.
METHODS = [
    "fit",
    "fit_transform",
    "transform",
    "inverse_transform",
    "score",
    "sweeps",
    "with_components",
    "robust_start",
]

#: What numpydoc asks for and we do not, and why.
IGNORED = {
    "GL01": "our docstrings begin on the line of their quotes, as ruff and PEP 257 have it",
    "ES01": "where one sentence says it, a second would only repeat it",
    "SA01": "the pages of the reference list neighbors side by side",
    "RT03": "of a function that returns one thing, the first line says what it is",
}
#: The symbols of the page "Notation" and the words of scikit-learn: type and shape are
#: enough.
SYMBOLS = {
    *"ABEFHQWXYy",
    "HHt",
    "Ht",
    "F_test",
    "F_train",
    "random_state",
    "ax",
    "dtype",
    "labels",
}


def name_of(value):
    return f"{value.__module__}.{value.__qualname__}"


PARTS = [x for module in PUBLIC for x in exported(import_module(module)).values()]
OBJECTS = {name_of(x): x for x in PARTS if inspect.isclass(x) or inspect.isfunction(x)}
CALLED = [
    getattr(x, method)
    for x in OBJECTS.values()
    for method in METHODS
    if hasattr(x, method)
]
OF_ESTIMATORS = {
    name_of(x): inspect.unwrap(x) for x in CALLED if "rnmf_" in x.__module__
}
#: What py.typed promises: a type checker finds no gap. The boxes of the papers take and
#: return arrays, and have the signatures of the printed page.
UNTYPED = re.compile(r"rnmf_tutorial\.papers\b")


def runs(value):
    """Whether the doctests run a line of its example; data that may not be here run none."""
    if "(fetch(" in inspect.getsource(value):
        return True
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(value) or "")
    return any(not one.options.get(doctest.SKIP) for one in examples)


@pytest.mark.parametrize("name", sorted(OBJECTS | OF_ESTIMATORS))
def test_what_users_import_or_call_is_documented_with_an_example_that_runs_and_typed(
    name,
):
    """Of a method the example is that of its class."""
    method = name in OF_ESTIMATORS
    value = (OF_ESTIMATORS | OBJECTS)[name]
    ignored = {*IGNORED, "EX01"} if method else IGNORED
    faults = [x for x in validate(name)["errors"] if x[0] not in ignored]
    assert [
        x for x in faults if x[0] != "PR07" or x[1].split('"')[1] not in SYMBOLS
    ] == []
    assert method or runs(value)
    doc = inspect.getdoc(value)
    assert "{{" not in doc and doc.count("{") == doc.count(
        "}"
    )  # of a template, none is left
    if inspect.isfunction(value) and not UNTYPED.match(name):
        names = {*inspect.signature(value).parameters, "return"} - {"self"}
        assert names - value.__annotations__.keys() == set()


#: What means the same in every estimator that has it. (`tol` does not: some models end
#: with other coefficients.)
SHARED = [
    "n_components",
    "init",
    "max_iter",
    "random_state",
    "callback",
    "verbose",
    "divergence",
]
#: What every estimator has after a fit.
ALWAYS_FITTED = [
    "n_iter_",
    "n_components_",
    "reconstruction_err_",
    "sample_names_in_",
]


def test_a_shared_parameter_has_the_same_text_in_every_estimator():
    """So has an attribute that a fit of every estimator sets."""
    texts = {}
    for value in OBJECTS.values():
        if not (inspect.isclass(value) and issubclass(value, BaseNMF)):
            continue
        doc = NumpyDocString(inspect.getdoc(value))
        for name, _, lines in doc["Parameters"] + doc["Attributes"]:
            if name in SHARED + ALWAYS_FITTED:
                texts.setdefault(name, {}).setdefault("\n".join(lines), []).append(
                    value
                )
        assert set(ALWAYS_FITTED) <= {name for name, _, _ in doc["Attributes"]}
    assert set(texts) == {*SHARED, *ALWAYS_FITTED}
    for name, variants in texts.items():
        assert len(variants) == 1, f"{name} has {len(variants)} texts: {variants}"
