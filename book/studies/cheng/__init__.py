"""Cheng, Wang and Guan: correntropy and labels, recognition by the nearest neighbor."""

from studies.machinery.words import paper

from .cells import BEST_LAM, BYTES_LAM, LABELED, PARTS, fitted, wrong_labels
from .grids import GRIDS, LAM, ORL, UMIST, UNIT, UNIT_LAM, YALE
from .printed import printed_tables
from .unit_norms import UNIT_BEST_LAM, graph_nmf_unit
from .unit_norms import objective as unit_objective
from .verdicts import (
    PRINTED_METHODS,
    SETS,
    at_best_rank,
    best_ranks,
    claims,
    free_runs,
    leads_in,
    leads_of_csnmf,
    numbers,
    sentences_by_reading,
    stored_runs,
    tables,
    unit_runs,
)

PAPER = paper(__file__, numbers, claims)
