"""The models: one class per algorithm, in rooms by idea."""

from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.bases.local import LocalNMF, local_objective
from rnmf_tutorial.models.bases.regularized import RegularizedNMF
from rnmf_tutorial.models.bases.sphere import nearest_unit_columns, safe_step, sphere_step
from rnmf_tutorial.models.distances import (
    Products,
    column_norms,
    huber,
    kl_divergence,
    squared_error,
)
from rnmf_tutorial.models.errors.l1_robust import (
    L1RobustNMF,
    SignedErrors,
    column_thresholds,
    shrink_columns,
)
from rnmf_tutorial.models.errors.robust import Errors, RobustNMF, soft_threshold
from rnmf_tutorial.models.graphs.csnmf import CSNMF
from rnmf_tutorial.models.graphs.graph import LabelGraph, NeighborGraph
from rnmf_tutorial.models.graphs.graph_term import GraphTerm
from rnmf_tutorial.models.graphs.manifold_discriminative import ManifoldDiscriminativeNMF
from rnmf_tutorial.models.graphs.mccgr import MCCGR
from rnmf_tutorial.models.graphs.robust_manifold import RobustManifoldNMF
from rnmf_tutorial.models.graphs.supervised import SupervisedNMF
from rnmf_tutorial.models.initialization import initialize, median_start
from rnmf_tutorial.models.parameters import estimator
from rnmf_tutorial.models.plain.l1 import L1NMF
from rnmf_tutorial.models.plain.nenmf import NeNMF
from rnmf_tutorial.models.plain.nmf import NMF, DivergenceNMF, EuclideanNMF
from rnmf_tutorial.models.weights.capped import CappedNMF
from rnmf_tutorial.models.weights.cauchy import CauchyNMF
from rnmf_tutorial.models.weights.cim import CIMNMF
from rnmf_tutorial.models.weights.entries import EntryWeights, EntrywiseNMF, smallest_weight
from rnmf_tutorial.models.weights.huber import HuberNMF
from rnmf_tutorial.models.weights.hypersurface import HypersurfaceNMF
from rnmf_tutorial.models.weights.l21 import L21NMF
from rnmf_tutorial.models.weights.nesterov_sweep import NesterovSweep
from rnmf_tutorial.models.weights.outlier_rules import OUTLIER_RULES, mixture
from rnmf_tutorial.models.weights.samples import ColumnwiseNMF
from rnmf_tutorial.models.weights.truncated_cauchy import TruncatedCauchyNMF, TruncatedWeights

__all__ = [
    "CIMNMF",
    "CSNMF",
    "L1NMF",
    "L21NMF",
    "MCCGR",
    "NMF",
    "OUTLIER_RULES",
    "BaseNMF",
    "CappedNMF",
    "CauchyNMF",
    "ColumnwiseNMF",
    "DivergenceNMF",
    "EntryWeights",
    "EntrywiseNMF",
    "Errors",
    "EuclideanNMF",
    "GraphTerm",
    "HuberNMF",
    "HypersurfaceNMF",
    "L1RobustNMF",
    "LabelGraph",
    "LocalNMF",
    "ManifoldDiscriminativeNMF",
    "NeNMF",
    "NeighborGraph",
    "NesterovSweep",
    "Products",
    "RegularizedNMF",
    "RobustManifoldNMF",
    "RobustNMF",
    "SignedErrors",
    "SupervisedNMF",
    "TruncatedCauchyNMF",
    "TruncatedWeights",
    "column_norms",
    "column_thresholds",
    "estimator",
    "huber",
    "initialize",
    "kl_divergence",
    "local_objective",
    "median_start",
    "mixture",
    "nearest_unit_columns",
    "safe_step",
    "shrink_columns",
    "smallest_weight",
    "soft_threshold",
    "sphere_step",
    "squared_error",
]
