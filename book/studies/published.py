"""The estimators as their papers publish them, whatever a fit takes by default."""

from functools import partial

import rnmf_tutorial

__all__ = [
    "CIMNMF",
    "L21NMF",
    "NMF",
    "CappedNMF",
    "CauchyNMF",
    "HuberNMF",
    "HypersurfaceNMF",
    "L1RobustNMF",
    "RobustNMF",
    "TruncatedCauchyNMF",
]

_UPDATES = {"solver": "mu"}
_ADAPTIVE = {"solver": "mu", "scale": "published"}

NMF = partial(rnmf_tutorial.NMF, **_UPDATES)
L21NMF = partial(rnmf_tutorial.L21NMF, **_UPDATES)
CappedNMF = partial(rnmf_tutorial.CappedNMF, **_UPDATES)
L1RobustNMF = partial(rnmf_tutorial.L1RobustNMF, **_UPDATES)
RobustNMF = partial(rnmf_tutorial.RobustNMF, **_UPDATES)
CIMNMF = partial(rnmf_tutorial.CIMNMF, **_ADAPTIVE)
CauchyNMF = partial(rnmf_tutorial.CauchyNMF, **_ADAPTIVE)
HuberNMF = partial(rnmf_tutorial.HuberNMF, **_ADAPTIVE)
HypersurfaceNMF = partial(rnmf_tutorial.HypersurfaceNMF, **_ADAPTIVE)
TruncatedCauchyNMF = partial(
    rnmf_tutorial.TruncatedCauchyNMF,
    solver="nesterov",
    scale="published",
    outliers="three-sigma",
)
