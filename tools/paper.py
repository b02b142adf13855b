"""Write what a paper needs in order to stand in the book, each file with the questions it answers.

    make paper NAME=gao TITLE="Gao et al." KEY=gao2015

NAME is that of its module, study and notebook, TITLE what the scoreboard calls it, KEY
that of its entry in the bibliography. Nothing that exists is overwritten. The last
lines say what comes next.
"""

import builtins
import importlib.util
import json
import keyword
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import notebooks

ROOT = Path(__file__).resolve().parent.parent

NEXT = """
Now, in this order:
  1. rnmf_tutorial/papers/{name}.py, and tests/laws/test_{name}.py, which fails until it descends
  2. book/studies/{name}: grids.py, then verdicts.py; `make format`, and commit
  3. cd book && ../.venv/bin/python -m studies {name} --scale paper
  4. book/{name}.ipynb, book/slips.ipynb, book/cite.md, book/references.bib
     README.md, book/index.ipynb and book/scoreboard.ipynb count the papers; `robust = true` in
     words.toml counts it on the pages that count those on robust NMF
  5. make format; make notebooks NB="book/{name}.ipynb book/slips.ipynb book/scoreboard.ipynb"
  6. .venv/bin/python paper/fill.py, for the numbers of the papers about this book
What is still owed: .venv/bin/python -m pytest -q tests/book/test_papers.py; and make check
To take all of it back, if nothing else is uncommitted: git restore . && git clean -dn, then -df"""


def filled(template, names):
    """A template of the folder `paper`, with ``{{name}}`` and the others in their places."""
    text = (Path(__file__).with_name("paper") / f"{template}.in").read_text(
        encoding="utf-8"
    )
    return re.sub(r"\{\{(\w+)\}\}", lambda match: str(names[match[1]]), text)


def write(path, text):
    """Write a file that is not there yet."""
    path = ROOT / path
    if path.exists():
        print(f"is there already: {path.relative_to(ROOT)}")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"written: {path.relative_to(ROOT)}")


def changed(path, old, new, mark=None):
    """A file with a line before the place that `old` finds, unless it or its mark is there."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if (mark or new) in text:
        return text
    if not (place := re.search(old, text, re.M)):
        raise ValueError(f"{path} has no place like {old!r}.")
    return text[: place.start()] + new + text[place.start() :]


def change(path, *line):
    """Put a line into a file."""
    if (text := changed(path, *line)) != (ROOT / path).read_text(encoding="utf-8"):
        (ROOT / path).write_text(text, encoding="utf-8")
        print(f"changed: {path}")


def chapter(names):
    """The chapter, with its questions: a cell begins at +++, with its metadata if it is code."""
    book = nbformat.v4.new_notebook()
    _, *parts = re.split(r"^\+\+\+ ?(.*)\n", filled("chapter", names), flags=re.M)
    for metadata, source in zip(parts[::2], parts[1::2], strict=True):
        new = nbformat.v4.new_code_cell if metadata else nbformat.v4.new_markdown_cell
        book.cells.append(new(source.strip(), metadata=json.loads(metadata or "{}")))
    return nbformat.writes(notebooks.normalize(book)) + "\n"


def add_slips(names):
    """A section at the end of the papers' sections of the slips."""
    path = ROOT / "book" / "slips.ipynb"
    book = notebooks.read(path)
    heading = rf"^## {re.escape(names['title'])}$"
    if any(re.search(heading, cell.source, re.M) for cell in book.cells):
        return
    last = next(
        k for k, cell in enumerate(book.cells) if cell.source.startswith("## Misread")
    )
    book.cells.insert(last, nbformat.v4.new_markdown_cell(filled("slips.md", names)))
    notebooks.write(path, notebooks.normalize(book))
    print("changed: book/slips.ipynb")


