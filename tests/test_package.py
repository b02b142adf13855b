"""What the built wheel holds, and what the package promises to those who install it."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


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
