"""mutmut made quick: the tests are collected once, and what is no behavior is not changed.

mutmut starts pytest anew for every mutant, which takes longer than most of our tests. Here a server
collects them all; the process of a mutant, forked from it, runs those that reach the mutant: first
the tests that killed another mutant of the same function, then the fastest, up to the first that
fails, or until a patience runs out. The mutants come in random order, so that what an interrupted
run has found is a fair sample of all.

Two kinds of change are left out, because no test should depend on them:

- of strings with a blank in them: sentences for whoever reads a message, and captions;
- of the word `strict` of a zip, which guards against our own mistakes.
"""

import gc
import hashlib
import os
import signal
import tempfile
from pathlib import Path

import libcst as cst
import mutmut.__main__ as command
import numpy as np
import pytest
from _pytest.config import _prepareconfig
from mutmut.mutation import file_mutation
from mutmut.mutation.data import SourceFileMutationData
from mutmut.runners.harness import PytestRunner
from mutmut.state import state
from mutmut.utils.file_utils import change_cwd, walk_mutatable_files
from mutmut.workers import isolation

KILLED, SURVIVED, TIMEOUT = 1, 0, 36  # as mutmut reads them


def is_sentence(node):
    return isinstance(node, cst.SimpleString) and " " in node.value


def is_strict(node):
    return isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value == "strict"


class BehaviorVisitor(file_mutation.MutationVisitor):
    """Finds what mutmut would change, less the two kinds above."""

    def _skip_node_and_children(self, node):
        return is_sentence(node) or is_strict(node) or super()._skip_node_and_children(node)

    def _removes_ignored_code(self, node, mutated_node):
        if isinstance(node, cst.Call) and isinstance(mutated_node, cst.Call):
            kept = {id(argument) for argument in mutated_node.args}
            if any(is_strict(argument) and id(argument) not in kept for argument in node.args):
                return True
        return super()._removes_ignored_code(node, mutated_node)


class CollectedOnce(PytestRunner):
    """Runs tests of one collection, in a process of its own for each mutant."""

    session = None
    patience = 60.0  # seconds of tests, as long as they took when all were run

    def warm_up(self):
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        with change_cwd("mutants"):
            chosen = self._pytest_add_cli_args_test_selection + self._pytest_add_cli_args
            options = ["--rootdir=.", "-q", "-s", "--tb=no", "-p", "no:logging", *chosen]
            config = _prepareconfig(options)
            config._do_configure()
            self.session = pytest.Session.from_config(config)
            config.hook.pytest_sessionstart(session=self.session)
            config.hook.pytest_collection(session=self.session)
            self.items = {item.nodeid: item for item in self.session.items}
        gc.freeze()

    def run_tests(self, *, mutant_name, tests):
        if self.session is None:
            self.warm_up()
        durations = state().duration_by_test
        killers = Path("mutants/killers", (mutant_name or "").partition("__mutmut_")[0])
        before = killers.read_text().split("\n") if mutant_name and killers.exists() else []
        known = self.items.keys() & (tests or self.items)
        tests = sorted(known, key=lambda test: (test not in before, durations.get(test, 0), test))
        total = np.cumsum([durations.get(test, 0) for test in tests])
        items = [self.items[test] for test in tests[: max(1, np.sum(total <= self.patience))]]
        signal.signal(signal.SIGALRM, lambda *_: os._exit(TIMEOUT))
        hook = self.session.config.hook
        with change_cwd("mutants"), tempfile.TemporaryDirectory() as folder:
            self.session.config._tmp_path_factory._given_basetemp = Path(folder) / "tmp"
            for item, following in zip(items, [*items[1:], None], strict=True):
                signal.alarm(20 + int(10 * durations.get(item.nodeid, 0)))
                hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.session.testsfailed:
                    break
            else:
                return SURVIVED
        if mutant_name and item.nodeid not in before:
            killers.parent.mkdir(exist_ok=True)
            with killers.open("a") as file:
                file.write(item.nodeid + "\n")
        return KILLED


def forget(mutants):
    """Let mutants count as never run."""
    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        for name in data.exit_code_by_key.keys() & set(mutants):
            data.exit_code_by_key[name] = None
        data.save()


def run(patterns, workers, patience, first=()):
    """Run the mutants whose names match, or all that were never run, some of them first.

    The working directory is the copy.
    """

    def place(name):
        return name not in first, hashlib.sha256(name.encode()).digest()

    first = set(first)
    CollectedOnce.patience = patience
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    file_mutation.MutationVisitor = BehaviorVisitor
    isolation.PytestRunner = CollectedOnce
    command.estimated_worst_case_time = place
    command._run(patterns, workers)
