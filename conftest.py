"""How pytest runs the notebooks: a kernel each, no port clashes, a reason for each skip.

A stored table is compared with what its cell computes, without being asked to. The summary of a
run lists the tests that should be marked `slow`.
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

SLOW = 2  # seconds of processor time


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


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which a reader may not have
def pytest_xdist_make_scheduler(config, log):
    """Give a notebook, a module that drives a browser, or the cases of a test to one worker."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            whole = ".ipynb::" in nodeid or nodeid.startswith("tests/site/")
            return nodeid.split("::" if whole else "[")[0]

    config.option.loadscopereorder = False  # neighbors share what their module sets up
    return Scheduling(config, log)


def pytest_collection_modifyitems(items):
    missing = {}
    for item in items:
        if type(item).__name__ != "IPyNbCell":
            continue
        if "nbval-ignore-output" not in item.cell.metadata.get("tags", []):
            item.options["check"] |= shows_a_table(item.cell)
        if item.parent not in missing:
            missing[item.parent] = missing_data(item.parent.nb)
            item.parent.skip_compare += ("image/svg+xml",)  # a picture, as PNG is
        if missing[item.parent]:
            names = ", ".join(missing[item.parent])
            reason = f"{Path(item.fspath).name} needs the data set {names}: see book/data.md"
            item.add_marker(pytest.mark.skip(reason=reason))


def processor_time():
    """Of this process and of those that it has waited for."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    before = processor_time()
    try:
        return (yield)
    finally:
        item.user_properties.append(("processor time", processor_time() - before))


def pytest_terminal_summary(terminalreporter):
    """List the tests without a mark that `make check` should leave out; nothing fails by it."""
    took = {
        report.nodeid: dict(report.user_properties).get("processor time", 0)
        for report in terminalreporter.stats.get("passed", [])
        if report.when == "call" and not {"slow", "long", "site"} & set(report.keywords)
    }
    slow = sorted((seconds, name) for name, seconds in took.items() if seconds > SLOW)
    if slow:
        terminalreporter.section(f"not marked slow, and took more than {SLOW} s of processor time")
        for seconds, name in reversed(slow):
            terminalreporter.line(f"{seconds:5.1f} s  {name}")
