"""How pytest runs the notebooks: a kernel each, no port clashes, a reason for each skip.

Every stored text is compared with what its cell shows now, unless the cell has the tag
`nbval-ignore-output`. The summary of a run lists the tests that should be marked
`slow`.
"""

import os
import re
import tempfile
from pathlib import Path

import nbval.kernel
import pytest
from jupyter_client.manager import KernelManager

# As make sets it: tests and notebooks run in parallel, each on one thread.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

SLOW = 2  # seconds of processor time


class KernelOfATest(KernelManager):
    """A kernel with a history in memory, reached through sockets in a folder of its own.

    A history in a file would be that of the person who runs the tests. And two workers
    that start kernels at once may pick the same TCP port; one then never answers.
    """

    def __init__(self, **kwargs):
        if os.name == "posix":  # elsewhere there are no such sockets
            self.folder = tempfile.TemporaryDirectory(prefix="kernel-")
            kwargs |= {"transport": "ipc", "ip": f"{self.folder.name}/kernel"}
        super().__init__(**kwargs)

    def format_kernel_cmd(self, extra_arguments=None):
        in_memory = "--HistoryManager.hist_file=:memory:"
        return super().format_kernel_cmd([*(extra_arguments or []), in_memory])


nbval.kernel.KernelManager = KernelOfATest
WIDGET = re.compile(r"\w+\(\.\.\.\)")  # its text, as tools/notebooks.py stores it


def execute(kernel, source, allow_stdin=None):
    """Send a cell to its kernel as Jupyter does.

    By itself nbval keeps no history, and without one IPython shows what a last line
    returns even if a semicolon ends it.
    """
    options = {
        "store_history": True,
        "allow_stdin": allow_stdin,
        "stop_on_error": False,
    }
    return kernel.kc.execute(source, **options)


nbval.kernel.RunningKernel.execute_cell_input = execute


def missing_data(notebook, key):
    """The data sets that a notebook names under a key of its metadata, and that are absent."""
    from rnmf_tutorial.data import available

    names = notebook.metadata.get("rnmf", {}).get(key, [])
    return [name for name in names if not available(name)]


def shows_a_table(cell):
    """Whether a cell shows a table, which comes from rows that the repository stores."""
    tables = (
        str(output.get("data", {}).get("text/html", "")) for output in cell.outputs
    )
    return any("<table" in html for html in tables)


def is_compared(cell):
    """Whether the stored outputs of a cell have to be what it shows when it runs.

    A cell that stores none may show a warning or a progress bar on another machine. The
    text of a widget is shown nowhere, and is not stored as it was computed.
    """
    texts = [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    widget = any(WIDGET.fullmatch(text) for text in texts)
    ignored = "nbval-ignore-output" in cell.metadata.get("tags", [])
    return bool(cell.outputs) and not widget and not ignored


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which a reader may not have
def pytest_xdist_make_scheduler(config, log):
    """Give a notebook, some modules, or the cases of a test to one worker.

    The modules are those that drive a browser, and the one whose tests share the
    scoreboard, which takes seconds to compute.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            modules = "tests/site/", "tests/book/test_scoreboard.py"
            whole = ".ipynb::" in nodeid or nodeid.startswith(modules)
            return nodeid.split("::" if whole else "[")[0]

    config.option.loadscopereorder = False  # neighbors share what their module sets up
    return Scheduling(config, log)


def pytest_collection_modifyitems(items):
    needs = {}
    stored_with = {}
    for item in items:
        if type(item).__name__ != "IPyNbCell":
            continue
        if item.parent not in needs:
            needs[item.parent] = missing_data(item.parent.nb, "needs")
            stored_with[item.parent] = missing_data(item.parent.nb, "stored_with")
            item.parent.skip_compare += ("image/svg+xml",)  # a picture, as PNG is
        if item.parent.nb.metadata.get("rnmf", {}).get("long", False):
            item.add_marker(pytest.mark.long)
        same_data = not stored_with[item.parent]
        item.options["check"] = is_compared(item.cell) and (
            same_data or shows_a_table(item.cell)
        )
        if needs[item.parent]:
            names = ", ".join(needs[item.parent])
            reason = (
                f"{Path(item.fspath).name} needs the data set {names}: see book/data.md"
            )
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
        terminalreporter.section(
            f"not marked slow, and took more than {SLOW} s of processor time"
        )
        for seconds, name in reversed(slow):
            terminalreporter.line(f"{seconds:5.1f} s  {name}")
