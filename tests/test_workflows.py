"""What may run in the workflows, with which rights, and from which versions the site is built."""

import re
from importlib import metadata

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.test_repository import ROOT, load_tool

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
pins = load_tool("pins")


def jobs(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_commits_and_say_their_version(path):
    """A tag can be moved to other code; a commit cannot."""
    used = re.findall(r"uses: *(.*)", path.read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


def test_one_action_has_one_commit():
    """Also across workflows: the same action in two versions is an oversight."""
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    used = set(re.findall(r"uses: *(\S+)@(.*)", text))
    assert len(used) == len({name for name, _ in used})


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_only_the_deployment_may_write(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        if name == "deploy":
            assert job["permissions"] == {"pages": "write", "id-token": "write"}
            assert job["needs"] == "build"
            assert [step["uses"].split("@")[0] for step in job["steps"]] == ["actions/deploy-pages"]
            continue
        assert "permissions" not in job, name
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False, name


def test_the_site_is_built_with_pinned_packages():
    build = jobs(ROOT / ".github" / "workflows" / "pages.yml")["build"]
    path = pins.PINS.relative_to(ROOT).as_posix()
    for tool in ("PIP", "UV"):
        assert build["env"][f"{tool}_CONSTRAINT"].endswith(f"}}}}/{path}")
    (python,) = (x["with"]["python-version"] for x in build["steps"] if "setup-python" in str(x))
    assert pins.PINS.read_text(encoding="utf-8").startswith(pins.HEAD.format(*python.split(".")))


@pytest.fixture(scope="module")
def pinned():
    _, *lines = pins.PINS.read_text(encoding="utf-8").splitlines()
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.!+]+", line) for line in lines)  # no address, no path
    return dict(line.split("==") for line in lines)


def test_pins_satisfy_what_the_project_requires(pinned):
    for requirement in pins.wanted():
        version = pinned.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} has no pin; run `make pins`"
        assert version in requirement.specifier, f"{requirement}: pinned {version}; `make pins`"


def test_pins_leave_no_package_open(pinned):
    """What a pinned package needs is pinned too, as far as the same version is installed here."""
    versions = {canonicalize_name(d.name): d.version for d in metadata.distributions()}
    same = [name for name, version in pinned.items() if versions.get(name) == version]
    if not same:
        pytest.skip("no package is installed in its pinned version; run `make pins` to renew them")
    required = pins.needed([Requirement(name) for name in same])
    assert sorted(set(required) - set(pinned)) == []
