"""A table to practice on: samples of dust from three sources, with what goes wrong in tables."""

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

ELEMENTS = "Na Mg Al Si P S K Ca Ti V Cr Mn Fe Ni Cu Zn As Se Br Sr Mo Cd Sn Sb Pb"


def dust():
    """Return 60 samples of 25 elements in mg/kg, the truth, and which cells are wrong or empty.

    The noise is 3% of the amount. Three percent of the cells are typed tenfold, eight
    are empty, and calcium is cut off where the detector ends.
    """
    rng = np.random.default_rng(0)
    amounts, profiles = rng.gamma(1.5, size=(60, 3)), rng.gamma(0.8, size=(3, 25))
    truth = 40 * amounts @ profiles
    measured = truth * rng.lognormal(0, 0.03, truth.shape)
    typo = rng.uniform(size=truth.shape) < 0.03
    measured[typo] *= 10
    calcium = ELEMENTS.split().index("Ca")
    limit = np.quantile(truth[:, calcium], 0.85)  # of the detector
    typo[measured[:, calcium] > limit, calcium] = False
    measured[:, calcium] = np.minimum(measured[:, calcium], limit)
    empty = rng.uniform(size=truth.shape) < 0.08
    measured[empty], typo[empty] = np.nan, False
    samples = [f"s{k:02d}" for k in range(1, 61)]
    table = pd.DataFrame(measured.round(1), samples, ELEMENTS.split())
    return Bunch(table=table, truth=truth, typo=typo, empty=empty)
