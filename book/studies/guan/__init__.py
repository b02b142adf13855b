"""Guan et al.: truncated Cauchy NMF, its competitors and its outlier rules."""

from rnmf_tutorial.models.truncated import OUTLIER_RULES, mixture
from studies.machinery.words import paper

from .competitors import TABLES
from .grids import GRIDS
from .limits import BREAKDOWN, sparse_low_rank
from .line import (
    line_with_outliers,
    share_recovered,
    slope,
    three_profiles,
    three_slopes,
)
from .literal import PASSES
from .noise import LEVELS, corrupted
from .positive import POSITIVE_NOISE
from .printed import printed_recognition, printed_table
from .rules import RULE_TABLES, TABLE_3_AND_4, median_start
from .sentences import claims
from .stopping import distance_from_print
from .theorem import printed_bounds, table_one, truncated_loss
from .verdicts import (
    POSITIVE,
    TABLE_OF,
    change_of_error,
    literal_runs,
    numbers,
    own_runs,
    positive_table,
    runs_of,
    split,
    stored_rules,
    tables,
    with_positive_noise,
    with_reading,
)

PAPER = paper(__file__, numbers, claims)
