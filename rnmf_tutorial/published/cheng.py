"""The methods of Cheng, Wang and Guan (2022), and those that it compares with."""

from rnmf_tutorial.models import (
    CSNMF,
    MCCGR,
    ManifoldDiscriminativeNMF,
    RobustManifoldNMF,
    SupervisedNMF,
)
from rnmf_tutorial.published.diaz import L21NMF
from rnmf_tutorial.published.guan import CIMNMF
from rnmf_tutorial.published.lee import NMF

__all__ = [
    "CIMNMF",
    "CSNMF",
    "L21NMF",
    "MCCGR",
    "NMF",
    "ManifoldDiscriminativeNMF",
    "RobustManifoldNMF",
    "SupervisedNMF",
]
