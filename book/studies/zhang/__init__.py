"""Zhang et al. (2011): robust NMF with a sparse error matrix, under blocks and disguises."""

from .grids import (
    BASELINES,
    BLOCKS,
    CASE_STUDY,
    CLUSTERING,
    CLUSTERING_BASELINES,
    FINISHED_BLOCKS,
    GRIDS,
    LAMBDAS,
    RECOGNITION,
    RECOGNITION_BASELINES,
    clustering_scores,
    disguised_faces,
    share_of_blocks,
)
from .verdicts import best_run, better, claims, paired, rows_of, text

__all__ = [
    "BASELINES",
    "BLOCKS",
    "CASE_STUDY",
    "CLUSTERING",
    "CLUSTERING_BASELINES",
    "FINISHED_BLOCKS",
    "GRIDS",
    "LAMBDAS",
    "RECOGNITION",
    "RECOGNITION_BASELINES",
    "best_run",
    "better",
    "claims",
    "clustering_scores",
    "disguised_faces",
    "paired",
    "rows_of",
    "share_of_blocks",
    "text",
]
