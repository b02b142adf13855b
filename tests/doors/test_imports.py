"""The papers' boxes need NumPy alone, and every public name is there when it is asked for."""

import ast
import os
import pickle
import subprocess
import sys
import typing

import pytest

import rnmf_tutorial
from rnmf_tutorial import losses
from tests.project import ROOT


def ran(code):
    """Return what Python says with the repository first on its path."""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_the_boxes_are_imported_where_there_is_only_numpy():
    """A module that is None in sys.modules cannot be imported."""
    blocked = ["sklearn", "scipy", "pandas", "matplotlib", "joblib", "IPython", "dask"]
    code = f"""
import sys
sys.modules.update(dict.fromkeys({blocked}))
from rnmf_tutorial import papers
import numpy as np
W, H = next(papers.zhang.lee_seung(np.ones((2, 3)), np.ones((2, 1)), np.ones((1, 3))))
print(*(name for name in sys.modules if name.startswith("rnmf_tutorial.")))
"""
    assert all(name.startswith("rnmf_tutorial.papers") for name in ran(code))
    with pytest.raises(AssertionError, match=r"sklearn|scipy"):
        ran(code + "from rnmf_tutorial import NMF")


@pytest.mark.slow
def test_nothing_of_the_package_needs_matplotlib_nor_dask_before_it_is_asked_for():
    code = f"""
import sys
sys.modules.update(dict.fromkeys({["matplotlib", "ipywidgets", "IPython", "dask"]}))
from rnmf_tutorial import *
from rnmf_tutorial import checks, data, measures, papers, selection
A = data.load_orl(size=(7, 6)).data[:20]
model = HuberNMF(2, max_iter=2, tol=0, scale=0.1, random_state=0).fit(A)
selection.suspects(model, A)
selection.planted_errors(model, A, random_state=0)
print(model.components_.shape == (2, 42))
"""
    assert ran(code) == ["True"]


#: What a browser's Python, such as Pyodide, may not have, and what only some functions use.
SOMETIMES = ["pandas", "pooch", "requests", "ipywidgets", "matplotlib", "dask"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "imports",
    [
        "import rnmf_tutorial",
        "from rnmf_tutorial import NMF, MaskedSearchCV",
        "import rnmf_tutorial.data",
        "from rnmf_tutorial import checks, measures, published, selection",
    ],
)
def test_an_import_needs_no_package_that_only_some_functions_use(imports):
    """It works without them, and where they are it imports none; scikit-learn imports pandas."""
    absent = f"import sys; sys.modules.update(dict.fromkeys({SOMETIMES})); "
    ran(absent + imports)
    shown = f"import sys; print(*(name for name in {SOMETIMES} if name in sys.modules))"
    assert set(ran(f"{imports}; {shown}")) <= {"pandas"}


@pytest.mark.slow
def test_where_these_packages_are_not_fits_searches_and_data_work():
    """What needs one of them says which."""
    code = f"""
import os, sys
sys.modules.update(dict.fromkeys({SOMETIMES}))
os.environ.pop("RNMF_TUTORIAL_DATA", None)
os.environ.pop("RNMF_TUTORIAL_CACHE", None)
import numpy as np
from rnmf_tutorial import HuberNMF, MaskedSearchCV, NMF, data, measures, selection
A = data.toy_houses(random_state=0).data
A[0, 0] = np.nan
HuberNMF(2, max_iter=2, tol=0, scale=0.1).fit(A).transform(A)
candidates = [NMF(2, max_iter=2, tol=0), NMF(3, max_iter=2, tol=0)]
search = MaskedSearchCV(candidates, random_state=0).fit(A)
assert sorted(search.cv_results_["rank_test_score"]) == [1, 2]
print(data.available("yaleb"))
try:
    data.fetch("yaleb")
except data.DatasetNotAvailable as error:
    assert "pip install pooch" in str(error), error
try:
    selection.suspects(search, A)
except ImportError as error:
    print(error.name)
"""
    assert ran(code) == ["False", "pandas"]


def test_every_public_name_is_found_listed_pickled_and_seen_by_a_type_checker(
    monkeypatch,
):
    exec("from rnmf_tutorial import *", names := {})
    monkeypatch.setattr(typing, "TYPE_CHECKING", True)  # its imports run nowhere else
    source = (ROOT / "rnmf_tutorial" / "__init__.py").read_text(encoding="utf-8")
    exec(compile(source, "rnmf_tutorial", "exec"), seen := {})
    for listed in (dir(rnmf_tutorial), names, seen):
        assert set(rnmf_tutorial.__all__) <= set(listed)
    for name in set(rnmf_tutorial.__all__) - {"__version__"}:
        value = getattr(rnmf_tutorial, name)
        assert value.__name__ == name and seen[name] is value
        assert pickle.loads(pickle.dumps(value)) is value
    for value in (
        losses.SQUARES,
        losses.KULLBACK_LEIBLER,
    ):  # which code compares by `is`
        assert pickle.loads(pickle.dumps(value)) is value
    with pytest.raises(AttributeError, match="no attribute 'KMeans'"):
        _ = rnmf_tutorial.KMeans


#: Functions whose second argument is the name of an attribute.
BY_NAME = ("getattr", "hasattr", "setattr")


def private_names(source):
    """Return the private names of other objects and modules that a source uses.

    An object may use its own: `self._name`. Names with two underscores at both ends are
    part of the language.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id == "self"
            names = [] if own else [node.attr]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in BY_NAME:
            names = [x.value for x in node.args[1:2] if isinstance(x, ast.Constant)]
        found += [x for x in names if x.startswith("_") and not x.endswith("__")]
    return found


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / "rnmf_tutorial" / "selection").glob("*.py")),
    ids=lambda path: path.name,
)
def test_selection_uses_public_names_only(path):
    """Whoever writes a layer of their own on the estimators can do what `selection` does."""
    assert private_names(path.read_text(encoding="utf-8")) == []


def test_private_names_are_found():
    source = (
        "model._loss(1); getattr(model, '_samples', None); self._own; model.__class__"
    )
    source += "\nfrom rnmf_tutorial.base import _hidden"
    assert sorted(private_names(source)) == ["_hidden", "_loss", "_samples"]
