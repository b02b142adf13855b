"""What moves the factors: the published updates, and coordinate descent on cleaned data."""

from rnmf_tutorial.updates.absolute import SmoothedUpdates, absolute_error, least_absolute
from rnmf_tutorial.updates.basis import (
    LocalUpdates,
    SphereUpdates,
    local_objective,
    nearest_unit_columns,
    safe_step,
)
from rnmf_tutorial.updates.coordinate import Coordinate, descend_rows, settle_rows
from rnmf_tutorial.updates.divergence import DivergenceCoordinate, descend_columns
from rnmf_tutorial.updates.errors import (
    ColumnErrors,
    ShenUpdates,
    ZhangUpdates,
    column_thresholds,
    shrink_columns,
    soft_threshold,
)
from rnmf_tutorial.updates.multiplicative import Multiplicative
from rnmf_tutorial.updates.nesterov import (
    NesterovUpdates,
    WeightedNesterov,
    improve_H,
    improve_W,
    lipschitz_bound,
    lipschitz_bounds,
    nnls,
    weighted_grams,
    weighted_nnls,
)
