"""What a change of the data must do to a fit, of every exported estimator, by its public face.

Another order, another unit, rows of zeros, another dtype, labels by another name, other
samples.
"""

import numpy as np
import pytest
from sklearn.base import clone

import rnmf_tutorial as rt
from rnmf_tutorial import fitting, starts
from rnmf_tutorial.fitting import Work, encode
from rnmf_tutorial.losses import Comparison, Huber, WeightedLoss
from rnmf_tutorial.solvers import CoordinateDescent
from rnmf_tutorial.starts import compute_robust_start, initialize
from tests import problems
from tests.problems import hidden, near, positive

pytestmark = pytest.mark.filterwarnings("ignore")


def spoiled(shape=(14, 11)):
    """Noise, gross errors and zeros; the mean is about one."""
    rng = np.random.default_rng(0)
    A = rng.exponential(size=(shape[0], 2)) @ rng.exponential(size=(2, shape[1])) / 2
    A += 0.05 * rng.random(shape)
    A[rng.random(shape) < 0.1] = 6
    A[rng.random(shape) < 0.1] = 0
    return A


A, Y = spoiled(), np.arange(14) % 3
W0, H0 = positive((11, 2), 1), positive((2, 14), 2)


def run(model, A, y=Y, **options):
    options = {"n_components": 2, "max_iter": 10, "tol": 0, "random_state": 0} | options
    model = clone(model).set_params(**options)
    return model, model.fit_transform(A, y[: len(A)])


# ----------------------------------------------------------- one fit, told in many ways

FEATURES, SAMPLES = (np.random.default_rng(n).permutation(n) for n in (11, 14))
NAMES = np.array(["c", "a", "b"])[Y[SAMPLES]]


def strided(A):
    """Return every second entry of a larger array, in columns, which may not be written."""
    view = np.kron(A.T, [[1, 0], [0, 0]]).T[::2, ::2]
    view.flags.writeable = False
    return view


#: What is done to the data, the labels, W and H, and to how many digits the fit is the
#: same.
CHANGES = {
    "samples": (
        lambda A: strided(A[SAMPLES]),
        NAMES,
        lambda W, H: (W, H[:, SAMPLES]),
        1e-6,
    ),
    "features": (lambda A: A[:, FEATURES], Y, lambda W, H: (W[FEATURES], H), 1e-6),
    "precision": (lambda A: A.astype("f4"), Y, lambda W, H: (W, H), 2e-3),
}


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_a_change_of_the_data_changes_the_fit_alike_and_the_data_stay_as_they_were(
    model,
):
    model = problems.with_sizes(model)
    one, F = run(model, A, init=(W0, H0), max_iter=5)
    for change, (change_data, labels, pair, rel) in CHANGES.items():
        data = change_data(A)
        other, G = run(model, data, labels, init=pair(W0, H0), max_iter=5)
        np.testing.assert_array_equal(data, change_data(A), err_msg=change)
        W, H = pair(one.components_.T, F.T)
        near(G @ other.components_, (W @ H).T, rel)
        if change != "precision":
            near(other.components_, W.T, rel)
            continue
        for name, value in problems.shown(other).items():
            if np.ndim(value) and name not in ("objective_history_", "lam_"):
                assert value.dtype in ("f4", "bool"), name
        assert G.dtype == other.transform(data).dtype == "f4"
        assert other.transform(A).dtype == "f8"
    again = one.components_
    near(one.fit(A, Y).components_, again, 1e-12)


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_a_sample_is_encoded_alone_as_among_others_whatever_they_are(model):
    """Each stops when it has converged, whenever the others do."""
    gone = hidden((10, 11), 0.2) & model.takes_missing
    new = np.where(gone, np.nan, spoiled((24, 11))[14:])
    model, _ = run(problems.with_sizes(model), A)
    model.set_params(tol=1e-3, max_iter=100)
    together = model.transform(new)
    new[::2] = 100 * new[::2]
    near(model.transform(new[[1]]), together[[1]])
    near(model.transform(new[::-1])[::-1][1::2], together[1::2])


# ------------------------------------------------------------------ units

