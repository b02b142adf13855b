"""The estimators: each chooses a loss, a solver and penalties.

`rnmf_tutorial` exports what is listed here.
"""

from rnmf_tutorial.models.basis import (
    LocalNMF,
    RegularizedNMF,
)
from rnmf_tutorial.models.entrywise import (
    CIMNMF,
    CauchyNMF,
    HuberNMF,
    HypersurfaceNMF,
)
from rnmf_tutorial.models.errors import (
    L1RobustNMF,
    RobustNMF,
)
from rnmf_tutorial.models.graphs import (
    CSNMF,
    MCCGR,
    ManifoldDiscriminativeNMF,
    RobustManifoldNMF,
    SupervisedNMF,
)
from rnmf_tutorial.models.lines import (
    L21NMF,
    CappedNMF,
)
from rnmf_tutorial.models.plain import (
    L1NMF,
    NMF,
    NeNMF,
)
from rnmf_tutorial.models.truncated import (
    TruncatedCauchyNMF,
)

__all__ = [
    "CIMNMF",
    "CSNMF",
    "L1NMF",
    "L21NMF",
    "MCCGR",
    "NMF",
    "CappedNMF",
    "CauchyNMF",
    "HuberNMF",
    "HypersurfaceNMF",
    "L1RobustNMF",
    "LocalNMF",
    "ManifoldDiscriminativeNMF",
    "NeNMF",
    "RegularizedNMF",
    "RobustManifoldNMF",
    "RobustNMF",
    "SupervisedNMF",
    "TruncatedCauchyNMF",
]
