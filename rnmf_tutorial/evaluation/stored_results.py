"""Read what a grid has stored, and compare it with a rerun."""

import numbers
from pathlib import Path

import numpy as np
import pandas as pd

from .fields import axis_text
from .parsing import parse, to_frame
from .results_file import results_path, warn_incomplete


def load_results(name: str, scale: str, folder: str | Path) -> pd.DataFrame:
    """Read the stored rows of a grid, in the order in which its cells were finished.

    Parameters
    ----------
    name : str
        Name of the grid.
    scale : {"quick", "paper"}
        Which scale.
    folder : path
        The results folder.

    Returns
    -------
    pandas.DataFrame
        Columns as `run` returns them.

    Raises
    ------
    FileNotFoundError
        If there are no stored rows; says how to make them.
    ValueError
        If the file holds what no run can have written; says which lines to delete.

    Warns
    -----
    UserWarning
        If the last cell was cut short, by a kill or because a run is just writing it; its rows are
        left out.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rnmf_tutorial.evaluation import Grid, run
    >>> grid = Grid("squares", lambda seed: {"square": seed**2}, {"seed": [2, 3]}, {"seed": [2]})
    >>> with TemporaryDirectory() as folder:
    ...     _ = run(grid, results=folder, n_jobs=1, progress=False)
    ...     load_results("squares", "quick", folder)["square"].tolist()
    [4, 9]
    """
    path = results_path(name, scale, folder)
    data = path.read_bytes() if path.exists() else b""
    header, cells, length = parse(data, path)
    if not cells:
        raise FileNotFoundError(
            f"There are no stored results in {path}; make them by "
            f"run(grid, {scale!r}, results={str(folder)!r}) with the grid {name!r}."
        )
    warn_incomplete(path, length, len(data))
    return to_frame(header, [row for cell in cells.values() for row in cell])


def same_rows(
    live: pd.DataFrame,
    stored: pd.DataFrame,
    *,
    on: list[str],
    columns: list[str],
    rtol: float = 1e-10,
) -> None:
    """Assert that every live row is stored with the same numbers.

    Parameters
    ----------
    live, stored : pandas.DataFrame
        Rows of a rerun, and the rows to compare with; `stored` may hold more.
    on : list of str
        Columns that identify a row, usually the grid's axes.
    columns : list of str
        Columns to compare. Two missing values are equal; what is not a number must be the same.
    rtol : float, default=1e-10
        Largest relative difference allowed between two numbers.

    Raises
    ------
    AssertionError
        If there is nothing to compare, `on` does not identify the rows, a live row is not
        stored, or a number differs; shows the first such row.

    Examples
    --------
    >>> import pandas as pd
    >>> stored = pd.DataFrame({"seed": [0, 1], "error": [0.5, 0.25]})
    >>> same_rows(stored[:1], stored, on=["seed"], columns=["error"])
    >>> same_rows(stored.assign(error=0.3), stored, on=["seed"], columns=["error"])
    Traceback (most recent call last):
    ...
    AssertionError: error at {'seed': 0} is 0.3 live but 0.5 stored (rtol=1e-10).
    """
    live_rows, stored_rows = _rows_by(live, on), _rows_by(stored, on)
    if not live_rows or not columns:
        raise AssertionError("There is nothing to compare.")
    for key, row in live_rows.items():
        place = {axis: row[axis] for axis in on}
        if key not in stored_rows:
            raise AssertionError(f"No stored row has {place}.")
        for column in columns:
            ours, theirs = row[column], stored_rows[key][column]
            if not _equal(ours, theirs, rtol):
                raise AssertionError(
                    f"{column} at {place} is {ours} live but {theirs} stored (rtol={rtol})."
                )


def _rows_by(frame, on):
    rows = {}
    for row in frame.to_dict("records"):
        key = tuple(axis_text(row[axis]) for axis in on)
        if key in rows:
            raise AssertionError(f"Two rows have {dict(zip(on, key, strict=True))}; extend `on`.")
        rows[key] = row
    return rows


def _equal(a, b, rtol):
    if isinstance(a, numbers.Number) and isinstance(b, numbers.Number):
        return bool(np.isclose(a, b, rtol=rtol, atol=0, equal_nan=True))
    return a == b
