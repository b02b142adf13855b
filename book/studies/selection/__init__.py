"""Which model for data whose truth is not known? The choice by held-out entries, and its regret."""

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
from .problems import DATA, problem
from .ranks import RANKS, TRIED

__all__ = [
    "CANDIDATES",
    "CHOICES",
    "CORRUPTIONS",
    "DATA",
    "EARLIER",
    "GRIDS",
    "RANKS",
    "ROBUST",
    "SETTING",
    "TRIED",
    "classes",
    "default_names",
    "problem",
    "regrets",
    "tuned",
]
