"""Tables on a page."""

import pandas as pd
from IPython.display import HTML

__all__ = ["html_table"]


def html_table(frame: pd.DataFrame) -> HTML:
    """Return a table of text for a page, without row numbers.

    Parameters
    ----------
    frame : pandas.DataFrame
        What to show, as text.

    Returns
    -------
    IPython.display.HTML

    Examples
    --------
    >>> import pandas as pd
    >>> "reproduced" in html_table(pd.DataFrame({"verdict": ["reproduced"]})).data
    True
    """
    return HTML(frame.to_html(index=False, border=0, justify="left"))
