"""Which cells of a table a fit distrusts, by name."""

from numbers import Real

import numpy as np
import pandas as pd
from sklearn.utils import check_scalar

from rnmf_tutorial.core import positive_mean, rounding
from rnmf_tutorial.inputs import as_floats
from rnmf_tutorial.losses import informative
from rnmf_tutorial.models import MCCGR, RobustNMF

__all__ = ["suspects"]


def suspects(model, A, *, by="entries", beyond=5.0):
    r"""List the entries that a fit distrusts, or the samples or features, the worst first.

    An entry is suspect if its residual is larger than `beyond` robust deviations: 1.4826 medians of
    \|e\|, at least a 400th of the data's mean. What a fit calls an error by its own scale may be
    much more: `error_` of :class:`~rnmf_tutorial.RobustNMF` is not zero in 20 to 29 % of clean
    faces and genes. A large residual may be an error, or a rare sample that the model does not
    know: go back to the source. An error on every sample at one place is fitted, and not suspect.

    Parameters
    ----------
    model : fitted estimator
        Any of the package; of a search, its best.
    A : array-like of shape (n_samples, n_features)
        The data of the fit. Missing entries are not suspect.
    by : {"entries", "samples", "features"}, default="entries"
        What a row of the result is.
    beyond : float, default=5.0
        How many robust deviations an entry must be off.

    Returns
    -------
    DataFrame
        By entries, the suspect ones: "sample" and "feature" (the names of a frame, positions in an
        array), "value", "fitted", "residual" (value - fitted, over the scale of the fit, λ/2 of
        `RobustNMF`; over the robust deviation if the fit has no scale for an entry) and "weight":
        that of the entry, or of its sample or feature over the median of these; with `error_`, the
        part of the residual that it leaves; one for a model without weights. By samples or
        features, all of them, with these names as index: "suspect" (the share of their entries),
        "residual" (the root of their mean squared residual, over the same scale) and "weight" (the
        mean of their entries).

    Raises
    ------
    ValueError
        If these are not the data of the fit, or a parameter is out of range.

    Examples
    --------
    >>> from rnmf_tutorial import RobustNMF
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> frame = pd.DataFrame(A, ["a", "b", "c", "d"], ["iron", "zinc", "lead", "tin", "gold"])
    >>> model = RobustNMF(1, lam=0.1, solver="cd", random_state=0).fit(frame)
    >>> suspects(model, frame)[["sample", "feature", "value", "fitted"]].round(1)
      sample feature  value  fitted
    0      b    lead   12.0     2.0
    >>> suspects(model, frame, by="samples").index[0]
    'b'
    """
    check_scalar(beyond, "beyond", Real, min_val=0)
    if by not in ("entries", "samples", "features"):
        raise ValueError(f"by={by!r} is not known; use 'entries', 'samples' or 'features'.")
    model = getattr(model, "best_estimator_", model)
    values = as_floats(A, "suspects")
    fitted = model.inverse_transform(model.transform(A))
    E, missing = values - fitted, np.isnan(values)
    sizes = np.abs(E)
    weight = np.broadcast_to(_weights(model, values.shape, sizes), values.shape)
    known = informative(values == 0, sizes, rounding(values[~missing]), missing)
    deviation = 1.4826 * max(float(np.median(known)), positive_mean(values) / 400)
    E = E / (scale_of(model) or deviation)
    wrong = sizes > beyond * deviation
    framed = isinstance(A, pd.DataFrame)
    names = [A.index, A.columns] if framed else [pd.RangeIndex(n) for n in values.shape]
    if by == "entries":
        i, j = np.nonzero(wrong)
        order = np.argsort(-sizes[i, j], kind="stable")
        i, j = i[order], j[order]
        columns = {"value": values[i, j], "fitted": fitted[i, j], "residual": E[i, j]}
        cells = {"sample": names[0][i], "feature": names[1][j], **columns, "weight": weight[i, j]}
        return pd.DataFrame(cells)
    axis = 1 if by == "samples" else 0
    n = np.maximum((~missing).sum(axis=axis), 1)
    told = {
        "suspect": wrong.sum(axis=axis) / n,
        "residual": np.sqrt(np.nansum(E**2, axis=axis) / n),
        "weight": np.where(missing, 0, weight).sum(axis=axis) / n,
    }
    told = pd.DataFrame(told, names[1 - axis])
    return told.sort_values(["suspect", "residual"], ascending=False, kind="stable")


def scale_of(model):
    """Return the size by which a fit tells errors of entries, or None."""
    if isinstance(model, RobustNMF):
        return model.lam_ / 2
    entrywise = np.ndim(getattr(model, "weights_", None)) == 2
    return getattr(model, "scale_", None) if entrywise else None


def _weights(model, shape, sizes):
    """Return the weights of a fit, of the shape of the data or of one that broadcasts to it."""
    kept = getattr(model, "error_", getattr(model, "weights_", None))
    if kept is None:
        return np.ones((1, 1))
    if kept.ndim == 1:
        kept = kept / (np.median(kept[kept > 0]) if kept.any() else 1)
        of_features = isinstance(model, MCCGR) or getattr(model, "group", "") == "features"
        kept = kept[None, :] if of_features else kept[:, None]
    if any(n not in (1, m) for n, m in zip(kept.shape, shape, strict=True)):
        raise ValueError(
            f"suspects needs the data of the fit: they had the shape {kept.shape}, where 1 stands "
            f"for any number; these have {shape}."
        )
    if hasattr(model, "error_"):
        left = np.divide(np.abs(kept), sizes, where=sizes > 0, out=np.zeros(shape))
        return np.clip(1 - left, 0, 1)
    return kept
