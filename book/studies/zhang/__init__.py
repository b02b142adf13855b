"""Zhang et al. (2011): robust NMF with a sparse error matrix, under blocks and disguises."""

from studies import Paper
from studies.machinery.words import without_rows

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

PAPER = Paper(
    number=1,
    name="Zhang et al.",
    key="zhang2011",
    chapter="robust_nmf",
    box="zhang",
    equations=35,
    algorithms=("Algorithm 1",),
    rows=(claims,),
    **without_rows(__file__),
)
