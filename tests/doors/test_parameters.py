"""Parameters that cannot be: an error of the class that names them, before anything is computed."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import rnmf_tutorial as rt
from tests import problems

RNG = np.random.default_rng(0)
A = RNG.uniform(0.1, 1, (11, 8))
LABELS = np.arange(11) % 3
W0 = problems.positive((8, 2), 1)
H0 = problems.positive((2, 11), 2)
each_class = pytest.mark.parametrize("kind", problems.every_class())
NUMBERS = ("n_components", "max_iter", "tol", "scale", "theta", "lam", "n_neighbors")


@each_class
def test_truth_values_and_auto_are_no_numbers_and_a_callback_is_called(kind):
    known = kind().get_params()
    for value in (True, np.True_):
        for name in NUMBERS:
            if name in known:
                with pytest.raises(TypeError, match=f"^{kind.__name__}: {name}=True"):
                    kind(**{name: value}).fit(A, LABELS)
    with pytest.raises(TypeError, match=r"n_components='auto' .*range\(1, 9\)"):
        kind(n_components="auto").fit(A, LABELS)
    with pytest.raises(TypeError, match=f"^{kind.__name__}: callback='x' cannot be"):
        kind(callback="x").fit(A, LABELS)


@each_class
def test_scalars_of_numpy_are_numbers(kind):
    given = kind().set_params(n_components=2, max_iter=3, tol=0.0, random_state=0)
    for name in ("scale", "theta", "lam"):
        if isinstance(getattr(given, name, None), float):
            given.set_params(**{name: 0.5})
    scalars = {
        "n_components": np.int32(2),
        "max_iter": np.uint8(3),
        "tol": np.float32(0),
    }
    for name in ("scale", "theta", "lam"):
        if getattr(given, name, None) == 0.5:
            scalars[name] = np.float32(0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = clone(given).set_params(**scalars).fit(A, LABELS)
    expected = clone(given).fit(A, LABELS)
    # Squares of a float32 number are rounded once more.
    np.testing.assert_allclose(found.components_, expected.components_, rtol=1e-6)


def _models():
    every = [*problems.AND_GRAPHS, *(kind() for kind in problems.every_class())]
    return {f"{type(m).__module__}.{m!r}": m for m in every}


@pytest.mark.parametrize("model", _models().values(), ids=_models())
def test_a_start_that_cannot_move_is_an_error_or_moves(model):
    """Zeros in both factors never move; zeros in one do where a square problem is solved."""
    model = problems.with_sizes(model).set_params(max_iter=3, tol=0, n_components=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for init in ((0 * W0, 0 * H0), (0 * W0, H0), (W0, 0 * H0)):
            fit = clone(model).set_params(init=init)
            try:
                fit.fit(A, LABELS)
            except ValueError as error:
                begin = f"{type(model).__name__}: init has zeros only"
                assert str(error).startswith(begin)
                assert problems.shown(fit) == {}
            else:
                assert fit.components_.any()
                assert init[0].any() or init[1].any()
        fit = clone(model).set_params(init=(1e200 * W0, 1e200 * H0))
        with pytest.raises(ValueError, match=r"W0 @ H0 in init has entries up to inf"):
            fit.fit(A, LABELS)
        clone(model).set_params(init=(W0, H0)).fit(A, LABELS)


def test_a_start_of_equal_components_is_named_where_updates_keep_it():
    alike = (np.ones_like(W0), np.ones_like(H0))
    options = {"max_iter": 5, "tol": 0}
    with pytest.warns(
        UserWarning, match="NMF: all components of init are equal"
    ) as got:
        model = rt.NMF(2, solver="mu", init=alike, **options).fit(A)
    assert {w.filename for w in got} == {__file__}
    np.testing.assert_allclose(*model.components_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rt.NMF(2, solver="cd", init=alike, **options).fit(A)
        rt.NMF(1, solver="mu", init=(W0[:, :1], H0[:1]), **options).fit(A)
        rt.NMF(2, solver="mu", init=(W0, H0), **options).fit(A)


def test_a_wrong_start_is_refused_with_the_name_of_the_class():
    for init, says in (
        ((W0.T, H0), r"W0 in init has shape \(2, 8\); it must be \(8, 2\)"),
        ((W0,), "init must hold two arrays"),
        ("x", "init='x' is not known"),
    ):
        with pytest.raises(ValueError, match=f"^HuberNMF: {says}"):
            rt.HuberNMF(2, init=init).fit(A)


@pytest.mark.parametrize(
    "model", [rt.HuberNMF(3), rt.CauchyNMF(3), rt.RobustNMF(3)], ids=repr
)
def test_ratios_do_not_keep_the_zeros_that_coordinate_descent_left(model):
    """The start for a scale has zeros; entries that should be positive become so."""
    model.set_params(solver="mu", max_iter=300, tol=0, random_state=0)
    W = problems.positive((12, 3), 3) * (RNG.random((12, 3)) < 0.6)
    H = problems.positive((3, 30), 4) * (RNG.random((3, 30)) < 0.6)
    data = (W @ H).T + 0.01 * RNG.random((30, 12))
    start = model.robust_start(data)
    assert (start.W == 0).any() and (start.H == 0).any()
    first = next(model.sweeps(data))
    assert (first.W > 0).all() and (first.H > 0).all()
    np.testing.assert_allclose(first.W, start.W, atol=1e-5 * start.W.max())


def test_a_search_on_some_samples_leaves_no_feature_empty():
    data = RNG.uniform(1, 2, (60, 5))
    data[2:, 3] = np.nan  # only the first two samples have these
    data[:58, 4] = np.nan  # and only the last two these
    candidates = [rt.NMF(1, max_iter=5, tol=0, random_state=0)]
    for seed in range(5):
        search = rt.MaskedSearchCV(candidates, max_samples=10, random_state=seed)
        search.fit(data)
    data = np.where(np.eye(60, dtype=bool), 1.0, np.nan)[:, :50]
    data[50:] = 1.0  # five of the first samples have a feature that no other has
    data[50:, :5] = np.nan
    few = rt.MaskedSearchCV(candidates, max_samples=4, random_state=0)
    with pytest.raises(ValueError, match="max_samples=4 is too small: each feature"):
        few.fit(data)
    few.set_params(max_samples=30).fit(data)


def test_a_search_names_ranks_that_are_none():
    for rank in ("auto", True, [True, 2]):
        with pytest.raises(
            TypeError, match=r"of int, not (str|bool)\. To try .*range\(1, 9\)"
        ):
            rt.MaskedSearchCV(n_components=rank).fit(A)


KERNEL = """
import sys, warnings
sys.modules["ipywidgets"] = None
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
InteractiveShell.instance(config=Config({"IPKernelApp": {"x": 1}}))
warnings.simplefilter("error")
import rnmf_tutorial
rnmf_tutorial.MaskedSearchCV
rnmf_tutorial.NMF(1, verbose=1, max_iter=2, tol=0).fit([[1.0, 2.0], [2.0, 1.0]])
"""


def test_the_first_import_in_a_kernel_without_widgets_is_silent():
    pytest.importorskip("IPython")
    subprocess.run([sys.executable, "-c", KERNEL], check=True, capture_output=True)
