"""Write the imports of the estimators into the package's ``__init__`` files.

``make format`` calls this. It reads the rooms of ``rnmf_tutorial/models`` for classes under
``@estimator``, so that a new model is exported without a line typed by hand.
"""

import argparse
import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "rnmf_tutorial" / "models"
PACKAGE = ROOT / "rnmf_tutorial" / "__init__.py"
INSIDE = MODELS / "__init__.py"


def estimators():
    """Return the exported classes and the modules that they stand in."""
    found = {}
    for path in sorted(MODELS.glob("*/*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            decorators = [getattr(d, "id", "") for d in getattr(node, "decorator_list", [])]
            if isinstance(node, ast.ClassDef) and "estimator" in decorators:
                found[node.name] = f"rnmf_tutorial.models.{path.parent.name}.{path.stem}"
    return found


def natural(name):
    """Sort as ruff does: constants, classes, functions."""
    return (not name.isupper(), not name[0].isupper(), name)


def with_names(text, names):
    """Return the source of an ``__init__`` whose list of exports has these names too."""
    head, listed, tail = re.split(r"(?<=__all__ = \[\n)(.*?)(?=^\])", text, flags=re.S | re.M)
    kept = set(ast.literal_eval(f"[{listed}]"))
    lines = [f'    "{name}",\n' for name in sorted(kept | set(names), key=natural)]
    return head + "".join(lines) + tail


def expected():
    """Return what the two files should hold, by their paths."""
    found = estimators()
    inside = INSIDE.read_text(encoding="utf-8")
    imports = [node for node in ast.parse(inside).body if isinstance(node, ast.ImportFrom)]
    known = {alias.name for node in imports for alias in node.names}
    for name, module in found.items():
        if name not in known:
            inside = inside.replace("\n\n__all__", f"\nfrom {module} import {name}\n\n__all__", 1)
    package = PACKAGE.read_text(encoding="utf-8")
    block = "".join(f"    {name},\n" for name in sorted(found, key=natural))
    package = re.sub(
        r"(?<=from rnmf_tutorial\.models import \(\n).*?(?=^\))", block, package, flags=re.S | re.M
    )
    return {INSIDE: with_names(inside, found), PACKAGE: with_names(package, found)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file would")
    check = parser.parse_args().check
    stale = {path: text for path, text in expected().items() if path.read_text("utf-8") != text}
    if check and stale:
        sys.exit("An estimator is not exported: run `make format`.")
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
