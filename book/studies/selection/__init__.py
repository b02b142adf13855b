"""Which model for data whose truth is not known? The choice by held-out entries, and its regret."""

from .dust import dust
from .grids import (
    CANDIDATES,
    CHOICES,
    CORRUPTIONS,
    EARLIER,
    GRIDS,
    ROBUST,
    SETTING,
    classes,
    default_names,
    regrets,
    tuned,
)
from .pieces import DAMAGES, PICTURES, PIECES, chosen_in_pieces
from .problems import DATA, problem
from .ranks import RANKS, TRIED, chosen, low_rank

__all__ = [
    "CANDIDATES",
    "CHOICES",
    "CORRUPTIONS",
    "DAMAGES",
    "DATA",
    "EARLIER",
    "GRIDS",
    "PICTURES",
    "PIECES",
    "RANKS",
    "ROBUST",
    "SETTING",
    "TRIED",
    "chosen",
    "chosen_in_pieces",
    "classes",
    "default_names",
    "dust",
    "low_rank",
    "problem",
    "regrets",
    "tuned",
]
