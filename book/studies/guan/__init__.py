"""Guan et al.: truncated Cauchy NMF, its competitors and its outlier rules."""

from .competitors import METHODS, TABLES
from .grids import GRIDS
from .limits import BREAKDOWN, NesterovHuber
from .noise import LEVELS, corrupted
from .positive import POSITIVE_NOISE, UNSCALED
from .printed import printed_recognition, printed_table
from .rules import RULE_TABLES, TABLE_3_AND_4
from .sentences import claims
from .stopping import EARLY_STOPPING, STOPPING, distance_from_print, draw_stopping
from .verdicts import (
    POSITIVE,
    TABLE_OF,
    numbers,
    positive_table,
    runs_of,
    split,
    stored_rules,
    tables,
    with_positive_noise,
    with_reading,
)

__all__ = [
    "BREAKDOWN",
    "EARLY_STOPPING",
    "GRIDS",
    "LEVELS",
    "METHODS",
    "POSITIVE",
    "POSITIVE_NOISE",
    "RULE_TABLES",
    "STOPPING",
    "TABLES",
    "TABLE_3_AND_4",
    "TABLE_OF",
    "UNSCALED",
    "NesterovHuber",
    "claims",
    "corrupted",
    "distance_from_print",
    "draw_stopping",
    "numbers",
    "positive_table",
    "printed_recognition",
    "printed_table",
    "runs_of",
    "split",
    "stored_rules",
    "tables",
    "with_positive_noise",
    "with_reading",
]
