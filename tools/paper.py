"""Write what a paper needs in order to stand in the book, each file with the questions it answers.

    make paper NAME=gao TITLE="Gao et al." KEY=gao2015

NAME is that of its module, study and notebook, TITLE what the scoreboard calls it, KEY that of its
entry in the bibliography. Nothing that exists is overwritten. The last lines say what comes next.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import notebooks

ROOT = Path(__file__).resolve().parent.parent

BOX = '''"""{title}, *TODO: the title*, TODO: the year."""

import numpy as np

__all__ = ["{name}", "{name}_objective"]


def {name}_objective(X, W, H):
    """Return TODO: which objective, by its printed number.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Returns
    -------
    float

    Examples
    --------
    >>> X = np.array([[1.0, 5.0]])
    >>> float({name}_objective(X, np.ones((1, 1)), np.array([[1.0, 3.0]])))
    4.0
    """
    return np.sum((X - W @ H) ** 2)  # TODO: what the paper minimizes


def {name}(X, W, H):
    """TODO: which printed box; one comment with the printed number for each line.

    A misprint is corrected here; `book/studies/slips.py` has the line as printed.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> W, H = next({name}(np.array([[1.0, 2.0]]), np.ones((1, 1)), np.ones((1, 2))))
    >>> W @ H  # TODO: what it is after one pass
    array([[1., 1.]])
    """
    while True:
        yield W, H  # TODO: lines 1, 2, ... of the box
'''

TEST = '''"""The box of {title}: does its objective fall, and does an estimator do the same?"""

from itertools import islice

import numpy as np

from rnmf_tutorial import checks
from rnmf_tutorial.papers import {name} as box

RNG = np.random.default_rng(0)
X, W, H = (0.1 + RNG.random(shape) for shape in [(9, 7), (9, 3), (3, 7)])


def test_the_objective_of_the_box_falls():
    points = [(W, H), *islice(box.{name}(X, W, H), 50)]
    history = [box.{name}_objective(X, *point) for point in points]
    checks.decreases(history)
    assert history[-1] < 0.9 * history[0]


# TODO: a test that an update with one sign changed fails the one above.
# TODO: if the package has an estimator of this method, that it does what the box does:
#       `same_iterates` for its solver="mu".
'''

STUDY = '''"""{title}: TODO, in one line, what is rerun."""

from studies import Paper
from studies.machinery.words import without_rows

from .grids import EXPERIMENT, GRIDS
from .verdicts import claims

PAPER = Paper(
    number={number},
    name="{title}",
    key="{key}",
    chapter="{name}",
    box="{name}",
    rows=(claims,),
    **without_rows(__file__),
)
'''

WORDS = """[left_out] # TODO: each table and figure without a row, and why
"Fig. TODO" = "a picture, no result"

[silent] # TODO: "§6, an open question" = "why it has no row"

[sentences.first] # TODO: a name, and the words that it stands for
place = "§TODO, figure or table"
quotation = "TODO: the paper's words"
cause = "" # if it is not reproduced: noise, protocol not stated, ...
reason = ""
"""

GRIDS = '''"""Experiments of {title}. Commit before you run them: each row names its commit."""

from studies import Grid


def cell(seed):
    """TODO: one draw of one experiment. Which data, which corruption, how many sweeps?

    What the paper does not say, say here, and where it was taken from. It returns numbers by name.
    """
    raise NotImplementedError("what does one draw compute?")


EXPERIMENT = Grid(
    "{name}-experiment",
    cell,
    quick={{"seed": [0]}},  # some of those below: the chapter runs them again
    paper={{"seed": list(range(10))}},
)
GRIDS = [(EXPERIMENT, [])]  # with the names of the data sets that it needs
'''

VERDICTS = '''"""Verdicts on {title}, by the one rule of `studies.machinery.rule`.

TODO: for a table, put the printed numbers into `printed.py` beside this file, and see
`studies/sparse/verdicts.py`. For a sentence, quote it in `words.toml`; here stands a number per
draw, positive where it holds.
"""

from studies import stored
from studies.machinery.verdicts import sentence_rows
from studies.machinery.words import sentences

says = sentences(__file__)


def claims():
    """Judge what the paper says."""
    rows = stored("{name}-experiment")
    return sentence_rows([says("first", [rows.TODO])])
'''

FIGURE = {
    "mystnb": {
        "figure": {"caption": "TODO: what is drawn, with its data.", "name": "fig-NAME"},
        "image": {"alt": "TODO: what one sees, in words."},
    },
    "tags": ["hide-input"],
}
CHAPTER = [  # text, or the metadata of a cell and its code
    "# TODO: the question, in the reader's words\n\n"
    "TODO: two sentences that a figure answers ({{numref}}`fig-{name}`).",
    (
        FIGURE,
        "import matplotlib.pyplot as plt\n\nfrom figures import figure_style, show_source\n"
        "from rnmf_tutorial import papers\n"
        "from studies import rerun\nfrom studies.{name} import EXPERIMENT\n\n"
        "figure_style()\nplt.plot([0, 1])  # TODO: what goes wrong, in one picture\nplt.show()",
    ),
    """```{{admonition}} The verdict
:class: verdict-card

**The paper.** {title}, *TODO* {{cite:p}}`{key}`.

**It claims** TODO, in one sentence.

**What holds.** TODO

**What does not.** TODO

**Correct before use.** TODO: misprints that change the result.

About TODO minutes. [Numbers](scoreboard.ipynb) · [Slips](slips.ipynb)
```""",
    "## The idea on the smallest example\n\nTODO: numbers that one can follow by hand.",
    "## Objective and update\n\nTODO: the derivation, with nothing left to the reader.",
    "TODO: the paper's box, and after it, if the package has one, the step: its `__call__`.",
    ({"tags": ["nbval-check-output", "remove-input"]}, "show_source(papers.{name}.{name})"),
    "## Break it\n\nTODO: one changed line, what it spoils, and the check that notices.",
    "## What the paper found, and what we found\n\nTODO: figures first; the numbers stand on the "
    "scoreboard.",
    (
        {"tags": ["checks", "hide-cell"]},
        '# a slice of the stored rows, run again\nassert rerun(EXPERIMENT, ["TODO: a number"])',
    ),
]

SLIPS = """## {title}

