"""Recognition of covered faces: find the covered pixels, and look at the others alone."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from .sparse_representation import check_recognition, sparse_code, src_predict

__all__ = ["covered_pixels", "sec_predict", "smooth_labels"]

CUTOFFS = (0.45, 0.35, 0.25, 0.2, 0.15)  # of each round, in the units of the data
_UNIT = 1000  # capacities of a flow are whole numbers


def smooth_labels(labels: ArrayLike, smoothness: float) -> np.ndarray:
    r"""Return the labels of a Markov random field on the pixels' grid, with the given ones as data.

    A pixel pays 1 if its new label differs from the given one, and every pair of
    neighbors (up, down, left, right) pays `smoothness` if their new labels differ. The
    labels with the least sum are a minimum cut between "True" and "False", which a
    maximum flow finds exactly.

    Parameters
    ----------
    labels : ndarray of bool of shape (height, width)
    smoothness : float
        0 keeps all labels.

    Returns
    -------
    ndarray of bool of shape (height, width)

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.zeros((5, 5), bool)
    >>> labels[2, 2] = labels[:, 0] = True
    >>> np.argwhere(smooth_labels(labels, 0.5)[2]).ravel()
    array([0])
    """
    pixels = np.arange(labels.size).reshape(labels.shape)
    yes, no = labels.size, labels.size + 1
    left = np.concatenate([pixels[:, :-1].ravel(), pixels[:-1].ravel()])
    right = np.concatenate([pixels[:, 1:].ravel(), pixels[1:].ravel()])
    true, false = pixels[labels], pixels[~labels]
    tails = np.concatenate([left, right, np.full(len(true), yes), false])
    heads = np.concatenate([right, left, true, np.full(len(false), no)])
    costs = np.full(len(tails), _UNIT, np.int32)
    costs[: 2 * len(left)] = round(_UNIT * smoothness)
    edges = np.stack([tails, heads]).astype(
        np.int32
    )  # SciPy's flow takes no other indices
    capacities = csr_array(
        coo_array((costs, tuple(edges)), shape=(labels.size + 2,) * 2)
    )
    unused = capacities - maximum_flow(capacities, yes, no).flow  # nowhere below zero
    unused.eliminate_zeros()
    reached = breadth_first_order(unused, yes, return_predecessors=False)
    smooth = np.zeros(labels.size + 2, bool)
    smooth[reached] = True
    return smooth[: labels.size].reshape(labels.shape)


def covered_pixels(
    A_train: ArrayLike, a: ArrayLike, shape: tuple[int, int], *, alpha: float = 0.01
) -> np.ndarray:
    """Find what covers a face: the connected regions that the training faces cannot explain.

    In turn: represent the face by a sparse non-negative combination of the training
    faces, from the pixels that are not covered so far; label the pixels with an error
    beyond the cutoff, which falls from round to round; smooth the labels.

    Parameters
    ----------
    A_train : array of shape (n_train, n_features)
        Training images, values in [0, 1].
    a : array of shape (n_features,)
        The image.
    shape : (height, width)
        Of the images.
    alpha : float, default=0.01
        The weight of the L1 norm.

    Returns
    -------
    ndarray of bool of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> faces = np.random.default_rng(0).random((3, 64)) / 2
    >>> image = faces[1].copy()
    >>> image[:24] = 1
    >>> np.flatnonzero(covered_pixels(faces, image, (8, 8), alpha=1e-4)).tolist() == list(range(24))
    True
    """
    covered = np.zeros(len(a), bool)
    for cutoff in CUTOFFS:
        seen = ~covered
        D, unit = A_train[:, seen], np.linalg.norm(a[seen])
        (z,) = sparse_code(D, a[None, seen], alpha=alpha, positive=True)
        lengths = np.linalg.norm(D, axis=1)
        z = (
            z * unit / np.where(lengths > 0, lengths, 1)
        )  # a face of zeros has no weight anyway
        labels = np.abs(a - z @ A_train) > cutoff
        covered = smooth_labels(labels.reshape(shape), 1.0).ravel()
        if covered.all():
            return ~seen
    return covered


def sec_predict(
    A_train: ArrayLike, y_train: ArrayLike, A_test: ArrayLike, shape: tuple[int, int]
) -> np.ndarray:
    """Recognize covered faces by sparse error correction (SEC), in a simple form.

    For each test image, the covered pixels are found by ``covered_pixels``, and the
    others are classified by ``src_predict``. The published method also models the
    errors of the pixels seen as sparse, and works on one subject after the other.

    Parameters
    ----------
    A_train : array of shape (n_train, n_features)
        Training images, values in [0, 1].
    y_train : array of shape (n_train,)
        Subject of each training image.
    A_test : array of shape (n_test, n_features)
        Images to recognize.
    shape : (height, width)
        Of the images.

    Returns
    -------
    array of shape (n_test,)
        A subject for each test image.

    Raises
    ------
    ValueError
        If `shape` does not hold the features, the numbers of samples or of features do
        not match, a label is missing, or an image to recognize is all zero.

    References
    ----------
    Zhou, Wagner, Mobahi, Wright and Ma, *Face recognition with contiguous occlusion
    using Markov random fields*, ICCV 2009; section 5.3 of Guan et al. (2019).

    Examples
    --------
    >>> import numpy as np
    >>> faces = np.random.default_rng(0).random((3, 64)) / 2
    >>> image = faces[1].copy()
    >>> image[:24] = 1
    >>> sec_predict(faces, ["a", "b", "c"], [image], (8, 8)).tolist()
    ['b']
    """
    A_train, y_train, A_test = check_recognition(A_train, y_train, A_test)
    if shape[0] * shape[1] != A_test.shape[1]:
        raise ValueError(
            f"shape {tuple(shape)} does not hold {A_test.shape[1]} pixels."
        )
    found = []
    for a in A_test:
        seen = ~covered_pixels(A_train, a, shape)
        found.append(
            src_predict(A_train[:, seen], y_train, a[None, seen], positive=True)
        )
    return np.concatenate(found)