GRAPHS = [type(model)() for model in problems.GRAPH_ESTIMATORS]
#: Those without a size in the units of the data.
DEFAULTS = [
    model
    for model in problems.ESTIMATORS
    if 1.0 not in (getattr(model, "lam", None), getattr(model, "scale", None))
] + GRAPHS


def ignoring_zeros(model):
    """Return the model, with "cd" if "mu" would take a published scale, zeros and all."""
    if model.solver == "mu" and getattr(model, "scale", None) == "published":
        return clone(model).set_params(solver="cd")
    return model


CHOOSING = [ignoring_zeros(model) for model in DEFAULTS if hasattr(model, "solver")]
SIZES = ["lam_", "scale_", "theta_", "threshold_"]
#: In the unit of the data, where it is not the first.
POWERS = {rt.CSNMF: -1, rt.MCCGR: -1, rt.RegularizedNMF: 2}
WITHOUT_UNIT = rt.ManifoldDiscriminativeNMF, rt.RobustManifoldNMF


@pytest.mark.parametrize("model", DEFAULTS, ids=repr)
@pytest.mark.parametrize(
    ("init", "unit", "dtype"),
    [
        ("random", 2.0**20, "f8"),
        pytest.param("nndsvda", 2.0**-20, "f4", marks=pytest.mark.slow),
    ],
)
def test_a_fit_by_default_is_that_of_another_unit(model, init, unit, dtype):
    """Scaling by a power of four changes no digit of the data, nor of the start point."""
    B = A.astype(dtype)
    rel = 1e-12 if dtype == "f8" else 1e-5
    unit = B.dtype.type(unit)
    (one, F), (other, G) = (run(model, c * B, init=init) for c in (1, unit))
    near(G @ other.components_, unit * (F @ one.components_), rel)
    F, G = (
        m.set_params(tol=1e-4).transform(c * B[:5])
        for m, c in ((one, 1), (other, unit))
    )
    near(
        G @ other.components_, unit * (F @ one.components_), rel
    )  # after as many steps
    for name in SIZES:
        if hasattr(one, name) and type(model) not in WITHOUT_UNIT:
            power = POWERS.get(type(model), 1) if name == "lam_" else 1
            expected = pytest.approx(unit**power * getattr(one, name), rel=1e-4)
            assert getattr(other, name) == expected


@pytest.mark.parametrize("model", problems.EVERY, ids=repr)
@pytest.mark.parametrize(
    "exponent, dtype", [(-245, "f8"), (299, "f8"), (-23, "f4"), (40, "f4")]
)
@pytest.mark.long
def test_a_fit_of_given_sizes_is_that_of_a_unit_near_overflow(model, exponent, dtype):
    """Where only a floor, or an overflow, could make it differ."""
    B = positive((11, 8), 0).astype(dtype)
    options = {"max_iter": 5}
    B[3, 4] = B[7, 1] = 4
    if isinstance(model, rt.RegularizedNMF):
        options["lam_theta"] = 0.1
    found = []
    for unit in (B.dtype.type(1), B.dtype.type(2.0**exponent)):
        fitted, F = run(problems.in_units(model, float(unit)), unit * B, **options)
        codes = fitted.set_params(max_iter=10).transform(unit * B[:3])
        found.append(np.vstack([F, codes]) @ (fitted.components_ / unit))
    near(found[1], found[0], 1e-7 if dtype == "f8" else 0.1)


def test_the_graphs_weigh_what_was_published_on_data_of_mean_one():
    B = A / A[A > 0].mean()
    for Model, lam in ((rt.CSNMF, 1e-5), (rt.SupervisedNMF, 1e-5), (rt.MCCGR, 1.0)):
        (one, F), (_, G) = (
            run(Model(**given), B, max_iter=25) for given in ({}, {"lam": lam})
        )
        assert one.lam_ == pytest.approx(lam, rel=1e-14)
        assert np.allclose(F, G, rtol=1e-9)


# ------------------------------------------------------------------ start points


