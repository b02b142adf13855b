"""Every estimator with the update and the rules of its paper as its defaults.

The defaults of the package are for users: coordinate descent, and a scale that does not
collapse. A paper has its own update and its own rule for the scale.
``published.guan.HuberNMF`` is a :class:`rnmf_tutorial.HuberNMF` with those of Guan et al.
A method whose defaults are those of its paper is the same class. Each class makes the
iterates of its paper, and its docstring lists what differs: rules that the paper does
not print, floors against division by zero, and misprints. Random starts are those of
the package, and where a paper prints no stopping rule, `tol` and `max_iter` decide.
Parameters with a unit, such as the λ of a graph, have the paper's value, so these fits
depend on the unit of the data. The papers are:

- ``lee``: Lee and Seung (2001);
- ``zhang``: Zhang et al. (2011);
- ``diaz``: Díaz, Steele and Nguyen, and the methods of Shen et al. and Kong et al. in it;
- ``regularized``: *Regularized non-negative matrix factorization*, and local NMF in it;
- ``guan``: Guan et al. (2019), and the methods of its Table I;
- ``cheng``: Cheng, Wang and Guan (2022), and the models that it compares with.

Examples
--------
>>> from rnmf_tutorial import HuberNMF, published
>>> model = published.guan.HuberNMF(40, random_state=0)
>>> model.solver, model.scale
('mu', 'published')
>>> published.of(HuberNMF(40, scale=0.1))
HuberNMF(n_components=40, scale=0.1)
"""

from sklearn.base import clone

from rnmf_tutorial.base import BaseNMF
from rnmf_tutorial.published import cheng, diaz, guan, lee, regularized, zhang

__all__ = ["PAPERS", "cheng", "diaz", "guan", "lee", "of", "regularized", "zhang"]

#: Name of a paper -> the module with its methods, whose names are in its ``__all__``.
PAPERS = {
    "lee": lee,
    "zhang": zhang,
    "diaz": diaz,
    "regularized": regularized,
    "guan": guan,
    "cheng": cheng,
}


def of(model: BaseNMF) -> BaseNMF:
    """Return the published form of a model, with the parameters that were given.

    If several papers have the method, it is the form of the first one in
    :data:`PAPERS`.

    Parameters
    ----------
    model : BaseNMF
        Not changed. Parameters that differ from their defaults are kept.

    Returns
    -------
    BaseNMF
    """
    given = model.get_params()
    defaults = type(model)().get_params()
    changed = {name: value for name, value in given.items() if value != defaults[name]}
    name = type(model).__name__
    for paper in PAPERS.values():
        if name in paper.__all__:
            return getattr(paper, name)(**changed)
    return clone(model)
