"""Windows and patches: against brute force; the fit, and what it leaves out.

The theorem of windows is that of every group, in test_losses.py.
"""

import itertools

import numpy as np
import pytest

from rnmf_tutorial import NMF, WindowNMF, checks
from rnmf_tutorial.core import Point, Run
from rnmf_tutorial.losses import ENTRIES, GemanMcClure, Loss
from rnmf_tutorial.updates import Coordinate
from rnmf_tutorial.windows import (
    Windows,
    best_predicted,
    chosen_limit,
    far_off,
    grown,
    with_more_parts,
)
from tests.problems import peak, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHAPES = [
    ((7,), (3,)),
    ((4,), (11,)),
    ((5, 4), (3, 5)),
    ((5, 4), (1, None)),
    ((3, 4, 2), (5, None, 3)),
]


def mirrored(place, n):
    """Return the place in a row of n that a place beyond its edges stands for."""
    place %= 2 * n
    return place if place < n else 2 * n - 1 - place


def matrix(shape, window):
    """Return K, entry by entry."""
    K = np.zeros((np.prod(shape),) * 2)
    for middle in np.ndindex(*shape):
        ways = []
        for at, n, edge in zip(middle, shape, window, strict=True):
            half = 0 if edge is None else edge // 2
            ways.append(range(n) if edge is None else range(at - half, at + half + 1))
        members = list(itertools.product(*ways))
        for member in members:
            inside = tuple(map(mirrored, member, shape))
            K[np.ravel_multi_index(middle, shape), np.ravel_multi_index(inside, shape)] += 1
        K[np.ravel_multi_index(middle, shape)] /= len(members)
    return K


