"""Finish the stored results, or remake them with --fresh.

In the folder `book`: ``python -m studies zhang --scale paper --fresh``
"""

import argparse
import sys

from rnmf_tutorial.data import DatasetNotAvailable, fetch
from studies import STUDIES
from studies.machinery.rows import RESULTS
from studies.machinery.runner import missing_cells, run

parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
parser.add_argument("study", choices=[*STUDIES, "all"])
parser.add_argument("--scale", choices=["quick", "paper"], default="quick")
parser.add_argument("--grid", help="run this grid alone")
parser.add_argument(
    "--jobs", type=int, default=-1, help="number of processes (default: all)"
)
parser.add_argument("--fresh", action="store_true", help="remove stored rows first")
parser.add_argument("--results", default=RESULTS, help="folder of the files")


def main():
    """Run the grids that the command line names; skip those whose data set is absent.

    A grid whose cells are all stored asks for no data.
    """
    options = parser.parse_args()
    names = list(STUDIES) if options.study == "all" else [options.study]
    studies = [pair for name in names for pair in STUDIES[name]]
    if options.grid not in (None, *(grid.name for grid, _ in studies)):
        known = ", ".join(grid.name for grid, _ in studies)
        parser.error(f"no grid {options.grid!r} here; there are {known}.")
    for grid, needs in studies:
        if options.grid not in (None, grid.name):
            continue
        if not options.fresh and not missing_cells(
            grid, options.scale, options.results
        ):
            print(f"{grid.name}: every cell is stored.")
            continue
        try:
            for dataset in needs:
                fetch(dataset)
        except DatasetNotAvailable as error:
            print(f"Skipped {grid.name}: {error}", file=sys.stderr)
            continue
        run(
            grid,
            options.scale,
            results=options.results,
            fresh=options.fresh,
            n_jobs=options.jobs,
        )


if __name__ == "__main__":
    main()
