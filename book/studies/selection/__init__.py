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
from .ranks import RANKS, TRIED, chosen, low_rank
from .regions import DAMAGES, REGION_SETTING, REGIONS, chosen_by_regions

__all__ = [
    "CANDIDATES",
    "CHOICES",
    "CORRUPTIONS",
    "DAMAGES",
    "DATA",
    "EARLIER",
    "GRIDS",
    "RANKS",
    "REGIONS",
    "REGION_SETTING",
    "ROBUST",
    "SETTING",
    "TRIED",
    "chosen",
    "chosen_by_regions",
    "classes",
    "default_names",
    "low_rank",
    "problem",
    "regrets",
    "tuned",
]
