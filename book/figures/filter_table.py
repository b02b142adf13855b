"""A table that a script can filter, and that shows everything without one."""

from html import escape

import pandas as pd
from IPython.display import HTML

__all__ = ["filter_table"]

STYLE = """
.filter-table-box {max-height: 75vh; overflow: auto; border: 1px solid #888; margin-top: .5em}
.filter-table-box table {margin: 0; border-collapse: collapse; width: 100%; font-size: .85em;
  line-height: 1.35}
.filter-table-box :is(td, th) {padding: .3em .5em; text-align: left; vertical-align: top;
  overflow-wrap: break-word; white-space: normal}
.filter-table-box td {border-top: 1px solid #8886}
.filter-table-box th {position: sticky; top: 0; background: Canvas; color: CanvasText}
.filter-table-box th:last-child {width: 32%}
.filter-table-box tr {scroll-margin-top: 3em}
.filter-table-box tr:target > td {background: #0072B233; border-block: 2px solid #0072B2}
.filter-table-box td a {padding: 0 .2em}
.filter-table-controls {display: flex; flex-wrap: wrap; gap: .5em 1em; align-items: end}
.filter-table-controls label {display: block; font-size: .85em}
.filter-table-controls select {max-width: 13em}
.filter-table [role=status] {margin: .5em 0; font-variant-numeric: tabular-nums}
.filter-table [role=status] b {margin-inline-start: .8em; white-space: nowrap}
@media (max-width: 600px) {
  .filter-table-box thead {position: absolute; clip-path: inset(50%)}
  .filter-table-box :is(table, tbody, tr, td) {display: block}
  .filter-table-box tr {padding: .4em 0; border-top: 1px solid #888}
  .filter-table-box tr[hidden] {display: none}
  .filter-table-box td {border: 0; padding: .1em .5em}
  .filter-table-box td:empty {display: none}
  .filter-table-box tr:target > td {border: 0}
  .filter-table-controls, .filter-table-controls select {max-width: 100%}
}
@media print {
  .filter-table-box {max-height: none; font-size: .7em}
  .filter-table-controls {display: none}
}
"""


def filter_table(
    frame: pd.DataFrame,
    *,
    columns: list[str],
    filters: list[str],
    label: str,
    counted: list[str],
) -> HTML:
    """Return a table whose rows can be chosen by their values, each with an address.

    The script ``filter.js`` of the book puts a list of values for each filter above the
    table, keeps what is chosen in the address of the page, and counts what shows. Where
    no script runs, all rows show.

    Parameters
    ----------
    frame : pandas.DataFrame
        Text. A column ``id`` has the address of each row; it leads there from the first
        cell.
    columns : list of str
        The columns that show.
    filters : list of str
        The columns to choose by; they need not show.
    label : str
        What the table is, for those who cannot see it.
    counted : list of str
        The values of the last filter, in the order in which they are counted above the
        table.

    Returns
    -------
    IPython.display.HTML

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["a", "b"], "method": ["NMF", "PCA"], "error": ["1", "2"]})
    >>> table = filter_table(
    ...     frame, columns=["error"], filters=["method"], label="Errors", counted=["NMF", "PCA"]
    ... )
    >>> '<tr id="b" data-method="PCA"><td><a href="#b"' in table.data
    True
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    rows = []
    for row in frame.to_dict("records"):
        values = "".join(f' data-{name}="{escape(row[name])}"' for name in filters)
        first, *others = (escape(row[name]) for name in columns)
        link = f'<a href="#{row["id"]}" aria-label="address of this row">#</a>'
        cells = f"<td>{link} {first}</td>" + "".join(
            f"<td>{cell}</td>" for cell in others
        )
        rows.append(f'<tr id="{row["id"]}"{values}>{cells}</tr>')
    box = f'class="filter-table-box" role="region" tabindex="0" aria-label="{escape(label)}"'
    named = "".join(  # where a row is a block, each cell says what it is
        f'td:nth-child({k}):not(:empty)::before {{content: "{escape(name)}: "; font-weight: 600}}\n'
        for k, name in enumerate(columns[1:], 2)
    )
    style = f"{STYLE}@media (max-width: 600px) {{.filter-table-box {{\n{named}}}}}"
    data = (
        f'data-filters="{" ".join(filters)}" data-counted="{escape("|".join(counted))}"'
    )
    return HTML(
        f'<style>{style}</style><div class="filter-table" {data}>'
        f"<div {box}><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{chr(10).join(rows)}</tbody></table></div></div>"
    )
