"""A chapter whose stored table is not what its code shows now fails the tests."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parent.parent
CODE = "import pandas as pd\npd.DataFrame({'method': {methods}})"


def stored(folder, methods, tags=()):
    """A notebook whose output shows other methods than its code."""
    table = pd.DataFrame({"method": methods})
    cell = nbformat.v4.new_code_cell(CODE.replace("{methods}", "['NMF', 'PCA']"))
    cell.metadata["tags"] = list(tags)
    data = {"text/html": table.to_html(notebook=True), "text/plain": repr(table)}
    cell.execution_count = 1
    cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=1)]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / "chapter.ipynb")


@pytest.mark.parametrize(
    "methods, tags, passes",
    [
        (["NMF", "PCA"], [], True),
        (["NMF"], [], False),  # a row was added since
        (["NMF", "LSI"], [], False),
        (["NMF"], ["nbval-ignore-output"], True),
    ],
)
def test_a_table_that_lacks_a_row_is_found(tmp_path, methods, tags, passes):
    shutil.copy(ROOT / "conftest.py", tmp_path)
    stored(tmp_path, methods, tags)
    options = ["-p", "no:cacheprovider", "--nbval-lax", "--nbval-current-env", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "chapter.ipynb"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode == 0) == passes, done.stdout
