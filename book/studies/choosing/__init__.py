"""Which model should one use? Every loss on the same corruptions of the same faces."""

from .advice import ADVICE, compared, scores
from .faces import CORRUPTIONS, TUNING, problem
from .grids import CANDIDATES, GRIDS, MODELS, fitted
from .pipeline import FEATURES, halves

__all__ = [
    "ADVICE",
    "CANDIDATES",
    "CORRUPTIONS",
    "FEATURES",
    "GRIDS",
    "MODELS",
    "TUNING",
    "compared",
    "fitted",
    "halves",
    "problem",
    "scores",
]
