"""Figures and sliders of the book."""

from rnmf_tutorial.display.curves import convergence, metric_curves
from rnmf_tutorial.display.filter_table import filter_table
from rnmf_tutorial.display.images import face_grid
from rnmf_tutorial.display.source import show_source
from rnmf_tutorial.display.style import COLORS, MARKERS, OTHERS, OUTLIER, WEIGHTS, figure_style
from rnmf_tutorial.display.tables import html_table
from rnmf_tutorial.display.widgets import (
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
