"""Every estimator with the parameters of its paper in place of the package's defaults.

The defaults are for users: coordinate descent, and a scale that does not collapse. A
paper has its own update and its own rule for the scale. ``published.guan.HuberNMF`` is
:class:`rnmf_tutorial.HuberNMF` with those of Guan et al. The papers are:

- ``lee``: Lee and Seung (2001);
- ``zhang``: Zhang et al. (2011);
- ``diaz``: Díaz, Steele and Nguyen, and the methods of Shen et al. and Kong et al. in
  it;
- ``regularized``: *Regularized non-negative matrix factorization*, and local NMF in it;
- ``guan``: Guan et al. (2019), and the methods of its Table I;
- ``cheng``: Cheng, Wang and Guan (2022), and the models that it compares with.

Examples
--------
>>> from rnmf_tutorial import HuberNMF, published
>>> published.guan.HuberNMF(40, random_state=0)
HuberNMF(n_components=40, random_state=0, scale='published', solver='mu')
>>> published.of(HuberNMF(40, scale=0.1))
HuberNMF(n_components=40, scale=0.1, solver='mu')
"""

from functools import partial
from types import SimpleNamespace

from sklearn.base import clone

from rnmf_tutorial import models

_ADAPTIVE = {"solver": "mu", "scale": "published"}
# The published parameters that differ from the defaults. Models not named here have
# none.
_PUBLISHED = dict.fromkeys(
    ("HuberNMF", "CIMNMF", "CauchyNMF", "HypersurfaceNMF"), _ADAPTIVE
) | {
    "NMF": {"solver": "mu"},
    "RobustNMF": {"solver": "mu"},
    "L21NMF": {"solver": "mu"},
    "L1RobustNMF": {"solver": "mu", "lam": 0.04},  # Shen et al.
    "CappedNMF": {"solver": "mu", "theta": "published"},
    "TruncatedCauchyNMF": _ADAPTIVE | {"solver": "nesterov", "outliers": "three-sigma"},
}


def _paper(names):
    """Return the models of a paper by name, each with its published parameters."""
    made = {
        n: partial(getattr(models, n), **_PUBLISHED.get(n, {})) for n in names.split()
    }
    return SimpleNamespace(**made)


lee = _paper("NMF")
zhang = _paper("NMF RobustNMF")
diaz = _paper("NMF L21NMF L1RobustNMF RobustNMF")
regularized = _paper("NMF LocalNMF RegularizedNMF")
guan = _paper(
    "NMF NeNMF L1NMF L21NMF HuberNMF CIMNMF CauchyNMF HypersurfaceNMF CappedNMF "
    "TruncatedCauchyNMF RobustNMF"
)
cheng = _paper(
    "NMF CIMNMF L21NMF CSNMF SupervisedNMF MCCGR ManifoldDiscriminativeNMF RobustManifoldNMF"
)

#: Name of a paper → its models.
PAPERS = dict(
    lee=lee, zhang=zhang, diaz=diaz, regularized=regularized, guan=guan, cheng=cheng
)


def of(model):
    """Return a copy of a model with the published parameters in place of its defaults.

    Parameters
    ----------
    model : BaseNMF
        Not changed. Parameters that differ from their defaults are kept in the copy.

    Returns
    -------
    BaseNMF
    """
    given = model.get_params()
    default = type(model)().get_params()
    rules = _PUBLISHED.get(type(model).__name__, {})
    return clone(model).set_params(
        **{k: v for k, v in rules.items() if given[k] == default[k]}
    )
