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
    RECOGNITION,
    RECOGNITION_BASELINES,
    disguised_faces,
    share_of_blocks,
)
from .verdicts import best_run, claims, paired, rows_of

PAPER = paper(__file__, claims)
