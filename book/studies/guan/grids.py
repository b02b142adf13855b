"""Experiments of Guan et al.: their Tables II to V, Figs. 6, 7, 9 and 11, and the outlier rules."""

from studies.guan.bright import BRIGHT
from studies.guan.competitors import TABLES
from studies.guan.disguises import FACES, OBJECTS, RECOGNITION
from studies.guan.limits import BREAKDOWN, SOLVER
from studies.guan.others import OTHERS
from studies.guan.positive import POSITIVE_NOISE, UNSCALED
from studies.guan.rules import MEDIAN, ODDS, RULE_TABLES, RULES_LAPLACE, RULES_MEDIAN, RULES_MORE
from studies.guan.stopping import EARLY_STOPPING, STOPPING

#: Each grid with the data sets it needs.
GRIDS = [
    (TABLES, ["orl32"]),
    (RULE_TABLES, ["orl32"]),
    (RULES_MORE, ["orl32"]),
    (RULES_MEDIAN, ["orl32"]),
    (RULES_LAPLACE, ["orl32"]),
    (POSITIVE_NOISE, ["orl32"]),
    (UNSCALED, ["orl32"]),
    (BRIGHT, ["orl32"]),
    (MEDIAN, ["orl32"]),
    (ODDS, ["orl32"]),
    (STOPPING, ["orl32"]),
    (EARLY_STOPPING, ["orl32"]),
    (BREAKDOWN, []),
    (SOLVER, ["orl32"]),
    (FACES, ["orl32"]),
    (OBJECTS, ["msrc"]),
    (OTHERS, ["yale32", "umist"]),
    (RECOGNITION, ["orl32"]),
]
