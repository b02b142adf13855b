"""Every public name has a complete numpydoc docstring with an example that runs."""

import doctest
import inspect
import pkgutil
from importlib import import_module

import pytest
from numpydoc.validate import validate

import rnmf_tutorial
from rnmf_tutorial.data import load_ar

#: What numpydoc asks for and we do not, and why.
IGNORED = {
    "GL01": "our docstrings begin on the line of their quotes, as ruff and PEP 257 have it",
    "ES01": "where one sentence says it, a second would only repeat it",
    "SA01": "the pages of the reference list neighbors side by side",
    "RT03": "of a function that returns one thing, the first line says what it is",
}
#: Chapters show these methods whole: their arguments stand once in BaseNMF and in the notation.
IGNORED_IN_METHODS = {*IGNORED, "EX01", "PR01", "RT01"}
#: The symbols of the page "Notation" and the words of scikit-learn: type and shape are enough.
SYMBOLS = {*"ABEFHQWXYy", "HHt", "Ht", "F_test", "F_train", "random_state", "ax", "dtype", "labels"}


def needs_a_download(value):
    """Whether a function needs data that may not be here: its examples then cannot run."""
    return value is load_ar or "(fetch(" in inspect.getsource(value)


def public_objects():
    """Every function and class that some ``__all__`` names, once, by its full name."""
    modules = [
        name
        for _, name, _ in pkgutil.walk_packages(rnmf_tutorial.__path__, "rnmf_tutorial.")
        if not name.endswith("__main__")
    ]
    found = {}
    for module in map(import_module, ["rnmf_tutorial", *modules]):
        for name in getattr(module, "__all__", []):
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                found[f"{value.__module__}.{value.__name__}"] = value
    return found


OBJECTS = public_objects()
METHODS = [
    f"{full}.{name}"
    for full, value in OBJECTS.items()
    if inspect.isclass(value)
    for name, member in vars(value).items()
    if not name.startswith("_")
    and (inspect.isfunction(member) or isinstance(member, (property, staticmethod, classmethod)))
]


def faults(name, ignored):
    for code, message in validate(name)["errors"]:
        symbol = code == "PR07" and message.split('"')[1] in SYMBOLS
        if code not in ignored and not symbol:
            yield f"{code}: {message}"


@pytest.mark.parametrize("name", OBJECTS)
def test_public_object_is_documented(name):
    assert list(faults(name, IGNORED)) == []


@pytest.mark.parametrize("name", METHODS)
def test_public_method_is_documented(name):
    assert list(faults(name, IGNORED_IN_METHODS)) == []


@pytest.mark.parametrize("name", [x for x in OBJECTS if not needs_a_download(OBJECTS[x])])
def test_example_runs(name):
    """At least one line of the example is run by the doctests, not skipped."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(OBJECTS[name]) or "")
    run = [one for one in examples if not one.options.get(doctest.SKIP)]
    assert len(run) >= 1


def test_faults_are_found():
    def undocumented(A, sigma):
        """Add noise"""

    globals()["undocumented"] = undocumented
    found = {fault[:4] for fault in faults(f"{__name__}.undocumented", IGNORED)}
    assert {"SS03", "PR01", "EX01"} <= found
