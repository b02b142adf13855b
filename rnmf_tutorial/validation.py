"""Check the data of a fit; errors say what to do."""

import warnings
from datetime import date, time, timedelta
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import check_array, validate_data

from rnmf_tutorial.far_out import (
    GAP,
    about_far_out,
    advice_on,
    cell_name,
    find_far_out,
)
from rnmf_tutorial.fitting import Work
from rnmf_tutorial.frames import (
    faults_of_names,
    is_frame,
    parts_of,
    refuse_other_frames,
)
from rnmf_tutorial.scale_warnings import DataWarning

# How scikit-learn checks data: NaN may be a missing entry.
_NUMBERS = dict(
    dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", input_name="X"
)
_LISTED = 20  # columns in one error
_KINDS = 5  # kinds of text in one column
_LEAVE = "Leave the column out"
_OR_INDEX = ", or make it the index"  # of a frame that has one
_DATES = "dates or times", "which are not amounts. Leave them out"
_TEXT = "text", "which is no amount. Leave it out, or turn it into numbers"
_COMPLEX = (
    "complex numbers",
    "which have no sign. Complex data not supported: take their size",
)
_RECORDS = "records", "which are no table. Make them a data frame"
_OTHERS = "values that are no numbers", "which cannot be fitted. Leave them out"
_LISTS = (
    "lists of several values",
    "which are no amounts. Give each of their values a column",
)
#: A warning says this of data of which more than this share of the squares is negative.
_MOSTLY_NEGATIVE = 0.1
_SIGNED = (
    "For decibels or logarithms, take the amplitudes before the logarithm. For "
    "standardized columns, divide by the deviation without subtracting the mean, as "
    "StandardScaler(with_mean=False) and MaxAbsScaler do. If signs matter as much as "
    "sizes, NMF is the wrong model: take PCA."
)
#: Kind of dtype -> what it is, and what to do.
_REFUSED = {"c": _COMPLEX, "M": _DATES, "m": _DATES, "U": _TEXT, "S": _TEXT}
_REFUSED |= {"V": _RECORDS, "O": _OTHERS, "L": _LISTS}
#: The same kinds among objects.
_TIMES = date | time | timedelta | np.datetime64 | np.timedelta64
_LIST = list | tuple | set | np.ndarray
_OBJECTS = {"U": str | bytes, "M": _TIMES, "c": complex | np.complexfloating}
_OBJECTS |= {"L": _LIST}


def as_floats(A, caller, negative=False):
    """Return data as an array of floats in C order, with NaN where an entry is missing.

    An array that is one already is returned itself, not copied.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        A list, an array of real numbers, a masked array (masked entries are missing),
        or a data frame (NA is missing).
    caller : str
        Name of the caller for error messages, such as ``"NMF.fit"``.
    negative : bool, default=False
        Whether negative entries are accepted.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        Of float32 if the data were, otherwise of float64.

    Raises
    ------
    ValueError
        If A is not two-dimensional, or has complex, infinite or negative numbers, dates
        or text. Of a data frame, the error names all columns that have any.
    TypeError
        If A is sparse, or has objects that are not numbers.

    Examples
    --------
    >>> as_floats(np.ma.masked_greater([[1, 2], [9, 4]], 8), "NMF.fit")
    array([[ 1.,  2.],
           [nan,  4.]])
    >>> as_floats([["a", "b"]], "NMF.fit")
    Traceback (most recent call last):
    ...
    ValueError: The data passed to NMF.fit hold text, which is no amount. ...
    """
    names = None
    wrong = []
    if hasattr(A, "collect") or hasattr(A, "schema"):
        refuse_other_frames(A, caller)
    if hasattr(A, "columns") and is_frame(A):
        names, A, wrong = _of_frame(A)
    elif not issparse(A):
        try:
            A, kind = _numbers(A)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"The data passed to {caller} are no table of numbers: {error}"
            ) from None
        if kind:
            what, advice = _REFUSED[kind]
            raise ValueError(f"The data passed to {caller} hold {what}, {advice}.")
    if not wrong:
        try:
            A = check_array(A, estimator=caller, order="C", **_NUMBERS)
        except (TypeError, ValueError) as error:
            # Some of scikit-learn's sentences do not say who was asked.
            raise type(error)(f"{caller}: {error}") from None
    below = (
        [] if negative else np.flatnonzero(np.fmin.reduce(A, axis=0) < 0)
    )  # ignores NaN
    if wrong or len(below):
        refuse_columns(wrong, below, A, names, caller)
    return A


