"""Write the versions that build the published site into requirements/site.txt: `make pins`.

They are those of the environment that runs this, of every package that the book and its tests
need, directly or through others. The workflow that publishes the book installs just these.
"""

import sys
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "requirements" / "site.txt"
EXTRAS = ("book", "test")  # what `make` installs
HEAD = "# Python {}.{}. Written by `make pins`; do not edit.\n"


def wanted():
    """The requirements of the package, the book and the tests, as pyproject.toml lists them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    return [
        Requirement(line)
        for lines in (project["dependencies"], *(extras[extra] for extra in EXTRAS))
        for line in lines
    ]


def needed(requirements):
    """Name and version of all packages that the requirements bring, from what is installed."""
    found, todo = {}, [(canonicalize_name(r.name), frozenset(r.extras)) for r in requirements]
    seen = set()
    while todo:
        name, extras = entry = todo.pop()
        if entry in seen:
            continue
        seen.add(entry)
        package = metadata.distribution(name)
        found[name] = package.version
        for line in package.requires or []:
            requirement = Requirement(line)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": x}) for x in extras or {""}):
                todo.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def main():
    try:
        pins = needed(wanted())
    except metadata.PackageNotFoundError as error:
        sys.exit(f"{error.name} is not installed here; run this as `make pins`.")
    lines = [f"{name}=={version}\n" for name, version in sorted(pins.items())]
    PINS.parent.mkdir(exist_ok=True)
    PINS.write_text(HEAD.format(*sys.version_info) + "".join(lines), encoding="utf-8")
    print(f"{PINS.relative_to(ROOT)}: {len(pins)} packages")


if __name__ == "__main__":
    main()
