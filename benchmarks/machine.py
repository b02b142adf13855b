"""What the measurements were made on: bench-machine."""

import os
import platform
from pathlib import Path

from threadpoolctl import threadpool_info, threadpool_limits

from studies import grid


def cpu():
    """Return the name that the processor gives itself."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown"


def machine_cell(threads):
    """Describe the machine, and the linear algebra behind the products."""
    with threadpool_limits(threads):
        blas = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "blas": ", ".join(
            sorted({f"{p['internal_api']} {p['version']}" for p in blas})
        ),
        "blas_threads": max((p["num_threads"] for p in blas), default=1),
    }


MACHINE = grid("bench-machine", machine_cell, threads=[1])
