"""Corruptions: the mask tells exactly what was hit, the rest is untouched."""

import numpy as np
import pytest
from scipy import stats

from rnmf_tutorial import data
from studies.faces import add_scarf, add_sunglasses

SHAPE = (12, 9)
HALF = {"fraction": 0.5}

# Each takes (A, random_state); A holds images of SHAPE.
CORRUPTIONS = {
    "gaussian": lambda A, seed: data.add_gaussian(A, 0.3, random_state=seed),
    "laplace": lambda A, seed: data.add_laplace(A, 0.2, loc=0.1, random_state=seed),
    "salt_and_pepper": lambda A, seed: data.add_salt_and_pepper(
        A, 0.3, random_state=seed
    ),
    "blocks": lambda A, seed: data.add_blocks(
        A, SHAPE, 4, value=2.2, random_state=seed, **HALF
    ),
    "sunglasses": lambda A, seed: add_sunglasses(A, SHAPE, random_state=seed, **HALF),
    "scarf": lambda A, seed: add_scarf(A, SHAPE, random_state=seed, **HALF),
}


@pytest.fixture(params=CORRUPTIONS)
def corrupt(request):
    return CORRUPTIONS[request.param]


def images(n=10, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).random((n, SHAPE[0] * SHAPE[1])).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_mask_tells_what_was_hit_and_the_rest_is_untouched(corrupt, dtype):
    A = images(dtype=dtype)
    before = A.copy()
    corrupted, mask = corrupt(A, 3)
    np.testing.assert_array_equal(A, before)
    assert corrupted.dtype == dtype and mask.dtype == bool
    assert corrupted.shape == mask.shape == A.shape
    assert corrupted.min() >= 0 and corrupted.flags.c_contiguous and mask.any()
    np.testing.assert_array_equal(corrupted[~mask], A[~mask])
    assert np.mean(corrupted[mask] != A[mask]) > 0.99
    in_columns, _ = corrupt(np.asfortranarray(A), 3)  # comes out as the loaders have it
    np.testing.assert_array_equal(in_columns, corrupted)
    assert in_columns.flags.c_contiguous
    assert corrupt(np.ones((10, 108), dtype=int), 0)[0].dtype == np.float64


def test_the_same_seed_gives_the_same_damage(corrupt):
    A = images()
    generator = np.random.default_rng(1)
    first = corrupt(A, 1)
    for again in (corrupt(A, 1), corrupt(A, generator)):
        np.testing.assert_array_equal(again[0], first[0])
        np.testing.assert_array_equal(again[1], first[1])
    for other in (corrupt(A, 2), corrupt(A, generator)):
        assert not np.array_equal(other[0], first[0])


def test_bad_values(corrupt):
    says = r"Input A contains (NaN|infinity)|Negative values in data passed to a corruption \(A\)"
    for bad in (np.nan, np.inf, -1.0):
        A = images()
        A[2, 3] = bad
        with pytest.raises(ValueError, match=says):
            corrupt(A, 0)
    with pytest.raises(ValueError, match="A hides 1 entries behind a mask"):
        corrupt(np.ma.masked_array(images(), np.arange(1080).reshape(10, 108) == 5), 0)


def test_gaussian_noise_has_its_distribution_and_no_noise_has_no_mask():
    corrupted, mask = data.add_gaussian(np.full((100, 200), 5.0), 0.3, random_state=0)
    assert mask.all()
    for sigma, least, most in ((0.3, 0.01, 1), (0.32, 0, 1e-6)):
        assert (
            least
            < stats.kstest((corrupted - 5).ravel(), stats.norm(0, sigma).cdf).pvalue
            < most
        )
    for corrupted, mask in (
        data.add_gaussian(images(), 0),
        data.add_laplace(images(), 0),
    ):
        np.testing.assert_array_equal(corrupted, images())
        assert not mask.any()


@pytest.mark.parametrize(
    ("p", "s_vs_p"), [(0, 0.5), (0.1, 0.5), (0.33, 0.4), (1, 0), (0.7, 1)]
)
def test_salt_and_pepper_counts(p, s_vs_p):
    for n_features in (1, 7, 60):
        A = np.full((4, n_features), 0.5)
        corrupted, mask = data.add_salt_and_pepper(A, p, s_vs_p=s_vs_p, random_state=0)
        hit = round(p * n_features)
        np.testing.assert_array_equal(mask.sum(axis=1), hit)
        np.testing.assert_array_equal((corrupted == 1).sum(axis=1), round(s_vs_p * hit))
        np.testing.assert_array_equal(
            (corrupted == 0).sum(axis=1), hit - round(s_vs_p * hit)
        )
        assert (corrupted[~mask] == 0.5).all()


