"""What a search changes in a copy of the data: entries that it hides, damage that it plants."""

import numpy as np
from scipy.sparse import issparse

from rnmf_tutorial.validation import as_floats


def as_table(A, caller):
    """Return dense data as floats, NaN where an entry is missing; say what to do with others.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        The data.
    caller : str
        Name of the caller for error messages.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Raises
    ------
    TypeError
        If A is sparse, or one of Dask's collections.
    ValueError
        If A is no table of numbers.

    Examples
    --------
    >>> as_table([[1, None]], "mark")
    array([[ 1., nan]])
    """
    if issparse(A) or hasattr(A, "__dask_graph__"):
        given, dense = (
            ("sparse data", "toarray") if issparse(A) else ("a Dask array", "compute")
        )
        raise TypeError(
            f"{caller} needs a dense array: of {given}, take some rows, also for the fit, as "
            f"A[:1000].{dense}(), and fit a model that was chosen on them to all data, as "
            "clone(search.best_estimator_).fit(A)."
        )
    return as_floats(A, caller, negative=True)


def are_counts(values):
    """Return whether all entries are whole numbers of at least 0, none larger than 1/ε."""
    known = values[~np.isnan(values)]
    most = 1 / np.finfo(values.dtype).eps
    return bool(((known >= 0) & (known == np.round(known)) & (known <= most)).all())


def checked_shape(shape, n_features):
    """Return the shape of a sample as a tuple; raise an error if it is none of these features.

    Parameters
    ----------
    shape : int or tuple of int
        One, two or three sizes.
    n_features : int
        Their product.

    Returns
    -------
    tuple of int

    Raises
    ------
    ValueError
        If these are no such sizes.

    Examples
    --------
    >>> checked_shape(64, 64), checked_shape([8, 8], 64)
    ((64,), (8, 8))
    """
    sizes = np.atleast_1d(shape).tolist()
    whole = all(type(n) is int and n > 0 for n in sizes) and 1 <= len(sizes) <= 3
    if not whole or np.prod(sizes) != n_features:
        raise ValueError(
            f"shape={shape!r} must be that of a sample: one, two or three whole numbers whose "
            f"product is the number of features, {n_features}, such as ({n_features},)."
        )
    return tuple(sizes)


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
    order = rng.permutation(np.flatnonzero(known))
    hidden = np.zeros(known.shape, bool)
    hidden.flat[order[: round(share * len(order))]] = True
    for lines, of_known in ((hidden, known), (hidden.T, known.T)):
        emptied = np.flatnonzero(~(of_known & ~lines).any(axis=1))
        lines[emptied, of_known[emptied].argmax(axis=1)] = (
            False  # a view: `hidden` changes
        )
    if not hidden.any():
        raise ValueError(
            f"Of {len(order)} known entries none can be hidden: holdout={share:g} must hide one, "
            "and leave one in every sample and feature. Take a larger holdout, or more data."
        )
    return hidden


def planted_values(A, where, rng):
    """Return a copy with errors: half are values from other places, half the two extreme values.

    So the errors have the data's own unit. A value that is drawn may be the one that
    was there.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
        The data; NaN where an entry is missing.
    where : ndarray of bool of shape (n_samples, n_features)
        The places of the errors.
    rng : RandomState
        Draws.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> A, where = np.arange(12.0).reshape(3, 4), np.eye(3, 4, dtype=bool)
    >>> damaged = planted_values(A, where, np.random.RandomState(0))
    >>> bool((damaged == A)[~where].all()), bool(np.isin(damaged, A).all())
    (True, True)
    """
    values = A[~np.isnan(A)]
    n = int(where.sum())
    errors = rng.choice(values, n)
    extreme = rng.uniform(size=n) < 0.5
    errors[extreme] = rng.choice([values.min(), values.max()], int(extreme.sum()))
    damaged = A.copy()
    damaged[where] = errors
    return damaged


def planted_damage(A, plant, share, shape, rng):
    """Return a damaged copy of the data, and the entries at which a model is scored.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
        The data; NaN where an entry is missing.
    plant : str, callable or None
        One of :data:`PLANTS`, or what takes A and `rng` and returns the pair; None
        hides entries.
    share : float
        The part of each sample, or of the samples, that is hidden or written over.
    shape : int, tuple of int or None
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
        damaged, scored = map(np.asarray, plant(A.copy(), rng))
        if damaged.shape != A.shape or scored.shape != A.shape or scored.dtype != bool:
            raise ValueError(
                f"plant must return the damaged data and an array of booleans, both of the shape "
                f"{A.shape}; it returned {damaged.shape} and {scored.dtype} {scored.shape}."
            )
    else:
        shape = A.shape[1:] if shape is None else checked_shape(shape, A.shape[1])
        damaged, scored = PLANTS[plant](A, share, shape, rng)
    damaged = np.where(np.isnan(A), np.nan, damaged).astype(A.dtype, copy=False)
    return damaged, scored & ~np.isnan(A) & (damaged != A)


def _hide(A, share, shape, rng):
    hidden = hidden_entries(~np.isnan(A), share, rng)
    return np.where(hidden, np.nan, A), hidden


def _entries(A, share, shape, rng):
    where = hidden_entries(~np.isnan(A), share, rng)
    return planted_values(A, where, rng), where


def _rows(A, share, shape, rng):
    """Overwrite samples, and hide entries of the others: nothing shows what a lost sample was."""
    lost = np.zeros(A.shape, bool)
    lost[rng.permutation(len(A))[: max(1, round(share * len(A)))]] = True
    damaged = planted_values(A, lost & ~np.isnan(A), rng)
    hidden = hidden_entries(~np.isnan(A), share, rng) & ~lost
    return np.where(hidden, np.nan, damaged), hidden


def _blocks(A, share, shape, rng):
    """Write one box of the smallest or the largest value into every sample."""
    damaged = A.copy()
    where = np.zeros(A.shape, bool)
    ends = (np.nanmin(A), np.nanmax(A))
    part = share ** (1 / max(1, sum(n > 1 for n in shape)))
    sides = [max(1, round(part * n)) for n in shape]
    for sample, hit in zip(
        damaged.reshape(-1, *shape), where.reshape(-1, *shape), strict=True
    ):
        corner = [rng.randint(n - k + 1) for n, k in zip(shape, sides, strict=True)]
        box = tuple(slice(i, i + k) for i, k in zip(corner, sides, strict=True))
        sample[box] = ends[rng.randint(2)]
        hit[box] = True
    return damaged, where


#: Name -> a function of the data, the share, the shape of a sample and the draws.
PLANTS = {None: _hide, "entries": _entries, "blocks": _blocks, "rows": _rows}
