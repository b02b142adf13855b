"""Corrupt clean data, and return a mask of the corrupted entries.

Every function takes data with one sample per row, leaves it untouched, and returns
``(corrupted, mask)``. The mask is True at every entry that the corruption was applied
to, also where the new value happens to equal the old one; everywhere else ``corrupted``
equals the input.
"""

import numbers

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array
from sklearn.utils.validation import check_non_negative

from rnmf_tutorial.validation import refuse_mask

__all__ = ["add_blocks", "add_gaussian", "add_laplace", "add_salt_and_pepper"]

Seed = int | np.random.Generator | None
Corrupted = tuple[np.ndarray, np.ndarray]
#: What a number may be: in words, the least and the largest.
FRACTION = "between 0 and 1", 0, 1
AT_LEAST_ZERO = "a finite number, at least 0", 0, np.inf
FINITE = "a finite number", -np.inf, np.inf


def add_gaussian(A: ArrayLike, sigma: float, *, random_state: Seed = None) -> Corrupted:
    """Add Gaussian noise to every entry, and set what falls below zero to zero.

    Values above one are kept: the factorizations need non-negative data, nothing more.

    Parameters
    ----------
    A : array of shape (n_samples, n_features)
        Non-negative data, usually in [0, 1].
    sigma : float
        Standard deviation of the noise, at least 0, in units of `A`.
    random_state : int, numpy.random.Generator or None, default=None

    Returns
    -------
    corrupted : array of shape (n_samples, n_features)
    mask : bool array of shape (n_samples, n_features)
        True everywhere, unless `sigma` is 0.

    Raises
    ------
    ValueError
        If `A` is not a finite, non-negative matrix or `sigma` is negative.

    References
    ----------
    Díaz, Steele, Nguyen. Analysis of the robustness of NMF algorithms, equation (26),
    which lacks the exponential's e.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.data import add_gaussian
    >>> corrupted, mask = add_gaussian(np.full((50, 200), 0.8), 0.1, random_state=0)
    >>> round(float(corrupted.std()), 2), bool(mask.all())
    (0.1, True)
    """
    A = data_copy(A)
    check_number(sigma, "sigma", AT_LEAST_ZERO)
    noise = np.random.default_rng(random_state).normal(0.0, sigma, A.shape)
    return np.maximum(A + noise, 0).astype(A.dtype), np.full(A.shape, sigma > 0)


def add_laplace(
    A: ArrayLike, scale: float, *, loc: float = 0.0, random_state: Seed = None
) -> Corrupted:
    r"""Add Laplace noise to every entry, and set what falls below zero to zero.

    Parameters
    ----------
    A : array of shape (n_samples, n_features)
        Non-negative data, usually in [0, 1].
    scale : float
        The :math:`b` of the density :math:`e^{-|t - \mu| / b} / 2b`, at least 0, in
        units of `A`. The standard deviation is :math:`\sqrt2\,b`.
    loc : float, default=0.0
        The mean :math:`\mu` of the noise.
    random_state : int, numpy.random.Generator or None, default=None

    Returns
    -------
    corrupted : array of shape (n_samples, n_features)
    mask : bool array of shape (n_samples, n_features)
        True everywhere, unless `scale` and `loc` are 0.

    Raises
    ------
    ValueError
        If `A` is not a finite, non-negative matrix, `scale` is negative or `loc` not
        finite.

    References
    ----------
    Díaz, Steele, Nguyen. Analysis of the robustness of NMF algorithms, equation (27).
    Guan et al. Truncated Cauchy non-negative matrix factorization, section 5.2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.data import add_laplace
    >>> corrupted, mask = add_laplace(np.full((50, 200), 2.0), 0.1, random_state=0)
    >>> round(float(corrupted.std()), 2), bool(mask.all())
    (0.14, True)
    """
    A = data_copy(A)
    check_number(scale, "scale", AT_LEAST_ZERO)
    check_number(loc, "loc", FINITE)
    noise = np.random.default_rng(random_state).laplace(loc, scale, A.shape)
    return np.maximum(A + noise, 0).astype(A.dtype), np.full(
        A.shape, scale > 0 or loc != 0
    )


def add_salt_and_pepper(
    A: ArrayLike, p: float, *, s_vs_p: float = 0.5, random_state: Seed = None
) -> Corrupted:
    """Replace a fraction of the entries of every sample by one (salt) or zero (pepper).

    Of the n_features entries of each sample, ``round(p * n_features)`` are drawn
    without replacement; ``round(s_vs_p * that number)`` of them become salt, the others
    pepper.

    Parameters
    ----------
    A : array of shape (n_samples, n_features)
        Non-negative data in [0, 1].
    p : float
        Fraction of entries to replace, in [0, 1].
    s_vs_p : float, default=0.5
        Fraction of the replaced entries that become salt, in [0, 1].
    random_state : int, numpy.random.Generator or None, default=None

    Returns
    -------
    corrupted : array of shape (n_samples, n_features)
    mask : bool array of shape (n_samples, n_features)
        True at the replaced entries.

    Raises
    ------
    ValueError
        If `A` is not a finite, non-negative matrix, or `p` or `s_vs_p` is outside [0,
        1].

    References
    ----------
    Díaz, Steele, Nguyen. Analysis of the robustness of NMF algorithms, section 3.5.1.
    Guan et al. Truncated Cauchy non-negative matrix factorization, section 5.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.data import add_salt_and_pepper
    >>> A = np.full((3, 100), 0.5)
    >>> corrupted, mask = add_salt_and_pepper(A, 0.2, s_vs_p=0.25, random_state=0)
    >>> mask.sum(axis=1).tolist(), (corrupted == 1).sum(axis=1).tolist()
    ([20, 20, 20], [5, 5, 5])
    """
    A = data_copy(A)
    check_number(p, "p", FRACTION)
    check_number(s_vs_p, "s_vs_p", FRACTION)
    n_hit = round(p * A.shape[1])
    n_salt = round(s_vs_p * n_hit)
    kind = np.zeros(A.shape, dtype=np.int8)
    kind[:, :n_salt] = 1
    kind[:, n_salt:n_hit] = 2
    kind = np.random.default_rng(random_state).permuted(kind, axis=1)
    A[kind == 1] = 1
    A[kind == 2] = 0
    return A, kind > 0


