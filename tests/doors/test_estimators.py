"""What users call: parameters, data, stopping, callbacks, interrupts, progress, precision."""

import sys
import warnings
from contextlib import suppress

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.decomposition import NMF as SklearnNMF
from sklearn.decomposition._nmf import _beta_divergence
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import get_tags

import rnmf_tutorial as rt
from rnmf_tutorial import starts
from rnmf_tutorial.fitting import Solver, Update
from tests import problems
from tests.problems import hidden, near, positive

pytestmark = pytest.mark.filterwarnings("ignore")
each_estimator = pytest.mark.parametrize("model", problems.EVERY, ids=repr)
CLASSES = {type(model): model for model in problems.AND_GRAPHS}
each_class = pytest.mark.parametrize("model", CLASSES.values(), ids=repr)
each_choosing = pytest.mark.parametrize("model", problems.CHOOSING, ids=repr)
A = positive((11, 8), seed=0)
LABELS = [0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 1]
HIDDEN = hidden(A.shape, 0.3)
B = np.where(HIDDEN, np.nan, A)
W0 = np.ones((8, 2))


# -------------------------------------------------------- stopping, callbacks, progress


@each_estimator
def test_stops_by_its_rule_and_says_when_it_did_not(model):
    model = problems.with_sizes(model).set_params(
        tol=1e-4, max_iter=2000, random_state=0
    )
    Ht = model.fit_transform(A)
    history = model.objective_history_
    change = (np.abs(np.diff(history)) / history[:-1])[model.least_sweeps :]
    assert model.n_iter_ < 2000 and change[-1] <= 1e-4 and (change[:-1] > 1e-4).all()
    swept = clone(model).set_params(tol=0, max_iter=model.n_iter_)
    if getattr(model, "solver", "") == "cd" and not model.ends_encoded:
        # It keeps the coefficients that it held.
        assert np.array_equal(swept.fit_transform(A), Ht)
        assert np.array_equal(swept.objective_history_, history)
    name = type(model).__name__
    with pytest.warns(
        ConvergenceWarning, match=f"^{name} stopped at max_iter=2 .*raise max_iter"
    ):
        clone(model).set_params(max_iter=2, tol=1e-15, random_state=0).fit(A)


@each_estimator
def test_a_callback_gets_every_iterate_and_changes_no_fit_but_by_stopping_it(model):
    """Nor does it by computing with the same model and the same data."""
    seen = []
    data = B if model.takes_missing else A
    before = data.copy()
    model = problems.with_sizes(model).set_params(tol=0, random_state=0)
    watched = clone(model)

    def watch(iteration, W, H):
        assert iteration == len(seen)
        seen.append((W, H, W.copy(), H.copy()))
        assert np.isfinite(next(watched.sweeps(data)).objective)
        return iteration == 4

    watched.set_params(callback=watch).fit(data)
    assert watched.n_iter_ == 4 and len(seen) == 5
    alone = clone(model).set_params(max_iter=4).fit(data)
    np.testing.assert_array_equal(alone.objective_history_, watched.objective_history_)
    np.testing.assert_array_equal(alone.components_, watched.components_)
    for W, H, W_then, H_then in seen:
        np.testing.assert_array_equal(W, W_then)
        np.testing.assert_array_equal(H, H_then)
    np.testing.assert_array_equal(seen[-1][0].T, watched.components_)
    np.testing.assert_array_equal(data, before)


def test_only_a_fit_that_missed_its_tolerance_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before, after = (
            rt.NMF(2, max_iter=1, tol=0, random_state=0).fit(A).objective_history_
        )
        tol = 1.001 * (before - after) / before
        assert rt.NMF(2, tol=tol, random_state=0).fit(A).n_iter_ == 1
        rt.NMF(
            2, max_iter=5, tol=1e-12, callback=lambda iteration, *_: iteration == 2
        ).fit(A)
        assert rt.NMF(2, tol=1e-5).fit(np.zeros((4, 5))).n_iter_ == 1


