"""The losses: values, weights and scales, and the cleaned data whose divergences lie above them."""

import numpy as np
import pytest
import scipy.special
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rnmf_tutorial import CappedNMF, HuberNMF, checks, losses
from rnmf_tutorial.fitting import Work
from rnmf_tutorial.losses import (
    ENTRIES,
    FEATURES,
    KULLBACK_LEIBLER,
    SAMPLES,
    SQUARES,
    Comparison,
    WeightedLoss,
    kl_divergence,
)
from rnmf_tutorial.models.entrywise import EntrywiseNMF
from rnmf_tutorial.models.truncated import TruncatedCauchy
from studies.blocks.windows import GemanMcClure, Windows
from tests.problems import positive

W0, H0 = positive((8, 3), seed=1), positive((3, 11), seed=2)
X = positive((8, 11), seed=0)
X[2, 3] += 5
X[:, 7] = X[::-1, 7] * 40  # every weight of this sample is small


# ----------------------------------------------------------------- a group of one's own


class Doubled(losses.Entries):
    """Every divergence counts twice; its energies lie in an array of their own."""

    def energies(self, divergence, work, comparison):
        return 2 * super().energies(divergence, work, comparison)

    def weights(self, slopes):
        return 2 * slopes

    def clean(self, work, slopes):
        M, f, d = super().clean(work, slopes)
        return M, f, np.full(len(M.T), 2.0) if d is None else 2 * d


def energies_of(group, divergence, X, W, H):
    """Return the energies of the groups at W and H, computed with new arrays."""
    work = Work(X)
    work.multiply(W, H)
    return group.energies(divergence, work, Comparison(X, W, H))


# ------------------------------------------------------------------ φ and its slope

OWN = [
    x for x in vars(losses).values() if getattr(x, "__module__", "") == losses.__name__
]
CURVES = [x for x in OWN if hasattr(x, "slope") and x is not losses.Curve]
PHIS = [curve() for curve in CURVES]
PHIS += [GemanMcClure(), TruncatedCauchy(9.0)]
each_phi = pytest.mark.parametrize("phi", PHIS, ids=lambda phi: type(phi).__name__)
BOUNDED = [phi for phi in PHIS if phi.power == 1]  # whose slopes are at most one


def of(phi, u):
    """Return φ of an array."""
    u = np.array(u, dtype=float, ndmin=1)
    return phi.value(u, phi.slope(u))


# Table I of Guan et al. with its slips mended, times the factor that makes a small
# residual cost its square.
TABLE_I = {
    losses.Huber: lambda e, c: np.where(abs(e) <= c, e**2, 2 * c * abs(e) - c**2),
    losses.Correntropy: lambda e, s: 2 * s**2 * (1 - np.exp(-(e**2) / (2 * s**2))),
    losses.Cauchy: lambda e, g: g**2 * np.log(1 + (e / g) ** 2),
    losses.Hypersurface: lambda e, c: 2 * scipy.special.pseudo_huber(c, e),
}


@pytest.mark.parametrize("kind", TABLE_I)
def test_losses_are_those_of_the_table(kind):
    e = np.linspace(-8, 8, 161)
    phi = kind()
    for c in (0.1, 1.0, 3.0):
        np.testing.assert_allclose(
            c**2 * of(phi, (e / c) ** 2), TABLE_I[kind](e, c), rtol=1e-11
        )


@each_phi
@given(
    u=st.one_of(st.floats(1e-3, 50), st.sampled_from([1 - 1e-4, 1 + 1e-4, 8.9, 9.1]))
)
def test_the_slope_is_the_derivative(phi, u):
    step = 4e-5 * min(1, u)
    assume(min(abs(u - 1), abs(u - 9)) > step)  # stay on one side of a break
    low, high = of(phi, [u - step, u + step])
    assert (high - low) / (2 * step) == pytest.approx(
        phi.slope(np.array([u]))[0], 1e-6, 1e-8
    )
    if phi in BOUNDED:
        assert phi.slope(np.zeros(1)) == 1
        # A formula that loses the digits of a small u is noticed.
        assert of(phi, [1e-20])[0] == pytest.approx(1e-20, rel=1e-9, abs=0)


# ------------------------------------------------------------------ scales


def estimate(phi, E):
    return phi.estimate(np.asarray(E) ** 2) ** 0.5


@pytest.mark.parametrize(
    "shape", [(7, 5), (6, 5)]
)  # an odd and an even number of entries
def test_scales_are_the_published_estimates(shape):
    E = np.random.default_rng(0).standard_normal(shape)
    for phi in (losses.Huber(), losses.Hypersurface()):
        assert estimate(phi, E) == pytest.approx(np.median(np.abs(E)), rel=1e-14)
    assert estimate(losses.Correntropy(), E) ** 2 == pytest.approx(
        (E**2).mean() / 2, rel=1e-14
    )
    lengths = np.array([1.0, 2.0, 2.0, 5.0, 6.0, 7.0, 1.5])
    assert (
        GemanMcClure().estimate(np.array([1.0, 2, 3, 4, 50])) == 4
    )  # twice the quartile
    assert estimate(losses.CappedRoot(), lengths) == pytest.approx(6.0, rel=1e-14)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), exponent=st.floats(-6, 6))
