"""What computed a row: the versions of the packages, and the commit of the code."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy
import sklearn

import rnmf_tutorial

STARTED = time.time()


def code_of(cell):
    """Return the folders of the code of a cell: this package's, and that of the cell's own.

    The second is None for a function that was typed in, as in a notebook.
    """
    file = getattr(sys.modules.get(cell.__module__.partition(".")[0]), "__file__", None)
    return [Path(rnmf_tutorial.__file__).parent, file and Path(file).parent]


def origin(folders):
    """Return the columns that tell where a row comes from."""
    return {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit_learn": sklearn.__version__,
        "rnmf_tutorial": rnmf_tutorial.__version__,
        "commit": commit(folders),
    }


def commit(folders):
    """Return the last commit that changed one of the folders.

    With "-dirty" if there are later changes; "unknown" if not all of them are in one repository.
    """

    def git(*arguments):
        command = ["git", "-C", folders[0], *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        # "log" rather than "rev-parse": a package installed inside another project's repository
        # must not claim that project's commit.
        if not all(folder and git("log", "-1", "--", folder) for folder in folders):
            return "unknown"
        dirty = "-dirty" if git("status", "--porcelain", "--", *folders) else ""
        return git("log", "-1", "--format=%H", "--", *folders) + dirty
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def edited(folders):
    """Whether some of the code was changed after this process began.

    The process may then have loaded its old form or its new one, and no commit is that of a row.
    """
    try:
        files = [file.stat() for folder in folders for file in folder.rglob("*.py")]
    except FileNotFoundError:  # it is being replaced at this moment
        return True
    return any(max(file.st_mtime, file.st_ctime) > STARTED for file in files)
