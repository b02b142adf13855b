"""Measures of reconstruction, of clustering and of a basis, as the papers define them."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
)

from rnmf_tutorial.validation import refuse_mask

AVERAGES = {"max": "max", "mean": "arithmetic"}


def relative_error(X_clean: ArrayLike, reconstruction: ArrayLike) -> float:
    r"""Relative reconstruction error against clean data, as a fraction.

    .. math:: \lVert \hat X - WH \rVert_F \,/\, \lVert \hat X \rVert_F

    where :math:`\hat X` is the data *before* corruption. With the training data itself
    in the place of :math:`\hat X` this is the error *e* of paper 2.

    Parameters
    ----------
    X_clean : array
        The data before corruption, in either orientation.
    reconstruction : array of the same shape
        The product of the factors, in the same orientation.

    Returns
    -------
    float
        Zero for a perfect reconstruction; multiply by 100 for the percentages of the papers.

    Raises
    ------
    ValueError
        If the shapes differ, an entry is NaN, masked, infinite or complex, there is
        none, or the clean data are all zero.

    References
    ----------
    Díaz, Steele, Nguyen, equation (28); *Regularized non-negative matrix
    factorization*, equation (12).

    Examples
    --------
    >>> relative_error([[3.0, 0.0], [0.0, 4.0]], [[3.0, 0.0], [0.0, 1.0]])
    0.6
    """
    X_clean = _check_numbers(X_clean, "the clean data")
    reconstruction = _check_numbers(reconstruction, "the reconstruction")
    if X_clean.shape != reconstruction.shape:
        shapes = f"{X_clean.shape} and {reconstruction.shape}"
        raise ValueError(
            f"The data have the shapes {shapes}; give both in the same orientation."
        )
    if not X_clean.any():
        raise ValueError(
            "The clean data are all zero, so an error relative to them is undefined."
        )
    exponent = -np.frexp(np.abs(X_clean).max())[1]  # squares of 1e200 are no numbers
    X_clean, reconstruction = (np.ldexp(A, exponent) for A in (X_clean, reconstruction))
    return float(np.linalg.norm(X_clean - reconstruction) / np.linalg.norm(X_clean))


def clustering_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    r"""Share of samples whose cluster, matched to a class, is their class.

    .. math:: \mathrm{AC} = \frac1n \sum_{i=1}^n \delta(q_i, \mathrm{map}(p_i))

    where :math:`q_i` is the class of sample i, :math:`p_i` its cluster, and map the
    one-to-one matching of clusters to classes that makes the sum largest (Hungarian
    method). With more clusters than classes, the clusters left over match nothing;
    their samples count as errors.

    Parameters
    ----------
    y_true, y_pred : array of shape (n_samples,)
        Classes and clusters; any labels.

    Returns
    -------
    float
        Between 0 (excluded) and 1.

    Raises
    ------
    ValueError
        If the arrays are empty, differ in length or miss a label.

    References
    ----------
    Zhang et al., equation (33).

    Examples
    --------
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    y_true, y_pred = _check_labels(y_true, y_pred)
    counts = contingency_matrix(y_true, y_pred)
    matched = linear_sum_assignment(counts, maximize=True)
    return float(counts[matched].sum() / len(y_true))


def normalized_mutual_information(
    y_true: ArrayLike, y_pred: ArrayLike, average: str = "max"
) -> float:
    r"""Mutual information of classes C and clusters C', divided by an average entropy.

    .. math:: \mathrm{MI}(C, C') = \sum_{c, c'} p(c, c') \log_2 \frac{p(c, c')}{p(c)\,p(c')}

    Parameters
    ----------
    y_true, y_pred : array of shape (n_samples,)
        Classes and clusters; any labels.
    average : {"max", "mean"}, default="max"
        Divide by the larger of the two entropies, as Zhang et al. do, or by their mean,
        as Díaz et al. do. The first is never larger than the second.

    Returns
    -------
    float
        Between 0 and 1. One class in one cluster, where both entropies are zero, counts
        as 1.

    Raises
    ------
    ValueError
        If the arrays are empty, differ in length or miss a label, or `average` is
        neither of the two.

    References
    ----------
    Zhang et al., equations (34) and (35); Díaz, Steele, Nguyen, equation (30).

    Examples
    --------
    >>> round(normalized_mutual_information([0, 0, 1, 1], [0, 1, 2, 3]), 3)
    0.5
    >>> round(normalized_mutual_information([0, 0, 1, 1], [0, 1, 2, 3], average="mean"), 3)
    0.667
    """
    if average not in AVERAGES:
        raise ValueError(f'average must be "max" or "mean", got {average!r}.')
    y_true, y_pred = _check_labels(y_true, y_pred)
    return float(
        normalized_mutual_info_score(y_true, y_pred, average_method=AVERAGES[average])
    )


