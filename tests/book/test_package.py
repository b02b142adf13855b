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


def public_functions():
    for name in ("checks", "data", "display", "evaluation"):
        module = import_module(f"rnmf_tutorial.{name}")
        yield from filter(inspect.isfunction, (getattr(module, x) for x in module.__all__))
    for name in ("fit", "fit_transform", "transform", "inverse_transform"):
        yield from (inspect.unwrap(getattr(model, name)) for model in (NMF, CSNMF))


def test_public_functions_are_typed():
    """What py.typed promises: a type checker finds no gap in what a user calls."""
    gaps = {function.__qualname__: untyped(function) for function in public_functions()}
    assert len(gaps) > 20 and {name: gap for name, gap in gaps.items() if gap} == {}


def untyped(function):
    """The parameters without a type, and "return" if what comes back has none."""
    names = {*inspect.signature(function).parameters, "return"} - {"self"}
    return sorted(names - function.__annotations__.keys())
