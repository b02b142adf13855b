"""What moves the factors: the published updates, and coordinate descent on cleaned data."""

from rnmf_tutorial.steps.coordinate import Coordinate, descend_rows, settle_rows
from rnmf_tutorial.steps.least_absolute import absolute_error, least_absolute
from rnmf_tutorial.steps.multiplicative import Multiplicative
from rnmf_tutorial.steps.nesterov import (
    lipschitz_bound,
    nnls,
    optimal_gradient,
    weighted_grams,
    weighted_nnls,
)
from rnmf_tutorial.steps.sphere import nearest_unit_columns, safe_step, sphere_step
from rnmf_tutorial.steps.weighted_nesterov import (
    WeightedNesterov,
    improve_H,
    improve_W,
    lipschitz_bounds,
)

__all__ = [
    "Coordinate",
    "Multiplicative",
    "WeightedNesterov",
    "absolute_error",
    "descend_rows",
    "improve_H",
    "improve_W",
    "least_absolute",
    "lipschitz_bound",
    "lipschitz_bounds",
    "nearest_unit_columns",
    "nnls",
    "optimal_gradient",
    "safe_step",
    "settle_rows",
    "sphere_step",
    "weighted_grams",
    "weighted_nnls",
]
