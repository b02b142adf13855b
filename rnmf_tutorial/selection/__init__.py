"""Which model for data whose truth is not known; which cells of a table are suspect.

The modules are used in this order: `planting` changes a copy of the data, `diagnostics`
estimates the noise and lists what does not fit, `search` chooses among models.
`marking` stands alone.
"""

from rnmf_tutorial.selection.diagnostics import (
    agreement_of_starts,
    planted_errors,
    rank_curve,
    suspects,
)
from rnmf_tutorial.selection.marking import (
    mark,
)
from rnmf_tutorial.selection.search import (
    MaskedSearchCV,
    default_candidates,
)

__all__ = [
    "MaskedSearchCV",
    "agreement_of_starts",
    "default_candidates",
    "mark",
    "planted_errors",
    "rank_curve",
    "suspects",
]