TODO: a row for each, or, without the table, the sentence "We found none."

| place | printed | should be | kind | shown in |
|---|---|---|---|---|
"""

ENTRY = """
@article{{{key},
  author  = {{TODO}},
  title   = {{TODO}},
  journal = {{TODO}},
  year    = {{TODO}},
  doi     = {{TODO}}
}}
"""

NEXT = """
Now, in this order:
  1. rnmf_tutorial/papers/{name}.py, and tests/laws/test_{name}.py, which fails until it descends
  2. book/studies/{name}: grids.py, then verdicts.py; `make format`, and commit
  3. cd book && ../.venv/bin/python -m studies {name} --scale paper
  4. book/{name}.ipynb, book/slips.ipynb, book/cite.md, book/references.bib
  5. make format; make notebooks NB="book/{name}.ipynb book/slips.ipynb book/scoreboard.ipynb"
  6. .venv/bin/python paper/fill.py, for the numbers of the papers about this book
What is still owed: .venv/bin/python -m pytest -q tests/book/test_papers.py"""


def write(path, text):
    """Write a file that is not there yet."""
    path = ROOT / path
    if path.exists():
        print(f"is there already: {path.relative_to(ROOT)}")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"written: {path.relative_to(ROOT)}")


def change(path, old, new, mark=None):
    """Put a line into a file, before the place that `old` finds, unless it or its mark is there."""
    path = ROOT / path
    text = path.read_text(encoding="utf-8")
    if (mark or new) in text:
        return
    if not (place := re.search(old, text, re.M)):
        raise ValueError(f"{path.relative_to(ROOT)} has no place like {old!r}.")
    path.write_text(text[: place.start()] + new + text[place.start() :], encoding="utf-8")
    print(f"changed: {path.relative_to(ROOT)}")


def chapter(names):
    """The chapter, with its questions."""
    book = nbformat.v4.new_notebook()
    for part in CHAPTER:
        if isinstance(part, str):
            book.cells.append(nbformat.v4.new_markdown_cell(part.format(**names)))
            continue
        metadata, code = part
        book.cells.append(nbformat.v4.new_code_cell(code.format(**names)))
        metadata = json.loads(json.dumps(metadata).replace("NAME", names["name"]))
        book.cells[-1].metadata = nbformat.from_dict(metadata)
    return nbformat.writes(notebooks.normalize(book)) + "\n"


def add_slips(names):
    """A section at the end of the papers' sections of the slips."""
    path = ROOT / "book" / "slips.ipynb"
    book = notebooks.read(path)
    if any(f"## {names['title']}" in cell.source for cell in book.cells):
        return
    last = next(k for k, cell in enumerate(book.cells) if cell.source.startswith("## Misread"))
    book.cells.insert(last, nbformat.v4.new_markdown_cell(SLIPS.format(**names)))
    notebooks.write(path, notebooks.normalize(book))
    print("changed: book/slips.ipynb")


def scaffold(name, title, key):
    """Write all files of a paper, and a line wherever papers are listed."""
    sys.path[:0] = [str(ROOT / "book"), str(ROOT)]
    from studies import papers

    number = max(paper.number for paper in papers()) + 1
    names = {"name": name, "title": title, "key": key, "number": number}
    write(f"rnmf_tutorial/papers/{name}.py", BOX.format(**names))
    write(f"tests/laws/test_{name}.py", TEST.format(**names))
    for file, text in (("__init__", STUDY), ("grids", GRIDS), ("verdicts", VERDICTS)):
        write(f"book/studies/{name}/{file}.py", text.format(**names))
    write(f"book/studies/{name}/words.toml", WORDS)
    write(f"book/{name}.ipynb", chapter(names))
    module, listed = "rnmf_tutorial/papers/__init__.py", f'"{name}"'
    change(module, r"regularized,\s+zhang", f"{name}, ", listed)
    change(module, r'"regularized",\s+"zhang"', f"{listed}, ")
    change("_toc.yml", r"^      - file: book/scoreboard$", f"      - file: book/{name}\n")
    change("book/references.bib", r"\Z", ENTRY.format(**names), f"{{{key},\n")
    box = f"```{{bibtex}} {key}\n"
    cite = f"{title}, TODO ([chapter]({name}.ipynb)):\n\n{box}```\n\n"
    change("book/cite.md", r"^The \[bibliography\]", cite, box)
    heading = f"\n## {title}\n\n```{{eval-rst}}\n.. automodule:: rnmf_tutorial.papers.{name}\n"
    change("book/api/papers.md", r"\Z", f"{heading}   :members:\n```\n")
    add_slips(names)
    new = ["rnmf_tutorial/papers", f"tests/laws/test_{name}.py", f"book/studies/{name}"]
    for command in (["check", "--fix"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, "-q", *new], cwd=ROOT)
    print(NEXT.format(**names))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name")
    parser.add_argument("title")
    parser.add_argument("key")
    options = parser.parse_args()
    if not re.fullmatch(r"[a-z][a-z_0-9]*", options.name):
        parser.error("NAME becomes a Python module: lower-case letters, digits, _.")
    scaffold(options.name, options.title, options.key)
