"""Single entries that are absurdly far out: fill values, hot pixels, slips of a unit.

One such entry can outweigh all others together. A robust start that sees it uses a
component for it alone, and a fit from there stays with it. So these entries count as
missing until the fit has started. Then a bounded loss ignores them by itself; other
models warn.

The rule has no unit, and it leaves heavy tails alone. The entries of a tail are close to
each other, even if the largest is many times the median: if the sizes have Pareto's law
with exponent 1.5, a thousandfold gap below the largest has the probability 1000^-1.5,
once in 30,000 tables, however large they are. Normal, exponential and lognormal
sizes have it more rarely still.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from rnmf_tutorial.fitting import Work

# How many times as large as all other entries a far-out one is at least. With 100 the
# tail above would have such a gap in one table of a thousand.
GAP = 1000
# So many entries are listed in a warning.
LISTED = 5


class FarOut(NamedTuple):
    """The far-out entries of data, the largest first.

    Examples
    --------
    >>> A = np.ones((6, 4))
    >>> A[3, 2] = 1e6
    >>> far = find_far_out(A)
    >>> far.samples.tolist(), far.features.tolist(), far.values.tolist()
    ([3], [2], [1000000.0])
    >>> far.others
    1.0
    """

    #: The positions of the samples and of the features.
    samples: np.ndarray
    features: np.ndarray
    values: np.ndarray
    #: The size of the largest of all other entries.
    others: float


def find_far_out(A):
    """Return the entries that are absurdly far out, or None if there are none.

    Entries are far out if

    - each is more than a thousand times as large as every other entry;
    - they are fewer than half as many as there are samples, or features if there are
      more of these, so that most samples show what is usual;
    - no sample or feature has several of them, and these are most of what is not zero
      in it. A large sample, or a feature in another unit, is not far out.

    Sizes count, not signs. Of all sets of entries for which this is true, it is the
    largest one.

    Parameters
    ----------
    A : ndarray or sparse array of shape (n_samples, n_features)
        NaN is a missing entry.

    Returns
    -------
    FarOut or None

    Examples
    --------
    >>> A = np.random.default_rng(0).pareto(1.5, size=(100, 40))
    >>> find_far_out(A) is None
    True
    >>> A[7, 5] = -1e8
    >>> find_far_out(A).values.tolist()
    [-100000000.0]
    """
    if issparse(A):
        A = A.tocoo()
        samples = A.row
        features = A.col
        values = A.data
    else:
        samples, features = np.nonzero(np.abs(A) > 0)  # not NaN
        values = A[samples, features]
    sizes = np.abs(values)
    # More could not be far out, so one more is enough to know the largest other entry.
    n = min(len(sizes), max(A.shape) // 2 + 2)
    some = np.sort(np.argpartition(-sizes, n - 1)[:n]) if n else np.empty(0, int)
    some = some[np.argsort(-sizes[some], kind="stable")]  # equal ones in their order
    of_samples = np.bincount(samples, minlength=A.shape[0])
    of_features = np.bincount(features, minlength=A.shape[1])
    return few_of_largest(
        samples[some], features[some], values[some], of_samples, of_features
    )


def few_of_largest(samples, features, values, of_samples, of_features):
    """Return which of the largest entries are far out, or None.

    Parameters
    ----------
    samples, features : ndarray of int
        The positions of the largest entries, the largest first; one more than could be
        far out.
    values : ndarray
        The entries.
    of_samples, of_features : ndarray of int
        How many entries of each sample and feature are not zero.

    Returns
    -------
    FarOut or None
    """
    sizes = np.abs(values)
    most = max(len(of_samples), len(of_features))
    # So many entries are a thousand times as large as the next one.
    counts = np.flatnonzero(sizes[:-1] / GAP >= sizes[1:]) + 1
    for n in counts[2 * counts < most][::-1]:
        far = FarOut(samples[:n], features[:n], values[:n], float(sizes[n]))
        lines = (far.samples, of_samples), (far.features, of_features)
        if not any(are_most_of_a_line(*line) for line in lines):
            return far
    return None


def are_most_of_a_line(lines, nonzeros):
    """Return whether a line has two or more of the entries, and few others besides zeros.

    `lines` has the line of each entry, and `nonzeros` the number of nonzero entries of
    every line.
    """
    counts = np.bincount(lines, minlength=len(nonzeros))
    return bool(((counts > 1) & (2 * counts > nonzeros)).any())


def hidden(work, where):
    """Return data as they are without some entries, features × samples.

    These are missing, and all missing entries have the mean of the others. In sparse
    data, which have no missing entries, they are zero.

    Parameters
    ----------
    work : Work
        The data; not changed.
    where : ndarray of bool or tuple of ndarray of int
        The entries, as an index of the data.

    Returns
    -------
    Work

    Examples
    --------
    >>> hidden(Work(np.array([[1.0, 3.0, 1e9]])), ([0], [2])).X
    array([[1., 3., 2.]])
    """
    if work.has_other_zeros:
        X = work.X.copy()
        X[where] = 0
        X.eliminate_zeros()
        return type(work)(X)
    mask = np.zeros(work.X.shape, bool, order="F")
    if work.mask is not None:
        mask |= work.mask
    mask[where] = True
    known = np.maximum(work.X.T[~mask.T], 0)
    mean = known.mean(dtype=np.float64).astype(work.X.dtype)
    return Work(np.where(mask, mean, work.X), mask)


def ignores_far_out(loss):
    """Return whether the influence of an entry on a loss falls toward zero as its error grows.

    The influence of an error of s scales is s times the slope of φ. It is compared at a
    thousand scales and at one.

    Examples
    --------
    >>> from rnmf_tutorial.losses import Cauchy, Huber, WeightedLoss
    >>> ignores_far_out(WeightedLoss(Cauchy())), ignores_far_out(WeightedLoss(Huber()))
    (True, False)
    """
    phi = getattr(loss, "phi", None)
    if phi is None:
        return False
    at_one, at_many = phi.slope(np.array([1.0, float(GAP) ** 2]))
    return bool(GAP * at_many < at_one / 10)


def warn_of_far_out(model, far, loss, frame, stacklevel):
    """Warn of the far-out entries of the data of a fit, unless its loss ignores them.

    `frame` are the data, or anything else that has no names.
    """
    if ignores_far_out(loss):
        return
    one = len(far.values) == 1
    warnings.warn(
        f"{type(model).__name__}: {about_far_out(far, frame)}. "
        f"{'It makes' if one else 'They make'} up most of the objective, so the fit can "
        f"use a component for {'it' if one else 'them'} alone and miss the other data. "
        f"{advice_on(far, model)}",
        stacklevel=stacklevel,
    )


def advice_on(far, model):
    """Return what to do about far-out entries."""
    if len(far.values) == 1:
        condition = "it is not a measurement"
        place = "its place"
    else:
        condition = "they are not measurements"
        place = "their place"
    remedy = "the right value"
    if model.takes_missing:
        remedy = "NaN"
    sentence = f"If {condition}, write {remedy} in {place}"
    if model.takes_missing and model.takes_sparse:
        sentence += ", or in sparse data the right value"
    return sentence + "."


def about_far_out(far, frame):
    """Return which entries are far out as text, with the names of a data frame."""
    n = len(far.values)
    texts = []
    for i, j, value in zip(far.samples, far.features, far.values, strict=True):
        texts.append(f"{value:.3g} in {cell_name(i, j, frame)}")
    more = f", and {n - LISTED} more" if n > LISTED else ""
    subject = "one entry is" if n == 1 else f"{n} entries are"
    return (
        f"{subject} more than {GAP} times as large as all others: "
        f"{'; '.join(texts[:LISTED])}{more}"
    )


def cell_name(sample, feature, frame=None):
    """Return the place of a cell as text, with the names of a data frame, if it is one.

    Examples
    --------
    >>> cell_name(3, 2)
    'sample 3, feature 2'
    >>> import pandas as pd
    >>> cell_name(0, 1, pd.DataFrame([[1.0, 2.0]], ["Rhine"], ["iron", "zinc"]))
    "sample 'Rhine', feature 'zinc'"
    """
    names = [int(sample), int(feature)]
    if hasattr(frame, "iloc"):
        names[0] = frame.index[sample]
    columns = getattr(frame, "column_names", getattr(frame, "columns", None))
    if columns is not None:
        names[1] = columns[feature]
    # A number of NumPy as Python writes it.
    names = [name.item() if isinstance(name, np.generic) else name for name in names]
    return f"sample {names[0]!r}, feature {names[1]!r}"