def damaged(seed=0, n=60, r=3, side=10, block=4):
    """Return clean pictures of rank r, the same with a bright block each, and where it is."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side] / side
    slopes = 6 * rng.random((r, 3))
    parts = [1 + np.sin(a * y + b * x + c) for a, b, c in slopes]
    clean = rng.uniform(0.5, 1, (n, r)) @ np.array(parts).reshape(r, -1)
    A, mask = clean.copy(), np.zeros((n, side, side), bool)
    for one in mask:
        top, left = rng.integers(0, side - block + 1, 2)
        one[top : top + block, left : left + block] = True
    mask = mask.reshape(n, -1)
    A[mask] = 1.5 * clean.max()
    return clean, A, mask


def error(clean, model, A):
    """Return the relative error of a fit."""
    found = model.fit_transform(A) @ model.components_
    return np.linalg.norm(clean - found) / np.linalg.norm(clean)


# ------------------------------------------------------------------ the means


@pytest.mark.parametrize(("shape", "window"), SHAPES, ids=str)
def test_the_means_are_a_symmetric_matrix_whose_rows_sum_to_one(shape, window):
    K, m = matrix(shape, window), np.prod(shape)
    np.testing.assert_allclose(K, K.T, atol=1e-15)
    np.testing.assert_allclose(K.sum(axis=1), 1)
    values = positive((m, 3), 0)
    for order in "CF":
        given = np.array(values, order=order)
        np.testing.assert_allclose(Windows(shape, window).means(given), K @ values, rtol=1e-13)
        np.testing.assert_array_equal(given, values)
    out = np.asfortranarray(values)
    assert Windows(shape, window).means(out, out=out) is out
    np.testing.assert_allclose(out, K @ values, rtol=1e-13)


def test_no_mean_is_negative_though_a_running_sum_rounds():
    values = np.zeros((50, 1))
    values[:4, 0] = 0.1, 1e16, 0.3, 0.1
    assert Windows((50,), (5,)).means(values).min() == 0


def test_equal_windows_are_one_value():
    one, same, other = Windows((4, 5), (3, 3)), Windows([4, 5], [3, 3]), Windows((4, 5), (3, None))
    assert one == same and hash(one) == hash(same) and one != other
    assert repr(other) == "Windows((4, 5), (3, None))"


# ------------------------------------------------------------------ patches


def patches_by_hand(sample, edges):
    """Close gaps and open, patch after patch, with the sample mirrored three times all around."""
    inner = tuple(slice(3 * n, 4 * n) for n in sample.shape)
    wide = np.pad(sample, [(3 * n, 3 * n) for n in sample.shape], mode="symmetric")
    starts = [range(n - edge + 1) for n, edge in zip(wide.shape, edges, strict=True)]
    for inside, outside in ((np.max, np.minimum), (np.min, np.maximum)):
        found = np.full(wide.shape, np.inf if outside is np.minimum else -np.inf)
        for corner in itertools.product(*starts):
            patch = tuple(slice(at, at + edge) for at, edge in zip(corner, edges, strict=True))
            found[patch] = outside(found[patch], inside(wide[patch]))
        wide = found
    return wide[inner]


@pytest.mark.parametrize(
    ("shape", "window", "edges"),
    [
        ((9,), (3,), (3,)),
        ((12,), (5,), (3,)),
        ((9,), (7,), (5,)),
        ((5, 7), (5, 9), (3, 5)),
        ((6, 5), (1, 5), (1, 3)),
        ((4, 3, 5), (3, 1, 5), (3, 1, 3)),
    ],
)
def test_a_patch_counts_by_its_least_entry_after_gaps_are_closed(shape, window, edges):
    values = positive((np.prod(shape), 3), 0)
    found = Windows(shape, window).patches(values)
    for one, other in zip(values.T, found.T, strict=True):
        by_hand = patches_by_hand(one.reshape(shape), edges)
        np.testing.assert_array_equal(other.reshape(shape), by_hand)


def test_missing_entries_keep_no_patch_from_its_value():
    picture, missing = np.zeros((12, 14)), np.random.default_rng(0).random((12, 14)) < 0.3
    picture[4:8, 6:10] = 7
    picture[missing] = 0
    columns = picture.reshape(-1, 1), missing.reshape(-1, 1)
    found = Windows((12, 14), (5, 5)).patches(*columns).reshape(12, 14)
    assert np.isin(found[4:8, 6:10], (7, np.inf)).all()
    found[4:8, 6:10] = 0
    assert (found[~missing] == 0).all()


def test_of_a_whole_axis_the_mean_counts():
    values = positive((20, 3), 0)
    lines = values.T.reshape(3, 4, 5).mean(axis=2)
    found = Windows((4, 5), (1, None)).patches(values).T.reshape(3, 4, 5)
    np.testing.assert_allclose(found, np.repeat(lines[:, :, None], 5, axis=2), rtol=1e-14)


# ------------------------------------------------------------------ the rank that grows


def test_new_parts_leave_the_fit_as_it_is_and_the_next_pass_uses_them():
    _, A, _ = damaged()
    point = Point(A.T, A.mean(axis=0)[:, None], np.ones((1, len(A))))
    loss = Loss(GemanMcClure(), group=ENTRIES, scale=2.0)
    more = with_more_parts(point, loss, 3, np.random.RandomState(0))
    assert more.W.shape == (100, 3) and (more.W >= 0).all() and more.W.any(axis=0).all()
    np.testing.assert_array_equal(more.W @ more.H, point.W @ point.H)
    assert Coordinate()(more, loss).H.any(axis=1).all()


def test_the_rank_goes_from_one_to_the_last_in_eight_stages():
    _, A, _ = damaged()
    point, ranks, group = Point(A.T, np.median(A, 0)[:, None], np.ones((1, 60))), [], ENTRIES
    last, loss = grown(point, group, 9, 0, lambda point, loss: ranks.append(point.W.shape[1]))
    assert ranks == [1, 1, 2, 3, 4, 5, 7, 9] and last.W.shape == (100, 9)
    u = np.quantile((A.T - last.W @ last.H) ** 2, 0.25)
    np.testing.assert_allclose(loss.c, max(2 * u, (0.02 * A.mean()) ** 2))


# ------------------------------------------------------------------ the fit


def test_blocks_are_left_out_and_little_else():
    clean, A, mask = damaged()
    model = WindowNMF(3, shape=(10, 10), window=3, random_state=0)
    told = error(clean, NMF(3, random_state=0), np.where(mask, np.nan, A))
    assert error(clean, model, A) < 0.02 and told < 0.02
    assert error(clean, NMF(3, random_state=0), A) > 0.2
    assert model.weights_[mask].max() == 0 and model.weights_[~mask].mean() > 0.75


def spectra(seed, what, n=60, m=80):
    """Return clean spectra of rank 3, the same with a run that is bright or lost, and where."""
    rng = np.random.default_rng(seed)
    x, middles = np.linspace(0, 1, m), np.array([0.2, 0.5, 0.8])
    peaks = 0.3 + np.exp(-(((x - middles[:, None]) / 0.15) ** 2))
    clean = rng.gamma(2, size=(n, 3)) @ peaks
    A = clean * (1 + 0.02 * rng.standard_normal(clean.shape))
    mask = np.abs(np.arange(m) - rng.integers(5, m - 5, n)[:, None]) < 6
    A[mask] = clean.max() if what == "bright" else 0
    return clean, A, mask


@pytest.mark.parametrize("what", ["bright", "lost"])
def test_a_run_of_a_noisy_spectrum_is_left_out(what):
    clean, A, mask = spectra(1, what)
    marked = np.where(mask, np.nan, A)
    told, plain = (error(clean, NMF(3, random_state=0), given) for given in (marked, A))
    found = error(clean, WindowNMF(3, random_state=0, tol=1e-6), A)
    assert found < (1.5 * told if what == "bright" else 0.1 * plain)
    assert plain > 10 * told


@pytest.mark.parametrize("seed", range(3))
def test_where_nothing_seems_damaged_it_is_plain_nmf(seed):
    clean, _, _ = damaged(seed)
    A = np.maximum(clean + 0.05 * np.random.default_rng(9).standard_normal(clean.shape), 0)
    options = {"random_state": 0, "max_iter": 50, "tol": 0}
    windows, plain = WindowNMF(3, shape=(10, 10), **options).fit(A), NMF(3, **options).fit(A)
    np.testing.assert_array_equal(windows.components_, plain.components_)
    assert windows.scale_ == np.inf and windows.weights_.min() == 1


@pytest.mark.parametrize(
    ("counted", "most", "limit"),
    [
        ([1, 1, 1], [1, 1, 1], -1),
        ([1, 1, 1.09], [1, 1, 1], -1),  # not by a tenth
        ([1.01, 1, 1.11], [1, 1, 1], 1),  # the best
        ([1, 9, 2], [2.9, 1, 1], 0),  # it costs less on the nine tenths than it wins and a half,
        ([1, 9, 2], [3.1, 1, 1], -1),  # and more
        ([1, 1.5, 2], [3.1, 1, 1], 1),
    ],
)
def test_the_limit_that_is_taken(counted, most, limit):
    assert range(3)[best_predicted(*np.square([counted, most]))] == range(3)[limit]


def test_a_few_hidden_entries_say_nothing():
    _, A, _ = damaged(n=20, side=4, block=2)
    assert WindowNMF(1, shape=(4, 4), window=3, random_state=0).fit(A[:8]).scale_ == np.inf


def test_what_is_hidden_is_hidden_from_every_fit():
    """So a window of sound data, replaced where it is hidden, does not move the point found."""
    _, A, _ = damaged()
    X, group, found = np.asfortranarray(A.T), Windows((10, 10), (3, 3)), []
    start = Point(X, positive((100, 3), 0), positive((3, 60), 1))
    middles = np.random.RandomState(0).random_sample((60, 10, 10)) < 0.1 / 9
    at = np.argwhere(middles)[0]
    for value in (X[at[1] * 10 + at[2], at[0]], 50.0):
        start.X[at[1] * 10 + at[2], at[0]] = value
        found.append(chosen_limit(Point(start.X, start.W, start.H), group, np.inf, 0)[1].W)
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("options", [{}, {"scale": 0.5}, {"scale": 0.5, "init": "random"}], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("holes", [False, True])
def test_the_objective_never_rises(options, dtype, holes):
    _, A, _ = damaged()
    A = A.astype(dtype)
    if holes:
        A[np.random.default_rng(0).random(A.shape) < 0.2] = np.nan
    kept = []
    model = WindowNMF(3, shape=(10, 10), random_state=0, max_iter=80, tol=0, **options)
    model.set_params(callback=lambda k, W, H, p: kept.append((W, H, p.mask)) and None).fit(A)
    rtol = 1e-5 if dtype is np.float32 else 1e-11
    checks.decreases(model.objective_history_, rtol=rtol)
    assert model.components_.dtype == model.weights_.dtype == dtype
    assert model.scale_ == pytest.approx(options.get("scale", model.scale_))
    for _, _, left_out in kept:  # fixed
        np.testing.assert_array_equal(~left_out.T, model.weights_ == 1)
    squares = [np.nansum(((A.T - W @ H) ** 2)[model.weights_.T == 1]) for W, H, _ in kept]
    np.testing.assert_allclose(model.objective_history_, squares, rtol=1e-4)
    assert not model.weights_[np.isnan(A)].any()


@pytest.mark.slow
def test_a_fit_takes_the_memory_of_six_arrays_besides_its_data():
    _, A, _ = damaged(n=1000)
    model = WindowNMF(3, shape=(10, 10), window=3, max_iter=9, tol=0, random_state=0)
    assert peak(lambda: model.fit(A)) < 6.5 * A.nbytes


def test_what_a_hole_held_does_not_matter_and_a_hole_is_filled():
    clean, A, _ = damaged()
    holes = np.random.default_rng(0).random(A.shape) < 0.2
    model = WindowNMF(3, shape=(10, 10), window=3, random_state=0)
    restored = model.inverse_transform(model.fit_transform(np.where(holes, np.nan, A)))
    assert np.abs(restored - clean)[holes].mean() < 0.05 * clean.mean()


@pytest.mark.parametrize("seed", range(2))
def test_a_bright_run_in_a_new_spectrum_does_not_bend_its_coefficients(seed):
    """Those of plain NMF, where a fit would begin, fit one of thirty runs and not the rest."""
    clean, A, _ = spectra(seed, "bright", n=90)
    model = WindowNMF(3, random_state=0, tol=1e-6).fit(A[:60])
    found = model.inverse_transform(model.transform(A[60:]))
    errors = np.linalg.norm(found - clean[60:], axis=1) / np.linalg.norm(clean[60:], axis=1)
    assert errors.max() < 0.05


@pytest.mark.parametrize("shape", [(10, 10), pytest.param(None, marks=pytest.mark.slow)])
def test_a_sample_of_the_fit_gets_its_own_coefficients_when_it_comes_alone(shape):
    _, A, _ = damaged(n=90)
    model = WindowNMF(3, shape=shape, window=3, random_state=0, tol=1e-7)
    H = model.fit_transform(A)
    assert np.isfinite(model.scale_)
    alone = np.vstack([model.transform(one[None]) for one in A])
    far = np.linalg.norm((alone - H) @ model.components_, axis=1) / np.linalg.norm(A, axis=1)
    assert np.mean(far < 0.01) > 0.95


@pytest.mark.parametrize("init", ["nndsvda", "random"])
def test_a_given_scale_is_what_patches_are_left_out_by(init):
    _, A, _ = damaged()
    model = WindowNMF(3, shape=(10, 10), scale=0.7, init=init, random_state=0)
    run = model.begin(A)
    assert isinstance(run, Run) and run.loss.scale == pytest.approx(0.7)
    start = Point(A.T, run.point.W, run.point.H)
    np.testing.assert_array_equal(run.point.mask, far_off(start, Windows((10, 10), (5, 5)), 0.7**2))
    assert 0 < run.point.mask.mean() < 0.5


def test_none_in_a_window_is_the_whole_axis_and_no_shape_is_a_row():
    _, A, _ = damaged()
    row, given = WindowNMF(3, random_state=0), WindowNMF(3, shape=(100,), random_state=0)
    np.testing.assert_array_equal(row.fit(A).components_, given.fit(A).components_)
    lines = WindowNMF(3, shape=(10, 10), window=(1, None), random_state=0).fit(A)
    by_line = lines.weights_.reshape(60, 10, 10)
    assert np.ptp(by_line, axis=2).max() < 1e-12 < np.ptp(by_line, axis=1).max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shape": (10, 9)}, r"shape=\(10, 9\) makes 10 × 9 = 90 features; the data have 100"),
        ({"shape": 100}, "must be a tuple of one, two or three"),
        ({"shape": (1, 1, 10, 10)}, "must be a tuple of one, two or three"),
        ({"shape": (10, 10.0)}, "must be a tuple of one, two or three"),
        ({"window": 4}, "must be an odd number"),
        ({"window": None}, "must be an odd number"),
        ({"window": -3}, "must be an odd number"),
        ({"window": (3, 5)}, "has 2 edges; a sample of shape None has 1 axes"),
        ({"scale": 0}, "scale == 0, must be > 0"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        WindowNMF(3, **options).fit(positive((20, 100), 0))
