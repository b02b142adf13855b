"""The corruptions of the ORL faces (embedded, 32×32) on which every model is compared."""

import numpy as np
from sklearn.utils import Bunch

from rnmf_tutorial.data import (
    add_blocks,
    add_gaussian,
    add_laplace,
    add_salt_and_pepper,
    load_orl,
)
from studies.faces import disguised, strangers

SHAPE = (32, 32)

#: What is done to the faces, and how much of it. Tuned on the levels of TUNING,
#: compared on these.
CORRUPTIONS = [
    *("none 0", "Gaussian 0.1", "Gaussian 0.3", "Laplace 0.2"),
    *("salt & pepper 10", "salt & pepper 30", "salt & pepper 50"),
    *("blocks 8", "blocks 12", "blocks 16"),
    *("disguises 20", "disguises 50", "strangers 10", "strangers 30"),
]
TUNING = [
    *("none 0", "Gaussian 0.2", "Laplace 0.15", "salt & pepper 20", "blocks 10"),
    *("disguises 40", "strangers 20"),
]


def corrupted(A, corruption, seed):
    """Return a corrupted copy of 32×32 images, and which of them are still faces.

    Parameters
    ----------
    A : ndarray of shape (n_samples, 1024)
    corruption : str
        A kind and a level: the deviation of Gaussian noise, the scale of Laplace noise,
        the percentage of the pixels of every image (salt & pepper), the side of the
        white block on every image, the percentage of the images that wear sunglasses or
        a scarf (half of them each), or of those that are replaced by uniform noise
        (strangers).
    seed : int

    Returns
    -------
    corrupted : ndarray of shape (n_samples, 1024)
    face : bool ndarray of shape (n_samples,)
        False where an image was replaced.
    """
    kind, level = corruption.rsplit(" ", 1)
    level, face = float(level), np.ones(len(A), dtype=bool)
    if kind == "Gaussian":
        A, _ = add_gaussian(A, level, random_state=seed)
    elif kind == "Laplace":
        A, _ = add_laplace(A, level, random_state=seed)
    elif kind == "salt & pepper":
        A, _ = add_salt_and_pepper(A, level / 100, random_state=seed)
    elif kind == "blocks":
        A, _ = add_blocks(A, SHAPE, int(level), random_state=seed)
    elif kind == "disguises":
        A, _ = disguised(A, SHAPE, level / 200, seed, eye_height=0.46)
    elif kind == "strangers":
        A, replaced = strangers(A, level / 100, seed)
        face = ~replaced
    elif kind != "none":
        raise ValueError(f"The corruption {corruption!r} is not known.")
    return A, face


def problem(corruption, seed):
    """Return the faces, a corrupted copy of them, and what is known of the images.

    Parameters
    ----------
    corruption : str
        See :func:`corrupted`.
    seed : int

    Returns
    -------
    sklearn.utils.Bunch
        `clean` and `data` of shape (400, 1024), `face` (False for an image that was
        replaced) and `target` of shape (400,).
    """
    faces = load_orl(SHAPE)
    data, face = corrupted(faces.data, corruption, seed)
    return Bunch(clean=faces.data, data=data, face=face, target=faces.target)