def sparseness(W: ArrayLike, threshold: float = 1e-4) -> float:
    """Share of the entries of a basis that are zero, or as good as zero.

    Each column of W is first divided by the sum of its absolute values. An entry then
    counts as zero if its absolute value is below `threshold`; a column of zeros stays
    one.

    Parameters
    ----------
    W : array of shape (n_features, r)
        Basis, one basis vector per column. Signs are ignored, so PCA can be measured
        too.
    threshold : float, default=1e-4
        The threshold is illegible in the paper's text. With 1e-4 plain NMF comes out
        near the printed values.

    Returns
    -------
    float
        Between 0 (no entry is zero) and 1; multiply by 100 for the paper's percentages.

    Raises
    ------
    ValueError
        If W is not a matrix with at least one entry, or an entry is NaN, infinite or
        complex.

    References
    ----------
    *Regularized non-negative matrix factorization*, equation (13).

    Examples
    --------
    >>> sparseness([[2.0, 0.0], [2.0, 0.0], [0.0, 5.0], [1e-6, 5.0]])
    0.5
    """
    W = np.abs(_check_basis(W))
    sums = W.sum(axis=0)
    return float(np.mean(W / np.where(sums > 0, sums, 1) < threshold))


def collinearity(W: ArrayLike) -> float:
    r"""How much the vectors of a basis overlap.

    .. math:: c = \sum_{i \ne j} (W^\top W)_{ij} \Big/ \sum_{i} (W^\top W)_{ii}

    Every pair counts twice, as (i, j) and as (j, i). W is taken as it is: one factor
    common to all columns changes nothing, but a factor for each column does, so compare
    bases that are normalized alike.

    Parameters
    ----------
    W : array of shape (n_features, r)
        Basis, one basis vector per column.

    Returns
    -------
    float
        0 if the vectors are orthogonal, r - 1 if they are all equal. Never negative for
        a non-negative basis.

    Raises
    ------
    ValueError
        If W is not a matrix with at least one entry, an entry is NaN, infinite or
        complex, or all are zero.

    References
    ----------
    *Regularized non-negative matrix factorization*, equation (14).

    Examples
    --------
    >>> collinearity([[1.0, 0.0], [0.0, 2.0]])
    0.0
    >>> collinearity([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    2.0
    """
    W = _check_basis(W)
    gram = W.T @ W
    diagonal = np.trace(gram)
    if diagonal == 0:
        raise ValueError("The basis is all zero, so its collinearity is undefined.")
    return float((gram.sum() - diagonal) / diagonal)


def _check_labels(y_true, y_pred):
    check_consistent_length(y_true, y_pred)
    if np.size(y_true) == 0:
        raise ValueError("There are no labels to compare; give at least one sample.")
    for name, labels in {"y_true": y_true, "y_pred": y_pred}.items():
        refuse_mask(labels, name)
        check_label_values(column_or_1d(labels), name)
    return column_or_1d(y_true), column_or_1d(y_pred)


def check_label_values(labels: np.ndarray, name: str) -> None:
    """Raise an error if a label is missing: NaN or None is no class.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Any labels.
    name : str
        What the error calls them.

    Raises
    ------
    ValueError
        If a label is missing or infinite.

    Examples
    --------
    >>> check_label_values(np.array(["a", "b"]), "y")
    """
    from pandas import isna  # so that other measures do without pandas

    if isna(labels).any():
        raise ValueError(
            f"{name} has missing labels (NaN or None); leave these samples out."
        )
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name=name)


def _check_basis(W):
    refuse_mask(W, "the basis")
    return check_array(W, dtype=float, input_name="the basis")


def _check_numbers(X, name):
    """Return an array of finite real numbers, or raise ValueError."""
    refuse_mask(X, name)
    return check_array(X, dtype=float, input_name=name, ensure_2d=False, allow_nd=True)