@pytest.mark.parametrize("init", ["nndsvd", "nndsvda", "nndsvdar"])
def test_a_start_by_singular_values_is_finite_and_scikit_learns_where_the_largest_is_one(
    init,
):
    """In another unit both factors are as large as the root of the unit says."""
    from sklearn.decomposition._nmf import _initialize_nmf

    X = spoiled().T / spoiled().max()
    theirs = _initialize_nmf(X, 3, init=init, random_state=0)
    for unit in (1.0, 255.0, 1e-6):
        for V, U in zip(
            initialize(unit * X, 3, init, random_state=0), theirs, strict=True
        ):
            np.testing.assert_allclose(
                V, np.sqrt(unit) * U, rtol=1e-9, atol=1e-12 * np.sqrt(unit)
            )

    W, H = initialize(X - 0.1, 3, random_state=0)
    assert (W @ H).mean() == pytest.approx(np.maximum(X - 0.1, 0).mean(), rel=1e-9)
    for seed in range(
        20
    ):  # of lower rank: of a value that is rounding, no half has anything
        rng = np.random.default_rng(seed)
        X = rng.random((6, 5)) * (rng.random((6, 5)) < 0.1)
        for V in initialize(X, 4, init, random_state=0):
            assert np.isfinite(V).all() and V.min() >= 0


# ------------------------------------------------------------------ zeros


def padded(M, n_zeros):
    """Return M with rows and columns of zeros, as many as these."""
    return np.pad(M, [(0, n) for n in n_zeros])


LEAVING_OUT_ZEROS = [model for model in CHOOSING if model.solver != "published"]


@pytest.mark.parametrize("model", LEAVING_OUT_ZEROS, ids=repr)
def test_rows_and_columns_of_zeros_change_no_fit(model):
    """More than half of the padded data are zeros, so that a plain median would be zero.

    Algorithm 2 of Guan et al. counts zeros that are fitted as zeros, as printed.
    Where all weights of a sample are small, or by Nesterov's method, the length of a
    step depends on the entries of zeros too, and so does a robust start: there, the
    sizes are nearly the same.
    """
    A = spoiled((40, 30))
    start, F0 = run(rt.NMF(solver="cd"), A)
    W, H = start.components_.T, F0.T
    steps = {
        "init": (W, H),
        "tol": 0,
        "max_iter": 1 if model.solver == "nesterov" else 10,
    }
    one, F = run(model, A, **steps)
    more = padded(A, (20, 20))
    assert (more == 0).mean() > 0.55
    steps["init"] = padded(W, (20, 0)), padded(H, (0, 20))
    other, G = run(model, more, **steps)
    started = None in [getattr(model, name, 1) for name in ("scale", "lam", "theta")]
    for name in SIZES:
        if hasattr(one, name):
            rel = 0.2 if model.solver == "nesterov" else 0.02 if started else 1e-9
            assert getattr(other, name) == pytest.approx(getattr(one, name), rel=rel)
    if model.solver != "nesterov" and not started:
        ours = F @ one.components_
        theirs = G @ other.components_
        assert np.allclose(theirs, padded(ours, (20, 20)), rtol=0, atol=1e-9 * A.max())


def test_the_estimated_weight_and_the_size_of_the_start_are_of_known_entries(
    monkeypatch,
):
    """Three times the median of the errors up to six of itself, but for zeros known to be zeros."""
    A = spoiled()
    missing = hidden((14, 11), 0.3)
    W, H = positive((11, 2), 1), positive((2, 14), 2)
    X = np.where(missing, A.mean(), A).T
    work = Work(X, missing.T)
    start = compute_robust_start(work, W, H, WeightedLoss(), CoordinateDescent())
    sizes = np.abs(A.T - start.W @ start.H)[~missing.T]
    sizes = sizes[(A.T[~missing.T] > 0) | (sizes > 2e-16 * A[~missing].max())]
    median = np.median(sizes)
    for _ in range(50):
        median = np.median(sizes[sizes <= 6 * median])
    model, _ = run(rt.RobustNMF(), np.where(missing, np.nan, A), init=(W, H))
    assert model.lam_ == pytest.approx(
        3 * median, rel=1e-4
    )  # the fit fills holes in its own way
    for sweeps in ("TRIAL_SWEEPS", "ROBUST_SWEEPS"):
        monkeypatch.setattr(starts, sweeps, 0)
    known = A[~missing]
    begun = compute_robust_start(work, W, H, WeightedLoss(), CoordinateDescent())
    level = np.median(known[known > 0]) * np.mean(known > 0)
    assert np.mean(begun.W @ begun.H) == pytest.approx(level, rel=1e-12)


