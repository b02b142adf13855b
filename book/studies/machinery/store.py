"""The stored rows of experiments: one line of JSON for each finished cell.

A line has the axes of its cell, the rows that the cell returned, and what computed
them. Each is added by one write to the end of the file, so two runs beside each other
lose nothing, and a cell that both computed counts once: the first line of it. A line
that a kill or a full disk cut short does not count, and the next run computes its cell
again. Numbers that are not finite are written as Python's json does: NaN, Infinity and
-Infinity.
"""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

#: Columns that the runner adds to those of a cell.
BOOKKEEPING = (
    *("cell_rows", "seconds"),
    *("numpy", "scipy", "scikit_learn", "rnmf_tutorial", "commit"),
)


def results_path(name, scale, folder):
    """Return the file with the rows of a grid at one scale."""
    return Path(folder) / f"{name}-{scale}.jsonl"


def identity(value):
    """Return what tells values apart: 1 and 1.0 are one; 1, "1" and True are three; NaN is None.

    Examples
    --------
    >>> identity(1) == identity(1.0) != identity(True), identity(float("nan"))
    (True, None)
    """
    if value is None or value != value:
        return None
    return isinstance(value, bool | np.bool_), value


def cell_key(cell):
    """Return what identifies a cell, a dict of axis values."""
    return tuple(
        (axis, identity(cell[axis])) for axis in sorted(cell)
    )  # in any order of axes


def append(path, finished):
    """Add a finished cell, a dict, as one line at the end of the file."""
    line = json.dumps(finished, ensure_ascii=False).encode() + b"\n"
    with open(path, "a+b", buffering=0) as file:
        if (
            file.seek(0, os.SEEK_END)
            and file.seek(-1, os.SEEK_END)
            and file.read(1) != b"\n"
        ):
            line = b"\n" + line  # what a kill cut short stays a line of its own
        if file.write(line) < len(line):
            raise OSError(
                f"No room for a whole line in {path}; what was stored before, stays."
            )


def read(path):
    """Return the finished cells of a file in its order, a dict: key of the cell -> its line."""
    cells = {}
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            finished = json.loads(line or "null")
        except ValueError:
            warnings.warn(
                f"Line {number} of {path} is not whole, as a kill or a full disk leaves it: its "
                "cell does not count.",
                stacklevel=3,
            )
            continue
        if finished is None:
            continue
        try:
            whole = (
                finished.keys() >= {"cell", "rows", *BOOKKEEPING[1:]}
                and finished["rows"][0]
            )
            cells.setdefault(cell_key(finished["cell"]), finished)
        except (AttributeError, LookupError, TypeError):
            whole = False
        if not whole:
            raise ValueError(
                f"Line {number} of {path} is no cell of a grid: remove that line."
            )
    return cells


def to_frame(cells):
    """Return the rows of finished cells as a data frame: axes, results, bookkeeping."""
    rows = [
        cell["cell"]
        | row
        | {"cell_rows": len(cell["rows"])}
        | {name: cell[name] for name in BOOKKEEPING[1:]}
        for cell in cells
        for row in cell["rows"]
    ]
    if other := next((row for row in rows if row.keys() != rows[0].keys()), None):
        raise ValueError(
            f"Two cells have different columns, {list(rows[0])} and {list(other)}: the experiment "
            "changed. Remake its rows with fresh=True, or rename the grid."
        )
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    empty = [np.nan] * len(rows)
    return pd.DataFrame(
        {
            n: empty if all(v is None for v in values) else values
            for n, values in columns.items()
        }
    )


def load_results(name, scale, folder):
    """Read the stored rows of a grid, in the order in which its cells were finished.

    Parameters
    ----------
    name : str
        Name of the grid.
    scale : {"quick", "paper"}
    folder : path
        The results folder.

    Returns
    -------
    pandas.DataFrame
        Columns as `studies.run` returns them. A cell that is stored twice counts once,
        the first.

    Raises
    ------
    FileNotFoundError
        If there are no stored rows; says how to make them.

    Warns
    -----
    UserWarning
        If a line was cut short, by a kill or a full disk; its cell is left out.
    """
    path = results_path(name, scale, folder)
    cells = read(path)
    if not cells:
        raise FileNotFoundError(
            f"There are no stored results in {path}; in the folder book, "
            f"`python -m studies all --grid {name} --scale {scale}` makes them."
        )
    return to_frame(cells.values())
