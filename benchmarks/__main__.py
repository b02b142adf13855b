"""Measure speed and memory in one process on one thread: `make bench`.

python -m benchmarks              measure everything anew (about a quarter of an hour)
python -m benchmarks sweeps       only some of it
python -m benchmarks --resume     go on where an interrupted run stopped
python -m benchmarks --store      measure into book/results, whose rows the book shows
python -m benchmarks --report     print the tables of the book's rows, measure nothing

Without --store the rows go to _build/bench, and those of the book stay as they are.
"""

import argparse
from pathlib import Path

import numpy as np

from benchmarks.growth import GROWTH
from benchmarks.large import LARGE
from benchmarks.machine import MACHINE
from benchmarks.memory import MEMORY
from benchmarks.objectives import OBJECTIVES
from benchmarks.solvers import SOLVERS
from benchmarks.sweeps import SWEEPS
from studies.machinery.runner import run
from studies.machinery.store import load_results, results_path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "book" / "results"  # tracked, and shown by the book
SCRATCH = ROOT / "_build" / "bench"
GRIDS = {
    grid.name.removeprefix("bench-"): grid
    for grid in (MACHINE, SWEEPS, SOLVERS, OBJECTIVES, GROWTH, MEMORY, LARGE)
}


def measure(names, scale="paper", results=RESULTS, resume=False):
    """Run some grids; every finished round is stored at once."""
    for grid in (GRIDS[name] for name in names):
        if not resume:
            results_path(grid.name, scale, results).unlink(missing_ok=True)
        run(grid, scale, results=results, n_jobs=1)


def report(scale="paper", results=RESULTS):
    """Print what is stored: times, and their ratios."""

    def stored(name):
        return load_results(GRIDS[name].name, scale, results)

    machine = stored("machine").iloc[0]
    print(f"{machine.cpu}, {machine.blas}, {machine.blas_threads} thread\n")
    sweeps = stored("sweeps").groupby(["name", "precision"], sort=False).milliseconds
    table = sweeps.median().unstack()
    table["/ NMF"] = table["float64"] / table["float64"]["NMF"]
    print("Milliseconds per sweep\n", table.round(2).to_string(na_rep=""), "\n")
    goals = stored("objectives")
    goals = goals.assign(ratio=goals.took / goals.reference_took)
    keys = ["problem_name", "solver", "reference", "reference_sweeps"]
    ratios = goals.groupby(keys, sort=False).ratio.agg(["median", "min", "max"])
    print("Time to an objective, next to another solver's\n", ratios.round(3).to_string())
    growth = stored("growth")
    slopes = growth.groupby(["what", "name"]).apply(slope, include_groups=False).unstack("what")
    print("\nGrowth: log-log slope of the upper half\n", slopes.round(2).to_string())
    memory = stored("memory").set_index("name").arrays
    print("\nArrays of the size of X that a fit allocates\n", memory.round(2).to_string())
    large = stored("large").groupby(["data", "name"], sort=False)[["took", "gigabytes", "value"]]
    print("\nLarge data, each fit in a process of its own\n", large.median().round(3).to_string())


def slope(rows):
    """Return the slope of log time against log size between its two largest sizes."""
    ms = rows.groupby("size").milliseconds.min()[-2:]
    return np.diff(np.log(ms))[0] / np.diff(np.log(ms.index))[0]


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(GRIDS))
    for name in ("resume", "store", "report"):
        parser.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(GRIDS):
        parser.error(f"unknown: {', '.join(unknown)}; choose from {', '.join(GRIDS)}")
    results = RESULTS if options.store or options.report else SCRATCH
    if not options.report:
        print(f"The rows go to {results.relative_to(ROOT)}.")
        try:
            measure(options.names or GRIDS, results=results, resume=options.resume)
        except KeyboardInterrupt:
            raise SystemExit("Interrupted. What was finished is kept; --resume goes on.") from None
    unmeasured = [n for n in GRIDS if not results_path(GRIDS[n].name, "paper", results).exists()]
    if unmeasured:
        print(f"The tables need all of the grids; not measured yet: {', '.join(unmeasured)}.")
    else:
        report(results=results)


if __name__ == "__main__":
    main()
