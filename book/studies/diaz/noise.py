"""The corruptions of Díaz, Steele and Nguyen's experiments, and of our own beside them."""

import numpy as np

from rnmf_tutorial.data import add_gaussian, add_laplace, add_salt_and_pepper


def salt_and_pepper_with_repeats(A, p, *, s_vs_p, random_state):
    """Draw the pixels one by one and put them back, so that some are hit more than once.

    Salt first, then pepper. About ``1 - exp(-p)`` of the pixels are changed instead of
    p.
    """
    rng = np.random.default_rng(random_state)
    A, (n, m) = A.copy(), A.shape
    rows = np.arange(n)[:, None]
    for value, share in ((1.0, s_vs_p), (0.0, 1 - s_vs_p)):
        A[rows, rng.integers(m, size=(n, int(np.ceil(share * p * m))))] = value
    return A, None


def clipped_at_one(A, *, add, **options):
    """Add noise and cut off what is above one, so that the pixels stay in [0, 1]."""
    return np.minimum(add(A, **options)[0], 1), None


#: The nine settings of Table 2.
NOISES = {
    "salt & pepper p=0.125": (add_salt_and_pepper, {"p": 0.125, "s_vs_p": 0.167}),
    "salt & pepper p=0.188": (add_salt_and_pepper, {"p": 0.188, "s_vs_p": 0.25}),
    "salt & pepper p=0.25": (add_salt_and_pepper, {"p": 0.25, "s_vs_p": 0.333}),
    "Laplace 0.06": (add_laplace, {"scale": 0.06}),
    "Laplace 0.09": (add_laplace, {"scale": 0.09}),
    "Laplace 0.12": (add_laplace, {"scale": 0.12}),
    "Gaussian 0.01": (add_gaussian, {"sigma": 0.01}),
    "Gaussian 0.1": (add_gaussian, {"sigma": 0.1}),
    "Gaussian 0.5": (add_gaussian, {"sigma": 0.5}),
}
#: Another reading of the text: pixels drawn with repeats, and values above one cut off.
#: Under weaker noise cutting off changes the error by less than one percent.
REREAD = {
    f"{name}, repeats": (salt_and_pepper_with_repeats, options)
    for name, (add, options) in NOISES.items()
    if add is add_salt_and_pepper
} | {
    f"{name}, clipped": (clipped_at_one, {"add": NOISES[name][0], **NOISES[name][1]})
    for name in ("Laplace 0.12", "Gaussian 0.5")
}
