"""What may run in the workflows, with which rights, and from which versions the site is built."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINS = "requirements/site.txt"
each = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def test_actions_are_pinned_each_to_one_commit_and_say_their_version():
    """A tag can be moved to other code; a commit cannot."""
    used = set(
        re.findall(r"uses: *(.*)", "".join(p.read_text(encoding="utf-8") for p in WORKFLOWS))
    )
    for action in used:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action
    assert len(used) == len({action.split("@")[0] for action in used})


@each
def test_only_the_deployment_may_write(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        if name == "publish":  # only a tag starts it: see test_release.py
            assert job["permissions"] == {"id-token": "write"} and job["needs"] == "build"
            continue
        if name == "deploy":
            assert job["permissions"] == {"pages": "write", "id-token": "write"}
            assert job["needs"] == "build"
            assert [step["uses"].split("@")[0] for step in job["steps"]] == ["actions/deploy-pages"]
            continue
        assert "permissions" not in job, name
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False, name


def test_the_site_is_built_with_the_pinned_packages():
    path = ROOT / ".github" / "workflows" / "pages.yml"
    build = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]["build"]
    assert build["env"]["PIP_CONSTRAINT"].endswith(f"}}}}/{PINS}")
    (python,) = (x["with"]["python-version"] for x in build["steps"] if "setup-python" in str(x))
    assert (ROOT / PINS).read_text(encoding="utf-8").startswith(f"# Python {python}:")


def test_pins_are_versions_that_the_project_takes():
    _, *lines = (ROOT / PINS).read_text(encoding="utf-8").splitlines()
    assert all(re.fullmatch(r"[\w.-]+==[\w.!+]+", line) for line in lines)  # no address, no path
    pinned = {canonicalize_name(name): version for name, version in (x.split("==") for x in lines)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for line in project["dependencies"] + extras["book"] + extras["test"]:
        requirement = Requirement(line)
        version = pinned.get(canonicalize_name(requirement.name))
        assert version and version in requirement.specifier, f"{line}: run `make pins`"
