"""Read the bytes of a results file: exactly what a run can have written, and nothing else.

The rows of a cell stand together, have the same axis values and agree on their bookkeeping, and
are as many as each says in `cell_rows`. A stretch of rows for which that fails is damaged as a
whole. To delete all such lines, as the error advises, loses their cells and nothing else; the
next run computes them again.
"""

import csv
import io
import itertools
import re

import numpy as np
import pandas as pd

from .fields import axis_text, from_text

PROVENANCE = ("numpy", "scipy", "scikit_learn", "rnmf_tutorial", "commit")
BOOKKEEPING = ("cell_rows", "seconds", *PROVENANCE)


def to_lines(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def to_frame(header, rows):
    """Return the rows as a DataFrame; an empty field is a missing value."""
    columns = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            name: list(texts) if name in PROVENANCE else _column(texts)
            for name, texts in zip(header, columns, strict=True)
        }
    )


def _column(texts):
    if not any(texts):
        return [np.nan] * len(texts)
    return [from_text(text) for text in texts]


def parse(data, path, axes=None):
    """Split the bytes of a file into header, cells and the length that they take.

    Parameters
    ----------
    data : bytes
    path : path
        For messages.
    axes : list of str or None
        The first columns, by which cells differ. If they are not known, the file has to be right
        for some number of them.

    Returns
    -------
    header : list of str or None
    cells : dict of tuple to list of list of str
        Key of a cell -> its rows, in the order of the file.
    length : int
        Bytes of header and cells. What follows is the beginning of a last cell.

    Raises
    ------
    ValueError
        If a run cannot have written this; says which lines to delete.
    """
    lines = data.split(b"\n")[:-1]
    if not lines:
        return None, {}, 0
    header = _header(lines[0], axes, path)
    rows = [_row(line, header) for line in lines[1:]]
    most = len(header) - len(BOOKKEEPING)
    tried = []
    for n_axes in [len(axes)] if axes else range(most, 0, -1):
        cells, complete, damage = _cells(rows, n_axes)
        if not damage:
            return header, cells, sum(len(line) + 1 for line in lines[: 1 + complete])
        tried.append(damage)
    raise ValueError(_advice(path, min(tried, key=_size)))


def check_partial_header(data, axes, path):
    """Raise ValueError if a file without a whole line is not the beginning of our header."""
    begins = to_lines([axes]).encode()[:-1] + b","
    if b"\n" not in data and not (data.startswith(begins) or begins.startswith(data)):
        raise _foreign(path, "its first line has no end")


def _foreign(path, why):
    return ValueError(f"{path} was not written by the runner of grids ({why}); move it away.")


def _header(line, axes, path):
    if line.startswith(b"\xef\xbb\xbf"):
        raise ValueError(
            f"Line 1 of {path} begins with a byte-order mark, which an editor or a spreadsheet "
            "put there: save the file as UTF-8 without it, or move it away."
        )
    if line.endswith(b"\r"):
        raise ValueError(
            f"The lines of {path} end as on Windows: let them end with \\n alone, as the runner "
            "writes them, or move the file away."
        )
    names = _fields(line)
    if isinstance(names, str):
        raise _foreign(path, f"line 1 {names}")
    if tuple(names[-len(BOOKKEEPING) :]) != BOOKKEEPING:
        raise _foreign(path, f"line 1 does not end with {', '.join(BOOKKEEPING)}")
    if len(set(names)) < len(names):
        raise _foreign(path, "line 1 names a column twice")
    if axes and names[: len(axes)] != axes:
        raise ValueError(
            f"The columns of {path} start with {names[: len(axes)]}, but the grid's axes are "
            f"{axes}; move the file away or rename the grid."
        )
    return names


def _fields(line):
    """Return the fields of a line, or a sentence's end that says why it has none."""
    try:
        text = line.decode()
        fields = next(csv.reader([text], strict=True))
    except UnicodeDecodeError as error:
        return f"is not UTF-8 from byte {error.start + 1} on"
    except csv.Error as error:
        return f"is no line of a CSV file ({error})"
    if fields and to_lines([fields]) != text + "\n":
        return "is quoted in another way than the runner's"
    return fields


def _row(line, header):
    """Return the fields of a row and their values but the last five, or what is wrong with it."""
    fields = _fields(line)
    if isinstance(fields, str):
        return fields
    if len(fields) != len(header):
        return f"has {len(fields)} fields instead of {len(header)}"
    try:
        values = [from_text(text) for text in fields[: -len(PROVENANCE)]]
    except ValueError as error:
        return f"has a field that no value has: {error}"
    cell_rows, seconds = values[-2:]
    if not re.fullmatch("[1-9][0-9]*", fields[len(values) - 2]):
        return f"has cell_rows {cell_rows!r}, which is no positive whole number"
    if type(seconds) not in (int, float) or not 0 <= seconds < np.inf:
        return f"has seconds {seconds!r}, which is no time"
    return fields, values


def _cells(rows, n_axes):
    """Group neighboring rows into cells; return them, how many rows they are, and the damage.

    Damage is a list of the lines of a stretch, and what is wrong with it.
    """

    def place(number):
        row = rows[number]
        if isinstance(row, str):
            return number  # a line that cannot be read stands alone
        return tuple(axis_text(value) for value in row[1][:n_axes])

    cells, lines, damage, complete = {}, {}, [], len(rows)
    for key, numbers in itertools.groupby(range(len(rows)), place):
        numbers = list(numbers)
        if isinstance(key, int):
            damage.append((numbers, rows[key]))
            continue
        cell = [rows[number][0] for number in numbers]
        size = rows[numbers[0]][1][-2]
        if len({tuple(fields[-len(BOOKKEEPING) :]) for fields in cell}) > 1:
            damage.append((numbers, "is one cell whose rows disagree on its size, time or origin"))
        elif key in cells:
            damage.append((lines[key] + numbers, "is one cell stored twice"))
        elif len(cell) == size:
            cells[key], lines[key] = cell, numbers
        elif len(cell) < size and numbers[-1] == len(rows) - 1:
            complete = numbers[0]
        else:
            damage.append((numbers, f"is a cell of {size} rows of which {len(cell)} stand here"))
    return cells, complete, damage


def _size(damage):
    return sum(len(numbers) for numbers, _ in damage)


def _advice(path, damage):
    numbers, reason = damage[0]
    everything = sorted({number for numbers, _ in damage for number in numbers})
    return (
        f"{_lines(numbers)} of {path} {reason}. Delete {_lines(everything).lower()}, which is "
        "every row of each cell concerned, and run again: these cells are computed again, and no "
        "other is."
    )


def _lines(numbers):
    """Name the lines of rows, which the header precedes: "Line 2", "Lines 2-4, 7"."""
    ranges = []
    for number in (number + 2 for number in numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    text = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
    return f"Line{'s' if len(numbers) > 1 else ''} {text}"
