"""Which model for data whose truth is not known? The choice by held-out entries, and its regret."""

from .grids import (
    CANDIDATES,
    CHOICES,
    CORRUPTIONS,
    GRIDS,
    ROBUST,
    SETTING,
    classes,
    default_names,
    regrets,
    tuned,
)
from .problems import DATA, problem

__all__ = [
    "CANDIDATES",
    "CHOICES",
    "CORRUPTIONS",
    "DATA",
    "GRIDS",
    "ROBUST",
    "SETTING",
    "classes",
    "default_names",
    "problem",
    "regrets",
    "tuned",
]
