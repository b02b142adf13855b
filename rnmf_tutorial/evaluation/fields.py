"""The text of one value in a CSV file: what is written is read back with its bits and its type."""

import ast

import numpy as np

LONGEST = 100_000  # Python's reader of CSV files takes no field beyond 131,072 characters


def to_text(value):
    """Return one CSV field. A string that would be read as something else is quoted, as in '007'.

    Raises
    ------
    TypeError
        If the value is none of number, string, boolean and None.
    ValueError
        If a string is longer than one line, or too long, or no text.

    Examples
    --------
    >>> [to_text(value) for value in (7, 7.0, "7", "seven", True, "True", None, "")]
    ['7', '7.0', "'7'", 'seven', 'True', "'True'", '', "''"]
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return ""
    if isinstance(value, str):
        _check_line(value)
        return repr(str(value)) if value[:1] in ("", "'", '"') or _typed(value) else str(value)
    if not isinstance(value, bool | int | float):
        raise TypeError(
            "Axis values and results must be numbers, strings, booleans or None, "
            f"got {type(value).__name__}."
        )
    return repr(value) if isinstance(value, float) else str(value)


def from_text(text):
    """Return the value whose field this is.

    Raises
    ------
    ValueError
        If no value has this field.

    Examples
    --------
    >>> [from_text(text) for text in ("7", "7.0", "'7'", "seven", "True", "", "''", "007")]
    [7, 7.0, '7', 'seven', True, None, '', '007']
    """
    if text == "":
        return None
    if text[0] in "'\"":
        try:
            value = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            value = None
        if not isinstance(value, str) or to_text(value) != text:
            raise ValueError(f"{text} is no quoted string")
        return value
    typed = _typed(text)
    return typed[0] if typed else text


def axis_text(value):
    """Return the text that identifies an axis value: 1 and 1.0 are the same, 1 and "1" are not.

    Examples
    --------
    >>> axis_text(1.0), axis_text("1"), axis_text(float("nan")) == axis_text(None)
    ('1', "'1'", True)
    """
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return ""
        if float(value).is_integer():
            value = int(value)
    return to_text(value)


def check_name(name):
    """Raise ValueError if this cannot name a column.

    Examples
    --------
    >>> check_name("error")
    """
    if not isinstance(name, str) or not name:
        raise ValueError(f"A column's name is a string that is not empty, got {name!r}.")
    _check_line(name)


def _typed(text):
    """Return [value] if this is how a boolean or a number is written, and [] if not."""
    if text in ("True", "False"):
        return [text == "True"]
    for read, write in ((int, str), (float, repr)):
        try:
            value = read(text)
            if write(value) == text:  # 7 is a number; 007, +7 and 7_000 are names
                return [value]
        except ValueError:
            continue
    return []


def _check_line(text):
    if "\n" in text or "\r" in text:
        raise ValueError(f"A stored string must be one line, got {text!r}.")
    if len(text) > LONGEST:
        raise ValueError(f"A stored string has at most {LONGEST:,} characters, got {len(text):,}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"A stored string must be text that UTF-8 has, got {text!r}.") from None
