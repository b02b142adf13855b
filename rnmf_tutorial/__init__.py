"""Robust non-negative matrix factorization, step by step.

The companion package of the tutorial. Every estimator follows scikit-learn's interface; inside,
the code keeps the orientation and the symbols of the papers: ``X`` (features × samples) ≈ ``W @ H``.
"""

from rnmf_tutorial.models import NMF, L1RobustNMF, RobustNMF

__version__ = "0.1.0"

__all__ = ["NMF", "L1RobustNMF", "RobustNMF", "__version__"]
