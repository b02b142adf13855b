"""Which entries are hidden, and what planted errors put there."""

import numpy as np

from rnmf_tutorial.inputs import as_floats

__all__ = ["hidden_entries", "hidden_region", "hidden_regions", "planted_values"]

_NONE_HIDDEN = (
    "Of {} known entries none can be hidden: a holdout of {:g} must leave every sample and every "
    "feature at least one, and hide at least one. Take a larger holdout, or more data."
)


def hidden_entries(known, share, rng):
    """Draw entries to hide, so that every sample and every feature keeps at least one.

    Parameters
    ----------
    known : ndarray of bool of shape (n_samples, n_features)
        The entries that are not missing.
    share : float
        The part of them to hide, between 0 and 1.
    rng : RandomState
        Draws.

    Returns
    -------
    ndarray of bool of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If no entry can be hidden.

    Examples
    --------
    >>> hidden = hidden_entries(np.ones((20, 10), bool), 0.1, np.random.RandomState(0))
    >>> int(hidden.sum())
    20
    """
    known = np.asarray(known, dtype=bool)
    order = rng.permutation(np.flatnonzero(known))
    wanted = round(share * len(order))
    hidden = np.zeros(known.shape, bool)
    hidden.flat[order[:wanted]] = True
    left = known & ~hidden
    if not (left.any(axis=0).all() and left.any(axis=1).all()):  # then one after the other
        hidden[:] = False
        rows, columns = known.sum(axis=1).tolist(), known.sum(axis=0).tolist()
        for place in order.tolist():
            if wanted == 0:
                break
            i, j = divmod(place, known.shape[1])
            if rows[i] > 1 and columns[j] > 1:
                hidden[i, j] = True
                rows[i], columns[j], wanted = rows[i] - 1, columns[j] - 1, wanted - 1
    if not hidden.any():
        raise ValueError(_NONE_HIDDEN.format(len(order), share))
    return hidden


def hidden_regions(known, shape, share, rng):
    """Draw regions to hide, so that every sample and every feature keeps at least one entry.

    A region is a box of a quarter of each side of a sample: a run of features, a rectangle of
    pixels, a block of voxels. The samples take turns until enough entries are hidden.

    Parameters
    ----------
    known : ndarray of bool of shape (n_samples, n_features)
        The entries that are not missing.
    shape : tuple of int
        Of a sample.
    share : float
        The part of the known entries to hide, between 0 and 1.
    rng : RandomState
        Draws.

    Returns
    -------
    ndarray of int of shape (n_samples, n_features)
        The number of the region that an entry belongs to, -1 where none is hidden.

    Raises
    ------
    ValueError
        If no entry can be hidden.

    Examples
    --------
    >>> regions = hidden_regions(np.ones((20, 64), bool), (8, 8), 0.1, np.random.RandomState(0))
    >>> np.bincount(regions[regions >= 0]).max().item(), (regions >= 0).mean().item()
    (4, 0.1)
    """
    known = np.asarray(known, dtype=bool)
    left, regions = known.copy(), np.full(known.shape, -1)
    features = np.arange(known.shape[1]).reshape(shape)
    sides = [max(1, round(n / 4)) for n in shape]
    rows, columns = known.sum(axis=1), known.sum(axis=0)
    wanted, number, before = round(share * known.sum()), 0, None
    while wanted > 0 and wanted != before:  # until a round over the samples hides nothing new
        before = wanted
        for i in rng.permutation(len(known)):
            corner = [rng.randint(n - k + 1) for n, k in zip(shape, sides, strict=True)]
            box = features[tuple(slice(a, a + k) for a, k in zip(corner, sides, strict=True))]
            box = box.ravel()
            box = box[left[i, box] & (columns[box] > 1)][:wanted]
            if not 0 < len(box) < rows[i]:
                continue
            left[i, box], regions[i, box] = False, number
            rows[i], wanted, number = rows[i] - len(box), wanted - len(box), number + 1
            columns[box] -= 1
    if number == 0:
        raise ValueError(_NONE_HIDDEN.format(known.sum(), share))
    return regions


def hidden_region(holdout, shape):
    """Return the entries that an array names, True or 1 where one is hidden."""
    try:
        region = as_floats(holdout, "MaskedSearchCV as holdout")
    except (TypeError, ValueError) as error:
        raise ValueError(
            "holdout must be a share between 0 and 1, or an array that is True or 1 where an "
            f"entry is hidden: {error}"
        ) from error
    if region.shape != shape:
        raise ValueError(f"holdout has the shape {region.shape}; the data have {shape}.")
    if not np.isin(region, (0, 1)).all():
        raise ValueError(
            "holdout must be True or 1 where an entry is hidden, and False or 0 elsewhere; it "
            "has other values."
        )
    return region == 1


def planted_values(A, planted, rng):
    """Return the data with known errors: planted entries get the value of another entry.

    The values are those of the data at random places, half of them, and the smallest and the
    largest of the data, so that the errors have the data's own unit. Such a value may be the one
    that was there: then nothing is planted.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
        The data; NaN where an entry is missing.
    planted : ndarray of bool of shape (n_samples, n_features)
        Where the errors go.
    rng : RandomState
        Draws.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> A, planted = np.arange(12.0).reshape(3, 4), np.eye(3, 4, dtype=bool)
    >>> spoiled = planted_values(A, planted, np.random.RandomState(0))
    >>> bool((spoiled == A)[~planted].all()), bool(np.isin(spoiled, A).all())
    (True, True)
    """
    values = A[~np.isnan(A)]
    n = int(planted.sum())
    errors = rng.choice(values, n)
    extreme = rng.uniform(size=n) < 0.5
    errors[extreme] = rng.choice([values.min(), values.max()], int(extreme.sum()))
    spoiled = A.copy()
    spoiled[planted] = errors
    return spoiled
