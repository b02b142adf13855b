"""Two spoilings that several studies share: disguises, and images that are no faces."""

import numpy as np

from .disguises import add_scarf, add_sunglasses


def disguised(A, shape, share, seed, **sunglasses):
    """Put sunglasses on a share of the faces and a scarf on as many others.

    Returns
    -------
    A : ndarray
        A copy of the faces, disguised.
    wears : int ndarray
        What each face wears: 0 nothing, 1 sunglasses, 2 a scarf.
    """
    A, glasses = add_sunglasses(
        A, shape, fraction=share, random_state=seed, **sunglasses
    )
    wears = glasses.any(axis=1).astype(int)
    plain = wears == 0
    # Nobody wears both: the scarves go to the faces that are still plain.
    A[plain], scarves = add_scarf(
        A[plain], shape, fraction=share * len(A) / plain.sum(), random_state=seed
    )
    wears[plain] = 2 * scarves.any(axis=1)
    return A, wears


def strangers(A, fraction, seed):
    """Replace a fraction of the images by uniform noise; return the data and who was replaced."""
    rng = np.random.default_rng(seed)
    replaced = np.zeros(len(A), dtype=bool)
    replaced[rng.choice(len(A), round(fraction * len(A)), replace=False)] = True
    A = A.copy()
    A[replaced] = rng.uniform(size=(replaced.sum(), A.shape[1]))
    return A, replaced
