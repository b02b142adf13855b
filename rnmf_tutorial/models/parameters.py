"""How an estimator declares its parameters: fields of a class, documented once."""

import textwrap
from dataclasses import dataclass

__all__ = ["estimator"]

_N_COMPONENTS = """
n_components : int, default=2
    The rank r, at most min(n_samples, n_features).
"""

_COMMON = """
init : {{"random", "nndsvd", "nndsvda", "nndsvdar"}} or (W0, H0), default="random"
    The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
max_iter : int, default={max_iter}
    Largest number of sweeps.
tol : float, default={tol}
    Stop when a sweep changes the objective by less than this fraction of it{then}. 0 means
    exactly `max_iter` sweeps and nothing more.
random_state : int, RandomState or None, default=None
    The seed of a random start.
callback : callable, default=None
    Called as ``callback(iteration, W, H, state)`` at the start point (iteration 0) and after each
    sweep; `state` holds by name what the model carries besides. Its arrays may be written over
    later: copy what you keep. Returning True stops.
verbose : int, default=0
    Show a progress bar if not 0.
"""

_THEN = """; then
    take the coefficients that `transform` finds for the last W"""


def estimator(cls):
    r"""Make a model of a class whose annotated fields are its parameters.

    The fields become keyword arguments of ``__init__``, as scikit-learn wants them. In the
    docstring, ``{n_components}`` and ``{common}`` give way to the text of the parameters that all
    models share, so that it is complete and written once.

    Parameters
    ----------
    cls : type
        A subclass of :class:`~rnmf_tutorial.models.BaseNMF`.

    Returns
    -------
    type
        The same class.

    Examples
    --------
    >>> from rnmf_tutorial.models import BaseNMF
    >>> @estimator
    ... class Penalized(BaseNMF):
    ...     lam: float = 0.5
    >>> Penalized(3, lam=0.1)
    Penalized(lam=0.1, n_components=3)
    """
    cls = dataclass(kw_only=True, eq=False, repr=False)(cls)
    common = _COMMON.format(
        max_iter=cls.max_iter, tol=cls.tol, then=_THEN if cls.ends_encoded(cls) else ""
    )
    doc = cls.__doc__ or ""
    for name, text in (("{n_components}", _N_COMPONENTS), ("{common}", common)):
        doc = doc.replace("    " + name, textwrap.indent(text.strip(), "    "))
    cls.__doc__ = doc
    return cls
