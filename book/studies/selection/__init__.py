"""Which model for data whose truth is not known? The choice by held-out entries, and its regret."""

from .grids import CANDIDATES, CORRUPTIONS, GRIDS, ROBUST, SETTING, default_names, regrets
from .problems import DATA, problem

__all__ = [
    "CANDIDATES",
    "CORRUPTIONS",
    "DATA",
    "GRIDS",
    "ROBUST",
    "SETTING",
    "default_names",
    "problem",
    "regrets",
]
