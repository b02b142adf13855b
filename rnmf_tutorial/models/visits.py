"""What is done with one chunk of a Dask array, by whichever worker has it.

`block` is the chunk, samples × features; H are its columns of H. A visit returns the new ones, and
what the sums over the chunks are made of.
"""

import numpy as np

from rnmf_tutorial.arrays import unit_columns
from rnmf_tutorial.models.cleaning import filled
from rnmf_tutorial.solvers.coordinate import fit_coefficients


def known(block, W, H):
    """Return a chunk as features × samples, and which entries are missing; these are filled."""
    X = block.T
    if not np.isnan(block.sum()):
        return X, None
    missing = np.isnan(X)
    return filled(X.copy(order="K"), missing, W, H), missing


def weigh(model, block, W, H):
    """Visit a chunk for Lee and Seung's updates, plain or with weights inside."""
    X, _ = known(block, W, H)
    objective, H, up, down = model.half_sweep(X, W, H)
    return H, (objective, up, down)


def correct(model, block, W, H, V=None):
    """Visit a chunk for an error matrix, which a sweep finds first, and updates H by last.

    S is that of W and H. If `V` is the W that follows from it, H follows too, and the visit moves
    on to these two, with S still what the sweep has found.
    """
    X, missing = known(block, W, H)
    now = model.start(X, W, H)
    if V is not None:
        W, H = unit_columns(V, model.coefficients(X - now.S, V, H))
        X = filled(X, missing, W, H)
    objective = model.objective(X, W, H, now)
    cleaned = X - model.start(X, W, H).S
    return H, (objective, cleaned @ H.T, W @ (H @ H.T))


def fit_cleaned(model, block, W, H):
    """Visit a chunk for coordinate descent on the cleaned data."""
    X, _ = known(block, W, H)
    seen = model.look(X, W, H, model.state_at_hand(X))
    H, *sums = fit_coefficients(seen.M, W, H, weights=seen.weights, WtM=seen.WtM)
    return H, (seen.objective, *sums)


def settle(model, block, W, H):
    """Return the coefficients that a fit ends with."""
    X, missing = known(block, W, H)
    return model.final_coefficients(X, W, H, missing), ()


def shown(model, field, block, W, H):
    """Return a field of the state at W and H, samples × features."""
    return getattr(model.start(known(block, W, H)[0], W, H), field).T


def transformed(model, block, first):
    """Encode the samples of a chunk; an error says which chunk it is about."""
    try:
        return model.transform(block)
    except ValueError as error:
        raise ValueError(f"In the chunk that begins with sample {first}: {error}") from None


def surveyed(block):
    """Return least, most, sum and number of the entries, and which samples, features have none."""
    missing = np.isnan(block)
    least = np.where(missing, np.inf, block).min()
    values = np.where(missing, 0, block)
    count = block.size - np.count_nonzero(missing)
    total = values.sum(dtype=np.float64)
    return least, values.max(), total, count, missing.all(axis=1), missing.all(axis=0)


def as_numbers(block, dtype):
    """Return a chunk as an array in C order, NaN where a mask hides an entry."""
    if np.ma.isMaskedArray(block):
        block = block.astype(dtype).filled(np.nan)
    return np.ascontiguousarray(block, dtype=dtype)


def added(parts):
    """Return the sums of what several chunks bring."""
    return tuple(map(sum, zip(*parts, strict=True)))
