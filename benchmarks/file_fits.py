"""The process that bench-files starts: a fit to a file, and how much memory it held at most."""

import json
import re
import sys
import time
import tracemalloc
from pathlib import Path

import dask
import dask.array as da
import numpy as np

from rnmf_tutorial import NMF, HuberNMF

CHUNK = 200  # samples


def held(name):
    """Return an entry of the process's status in megabytes; only Linux tells."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    return int(re.search(name + r":\s+(\d+)", status.read_text())[1]) / 1e3


def read(path, block_info=None):
    """Return one chunk; what a closed map has read no longer counts as memory of the process."""
    (first, last), _ = block_info[None]["array-location"]
    return np.array(np.load(path, mmap_mode="r")[first:last])


def data(way, path):
    """Return the file in memory, as a memory map, or as a Dask array."""
    if "chunks" not in way:
        return np.load(path, mmap_mode="r" if "memmap" in way else None)
    n, m = np.load(path, mmap_mode="r").shape
    sizes = tuple(min(CHUNK, n - first) for first in range(0, n, CHUNK))
    return da.map_blocks(read, path, chunks=(sizes, (m,)), dtype=np.float64)


def main(way, path, r, sweeps):
    """Fit; print the peak memory, the seconds for a sweep, and the objective at the end.

    The peak is that of the process beyond what it held before, pages of the file included; what
    was allocated is counted alone too.
    """
    solver = "cd" if "cd" in way else "mu"
    model = HuberNMF(r, scale=0.1) if "HuberNMF" in way else NMF(r)
    model.set_params(max_iter=sweeps, tol=0, random_state=0, solver=solver)
    dask.config.set(scheduler="synchronous")  # one thread, as in memory
    NMF(1, max_iter=1, tol=0).fit(da.ones((4, 3), chunks=(2, 3)))  # what is imported only now
    tracemalloc.start()
    before, begin = held("VmRSS"), time.perf_counter()
    model.fit(data(way, path))
    took, peak = time.perf_counter() - begin, held("VmHWM") - before
    row = {
        "peak_mb": peak,
        "allocated_mb": tracemalloc.get_traced_memory()[1] / 1e6,
        "took": took / sweeps,
        "objective": model.objective_history_[-1],
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