def test_nagys_steps_climb_to_the_maximum_likelihood_from_any_start(seed, exponent):
    rng = np.random.default_rng(seed)
    E2 = (rng.standard_normal((9, 7)) * rng.exponential(1, 7) ** 2) ** 2
    scales = [10.0**exponent]
    for _ in range(400):
        scales.append(losses.Cauchy().estimate(E2, scales[-1] ** 2) ** 0.5)
    end = scales[-1]
    # The fixed point solves the likelihood equation: the mean of the weights is one
    # half.
    assert (1 / (1 + E2 / end**2)).mean() == pytest.approx(0.5, abs=1e-9)
    steps = np.diff(scales)
    tiny = 1e-12 * np.array(scales[1:])
    assert (steps >= -tiny).all() if scales[0] < end else (steps <= tiny).all()
    checks.decreases([99 + np.log(s) + np.log1p(E2 / s**2).mean() for s in scales])
    assert losses.Cauchy().estimate(E2) ** 0.5 == pytest.approx(end, rel=1e-3)


def test_nagys_iteration_of_residuals_that_are_alike_or_half_zero():
    assert estimate(losses.Cauchy(), np.zeros((2, 3))) == 0
    assert estimate(losses.Cauchy(), np.ones((2, 3))) == pytest.approx(1, rel=1e-5)
    c = 1.0
    for _ in range(200):
        c = losses.Cauchy().estimate(np.array([[0.0, 0, 0, 1, 4]]), c)
    assert c < 1e-16


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_what_an_estimate_counts(dtype):
    """No residual below rounding; a zero of the data from a residual above rounding on."""
    loss = WeightedLoss(losses.Huber(), reestimated=True)
    limits = np.finfo(dtype)

    def scale(X, WH):
        X, WH = np.atleast_2d(X).astype(dtype), np.atleast_2d(WH).astype(dtype)
        rescaled, _ = loss.rescaled(Work(X), WH, np.eye(WH.shape[1], dtype=dtype))
        return rescaled.scale

    B = 3 * X
    assert scale(B, B) == limits.eps * float(B.max().astype(dtype))
    assert scale(0 * B, 0 * B) == float(np.sqrt(limits.tiny))
    assert scale(B, B + 1) == pytest.approx(1, rel=1e-5)
    lines, W, H = np.array([[0.0, 2]]), np.eye(1), np.array([[1e-10, 2]])
    for group in (SAMPLES, ENTRIES):
        u = energies_of(group, SQUARES, lines, W, H)
        used, _ = WeightedLoss(losses.Root(), group=group).used_energies(
            Work(lines), W, H
        )
        assert u.size == 2 and used.size == 2
    capped = WeightedLoss(
        losses.CappedRoot(), group=SAMPLES, reestimated=True, least=4.0
    )
    rescaled, _ = capped.rescaled(Work(lines), W, H)
    assert rescaled.scale == pytest.approx(3 * 2)
    floor = float(limits.eps) * 2
    for share, expected in ((0.9, 1.5), (1.1, 1.1 * floor)):
        given = scale([0, 0, 0, 2, 2], [share * floor] * 3 + [1, 4])
        assert given == pytest.approx(expected, rel=1e-6)


# ------------------------------------------------------------------ divergences


def test_an_error_at_the_threshold_is_no_outlier():
    sizes = positive(999, 3)
    scale = 0.3
    caps = [TruncatedCauchy.at(size / scale, float).cap for size in sizes]
    assert (sizes**2 * (1 / scale**2) <= caps).all()


@pytest.mark.parametrize("divergence", [SQUARES, KULLBACK_LEIBLER])
def test_the_divergence_of_a_share_is_that_of_an_entry_or_twice_that(divergence):
    for share, level in ((0.01, 3.0), (0.1, 700.0)):
        entry = np.full((1, 1), level)
        fit = (1 - share) * entry
        exact = divergence.of_entries(entry, fit, np.empty((1, 1)))
        energy = share**2 * level**divergence.power  # as in `robust_fit`
        assert 0.99 <= energy / exact.item() <= 2


