"""Robust non-negative matrix factorization, step by step.

The companion package of the tutorial. Every estimator follows scikit-learn's interface;
inside, the code keeps the orientation and the symbols of the papers: ``X ≈ W @ H``,
samples in columns.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rnmf_tutorial.models import *
    from rnmf_tutorial.scale_warnings import ScaleWarning as ScaleWarning
    from rnmf_tutorial.selection import MaskedSearchCV as MaskedSearchCV
else:
    # The same names, imported when one is first used, so that the papers' boxes need
    # NumPy alone. The estimators are those in `__all__` of the modules of `models`.
    from importlib import import_module

    _ELSEWHERE = {"MaskedSearchCV": "selection", "ScaleWarning": "scale_warnings"}

    def __getattr__(name):
        value = None
        if name == "__all__":
            models = (
                x for x in vars(import_module("rnmf_tutorial.models")) if x[0].isupper()
            )
            value = sorted([*models, *_ELSEWHERE, "__version__"])
        elif name[
            0
        ].isupper():  # a name in small letters is that of a module, if of anything
            module = import_module(f"rnmf_tutorial.{_ELSEWHERE.get(name, 'models')}")
            value = getattr(module, name, None)
        if value is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__getattr__("__all__")})
