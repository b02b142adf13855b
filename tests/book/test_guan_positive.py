"""The one fitted number of Guan et al.'s Table II: fitted again, and where it may come from."""

import numpy as np
import pytest

from rnmf_tutorial.data import available, load_orl
from studies.guan.competitors import METHODS, RANK, scores
from studies.guan.noise import POSITIVE, positive_laplace
from studies.guan.positive import HALF
from studies.guan.printed import printed_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not available("orl32"), reason="the aligned ORL faces are absent"),
]


def off(share):
    """Our errors of L2 over the printed ones, less one, at the levels of the fit."""
    printed = printed_table().query("method == 'NeNMF' and metric == 'rre'")
    printed = printed.set_index("noise").printed
    faces, found = load_orl(32, aligned=True), []
    for level in HALF:
        A = positive_laplace(faces.data, level, share, 1).astype(np.float32)
        model = METHODS["NeNMF"](RANK, random_state=1)
        found.append(scores(model, faces, A)["rre"] / printed[f"Laplace {level}"] - 1)
    return np.array(found)


def test_the_share_is_what_fits_the_errors_of_l2_and_nearly_the_brightest_pixel():
    chosen, least, most = POSITIVE["positive, scaled"], off(0.9), off(0.935)
    # between the two the errors are straight lines; least squares of all four
    slope = (most - least) / 0.035
    fitted = 0.9 - (least @ slope) / (slope @ slope)
    assert fitted == pytest.approx(chosen, abs=0.002)
    # faces stretched to the full range, and noise as printed, are the same up to a unit
    brightest = load_orl(32, aligned=True).data.max()
    assert brightest == pytest.approx(chosen, rel=0.006)
    assert np.abs(off(brightest)).max() < 0.01
