"""How good is a factorization: error measures, and the protocols of the papers."""

from .metrics import (
    clustering_accuracy,
    collinearity,
    normalized_mutual_information,
    relative_error,
    sparseness,
)
from .protocols import (
    best_of,
    kmeans_clustering,
    project_lsi,
    project_pca,
    repeated_one_nn,
    training_splits,
)

__all__ = [
    "best_of",
    "clustering_accuracy",
    "collinearity",
    "kmeans_clustering",
    "normalized_mutual_information",
    "project_lsi",
    "project_pca",
    "relative_error",
    "repeated_one_nn",
    "sparseness",
    "training_splits",
]
