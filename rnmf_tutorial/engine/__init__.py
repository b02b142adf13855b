"""The engine: a point, a loop, and the same over chunks of a Dask array."""

from rnmf_tutorial.arrays import product, ratio, residual, unit_columns
from rnmf_tutorial.engine.fit import Run, encode
from rnmf_tutorial.engine.point import Point
from rnmf_tutorial.engine.start import initialize, median_start

__all__ = [
    "Point",
    "Run",
    "encode",
    "initialize",
    "median_start",
    "product",
    "ratio",
    "residual",
    "unit_columns",
]
