"""Experiments of Guan et al.: their Tables II to V, Figs. 6, 7, 9 and 11, and the outlier rules."""

from studies.guan.bright import BRIGHT
from studies.guan.competitors import TABLES
from studies.guan.disguises import FACES, OBJECTS, RECOGNITION
from studies.guan.limits import BREAKDOWN, SOLVER
from studies.guan.literal import LITERAL, LITERAL_POSITIVE
from studies.guan.others import OTHERS
from studies.guan.positive import POSITIVE_NOISE, UNSCALED
from studies.guan.rules import (
    MEDIAN,
    ODDS,
    RULE_TABLES,
    RULES_LAPLACE,
    RULES_MEDIAN,
    RULES_MORE,
)
from studies.guan.stopping import EARLY_STOPPING, STOPPING

#: Each grid with the data sets it needs.
GRIDS = [
    *(
        (one, ["orl32"])
        for one in (TABLES, RULE_TABLES, RULES_MORE, RULES_MEDIAN, RULES_LAPLACE)
    ),
    *((one, ["orl32"]) for one in (POSITIVE_NOISE, UNSCALED, BRIGHT, MEDIAN, ODDS)),
    *(
        (one, ["orl32"])
        for one in (STOPPING, EARLY_STOPPING, SOLVER, FACES, RECOGNITION)
    ),
    *((one, ["orl32"]) for one in (LITERAL, LITERAL_POSITIVE)),
    *((BREAKDOWN, []), (OBJECTS, ["msrc"]), (OTHERS, ["yale32", "umist"])),
]
