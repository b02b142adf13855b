"""The rows that the experiments have stored, and whether a rerun gives them again."""

from pathlib import Path

from rnmf_tutorial.evaluation import load_results, run, same_rows

#: Where every study keeps its rows.
RESULTS = Path(__file__).resolve().parents[1] / "results"


def stored(name):
    """Return the stored rows of one grid, at the paper's own size."""
    return load_results(name, "paper", RESULTS)


def rerun(grid, columns, *, near=None, rtol=1e-6, **where):
    """Run the quick cells of a grid now; they must give the stored numbers.

    Parameters
    ----------
    grid : Grid
    columns : list of str
        What must be the same, to `rtol`.
    near : dict of str to float, default=None
        Scores that may differ by less than so much, since a borderline sample changes its cluster
        or its neighbor with the rounding of the processor. Those that the grid does not have are
        left out.
    rtol : float
    **where
        Axis -> list of values: only these cells.

    Returns
    -------
    int
        How many rows agree.
    """
    live = run(grid, "quick", progress=False, n_jobs=1, where=where)
    kept = stored(grid.name)
    # An experiment that looks at several sweeps has a row for each.
    on = [*grid.axes, "sweep"] if "sweep" in live else grid.axes
    if columns:
        same_rows(live, kept, on=on, columns=columns, rtol=rtol)
    both = live.astype(kept[on].dtypes).merge(kept, on=on, suffixes=("", "_stored"))
    assert len(both) == len(live), f"Some of these rows of {grid.name} are not stored."
    for name, room in (near or {}).items():
        if name in live:
            gap = (both[name] - both[f"{name}_stored"]).abs().max()
            assert gap < room, f"{name} of {grid.name} is {gap} away from what is stored."
    return len(live)
