"""Run the quick tests and the notebooks as other processors compute, and print who passed.

    python tools/anywhere.py                                      all of them
    python tools/anywhere.py --kernels Nehalem --threads 1 tests  one, the tests alone

OpenBLAS takes the kernel that it is told, and NumPy leaves out the instructions that
such a processor lacks. What this machine's processor cannot do is skipped.
"""

import argparse
import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "_build" / "anywhere"
PRODUCT = "import numpy; A = numpy.ones((1024, 400)); A[:, :25].T @ A"
OLD = {"SSSE3", "SSE41", "POPCNT", "SSE42", "X86_V2"}
AVX2 = {*OLD, "AVX", "F16C", "FMA3", "AVX2", "X86_V3"}
#: A kernel of OpenBLAS: the features of NumPy that its processors have, the one that it
#: needs.
KERNELS = {
    "Nehalem": (OLD, "SSE42"),
    "Sandybridge": ({*OLD, "AVX"}, "AVX"),
    "Haswell": (AVX2, "AVX2"),
    "SkylakeX": ({*AVX2, "AVX512F", "AVX512CD", "AVX512_SKX", "X86_V4"}, "AVX512_SKX"),
}


def environment(kernel, threads):
    """The variables under which a process computes as on such a processor."""
    had, _ = KERNELS[kernel]
    unknown = [
        name
        for name in __cpu_dispatch__
        if __cpu_features__.get(name) and name not in had
    ]
    return {
        "OPENBLAS_CORETYPE": kernel,
        "NPY_DISABLE_CPU_FEATURES": " ".join(unknown),
        "OPENBLAS_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
    }


def run(kernel, threads, selected):
    """Pytest's last line, and the tests that failed."""
    command = ["-m", "pytest", "-n", "auto", "-q", "-p", "no:cacheprovider"]
    command += ["-m", "not site and not slow and not long", *selected]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | environment(kernel, threads),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    LOGS.mkdir(parents=True, exist_ok=True)
    (LOGS / f"{kernel}-{threads}.txt").write_text(done.stdout, encoding="utf-8")
    *_, last = done.stdout.strip().splitlines() or ["pytest said nothing"]
    return (
        done.returncode == 0,
        last,
        re.findall(r"^(?:FAILED|ERROR) .*", done.stdout, re.M),
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--kernels", default=",".join(KERNELS), help="of OpenBLAS (%(default)s)"
    )
    parser.add_argument(
        "--threads", default="1,2", help="of each process (%(default)s)"
    )
    options, selected = parser.parse_known_args()
    passed = True
    for kernel, threads in product(
        options.kernels.split(","), options.threads.split(",")
    ):
        if not __cpu_features__.get(KERNELS[kernel][1]):
            print(
                f"{kernel:12} {threads} threads   skipped: no {KERNELS[kernel][1]} here"
            )
            continue
        # OpenBLAS 0.3.34 crashes as Haswell (its issue 6026); each cell would wait for
        # its end.
        variables = os.environ | environment(kernel, threads)
        if subprocess.run([sys.executable, "-c", PRODUCT], env=variables).returncode:
            print(
                f"{kernel:12} {threads} threads   failed: NumPy's OpenBLAS crashes in a product"
            )
            passed = False
            continue
        fine, last, failed = run(kernel, threads, selected or ["tests", "book"])
        print(
            f"{kernel:12} {threads} threads   {last}", *failed, sep="\n    ", flush=True
        )
        passed = passed and fine
    sys.exit(not passed)


if __name__ == "__main__":
    main()
