"""What a search hides, or plants: the data that a fit sees, and the entries that score it."""

from numbers import Real
from typing import NamedTuple

import numpy as np

from rnmf_tutorial.inputs import refuse_empty
from rnmf_tutorial.selection.hiding import hidden_entries, hidden_regions
from rnmf_tutorial.selection.planting import planted_damage

__all__ = ["Split", "split"]


class Split(NamedTuple):
    """The data for a fit, NaN where an entry is hidden; the scored entries; what stood there."""

    seen: np.ndarray
    hidden: np.ndarray
    truth: np.ndarray


def split(data, part, rng, *, plant=None, shape=None, of=""):
    """Hide entries or regions of the data, or plant damage in them.

    Parameters
    ----------
    data : ndarray of shape (n_samples, n_features)
        NaN where an entry is missing.
    part : float or ndarray of bool of the shape of the data
        The share of the entries to hide or to write over; or those to hide.
    rng : RandomState
        Draws.
    plant : str, callable or None, default=None
        Damage to write instead of hiding; see :mod:`rnmf_tutorial.selection.planting`.
    shape : tuple of int or None, default=None
        Of a sample, to hide regions of it; None hides single entries.
    of : str, default=""
        What an error says about the data.

    Returns
    -------
    Split

    Raises
    ------
    ValueError
        If a sample or a feature is left empty, or nothing can be scored.

    Examples
    --------
    >>> A = np.arange(1.0, 17.0).reshape(4, 4)
    >>> seen, hidden, truth = split(A, 0.25, np.random.RandomState(0))
    >>> np.isnan(seen[hidden]).all().item(), truth.shape
    (True, (4,))
    """
    known = ~np.isnan(data)
    if plant is not None:
        seen, hidden = planted_damage(data, plant, part, shape, rng)
    else:
        if not isinstance(part, Real):
            hidden = part & known
        elif shape is None:
            hidden = hidden_entries(known, part, rng)
        else:
            hidden = hidden_regions(known, shape, part, rng) >= 0
        seen = np.where(hidden, np.nan, data)
    refuse_empty(seen, f"MaskedSearchCV.fit{of}, without what holdout hides,")
    if not hidden.any():
        raise ValueError(
            "holdout or plant leaves no known entry to score: hide or change some of them."
        )
    return Split(seen, hidden, data[hidden])