def add_blocks(
    A: ArrayLike,
    shape: tuple[int, int],
    block: int,
    *,
    fraction: float = 1.0,
    value: float = 1.0,
    random_state: Seed = None,
) -> Corrupted:
    """Superimpose one square block on a random fraction of the images.

    ``round(fraction * n_samples)`` images are drawn without replacement. Each gets one
    block, at a place drawn uniformly from all places where the block lies inside the
    image.

    Parameters
    ----------
    A : array of shape (n_samples, height * width)
        Non-negative images, one flattened image per row.
    shape : (int, int)
        Height and width of the images, in pixels.
    block : int
        Side of the block, in pixels.
    fraction : float, default=1.0
        Fraction of the images that get a block, in [0, 1].
    value : float, default=1.0
        Value of the block's pixels, at least 0. Values above one are allowed: Guan et
        al. use 550 on a scale of 0 to 255, which is 550 / 255 here.
    random_state : int, numpy.random.Generator or None, default=None

    Returns
    -------
    corrupted : array of shape (n_samples, height * width)
    mask : bool array of shape (n_samples, height * width)
        True inside the blocks.

    Raises
    ------
    ValueError
        If `A` is not a finite, non-negative matrix of images of that shape, the block
        does not fit, or `fraction` or `value` is out of range.

    References
    ----------
    Zhang, Chen, Zheng, He. Robust non-negative matrix factorization, section 5.1 (30%
    of the images, white 8×8 blocks). Guan et al. Truncated Cauchy non-negative matrix
    factorization, section 5.2.3.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.data import add_blocks
    >>> corrupted, mask = add_blocks(np.zeros((10, 12)), (3, 4), 2, fraction=0.3, random_state=0)
    >>> sorted(mask.sum(axis=1).tolist())
    [0, 0, 0, 0, 0, 0, 0, 4, 4, 4]
    """
    A = data_copy(A)
    height, width = image_shape(A, shape)
    if not isinstance(block, numbers.Integral) or not 1 <= block <= min(height, width):
        raise ValueError(
            f"block must be a whole number from 1 to {min(height, width)}, got {block!r}."
        )
    check_number(value, "value", AT_LEAST_ZERO)
    rng = np.random.default_rng(random_state)
    chosen = choose_images(A, fraction, rng)
    tops = rng.integers(height - block + 1, size=chosen.size)
    lefts = rng.integers(width - block + 1, size=chosen.size)
    mask = np.zeros((len(A), height, width), dtype=bool)
    for i, top, left in zip(chosen, tops, lefts, strict=True):
        mask[i, top : top + block, left : left + block] = True
    mask = mask.reshape(A.shape)
    A[mask] = value
    return A, mask


def data_copy(A):
    """Return a checked copy of the data, float32 if it was float32 and float64 otherwise."""
    refuse_mask(A, "A")
    A = check_array(
        A, dtype=[np.float64, np.float32], copy=True, order="C", input_name="A"
    )
    check_non_negative(A, "a corruption (A)")
    return A


def choose_images(A, fraction, rng):
    """Draw a fraction of the images."""
    check_number(fraction, "fraction", FRACTION)
    return rng.choice(len(A), size=round(fraction * len(A)), replace=False)


def image_shape(A, shape):
    """Return the height and width of flattened images, checked."""
    height, width = whole_pair(shape, "shape must be a pair (height, width) in pixels")
    if height * width != A.shape[1]:
        raise ValueError(
            f"shape says {height}×{width} pixels, but A has {A.shape[1]} columns:"
            " give the height and width of the flattened images."
        )
    return height, width


def check_number(value, name, allowed):
    """Raise ValueError unless a value is a finite number in the range that is allowed."""
    words, least, most = allowed
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (real and np.isfinite(value) and least <= value <= most):
        raise ValueError(f"{name} must be {words}, got {value!r}.")


def whole_pair(value, wanted):
    """Return two positive whole numbers; raise ValueError if that is not what is given."""
    whole = [
        n for n in np.atleast_1d(value) if isinstance(n, numbers.Integral) and n > 0
    ]
    if np.shape(value) != (2,) or len(whole) != 2:
        raise ValueError(f"{wanted}, got {value!r}.")
    return tuple(value)
