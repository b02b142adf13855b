"""How the papers measure a representation: clustering, recognition, baselines.

Everything here speaks scikit-learn's orientation: one sample per row.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import svd
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import (
    check_array,
    check_consistent_length,
    check_random_state,
    column_or_1d,
)

from rnmf_tutorial.measures import check_label_values
from rnmf_tutorial.validation import refuse_mask


def kmeans_clustering(
    F: ArrayLike,
    n_clusters: int,
    *,
    n_init: int = 50,
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    """Cluster the rows of F by k-means: the best of `n_init` starts by k-means' own objective.

    Parameters
    ----------
    F : array of shape (n_samples, n_features)
        Representation, for NMF the transposed coefficients.
    n_clusters : int
        Number of clusters; the papers take the number of subjects.
    n_init : int, default=50
        Number of starts (k-means++), as in Zhang et al.
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Returns
    -------
    array of shape (n_samples,)
        Cluster of each sample, 0 to `n_clusters` - 1.

    References
    ----------
    Zhang et al., section 5.3.2.

    Examples
    --------
    >>> labels = kmeans_clustering([[0.0], [0.1], [5.0], [5.1]], 2, random_state=0)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    refuse_mask(F, "F")
    return KMeans(n_clusters, n_init=n_init, random_state=random_state).fit_predict(F)


def training_splits(
    y: ArrayLike,
    *,
    n_train: int,
    n_splits: int,
    random_state: int | np.random.RandomState | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Draw random splits with exactly `n_train` training samples of each subject.

    Parameters
    ----------
    y : array of shape (n_samples,)
        Subject of each sample.
    n_train, n_splits : int
        Training samples per subject (all others are for testing), and number of splits.
    random_state : int, RandomState or None, default=None
        Seed of the draws.

    Returns
    -------
    list of (train, test)
        Sorted arrays of indices; in each split they share none and cover all samples.

    Raises
    ------
    ValueError
        If `n_train` or `n_splits` is below 1, a label is missing, or a subject has no
        sample left for testing.

    Examples
    --------
    >>> [(train, test)] = training_splits([0, 0, 0, 1, 1], n_train=1, n_splits=1)
    >>> len(train), len(test)
    (2, 3)
    """
    y = column_or_1d(y)
    check_label_values(y, "y")
    if n_train < 1 or n_splits < 1:
        raise ValueError(
            f"n_train and n_splits must be at least 1, got {n_train} and {n_splits}."
        )
    subjects, counts = np.unique(y, return_counts=True)
    if np.any(counts <= n_train):
        scarce = np.argmin(counts)
        raise ValueError(
            f"Subject {subjects[scarce]} has {counts[scarce]} samples, which leaves none for "
            f"testing; choose n_train below {counts[scarce]}."
        )
    rng = check_random_state(random_state)
    everyone = np.arange(len(y))
    splits = []
    for _ in range(n_splits):
        chosen = [
            rng.choice(np.flatnonzero(y == s), n_train, replace=False) for s in subjects
        ]
        train = np.sort(np.concatenate(chosen))
        splits.append((train, np.setdiff1d(everyone, train)))
    return splits


def repeated_one_nn(
    F: ArrayLike,
    y: ArrayLike,
    *,
    n_train: int,
    n_splits: int,
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    """Recognition rate of the 1-nearest-neighbor classifier over random splits.

    The representation F is learned beforehand, from all samples and without their
    labels; only the classifier is trained on the training part. Distances are
    Euclidean.

    Parameters
    ----------
    F : array of shape (n_samples, n_features)
        Representation, for NMF the transposed coefficients.
    y : array of shape (n_samples,)
        Subject of each sample.
    n_train, n_splits : int
        Training samples per subject (all others are for testing), and number of splits.
    random_state : int, RandomState or None, default=None
        Seed of the splits. The same seed gives the same splits whatever F is.

    Returns
    -------
    array of shape (n_splits,)
        Share of the test samples recognized, for each split.

    Raises
    ------
    ValueError
        If F and y differ in length, or as `training_splits` says.

    References
    ----------
    Zhang et al., section 5.4 (n_train = 3, n_splits = 50).

    Examples
    --------
    >>> F, y = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, 0, 0, 1, 1, 1]
    >>> repeated_one_nn(F, y, n_train=1, n_splits=2, random_state=0)
    array([1., 1.])
    """
    F, y = check_array(F), column_or_1d(y)
    check_consistent_length(F, y)
    splits = training_splits(
        y, n_train=n_train, n_splits=n_splits, random_state=random_state
    )
    classifier = KNeighborsClassifier(n_neighbors=1)
    return np.array(
        [
            classifier.fit(F[train], y[train]).score(F[test], y[test])
            for train, test in splits
        ]
    )


def project_pca(A: ArrayLike, r: int) -> np.ndarray:
    """Represent each sample by its first r principal components (mean subtracted, full SVD).

    Parameters
    ----------
    A : array of shape (n_samples, n_features)
        Data.
    r : int
        Number of components, at most min(n_samples, n_features).

    Returns
    -------
    array of shape (n_samples, r)

    Examples
    --------
    >>> project_pca([[1.0, 0.0], [3.0, 0.0]], 1).ravel().round(12).tolist() in ([-1, 1], [1, -1])
    True
    """
    A = check_array(A)
    _check_rank(A, r)
    return PCA(n_components=r, svd_solver="full").fit_transform(A)


def project_lsi(A: ArrayLike, r: int) -> np.ndarray:
    """Represent each sample by latent semantic indexing: a truncated SVD, *not* centered.

    Parameters
    ----------
    A : array of shape (n_samples, n_features)
        Data.
    r : int
        Number of components, at most min(n_samples, n_features).

    Returns
    -------
    array of shape (n_samples, r)
        The r leading left singular vectors, each times its singular value. The sign of
        a column is arbitrary; distances between samples do not depend on it.

    Examples
    --------
    >>> abs(project_lsi([[1.0, 0.0], [3.0, 0.0]], 1)).ravel().round(12).tolist()
    [1.0, 3.0]
    """
    A = check_array(A)
    _check_rank(A, r)
    U, sigma, _ = svd(A, full_matrices=False)
    return U[:, :r] * sigma[:r]


def _check_rank(A, r):
    if not 1 <= r <= min(A.shape):
        raise ValueError(
            f"r must be between 1 and {min(A.shape)} for data of shape {A.shape}, got {r}."
        )
