"""Grids of experiments: declared once, run in parallel, resumed after any interruption."""

import itertools
import os
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from .fields import axis_text, check_name, to_text
from .parsing import BOOKKEEPING, to_frame
from .provenance import provenance
from .results_file import SCALES, ResultsFile, results_path


@dataclass(frozen=True)
class Grid:
    """An experiment: a function of some axes, and the values of each axis at two scales.

    Parameters
    ----------
    name : str
        Names the results file: letters, digits, - and _.
    cell : callable
        ``cell(**values)`` takes one value per axis and returns one row (a dict of numbers,
        strings, booleans or None) or several (a list of dicts with the same keys). It must be
        a top-level function of a module, and depend on its arguments alone: put the seed
        among the axes.
    quick, paper : dict
        Axis -> list of values, for a live run of seconds and for the paper's own size.
        The cells are all combinations, the last axis varying fastest.

    Raises
    ------
    ValueError
        If the name is none, the two scales have different axes, an axis is empty, repeats a
        value or has the name of a bookkeeping column.

    Examples
    --------
    >>> def power(base, exponent):
    ...     return {"value": base**exponent}
    >>> axes = {"base": [2, 3], "exponent": [1, 2]}
    >>> grid = Grid("powers", power, quick=axes, paper=axes)
    >>> grid.cells("quick", where={"base": [3]})
    [{'base': 3, 'exponent': 1}, {'base': 3, 'exponent': 2}]
    """

    name: str
    cell: Callable
    quick: dict
    paper: dict

    def __post_init__(self):
        results_path(self.name, "quick", "")  # raises if it is no name
        if list(self.quick) != list(self.paper):
            raise ValueError(
                f"The scales of grid {self.name!r} must have the same axes in the same order, "
                f"got {list(self.quick)} and {list(self.paper)}."
            )
        for axis, values in [*self.quick.items(), *self.paper.items()]:
            texts = [axis_text(value) for value in values]
            if not texts or len(set(texts)) < len(texts):
                raise ValueError(f"Axis {axis!r} needs values, each once; got {list(values)}.")
            check_name(axis)
            if axis in BOOKKEEPING:
                raise ValueError(f"Axis {axis!r} has the name of a bookkeeping column; rename it.")

    @property
    def axes(self):
        """Names of the axes, in declared order."""
        return list(self.quick)

    def cells(self, scale="quick", where=None):
        """List the cells of a scale in declared order, only those that `where` allows."""
        if scale not in SCALES:
            raise ValueError(f"scale must be one of {SCALES}, got {scale!r}.")
        values = {axis: list(choice) for axis, choice in getattr(self, scale).items()}
        for axis, allowed in (where or {}).items():
            if axis not in values or isinstance(allowed, str) or not np.iterable(allowed):
                raise ValueError(
                    f"where maps axes of {self.axes} to lists of values, got {axis!r}: {allowed!r}."
                )
            texts = {axis_text(value) for value in allowed}
            chosen = [value for value in values[axis] if axis_text(value) in texts]
            if len(chosen) < len(texts) or not chosen:
                raise ValueError(
                    f"where asks for {axis} in {list(allowed)}, but the {scale} scale has "
                    f"{values[axis]}."
                )
            values[axis] = chosen
        return [
            dict(zip(values, point, strict=True)) for point in itertools.product(*values.values())
        ]


class CellError(RuntimeError):
    """Some cells of a grid raised an error, and all others were finished; or a worker was killed.

    Examples
    --------
    >>> grid = Grid("failing", lambda seed: {"inverse": 1 / seed}, {"seed": [0, 1]}, {"seed": [0]})
    >>> try:
    ...     run(grid, n_jobs=1, progress=False)
    ... except CellError as error:
    ...     print("ZeroDivisionError" in str(error))
    True
    """


