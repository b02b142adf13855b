"""Díaz, Steele and Nguyen: three losses, L2, L1 and L2,1, under noise of three kinds."""

from studies.machinery.words import paper

from .grids import (
    GRIDS,
    START,
    STRANGERS,
    SURFACE,
    TABLE_ORL,
    majority_vote,
    stretched,
)
from .printed import printed_table
from .verdicts import (
    STOPPED,
    claims,
    numbers,
    surface_with_half,
    table_2,
    table_2_runs,
    yaleb_runs,
)

PAPER = paper(__file__, numbers, claims)
