"""What computed a row: package versions and commit."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy
import sklearn

from rnmf_tutorial import __version__


def provenance(cell):
    """Return the columns that every row of an experiment carries, name -> text."""
    return {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit_learn": sklearn.__version__,
        "rnmf_tutorial": __version__,
        "commit": commit(Path(__file__).parents[1], *code_of(cell)),
    }


def code_of(cell):
    """Return the folder of the package that a function is in, or the file of its lone module.

    Nothing for a function that was typed in, as in a notebook.
    """
    package = sys.modules.get(cell.__module__.partition(".")[0])
    file = getattr(package, "__file__", None)
    if file is None:
        return []
    return [Path(file).parent if hasattr(package, "__path__") else Path(file)]


def commit(folder, *more):
    """Return the last commit that changed the folder or one of `more`.

    With "-dirty" if there are later changes; "unknown" if not all of them are in one repository.
    """
    paths = [str(path) for path in (folder, *more)]
    try:
        # "log" rather than "rev-parse": a package installed inside another project's repository
        # must not claim that project's commit.
        if not all(_git(folder, "log", "-1", "--format=%H", "--", path) for path in paths):
            return "unknown"
        sha = _git(folder, "log", "-1", "--format=%H", "--", *paths)
        return sha + ("-dirty" if _git(folder, "status", "--porcelain", "--", *paths) else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(folder, *arguments):
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
