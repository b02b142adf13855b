"""Figures and sliders of the book."""

import figures.needed  # noqa: F401 - first: it says what is not installed
from figures.ask import ask
from figures.curves import convergence, metric_curves
from figures.filter_table import filter_table
from figures.images import face_grid
from figures.source import show_source
from figures.style import COLORS, MARKERS, OTHERS, OUTLIER, WEIGHTS, figure_style
from figures.tables import html_table
from figures.widgets import (
    Frame,
    frame_picture,
    pixel_png,
    static_chooser,
    static_slider,
)

__all__ = [
    "COLORS",
    "MARKERS",
    "OTHERS",
    "OUTLIER",
    "WEIGHTS",
    "Frame",
    "ask",
    "convergence",
    "face_grid",
    "figure_style",
    "filter_table",
    "frame_picture",
    "html_table",
    "metric_curves",
    "pixel_png",
    "show_source",
    "static_chooser",
    "static_slider",
]
