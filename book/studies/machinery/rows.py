"""The rows that the experiments have stored, and whether a rerun gives them again."""

import numbers
from pathlib import Path

import numpy as np

from .runner import run
from .store import cell_key, load_results

#: Where every study keeps its rows.
RESULTS = Path(__file__).resolve().parents[2] / "results"


def stored(name):
    """Return the stored rows of one grid, at the paper's own size."""
    return load_results(name, "paper", RESULTS)


def rerun(grid, columns, *, near=None, rtol=1e-6, **where):
    """Run the quick cells of a grid now; they must give the stored numbers.

    Parameters
    ----------
    grid : Grid
    columns : list of str
        What must be the same, to `rtol`.
    near : dict of str to float, default=None
        Scores that may differ by less than so much, since a borderline sample changes
        its cluster or its neighbor with the rounding of the processor. Those that the
        grid does not have are left out.
    rtol : float
    **where
        Axis -> list of values: only these cells.

    Returns
    -------
    int
        How many rows agree.
    """
    live = run(grid, "quick", progress=False, n_jobs=1, where=where)
    kept = stored(grid.name)
    # An experiment that looks at several sweeps has a row for each.
    on = [*grid.axes, "sweep"] if "sweep" in live else grid.axes
    if columns:
        same_rows(live, kept, on=on, columns=columns, rtol=rtol)
    both = live.astype(kept[on].dtypes).merge(kept, on=on, suffixes=("", "_stored"))
    assert len(both) == len(live), f"Some of these rows of {grid.name} are not stored."
    for name, room in (near or {}).items():
        if name in live:
            gap = (both[name] - both[f"{name}_stored"]).abs().max()
            assert gap < room, (
                f"{name} of {grid.name} is {gap} away from what is stored."
            )
    return len(live)


def same_rows(live, stored, *, on, columns, rtol=1e-10):
    """Assert that every live row is stored with the same numbers.

    Parameters
    ----------
    live, stored : pandas.DataFrame
        Rows of a rerun, and the rows to compare with; `stored` may hold more.
    on : list of str
        Columns that identify a row, usually the grid's axes.
    columns : list of str
        Columns to compare. Two missing values are equal; what is not a number must be
        the same.
    rtol : float, default=1e-10
        Largest relative difference allowed between two numbers.

    Raises
    ------
    AssertionError
        If there is nothing to compare, `on` does not identify the rows, a live row is
        not stored, or a number differs; shows the first such row.

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
    rows = {
        cell_key({axis: row[axis] for axis in on}): row
        for row in frame.to_dict("records")
    }
    if len(rows) < len(frame):
        raise AssertionError(f"Two rows have the same {on}; extend `on`.")
    return rows


def _equal(a, b, rtol):
    if isinstance(a, numbers.Number) and isinstance(b, numbers.Number):
        return bool(np.isclose(a, b, rtol=rtol, atol=0, equal_nan=True))
    return a == b
