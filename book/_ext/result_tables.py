"""The stored results as tables for a reader: one CSV file for each grid.

The directive ``result-tables`` lists them; they are written with the site.
"""

import sys
from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

BOOK = Path(__file__).resolve().parent.parent
RESULTS = BOOK / "results"


def grids():
    paths = sorted(RESULTS.glob("*-paper.jsonl"))
    return [path.stem.removesuffix("-paper") for path in paths]


class ResultTables(SphinxDirective):
    def run(self):
        folder = "../" * self.env.docname.count("/") + "results"
        items = []
        for study, names in groupby(grids(), lambda n: n.partition("-")[0]):
            links = (
                f'<a href="{folder}/{name}.csv" download>{name.partition("-")[2] or name}</a>'
                for name in names
            )
            items.append(f"<li><code>{study}</code>: {', '.join(links)}</li>")
        html = f"<ul>{''.join(items)}</ul>"
        return [nodes.raw("", html, format="html")]


def write_tables(app, exception):
    if exception or app.builder.name != "html":
        return
    if str(BOOK) not in sys.path:
        sys.path.append(str(BOOK))
    from studies import load_results

    folder = Path(app.outdir) / "results"
    folder.mkdir(exist_ok=True)
    for name in grids():
        table = load_results(name, "paper", RESULTS)
        table.to_csv(folder / f"{name}.csv", index=False)


def setup(app):
    app.add_directive("result-tables", ResultTables)
    app.connect("build-finished", write_tables)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
