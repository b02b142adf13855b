"""Show code on a page exactly as the package has it."""

import ast
import inspect
import textwrap
from collections.abc import Callable

from IPython.display import Markdown

__all__ = ["show_source"]


def show_source(*functions: Callable) -> Markdown:
    """Return the source of functions as highlighted code, never a copy of it.

    Parameters, references and examples in their docstrings are left to the API reference.

    Parameters
    ----------
    *functions : callable
        Functions or methods of the package.

    Returns
    -------
    IPython.display.Markdown

    Examples
    --------
    >>> from rnmf_tutorial.papers import zhang
    >>> show_source(zhang.soft_threshold).data.splitlines()[1]
    'def soft_threshold(x, nu):'
    """
    sources = [without_sections(inspect.getsource(function)) for function in functions]
    return Markdown("```python\n" + "\n".join(sources) + "```")


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
