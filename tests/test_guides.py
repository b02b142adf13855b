"""The code that README.md and CONTRIBUTING.md show runs, and its checks can fail."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from rnmf_tutorial import CIMNMF, CauchyNMF, HuberNMF, HypersurfaceNMF
from rnmf_tutorial.evaluation import relative_error

ROOT = Path(__file__).resolve().parent.parent


def names_after_running(file):
    """Run the Python blocks of a page from top to bottom, and return what they define."""
    text = (ROOT / file).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert blocks, f"{file} shows no Python"
    names = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, file, "exec"), names)
    return names


@pytest.mark.filterwarnings("error")  # a first example that warns puts people off
@pytest.mark.slow
def test_readme_examples():
    names = names_after_running("README.md")
    assert names["parts"].shape == (7, 1024) and names["amounts"].shape == (300, 7)
    model = names["model"]
    assert names["coefficients"].shape == (400, 40)
    faces = names["faces"].data
    assert model.error_.shape == faces.shape
    assert relative_error(faces, model.inverse_transform(names["coefficients"])) < 0.15


@pytest.fixture(scope="module")
def example():
    return names_after_running("CONTRIBUTING.md")


def test_contributing_example(example):
    tests = [name for name in example if name.startswith("test_")]
    assert tests == ["test_geman_mcclure", "test_a_wrong_weight_is_caught"]
    for name in tests:
        example[name]()


def test_contributing_example_is_robust(example):
    A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    A[1, 2] += 10
    model = example["GemanMcClureNMF"](1, max_iter=300, tol=0, random_state=0).fit(A)
    assert np.argwhere(model.weights_ < 0.5).tolist() == [[1, 2]]


LOSSES = [HuberNMF, CIMNMF, CauchyNMF, HypersurfaceNMF]


@pytest.mark.parametrize("Model", LOSSES)
def test_verify_accepts_the_losses_of_the_package(example, Model):
    example["verify"](Model)


@pytest.mark.parametrize("Model", LOSSES)
def test_verify_refuses_the_weight_of_another_loss(example, Model):
    class Mixed(Model):
        weight = staticmethod(example["GemanMcClureNMF"].weight)

    with pytest.raises(AssertionError):
        example["verify"](Mixed)


@pytest.mark.parametrize("check", ["gradient_matches", "majorizes", "decreases"])
def test_each_check_of_the_example_is_called(example, monkeypatch, check):
    def refuse(*args, **options):
        raise RuntimeError(check)

    monkeypatch.setattr(example["checks"], check, refuse)
    with pytest.raises(RuntimeError, match=check):
        example["verify"](example["GemanMcClureNMF"])


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git to show a difference")
def test_the_suggested_diff_works_without_the_environment(tmp_path):
    """A command that fails makes `git diff` fail; ours falls back on the file as it is."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^git config diff\.ipynb\.textconv '(.*)'$", text, re.MULTILINE)

    def git(*words):
        return subprocess.run(
            ["git", *words], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    git("config", "diff.ipynb.textconv", command)
    (tmp_path / ".gitattributes").write_text("*.ipynb diff=ipynb\n")
    notebook = tmp_path / "one.ipynb"
    notebook.write_text(json.dumps({"cells": ["before"]}))
    git("add", ".")
    notebook.write_text(json.dumps({"cells": ["after"]}))
    assert '+{"cells": ["after"]}' in git("diff")
    tool = tmp_path / ".venv" / "bin" / "jupytext"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\nshift 6\ngrep -o '[a-z]*' \"$1\"\n")
    tool.chmod(0o755)
    assert "+after" in git("diff").splitlines()
