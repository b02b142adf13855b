"""Zhang et al. (2011): robust NMF with a sparse error matrix, under blocks and disguises."""

from studies.machinery.words import paper

from .grids import (
    BASELINES,
    BLOCKS,
    CASE_STUDY,
    CLUSTERING,
    CLUSTERING_BASELINES,
    GRIDS,
    LAMBDAS,
    MORE_CLUSTERING,
    RECOGNITION,
    RECOGNITION_BASELINES,
    disguised_faces,
    share_of_blocks,
)
from .verdicts import best_run, claims, more_draws, paired, rows_of

PAPER = paper(__file__, claims)
