"""Robust non-negative matrix factorization, step by step.

The companion package of the tutorial. Every estimator follows scikit-learn's interface; inside,
the code keeps the orientation and the symbols of the papers: ``X ≈ W @ H``, samples in columns.
"""

from rnmf_tutorial.estimators import (
    CIMNMF,
    CSNMF,
    L1NMF,
    L21NMF,
    MCCGR,
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    HypersurfaceNMF,
    L1RobustNMF,
    LocalNMF,
    ManifoldDiscriminativeNMF,
    NeNMF,
    RegularizedNMF,
    RobustManifoldNMF,
    RobustNMF,
    ScaleWarning,
    SupervisedNMF,
    TruncatedCauchyNMF,
)
from rnmf_tutorial.selection import MaskedSearchCV

__version__ = "0.1.0"

__all__ = [
    "CIMNMF",
    "CSNMF",
    "L1NMF",
    "L21NMF",
    "MCCGR",
    "NMF",
    "CappedNMF",
    "CauchyNMF",
    "HuberNMF",
    "HypersurfaceNMF",
    "L1RobustNMF",
    "LocalNMF",
    "ManifoldDiscriminativeNMF",
    "MaskedSearchCV",
    "NeNMF",
    "RegularizedNMF",
    "RobustManifoldNMF",
    "RobustNMF",
    "ScaleWarning",
    "SupervisedNMF",
    "TruncatedCauchyNMF",
    "__version__",
]
