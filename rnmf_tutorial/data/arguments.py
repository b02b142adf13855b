"""Checked arguments of the corruptions, and the draw of the images they hit."""

import numbers

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_non_negative


def data_copy(A):
    """A checked copy of the data, float32 if it was float32 and float64 otherwise."""
    A = check_array(A, dtype=[np.float64, np.float32], copy=True, order="C", input_name="A")
    check_non_negative(A, "a corruption (A)")
    return A


def choose_images(A, fraction, rng):
    check_fraction(fraction, "fraction")
    return rng.choice(len(A), size=round(fraction * len(A)), replace=False)


def image_shape(A, shape):
    whole = [n for n in np.atleast_1d(shape) if isinstance(n, numbers.Integral) and n > 0]
    if np.shape(shape) != (2,) or len(whole) != 2:
        raise ValueError(f"shape must be a pair (height, width) in pixels, got {shape!r}.")
    height, width = shape
    if height * width != A.shape[1]:
        raise ValueError(
            f"shape says {height}×{width} pixels, but A has {A.shape[1]} columns:"
            " give the height and width of the flattened images."
        )
    return height, width


def check_fraction(value, name, least=0, most=1):
    if not (_is_number(value) and least <= value <= most):
        raise ValueError(f"{name} must be between {least} and {most}, got {value!r}.")


def check_at_least_zero(value, name):
    if not (_is_number(value) and 0 <= value < np.inf):
        raise ValueError(f"{name} must be a finite number, at least 0, got {value!r}.")


def check_finite(value, name):
    if not (_is_number(value) and np.isfinite(value)):
        raise ValueError(f"{name} must be a finite number, got {value!r}.")


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
