"""The CSV file behind a grid: it grows by whole cells and survives a kill at any moment.

One line is one row. A cell may have several rows, which stand together; each says in `cell_rows`
how many. A kill can only cut the last cell short, and then that cell is dropped, with a warning,
when the file is next opened. All other damage is an error; `parsing` says which lines to delete.
"""

import os
import re
import warnings
from pathlib import Path

from .fields import to_text
from .parsing import check_partial_header, parse, to_lines

try:
    import fcntl
except ImportError:  # Windows has no such locks: two runs into one file are not noticed there
    fcntl = None

SCALES = ("quick", "paper")


def results_path(name, scale, folder):
    """Return the file of a grid's rows, which lies in that folder and nowhere else."""
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w-]*", name):
        raise ValueError(
            "A grid's name becomes that of a file, so it consists of letters, digits, - and _; "
            f"got {name!r}."
        )
    if scale not in SCALES:
        raise ValueError(f"scale must be one of {SCALES}, got {scale!r}.")
    return Path(folder) / f"{name}-{scale}.csv"


def warn_incomplete(path, length, size):
    """Say that the last cell was cut short, if it was: `length` of `size` bytes are whole cells."""
    if length < size:
        warnings.warn(
            f"The last cell of {path} is incomplete, as a kill leaves it: its {size - length} "
            "bytes do not count, and the next run computes that cell again.",
            stacklevel=3,
        )


class ResultsFile:
    """A results file opened by the one run that may add to it. Use it in a ``with`` block.

    With ``fresh=True`` what it held before is forgotten, whatever that was.
    """

    def __init__(self, path, axes, fresh=False):
        self.path, self.axes, self.fresh = path, list(axes), fresh

    def __enter__(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "a+b")
        try:
            self._lock()
            self._check_place()
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

    def _check_place(self):
        # A file that was deleted or replaced can still be written, but what is written is lost.
        try:
            same = os.path.samestat(os.fstat(self._file.fileno()), os.stat(self.path))
        except FileNotFoundError:
            same = False
        if not same:
            raise RuntimeError(
                f"{self.path} was deleted or replaced while this run was writing it; run again."
            )

    def _load(self):
        self._file.seek(0)
        data = b"" if self.fresh else self._file.read()
        check_partial_header(data, self.axes, self.path)
        self.header, self.cells, length = parse(data, self.path, self.axes)
        warn_incomplete(self.path, length, len(data))
        self._file.truncate(length)

    def append(self, key, values, records):
        """Add one finished cell, given by its axis values and its rows, dicts of text.

        It is on the disk when this returns.
        """
        header = self.header or [*self.axes, *records[0]]
        expected = header[len(self.axes) :]
        for record in records:
            if record.keys() != set(expected):
                raise ValueError(
                    f"The cell {values} returned the columns {list(record)}, but {self.path} has "
                    f"{expected}. If the experiment changed, move the file away or rename the grid."
                )
        place = [to_text(value) for value in values.values()]
        cell = [[*place, *(record[name] for name in expected)] for record in records]
        self._check_place()
        self._file.write(to_lines(cell if self.header else [header, *cell]).encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        self.header, self.cells[key] = header, cell
