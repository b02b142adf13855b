"""Robust non-negative matrix factorization, step by step.

The companion package of the tutorial. Every estimator follows scikit-learn's interface;
inside, the code keeps the orientation and the symbols of the papers: ``X ≈ W @ H``,
samples in columns.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rnmf_tutorial.models import CIMNMF as CIMNMF
    from rnmf_tutorial.models import CSNMF as CSNMF
    from rnmf_tutorial.models import L1NMF as L1NMF
    from rnmf_tutorial.models import L21NMF as L21NMF
    from rnmf_tutorial.models import MCCGR as MCCGR
    from rnmf_tutorial.models import NMF as NMF
    from rnmf_tutorial.models import CappedNMF as CappedNMF
    from rnmf_tutorial.models import CauchyNMF as CauchyNMF
    from rnmf_tutorial.models import HuberNMF as HuberNMF
    from rnmf_tutorial.models import HypersurfaceNMF as HypersurfaceNMF
    from rnmf_tutorial.models import L1RobustNMF as L1RobustNMF
    from rnmf_tutorial.models import LocalNMF as LocalNMF
    from rnmf_tutorial.models import (
        ManifoldDiscriminativeNMF as ManifoldDiscriminativeNMF,
    )
    from rnmf_tutorial.models import NeNMF as NeNMF
    from rnmf_tutorial.models import RegularizedNMF as RegularizedNMF
    from rnmf_tutorial.models import RobustManifoldNMF as RobustManifoldNMF
    from rnmf_tutorial.models import RobustNMF as RobustNMF
    from rnmf_tutorial.models import SupervisedNMF as SupervisedNMF
    from rnmf_tutorial.models import TruncatedCauchyNMF as TruncatedCauchyNMF
    from rnmf_tutorial.scale_warnings import ScaleWarning as ScaleWarning
    from rnmf_tutorial.selection import MaskedSearchCV as MaskedSearchCV

# A module, or an estimator, is imported when it is first used. So the papers' boxes need
# NumPy alone, and `import rnmf_tutorial` takes no time.
_MODULES = [
    "checks",
    "data",
    "fitting",
    "losses",
    "measures",
    "models",
    "papers",
    "published",
    "selection",
    "solvers",
    "starts",
]
# Names that are not in `models` -> the module where they are.
_ELSEWHERE = {"MaskedSearchCV": "selection", "ScaleWarning": "scale_warnings"}


def __getattr__(name):
    if name in _MODULES:
        return import_module(f"rnmf_tutorial.{name}")
    if name == "__all__":
        models = import_module("rnmf_tutorial.models")
        return sorted([*models.__all__, *_ELSEWHERE, "__version__"])
    if name[0].isupper():
        module = import_module(f"rnmf_tutorial.{_ELSEWHERE.get(name, 'models')}")
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_MODULES, *__getattr__("__all__")})
