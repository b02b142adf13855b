"""Which model for data whose truth is not known."""

from rnmf_tutorial.selection.candidates import default_candidates
from rnmf_tutorial.selection.diagnostics import agreement_of_starts, planted_errors, residuals
from rnmf_tutorial.selection.hiding import hidden_entries, planted_values
from rnmf_tutorial.selection.marking import mark
from rnmf_tutorial.selection.noise import noise_scale
from rnmf_tutorial.selection.ranks import rank_curve
from rnmf_tutorial.selection.search import MaskedSearchCV as MaskedSearchCV
from rnmf_tutorial.selection.suspicion import suspects

__all__ = [
    "agreement_of_starts",
    "default_candidates",
    "hidden_entries",
    "mark",
    "noise_scale",
    "planted_errors",
    "planted_values",
    "rank_curve",
    "residuals",
    "suspects",
]
