"""The corruptions of Guan et al.'s Tables II, III and IV, on the aligned ORL faces (32×32)."""

import numpy as np

from rnmf_tutorial.data import add_blocks, add_laplace, add_salt_and_pepper, load_orl

#: The paper's δ of Laplace noise, percentages of pixels, and sides of the blocks.
LEVELS = {
    "Laplace": [40, 80, 120, 160, 200, 240, 280],
    "salt & pepper": [5, 10, 20, 30, 40, 50, 60],
    "blocks": [10, 12, 14, 16, 18, 20, 22],
}
NOISES = [f"{kind} {level}" for kind, levels in LEVELS.items() for level in levels]


def corrupted(A, noise, seed):
    """Return a corrupted copy of 32×32 images, for a noise such as "blocks 14".

    The paper calls δ the deviation, so the scale of the Laplace density is δ/√2.
    Negative values are set to zero. A block has the value 550 where white is 255.
    """
    kind, level = noise.rsplit(" ", 1)
    level = int(level)
    if kind == "Laplace":
        return add_laplace(A, level / 255 / np.sqrt(2), random_state=seed)[0]
    if kind == "salt & pepper":
        return add_salt_and_pepper(A, level / 100, random_state=seed)[0]
    return add_blocks(A, (32, 32), level, value=550 / 255, random_state=seed)[0]


def corrupted_orl(noise, seed):
    """Return the aligned ORL faces and a corrupted copy."""
    faces = load_orl(32, aligned=True)
    return faces, corrupted(faces.data, noise, seed)


#: Readings of Table II that keep the positive noise alone, with the share of δ that is
#: the deviation: as printed, and fitted on the errors of L2 alone, at seed 1 and four
#: levels.
POSITIVE = {"positive": 1.0, "positive, scaled": 0.917}


def positive_laplace(A, level, share, seed):
    """Return a copy to which the positive part of Laplace noise of level δ is added.

    `corrupted` cuts off the sum of face and noise at zero instead; here a face loses
    nothing.
    """
    scale = share * level / 255 / np.sqrt(2)
    return A + np.maximum(np.random.default_rng(seed).laplace(0, scale, A.shape), 0)
