"""The boxes with a line as it is printed, where that line is wrong."""

from .lines import diaz_25, guan_gradient, guan_line_8, guan_outliers, guan_weights
