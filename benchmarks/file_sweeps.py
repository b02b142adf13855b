"""The process that bench-files starts: sweeps over a file, and how much memory it held at most."""

import json
import re
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np

from rnmf_tutorial import NMF, HuberNMF
from rnmf_tutorial.models.file_sweeps import file_blocks, sweep_in_blocks

BLOCK = 200  # samples


def held(name):
    """Return an entry of the process's status in megabytes; only Linux tells."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    return int(re.search(name + r":\s+(\d+)", status.read_text())[1]) / 1e3


def main(way, path, r, sweeps):
    """Do the sweeps; print the peak memory, seconds a sweep, and the error at the end.

    The peak is that of the process beyond what it held before, pages of the file included; what
    was allocated is counted alone too.
    """
    n, m = np.load(path, mmap_mode="r").shape
    rng = np.random.default_rng(0)
    W, H = rng.random((m, r)), rng.random((r, n))
    model = HuberNMF(r, scale=0.1) if "HuberNMF" in way else NMF(r)
    tracemalloc.start()
    before, begin = held("VmRSS"), time.perf_counter()
    if "blocks" in way:
        for _ in range(sweeps):
            W, H = sweep_in_blocks(model, file_blocks(path, BLOCK), W, H)
    else:
        A = np.load(path, mmap_mode="r" if "memmap" in way else None)
        H = model.set_params(init=(W, H), max_iter=sweeps, tol=0).fit_transform(A).T
        W = model.components_.T
    took, peak = time.perf_counter() - begin, held("VmHWM") - before
    allocated = tracemalloc.get_traced_memory()[1] / 1e6
    error = sum(np.linalg.norm(X - W @ H[:, j]) ** 2 for j, X in file_blocks(path, BLOCK))
    row = {"peak_mb": peak, "allocated_mb": allocated, "took": took / sweeps, "error": error}
    print(json.dumps(row))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
