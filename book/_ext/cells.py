"""Fold what a reader need not see behind a glyph in the margin.

A cell with the tag ``hide-input`` draws or keeps books: its code stands
behind ‹› *below* its output. A cell with the tag ``checks`` asserts what the
text says: it stands behind ✓, which counts its checks, and its first comment
says what was checked. Neighbors share one glyph. What opens stands in the
text; ``quiet.css`` puts the glyphs where they do not disturb it.
"""

import ast
import re
from html import escape

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

GLYPHS = {"checks": "✓", "code": "‹›"}
IMPORTS = (ast.Import, ast.ImportFrom)


class Fold(nodes.Element):
    """Cells behind one glyph; ``kind`` is "code" or "checks", ``codes`` their sources."""


def open_fold(self, node):
    kind = node["kind"]
    words = escape(title(node))
    short = escape(title(node).partition(":")[0])
    self.body.append(
        f'<details class="fold fold-{kind}">'
        f'<summary title="{short}" aria-label="{words}">{GLYPHS[kind]}'
        "</summary>\n"
    )
    if kind == "checks":
        self.body.append(f'<p class="fold-said">{words}.</p>\n')


def close_fold(self, node):
    self.body.append("</details>\n")


def title(fold):
    """What a fold holds, in words."""
    codes = fold["codes"]
    if fold["kind"] == "code":
        return "Imports" if all(map(only_imports, codes)) else "Code"
    count = sum(map(number_of_checks, codes))
    said = filter(None, map(first_comment, codes))
    return ": ".join(
        filter(None, (f"{count} check{'s' * (count != 1)} passed", "; ".join(said)))
    )


def tree_of(source):
    """The syntax tree of a cell, its magics left out."""
    return ast.parse(re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", source))


def number_of_checks(source):
    """Assertions, errors that must come, calls of `checks`, as written."""
    return sum(map(is_check, ast.walk(tree_of(source))))


def is_check(node):
    if isinstance(node, ast.withitem):
        return ast.unparse(node.context_expr).startswith("pytest.raises")
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        return name.startswith("checks.") and name != "checks.iterates"
    return isinstance(node, ast.Assert)


def only_imports(source):
    body = tree_of(source).body
    return bool(body) and all(isinstance(node, IMPORTS) for node in body)


def first_comment(source):
    """The comment on the first lines of a cell, in one line, or nothing.

    That a key of a question follows is no news to a reader.
    """
    lines = []
    for line in source.splitlines():
        if not line.startswith("#"):
            break
        if not line.startswith("# key of "):
            lines.append(line.lstrip("# ").strip())
    return " ".join(lines).rstrip(".")


def kind_of(cell):
    """The fold that a node of the page belongs into, or None."""
    if not isinstance(cell, nodes.container) or "nb_element" not in cell:
        return None
    if "tag_checks" in cell["classes"]:
        return "checks"
    return "code" if cell.get("hide_mode") == "input" else None


def fold(cell, kind):
    """Put the source of a cell behind a glyph; of checks the output too."""
    source, *outputs = cell.children
    inside, outside = (
        ([source, *outputs], []) if kind == "checks" else ([source], outputs)
    )
    folded = Fold("", *inside, kind=kind, codes=[source.astext()])
    cell.children = []
    cell.extend([*outside, folded])
    cell.attributes.pop("hide_mode", None)
    return folded


class FoldCells(SphinxPostTransform):
    """Fold every cell that asks for it, before MyST-NB does."""

    default_priority = 198
    formats = ("html",)

    def run(self, **kwargs):
        last = None  # the fold just made
        for cell in list(self.document.findall(nodes.container)):
            if kind := kind_of(cell):
                folded = fold(cell, kind)
                if last and last["kind"] == kind and neighbors(last.parent, cell):
                    share(last, folded)
                last = folded


def neighbors(one, other):
    """Whether cells touch, and nothing shows of the first."""
    parent = one.parent
    return (
        parent is other.parent
        and parent.index(other) == parent.index(one) + 1
        and len(one.children) == 1
    )


def share(old, new):
    """Let the fold of a cell move into that of the next."""
    new.insert(0, old.children)
    new["codes"] = old["codes"] + new["codes"]
    old.parent.parent.remove(old.parent)


def setup(app):
    app.add_css_file("quiet.css", priority=850)  # after custom.css
    app.add_node(Fold, html=(open_fold, close_fold))
    app.add_post_transform(FoldCells)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