def test_kl_divergence_against_the_formula_with_zeros():
    Y, B = positive((4, 5), 1), positive((4, 5), 0)
    B[1, 2] = 0
    pairs = zip(B.flat, Y.flat, strict=True)
    terms = [y if x == 0 else x * np.log(x / y) - x + y for x, y in pairs]
    assert kl_divergence(B, Y) == pytest.approx(sum(terms), rel=1e-12)
    entries = KULLBACK_LEIBLER.of_entries(B, Y, np.empty_like(B))
    np.testing.assert_allclose(entries.ravel(), terms, rtol=1e-12)
    assert kl_divergence(B, B) == pytest.approx(0, abs=1e-15)
    exact = KULLBACK_LEIBLER.of_entries(B + 1e9, B + 1e9, np.empty_like(B))
    assert exact.min() >= 0


@pytest.mark.parametrize("part", [1, 1e-2, 1e-4, 1e-6, 1e-9, 0])
def test_squares_from_products_keep_nine_digits_however_close_the_fit(part):
    Y = W0 @ H0
    B = Y + part * (positive(Y.shape, 4) - 0.5)
    B[:, 5] = Y[:, 5]  # one column is exact, whatever the others are
    squares = (B - Y) ** 2
    for product in ("XHt", "WtX"):
        comparison = Comparison(B, W0, H0)
        getattr(comparison, product)
        total = SQUARES.total(Work(B), comparison)
        assert total == pytest.approx(squares.sum(), rel=1e-9, abs=1e-28)
    for lines in (SAMPLES, FEATURES):
        found = energies_of(lines, SQUARES, B, W0, H0)
        expected = squares.sum(axis=lines.axis)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-29)


# ------------------------------------------------------------------ clean, then fit

GROUPS = {"entries": ENTRIES, "samples": SAMPLES, "features": FEATURES}
GROUPS |= {"doubled": Doubled(), "windows": Windows((4, 2), (3, None))}
DIVERGENCES = {"squares": SQUARES, "kl": KULLBACK_LEIBLER}


def with_some_outliers(phi, divergence, group):
    """Return a loss whose scale lies among the energies of a fit."""
    c = 2 * float(np.median(energies_of(group, divergence, X, W0, H0)))
    return WeightedLoss(phi, divergence, group, scale=c ** (1 / divergence.power))


LOSSES = {
    f"{g} {d} {type(phi).__name__}": with_some_outliers(phi, divergence, group)
    for g, group in GROUPS.items()
    for d, divergence in DIVERGENCES.items()
    for phi in (PHIS if g in ("samples", "features") else BOUNDED)
}
each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


@each_loss
def test_the_divergence_of_cleaned_data_lies_above_the_loss(loss):
    """And the weighted divergence of the data lies between the two."""
    d = loss.divergence
    Q = np.broadcast_to(loss.weights(X, W0, H0), X.shape)
    M, f, g = loss.clean(X, W0, H0)
    counts = np.ones(X.shape)
    if f is not None:
        counts *= f[:, None]
    if g is not None:
        counts *= g
    assert M.min() >= 0
    if loss.group not in (SAMPLES, FEATURES):
        # One sample has small weights only.
        assert g is not None
        assert g[7] < g.max() / 2 or type(loss.phi) is TruncatedCauchy

    def entries(data, factors):
        W, H = factors
        return d.of_entries(data, W @ H, np.empty_like(X))

    def value(factors):
        return loss.value(X, *factors)

    def weighted(WH, at):
        return value(at) + (Q * (entries(X, WH) - entries(X, at))).sum()

    def cleaned(WH, at):
        return value(at) + (counts * (entries(M, WH) - entries(M, at))).sum()

    rng = np.random.default_rng(0)
    others = [(20 * W0, H0), (W0, H0 / 9)]
    for s in np.geomspace(0.1, 30, 20):
        others.append([V * rng.uniform(0.01, s, V.shape) for V in (W0, H0)])
    # on both sides: with another slope than the loss, it would be below it on one of
    # them
    E, F = (rng.standard_normal(V.shape) for V in (W0, H0))
    others += [(W0 * (1 + s * E), H0 * (1 + s * F)) for s in (1e-4, -1e-4)]
    checks.majorizes(weighted, value, (W0, H0), others)
    checks.majorizes(cleaned, lambda WH: weighted(WH, (W0, H0)), (W0, H0), others)


# ----------------------------------------------------------- outlying samples find back


class TruncatedNMF(EntrywiseNMF):
    phi = TruncatedCauchy(9.0)


CLEAN = np.outer(positive(9, 0), positive(6, 1))
FAR_OFF = [TruncatedNMF(scale=0.1), CappedNMF(theta=1e-3), HuberNMF(scale=1e-3)]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("model", FAR_OFF, ids=repr)
def test_a_start_where_everything_is_an_outlier_is_not_lost(model, dtype):
    far = np.full((6, 1), 3, dtype), np.full((1, 9), 3, dtype)
    model.set_params(init=far, n_components=1, max_iter=400, tol=0)
    Ht = model.fit_transform(CLEAN.astype(dtype))
    np.testing.assert_allclose(model.inverse_transform(Ht), CLEAN, rtol=1e-3)
