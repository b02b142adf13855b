"""Robust non-negative matrix factorization, step by step.

The companion package of the tutorial. Every estimator follows scikit-learn's interface; inside,
the code keeps the orientation and the symbols of the papers: ``X ≈ W @ H``, samples in columns.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rnmf_tutorial.estimator import ScaleWarning
    from rnmf_tutorial.models import (
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
        SupervisedNMF,
        TruncatedCauchyNMF,
    )
    from rnmf_tutorial.selection import MaskedSearchCV
    from rnmf_tutorial.windows import WindowNMF

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
    "WindowNMF",
    "__version__",
]

#: Where a name is imported from when it is first used, so that the papers' boxes need NumPy alone.
_MODULES = dict.fromkeys(__all__, "rnmf_tutorial.models") | {
    "MaskedSearchCV": "rnmf_tutorial.selection",
    "ScaleWarning": "rnmf_tutorial.estimator",
    "WindowNMF": "rnmf_tutorial.windows",
}


if not TYPE_CHECKING:  # to a type checker this function would make every name a name

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value


def __dir__():
    return sorted({*globals(), *__all__})
