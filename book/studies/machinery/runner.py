"""Grids of experiments: declared once, run in parallel, resumed after any interruption."""

import itertools
import time
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from .origin import code_of, edited, functions_hash, origin
from .store import BOOKKEEPING, append, cell_key, identity, read, results_path, to_frame

SCALES = ("quick", "paper")


@dataclass(frozen=True)
class Grid:
    """An experiment: a function of some axes, and the values of each axis at two scales.

    Parameters
    ----------
    name : str
        Names the results file.
    cell : callable
        ``cell(**values)`` takes one value per axis and returns one row (a dict of
        numbers, strings, booleans or None) or several (a list of dicts with the same
        keys). It must be a top-level function of a module, and depend on its arguments
        alone: put the seed among the axes.
    quick, paper : dict
        Axis -> list of values, for a live run of seconds and for the paper's own size.
        The cells are all combinations, the last axis varying fastest.

    Raises
    ------
    ValueError
        If the two scales have different axes, or an axis has no value or one twice.

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
        if list(self.quick) != list(self.paper):
            raise ValueError(f"The two scales of {self.name} must have the same axes.")
        for axis, values in [*self.quick.items(), *self.paper.items()]:
            if not values or len(set(map(identity, values))) < len(values):
                raise ValueError(
                    f"Axis {axis!r} needs values, each once; got {list(values)}."
                )

    @property
    def axes(self):
        """Names of the axes, in declared order."""
        return list(self.quick)

    def cells(self, scale="quick", where=None):
        """List the cells of a scale in declared order, only those that `where` allows."""
        if scale not in SCALES:
            raise ValueError(f"scale must be one of {SCALES}, got {scale!r}.")
        values = dict(getattr(self, scale))
        for axis, allowed in (where or {}).items():
            wanted = set(
                map(identity, [allowed] if isinstance(allowed, str) else allowed)
            )
            chosen = [
                value for value in values.get(axis, []) if identity(value) in wanted
            ]
            if len(chosen) < max(len(wanted), 1):
                raise ValueError(
                    f"where asks for {axis} in {allowed!r}, but the {scale} scale of {self.name} "
                    f"has {values}."
                )
            values[axis] = chosen
        return [
            dict(zip(values, point, strict=True))
            for point in itertools.product(*values.values())
        ]


def grid(name, cell, live=None, /, **axes):
    """Declare an experiment by its axes at the paper's own size.

    A live run takes the first value of each axis, or the values that `live` has for it.

    Examples
    --------
    >>> grid("powers", pow, {"exp": [2, 3]}, base=range(2, 9), exp=range(9)).cells("quick")
    [{'base': 2, 'exp': 2}, {'base': 2, 'exp': 3}]
    """
    first = {axis: values[:1] for axis, values in axes.items()}
    return Grid(name, cell, quick=first | (live or {}), paper=axes)


class CellError(RuntimeError):
    """Some cells raised an error, and all others were finished; or a worker was killed."""


def missing_cells(grid, scale, results, where=None):
    """Return the cells of a grid that are not stored yet, a dict: key of the cell -> its values."""
    stored = read(results_path(grid.name, scale, results))
    cells = {cell_key(cell): cell for cell in grid.cells(scale, where)}
    return {key: cell for key, cell in cells.items() if key not in stored}


def run(
    grid,
    scale="quick",
    *,
    results=None,
    where=None,
    fresh=False,
    n_jobs=-1,
    progress=True,
):
    """Run the cells of a grid that are not stored yet, and return the rows of all of them.

    Each finished cell is stored at once, so whatever ends the run (Ctrl-C, an error, a
    kill) costs only the cells in progress; run again to go on. Every cell computes on
    one BLAS thread, so its numbers do not depend on `n_jobs`.

    Parameters
    ----------
    grid : Grid
        The experiment.
    scale : {"quick", "paper"}, default="quick"
        Which axis values to take.
    results : path or None, default=None
        Folder of the results file ``<name>-<scale>.jsonl``; with None, nothing is
        stored.
    where : dict or None, default=None
        Axis -> list of values: run only these cells.
    fresh : bool, default=False
        Whether to remove the stored rows first, and run every cell again.
    n_jobs : int, default=-1
        Number of processes, as joblib takes it: with -1, one for each processor. Inside
        ``joblib.parallel_config(backend="dask")`` the cluster decides instead.
    progress : bool, default=True
        Whether to show a progress bar; cells that were stored before count as done.

    Returns
    -------
    pandas.DataFrame
        The rows of the selected cells in declared order. Columns: the axes, what the
        cell returned, `cell_rows` (rows of that cell), `seconds` (time of the whole
        cell), the versions of the packages, and the `commit` that last changed this
        package or the one that the cell is in ("-dirty" if they hold changes without a
        commit, or were edited after this process began; "unknown" if they are not in
        one repository).

    Raises
    ------
    CellError
        When all other cells are finished, if some raised an error or tried to exit;
        names the first. (If a worker was killed, joblib says so at once.)
    ValueError
        If cells have different columns, or `fresh` is asked of a part, by `where`.
    RuntimeError
        If something else removed finished cells from the file.

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
    if results is None:
        with TemporaryDirectory() as folder:
            return run(
                grid,
                scale,
                results=folder,
                where=where,
                n_jobs=n_jobs,
                progress=progress,
            )
    if fresh and where is not None:
        raise ValueError(
            "fresh=True removes the rows of all cells, so it runs all: omit where."
        )
    path, cells = results_path(grid.name, scale, results), grid.cells(scale, where)
    path.parent.mkdir(parents=True, exist_ok=True)
    if fresh:
        path.unlink(missing_ok=True)
    todo = missing_cells(grid, scale, results, where)
    failures, n_todo, code = [], len(todo), code_of(grid.cell)
    made_by = origin(code) | {"functions": functions_hash(grid.cell)}
    n_jobs = min(effective_n_jobs(n_jobs), max(n_todo, 1))
    bar = tqdm(
        desc=f"{grid.name} ({scale})",
        total=len(cells),
        initial=len(cells) - n_todo,
        unit="cell",
        disable=not progress,
    )
    # Cells of one batch would be handed over, and so stored, only when all are
    # finished.
    parallel = Parallel(n_jobs, batch_size=1, return_as="generator_unordered")
    jobs = [delayed(_finish)(grid.cell, cell) for cell in todo.values()]
    with bar, closing(parallel(jobs)) as outcomes:
        for cell, finished, error in outcomes:
            del todo[cell_key(cell)]
            if error:
                failures.append((cell, error))
            else:
                if len(made_by["commit"]) == 40 and edited(code):
                    made_by["commit"] += "-dirty"
                append(path, finished | made_by)
            bar.update()
    if failures:
        raise CellError(
            f"{len(failures)} of {n_todo} cells failed; run again when the cause is mended, what "
            f"is stored stays. The first was {failures[0][0]}:\n{failures[0][1]}"
        )
    stored = read(path)
    if any(cell_key(cell) not in stored for cell in cells):
        raise RuntimeError(
            f"Something else removed finished cells from {path}; run again."
        )
    return to_frame([stored[cell_key(cell)] for cell in cells])


def _finish(cell, values):
    """Compute a cell in a worker; return its values, and what to store or an error's traceback."""
    try:
        start = time.perf_counter()
        with threadpool_limits(limits=1):
            returned = cell(**values)
        seconds = round(time.perf_counter() - start, 3)
        rows = [returned] if isinstance(returned, dict) else list(returned)
        rows = [{name: _plain(value) for name, value in row.items()} for row in rows]
        if not rows or {*values, *BOOKKEEPING} & rows[0].keys():
            raise ValueError(
                f"A cell returns rows, without the runner's own columns; got {rows}."
            )
        axes = {axis: _plain(value) for axis, value in values.items()}
        return values, {"cell": axes, "rows": rows, "seconds": seconds}, None
    except KeyboardInterrupt:
        raise
    except BaseException:  # SystemExit, too: it would end the run as if all were well
        return values, None, traceback.format_exc()


def _plain(value):
    """Return a value that JSON gives back with its bits and its type."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is not None and not isinstance(value, bool | int | float | str):
        raise TypeError(
            f"Results are numbers, strings, booleans or None, got {value!r}."
        )
    return value
