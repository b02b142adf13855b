"""What a search refuses before it begins."""

from collections.abc import Mapping
from numbers import Integral, Real

from sklearn.utils import check_scalar

from rnmf_tutorial.selection.planting import PLANTS

__all__ = ["check_search"]


def check_search(search):
    """Raise an error for a parameter of a search that is out of range.

    Parameters
    ----------
    search : MaskedSearchCV

    Raises
    ------
    ValueError

    Examples
    --------
    >>> from rnmf_tutorial import MaskedSearchCV
    >>> check_search(MaskedSearchCV(holdout=2))
    Traceback (most recent call last):
        ...
    ValueError: holdout=2 must be more than 0 and less than 1.
    """
    check_scalar(search.n_repeats, "n_repeats", Integral, min_val=1)
    if isinstance(search.holdout, Real) and not 0 < search.holdout < 1:
        raise ValueError(f"holdout={search.holdout!r} must be more than 0 and less than 1.")
    if not (callable(search.scoring) or search.scoring == "absolute"):
        raise ValueError(f"scoring={search.scoring!r} is not known; use 'absolute' or a callable.")
    if search.max_samples is not None:
        check_scalar(search.max_samples, "max_samples", Integral, min_val=2)
    if not (search.plant is None or callable(search.plant) or search.plant in list(PLANTS)):
        names = ", ".join(map(repr, PLANTS))
        raise ValueError(f"plant={search.plant!r} is not known; use {names} or a callable.")
    if search.plant is not None and not isinstance(search.holdout, Real):
        raise ValueError(
            "plant chooses its places itself; give holdout a share, or write a callable."
        )
    if search.candidates is None:
        return
    if not isinstance(search.candidates, (list, tuple, Mapping)):
        raise ValueError(
            "candidates must be a list of models, or a dict of names and models; it is "
            f"{search.candidates!r}. For the rank of the default models, use n_components."
        )
    if not search.candidates:
        raise ValueError("candidates is empty; give at least one model, or None.")
    named = isinstance(search.candidates, Mapping)
    for model in search.candidates.values() if named else search.candidates:
        if isinstance(model, type) or not hasattr(model, "get_params"):
            raise ValueError(f"candidates must hold models such as NMF(3), not {model!r}.")
