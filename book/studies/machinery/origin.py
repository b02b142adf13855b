"""What computed a row: the versions of the packages, and the commit of the code."""

import inspect
import re
import subprocess
import sys
import time
from hashlib import sha256
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


def functions_hash(cell):
    """Return a hash of the cell's function and of those of its top-level package that it reaches.

    It changes with their text, but not with its layout or with the module that they are in; what
    they call of other packages is told by the commit. None for a function that was typed in.
    """
    package, texts, todo = cell.__module__.partition(".")[0], set(), [cell]
    while todo:
        function = todo.pop()
        try:
            source = inspect.getsource(function)
        except (OSError, TypeError):
            return None
        if (text := "".join(source.split())) not in texts:
            texts.add(text)
            names = set(re.findall(r"\w+", source)) & function.__globals__.keys()
            others = [inspect.unwrap(function.__globals__[name]) for name in names]
            todo += [
                other
                for other in others
                if inspect.isfunction(other) and other.__module__.partition(".")[0] == package
            ]
    return sha256("".join(sorted(texts)).encode()).hexdigest()[:16]


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