def test_the_bar_knows_its_end_is_redrawn_by_the_clock_and_absent_unless_asked_for(
    capsys,
):
    model = rt.NMF(2, max_iter=200, tol=0, random_state=0).fit(A)
    assert capsys.readouterr().err == ""
    model.set_params(verbose=1).fit(A)
    told = capsys.readouterr().err
    assert "NMF" in told and "200/200" in told
    assert f"objective={model.objective_history_[-1]:.6g}" in told
    assert told.count("\r") < 100  # ten times a second, not for each sweep


class Interrupted:
    """A callback that interrupts a fit at the n-th line of the package's code after the start.

    Lines are counted up to the end of the third sweep.
    """

    def __init__(self, at=np.inf):
        self.at = at
        self.lines = 0
        self.before = sys.gettrace()

    def __call__(self, iteration, W, H):
        sys.settrace(self.trace if iteration < 3 else self.before)

    def trace(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(rt.__path__[0]):
            return None
        self.lines += event == "line"
        if self.lines == self.at:
            sys.settrace(self.before)
            raise KeyboardInterrupt
        return self.trace


def stopped(model, callback):
    """Return the model after a fit that the callback stopped or interrupted."""
    model = clone(model).set_params(callback=callback)
    if model.ends_encoded == "always":
        model.ends_encoded = False  # as an interrupted fit does not
    with suppress(KeyboardInterrupt):
        model.fit(A, LABELS)
    return model


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_an_interrupt_at_any_line_leaves_the_last_finished_sweep(model):
    """Every fitted attribute is that of a fit that was stopped after just these sweeps."""
    options = {"n_components": 2, "tol": 0, "random_state": 0, "max_iter": 3}
    model = problems.with_sizes(model).set_params(**options)
    counting = Interrupted()
    finished = [stopped(model, lambda k, *_, n=n: k == n) for n in range(3)]
    finished.append(stopped(model, counting))
    assert counting.lines > 30
    moments = np.random.default_rng(0).integers(1, counting.lines, 9)
    for moment in (1, *moments, counting.lines):
        torn = stopped(model, callback := Interrupted(moment))
        assert callback.lines == moment and sys.gettrace() is callback.before
        assert torn.n_iter_ == len(torn.objective_history_) - 1 < 3
        same_fits(torn, finished[torn.n_iter_])


def same_fits(one, other):
    """Fail if two models have different fitted attributes; a graph is not compared."""
    found = problems.shown(one)
    expected = problems.shown(other)
    assert found.keys() == expected.keys()
    for name in expected.keys() - {"graph_"}:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def interrupted(model, data=A):
    """Fit a model, which the test interrupts; return it."""
    with pytest.raises(KeyboardInterrupt):
        model.fit(data, LABELS)
    return model


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_an_interrupt_leaves_the_model_of_the_last_finished_sweep(model, monkeypatch):
    """In a callback, which is called after a sweep, and within the third sweep."""
    options = {"n_components": 2, "tol": 0, "random_state": 0, "max_iter": 9}
    model = problems.with_sizes(model).set_params(**options)
    expected = stopped(model, lambda number, W, H: number == 2)
    assert expected.n_iter_ == 2

    def interrupt_after_the_second_sweep(number, W, H):
        if number == 2:
            raise KeyboardInterrupt

    torn = clone(model).set_params(callback=interrupt_after_the_second_sweep)
    same_fits(interrupted(torn), expected)

    problem, _ = model._prepare(A, LABELS)
    kind = type(problem.solver)
    update = kind.update
    calls = []

    def interrupted_update(*given):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return update(*given)

    monkeypatch.setattr(kind, "update", interrupted_update)
    same_fits(interrupted(clone(model)), expected)
    assert len(calls) == 3


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_an_interrupt_before_the_first_item_leaves_a_fitted_model_whole(
    model, monkeypatch
):
    """The other data have fewer features, and an unfitted model stays unfitted."""
    options = {"n_components": 2, "random_state": 0, "max_iter": 3}
    model = problems.with_sizes(model).set_params(**options)
    fitted = clone(model).fit(A, LABELS)
    codes = fitted.transform(A)
    before = joblib.hash(vars(fitted))
    problem, _ = fitted._prepare(A, LABELS)

    def interrupted_value(*given, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(type(problem.loss), "total", interrupted_value)
        interrupted(fitted, A[:, :6])
        unfitted = interrupted(clone(model))
    assert joblib.hash(vars(fitted)) == before
    np.testing.assert_array_equal(fitted.transform(A), codes)
    assert problems.shown(unfitted) == {}
    with pytest.raises(NotFittedError):
        unfitted.transform(A)


def test_an_interrupted_robust_start_leaves_a_fitted_model_whole(monkeypatch):
    model = rt.HuberNMF(2, random_state=0).fit(A)
    before = joblib.hash(vars(model))

    def interrupted_fit(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(starts, "robust_fit", interrupted_fit)
    interrupted(model, A[:, :6])
    assert joblib.hash(vars(model)) == before


# ----------------------------------------------------------------- zeros, what is shown


@pytest.mark.parametrize("init", ["random", "nndsvda"])
@each_class
def test_zeros_are_fitted_by_zeros(model, init):
    model = clone(model).set_params(init=init, max_iter=50, tol=0, random_state=0)
    model.fit(np.zeros((4, 5)), [0, 0, 1, 1])
    assert model.objective_history_[-1] <= 1e-12
    assert model.transform(np.zeros((2, 5))).max() <= 1e-8


@pytest.mark.parametrize(
    "model", [rt.CSNMF(), rt.SupervisedNMF(), rt.ManifoldDiscriminativeNMF()], ids=repr
)
def test_an_objective_that_needs_labels_needs_a_fit(model):
    """It has no labels of its own, and says so; the model stays unfitted."""
    W, H = W0, np.ones((2, 11))
    name = type(model).__name__
    with pytest.raises(NotFittedError, match=f"^{name}.objective .* call fit with "):
        model.objective(A.T, W, H)
    with pytest.raises(NotFittedError):
        model.transform(A)
    model.set_params(random_state=0).fit(A, LABELS)
    assert np.isfinite(model.objective(A.T, W, H))


# ---------------------------------------------------------- as scikit-learn has them


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_the_reconstruction_error_is_that_of_the_last_sweep_without_weights(model):
    """Of observed entries only; of all entries of sparse data; of any number type."""
    options = {"n_components": 2, "max_iter": 5, "tol": 0, "random_state": 0}
    model = problems.with_sizes(model).set_params(**options)
    small = np.where(A < 0.5, 0, A)
    cases = [(A, A), (A.astype("f4"), A)]
    if model.takes_missing:
        cases.append((B, B))
    if model.takes_sparse:
        cases.append((csr_array(small), small))
    kinds = getattr(model, "loss", ""), getattr(model, "divergence", "")
    is_kl = "kullback-leibler" in kinds or type(model) is rt.ManifoldDiscriminativeNMF
    beta_loss = "kullback-leibler" if is_kl else "frobenius"
    for given, data in cases:
        fit = clone(model).fit(given, LABELS)
        *_, last = model.sweeps(given, LABELS)
        known = ~np.isnan(data)
        values = [data[known][:, None], (last.W @ last.H).T[known][:, None]]
        expected = _beta_divergence(
            values[0], values[1].astype(float), np.ones((1, 1)), beta_loss, True
        )
        assert type(fit.reconstruction_err_) is float
        rel = 1e-4 if given.dtype == np.float32 else 1e-9
        assert fit.reconstruction_err_ == pytest.approx(expected, rel=rel)
        assert fit.n_components_ == 2


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_the_reconstruction_error_is_that_of_scikit_learn(loss):
    W, H = W0 + A[:2].T, np.ones((2, 11)) + A.T[:2]
    options = {"solver": "mu", "max_iter": 20, "tol": 0}
    theirs = SklearnNMF(2, init="custom", beta_loss=loss, **options)
    theirs.fit_transform(A, W=np.array(H.T, order="C"), H=np.array(W.T, order="C"))
    ours = rt.NMF(2, init=(W, H), loss=loss, **options).fit(A)
    assert ours.n_components_ == theirs.n_components_
    assert ours.reconstruction_err_ == pytest.approx(theirs.reconstruction_err_)


# ------------------------------------------------------------------ before a fit

#: What needs a fit, and what it is called with.
AFTER_A_FIT = {
    "transform": (A,),
    "inverse_transform": (np.ones((11, 2)),),
    "score": (A,),
    "get_feature_names_out": (),
}


@pytest.mark.parametrize("kind", [*problems.every_class(), rt.MaskedSearchCV])
def test_before_a_fit_every_class_says_that_it_is_not_fitted(kind):
    """Also `objective` says so, or computes it, as its docstring has it."""
    model = kind()
    for method, given in AFTER_A_FIT.items():
        with pytest.raises(NotFittedError, match=r"fit"):
            getattr(model, method)(*given)
    if hasattr(model, "objective"):
        with suppress(NotFittedError):
            assert np.isfinite(model.objective(A.T, W0, np.ones((2, 11))))
    assert problems.shown(model) == {}


# ------------------------------------------------------------------ a known basis


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_a_known_basis_encodes_as_after_a_fit(model):
    """The model itself stays unfitted."""
    model = problems.with_sizes(model).set_params(random_state=0, max_iter=30)
    fitted = clone(model).fit(A, LABELS)
    model = problems.as_fitted(fitted)
    before = joblib.hash(vars(model))
    known = model.with_components(fitted.components_)
    data = B if model.takes_missing else A
    if getattr(model, "group", "") == "features":
        # Without a fit, no weights of features are known: all are equal.
        fitted.weights_ = np.ones_like(fitted.weights_)
    np.testing.assert_array_equal(known.transform(data), fitted.transform(data))
    assert known.score(data) == fitted.score(data)
    assert joblib.hash(vars(model)) == before


def test_a_known_basis_needs_numbers_and_is_checked():
    for model, name in (
        (rt.HuberNMF(2), "scale"),
        (rt.CSNMF(2, lam=0.1), "scale"),
        (rt.CappedNMF(2), "theta"),
        (rt.RobustNMF(2), "lam"),
        (rt.TruncatedCauchyNMF(2, scale=0.1, outliers="mad"), "outliers"),
    ):
        sentence = f"no data to estimate {name} from: give {name} as a number"
        with pytest.raises(ValueError, match=sentence):
            model.with_components(np.ones((2, 8)))
    model = rt.NMF(3)
    with pytest.raises(ValueError, match=r"Negative values in data .* components"):
        model.with_components(-np.ones((2, 8)))
    known = model.with_components(np.ones((2, 8)))
    assert known.n_components == known.n_components_ == 2
    assert known.transform(A).shape == (11, 2)
    with pytest.raises(ValueError, match="7 features"):
        known.transform(A[:, :7])


@pytest.mark.parametrize("kind", problems.every_class())
def test_a_known_basis_is_for_every_class_and_recovers_exact_mixtures(kind):
    """Those of the papers, too, once what they would estimate is a number."""
    sizes = {
        "scale": 0.1,
        "theta": 1.0,
        "lam": 0.1,
        "tol": 1e-9,
        "max_iter": 20000,
        "outliers": None,
    }
    model = kind()
    given = {name: sizes[name] for name in sizes if name in model.get_params()}
    basis = np.array([[1.0, 2.0, 0.0, 1.0, 0.0], [0.0, 1.0, 3.0, 1.0, 2.0]])
    H = np.array([[1.0, 2.0], [0.5, 0.0], [0.0, 3.0]])
    known = model.set_params(**given).with_components(basis)
    near(known.transform(H @ basis), H, rel=1e-3)
    near(known.inverse_transform(H), H @ basis)
    basis[:] = 0  # the model has its own
    assert known.components_.any()


def test_a_known_basis_in_a_frame_gives_names():
    names = ["iron", "zinc", "lead"]
    basis = pd.DataFrame([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]], ["ore", "slag"], names)
    samples = pd.DataFrame([[1.0, 3.0, 3.0]], ["monday"], names)
    known = rt.HuberNMF(2, scale=0.1).with_components(basis)
    assert known.feature_names_in_.tolist() == names
    codes = known.set_output(transform="pandas").transform(samples)
    pd.testing.assert_frame_equal(known.inverse_transform(codes), samples, rtol=1e-3)
    with pytest.raises(ValueError, match="must be in the same order"):
        known.transform(samples[names[::-1]])


# ------------------------------------------------------------------ refused


BAD = [
    ({"n_components": 9}, A, "9 is too large.*= 11 and n_feat.* = 8; take at most 8"),
    ({}, np.where(A > 0.9, np.inf, A), "contains infinity"),
    *(({}, A * unit, "another unit: divide them by 1e") for unit in (1e-160, 1e160)),
]


@each_class
def test_bad_parameters_bad_data_and_bad_new_samples(model):
    negative = (
        {},
        A - 0.5,
        r"(?s)Negative values .*\.fit:\n- feature 0: negative in \d of 11 rows",
    )
    for change, data, message in [*BAD, *[negative] * (not model.takes_negative)]:
        with pytest.raises((ValueError, TypeError), match=message):
            clone(model).set_params(**change).fit(data, LABELS)
    with pytest.raises(NotFittedError):
        clone(model).transform(A)
    model = clone(model).set_params(max_iter=5).fit(A, LABELS)
    for call, data, message in (
        *[(model.transform, A - 0.5, "Negative values.*transform")]
        * (not model.takes_negative),
        (model.transform, A[:, :7], "7 features"),
        (model.inverse_transform, np.ones((3, 5)), "5 columns; this model has 2"),
    ):
        with pytest.raises(ValueError, match=message):
            call(data)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="is too large"):
        model.fit(
            np.ones((1, 7)), LABELS[:1]
        )  # one rank too many: the fit before it stays whole
    assert vars(model) == before and model.transform(A).shape == (11, 2)


CHOICES = ("loss", "normalize", "solver", "divergence", "group", "encoding")
#: Values that a parameter of this name cannot have, of whatever model it is.
NOT_ALLOWED = {name: ["x"] for name in CHOICES} | {
    "n_components": [0, 2.5],
    "tol": [np.nan, -1.0],
    "lam": [-0.1, np.nan],
    "lam_theta": [-0.1],
    "scale": [0.0, np.inf, "x"],
    "theta": [-1.0],
    "outliers": ["x", True, -1.0, lambda *_: np.nan],
    "n_neighbors": [0],
    "init": ["x", (W0,), (W0.T, W0), (W0, -np.ones((2, 11)))],
}


@each_class
def test_a_value_that_a_parameter_cannot_have_is_refused_by_its_name(model):
    model = clone(model)
    if "lam_theta" in model.get_params():  # which a given lam replaces
        model.set_params(lam=None)
    for name in NOT_ALLOWED.keys() & model.get_params().keys():
        for value in NOT_ALLOWED[name]:
            with pytest.raises((ValueError, TypeError), match=name):
                clone(model).set_params(**{name: value}).fit(A, LABELS)


def test_what_leaves_the_range_of_numbers_is_an_error():
    with pytest.raises(ValueError, match=r"between 1\.5e-154 and 6\.7e\+153\. Give"):
        rt.HuberNMF(scale=1e200).fit(A)

    class Growing(Solver):
        def update(self, work, loss, comparison, memory):
            return Update(comparison.W * 1e200, comparison.H)

    class Overflowing(rt.NMF):
        def _solver(self, loss):
            return Growing()

    with pytest.raises(
        ValueError, match=r"objective became (inf|nan): .* another unit"
    ):
        Overflowing(2, max_iter=2).fit(A)


# ------------------------------------------------------------------ missing entries


@each_choosing
def test_a_missing_entry_has_no_error_and_weight_one_and_each_line_needs_one_known(
    model,
):
    """Also of a fit with a tolerance, which ends with other coefficients."""
    options = {"n_components": 3, "max_iter": 4, "tol": 1e-3, "random_state": 0}
    model = problems.with_sizes(model).set_params(**options).fit(B)
    for name in ("error_", "outliers_"):
        assert not np.any(getattr(model, name, np.zeros(A.shape))[HIDDEN])
    if np.ndim(getattr(model, "weights_", 0)) == 2:
        assert (
            model.weights_[HIDDEN] == 1
        ).all()  # exactly: filled at the factors of the end
    no_feature = A.copy()
    no_sample = A.copy()
    no_feature[:, 4] = no_sample[[2, 5, 6]] = np.nan
    assert np.isfinite(model.transform(no_feature)).all()  # the others tell
    for call, data, message in (
        (model.transform, no_sample, r"\.transform have no entry at all in sample 2"),
        (model.fit, no_sample, r"no entry at all in sample 2 and 2 more; leave such"),
        (
            model.fit,
            no_feature,
            r"\.fit have no entry at all in feature 4; leave such f",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            call(data)


REFUSING = [
    *(m for m in problems.ESTIMATORS if not m.takes_missing),
    *problems.GRAPH_ESTIMATORS,
]


@pytest.mark.parametrize("model", REFUSING, ids=repr)
def test_the_others_say_who_takes_missing_entries(model):
    names = [
        *dict.fromkeys(type(m).__name__ for m in problems.ESTIMATORS if m.takes_missing)
    ]
    said = f"contains NaN, but {type(model).__name__} takes no missing entries; take "
    fitted = clone(model).set_params(max_iter=3).fit(A, LABELS)
    for call in (lambda: fitted.transform(B), lambda: clone(model).fit(B, LABELS)):
        with pytest.raises(ValueError, match=said) as caught:
            call()
        assert all(name in str(caught.value) for name in names)
    assert not get_tags(model).input_tags.allow_nan


def test_tags_say_who_takes_them_and_what_types_are_kept():
    assert all(get_tags(model).input_tags.allow_nan for model in problems.CHOOSING)
    names = {
        type(m).__name__ for m in problems.EVERY if get_tags(m).input_tags.positive_only
    }
    assert {
        "LocalNMF",
        "RegularizedNMF",
        "L1NMF",
    } <= names  # and those with "mu" or a divergence
    assert not {"NeNMF", "TruncatedCauchyNMF"} & names
    assert get_tags(rt.NMF()).transformer_tags.preserves_dtype == ["float64", "float32"]


@pytest.mark.parametrize(
    "model", [rt.NMF(), rt.L21NMF(), rt.HuberNMF(scale=0.2)], ids=repr
)
def test_a_score_is_minus_the_mean_size_of_the_errors_over_the_known_entries(model):
    """And where an entry is missing, the codes are those of the product in its place."""
    model = clone(model).set_params(max_iter=500, tol=1e-12, random_state=0).fit(A)
    codes = model.transform(B)
    filled = np.where(HIDDEN, model.inverse_transform(codes), A)
    np.testing.assert_allclose(model.transform(filled), codes, rtol=0, atol=1e-6)
    for data in (B, np.ma.masked_array(np.where(HIDDEN, 99.0, A), HIDDEN), A):
        known = ~HIDDEN if data is not A else np.ones(A.shape, bool)
        errors = np.abs(A - model.inverse_transform(model.transform(data)))[known]
        assert model.score(data) == pytest.approx(-errors.mean(), rel=1e-12)
