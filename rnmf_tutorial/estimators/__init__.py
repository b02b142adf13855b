"""The estimators: which loss, which step, which term, and scikit-learn's door."""

from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.capped import CappedNMF
from rnmf_tutorial.estimators.cauchy import CauchyNMF
from rnmf_tutorial.estimators.cim import CIMNMF
from rnmf_tutorial.estimators.csnmf import CSNMF
from rnmf_tutorial.estimators.graph_models import GraphNMF
from rnmf_tutorial.estimators.growing import grown, median_sample
from rnmf_tutorial.estimators.huber import HuberNMF
from rnmf_tutorial.estimators.hypersurface import HypersurfaceNMF
from rnmf_tutorial.estimators.l1 import L1NMF
from rnmf_tutorial.estimators.l1_robust import (
    ColumnErrors,
    L1RobustNMF,
    ShenUpdates,
    shrink_columns,
)
from rnmf_tutorial.estimators.l21 import L21NMF
from rnmf_tutorial.estimators.local import LocalNMF, LocalUpdates, local_objective
from rnmf_tutorial.estimators.manifold_discriminative import ManifoldDiscriminativeNMF
from rnmf_tutorial.estimators.mccgr import MCCGR
from rnmf_tutorial.estimators.nenmf import NeNMF
from rnmf_tutorial.estimators.nmf import NMF
from rnmf_tutorial.estimators.outlier_rules import OUTLIER_RULES, mixture
from rnmf_tutorial.estimators.regularized import RegularizedNMF, SphereUpdates
from rnmf_tutorial.estimators.robust import (
    RobustNMF,
    SparseErrors,
    ZhangUpdates,
    soft_threshold,
)
from rnmf_tutorial.estimators.robust_manifold import RobustManifoldNMF
from rnmf_tutorial.estimators.supervised import SupervisedNMF
from rnmf_tutorial.estimators.truncated_cauchy import (
    TruncatedCauchy,
    TruncatedCauchyNMF,
    TruncatedLoss,
)
from rnmf_tutorial.estimators.warnings import ScaleWarning
from rnmf_tutorial.estimators.weighted import EntrywiseNMF
from rnmf_tutorial.estimators.windows import WindowNMF

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
    "ColumnErrors",
    "EntrywiseNMF",
    "GraphNMF",
    "HuberNMF",
    "HypersurfaceNMF",
    "L1RobustNMF",
    "LocalNMF",
    "LocalUpdates",
    "ManifoldDiscriminativeNMF",
    "NeNMF",
    "RegularizedNMF",
    "RobustManifoldNMF",
    "RobustNMF",
    "ScaleWarning",
    "ShenUpdates",
    "SparseErrors",
    "SphereUpdates",
    "SupervisedNMF",
    "TruncatedCauchy",
    "TruncatedCauchyNMF",
    "TruncatedLoss",
    "WindowNMF",
    "ZhangUpdates",
    "grown",
    "local_objective",
    "median_sample",
    "mixture",
    "shrink_columns",
    "soft_threshold",
]
