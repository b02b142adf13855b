"""Recognition by sparse representation: which subject's training samples does a sample use?"""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.decomposition import sparse_encode
from sklearn.preprocessing import normalize
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from rnmf_tutorial.measures import check_label_values

__all__ = ["sparse_code", "src_predict"]


def sparse_code(
    F_train: ArrayLike,
    F_test: ArrayLike,
    *,
    alpha: float = 0.01,
    positive: bool = False,
) -> np.ndarray:
    r"""Represent test samples by few training samples, all of them scaled to length one.

    Every unit test row f gets the minimizer z of :math:`\tfrac12 \lVert f - z D\rVert^2
    + \alpha\lVert z\rVert_1`, the rows of D being the unit training rows. The minimizer
    is scikit-learn's, by least angle regression.

    Parameters
    ----------
    F_train : array of shape (n_train, n_features)
    F_test : array of shape (n_test, n_features)
    alpha : float, default=0.01
        The weight of the L1 norm. At 1, all coefficients are zero.
    positive : bool, default=False
        Whether the coefficients must be non-negative.

    Returns
    -------
    array of shape (n_test, n_train)

    Examples
    --------
    >>> sparse_code([[2.0, 0.0], [0.0, 3.0]], [[0.0, 5.0]]).round(2)
    array([[0.  , 0.99]])
    """
    options = {"algorithm": "lasso_lars", "alpha": alpha, "positive": positive}
    return sparse_encode(normalize(F_test), normalize(F_train), **options)


def src_predict(
    F_train: ArrayLike,
    y_train: ArrayLike,
    F_test: ArrayLike,
    *,
    alpha: float = 0.01,
    positive: bool = False,
) -> np.ndarray:
    r"""Recognize samples by sparse representation classification (SRC).

    Each test sample is written as a sparse combination of all training samples, as
    ``sparse_code`` finds it. It is given to the subject whose samples, with their
    coefficients, leave the smallest residual.

    Parameters
    ----------
    F_train : array of shape (n_train, n_features)
        Training samples, for NMF their coefficients.
    y_train : array of shape (n_train,)
        Subject of each training sample.
    F_test : array of shape (n_test, n_features)
        Samples to recognize.
    alpha : float, default=0.01
        The weight of the L1 norm.
    positive : bool, default=False
        Whether the coefficients must be non-negative.

    Returns
    -------
    array of shape (n_test,)
        A subject for each test sample.

    Raises
    ------
    ValueError
        If the numbers of samples or of features do not match, a label is missing, or a
        sample to recognize is all zero: every subject fits it alike.

    References
    ----------
    Wright, Yang, Ganesh, Sastry and Ma, *Robust face recognition via sparse
    representation*, IEEE TPAMI 2009; section 5.3 of Guan et al. (2019).

    Examples
    --------
    >>> F_train, y_train = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], [7, 7, 8]
    >>> src_predict(F_train, y_train, [[5.0, 1.0], [0.1, 0.7]])
    array([7, 8])
    """
    F_train, y_train, F_test = check_recognition(F_train, y_train, F_test)
    Z = sparse_code(F_train, F_test, alpha=alpha, positive=positive)
    D, F = normalize(F_train), normalize(F_test)
    subjects = np.unique(y_train)
    residuals = [
        np.linalg.norm(F - Z[:, y_train == subject] @ D[y_train == subject], axis=1)
        for subject in subjects
    ]
    return subjects[np.argmin(residuals, axis=0)]


def check_recognition(F_train, y_train, F_test):
    """Return training samples, their subjects and samples to recognize, if they fit together."""
    F_train, F_test, y_train = (
        check_array(F_train),
        check_array(F_test),
        column_or_1d(y_train),
    )
    check_consistent_length(F_train, y_train)
    check_label_values(y_train, "y_train")
    if F_train.shape[1] != F_test.shape[1]:
        raise ValueError(
            f"The training samples have {F_train.shape[1]} features and those to recognize "
            f"{F_test.shape[1]}: both must come from one representation."
        )
    if len(zeros := np.flatnonzero(~F_test.any(axis=1))):
        raise ValueError(
            f"Sample {zeros[0]} of those to recognize is all zero, and so fits every subject "
            "alike: leave such samples out."
        )
    return F_train, y_train, F_test
