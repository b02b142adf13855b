"""Which model for data whose truth is not known? The choice by held-out entries, and its regret."""

from .grids import CANDIDATES, CORRUPTIONS, GRIDS, SETTING, default_names
from .problems import DATA, problem

__all__ = [
    "CANDIDATES",
    "CORRUPTIONS",
    "DATA",
    "GRIDS",
    "SETTING",
    "default_names",
    "problem",
]