def run(
    grid: Grid,
    scale: str = "quick",
    *,
    results: str | Path | None = None,
    where: dict | None = None,
    fresh: bool = False,
    n_jobs: int | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Run the cells of a grid that are not stored yet, and return the rows of all of them.

    Each finished cell is stored at once, so whatever ends the run (Ctrl-C, an error, a kill)
    costs only the cells in progress; run again to go on. Every cell computes on one BLAS
    thread, so its numbers do not depend on `n_jobs`.

    Parameters
    ----------
    grid : Grid
        The experiment.
    scale : {"quick", "paper"}, default="quick"
        Which axis values to take.
    results : path or None, default=None
        Folder of the results file ``<name>-<scale>.csv``; with None, nothing is stored.
    where : dict or None, default=None
        Axis -> list of values: run only these cells.
    fresh : bool, default=False
        Whether to forget all stored rows first, and run every cell again.
    n_jobs : int or None, default=None
        Number of processes; with None, the environment variable RNMF_TUTORIAL_JOBS or the
        number of processors. Inside ``joblib.parallel_config(backend="dask")`` the cluster
        decides instead.
    progress : bool, default=True
        Whether to show a progress bar; cells that were stored before count as done.

    Returns
    -------
    pandas.DataFrame
        The rows of the selected cells in declared order. Columns: the axes, what the cell
        returned, `cell_rows` (rows of that cell), `seconds` (time of the whole cell), the
        versions of the packages, and the `commit` that last changed this package or the one
        that the cell is in ("-dirty" if there were changes on top, "unknown" if the two are not
        in one repository).

    Raises
    ------
    CellError
        When all other cells are finished, if some raised an error or tried to exit; names the
        first. At once, if a worker was killed; names the cells in progress.
    ValueError
        If the file was written with other axes or columns, or is damaged; says what to do. If
        `fresh` is asked of a part, by `where`.
    RuntimeError
        If another run is writing the same file, or the file was deleted under this one.

    Warns
    -----
    UserWarning
        If the file ends in the middle of a cell, as a kill leaves it: the cell is run again.

    Examples
    --------
    >>> def power(base, exponent):
    ...     return {"value": base**exponent}
    >>> axes = {"base": [2, 3], "exponent": [1, 2]}
    >>> grid = Grid("powers", power, quick=axes, paper=axes)
    >>> run(grid, n_jobs=1, progress=False)[["base", "exponent", "value"]]
       base  exponent  value
    0     2         1      2
    1     2         2      4
    2     3         1      3
    3     3         2      9
    """
    cells = {
        tuple(axis_text(value) for value in values.values()): values
        for values in grid.cells(scale, where)
    }
    if fresh and where is not None:
        raise ValueError("fresh=True forgets the rows of all cells, so it runs all: omit where.")
    if results is None:
        with TemporaryDirectory() as folder:
            return run(grid, scale, results=folder, where=where, n_jobs=n_jobs, progress=progress)
    path, origin = results_path(grid.name, scale, results), provenance(grid.cell)
    with ResultsFile(path, grid.axes, fresh) as stored:
        todo = {key: values for key, values in cells.items() if key not in stored.cells}
        bar = tqdm(
            desc=f"{grid.name} ({scale})",
            total=len(cells),
            initial=len(cells) - len(todo),
            unit="cell",
            disable=not progress,
        )
        failures = []
        with bar, closing(_computed(grid.cell, todo, n_jobs)) as finished:
            for key, records, error in finished:
                if error is None:
                    stored.append(key, cells[key], [record | origin for record in records])
                else:
                    failures.append((cells[key], error))
                bar.update()
        if failures:
            raise CellError(
                f"{len(failures)} of {len(todo)} cells failed; run again when the cause is "
                f"mended, what is stored stays. The first was {failures[0][0]}:\n{failures[0][1]}"
            )
        return to_frame(stored.header, [row for key in cells for row in stored.cells[key]])


def _computed(cell, todo, n_jobs):
    """Yield what `_finish` returns for each cell, as soon as it does."""
    n_jobs = min(_n_jobs(n_jobs), max(len(todo), 1))
    # Cells of one batch would be handed over, and so stored, only when all are finished.
    parallel = Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
    with TemporaryDirectory() as folder:
        jobs = (delayed(_finish)(cell, key, values, folder) for key, values in todo.items())
        try:
            with closing(parallel(jobs)) as finished:
                yield from finished
        except TerminatedWorkerError as error:
            names = sorted(path.read_text(encoding="utf-8") for path in Path(folder).iterdir())
            raise CellError(
                "A worker process was killed, perhaps because memory ran out. In progress "
                f"{'were the cells' if len(names) > 1 else 'was the cell'} {' and '.join(names)}; "
                "run again, with fewer jobs if memory is short: what is stored stays."
            ) from error


def _n_jobs(n_jobs):
    n_jobs = n_jobs or os.environ.get("RNMF_TUTORIAL_JOBS") or os.cpu_count() or 1
    if not str(n_jobs).isdecimal() or int(n_jobs) < 1:
        raise ValueError(
            f"The number of jobs must be a positive whole number, got {n_jobs!r}; "
            "set n_jobs or RNMF_TUTORIAL_JOBS."
        )
    return int(n_jobs)


def _finish(cell, key, values, folder):
    """Compute one cell in a worker: its key, then its rows as text or the error's traceback.

    While it is computed, a file in `folder` names it, so that a killed worker leaves its name.
    """
    note = Path(folder, f"{os.getpid()}-{threading.get_ident()}")
    with suppress(OSError):  # a worker on another machine may not have that folder
        note.write_text(str(values), encoding="utf-8")
    try:
        return key, _rows(cell, values), None
    except KeyboardInterrupt:
        raise
    except BaseException:  # SystemExit, too: it would end the run as if all were well
        return key, None, traceback.format_exc()
    finally:
        with suppress(OSError):
            note.unlink()


def _rows(cell, values):
    start = time.perf_counter()
    with threadpool_limits(limits=1):
        returned = cell(**values)
    seconds = round(time.perf_counter() - start, 3)
    rows = [returned] if isinstance(returned, dict) else list(returned)
    if not rows:
        raise ValueError("The cell returned no row.")
    for name in rows[0]:
        check_name(name)
    if reserved := rows[0].keys() & {*values, *BOOKKEEPING}:
        raise ValueError(f"The cell returned columns that the runner writes: {reserved}.")
    extra = {"cell_rows": len(rows), "seconds": seconds}
    return [{k: to_text(v) for k, v in (row | extra).items()} for row in rows]
