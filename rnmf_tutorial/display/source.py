"""Show code on a page exactly as the package has it."""

import ast
import inspect
import textwrap
from collections.abc import Callable

from IPython.display import Markdown

__all__ = ["show_source"]


def show_source(*functions: Callable) -> Markdown:
    """Return the source of functions as highlighted code, never a copy of it.

    A method stands below the name of its class. Parameters, references and examples in docstrings
    are left to the API reference.

    Parameters
    ----------
    *functions : callable
        Functions, methods or classes of the package.

    Returns
    -------
    IPython.display.Markdown

    Examples
    --------
    >>> from rnmf_tutorial.steps import Multiplicative
    >>> show_source(Multiplicative.update_W).data.splitlines()[1:3]
    ['class Multiplicative:', '    def update_W(self, point, loss, Q):']
    """
    pieces, last = [], ""
    for function in functions:
        owner = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
        source = without_sections(inspect.getsource(function))
        if inspect.isfunction(function) and owner not in ("", "<locals>"):
            source = textwrap.indent(source, " " * 4)
            source = source if owner == last else f"class {owner}:\n{source}"
        pieces.append(source)
        last = owner
    return Markdown("```python\n" + "\n".join(pieces) + "```")


def without_sections(source):
    """Return the source of a function or class, its docstring cut before the first section."""
    lines = textwrap.dedent(source).splitlines()
    first = ast.parse("\n".join(lines)).body[0].body[0]
    doc = range(first.lineno - 1, first.end_lineno)
    for i in doc[:-1]:
        if lines[i].strip() and set(lines[i + 1].strip()) == {"-"}:
            text = "\n".join(lines[:i]).rstrip()
            quotes = '"""' if text.count("\n") == doc[0] else "\n" + " " * first.col_offset + '"""'
            return "\n".join([text + quotes, *lines[doc.stop :], ""])
    return "\n".join([*lines, ""])