def as_sparse_floats(A, caller, negative=False):
    """Return sparse data as a CSR array of floats: each entry but zeros once, and in order.

    Parameters
    ----------
    A : sparse array or matrix of shape (n_samples, n_features)
        Of any format, with real numbers; not changed.
    caller : str
        Name of the caller for error messages.
    negative : bool, default=False
        Whether negative entries are accepted.

    Returns
    -------
    csr_array of shape (n_samples, n_features)
        Of float32 if the data were, otherwise of float64; not copied if that is not
        needed.

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
    try:
        A = csr_array(check_array(A, estimator=caller, accept_sparse="csr", **_NUMBERS))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{caller}: {error}") from None
    if np.isnan(A.data).any():
        raise ValueError(
            f"The sparse data passed to {caller} hold NaN, but what they do not store is zero. In "
            "a dense array, A.toarray(), a NaN is a missing entry."
        )
    if not negative and len(below := np.unique(A.indices[A.data < 0])):
        refuse_columns([], below, A, None, caller)
    if not (A.has_canonical_format and A.data.all()):
        A = A.copy()  # the caller's stays as it is
        A.sum_duplicates()
        A.eliminate_zeros()  # what happens to be stored must not change a fit
    return A


def refuse_columns(wrong, below, A, names, caller):
    """Raise an error that lists all columns that cannot be taken, and says what to do; if any.

    `wrong` has the positions and the faults of columns of a frame, `below` the
    positions of those with negative entries, and `names` what they are called.
    """
    few = np.asarray(below[:_LISTED], int)
    columns = A[:, few].toarray() if issparse(A) else A[:, few]
    places = [*wrong, *zip(few, map(about_negative, columns.T), strict=True)]
    faults = sorted(fault for fault in places if fault[0] is not None)
    lines = [
        f"- {names[k] if names else f'feature {k}'}: {what}." for k, what in faults
    ]
    if len(below) > _LISTED:
        lines.append(
            f"- and {len(below) - _LISTED} more columns with negative entries."
        )
    if len(below):
        lines.append(
            "Updates by ratios, and the Kullback-Leibler divergence, need data of at least 0. "
            f"Squares with solver='cd' do not: {those_with('takes_negative')}. To clip or to shift "
            f"would bias the fit. {_SIGNED}"
        )
        if not (A.max() if issparse(A) else np.nanmax(A)) > 0:
            lines.append(
                "No entry is above zero, so those cannot fit these data, either."
            )
    lines += [f"- {what}." for place, what in wrong if place is None]
    begin = (
        "The data passed to {} hold"
        if wrong
        else "Negative values in data passed to {}"
    )
    raise ValueError("\n".join([begin.format(caller) + ":", *lines]))


def refuse_nothing_positive(caller):
    """Raise the error for data that have negative entries, and none above zero."""
    raise ValueError(
        f"Negative values in data passed to {caller}: no entry is above zero, and "
        f"non-negative factors can only fit zeros to such data. {_SIGNED}"
    )


def about_negative(column):
    """Return what the negative entries of a column are."""
    values = column[column < 0]
    return (
        about_mark(len(values), values.min(), values.max(), len(column))
        or f"negative in {len(values)} of {len(column)} rows, the smallest {values.min():g}"
    )


def about_mark(count, least, most, n_samples):
    """Return the text of a warning if one whole number is all that is negative, or None.

    Of a feature, `count` is the number of its negative entries, and `least` and `most`
    are the smallest and the largest of these.
    """
    if count > 1 and least == most and least % 1 == 0:
        return (
            f"{least:g} in {count} of {n_samples} rows, and nothing else below zero: "
            "it looks like a mark of missing entries. Write NaN in its place"
        )


class Negative(NamedTuple):
    """What the negative entries of data are, so that a fit can warn of them.

    The arrays have a number for each feature.

    Examples
    --------
    >>> negative_of(np.array([[1.0, -2.0, -2.0], [3.0, 4.0, 5.0]])).counts
    array([2, 0])
    """

    #: How many there are, their smallest and largest, and the sum of their squares.
    counts: np.ndarray
    least: np.ndarray
    most: np.ndarray
    squares: np.ndarray
    n_samples: int
    #: The sum of the squares of all known entries.
    total: float


def negative_of(X, mask=None):
    """Return what the negative entries of X are, features × samples, dense or sparse.

    NaN is ignored, and so are entries where the mask is True.
    """
    if issparse(X):
        X = X.tocsr()
        features = np.arange(X.shape[0]).repeat(np.diff(X.indptr))
        values = X.data
        below = values < 0
        features = features[below]
    else:
        below = X < 0
        features, _ = np.nonzero(below)
        values = X[~np.isnan(X) if mask is None else ~mask]
    found = values[below] if issparse(X) else X[below]
    n = X.shape[0]
    least = np.full(n, np.inf)
    most = np.full(n, -np.inf)
    np.minimum.at(least, features, found)
    np.maximum.at(most, features, found)
    squares = np.bincount(features, found.astype(float) ** 2, n)
    total = float(np.square(values, dtype=float).sum())
    counts = np.bincount(features, minlength=n)
    return Negative(counts, least, most, squares, X.shape[1], total)


def warn_of_negative(model, negative, stacklevel):
    """Warn of negative entries that look like marks, or that are much of the data."""
    name = type(model).__name__
    names = getattr(model, "feature_names_in_", None)
    marked = []
    for k in np.flatnonzero(negative.counts):
        numbers = (negative.counts[k], negative.least[k], negative.most[k])
        if sentence := about_mark(*numbers, negative.n_samples):
            called = f"feature {k}" if names is None else names[k]
            marked.append((k, f"{called} is {sentence}."))
    if marked:
        lines = [line for _, line in marked[:_LISTED]]
        if len(marked) > _LISTED:
            lines.append(f"So do the marks of {len(marked) - _LISTED} more features.")
        message = f"{name}: " + "\n".join(lines)
        warnings.warn(message, DataWarning, stacklevel=stacklevel)
    others = np.delete(negative.squares, [k for k, _ in marked]).sum()
    share = others / max(negative.total - negative.squares.sum() + others, 1e-300)
    if share > _MOSTLY_NEGATIVE:
        warnings.warn(
            f"{name}: {100 * share:.0f}% of the sum of the squares of the data are "
            "those of negative entries, which non-negative factors cannot fit: they are "
            f"fitted by zeros. {_SIGNED}",
            DataWarning,
            stacklevel=stacklevel,
        )


def refuse_mask(A, name):
    """Raise an error if a masked array hides entries, where none may be missing."""
    if np.ma.is_masked(A):
        raise ValueError(
            f"{name} hides {np.ma.count_masked(A)} entries behind a mask, and has no place for "
            "missing ones. Leave them out, or fill them."
        )


def refuse_empty(A, caller, *, features=True, frame=None):
    """Raise an error if all entries of a sample, or of a feature, are NaN; by name in a frame."""
    missing = np.isnan(A)
    refuse_lines(
        missing.all(axis=1), missing.all(axis=0) if features else (), caller, frame
    )


def refuse_lines(samples, features, caller, frame=None):
    """Raise an error if one of the booleans is True: that sample or feature has no entry."""
    for kind, lines in (("sample", samples), ("feature", features)):
        empty = np.flatnonzero(lines)
        if len(empty):
            if kind == "feature" and hasattr(frame, "columns") and is_frame(frame):
                names, _ = parts_of(frame)
            elif kind == "sample" and hasattr(frame, "iloc"):
                names = frame.index.tolist()
            else:
                names = range(len(lines))
            raise ValueError(
                f"The data passed to {caller} have no entry at all in {kind} {names[empty[0]]!r}"
                + f" and {len(empty) - 1} more" * (len(empty) > 1)
                + f"; leave such {kind}s out."
            )


def _of_frame(A):
    """Return the names and the numbers of a frame, and a list of what is wrong.

    An item of the list is the position of a column, or None for the names, and a text.
    """
    names, columns = parts_of(A)
    arrays = []
    wrong = [(None, fault) for fault in faults_of_names(names)]
    for k, column in enumerate(columns):
        kind_of_column = str(getattr(column, "dtype", getattr(column, "type", "")))
        try:
            values, kind = _numbers(column.to_numpy())
        except (TypeError, ValueError, NotImplementedError):
            values = None
            kind = "O"
        text = f"{_REFUSED[kind][0]}. {_LEAVE}" if kind else None
        if kind_of_column.lower().startswith(("category", "categ", "enum", "dict")):
            text = f"categories, which are no amounts. {_LEAVE}"
        elif values is not None and values.ndim > 1:
            text = f"{_LISTS[0]}. {_LEAVE}"
        elif kind and kind in "US":
            text = _about_text(values)
        elif not kind and (infinite := np.count_nonzero(np.isinf(values))):
            text = (
                f"infinite in {infinite} of {len(values)} rows. Write NaN in its place"
            )
        if text:
            if text.endswith(_LEAVE) and hasattr(A, "iloc"):
                text += _OR_INDEX
            wrong.append((k, text))
            values = np.zeros(len(column))
        arrays.append(values)
    table = np.column_stack(arrays) if arrays else np.empty((len(A), 0))
    return [repr(name) for name in names], table, wrong


def _about_text(column):
    """Return which text a column of a frame holds among its numbers, and what to do about it."""
    from pandas import Series, to_numeric

    column = Series(column, dtype=object)
    text = column[column.map(lambda value: isinstance(value, str | bytes))].astype(str)
    text = text[to_numeric(text, errors="coerce").isna()]
    grouped = text.str.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
    decimal = text.str.fullmatch(r"[+-]?[\d.]*\d,\d+")
    said = []
    n = len(column)
    kinds = text[~(grouped | decimal)].value_counts()
    if (grouped | decimal).any():
        comma = text[decimal & ~grouped]
        either = "thousands=','" + ", or decimal=','" * bool((decimal >= grouped).all())
        how = "decimal=',' and thousands='.'" if len(comma) else either
        first = comma.iloc[0] if len(comma) else text[grouped].iloc[0]
        said.append(f"commas in numbers, as in {first!r}. Read the file with {how}")
    if len(kinds):
        few = kinds.head(_KINDS)
        where = ", ".join(
            f"{value!r} in {count} of {n} rows" for value, count in few.items()
        )
        among = f"text among numbers: {where}. Read the file with na_values={few.index.tolist()}"
        said.append(
            among
            if 2 * kinds.sum() < n
            else f"text, such as {few.index[0]!r}. {_LEAVE}"
        )
    stored = "numbers that are stored as text. Convert it by pandas.to_numeric"
    return ". Also ".join(said) or stored


def _numbers(values):
    """Return an array of real numbers, NaN if missing; and None, or what kind of others it has."""
    if isinstance(values, list | tuple) and any(map(_has_masks, values)):
        values = [_with_none(row) for row in values]
    values = np.asanyarray(values)  # keeps a masked array
    kind = values.dtype.kind
    if np.ma.isMaskedArray(values) and kind in "biufO":
        values = values.astype(float if kind in "biu" else values.dtype).filled(np.nan)
    if kind == "O":
        from pandas import isna  # imported late: only objects need it

        values = np.where(isna(values), np.nan, values)
        types = {type(value) for value in values.flat}
        kind = next(
            (k for k, of in _OBJECTS.items() if any(issubclass(t, of) for t in types)),
            "f",
        )
        values = values.astype(float) if kind == "f" else values
    if values.dtype.kind == "f" and values.dtype.itemsize == 4:
        values = values.astype(np.float32, copy=False)  # in this machine's byte order
    return values, kind if kind in _REFUSED else None


def _with_none(row):
    """Return a row of a list with None where its mask hides a number."""
    if np.ma.isMaskedArray(row):
        mask = np.ma.getmaskarray(row)
        return [None if m else x for x, m in zip(row.data, mask, strict=True)]
    return [None if x is np.ma.masked else x for x in row]


def _has_masks(row):
    """Return whether a row of a list is a masked array, or has masked numbers."""
    if np.ma.isMaskedArray(row):
        return True
    return isinstance(row, list | tuple) and any(x is np.ma.masked for x in row)


def work_of_data(model, A, method):
    """Return the :class:`~rnmf_tutorial.fitting.Work` of data: X, features × samples.

    A dense X is in Fortran order. If entries are missing, X is a copy in which they
    hold the mean of the others, negative ones counted as zero. If none is missing, X is
    a view and the mask is None. A sparse A gives a CSC array.
    """
    caller = f"{type(model).__name__}.{method}"
    mask = None
    negative = model.takes_negative
    if issparse(A):
        refuse_sparse(model, A, caller)
        A = floats = as_sparse_floats(A, caller, negative)
    else:
        floats = as_floats(A, caller, negative)
    if method not in ("fit", "objective"):
        # A fit sets the names and the number of the features when it has begun.
        validate_data(model, A, reset=False, skip_check_array=True)
    with np.errstate(over="ignore", invalid="ignore"):
        has_missing = not issparse(A) and np.isnan(floats.sum())
    if has_missing:
        mask = np.isnan(floats)
        if not model.takes_missing:
            refuse_missing(model)
        refuse_empty(floats, caller, features=method == "fit", frame=A)
        floats = np.where(mask, 0, floats)
    # The largest size in each line, a sample or a feature, whichever are more.
    axis = 1 if floats.shape[0] >= floats.shape[1] else 0
    highest = floats.max(axis=axis)
    lowest = floats.min(axis=axis)
    if issparse(A):
        highest = highest.toarray()
        lowest = lowest.toarray()
    if method == "fit" and lowest.min() < 0 and highest.max() <= 0:
        refuse_nothing_positive(caller)
    sizes = np.maximum(highest, -lowest)
    # Most lines have no entry that is absurdly far out. So no entry is if none is much
    # larger than half of these sizes, and this is quickly found.
    far_out = None
    if method == "fit":
        usual = np.partition(sizes, len(sizes) // 2)[len(sizes) // 2]
        if sizes.max() / GAP >= usual:
            far_out = find_far_out(floats)
    largest = float(sizes.max())
    check_range(model, largest, floats.shape, floats.dtype, method, far_out, floats, A)
    if issparse(A):
        from rnmf_tutorial.sparse import SparseWork  # the core is for dense data

        work = SparseWork(floats.T)
    else:
        if has_missing:
            known = np.maximum(floats[~mask], 0)
            floats[mask] = known.mean(dtype=np.float64).astype(floats.dtype)
            mask = mask.T
        work = Work(floats.T, mask)
    work.far_out = far_out
    return work


def refuse_sparse(model, A, caller):
    """Raise an error if a model takes no sparse data."""
    if model.takes_sparse:
        return
    name = type(model).__name__
    which = f" with solver={model.solver!r}" if type(model).takes_sparse else ""
    raise TypeError(
        f"Sparse data were passed to {caller}, but {name}{which} needs dense data, as it uses the "
        f"zeros. Pass A.toarray() if its {8e-9 * np.prod(A.shape, dtype=float):.2g} GB fit into "
        "memory five times; otherwise fit some samples, A[:1000].toarray(), and transform the "
        f"others in parts. With solver='cd', these take sparse data: {those_with('takes_sparse')}."
    )


def check_range(
    model, largest, shape, dtype, method, far_out=None, floats=None, frame=None
):
    """Raise an error if the products of a fit would be out of range, or the rank is too large.

    `largest` is the size of the largest entry. Its place is that in `far_out`, the
    entries that are absurdly far out, or in `floats`; its names are those of `frame`.
    """
    limits = np.finfo(dtype)
    most = np.sqrt(
        float(limits.max) / (1e3 * np.prod(shape, dtype=float))
    )  # of summed squares
    # The denominators of an update have a floor; if W is normalized they scale as X
    # squared.
    least = np.sqrt(1e3 * np.sqrt(float(limits.tiny))) if method == "fit" else 0
    if largest > most or 0 < largest < least:
        place = ""
        single = far_out is not None or method != "fit"
        if single and floats is not None:
            sizes = abs(floats)
            cell = np.unravel_index(sizes.argmax(), sizes.shape)
            place = f", in {cell_name(*cell, frame)}"
        unit = f"give the data another unit: divide them by {largest:.0e}."
        advice = (
            f"{unit.capitalize()} If few entries are so far from the others, write NaN "
            "in their place."
        )
        if far_out is not None and far_out.others <= most:
            about = about_far_out(far_out, frame)
            remedy = advice_on(far_out, model)
            advice = f"{about[0].upper()}{about[1:]}. {remedy} Otherwise {unit}"
        raise ValueError(
            f"The largest entry of the data passed to {type(model).__name__}.{method} is "
            f"{largest:g}{place}; for products in {dtype} it must be between "
            f"{least:.0e} and {most:.0e}. {advice}"
        )
    if method == "fit" and model.n_components > min(shape):
        raise ValueError(
            f"{type(model).__name__}: n_components={model.n_components} is too large for "
            f"data with n_samples = {shape[0]} and n_features = {shape[1]}; take at most "
            f"{min(shape)}."
        )


def refuse_missing(model):
    """Raise the error for missing entries and a model that does not accept them."""
    name = type(model).__name__
    others = those_with("takes_missing")
    raise ValueError(
        f"Input X contains NaN, but {name} takes no missing entries; take {others}."
    )


def those_with(ability):
    """Return the names of the package's estimators that have the ability with their defaults."""
    import rnmf_tutorial  # the package imports this module

    kinds = (getattr(rnmf_tutorial, name) for name in rnmf_tutorial.__all__)
    kinds = (kind for kind in kinds if hasattr(kind, ability))
    return ", ".join(kind.__name__ for kind in kinds if getattr(kind(), ability))
