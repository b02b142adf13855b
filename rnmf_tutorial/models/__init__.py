"""The models: one class per paper's algorithm, its methods the lines of the algorithm box."""

from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.column_error import L1RobustNMF
from rnmf_tutorial.models.nmf import NMF
from rnmf_tutorial.models.sparse_error import RobustNMF

__all__ = ["NMF", "BaseNMF", "L1RobustNMF", "RobustNMF"]
