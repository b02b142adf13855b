"""The solvers: each way to improve the factors is one module with one idea."""

from rnmf_tutorial.solvers.active_set import best_coefficients, reweighted
from rnmf_tutorial.solvers.coordinate import CoordinateDescent, descend_rows
from rnmf_tutorial.solvers.guan import OptimalGradientUpdates, optimal_gradient_columns
from rnmf_tutorial.solvers.kullback_leibler import (
    KullbackLeiblerDescent,
    descend_columns,
)
from rnmf_tutorial.solvers.mahnmf import (
    AbsoluteLoss,
    SmoothedUpdates,
    absolute_error,
    least_absolute,
)
from rnmf_tutorial.solvers.multiplicative import Multiplicative
from rnmf_tutorial.solvers.nesterov import (
    NesterovUpdates,
    WeightedNesterov,
    improve_H,
    improve_W,
    lipschitz_bound,
    lipschitz_bounds,
    nnls,
    optimal_gradient,
    weighted_grams,
    weighted_nnls,
)
from rnmf_tutorial.solvers.shen import (
    ColumnErrorsLoss,
    ShenLoss,
    ShenUpdates,
    column_thresholds,
    shrink_columns,
)
from rnmf_tutorial.solvers.sparse_basis import (
    BasisSum,
    LocalLoss,
    LocalUpdates,
    SphereUpdates,
    local_objective,
    nearest_unit_columns,
    safe_step,
    sphere_step,
)
from rnmf_tutorial.solvers.zhang import ZhangLoss, ZhangUpdates, soft_threshold

__all__ = [
    "AbsoluteLoss",
    "BasisSum",
    "ColumnErrorsLoss",
    "CoordinateDescent",
    "KullbackLeiblerDescent",
    "LocalLoss",
    "LocalUpdates",
    "Multiplicative",
    "NesterovUpdates",
    "OptimalGradientUpdates",
    "ShenLoss",
    "ShenUpdates",
    "SmoothedUpdates",
    "SphereUpdates",
    "WeightedNesterov",
    "ZhangLoss",
    "ZhangUpdates",
    "absolute_error",
    "best_coefficients",
    "column_thresholds",
    "descend_columns",
    "descend_rows",
    "improve_H",
    "improve_W",
    "least_absolute",
    "lipschitz_bound",
    "lipschitz_bounds",
    "local_objective",
    "nearest_unit_columns",
    "nnls",
    "optimal_gradient",
    "optimal_gradient_columns",
    "reweighted",
    "safe_step",
    "shrink_columns",
    "soft_threshold",
    "sphere_step",
    "weighted_grams",
    "weighted_nnls",
]
