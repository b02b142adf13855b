"""Write the papers from their templates: each number and each table comes from stored results.

    python paper/fill.py

It fills ``{{name}}`` in ``*.in.md`` and writes ``*.md`` beside it, and ``paper.bib``
with the entries that the papers cite.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "book"), str(ROOT)]

from studies.machinery.rule import (  # noqa: E402
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SAME_ORDERING,
)
from studies.machinery.scoreboard import LEFT_OUT, counted, scoreboard, summary  # noqa: E402
from studies.machinery.store import read  # noqa: E402
from studies.machinery.verdicts import MARKS, printed_once, sentences_by_chance  # noqa: E402

PROOFS = ROOT / "tests" / "laws" / "test_proofs.py"
VERDICTS = (REPRODUCED, SAME_ORDERING, NOT_REPRODUCED)
WHOLE = [
    "tested",
    "ticks",
    "ordered",
    "failed",
    "one_method",
    "pairs",
    "as_printed",
    "opposite",
]


def table(head, rows):
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def stored_rows():
    """How many results the book keeps: the rows of all finished cells."""
    files = sorted((ROOT / "book" / "results").glob("*.jsonl"))
    return sum(len(cell["rows"]) for file in files for cell in read(file).values())


def label(tables):
    """[Re] or [¬Re] where the ✓ of a table leave what its nulls explain, else no verdict."""
    if tables.empty:
        return "no numbers"
    above = (tables.ticks > tables[["high", "null"]].max(axis=1)).any()
    below = (tables.ticks < tables.low).any()
    if above == below:
        return "undecided"
    return "**[Re]**" if above else "**[¬Re]**"


def papers(board, said, found):
    """The verdicts on each paper's numbers and sentences."""
    sums = found[found.place == "all"].set_index("paper")
    rows = []
    for paper in board.paper.unique():
        verdict = said.verdict[said.paper == paper]
        sentences = " / ".join(str((verdict == mark).sum()) for mark in VERDICTS)
        tables = found[(found.paper == paper) & (found.place != "all")]
        if tables.empty:
            numbers = ["–"] * 4
        else:
            one = sums.loc[paper]
            verdicts = f"{one.ticks:.0f} / {one.ordered:.0f} / {one.failed:.0f}"
            sides = f"{one.as_printed:.0f} of {one.pairs:.0f}"
            numbers = [f"{one.tested:.0f}", verdicts, f"{one['null']:.0f}", sides]
        rows.append([paper, label(tables), *numbers, sentences])
    head = [
        "paper",
        "label",
        "numbers",
        "✓ / ≈ / ✗",
        "chance",
        "same side",
        "sentences ✓ / ≈ / ✗",
    ]
    return table(head, rows)


def causes(board):
    """How often each cause was found, by paper."""
    failed = board[board.verdict == NOT_REPRODUCED]
    counts = failed.groupby(["paper", "cause"], sort=False).size()
    return table(
        ["paper", "cause", "✗"], [[*key, count] for key, count in counts.items()]
    )


def claims(said):
    """Every printed sentence once, and the verdict on it."""
    rows = [
        [row.paper, row.place, f"“{row.quotation}”", MARKS[row.verdict]]
        for row in said.itertuples()
    ]
    return table(["paper", "place", "sentence", ""], rows)


def numbers():
    """Name -> what the papers say there."""
    everything = scoreboard()
    board = counted(everything)
    found = summary(everything)
    sums = found[found.place == "all"]
    quoted = board[board.kind == "sentence"]
    said = printed_once(quoted)
    by_chance = sentences_by_chance(quoted)
    judged = (board.kind == "number").sum() + len(said)
    said = said[said.verdict != NOT_TESTABLE]
    left_out = [[*key, why] for key, why in LEFT_OUT.items()]
    return {name: int(sums[name].sum()) for name in WHOLE} | {
        "judged": judged,
        "shuffled": round(sums.shuffled.sum()),
        "sentences": len(said),
        "sentence_ticks": int((said.verdict == REPRODUCED).sum()),
        "sentences_by_chance": f"{by_chance.reproduced_by_chance.sum():.1f}",
        "sentences_together": int(by_chance.together.sum()),
        "rows": f"{stored_rows():,}",
        "lemmas": len(re.findall(r"^@lemma", PROOFS.read_text(encoding="utf-8"), re.M)),
        "papers": papers(board, said, found),
        "causes": causes(board),
        "claims": claims(said),
        "left_out": table(["paper", "place", "why"], left_out),
    }


def filled(template, values):
    """The text of a template with every name replaced; an unknown name is an error."""
    return re.sub(r"\{\{(\w+)\}\}", lambda name: str(values[name[1]]), template)


def cited(texts):
    """The entries of the book's bibliography that the texts cite."""
    keys = {
        key
        for text in texts
        for key in re.findall(r"@([a-z]+\d{4}|regularized)\b", text)
    }
    book = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    entries = re.finditer(r"^@\w+\{(\w+),.*?^\}\n", book, re.M | re.S)
    found = {entry[1]: entry[0] for entry in entries}
    if unknown := keys - set(found):
        raise KeyError(f"book/references.bib lacks {sorted(unknown)}.")
    return "\n".join(found[key] for key in sorted(keys))


def files():
    """Path -> the text that it should have."""
    values = numbers()
    templates = {
        path: path.read_text(encoding="utf-8") for path in HERE.glob("*.in.md")
    }
    texts = {
        path.with_name(path.name.replace(".in.md", ".md")): filled(text, values)
        for path, text in templates.items()
    }
    return texts | {HERE / "paper.bib": cited(templates.values())}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
