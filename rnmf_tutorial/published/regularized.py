"""The methods of *Regularized non-negative matrix factorization*, and local NMF in it."""

from rnmf_tutorial.models import LocalNMF, RegularizedNMF
from rnmf_tutorial.published.lee import NMF

__all__ = ["NMF", "LocalNMF", "RegularizedNMF"]
