"""A whole fit as users call it: with the defaults, so with a tolerance: bench-fits.

Next to it stands the same fit with ``tol=0`` and as many sweeps. What the first takes
beyond the second is the price of the checks that a tolerance turns on. The two take
turns, and the processor time counts, so that other programs matter little.
"""

import time
import warnings

from scipy.sparse import csr_array

from benchmarks.problem import ESTIMATORS, problem, start_point
from studies import grid


def seconds(model, A, y):
    """Return the processor time of a fit."""
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(A, y)
    return time.process_time() - begin


def fits_cell(data, model, round):
    """Fit with the defaults, and for as many sweeps without a tolerance."""
    dense, y, r = problem(data)
    forms = {"dense": dense}
    if ESTIMATORS[model]().takes_sparse:
        forms["sparse"] = csr_array(dense * (dense > dense.mean()))
    rows = []
    for form, A in forms.items():
        init = start_point(dense, r, seed=round)
        default = ESTIMATORS[model](r, init=init)
        took = seconds(default, A, y)
        sweeps = default.n_iter_
        same = ESTIMATORS[model](r, init=init, tol=0, max_iter=sweeps)
        without_tol = seconds(same, A, y)
        rows.append(
            {
                "name": model,
                "form": form,
                "sweeps": sweeps,
                "took": took,
                "took_without_tol": without_tol,
                "ratio": took / without_tol,
            }
        )
    return rows


#: L1NMF is left out, because its fit takes minutes.
NAMES = [name for name in ESTIMATORS if name != "L1NMF"]
LIVE = {"data": ["toy"], "model": ["NMF", "HuberNMF"]}
FITS = grid("bench-fits", fits_cell, LIVE, data=["orl"], model=NAMES, round=range(3))
