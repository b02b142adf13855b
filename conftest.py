"""How pytest runs the notebooks: a kernel each, no port clashes, a reason for each skip.

A stored table is compared with what the cell shows now, without being asked to.
"""

import os
import tempfile
from pathlib import Path

import nbval.kernel
import pytest
from jupyter_client.manager import KernelManager

# As make sets it: tests and notebooks run in parallel, each on one thread.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


class SocketKernelManager(KernelManager):
    """A kernel reached through sockets in a folder of its own.

    Two workers that start kernels at once may pick the same TCP port; one then never answers.
    """

    def __init__(self, **kwargs):
        self.folder = tempfile.TemporaryDirectory(prefix="kernel-")
        super().__init__(transport="ipc", ip=f"{self.folder.name}/kernel", **kwargs)


if os.name == "posix":  # elsewhere there are no such sockets
    nbval.kernel.KernelManager = SocketKernelManager


def missing_data(notebook):
    """The data sets that a notebook cannot do without, by its metadata, and that are absent."""
    from rnmf_tutorial.data import available

    needs = notebook.metadata.get("rnmf", {}).get("needs", [])
    return [name for name in needs if not available(name)]


def shows_a_table(cell):
    """Whether a cell's stored output is a table, whose every row then has to be what runs now."""
    tables = (str(output.get("data", {}).get("text/html", "")) for output in cell.outputs)
    return any("<table" in html for html in tables)


def pytest_collection_modifyitems(items):
    missing = {}
    for item in items:
        if type(item).__name__ != "IPyNbCell":
            continue
        if "nbval-ignore-output" not in item.cell.metadata.get("tags", []):
            item.options["check"] |= shows_a_table(item.cell)
        if item.parent not in missing:
            missing[item.parent] = missing_data(item.parent.nb)
        if missing[item.parent]:
            names = ", ".join(missing[item.parent])
            item.add_marker(
                pytest.mark.skip(
                    reason=f"{Path(item.fspath).name} needs the data set {names}: see book/data.md"
                )
            )
