"""What the experiments on a sparse basis start from, and what they measure."""

import numpy as np
from scipy.linalg import svd

from rnmf_tutorial.data import load_cbcl, load_orl
from rnmf_tutorial.measures import collinearity, relative_error, sparseness
from rnmf_tutorial.solvers import nnls
from studies.machinery.protocols import training_splits

THRESHOLD = 1e-4  # illegible in the paper


def cbcl_faces(n_train, seed, n_test=100):
    """Draw training and test images of CBCL; return both, and the shape of an image."""
    faces = load_cbcl()
    order = np.random.default_rng(seed).permutation(len(faces.data))
    train, test = order[:n_train], order[n_train : n_train + n_test]
    return *unit_deviation(faces.data[train], faces.data[test]), (19, 19)


def orl_faces(seed, size=(112, 92)):
    """Draw three training images of each person of ORL; the other seven are for testing."""
    faces = load_orl(size)
    [(train, test)] = training_splits(
        faces.target, n_train=3, n_splits=1, random_state=seed
    )
    return *unit_deviation(faces.data[train], faces.data[test]), size


def unit_deviation(train, test):
    """Divide each pixel by its standard deviation in the training images."""
    deviation = train.std(axis=0)
    deviation[deviation == 0] = 1
    return train / deviation, test / deviation


def reach(W, shape):
    r"""How far the mass of each basis image spreads, next to an image that is evenly bright.

    The root mean square distance of the pixels, weighted by their values, from their
    center of mass, divided by the same for equal weights.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
        Non-negative basis images, in row-major order; no column of zeros.
    shape : (int, int)
        Height and width of an image.

    Returns
    -------
    ndarray of shape (r,)
        0 for a single pixel, about 1 for an image that covers the whole frame.

    Examples
    --------
    >>> import numpy as np
    >>> reach(np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]), (2, 2)).tolist()
    [1.0, 0.0]
    """
    places = np.indices(shape).reshape(2, -1).T.astype(float)
    places -= places.mean(axis=0)
    weights = W / W.sum(axis=0)
    squares = (places**2).sum(axis=1)
    spread = squares @ weights - ((places.T @ weights) ** 2).sum(axis=0)
    return np.sqrt(np.maximum(spread, 0) / squares.mean())


def area(W):
    """Effective share of the pixels that each basis image covers: 1 if it is evenly bright."""
    return W.sum(axis=0) ** 2 / (W**2).sum(axis=0) / len(W)


def scattered(W, seed=0):
    """Shuffle the pixels of each basis image on its own."""
    return np.random.default_rng(seed).permuted(W, axis=0)


def basis_measures(W, shape):
    """Measure a basis as it is (s, c), with columns of equal sum or length, and its locality."""
    W = W[:, np.abs(W).sum(axis=0) > 0]
    unit = W / np.linalg.norm(W, axis=0)
    size = np.abs(W)
    return {
        "s": float(np.mean(size < THRESHOLD)),
        "c": collinearity(W),
        "s_l1": sparseness(W, THRESHOLD),
        "c_l2": collinearity(unit),
        "reach": float(reach(size, shape).mean()),
        "reach_scattered": float(reach(scattered(size), shape).mean()),
        "area": float(area(size).mean()),
        "alive": W.shape[1],
    }


def evenness(W, H):
    """How evenly the components share in an image, on average: 1 if all give as much light."""
    light = H * W.sum(axis=0)[:, None]
    return float(np.mean(light.sum(axis=0) ** 2 / (light**2).sum(axis=0)) / len(H))


def least_squares_error(A, W):
    """Relative error of the best non-negative coefficients, where (4a) converges to."""
    H = nnls(W.T @ W, W.T @ A.T, tol=1e-8)
    return relative_error(A, H.T @ W.T)


def pca(train, test, r, center):
    """Return the r leading directions and the relative errors on both sets."""
    mean = train.mean(axis=0) if center else 0
    V = svd(train - mean, full_matrices=False)[2][:r].T
    errors = [relative_error(A, (A - mean) @ V @ V.T + mean) for A in (train, test)]
    return V, *errors
