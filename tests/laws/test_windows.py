"""Windows: their means against brute force, the fit, and what it leaves out.

The theorem is that of every group, in test_losses.py.
"""

import itertools

import numpy as np
import pytest

from rnmf_tutorial import NMF, WindowNMF, checks
from rnmf_tutorial.engine import Point, Run
from rnmf_tutorial.estimators.weighted import EntrywiseNMF
from rnmf_tutorial.estimators.windows import grown, with_more_parts
from rnmf_tutorial.groups import ENTRIES, Windows
from rnmf_tutorial.losses import GemanMcClure, Loss
from rnmf_tutorial.steps import Coordinate
from tests.problems import positive

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


def test_windows_of_one_entry_are_the_entries():
    class Bounded(EntrywiseNMF):
        phi = GemanMcClure()

    _, A, _ = damaged()
    options = {"scale": 2.0, "init": "random", "random_state": 0, "max_iter": 20, "tol": 0}
    one = WindowNMF(3, shape=(10, 10), window=1, **options).fit(A)
    entries = Bounded(3, **options).fit(A)
    np.testing.assert_allclose(one.objective_history_, entries.objective_history_, rtol=1e-12)
    np.testing.assert_allclose(one.weights_, entries.weights_, rtol=1e-8)


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


def test_blocks_are_left_out_and_nothing_else():
    for seed in range(2):
        clean, A, mask = damaged(seed)
        model = WindowNMF(3, shape=(10, 10), window=3, random_state=0)
        told = error(clean, NMF(3, random_state=0), np.where(mask, np.nan, A))
        assert error(clean, model, A) < 0.02 and told < 0.02
        assert error(clean, NMF(3, random_state=0), A) > 0.2
        assert model.weights_[mask].max() < 0.1
        assert np.quantile(model.weights_[~mask], 0.6) > 0.9


def test_without_damage_it_costs_less_than_a_tenth():
    for seed in range(3):
        clean, _, _ = damaged(seed)
        A = np.maximum(clean + 0.05 * np.random.default_rng(9).standard_normal(clean.shape), 0)
        plain = error(clean, NMF(3, random_state=0), A)
        assert error(clean, WindowNMF(3, shape=(10, 10), random_state=0), A) < 1.1 * plain


@pytest.mark.parametrize("options", [{}, {"scale": 0.5}, {"scale": 0.5, "init": "random"}], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("holes", [False, True])
def test_the_objective_never_rises(options, dtype, holes):
    _, A, _ = damaged()
    A = A.astype(dtype)
    if holes:
        A[np.random.default_rng(0).random(A.shape) < 0.2] = np.nan
    model = WindowNMF(3, shape=(10, 10), random_state=0, max_iter=80, tol=0, **options).fit(A)
    checks.decreases(model.objective_history_, rtol=1e-5 if dtype is np.float32 else 1e-11)
    assert model.components_.dtype == model.weights_.dtype == dtype
    assert model.scale_ == options.get("scale", model.scale_)


def test_what_a_hole_held_does_not_matter_and_a_hole_is_filled():
    clean, A, _ = damaged()
    holes = np.random.default_rng(0).random(A.shape) < 0.2
    model = WindowNMF(3, shape=(10, 10), window=3, random_state=0)
    restored = model.inverse_transform(model.fit_transform(np.where(holes, np.nan, A)))
    assert np.abs(restored - clean)[holes].mean() < 0.05 * clean.mean()


def test_a_sample_is_encoded_by_itself_and_its_block_is_left_out():
    clean, A, _ = damaged(n=90)
    model = WindowNMF(3, shape=(10, 10), window=3, random_state=0).fit(A[:60])
    H = model.transform(A[60:])
    np.testing.assert_allclose(H[:1], model.transform(A[60:61]), rtol=1e-6)
    assert np.linalg.norm(H @ model.components_ - clean[60:]) < 0.02 * np.linalg.norm(clean[60:])


def test_a_given_start_and_scale_are_where_the_fit_starts():
    _, A, _ = damaged()
    pair = positive((100, 3), 0), positive((3, 60), 1)
    run = WindowNMF(3, shape=(10, 10), scale=1.0, init=pair).begin(A)
    assert isinstance(run, Run) and run.loss.scale == 1.0
    np.testing.assert_array_equal(run.point.W, pair[0])
    grows = WindowNMF(3, shape=(10, 10), init=pair, random_state=0).begin(A)
    left = [np.linalg.norm(A.T - one.point.W @ one.point.H) for one in (grows, run)]
    assert grows.point.W.shape == (100, 3) and left[0] < left[1]


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
