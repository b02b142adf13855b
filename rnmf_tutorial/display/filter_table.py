"""A table that a script can filter, and that shows everything without one."""

from html import escape

import pandas as pd
from IPython.display import HTML

__all__ = ["filter_table"]

STYLE = """
.filter-table-box {max-height: 75vh; overflow: auto; border: 1px solid #888; margin-top: .5em}
.filter-table-box table {margin: 0; border-collapse: collapse; width: 100%; font-size: .8em;
  line-height: 1.35}
.filter-table-box :is(td, th) {padding: .3em .6em; text-align: left; vertical-align: top}
.filter-table-box th:last-child {min-width: 9em}
.filter-table-box td {border-top: 1px solid #8886}
.filter-table-box th {position: sticky; top: 0; background: Canvas; color: CanvasText}
.filter-table-controls {display: flex; flex-wrap: wrap; gap: .5em 1em; align-items: end}
.filter-table-controls label {display: block; font-size: .85em}
.filter-table-controls select {max-width: 13em}
.filter-table [role=status] {margin: .5em 0}
@media print {
  .filter-table-box {max-height: none; font-size: .7em}
  .filter-table-controls {display: none}
}
"""


def filter_table(
    frame: pd.DataFrame, *, columns: list[str], filters: list[str], label: str
) -> HTML:
    """Return a table whose rows can be chosen by their values.

    The script ``filter.js`` of the book puts a list of values for each filter above the table.
    Where no script runs, all rows show.

    Parameters
    ----------
    frame : pandas.DataFrame
        Text.
    columns : list of str
        The columns that show.
    filters : list of str
        The columns to choose by; they need not show.
    label : str
        What the table is, for those who cannot see it.

    Returns
    -------
    IPython.display.HTML

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"method": ["NMF", "PCA"], "error": ["0.1", "0.2"]})
    >>> table = filter_table(frame, columns=["error"], filters=["method"], label="Errors")
    >>> '<tr data-method="PCA"><td>0.2</td></tr>' in table.data
    True
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    rows = []
    for row in frame.to_dict("records"):
        values = "".join(f' data-{name}="{escape(row[name])}"' for name in filters)
        cells = "".join(f"<td>{escape(row[name])}</td>" for name in columns)
        rows.append(f"<tr{values}>{cells}</tr>")
    box = f'class="filter-table-box" role="region" tabindex="0" aria-label="{escape(label)}"'
    return HTML(
        f'<style>{STYLE}</style><div class="filter-table" data-filters="{" ".join(filters)}">'
        f"<div {box}><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{chr(10).join(rows)}</tbody></table></div></div>"
    )
