"""Díaz, Steele and Nguyen: three losses, L2, L1 and L2,1, under noise of three kinds."""

from studies import Paper

from .grids import GRIDS, START, STOPPING, STRANGERS, TABLE_ORL, majority_vote
from .printed import printed_table
from .verdicts import METRICS, STOPPED, claims, numbers, table_2, table_2_runs, yaleb_runs

PAPER = Paper(
    number=2,
    name="Díaz et al.",
    key="diaz2021",
    chapter="l2_l1_l21",
    box="diaz",
    rows=(numbers, claims),
    digits=3,
    left_out={
        "Table 1": "sweeps and repetitions of the runs, no results",
        "Figs. 1, 2, 4 to 8": "pictures of bases and of noise, no results",
        "Figs. 10, 12, 14 to 17": (
            "curves and deviations without numbers or a sentence that says how small a "
            "deviation is; the means are in Table 2"
        ),
        "§3.4.2, §4.2.1, §4.2.2, very sensitive to the start; small deviations; more stable": (
            "no number says what is sensitive, small or stable"
        ),
        "§4.2.2, L2 at σ = 0.01": (
            "“achieved the best result” of the three methods there, or its own best there: "
            "two readings"
        ),
        "Fig. 13": (
            "a surface without numbers; the sentence about it is here, with s_vs_p = 4p/3 as "
            "in Table 2"
        ),
    },
)

__all__ = [
    "GRIDS",
    "METRICS",
    "PAPER",
    "START",
    "STOPPED",
    "STOPPING",
    "STRANGERS",
    "TABLE_ORL",
    "claims",
    "majority_vote",
    "numbers",
    "printed_table",
    "table_2",
    "table_2_runs",
    "yaleb_runs",
]
