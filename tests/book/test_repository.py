"""The files around the code agree with each other, and nothing is tracked that should not be."""

import re
import shutil
import subprocess
import tomllib

import pytest
import yaml

import rnmf_tutorial
from tests.project import ROOT, toc_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONFIG, TOC, CITATION = (
    yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    for name in ("_config.yml", "_toc.yml", "CITATION.cff")
)


def tracked_files():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this copy is no git checkout; clone the repository to run this test")
    command = ["git", "ls-files"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def test_the_project_has_one_version_and_one_address():
    assert rnmf_tutorial.__version__ == PROJECT["version"] == CITATION["version"]
    address = PROJECT["urls"]["Repository"]
    assert CONFIG["repository"]["url"] == CITATION["repository-code"] == address
    assert address in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_of_contents_names_existing_files_and_every_notebook():
    names = list(toc_files(TOC))
    assert len(names) == len(set(names))
    missing = [name for name in names if not list(ROOT.glob(f"{name}.*"))]
    assert missing == []
    notebooks = {p for p in (ROOT / "book").rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts}
    assert {p.relative_to(ROOT).with_suffix("").as_posix() for p in notebooks} <= set(names)


def test_every_estimator_is_in_the_glossary_and_in_the_reference():
    listed = [name for name in rnmf_tutorial.__all__ if not name.startswith("_")]
    glossary = (ROOT / "book" / "methods.md").read_text(encoding="utf-8")
    assert [name for name in listed if f"`~rnmf_tutorial.{name}`" not in glossary] == []
    reference = (ROOT / "book" / "api" / "models.md").read_text(encoding="utf-8")
    assert [name for name in listed if f"rnmf_tutorial.{name}\n" not in reference] == []


def test_no_data_and_nothing_built_is_tracked():
    tracked = tracked_files()
    data = re.compile(r"\.(mat|pgm|npy|npz|pkl|h5|zip|tgz|gz|jpe?g|bmp)$", re.IGNORECASE)
    assert [name for name in tracked if data.search(name)] == []
    built = (".venv/", "_build/", "book/api/models/")
    assert [name for name in tracked if name.startswith(built)] == []
