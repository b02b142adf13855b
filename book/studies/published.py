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
    "with_its_updates",
]

_UPDATES = {"solver": "mu"}
_ADAPTIVE = {"solver": "mu", "scale": "published"}

NMF = partial(rnmf_tutorial.NMF, **_UPDATES)
L21NMF = partial(rnmf_tutorial.L21NMF, **_UPDATES)
CappedNMF = partial(rnmf_tutorial.CappedNMF, theta="published", **_UPDATES)
L1RobustNMF = partial(rnmf_tutorial.L1RobustNMF, lam=0.04, **_UPDATES)
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


def with_its_updates(model):
    """Return the model with the solver that its paper publishes, its other parameters as they are.

    Examples
    --------
    >>> with_its_updates(rnmf_tutorial.CauchyNMF(3, scale=0.1)).solver
    'mu'
    """
    if hasattr(model, "solver"):
        nesterov = isinstance(model, rnmf_tutorial.TruncatedCauchyNMF)
        model.set_params(solver="nesterov" if nesterov else "mu")
    return model
