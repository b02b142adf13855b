"""Which model for data whose truth is not known."""

from rnmf_tutorial.selection.candidates import default_candidates, noise_scale
from rnmf_tutorial.selection.diagnostics import (
    agreement_of_starts,
    distrusted,
    planted_errors,
    residuals,
)
from rnmf_tutorial.selection.hiding import hidden_entries, planted_values
from rnmf_tutorial.selection.search import MaskedSearchCV as MaskedSearchCV

__all__ = [
    "agreement_of_starts",
    "default_candidates",
    "distrusted",
    "hidden_entries",
    "noise_scale",
    "planted_errors",
    "planted_values",
    "residuals",
]
