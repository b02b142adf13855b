"""How good is a factorization: measures, protocols of the papers, and grids of experiments."""

from .error_correction import sec_predict
from .experiments import CellError, Grid, run
from .metrics import (
    clustering_accuracy,
    collinearity,
    normalized_mutual_information,
    relative_error,
    sparseness,
)
from .operations import Operations, count_sweep
from .protocols import (
    best_of,
    kmeans_clustering,
    project_lsi,
    project_pca,
    repeated_one_nn,
    training_splits,
)
from .sparse_representation import src_predict
from .stored_results import load_results, same_rows

__all__ = [
    "CellError",
    "Grid",
    "Operations",
    "best_of",
    "clustering_accuracy",
    "collinearity",
    "count_sweep",
    "kmeans_clustering",
    "load_results",
    "normalized_mutual_information",
    "project_lsi",
    "project_pca",
    "relative_error",
    "repeated_one_nn",
    "run",
    "same_rows",
    "sec_predict",
    "sparseness",
    "src_predict",
    "training_splits",
]
