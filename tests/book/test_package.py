"""What the built wheel holds, and what the package promises to those who install it."""

import inspect
import shutil
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

from rnmf_tutorial import CSNMF, NMF
from tests.project import ROOT


@pytest.mark.slow
def test_wheel_holds_the_package_and_nothing_else(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-text", "MANIFEST.in"):
        shutil.copy(ROOT / name, source)
    for folder in ("rnmf_tutorial", "tests", "benchmarks"):
        shutil.copytree(
            ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    subprocess.run(
        [sys.executable, "-c", "from setuptools import build_meta; build_meta.build_wheel('..')"],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "rnmf_tutorial").rglob("*.py")}
    assert held == package | {"rnmf_tutorial/py.typed"}
    licenses = [name for name in zipfile.ZipFile(wheel).namelist() if "/licenses/" in name]
    assert {Path(name).name for name in licenses} == {"LICENSE", "LICENSE-text"}


@pytest.mark.parametrize("module", ["checks", "data", "display", "evaluation"])
def test_public_functions_are_typed(module):
    """What py.typed promises: a type checker finds no gap in what a user calls."""
    module = import_module(f"rnmf_tutorial.{module}")
    functions = [getattr(module, name) for name in module.__all__]
    functions = [function for function in functions if inspect.isfunction(function)]
    assert functions
    for function in functions:
        assert untyped(function) == [], function.__name__


@pytest.mark.parametrize("method", ["fit", "fit_transform", "transform", "inverse_transform"])
@pytest.mark.parametrize("model", [NMF, CSNMF])
def test_public_methods_are_typed(model, method):
    assert untyped(inspect.unwrap(getattr(model, method))) == []


def untyped(function):
    """The parameters without a type, and "return" if what comes back has none."""
    signature = inspect.signature(function)
    gaps = [
        name
        for name, parameter in signature.parameters.items()
        if parameter.annotation is parameter.empty and name != "self"
    ]
    return gaps + ["return"] * (signature.return_annotation is signature.empty)
