"""A chapter's stored table is compared with what its code shows, though no tag asks for it."""

from pathlib import Path

import nbformat
import pandas as pd
import pytest


class IPyNbCell:  # pytest's item of a notebook's cell, by the name that nbval gives it
    fspath = "chapter.ipynb"

    def __init__(self, html, tags):
        output = nbformat.v4.new_output("execute_result", {"text/html": html})
        self.cell = nbformat.v4.new_code_cell(metadata={"tags": tags}, outputs=[output])
        self.parent = self
        self.nb = nbformat.v4.new_notebook(cells=[self.cell])
        self.options = {"check": False}


@pytest.mark.parametrize(
    ("html", "tags", "compared"),
    [
        (pd.DataFrame({"method": ["NMF"]}).to_html(), [], True),
        (pd.DataFrame({"method": ["NMF"]}).to_html(), ["nbval-ignore-output"], False),
        ("<p>NMF</p>", [], False),
    ],
)
def test_a_cell_that_shows_a_table_is_compared(pytestconfig, html, tags, compared):
    (conftest,) = (
        plugin
        for plugin in pytestconfig.pluginmanager.get_plugins()
        if getattr(plugin, "__file__", None) == str(Path(__file__).parents[2] / "conftest.py")
    )
    item = IPyNbCell(html, tags)
    conftest.pytest_collection_modifyitems([item])
    assert item.options["check"] == compared
