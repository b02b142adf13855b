"""The models: one class per paper's algorithm, its methods the lines of the algorithm box."""

from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.blocks import file_blocks, sweep_in_blocks
from rnmf_tutorial.models.column_error import L1RobustNMF, column_thresholds, shrink_columns
from rnmf_tutorial.models.columnwise import L21NMF, CappedNMF
from rnmf_tutorial.models.graph import LabelGraph, NeighborGraph
from rnmf_tutorial.models.graph_term import GraphTerm
from rnmf_tutorial.models.initialization import initialize, median_start
from rnmf_tutorial.models.l1 import L1NMF
from rnmf_tutorial.models.least_absolute import absolute_error, least_absolute
from rnmf_tutorial.models.local import LocalNMF, local_objective
from rnmf_tutorial.models.losses import Products, column_norms, huber, kl_divergence, squared_error
from rnmf_tutorial.models.manifold import ManifoldDiscriminativeNMF, RobustManifoldNMF
from rnmf_tutorial.models.mccgr import MCCGR
from rnmf_tutorial.models.nenmf import NeNMF
from rnmf_tutorial.models.nesterov_sweep import (
    NesterovSweep,
    improve_H,
    improve_W,
    lipschitz_bounds,
)
from rnmf_tutorial.models.nmf import NMF
from rnmf_tutorial.models.nnls import nnls, optimal_gradient, weighted_nnls
from rnmf_tutorial.models.outlier_rules import OUTLIER_RULES, mixture
from rnmf_tutorial.models.redescending import CIMNMF, CauchyNMF
from rnmf_tutorial.models.robust_losses import HuberNMF, HypersurfaceNMF
from rnmf_tutorial.models.sparse_basis import RegularizedNMF
from rnmf_tutorial.models.sparse_error import RobustNMF, soft_threshold
from rnmf_tutorial.models.sphere import nearest_unit_columns, safe_step, sphere_step
from rnmf_tutorial.models.supervised import CSNMF, SupervisedNMF
from rnmf_tutorial.models.truncated_cauchy import TruncatedCauchyNMF
from rnmf_tutorial.models.updates import at_least, product, ratio, residual, unit_columns
from rnmf_tutorial.models.weighted import ColumnwiseNMF, EntrywiseNMF, smallest_weight

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
    "EntrywiseNMF",
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
    "SupervisedNMF",
    "TruncatedCauchyNMF",
    "absolute_error",
    "at_least",
    "column_norms",
    "column_thresholds",
    "file_blocks",
    "huber",
    "improve_H",
    "improve_W",
    "initialize",
    "kl_divergence",
    "least_absolute",
    "lipschitz_bounds",
    "local_objective",
    "median_start",
    "mixture",
    "nearest_unit_columns",
    "nnls",
    "optimal_gradient",
    "product",
    "ratio",
    "residual",
    "safe_step",
    "shrink_columns",
    "smallest_weight",
    "soft_threshold",
    "sphere_step",
    "squared_error",
    "sweep_in_blocks",
    "unit_columns",
    "weighted_nnls",
]
