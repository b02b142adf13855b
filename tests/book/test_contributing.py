"""The recipe "A loss" of CONTRIBUTING.md, followed as printed."""

import os
import re
import shutil
import subprocess
import sys
from textwrap import dedent

import pytest

from tests.project import ROOT

# The recipe has two blocks of Python.
RECIPE = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\n## A loss\n")[2]
RECIPE = re.findall(
    r"^ *```python\n(.*?)^ *```", RECIPE.partition("\n## ")[0], re.S | re.M
)
PHI, MODEL = map(dedent, RECIPE)
CURVE, NAME = (re.search(r"^class (\w+)", block, re.M)[1] for block in (PHI, MODEL))


def add(path, block, *names):
    """Put a class at the end of a module, and each name behind what it belongs to."""
    text = path.read_text(encoding="utf-8")
    for old, new in names:
        assert text.count(old) == 1
        text = text.replace(old, old + new)
    path.write_text(f"{text}\n\n{block}", encoding="utf-8")


#: What the tests of all φ and all models are in, and those of lists that a model has to
#: be in.
FILES = [
    *("laws/test_losses.py", "laws/test_descent.py", "doors/test_scikit_learn.py"),
    *("doors/test_estimators.py", "book/test_docstrings.py", "book/test_method_map.py"),
    *("book/test_project.py", "../rnmf_tutorial/models/entrywise.py"),
]
#: A transform is the update of H, which the tests of descent take: what tests it is
#: left out.
SELECTED = f"({CURVE} or estimator_once or glossary) and not transform_solves"
RUN = """import sys, pytest
from benchmarks.problem import MODELS; from studies.places import models
name, *options = sys.argv[1:]
assert name in MODELS and name in [model.name for model in models()]
sys.exit(pytest.main(options))
"""


@pytest.mark.long
def test_with_four_files_changed_the_model_passes_what_all_pass_and_stands_in_all_lists(
    tmp_path,
):
    copy = tmp_path / "copy"
    left_out = (".*", "_build", "results", "_static", "*.ipynb", "*.egg-info")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*left_out))
    package = copy / "rnmf_tutorial"
    add(package / "losses.py", PHI)
    names = (
        ("__all__ = [", f'"{NAME}", '),
        ("from rnmf_tutorial.losses import (\n", f"    {CURVE},\n"),
    )
    add(package / "models" / "entrywise.py", MODEL, *names)
    names = (
        ("from rnmf_tutorial.models.entrywise import (\n", f"    {NAME},\n"),
        ("__all__ = [\n", f'    "{NAME}",\n'),
    )
    add(package / "models" / "__init__.py", "", *names)
    line = f"    from rnmf_tutorial.models import {NAME} as {NAME}\n"
    add(package / "__init__.py", "", ("if TYPE_CHECKING:\n", line))

    def python(*command):
        env = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(copy), str(copy / "book")])
        }
        options = {"cwd": copy, "env": env, "capture_output": True, "text": True}
        done = subprocess.run([sys.executable, *command], **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    for ruff in (["check", "--fix"], ["format"], ["check"]):
        python("-m", "ruff", *ruff, "--quiet", "rnmf_tutorial")
    options = [
        "-q",
        "-n0",
        "--assert=plain",
        "-pno:cacheprovider",
        "-mnot long",
        "-k",
        SELECTED,
    ]
    passed = python("-c", RUN, NAME, *options, *(f"tests/{file}" for file in FILES))
    assert int(re.search(r"(\d+) passed", passed)[1]) > 60
