"""The commit of a row: that of the code that computed it, or none that looks clean."""

import os
import subprocess
import time
from types import SimpleNamespace

import pytest

from studies import Grid, origin, run


def cell(seed):
    return {"error": seed}


@pytest.fixture
def git(tmp_path, monkeypatch):
    """A repository with a package and a lab; git as a function."""

    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    for folder in ("package", "lab", "elsewhere"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("")
    monkeypatch.setattr(origin.rnmf_tutorial, "__file__", str(tmp_path / "package" / "__init__.py"))
    monkeypatch.setitem(
        origin.sys.modules, "lab", SimpleNamespace(__file__=str(tmp_path / "lab" / "__init__.py"))
    )
    monkeypatch.setattr(cell, "__module__", "lab.cells")
    git("init")
    return git


def test_a_commit_is_that_of_the_package_and_of_the_cells(tmp_path, git):
    code = origin.code_of(cell)
    assert code == [tmp_path / "package", tmp_path / "lab"]
    assert origin.commit(code) == "unknown"
    git("add", "package", "lab")
    git("commit", "-m", "one")
    assert len(sha := origin.commit(code)) == 40
    assert origin.commit([*code, tmp_path / "elsewhere"]) == "unknown"  # as an installed package
    assert origin.commit([*code, None]) == "unknown"  # a cell typed into a notebook
    git("add", "elsewhere")
    git("commit", "-m", "two")
    assert origin.commit(code) == sha
    (tmp_path / "lab" / "cells.py").write_text("1")
    assert origin.commit(code) == sha + "-dirty"
    git("add", "lab")
    git("commit", "-m", "three")
    assert origin.commit(code) not in (sha, sha + "-dirty")


@pytest.mark.parametrize("committed", [False, True])
def test_rows_of_code_edited_during_a_run_name_no_clean_commit(
    tmp_path, git, monkeypatch, committed
):
    def edits(seed):
        time.sleep(0.05)  # clocks of files are coarse
        if seed == 1:
            (tmp_path / "lab" / "__init__.py").write_text("edited = True")
            os.utime(tmp_path / "lab" / "__init__.py", (0, 0))
            if committed:
                git("commit", "-am", "two")
        return {"error": seed}

    edits.__module__ = "lab.cells"
    git("add", ".")
    git("commit", "-m", "one")
    monkeypatch.setattr(origin, "STARTED", time.time())
    sha = origin.commit(origin.code_of(edits))
    axes = {"seed": [0, 1, 2]}
    grid = Grid("toy", edits, quick=axes, paper=axes)
    frame = run(grid, n_jobs=1, progress=False)
    assert frame.commit.tolist() == [sha, sha + "-dirty", sha + "-dirty"]
    # Nor does a later run of this process, which may have loaded either form.
    (again,) = run(grid, n_jobs=1, progress=False, where={"seed": [0]}).commit
    assert again.endswith("-dirty")
