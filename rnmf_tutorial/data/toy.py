"""Small problems whose answer is known."""

import numbers

import numpy as np

from rnmf_tutorial.data.arguments import check_at_least_zero


def random_low_rank(
    n_features: int,
    n_samples: int,
    n_components: int,
    *,
    noise: float = 0.0,
    random_state: int | np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw a non-negative matrix of low rank, with the factors it was made of.

    `W` and `H` have independent entries, uniform on [0, 1); ``X = W @ H``, plus Gaussian noise
    if asked for, with what falls below zero set to zero.

    Parameters
    ----------
    n_features, n_samples, n_components : int
        At least 1 each.
    noise : float, default=0.0
        Standard deviation of the noise, at least 0, in units of `X`.
    random_state : int, numpy.random.Generator or None, default=None

    Returns
    -------
    X : float64 array of shape (n_features, n_samples)
        A sample is a column, as everywhere inside the package.
    W : float64 array of shape (n_features, n_components)
    H : float64 array of shape (n_components, n_samples)

    Raises
    ------
    ValueError
        If a size is below 1 or `noise` is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.data import random_low_rank
    >>> X, W, H = random_low_rank(6, 5, 2, random_state=0)
    >>> X.shape, bool(np.allclose(X, W @ H)), int(np.linalg.matrix_rank(X))
    ((6, 5), True, 2)
    """
    sizes = n_features, n_samples, n_components
    if not all(isinstance(size, numbers.Integral) and size > 0 for size in sizes):
        raise ValueError(
            "n_features, n_samples and n_components must be whole numbers, at least 1, got"
            f" {n_features}, {n_samples}, {n_components}."
        )
    check_at_least_zero(noise, "noise")
    rng = np.random.default_rng(random_state)
    W = rng.random((n_features, n_components))
    H = rng.random((n_components, n_samples))
    X = W @ H
    if noise > 0:
        X = np.maximum(X + rng.normal(0.0, noise, X.shape), 0)
    return X, W, H
