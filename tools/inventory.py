"""List what the book has, and what it has lost since another revision.

    python tools/inventory.py                  # how many of each kind there are, page
    by page python tools/inventory.py --against HEAD~  # by name: what disappeared,
    moved or appeared

The second command ends with status 1 if something disappeared. It compares the files as
they are now with those that git has for the revision.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: Directive -> what it is called here. Directives that are not listed are not counted.
DIRECTIVES = {
    "prf:theorem": "theorem",
    "prf:lemma": "theorem",
    "prf:corollary": "theorem",
    "prf:proof": "proof",
    "exercise": "exercise",
    "solution-start": "solution",
    "solution": "solution",
    "predict": "quiz",
    "dropdown": "fold",
    "figure": "figure",
    "live": "live figure",
}
KINDS = [
    "equation",
    "theorem",
    "proof",
    "exercise",
    "solution",
    "quiz",
    "fold",
    "figure",
    "live figure",
    "target",
    "verdict card",
    "verdict",
    "code cell",
    "assertion",
]
#: The kinds whose items have no name of their own: they are counted only.
NAMELESS = {"code cell", "verdict card"}

EQUATION = re.compile(r"^[ >]*\$\$ *\(([\w:-]+)\)", re.M)
TARGET = re.compile(r"^\(([\w:.-]+)\)=", re.M)
# The fence, the name and the title of a directive, and the lines of its options.
DIRECTIVE = re.compile(
    r"^[ >]*(?:`{3,}|:{3,})\{([\w:-]+)\} *(.*)\n((?:[ >]*:[\w-]+:.*\n)*)", re.M
)
OPTION = re.compile(r"^[ >]*:(label|name|class): *(.*?) *$", re.M)
# A row of the scoreboard has an address of its own and says its verdict.
VERDICT = re.compile(r'<tr id="([\w.-]+)"[^>]* data-verdict=')


# ------------------------------------------------------------------ what a page has


def items_of_text(text):
    """Yield (kind, name) for what the Markdown of a page has."""
    for label in EQUATION.findall(text):
        yield "equation", label
    for label in TARGET.findall(text):
        yield "target", label
    for directive, title, options in DIRECTIVE.findall(text):
        found = dict(OPTION.findall(options))
        if "verdict-card" in found.get("class", ""):
            yield "verdict card", ""
        if directive == "dropdown" and title.startswith("Proof"):
            yield "proof", title
        elif directive in DIRECTIVES:
            yield (
                DIRECTIVES[directive],
                found.get("label") or found.get("name") or title,
            )


def items_of_code(source):
    """Yield (kind, name) for a cell of code; the name of an assertion is its text."""
    yield "code cell", ""
    without_magics = re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", source)
    for node in ast.walk(ast.parse(without_magics)):
        if isinstance(node, ast.Assert):
            yield "assertion", ast.unparse(node.test)


def items_of_cell(cell):
    """Yield (kind, name) for what a cell of a notebook has."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield from items_of_text(source + "\n")
        return
    if cell["cell_type"] != "code":
        return
    yield from items_of_code(source)
    figure = cell["metadata"].get("mystnb", {}).get("figure", {})
    if "name" in figure:
        yield "figure", figure["name"]
    for output in cell["outputs"]:
        html = "".join(output.get("data", {}).get("text/html", ""))
        for name in VERDICT.findall(html):
            yield "verdict", name


def items_of_page(name, text):
    """Return how often a page has each (kind, name)."""
    if not name.endswith(".ipynb"):
        return Counter(items_of_text(text))
    cells = json.loads(text)["cells"]
    return Counter(item for cell in cells for item in items_of_cell(cell))


# -------------------------------------------------------------- the pages of a revision


def git(*arguments):
    """Return what a command of git prints."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True
    )
    return done.stdout.decode()


def inventory(revision=None):
    """Return page -> its items, for a revision of git, or for the files as they are now."""
    if revision is None:
        names = git("ls-files", "-z", "--", "book").split("\0")
        names = [name for name in names if (ROOT / name).is_file()]
    else:
        names = git("ls-tree", "-r", "-z", "--name-only", revision, "book").split("\0")
    found = {}
    for name in names:
        if name.endswith((".ipynb", ".md")):
            here = revision is None
            text = (
                (ROOT / name).read_text("utf-8")
                if here
                else git("show", f"{revision}:{name}")
            )
            found[name] = items_of_page(name, text)
    return found


# ------------------------------------------------------------------ what is printed


def table(pages):
    """Return the lines of a table: how many items of each kind every page has."""
    kinds = {page: Counter() for page in pages}
    for page, items in pages.items():
        for (kind, _), count in items.items():
            kinds[page][kind] += count
    total = sum(kinds.values(), Counter())
    lines = [f"{'':38}" + "".join(f"{kind:>14}" for kind in KINDS)]
    for page, counts in [*kinds.items(), ("total", total)]:
        if counts:
            lines.append(
                f"{page:38}" + "".join(f"{counts[kind] or '·':>14}" for kind in KINDS)
            )
    return lines


def changes(before, after):
    """Return three lists of sentences: what disappeared, what moved, and what appeared.

    An item moved if one page lost it and another one has it now. An item without a name
    cannot be followed: if a page has fewer of them, they disappeared.
    """
    gone = Counter()
    new = Counter()
    for page in {**before, **after}:
        old_items = before.get(page, Counter())
        new_items = after.get(page, Counter())
        for item, count in (old_items - new_items).items():
            gone[page, item] = count
        for item, count in (new_items - old_items).items():
            new[page, item] = count
    moved = []
    places = defaultdict(list)
    for page, item in new:
        places[item].append(page)
    for page, item in list(gone):
        for other in [] if item[0] in NAMELESS else places[item]:
            count = min(gone[page, item], new[other, item])
            gone[page, item] -= count
            new[other, item] -= count
            moved += [f"{page}: {described(item)} -> {other}"] * bool(count)
    return sentences(gone), moved, sentences(new)


def sentences(counts):
    """Return a line for every item of a page: its page, kind and name, and how many there are."""
    return [
        f"{page}: {described(item)}" + f" ({count} times)" * (count > 1)
        for (page, item), count in counts.items()
        if count
    ]


def described(item):
    """Return the kind and the name of an item, on one line."""
    kind, name = item
    name = " ".join(name.split())
    return f"{kind} {name[:117]}{'...' * (len(name) > 117)}".strip()


def main(arguments=None):
    """Print the inventory, or what changed; return the status of the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--against",
        metavar="REV",
        nargs="?",
        const="HEAD~",
        help="compare with this revision",
    )
    revision = parser.parse_args(arguments).against
    if revision is None:
        print("\n".join(table(inventory())))
        return 0
    gone, moved, new = changes(inventory(revision), inventory())
    for title, lines in (("Disappeared", gone), ("Moved", moved), ("Appeared", new)):
        print(f"{title}: {len(lines) or 'nothing'}")
        print("".join(f"  {line}\n" for line in lines), end="")
    return 1 if gone else 0


if __name__ == "__main__":
    sys.exit(main())
