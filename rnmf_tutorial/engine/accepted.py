"""What data a model takes, and what it says of those that it does not."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from rnmf_tutorial.validation import as_floats, as_sparse_floats, refuse_empty

__all__ = ["accepted", "check_range", "refuse_missing"]


def accepted(model, A, method):
    """Return A as X, features × samples in Fortran order, and which entries are missing.

    Where entries are missing, X is a copy with the mean of the others in their place; elsewhere it
    is a view, and the second result is None. Of a sparse A, X is a CSC array.
    """
    caller = f"{type(model).__name__}.{method}"
    if issparse(A):
        return _accepted_sparse(model, A, method), None
    floats = as_floats(A, caller)
    # the names and the number of the features
    validate_data(model, A, reset=method == "fit", skip_check_array=True)
    missing = np.isnan(floats) if np.isnan(floats.sum()) else None
    if missing is not None:
        if not model.takes_missing:
            refuse_missing(model)
        refuse_empty(floats, caller, features=method == "fit")
        mean = floats[~missing].mean(dtype=np.float64).astype(floats.dtype)
        floats = np.where(missing, mean, floats)
    check_range(model, float(floats.max()), floats.shape, floats.dtype, method)
    return floats.T, None if missing is None else missing.T


def _accepted_sparse(model, A, method):
    """Return a sparse A as X, features × samples in CSC order."""
    name = type(model).__name__
    caller = f"{name}.{method}"
    if not model.takes_sparse:
        which = f" with solver={model.solver!r}" if type(model).takes_sparse else ""
        raise TypeError(
            f"Sparse data were passed to {caller}, but {name}{which} needs dense data, because "
            f"it visits the zeros too. Pass A.toarray() if its "
            f"{8e-9 * np.prod(A.shape, dtype=float):.2g} GB fit into memory five times; otherwise "
            "fit some samples, A[:1000].toarray(), and transform the others in parts. Those that "
            f"take sparse data are {_those_with('takes_sparse')}; where there is a choice, with "
            "solver='cd'."
        )
    A = as_sparse_floats(A, caller)
    validate_data(model, A, reset=method == "fit", skip_check_array=True)
    check_range(model, float(A.max()), A.shape, A.dtype, method)
    return A.T


def check_range(model, largest, shape, dtype, method):
    """Raise an error for data of such a size and shape that no fit can take."""
    limits = np.finfo(dtype)
    most = np.sqrt(float(limits.max) / (1e3 * np.prod(shape, dtype=float)))  # of summed squares
    # The denominators of an update have a floor; with W normalized they go as the square.
    least = np.sqrt(1e3 * np.sqrt(float(limits.tiny))) if method == "fit" else 0
    if largest > most or 0 < largest < least:
        raise ValueError(
            f"The largest entry of the data passed to {type(model).__name__}.{method} is "
            f"{largest:g}; {dtype} can hold the products of such data only between "
            f"{least:.0e} and {most:.0e}. Give the data another unit: divide them by "
            f"{largest:.0e}."
        )
    if method == "fit" and model.n_components > min(shape):
        raise ValueError(
            f"n_components={model.n_components} is too large for data with n_samples = "
            f"{shape[0]} and n_features = {shape[1]}; take at most {min(shape)}."
        )


def refuse_missing(model):
    """Raise the error of a model that takes no missing entries."""
    raise ValueError(
        f"Input X contains NaN, and {type(model).__name__} takes no missing entries. Those "
        f"that do are {_those_with('takes_missing')}."
    )


def _those_with(ability):
    """Name the package's estimators that have an ability."""
    import rnmf_tutorial  # where they are named

    kinds = ((name, getattr(rnmf_tutorial, name)) for name in rnmf_tutorial.__all__)
    return ", ".join(name for name, kind in kinds if getattr(kind, ability, False))
