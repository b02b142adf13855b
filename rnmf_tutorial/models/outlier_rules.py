r"""Rules that tell which errors are outliers: from the sizes \|E\| to a threshold."""

import numpy as np

__all__ = ["OUTLIER_RULES", "median_deviation", "no_rule", "three_sigma"]


def no_rule(sizes, scale):
    """Return infinity: nothing is an outlier.

    Parameters
    ----------
    sizes : ndarray of shape (n_features, n_samples)
        The absolute errors.
    scale : float
        The γ of the Cauchy loss.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> no_rule(np.ones((2, 2)), 1.0)
    inf
    """
    return np.inf


def three_sigma(sizes, scale):
    r"""Return μ + 3δ, with the mean μ and the deviation δ of the sizes up to their median.

    The paper's rule, read with the one change that it needs: it collects the outliers among the
    sizes below the median (its set Γ) and so may find none; here they are those among all sizes
    (its Θ). Of N(0, σ²) errors the threshold is 0.916σ in the limit of many, and the rule rejects
    36 % of them.

    Parameters
    ----------
    sizes : ndarray of shape (n_features, n_samples)
        The absolute errors.
    scale : float
        Not used.

    Returns
    -------
    float

    References
    ----------
    Guan et al. (2019), section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> three_sigma(np.array([[1.0, 3.0, 4.0, 50.0]]), 1.0)
    5.0
    """
    half = sizes.size // 2
    lower = np.partition(sizes.ravel(order="K"), max(half - 1, 0))[: max(half, 1)]
    return float(lower.mean() + 3 * lower.std())


def median_deviation(sizes, scale):
    r"""Return three times 1.4826 times the median size.

    The median of the sizes of N(0, σ²) errors is σ/1.4826, so that three deviations are meant, and
    0.27 % of such errors rejected.

    Parameters
    ----------
    sizes : ndarray of shape (n_features, n_samples)
        The absolute errors.
    scale : float
        Not used.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> round(median_deviation(np.array([[1.0, 2.0, 90.0]]), 1.0), 4)
    8.8956
    """
    half = sizes.size // 2
    return 3 * 1.4826 * float(np.partition(sizes.ravel(order="K"), half)[half])


#: What ``TruncatedCauchyNMF(outliers=...)`` takes by name.
OUTLIER_RULES = {None: no_rule, "three-sigma": three_sigma, "mad": median_deviation}
