"""The CSV file behind a grid: it grows by whole cells and survives a kill at any moment.

One line is one row, so a line without its newline is one whose writing was cut off. A cell
may have several rows; each says in `cell_rows` how many, so that a cell cut off between two
of them is recognized too. Either is dropped when the file is next opened.
"""

import csv
import io
import os
from pathlib import Path

import numpy as np
import pandas as pd

try:
    import fcntl
except ImportError:  # Windows has no such locks: two runs into one file are not noticed there
    fcntl = None

PROVENANCE = ("numpy", "scipy", "scikit_learn", "rnmf_tutorial", "commit")
BOOKKEEPING = ("cell_rows", "seconds", *PROVENANCE)


def results_path(name, scale, folder):
    return Path(folder) / f"{name}-{scale}.csv"


def as_text(value):
    """Return one CSV field; floats are written so that reading gives the same bits back."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return ""
    if isinstance(value, str) and ("\n" in value or "\r" in value):
        raise ValueError(f"A stored string must be one line, got {value!r}.")
    if not isinstance(value, bool | int | float | str):
        raise TypeError(
            "Axis values and results must be numbers, strings, booleans or None, "
            f"got {type(value).__name__}."
        )
    return repr(value) if isinstance(value, float) else str(value)


def axis_text(value):
    """Return the field that identifies an axis value: 1 and 1.0 are the same, nothing else."""
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return ""
        if float(value).is_integer():
            value = int(value)
    return as_text(value)


def parse(data, path):
    """Split the bytes of a file into header, cells (lists of rows) and the length they take."""
    lines = data.split(b"\n")[:-1]
    if not lines:
        return None, [], 0
    header, *rows = csv.reader(line.decode() for line in lines)
    if "cell_rows" not in header:
        raise ValueError(f"{path} was not written by the runner of grids; move it away.")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise ValueError(
                f"Line {number} of {path} has {len(row)} fields instead of {len(header)}; "
                "delete that line and run again."
            )
    size, cells, first = header.index("cell_rows"), [], 0
    while first < len(rows):
        cell = rows[first : first + int(rows[first][size])]
        if len(cell) < int(cell[0][size]):
            break
        cells.append(cell)
        first += len(cell)
    return header, cells, sum(len(line) + 1 for line in lines[: 1 + first])


def to_lines(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def to_frame(header, rows):
    """Return the rows as a DataFrame; an empty field is a missing value."""
    columns = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            name: list(texts) if name in PROVENANCE else _values(texts)
            for name, texts in zip(header, columns, strict=True)
        }
    )


def _values(texts):
    if set(texts) <= {"True", "False"}:
        return [text == "True" for text in texts]
    for read in (int, float):  # exact, which the default of pandas' own reader is not
        try:
            return [read(text) if text else np.nan for text in texts]
        except ValueError:
            continue
    return [text or None for text in texts]


class ResultsFile:
    """A results file opened by the one run that may add to it. Use it in a ``with`` block."""

    def __init__(self, path, axes):
        self.path, self.axes = path, list(axes)

    def __enter__(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "a+b")
        try:
            self._lock()
            self._load()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_):
        self._file.close()

    def _lock(self):
        # The system drops this lock when the process ends, however it ends: none is ever stale.
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(
                f"Another run is writing {self.path}; wait until it ends, or give this one "
                "another results folder."
            ) from None

    def _load(self):
        self._file.seek(0)
        self.header, cells, length = parse(self._file.read(), self.path)
        if self.header is not None and self.header[: len(self.axes)] != self.axes:
            raise ValueError(
                f"The columns of {self.path} start with {self.header[: len(self.axes)]}, but "
                f"the grid's axes are {self.axes}; move the file away or rename the grid."
            )
        self.cells = {}
        for cell in cells:
            key = tuple(cell[0][: len(self.axes)])
            if key in self.cells:
                raise ValueError(
                    f"{self.path} holds the cell {dict(zip(self.axes, key, strict=True))} "
                    "twice; delete one of the two."
                )
            self.cells[key] = cell
        self._file.truncate(length)

    def append(self, key, records):
        """Add one finished cell, given as a list of dicts of text, and force it onto the disk."""
        header = self.header or [*self.axes, *records[0]]
        expected = header[len(self.axes) :]
        for record in records:
            if record.keys() != set(expected):
                raise ValueError(
                    f"A cell returned the columns {list(record)}, but {self.path} has {expected}. "
                    "If the experiment changed, move the file away or rename the grid."
                )
        cell = [[*key, *(record[name] for name in expected)] for record in records]
        self._file.write(to_lines(cell if self.header else [header, *cell]).encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        self.header, self.cells[key] = header, cell
