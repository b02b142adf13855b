"""Guan et al.: truncated Cauchy NMF, its competitors and its outlier rules."""

from rnmf_tutorial.models.truncated import OUTLIER_RULES, mixture
from studies import Paper
from studies.machinery.words import without_rows

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
    equations=18,
    algorithms=("Algorithm 1", "Algorithm 2"),
    **without_rows(__file__),
)
