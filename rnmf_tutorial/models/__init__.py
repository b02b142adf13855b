"""The models: one class per paper's algorithm, its methods the lines of the algorithm box."""

from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.column_error import L1RobustNMF
from rnmf_tutorial.models.columnwise import L21NMF, CappedNMF
from rnmf_tutorial.models.l1 import L1NMF
from rnmf_tutorial.models.local import LocalNMF
from rnmf_tutorial.models.manifold import ManifoldDiscriminativeNMF, RobustManifoldNMF
from rnmf_tutorial.models.mccgr import MCCGR
from rnmf_tutorial.models.nenmf import NeNMF
from rnmf_tutorial.models.nmf import NMF
from rnmf_tutorial.models.redescending import CIMNMF, CauchyNMF
from rnmf_tutorial.models.robust_losses import HuberNMF, HypersurfaceNMF
from rnmf_tutorial.models.sparse_basis import RegularizedNMF
from rnmf_tutorial.models.sparse_error import RobustNMF
from rnmf_tutorial.models.supervised import CSNMF, SupervisedNMF
from rnmf_tutorial.models.truncated_cauchy import TruncatedCauchyNMF

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
]
