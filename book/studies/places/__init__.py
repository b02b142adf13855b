"""Where each model stands on the map of methods."""

from .computed import CHAPTERS, SOLVERS, begun, chapter_of, models
