"""Which model for data whose truth is not known? The choice by held-out entries, and its regret."""

from .dust import dust
from .grids import (
    CHOICES,
    CLASSES,
    CORRUPTIONS,
    GRIDS,
    SETTING,
    UNSEEN,
    errors,
    regrets,
)
from .pieces import DAMAGES, PIECES, chosen_in_pieces
from .ranks import low_rank, rank_curves
