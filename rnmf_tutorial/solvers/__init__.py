"""How one factor is solved for, the other held fixed."""

from rnmf_tutorial.solvers.coordinate import (
    descend_rows,
    fit_basis,
    fit_coefficients,
    settle_rows,
)
from rnmf_tutorial.solvers.least_absolute import absolute_error, least_absolute
from rnmf_tutorial.solvers.nesterov import (
    lipschitz_bound,
    nnls,
    optimal_gradient,
    weighted_grams,
    weighted_nnls,
)
from rnmf_tutorial.solvers.passes import coordinate_pass
from rnmf_tutorial.solvers.weighted_nesterov import improve_H, improve_W, lipschitz_bounds

__all__ = [
    "absolute_error",
    "coordinate_pass",
    "descend_rows",
    "fit_basis",
    "fit_coefficients",
    "improve_H",
    "improve_W",
    "least_absolute",
    "lipschitz_bound",
    "lipschitz_bounds",
    "nnls",
    "optimal_gradient",
    "settle_rows",
    "weighted_grams",
    "weighted_nnls",
]
