"""Where each model stands on the map of methods."""

from .computed import CHAPTERS, STEPS, begun, chapter_of, models
