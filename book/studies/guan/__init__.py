"""Guan et al.: truncated Cauchy NMF, its competitors and its outlier rules."""

from studies import Paper

from .competitors import METHODS, TABLES
from .grids import GRIDS
from .limits import BREAKDOWN, NesterovHuber, sparse_low_rank
from .line import line_with_outliers, share_recovered, slope, three_profiles, three_slopes
from .noise import LEVELS, corrupted
from .positive import POSITIVE_NOISE, UNSCALED
from .printed import printed_recognition, printed_table
from .rules import RULE_TABLES, TABLE_3_AND_4, median_start
from .sentences import claims
from .stopping import EARLY_STOPPING, STOPPING, distance_from_print
from .theorem import printed_bounds, table_one, truncated_loss
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

PAPER = Paper(
    number=4,
    name="Guan et al.",
    key="guan2019",
    chapter="truncated_cauchy",
    box="guan",
    rows=(numbers, claims),
    digits=2,
    left_out={
        "Table I": "formulas, no numbers; each is checked in the chapter",
        "Table II, deviations": (
            "used by the rule, not judged: they depend on how the ten runs were made"
        ),
        "Table III, deviations": "used by the rule, not judged: as in Table II",
        "Table V": "the AR faces, which may not be passed on",
        "Figs. 1, 2, 5, 8, 10": "pictures and formulas, no results",
        "Figs. 3, 4": (
            "the AR faces, and points whose places are not given; the chapter tries data of its own"
        ),
        "Figs. 6, 7": "curves without numbers; the sentences about them are here",
        "Fig. 9": (
            "the AR faces; odd numbers of people and 50 trials would change nothing about that"
        ),
        "Fig. 11": (
            "Caltech 101 and features of a network; here other pictures and features, five "
            "trials of 50"
        ),
        "§5.2.2, all satisfactory at 5 %; quite stable at 40 %": (
            "no number says what is satisfactory or stable, and any bar of ours would be set "
            "after the numbers"
        ),
        "§5.3.1, sentences on SEC": "the AR faces",
    },
    silent={
        "§1, L2,1 is slow because of the power method": (
            "nothing in the update of L2,1-NMF is a power method; how fast a program of "
            "others was cannot be seen"
        ),
        "§4, the breakdown of L1 depends on the dimension": (
            "a reference to others, without a number; on the page “Neighbors” one unbounded "
            "entry breaks a factorization under L1 at any dimension"
        ),
        "§3, half-quadratic programming is a quasi-Newton method": (
            "true, by one line on the page “How fast does a fit come to rest?”; no number "
            "hangs on it"
        ),
    },
)

__all__ = [
    "BREAKDOWN",
    "EARLY_STOPPING",
    "GRIDS",
    "LEVELS",
    "METHODS",
    "PAPER",
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
    "line_with_outliers",
    "median_start",
    "numbers",
    "positive_table",
    "printed_bounds",
    "printed_recognition",
    "printed_table",
    "runs_of",
    "share_recovered",
    "slope",
    "sparse_low_rank",
    "split",
    "stored_rules",
    "table_one",
    "tables",
    "three_profiles",
    "three_slopes",
    "truncated_loss",
    "with_positive_noise",
    "with_reading",
]
