"""How an estimator declares its parameters: fields of a class, documented once."""

import inspect
from dataclasses import dataclass

__all__ = ["base_estimator", "estimator"]

_N_COMPONENTS = """
n_components : int, default=2
    The rank r, at most min(n_samples, n_features).
"""

_COMMON = """
init : {{"random", "nndsvd", "nndsvda", "nndsvdar"}} or (W0, H0), default="random"
    The start point; see :func:`rnmf_tutorial.engine.initialize`.
max_iter : int, default={max_iter}
    Largest number of sweeps.
tol : float, default={tol}
    Stop when a sweep changes the objective by less than this fraction of it{then}. 0 means
    exactly `max_iter` sweeps and nothing more, no warning either.
random_state : int, RandomState or None, default=None
    The seed of a random start.
callback : callable, default=None
    Called as ``callback(iteration, W, H, point)`` at the start point (iteration 0) and after
    each sweep; the :class:`~rnmf_tutorial.engine.Point` has the loss as `loss`. Its arrays may be
    written over later: copy what you keep. Returning True stops.
verbose : int, default=0
    Show a progress bar if not 0.
"""

_SOLVER = """
solver : {"cd", "mu"}, default="cd"
    Coordinate descent on the cleaned data, or the published multiplicative update, which takes
    much longer to the same objective; see :mod:`rnmf_tutorial.steps.coordinate`.
"""

_THEN = """; then
    take the coefficients that `transform` finds for the last W"""


def estimator(model):
    r"""Make a model of a class whose annotated fields are its parameters, and export it.

    The fields become keyword arguments of ``__init__``, as scikit-learn wants them. In the
    docstring, ``{n_components}``, ``{solver}`` and ``{common}`` give way to the text of the
    parameters that models share, so that it is complete and written once. ``tools/exports.py``
    finds the class by this decorator.

    Parameters
    ----------
    model : type
        A subclass of :class:`~rnmf_tutorial.estimators.base.BaseNMF`.

    Returns
    -------
    type
        The same class.

    Examples
    --------
    >>> from rnmf_tutorial.estimators.base import BaseNMF
    >>> @estimator
    ... class Penalized(BaseNMF):
    ...     lam: float = 0.5
    >>> Penalized(3, lam=0.1)
    Penalized(lam=0.1, n_components=3)
    """
    model = dataclass(kw_only=True, eq=False, repr=False)(model)
    model.__init__.__signature__ = _own_first(inspect.signature(model.__init__))
    common = _COMMON.format(
        max_iter=model.max_iter, tol=model.tol, then=_THEN if model.ends_encoded else ""
    )
    doc = inspect.cleandoc(model.__doc__) + "\n"  # as Python 3.13 has it, without indentation
    texts = {"{n_components}": _N_COMPONENTS, "{solver}": _SOLVER, "{common}": common}
    for name, text in texts.items():
        doc = doc.replace(name, text.strip())
    model.__doc__ = doc
    return model


def base_estimator(model):
    r"""Do the same for a class that other models build on, and that is not exported.

    Parameters
    ----------
    model : type
        A subclass of :class:`~rnmf_tutorial.estimators.base.BaseNMF`.

    Returns
    -------
    type
        The same class.

    Examples
    --------
    >>> from rnmf_tutorial.estimators.base import BaseNMF
    >>> base_estimator(type("Base", (BaseNMF,), {"__doc__": "A base."}))()
    Base()
    """
    return estimator(model)


def _own_first(signature):
    """Return the signature with a model's own parameters before those that all share."""
    shared = ("init", "max_iter", "tol", "random_state", "callback", "verbose")
    parameters = sorted(signature.parameters.values(), key=lambda p: p.name in shared)
    return signature.replace(parameters=parameters)
