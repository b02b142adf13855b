"""Zhang et al. (2011): robust NMF with a sparse error matrix, under blocks and disguises."""

from studies import Paper

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

PAPER = Paper(
    number=1,
    name="Zhang et al.",
    key="zhang2011",
    chapter="robust_nmf",
    box="zhang",
    rows=(claims,),
    left_out={
        "Fig. 2": "photographs of the AR faces, which may not be passed on",
        "Fig. 4": "the AR faces; the sentences are beside what other faces say",
    },
    silent={
        "§6, when can W and H be recovered?": (
            "an open question, no claim; the page “When can W and H be recovered?” has the "
            "known theorems and a phase diagram"
        ),
        "Theorem 1, for any symmetric A": (
            "proved here for A ≥ 0, which is all that the updates use"
        ),
    },
)

__all__ = [
    "BASELINES",
    "BLOCKS",
    "CASE_STUDY",
    "CLUSTERING",
    "CLUSTERING_BASELINES",
    "FINISHED_BLOCKS",
    "GRIDS",
    "LAMBDAS",
    "PAPER",
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
