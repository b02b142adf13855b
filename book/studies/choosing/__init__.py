"""Which model should one use? Every loss on the same corruptions of the same faces."""

from .advice import ADVICE, compared, scores
from .faces import CORRUPTIONS, problem
from .grids import CANDIDATES, GRIDS, MODELS, fitted
from .pipeline import FEATURES, halves
