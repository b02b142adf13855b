"""What Guan et al. print about their loss: the weights of Table I, the bound of Theorem 1."""

import numpy as np
from scipy.special import gammaln


def truncated_loss(e, scale, threshold):
    """Return the loss of every error, (1)."""
    return np.log1p(np.minimum(e**2, threshold**2) / scale**2)


def table_one(E, s=0.5, g=0.4, theta=1.25, lam=0.6, cut=0.7):
    """Return each method's objective, a function of the errors, and its printed weights at E.

    Examples
    --------
    >>> objective, weights = table_one(np.array([[2.0], [1.0]]))["L1-NMF"]
    >>> float(objective(np.array([[2.0], [1.0]]))), weights.ravel().tolist()
    (3.0, [0.5, 1.0])
    """
    size, norms = np.abs(E), np.linalg.norm(E, axis=0) * np.ones_like(E)
    S = np.sign(E) * np.maximum(size - lam / 2, 0)  # held fixed
    normal, bell = np.sqrt(2 * np.pi) * s, np.exp(-(E**2) / (2 * s**2))

    def huber(R):
        return np.where(np.abs(R) <= s, R**2, 2 * s * np.abs(R) - s**2).sum()

    def capped(R):
        return np.minimum(np.linalg.norm(R, axis=0), theta).sum()

    cauchy = 2 / (g**2 + E**2)
    return {
        "NMF": (lambda R: (R**2).sum(), 2 + 0 * E),
        "HCNMF": (lambda R: (np.sqrt(1 + R**2) - 1).sum(), 1 / np.sqrt(1 + E**2)),
        "L2,1-NMF": (lambda R: np.linalg.norm(R, axis=0).sum(), 1 / norms),
        "RCNMF": (capped, np.where(norms <= theta, 1 / norms, 0)),
        "RNMF-L1": (
            lambda R: ((R - S) ** 2).sum() + lam * np.abs(S).sum(),
            2 * (1 - S / E),
        ),
        "L1-NMF": (lambda R: np.abs(R).sum(), 1 / size),
        "Huber-NMF": (huber, np.where(size <= s, 2, 2 * s / size)),
        "CIM-NMF": (
            lambda R: (1 - np.exp(-(R**2) / (2 * s**2)) / normal).sum(),
            1 / (normal * s**2 * bell),
        ),
        "CauchyNMF": (lambda R: np.log1p((R / g) ** 2).sum(), cauchy),
        "Truncated CauchyNMF": (
            lambda R: truncated_loss(R, g, cut).sum(),
            np.where(size <= cut, cauchy, 0),
        ),
    }


def printed_bounds(m, r, alpha, gamma, sigma, failure):
    """Return (3) as a function of n, in four readings by name: its denominators, and which ϵ."""

    def log_cover(d):
        """Return ln(ϵ N(ϵ)) with d in the denominators."""
        bracket = (
            (8 * r + 2) * alpha**2 / d**2
            + sigma * alpha**2 / (np.sqrt(2) * d**3)
            + 2 * r * sigma**2 * alpha**2 / d**4
        )
        front = np.log(4) / m + np.log(np.pi) / 2 - gammaln(m / 2) / m
        return front + np.log(bracket) + np.log(m * r / 2)

    def with_epsilon(n, d, eps):
        log_N = np.maximum(
            log_cover(d) - np.log(eps), 0
        )  # no cover has fewer than one member
        root = np.sqrt((m * r * log_N + np.log(2 / failure)) / (2 * n))
        return 2 * eps + (alpha / gamma) ** 2 * root

    def at_best(n, d):
        """Return its second line; at the last of these ϵ, N is 1."""
        eps = np.exp(log_cover(d)) * np.geomspace(1e-20, 1, 8001)
        return with_epsilon(np.asarray(n, float)[..., None], d, eps).min(axis=-1)

    return {
        "γ in the denominators, ϵ = 1/n": lambda n: with_epsilon(n, gamma, 1 / n),
        "γ in the denominators, best ϵ": lambda n: at_best(n, gamma),
        "r in the denominators, ϵ = 1/n": lambda n: with_epsilon(n, r, 1 / n),
        "r in the denominators, best ϵ": lambda n: at_best(n, r),
    }
