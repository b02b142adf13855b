"""Measure speed and memory in one process on one thread: `make bench`.

python -m benchmarks              measure everything anew (about half an hour)
python -m benchmarks sweeps       only some of it
python -m benchmarks --store      measure into book/results, whose rows the book shows

Without --store the rows go to _build/bench, and those of the book stay as they are.
"""

import argparse
from pathlib import Path

from benchmarks.fits import FITS
from benchmarks.growth import GROWTH
from benchmarks.large import LARGE
from benchmarks.machine import MACHINE
from benchmarks.memory import MEMORY
from benchmarks.objectives import OBJECTIVES
from benchmarks.solvers import SOLVERS
from benchmarks.sweeps import SWEEPS
from studies.machinery.runner import run
from studies.machinery.store import BOOKKEEPING

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "book" / "results"  # tracked, and shown by the book
SCRATCH = ROOT / "_build" / "bench"
GRIDS = {
    grid.name.removeprefix("bench-"): grid
    for grid in (MACHINE, SWEEPS, FITS, SOLVERS, OBJECTIVES, GROWTH, MEMORY, LARGE)
}
#: The columns that tell apart what was measured; the others are repetitions and
#: results.
KEYS = [
    "cpu",
    "what",
    "problem_name",
    "data",
    "name",
    "form",
    "solver",
    "reference_sweeps",
    "precision",
]


def measure(names, scale="paper", results=RESULTS):
    """Run some grids; every finished round is stored at once. Print the medians of what counts."""
    for grid in (GRIDS[name] for name in names):
        rows = run(grid, scale, results=results, fresh=True, n_jobs=1).drop(
            columns=[*BOOKKEEPING]
        )
        of = [name for name in KEYS if name in rows]
        print(
            rows.groupby(of, sort=False).median(numeric_only=True).round(3).to_string(),
            "\n",
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(GRIDS))
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.names) - set(GRIDS):
        parser.error(f"unknown: {', '.join(unknown)}; choose from {', '.join(GRIDS)}")
    results = RESULTS if options.store else SCRATCH
    print(f"The rows go to {results.relative_to(ROOT)}.")
    measure(options.names or GRIDS, results=results)


if __name__ == "__main__":
    main()
