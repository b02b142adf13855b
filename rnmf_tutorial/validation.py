"""What data may be: one contract for every public function that takes them."""

from datetime import date, timedelta

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import check_array

__all__ = ["as_floats", "as_sparse_floats"]

_DATES = "dates or times", "which are not amounts. Leave them out"
_TEXT = "text", "which is no amount. Leave it out, or turn it into numbers"
_COMPLEX = "complex numbers", "which have no sign. Complex data not supported: take their size"
#: Kind of dtype -> what it is, and what to do.
_REFUSED = {"c": _COMPLEX, "M": _DATES, "m": _DATES, "U": _TEXT, "S": _TEXT}
#: The same kinds among objects.
_OBJECTS = {
    "U": (str, bytes),
    "M": (date, timedelta, np.datetime64, np.timedelta64),
    "c": (complex, np.complexfloating),
}


def as_floats(A, caller):
    """Return data as an array of floats in C order, with NaN where an entry is missing.

    An array that is one already is returned itself, not copied.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        A list, an array of any real numbers, a masked array (what the mask hides is missing), or a
        frame (its NA are missing).
    caller : str
        Who asks, such as ``"NMF.fit"``, for the messages.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        Of float32 if the data were, otherwise of float64.

    Raises
    ------
    ValueError
        If there are complex numbers, dates, text, infinite or negative entries, or not two axes.
    TypeError
        If A is sparse, or holds objects that are no numbers.

    Examples
    --------
    >>> as_floats(np.ma.masked_greater([[1, 2], [9, 4]], 8), "NMF.fit")
    array([[ 1.,  2.],
           [nan,  4.]])
    >>> as_floats([["a", "b"]], "NMF.fit")
    Traceback (most recent call last):
    ...
    ValueError: The data passed to NMF.fit hold text, which is no amount. Leave it out, ...
    """
    if hasattr(A, "iloc") and hasattr(A, "columns"):
        A = _of_frame(A)
    elif not issparse(A):
        A = _of_array(A, f"The data passed to {caller} hold")
    A = check_array(
        A,
        dtype=[np.float64, np.float32],
        order="C",
        ensure_all_finite="allow-nan",
        estimator=caller,
        input_name="X",
    )
    refuse_negative(np.fmin.reduce(A, axis=None), caller)  # which passes over NaN
    return A


def as_sparse_floats(A, caller):
    """Return sparse data as a CSR array of floats, each entry stored once and in order.

    Parameters
    ----------
    A : sparse array or matrix of shape (n_samples, n_features)
        Of any format and of any real numbers; not changed.
    caller : str
        Who asks, for the messages.

    Returns
    -------
    csr_array of shape (n_samples, n_features)
        Of float32 if the data were, otherwise of float64; their own memory where that is possible.

    Raises
    ------
    ValueError
        If there are complex numbers, or missing, infinite or negative entries.

    Examples
    --------
    >>> as_sparse_floats(csr_array([[0, 2], [0, 0]]), "NMF.fit").toarray()
    array([[0., 2.],
           [0., 0.]])
    """
    A = check_array(
        A,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan",
        estimator=caller,
        input_name="X",
    )
    if np.isnan(A.data).any():
        raise ValueError(
            f"The sparse data passed to {caller} hold NaN, but have no missing entries, because "
            "what is not stored is a zero. In a dense array, A.toarray(), a NaN is a missing entry."
        )
    refuse_negative(A.data.min(initial=0), caller)
    A = csr_array(A)
    if not A.has_canonical_format:
        A = A.copy()  # the caller's stays as it is
        A.sum_duplicates()
    return A


def refuse_negative(smallest, caller):
    """Raise an error for data whose smallest entry is negative."""
    if smallest < 0:
        raise ValueError(
            f"Negative values in data passed to {caller}: the smallest entry is {smallest:g}. "
            "Shift or clip the data so that every entry is at least 0."
        )


def refuse_empty(A, caller, *, features=True):
    """Raise an error if a sample, or a feature, of data with NaN has no entry at all."""
    missing = np.isnan(A)
    refuse_lines(missing.all(axis=1), missing.all(axis=0) if features else (), caller)


def refuse_lines(samples, features, caller):
    """Raise an error for samples or features that are told to have no entry at all."""
    for kind, lines in (("sample", samples), ("feature", features)):
        empty = np.flatnonzero(lines)
        if len(empty):
            raise ValueError(
                f"The data passed to {caller} have no entry at all in {kind} {empty[0]}"
                + f" and {len(empty) - 1} more" * (len(empty) > 1)
                + f"; leave such {kind}s out."
            )


def _of_frame(A):
    """Return the numbers of a frame; the first column that has none is named."""
    columns = [
        _of_array(A.iloc[:, k].to_numpy(), f"Column {name!r} of the data holds")
        for k, name in enumerate(A.columns)
    ]
    return np.column_stack(columns) if columns else np.empty(A.shape)


def _of_array(values, they_hold):
    """Return an array of real numbers, NaN for what is missing; `they_hold` begins the message."""
    values = np.asanyarray(values)  # a masked array stays one
    kind = values.dtype.kind
    if np.ma.isMaskedArray(values) and kind in "biufO":
        values = values.astype(float if kind in "biu" else values.dtype).filled(np.nan)
    if kind == "O":
        from pandas import isna  # imported late: only objects need it

        values = np.where(isna(values), np.nan, values)
        types = {type(value) for value in values.flat}
        kind = next((k for k, of in _OBJECTS.items() if any(issubclass(t, of) for t in types)), "f")
        values = values.astype(float) if kind == "f" else values
    if kind in _REFUSED:
        what, advice = _REFUSED[kind]
        raise ValueError(f"{they_hold} {what}, {advice}.")
    if values.dtype.kind == "f" and values.dtype.itemsize == 4:
        values = values.astype(np.float32, copy=False)  # in this machine's order of bytes
    return values