def refusal(name, title, key):
    """Why a paper cannot have these names, or None; nothing is written before it is asked."""
    words = {*keyword.kwlist, *keyword.softkwlist, *vars(builtins), "np"}
    if not re.fullmatch(r"[a-z][a-z_0-9]*", name) or name in words:
        return "NAME becomes a Python module: lower-case letters, digits, _, and no word of Python."
    if not re.fullmatch(r"[^\W\d_][\w .,'’&()–-]{,59}(?<! )", title):
        return (
            "TITLE has letters, digits, spaces and .,'&()-, at most 60 of them, "
            "the last no space."
        )
    if not re.fullmatch(r"[A-Za-z][\w:-]*", key):
        return "KEY is that of a bibliography: letters, digits, and _:-."
    from studies import papers

    mine = ROOT / "book" / "studies" / name / "words.toml"
    if mine.exists():
        there = tomllib.loads(mine.read_text(encoding="utf-8"))
        there = there["name"], there["key"]
        return (
            None
            if there == (title, key)
            else f"{name} is {there[0]}, KEY={there[1]}, already."
        )
    new = [f"book/**/{name}", f"book/**/{name}.*"]
    new += [f"rnmf_tutorial/papers/{name}.py", f"tests/laws/test_{name}.py"]
    taken = [path.relative_to(ROOT) for pattern in new for path in ROOT.glob(pattern)]
    taken = taken or ([name] if importlib.util.find_spec(name) else [])
    if taken:
        return f"NAME={name} would hide what is there already: {taken[0]}."
    others = [paper for paper in papers() if title == paper.name or key == paper.key]
    return (
        f"{others[0].name}, KEY={others[0].key}, is there already." if others else None
    )


def scaffold(name, title, key):
    """Write all files of a paper, and a line wherever papers are listed."""
    from studies import papers

    number = max(paper.number for paper in papers()) + 1
    names = {"name": name, "title": title, "key": key, "number": number}
    module = "rnmf_tutorial/papers/__init__.py"
    listed = f'"{name}"'
    box = f"```{{bibtex}} {key}\n"
    cite = f"{title}, TODO ([chapter]({name}.ipynb)):\n\n{box}```\n\n"
    heading = f"\n## {title}\n\n```{{eval-rst}}\n.. automodule:: rnmf_tutorial.papers.{name}\n"
    lines = [
        (module, r"regularized,\s+zhang", f"{name}, ", listed),
        (module, r'"regularized",\s+"zhang"', f"{listed}, "),
        (
            "_toc.yml",
            r"^  - caption: Checking the papers$",
            f"      - file: book/{name}\n",
        ),
        (
            "book/references.bib",
            r"\Z",
            "\n" + filled("entry.bib", names),
            f"{{{key},\n",
        ),
        ("book/cite.md", r"^The \[bibliography\]", cite, box),
        ("book/api/papers.md", r"\Z", f"{heading}   :members:\n```\n"),
    ]
    for line in lines:
        changed(*line)  # fails before anything is written if a place is missing
    write(f"rnmf_tutorial/papers/{name}.py", filled("box.py", names))
    write(f"tests/laws/test_{name}.py", filled("test.py", names))
    write(f"book/studies/{name}/__init__.py", filled("study.py", names))
    for file in ("grids.py", "verdicts.py", "words.toml"):
        write(f"book/studies/{name}/{file}", filled(file, names))
    write(f"book/{name}.ipynb", chapter(names))
    for line in lines:
        change(*line)
    add_slips(names)
    new = ["rnmf_tutorial/papers", f"tests/laws/test_{name}.py", f"book/studies/{name}"]
    for command in (["check", "--fix"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, "-q", *new], cwd=ROOT)
    print(NEXT.format(**names))


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "book"), str(ROOT)]
    if len(sys.argv) != 4 or not all(sys.argv[1:]):
        sys.exit(__doc__)
    if why := refusal(*sys.argv[1:]):
        sys.exit(why)
    scaffold(*sys.argv[1:])
