"""Show code on a page exactly as the package has it."""

import inspect
import textwrap
from collections.abc import Callable

from IPython.display import Markdown

__all__ = ["show_source"]


def show_source(*functions: Callable) -> Markdown:
    """Return the source of functions as highlighted code, never a copy of it.

    Parameters
    ----------
    *functions : callable
        Functions or methods of the package.

    Returns
    -------
    IPython.display.Markdown

    Examples
    --------
    >>> from rnmf_tutorial import NMF
    >>> show_source(NMF.encode).data.splitlines()[1]
    'def encode(self, X, W, H):'
    """
    sources = [textwrap.dedent(inspect.getsource(function)) for function in functions]
    return Markdown("```python\n" + "\n".join(sources) + "```")