# ------------------------------------------------------------------ shared robust starts


KL = "kullback-leibler"
STARTING = [
    *(rt.HuberNMF(), rt.HuberNMF(divergence=KL), rt.HuberNMF(solver="mu")),
    *(rt.CauchyNMF(), rt.CauchyNMF(divergence=KL), rt.CauchyNMF(solver="mu")),
    *(rt.CIMNMF(), rt.CIMNMF(divergence=KL)),
    *(rt.HypersurfaceNMF(), rt.HypersurfaceNMF(divergence=KL)),
    *(rt.TruncatedCauchyNMF(), rt.TruncatedCauchyNMF(solver="nesterov")),
    *(rt.CappedNMF(), rt.CappedNMF(group="features"), rt.CappedNMF(solver="mu")),
    *(rt.RobustNMF(), rt.RobustNMF(solver="mu")),
]


def same_fits(one, F, other, G):
    """Two fits have exactly the same coefficients and fitted attributes."""
    np.testing.assert_array_equal(F, G)
    found = problems.shown(one)
    expected = problems.shown(other)
    assert found.keys() == expected.keys()
    for name, value in found.items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


@pytest.mark.parametrize("share", [0, 0.2])
@pytest.mark.parametrize("model", STARTING, ids=repr)
def test_a_fit_from_its_robust_start_is_the_fit_that_computes_it(
    model, share, monkeypatch
):
    """It computes no other robust start, and what it ignores of the model may differ."""
    data = np.where(hidden(A.shape, share), np.nan, A)
    alone, F = run(model, data)
    start = clone(alone).robust_start(data)
    monkeypatch.setattr(starts, "robust_fit", None)  # calling it is an error
    shared, G = run(model, data, init=start, random_state=1)
    same_fits(shared, G, alone, F)
    again, G = run(
        model, data, init=start
    )  # the first fit has left the start as it was
    same_fits(again, G, alone, F)


@pytest.mark.parametrize("share", [0, 0.2])
@pytest.mark.parametrize("divergence", ["frobenius", KL])
def test_models_with_one_divergence_share_a_robust_start(divergence, share):
    data = np.where(hidden(A.shape, share), np.nan, A)
    models = [
        m for m in STARTING if getattr(m, "divergence", "frobenius") == divergence
    ]
    start = clone(rt.HuberNMF(2, divergence=divergence, random_state=0)).robust_start(
        data
    )
    assert len({type(model) for model in models}) >= 4
    for model in models:
        alone, F = run(model, data)
        shared, G = run(model, data, init=start)
        same_fits(shared, G, alone, F)


def test_a_model_needs_a_robust_start_if_its_scale_is_not_given(monkeypatch):
    monkeypatch.setattr(starts, "robust_fit", None)  # calling it is an error
    for model in problems.AND_GRAPHS:
        needed = None in [getattr(model, name, 1) for name in ("scale", "theta")]
        needed |= isinstance(model, rt.RobustNMF) and model.lam is None
        assert model.needs_robust_start == needed
        if not needed:
            assert model.robust_start(A) is None
            run(model, A, max_iter=1)


def test_a_robust_start_of_many_samples_has_robust_coefficients_of_all(monkeypatch):
    """It is fitted to every third sample."""
    monkeypatch.setattr(starts, "MOST_SAMPLES", 20)
    X = spoiled((60, 11)).T
    work = Work(X)
    solver = CoordinateDescent()
    start = compute_robust_start(work, W0, positive((2, 60), 2), WeightedLoss(), solver)

    def update_H(work, W, H):
        return solver.update_H(work, WeightedLoss(), Comparison(work.X, W, H))

    def plain_codes():
        return encode(work, start.W, start.H, update_H, tol=0, max_iter=99)

    plain = plain_codes()
    monkeypatch.setattr(fitting, "ENCODED_TOGETHER", 7)  # changes nothing
    near(plain_codes(), plain)
    fitted = X[:, ::3]
    cutoff = starts.SHARE * float(np.median(fitted[fitted > 0]))
    huber = WeightedLoss(Huber(), scale=cutoff)
    robust_value = huber.value(X, start.W, start.H)
    assert robust_value < 0.9 * huber.value(X, start.W, plain)
