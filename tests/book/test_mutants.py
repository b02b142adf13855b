"""The tool that writes faults into a copy of the code names the faults that have no place there."""

import re

import pytest

from tests.project import load_tool

mutants = load_tool("mutants")


@pytest.mark.parametrize(("text", "found"), [("a = 1\n", 0), ("b = 2\nb = 2\n", 2)])
def test_a_fault_without_a_place_is_named(tmp_path, text, found):
    (tmp_path / "code.py").write_text(text)
    fault = {
        "name": "wrong-b",
        "file": "code.py",
        "old": "b = 2",
        "new": "b = 3",
        "why": "B.",
    }
    with pytest.raises(
        ValueError, match=re.escape(f"wrong-b: its text is found {found} times")
    ):
        mutants.mutated(fault, tmp_path)
    (tmp_path / "code.py").write_text("b = 2\n")
    assert mutants.mutated(fault, tmp_path) == "b = 3\n"


def test_nothing_runs_while_a_fault_has_no_place(monkeypatch, capsys):
    fault = {
        "name": "wrong-b",
        "file": "gone.py",
        "old": "b",
        "new": "c",
        "why": "It is C.",
    }
    monkeypatch.setattr(mutants, "read", lambda: [fault])
    assert mutants.main([]) == 1
    printed = capsys.readouterr().out
    assert (
        printed.startswith("wrong-b: its text is found 0 times in gone.py")
        and "C." in printed
    )


def test_every_fault_has_a_name_of_its_own_and_says_what_is_wrong():
    faults = mutants.read()
    assert len({fault["name"] for fault in faults}) == len(faults) >= 60
    assert all(
        fault["why"].endswith(".") and fault["old"] != fault["new"] for fault in faults
    )
