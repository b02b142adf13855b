"""What computed a row: the versions of the packages, and the commit of the code."""

import ast
import inspect
import subprocess
import sys
import time
from functools import cache, partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import scipy
import sklearn

import rnmf_tutorial

STARTED = time.time()

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def code_of(cell):
    """Return the folders of the code of a cell: this package's, and that of the cell's own.

    The second is None for a function that was typed in, as in a notebook.
    """
    file = getattr(sys.modules.get(cell.__module__.partition(".")[0]), "__file__", None)
    return [Path(rnmf_tutorial.__file__).parent, file and Path(file).parent]


def functions_hash(cell):
    """Return a hash of the cell's function and of those of its top-level package that it reaches.

    It is a hash of their syntax trees. It changes with what a function computes, but
    not with line breaks, comments or docstrings, with the module that a function is in,
    or with the version of Python. The constants of a module do not count, and neither
    do functions of other packages: the commit of a row tells what they were. The hash
    is None for a function that was typed in and has no file to read.
    """
    package = cell.__module__.partition(".")[0]
    seen = set()
    texts = set()
    todo = [cell]
    while todo:
        function = todo.pop()
        if function in seen:
            continue
        seen.add(function)
        try:
            trees = trees_of(function)
        except (OSError, TypeError):
            return None
        for tree in trees:
            texts.add(tree_text(tree))
            todo += functions_named(tree, function.__globals__, package)
    return sha256("\n".join(sorted(texts)).encode()).hexdigest()[:16]


def trees_of(function):
    """Return the syntax trees of the functions that begin on the first line of this function.

    There is one, except that a line may hold several lambdas. A lambda inside of
    another function is a part of that function's tree.
    """
    lines, _ = inspect.findsource(function)
    first_line = function.__code__.co_firstlineno
    found = []
    todo = [_parse("".join(lines))]
    while todo:
        node = todo.pop()
        if isinstance(node, FUNCTIONS) and _first_line(node) == first_line:
            found.append(node)
        else:
            todo += ast.iter_child_nodes(node)
    return found


@cache
def _parse(source):
    return ast.parse(source)


def _first_line(node):
    """Return the line on which a function begins, which is that of its first decorator."""
    return min(part.lineno for part in [node, *getattr(node, "decorator_list", [])])


def tree_text(node):
    """Return a syntax tree as text, without docstrings.

    `ast.dump` would be shorter, but what it prints depends on the version of Python.
    Here a field without a value is left out, whether or not this version has that
    field.
    """
    if isinstance(node, list):
        return f"[{', '.join(map(tree_text, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    if (
        isinstance(node, DOCUMENTED)
        and ast.get_docstring(node, clean=False) is not None
    ):
        fields["body"] = node.body[1:]
    if not isinstance(node, ast.Constant):
        fields = {
            name: value for name, value in fields.items() if value not in (None, [])
        }
    texts = [f"{name}={tree_text(value)}" for name, value in sorted(fields.items())]
    return f"{type(node).__name__}({', '.join(texts)})"


def functions_named(tree, names, package):
    """Return the functions of a package that a syntax tree names, as `f` or as `module.f`.

    `names` are the global names of the module that the tree is from. One of them may be
    a table of functions, such as a dict of methods. Then all functions in the table are
    returned.
    """
    values = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            values.append(names.get(node.id))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = names.get(node.value.id)
            if inspect.ismodule(module):
                values.append(getattr(module, node.attr, None))
    return [
        function
        for value in values
        for function in _functions_in(value)
        if function.__module__.partition(".")[0] == package
    ]


def _functions_in(value):
    """Return a function itself, without its decorators, or the functions in a table."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [function for item in value for function in _functions_in(item)]
    if isinstance(value, partial):
        return _functions_in(value.func)
    if not callable(value):
        return []
    function = inspect.unwrap(value)
    return [function] if inspect.isfunction(function) else []


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

    With "-dirty" if there are later changes; "unknown" if not all of them are in one
    repository.
    """

    def git(*arguments):
        command = ["git", "-C", folders[0], *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        # "log" rather than "rev-parse": a package installed inside another project's
        # repository must not claim that project's commit.
        if not all(folder and git("log", "-1", "--", folder) for folder in folders):
            return "unknown"
        dirty = "-dirty" if git("status", "--porcelain", "--", *folders) else ""
        return git("log", "-1", "--format=%H", "--", *folders) + dirty
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def edited(folders):
    """Whether some of the code was changed after this process began.

    The process may then have loaded its old form or its new one, and no commit is that
    of a row.
    """
    try:
        files = [file.stat() for folder in folders for file in folder.rglob("*.py")]
    except FileNotFoundError:  # it is being replaced at this moment
        return True
    return any(max(file.st_mtime, file.st_ctime) > STARTED for file in files)
