"""Count the lines of code of the project, folder by folder: `make lines`.

Tracked files only, without blank lines, comments and docstrings, and all Python as ruff formats it
at 100 columns, whatever the width of a folder. A magic in a notebook counts as a line of Python.
"""

import ast
import io
import json
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
#: What is counted -> the folders and files that it is made of.
FOLDERS = {
    "wheel": ("rnmf_tutorial/",),
    "tests": ("tests/", "conftest.py"),
    "studies, extensions, tools, benchmarks": (
        "book/studies/",
        "book/_ext/",
        "tools/",
        "benchmarks/",
    ),
    "book/figures": ("book/figures/",),
}
HIDING = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def tracked():
    """Return the tracked files that are there, as paths from the root."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    names = done.stdout.decode().split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def without_outputs(path):
    """Return the text of a file, of a notebook without what it shows: that takes long to format."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    notebook = json.loads(text)
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        cell |= {"outputs": []} if "outputs" in cell else {}
    return json.dumps(notebook)


def formatted(names):
    """Return the texts of Python files and notebooks as ruff formats them at 100 columns."""
    with tempfile.TemporaryDirectory() as folder:
        copies = {name: Path(folder, name) for name in names}
        for name, copy in copies.items():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(without_outputs(ROOT / name), encoding="utf-8")
        options = "--isolated", "--quiet", "--line-length=100", "--target-version=py311"
        subprocess.run([sys.executable, "-m", "ruff", "format", *options, folder], check=True)
        return {name: copy.read_text(encoding="utf-8") for name, copy in copies.items()}


def without_magics(source):
    """Return Python source whose magics are replaced by as many statements."""
    return re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", source)


def lines_of(nodes):
    """Return the numbers of the lines of some statements."""
    return {k for node in nodes for k in range(node.lineno, node.end_lineno + 1)}


def python_lines(source):
    """Return the numbers of the lines of code; a statement that is a text alone is a docstring."""
    source = without_magics(source)
    texts = ["", *source.splitlines()]
    code, statement = set(), []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            statement.append(token)
        elif token.type == tokenize.NEWLINE:
            if any(part.type != tokenize.STRING for part in statement):
                code.update(k for x in statement for k in range(x.start[0], x.end[0] + 1))
            statement = []
    return {k for k in code if texts[k].strip()}


def assertions(source):
    """Return the assertions in Python source."""
    nodes = ast.walk(ast.parse(without_magics(source))) if "assert" in source else ()
    return [node for node in nodes if isinstance(node, ast.Assert)]


def site_lines(source):
    """Return how many lines of code a script or a style sheet has."""
    source = re.sub(r"(?ms)^\s*/\*.*?\*/", "", source)
    return sum(bool(re.match(r"\s*(?!//)\S", line)) for line in source.splitlines())


def notebook_lines(text):
    """Return the lines of a notebook by what they are, and how many of its cells assert.

    An assertion in a cell that draws is neither shown nor drawing: it is counted with the checks.
    """
    found = Counter()
    for cell in nbformat.reads(text, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        tags = set(cell.metadata.get("tags", []))
        code, asserted = python_lines(cell.source), assertions(cell.source)
        found["notebooks: cells that assert"] += bool(asserted)
        if "checks" in tags:
            found["notebooks: hidden checks"] += len(code)
        elif tags & HIDING:
            checks = code & lines_of(asserted)
            found["notebooks: hidden checks"] += len(checks)
            found["notebooks: hidden drawing and setup"] += len(code - checks)
        else:
            found["notebooks: shown code"] += len(code)
    return found


def counts():
    """Return how many lines there are of everything that is counted, and the other numbers."""
    names = tracked()
    texts = formatted([name for name in names if name.endswith((".py", ".ipynb"))])
    found = Counter(dict.fromkeys(["wheel: modules", *FOLDERS], 0))
    for name, text in texts.items():
        if name.endswith(".ipynb"):
            found.update(notebook_lines(text))
            continue
        for what, folders in FOLDERS.items():
            if name.startswith(folders):
                found[what] += len(python_lines(text))
        found["wheel: modules"] += name.startswith("rnmf_tutorial/")
    scripts = [ROOT / name for name in names if name.endswith((".js", ".css"))]
    found["JavaScript and CSS"] = sum(site_lines(file.read_text("utf-8")) for file in scripts)
    return dict(found)


if __name__ == "__main__":
    for name, count in counts().items():
        print(f"{name:42} {count:7,}")
