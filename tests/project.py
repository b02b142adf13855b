"""Where the project's files are, for the tests that read them."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def load_module(path):
    """A script that stands in no package as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_tool(name):
    """A script of the folder ``tools``."""
    return load_module(ROOT / "tools" / f"{name}.py")


def tracked():
    """The names of the files that git knows and that are there."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip(
            "this copy is no git checkout; clone the repository to run this test"
        )
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    )
    names = done.stdout.decode().split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def toc_files(node):
    """Every file that the table of contents names, in order; of patterns what is there."""
    if isinstance(node, dict):
        yield from (node[key] for key in ("root", "file") if key in node)
        for path in sorted(ROOT.glob(node.get("glob", "no file"))):
            yield path.relative_to(ROOT).with_suffix("").as_posix()
        node = node.values()
    if not isinstance(node, str | bool):
        for part in node:
            yield from toc_files(part)
