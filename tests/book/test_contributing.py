"""The recipe "A loss" of CONTRIBUTING.md, followed as printed, in a copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from textwrap import dedent

import pytest

from tests.project import ROOT

#: What a copy can do without.
LEFT_OUT = shutil.ignore_patterns(
    *(".*", "_build", "__pycache__", "results", "_static", "*.ipynb", "site", "*.egg-info")
)


def blocks():
    """The two blocks of Python of the recipe: φ, and the model."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipe = text.partition("\n## A loss\n")[2].partition("\n## ")[0]
    return [
        dedent(block) for block in re.findall(r"^ *```python\n(.*?)^ *```", recipe, re.S | re.M)
    ]


def add(path, block, imported=""):
    """Put a class at the end of a module, its name into `__all__`, another into the imports."""
    text = path.read_text(encoding="utf-8")
    name = re.search(r"^class (\w+)", block, re.M)[1]
    text = text.replace("__all__ = [", f'__all__ = ["{name}", ', 1)
    if imported:
        losses = "from rnmf_tutorial.losses import ("
        assert text.count(losses) == 1
        text = text.replace(losses, f"{losses}{imported}, ")
    path.write_text(f"{text}\n\n{block}", encoding="utf-8")
    return name


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project in which the recipe was followed."""
    folder = tmp_path_factory.mktemp("project") / "copy"
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
    phi, model = blocks()
    name = add(folder / "rnmf_tutorial" / "losses.py", phi)
    add(folder / "rnmf_tutorial" / "models" / "entrywise.py", model, name)
    return folder


def run(folder, *command):
    """Run Python in the copy; what it prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(folder / "book")])}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
