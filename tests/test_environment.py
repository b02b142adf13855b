"""What `make` does to `.venv`: it never throws a finished environment away."""

import json
import sys

import pytest

from tests.test_repository import load_tool


class Machine:
    """The tool on a project of its own, with the steps that would install replaced by notes."""

    def __init__(self, folder, monkeypatch):
        self.tool, self.installs, self.interrupt = load_tool("environment"), [], False
        self.monkeypatch = monkeypatch
        venv = folder / ".venv"
        for name, value in {
            "ROOT": folder,
            "VENV": venv,
            "STAMP": venv / ".installed",
            "MARK": venv / ".building",
            "healthy": lambda: (venv / "python").exists(),
            "prepare": self.prepare,
            "run": self.run,
        }.items():
            monkeypatch.setattr(self.tool, name, value)
        (folder / "pyproject.toml").write_text("first")
        self.folder, self.venv = folder, venv

    def prepare(self, python, uv):
        self.venv.mkdir(exist_ok=True)
        self.tool.MARK.touch()
        (self.venv / "python").touch()
        return ["install"]

    def run(self, command):
        if self.interrupt:
            raise KeyboardInterrupt
        self.installs.append(command[-1])

    def make(self, *extras, interrupt=False):
        self.interrupt = interrupt
        self.monkeypatch.setattr(sys, "argv", ["environment.py", *extras])
        if interrupt:
            with pytest.raises(KeyboardInterrupt):
                self.tool.main()
        else:
            self.tool.main()


@pytest.fixture
def machine(tmp_path, monkeypatch):
    return Machine(tmp_path, monkeypatch)


def test_nothing_is_done_twice(machine):
    machine.make("book")
    machine.make("book")
    machine.make("book", "lab")
    machine.make("book")  # what was asked for once stays
    assert machine.installs == [".[book]", ".[book,lab]"]


def test_an_interrupted_addition_keeps_a_finished_environment(machine):
    machine.make("book")
    kept = machine.venv / "kept"
    kept.touch()
    machine.make("book", "lab", interrupt=True)
    machine.make("book")  # it may have been interrupted in the middle of a package
    assert kept.exists() and machine.installs == [".[book]", ".[book]"]
    machine.make("book")
    assert len(machine.installs) == 2


def test_an_environment_that_was_never_finished_is_made_again(machine):
    machine.make("book", interrupt=True)
    left = machine.venv / "left"
    left.touch()
    machine.make("book")
    assert not left.exists() and machine.installs == [".[book]"]


@pytest.mark.parametrize("fault", ["moved", "broken"])
def test_an_environment_that_cannot_work_is_made_again(machine, fault):
    machine.make("book")
    if fault == "moved":
        stamp = json.loads(machine.tool.STAMP.read_text())
        machine.tool.STAMP.write_text(json.dumps(stamp | {"root": "/elsewhere"}))
    else:
        (machine.venv / "python").unlink()
    left = machine.venv / "left"
    left.touch()
    machine.make("book")
    assert not left.exists() and len(machine.installs) == 2


def test_new_requirements_are_installed(machine):
    machine.make("book")
    (machine.folder / "pyproject.toml").write_text("second")
    machine.make("book")
    assert len(machine.installs) == 2