@pytest.mark.parametrize("shape", [(1, 1), (3, 8), (9, 4)])
@pytest.mark.parametrize(("n", "fraction"), [(1, 1), (12, 0), (12, 0.4), (7, 0.5)])
def test_blocks_are_squares_inside_the_image(shape, n, fraction):
    A = np.full((n, np.prod(shape)), 0.5)
    for block in range(1, min(shape) + 1):
        for value in (1.0, 2.0):
            options = {"random_state": 0} | ({} if value == 1 else {"value": value})
            corrupted, mask = data.add_blocks(
                A, shape, block, fraction=fraction, **options
            )
            np.testing.assert_array_equal(corrupted, np.where(mask, value, 0.5))
        hit = [np.argwhere(image) for image in mask.reshape(n, *shape) if image.any()]
        assert len(hit) == round(fraction * n)
        for places in hit:
            assert (np.ptp(places, axis=0) == block - 1).all() and len(
                places
            ) == block**2


def test_each_place_of_a_block_is_as_likely_up_to_the_edges():
    _, mask = data.add_blocks(np.zeros((3000, 20)), (4, 5), 2, random_state=0)
    ways = np.outer([1, 2, 2, 1], [1, 2, 2, 2, 1]) / (3 * 4)
    np.testing.assert_allclose(mask.mean(axis=0), ways.ravel(), atol=0.03)


BAD = [
    (lambda A: data.add_gaussian(A, -0.1), "sigma must be a finite number, at least 0"),
    (lambda A: data.add_laplace(A, 1, loc=np.nan), "loc must be a finite number"),
    (lambda A: data.add_salt_and_pepper(A, 1.1), "p must be between 0 and 1"),
    (lambda A: data.add_salt_and_pepper(A, 0.1, s_vs_p=-1), "s_vs_p must be between"),
    (
        lambda A: data.add_blocks(A, SHAPE, 10),
        "block must be a whole number from 1 to 9",
    ),
    (lambda A: data.add_blocks(A, (9, 9), 2), "9×9 pixels, but A has 108 columns"),
    (lambda A: data.add_blocks(A, (12, 9, 1), 2), "shape must be a pair"),
    (lambda A: data.add_blocks(A, SHAPE, 2, fraction=30), "fraction must be between"),
    (lambda A: data.add_blocks(A, SHAPE, 2, value=-1), "value must be"),
    (lambda A: add_scarf(A, SHAPE, fraction=np.nan), "fraction must be"),
    (lambda A: add_sunglasses(A, SHAPE, eye_height=0.09), "eye_height must be"),
    (lambda A: add_sunglasses(A[:, :36], (6, 6)), "at least 8×8 pixels, got 6×6"),
    (lambda A: add_scarf(A[:, :84], (12, 7)), "at least 8×8"),
    (lambda A: data.random_low_rank(3, 0, 1), "n_samples == 0, must be >= 1"),
    (lambda A: data.random_low_rank(3, 3, 1, noise=-1), "noise must be"),
    (lambda A: data.toy_houses(0), "n_samples == 0, must be >= 1"),
]


def test_bad_arguments():
    for call, told in BAD:
        with pytest.raises(ValueError, match=told):
            call(images())


def test_toy_houses():
    houses = data.toy_houses(40, random_state=0)
    assert houses.parts.shape == (7, 1024) and set(np.unique(houses.parts)) == {0, 1}
    assert houses.parts.sum(axis=0).max() == 1  # no pixel belongs to two parts
    assert houses.parts.sum(axis=1).astype(int).tolist() == [
        172,
        88,
        24,
        20,
        21,
        44,
        69,
    ]
    assert (
        0.1 <= houses.brightness.min() < 0.15 and 0.75 < houses.brightness.max() <= 0.8
    )
    np.testing.assert_array_equal(houses.data, houses.brightness @ houses.parts)
    np.testing.assert_array_equal(houses.images.reshape(40, -1), houses.data)


def test_a_pixel_whose_center_is_on_the_edge_is_covered():
    _, mask = add_sunglasses(
        np.ones((1, 2500)), (25, 100), eye_height=0.25, random_state=0
    )
    assert mask.reshape(25, 100)[
        9, [28, 71]
    ].all()  # 0.13 below the middle of each lens
    _, mask = add_scarf(np.ones((1, 144)), (12, 12), random_state=0)
    assert mask.reshape(12, 12)[7, [4, 7]].all()  # 7.5/12 = 0.62 + 0.08 (1/4)²
