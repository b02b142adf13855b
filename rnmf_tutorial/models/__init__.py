"""The models: one class per algorithm, in rooms by idea."""

from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.bases.local import LocalNMF
from rnmf_tutorial.models.bases.regularized import RegularizedNMF
from rnmf_tutorial.models.errors.l1_robust import L1RobustNMF
from rnmf_tutorial.models.errors.robust import RobustNMF
from rnmf_tutorial.models.graphs.csnmf import CSNMF
from rnmf_tutorial.models.graphs.manifold_discriminative import ManifoldDiscriminativeNMF
from rnmf_tutorial.models.graphs.mccgr import MCCGR
from rnmf_tutorial.models.graphs.robust_manifold import RobustManifoldNMF
from rnmf_tutorial.models.graphs.supervised import SupervisedNMF
from rnmf_tutorial.models.parameters import estimator
from rnmf_tutorial.models.plain.l1 import L1NMF
from rnmf_tutorial.models.plain.nenmf import NeNMF
from rnmf_tutorial.models.plain.nmf import NMF
from rnmf_tutorial.models.weights.capped import CappedNMF
from rnmf_tutorial.models.weights.cauchy import CauchyNMF
from rnmf_tutorial.models.weights.cim import CIMNMF
from rnmf_tutorial.models.weights.entries import EntrywiseNMF
from rnmf_tutorial.models.weights.huber import HuberNMF
from rnmf_tutorial.models.weights.hypersurface import HypersurfaceNMF
from rnmf_tutorial.models.weights.l21 import L21NMF
from rnmf_tutorial.models.weights.samples import ColumnwiseNMF
from rnmf_tutorial.models.weights.truncated_cauchy import TruncatedCauchyNMF

__all__ = [
    "CIMNMF",
    "CSNMF",
    "L1NMF",
    "L21NMF",
    "MCCGR",
    "NMF",
    "BaseNMF",
    "CappedNMF",
    "CauchyNMF",
    "ColumnwiseNMF",
    "EntrywiseNMF",
    "HuberNMF",
    "HypersurfaceNMF",
    "L1RobustNMF",
    "LocalNMF",
    "ManifoldDiscriminativeNMF",
    "NeNMF",
    "RegularizedNMF",
    "RobustManifoldNMF",
    "RobustNMF",
    "SupervisedNMF",
    "TruncatedCauchyNMF",
    "estimator",
]
