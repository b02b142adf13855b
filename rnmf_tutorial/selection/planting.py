"""Damage that is planted in a copy of the data, to see which model undoes it."""

import numpy as np

from rnmf_tutorial.selection.hiding import hidden_entries, planted_values

__all__ = ["PLANTS", "planted_damage"]


def _entries(A, share, shape, rng):
    where = hidden_entries(~np.isnan(A), share, rng)
    return planted_values(A, where, rng), where


def _rows(A, share, shape, rng):
    """Overwrite samples, and hide entries of the others: what was in a lost sample, none tells."""
    lost = np.zeros(A.shape, bool)
    lost[rng.permutation(len(A))[: max(1, round(share * len(A)))]] = True
    damaged = planted_values(A, lost & ~np.isnan(A), rng)
    hidden = hidden_entries(~np.isnan(A), share, rng) & ~lost
    damaged[hidden] = np.nan
    return damaged, hidden


def _solid(boxes):
    """Return the function that writes solid boxes into every sample, by `boxes` of one sample."""

    def plant(A, share, shape, rng):
        damaged, where = A.copy(), np.zeros(A.shape, bool)
        ends = np.nanmin(A), np.nanmax(A)
        pictures = zip(damaged.reshape(-1, *shape), where.reshape(-1, *shape), strict=True)
        for picture, hit in pictures:
            for sides in boxes(share, shape, rng):
                corner = [rng.randint(n - k + 1) for n, k in zip(shape, sides, strict=True)]
                box = tuple(slice(i, i + k) for i, k in zip(corner, sides, strict=True))
                picture[box], hit[box] = ends[rng.randint(2)], True
        damaged[np.isnan(A)] = np.nan
        return damaged, where

    return plant


def _block(share, shape, rng):
    part = share ** (1 / max(1, sum(n > 1 for n in shape)))
    return [[max(1, round(part * n)) for n in shape]]


def _band(share, shape, rng):
    across = rng.choice([k for k, n in enumerate(shape) if n > 1] or [0])
    return [[max(1, round(share * n)) if k == across else n for k, n in enumerate(shape)]]


def _bursts(share, shape, rng):
    """As many as each is long."""
    n = max(1, round(np.sqrt(share * np.prod(shape))))
    return [[*np.ones(len(shape) - 1, int), min(n, shape[-1])]] * n


#: Name -> a function of the data, the share, the shape of a sample and the draws.
PLANTS = {
    "entries": _entries,
    "blocks": _solid(_block),
    "bands": _solid(_band),
    "bursts": _solid(_bursts),
    "rows": _rows,
}


def planted_damage(A, plant, share, shape, rng):
    """Return damaged data, and the entries on which a model is scored.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
        The data; NaN where an entry is missing.
    plant : str or callable
        One of :data:`PLANTS`, or what takes A and `rng` and returns the pair.
    share : float
        The part of each sample, or of the samples, that is written over.
    shape : tuple of int or None
        Of a sample; None for (n_features,).
    rng : RandomState
        Draws.

    Returns
    -------
    damaged : ndarray of shape (n_samples, n_features)
    scored : ndarray of bool of shape (n_samples, n_features)
        Known entries that are others, or missing, in `damaged`.

    Raises
    ------
    ValueError
        If a callable returns something else.

    Examples
    --------
    >>> A = np.random.default_rng(0).uniform(1, 2, (3, 100))
    >>> rng = np.random.RandomState(0)
    >>> planted_damage(A, "blocks", 0.09, (10, 10), rng)[1].sum(axis=1).tolist()
    [9, 9, 9]
    """
    if callable(plant):
        try:
            damaged, scored = (np.asarray(found) for found in plant(A.copy(), rng))
        except (TypeError, ValueError) as error:
            raise ValueError(
                "plant must return a pair, the damaged data and an array that is True where they "
                f"were damaged: {error}"
            ) from error
        if damaged.shape != A.shape or scored.shape != A.shape or scored.dtype != bool:
            raise ValueError(
                f"plant must return the damaged data and an array of booleans, both of the shape "
                f"{A.shape}; it returned {damaged.shape} and {scored.dtype} {scored.shape}."
            )
        damaged = np.where(np.isnan(A), np.nan, damaged).astype(A.dtype)
    else:
        shape = A.shape[1:] if shape is None else shape
        damaged, scored = PLANTS[plant](A, share, shape, rng)
    return damaged, scored & ~np.isnan(A) & (damaged != A)
