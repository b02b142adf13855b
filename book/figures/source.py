"""Show code on a page exactly as the package has it."""

import ast
import inspect
import io
import re
import textwrap
import tokenize
from collections.abc import Callable

from IPython.display import Markdown

__all__ = ["show_source"]

WIDEST = 76  # columns that a page shows without a scroll bar


def show_source(*functions: Callable) -> Markdown:
    """Return the source of functions as highlighted code, never a copy of it.

    A method is shown below the name of its class. Docstrings are left to the API
    reference, remarks to the linter are left out, and a comment at the end of a long
    line is moved to a line above it.

    Parameters
    ----------
    *functions : callable
        Functions, methods or classes of the package.

    Returns
    -------
    IPython.display.Markdown

    Examples
    --------
    >>> from rnmf_tutorial.solvers import Multiplicative
    >>> show_source(Multiplicative.update_H).data.splitlines()[1:3]
    ['class Multiplicative:', '    def update_H(self, work, loss, comparison):']
    """
    pieces = []
    last = ""
    for function in functions:
        owner = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
        source = without_docstrings(inspect.getsource(function))
        source = without_remarks(source)
        if inspect.isfunction(function) and owner not in ("", "<locals>"):
            source = textwrap.indent(source, " " * 4)
            source = source if owner == last else f"class {owner}:\n{source}"
        pieces.append(comments_above(source))
        last = owner
    return Markdown("```python\n" + "\n".join(pieces) + "```")


def without_docstrings(source):
    """Return the source of a function or class without any docstring in it."""
    source = textwrap.dedent(source)
    lines = source.splitlines()
    for node in reversed(list(ast.walk(ast.parse(source)))):
        documented = isinstance(
            node, ast.FunctionDef | ast.ClassDef
        ) and ast.get_docstring(node)
        if documented and len(node.body) > 1:
            first = node.body[0].lineno - 1
            after = node.body[0].end_lineno
            after += (
                after < len(lines) and not lines[after].strip()
            )  # and the empty line after it
            del lines[first:after]
    return "\n".join([*lines, ""])


def without_remarks(source):
    """Return the source without remarks to the linter.

    Examples
    --------
    >>> without_remarks("total += value  # noqa: F821")
    'total += value'
    """
    return re.sub(r" *# noqa\b.*", "", source)


def comments_above(source):
    """Return the source with a comment at the end of a line that is too wide on a line above."""
    lines = source.splitlines()
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(source).readline))):
        row, column = token.start
        if token.type == tokenize.COMMENT and len(lines[row - 1]) > WIDEST:
            code = lines[row - 1][:column].rstrip()
            if code.strip():
                indent = " " * (len(code) - len(code.lstrip()))
                lines[row - 1 : row] = [indent + token.string, code]
    return "\n".join([*lines, ""])
