"""What computed a row: package versions and commit."""

import subprocess
from pathlib import Path

import numpy as np
import scipy
import sklearn

from rnmf_tutorial import __version__


def provenance():
    """Return the columns that every stored row carries, name -> text."""
    return {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit_learn": sklearn.__version__,
        "rnmf_tutorial": __version__,
        "commit": commit(Path(__file__).parents[1]),
    }


def commit(folder):
    """Return the last commit that changed a folder, "-dirty" with later changes, or "unknown"."""
    try:
        # "log" rather than "rev-parse": a package installed inside another project's repository
        # must not claim that project's commit.
        sha = _git(folder, "log", "-1", "--format=%H", "--", ".")
        if not sha:
            return "unknown"
        return sha + ("-dirty" if _git(folder, "status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(folder, *arguments):
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
