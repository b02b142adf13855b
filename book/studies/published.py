"""The estimators with the updates that their papers publish, whatever a fit takes by default."""

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

CIMNMF = partial(rnmf_tutorial.CIMNMF, solver="mu")
L21NMF = partial(rnmf_tutorial.L21NMF, solver="mu")
NMF = partial(rnmf_tutorial.NMF, solver="mu")
CappedNMF = partial(rnmf_tutorial.CappedNMF, solver="mu")
CauchyNMF = partial(rnmf_tutorial.CauchyNMF, solver="mu")
HuberNMF = partial(rnmf_tutorial.HuberNMF, solver="mu")
HypersurfaceNMF = partial(rnmf_tutorial.HypersurfaceNMF, solver="mu")
L1RobustNMF = partial(rnmf_tutorial.L1RobustNMF, solver="mu")
RobustNMF = partial(rnmf_tutorial.RobustNMF, solver="mu")
TruncatedCauchyNMF = partial(rnmf_tutorial.TruncatedCauchyNMF, solver="nesterov")
