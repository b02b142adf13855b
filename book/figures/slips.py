"""The slips of the papers, as the tables of their page list them."""

import json
from pathlib import Path

import pandas as pd

__all__ = ["slips_of"]

NAMES = ["paper", "place", "printed", "should be", "kind", "shown in"]


def slips_of(page) -> pd.DataFrame:
    """Return the rows of the tables on a page, a notebook, up to those that are no slips."""
    cells = json.loads(Path(page).read_text(encoding="utf-8"))["cells"]
    rows = []
    paper = ""
    for cell in cells:
        text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        for line in text.splitlines():
            if line.startswith("## "):
                paper = line.removeprefix("## ")
            if line.startswith("| ") and not line.startswith("| place |"):
                rows.append([paper, *line.strip("| ").split(" | ")])
    rows = [row for row in rows if not row[0].startswith("Misread")]
    return pd.DataFrame(rows, columns=NAMES)
