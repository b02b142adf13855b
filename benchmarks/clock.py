"""Time one sweep: of our models directly, of others by the difference of two runs.

Times are those of the processor, which on one thread is busy all the time: other
programs on the machine do not count.
"""

import time
import warnings

import numpy as np

BUDGET = 0.12  # seconds for the sweeps of one model in one round


def milliseconds_per_sweep(model, A, y):
    """Return the median time of a sweep and its objective."""
    ticks = []
    for sweep in model.set_params(max_iter=50, tol=0).sweeps(A, y):
        ticks.append(time.process_time())
        if sweep.number >= 3 and ticks[-1] - ticks[0] > BUDGET:
            break
    return 1e3 * float(np.median(np.diff(ticks)))


def milliseconds_per_run(run, sweeps=10):
    """Return what `sweeps` sweeps take beyond what one sweep takes, per sweep."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns at max_iter
        begin = time.process_time()
        run(1)
        middle = time.process_time()
        run(sweeps + 1)
        end = time.process_time()
    return 1e3 * (end - middle - (middle - begin)) / sweeps
