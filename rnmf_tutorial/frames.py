"""Data frames of any library: their names and columns, and frames made of results.

A frame is one of pandas, polars or Arrow, or of a library with the methods of one of them.
The module imports none of these libraries: whoever passes a frame has imported it.
"""

from collections import Counter


def is_frame(A):
    """Return whether data are a frame, with names of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from pandas import DataFrame
    >>> is_frame(DataFrame({"iron": [1.0]})), is_frame(np.ones((1, 1)))
    (True, False)
    """
    kinds = ("iloc", "get_columns", "column_names", "schema", "to_native")
    return hasattr(A, "columns") and any(hasattr(A, name) for name in kinds)


def parts_of(A):
    """Return the names of the columns of a frame, and the columns.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> names, (column,) = parts_of(DataFrame({"iron": [1.0, 2.0]}))
    >>> names, column.tolist()
    (['iron'], [1.0, 2.0])
    """
    if hasattr(A, "to_native"):  # narwhals
        A = A.to_native()
    if hasattr(A, "iloc"):  # pandas, and what has its methods
        return list(A.columns), [A.iloc[:, k] for k in range(A.shape[1])]
    if hasattr(A, "get_columns"):  # polars
        return list(A.columns), A.get_columns()
    return list(A.schema.names), list(A.columns)  # Arrow


def refuse_other_frames(A, caller):
    """Raise an error for a plan of how to compute a frame, and for a batch of a table.

    Examples
    --------
    >>> import numpy as np
    >>> refuse_other_frames(np.ones((1, 1)), "NMF.fit")
    """
    kind = type(A).__name__
    if hasattr(A, "collect") and not hasattr(A, "__array__"):
        raise TypeError(
            f"The data passed to {caller} are a {kind}, which is not computed yet: "
            "collect it first, by its method collect()."
        )
    if (
        hasattr(A, "schema")
        and hasattr(A, "to_struct_array")
        and not hasattr(A, "to_batches")
    ):
        raise TypeError(
            f"The data passed to {caller} are a {kind}, of which scikit-learn takes no "
            "names: make it a table, by pyarrow.Table.from_batches([A])."
        )


def faults_of_names(names):
    """Return sentences about names of columns with which results could not be read.

    Examples
    --------
    >>> faults_of_names(["iron", "zinc", "iron"])
    ["the name of more than one column: 'iron'. Give each column its own name"]
    """
    faults = []
    repeated = [name for name, count in Counter(map(repr, names)).items() if count > 1]
    if repeated:
        faults.append(
            f"the name of more than one column: {_some(repeated)}. Give each column its "
            "own name"
        )
    others = [repr(name) for name in names if not isinstance(name, str)]
    if 0 < len(others) < len(names):
        faults.append(
            f"names that are not text, where others are: {_some(others)}. Make them text, "
            "by A.columns = A.columns.astype(str)"
        )
    return faults


def _some(names):
    """Return the first names of a list, and how many more there are."""
    shown = ", ".join(names[:20])
    return shown if len(names) <= 20 else f"{shown} and {len(names) - 20} more"


def with_names(A, values, names=None):
    """Return an array as a frame of the kind of A, or as it is if A is none.

    Parameters
    ----------
    A : frame or array
        Its rows have the same names as those of `values`.
    values : ndarray of shape (n_samples, n_columns)
    names : sequence of str, optional
        The names of the columns: those of A by default.

    Returns
    -------
    frame or ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from pandas import DataFrame
    >>> frame = DataFrame({"iron": [1.0, 2.0]}, ["monday", "tuesday"])
    >>> with_names(frame, np.array([[3.0], [4.0]]))
             iron
    monday    3.0
    tuesday   4.0
    """
    if not is_frame(A):
        return values
    if hasattr(A, "to_native"):
        A = A.to_native()
    if hasattr(A, "iloc"):
        return type(A)(values, A.index, A.columns if names is None else names)
    if names is None:
        names, _ = parts_of(A)
    columns = {str(name): values[:, k] for k, name in enumerate(names)}
    if hasattr(A, "get_columns"):
        return type(A)(columns)
    return type(A).from_pydict(columns)
