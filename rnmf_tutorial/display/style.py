"""One look for every figure of the book: sharp, and readable at the width of a phone."""

import matplotlib.pyplot as plt

__all__ = ["figure_style"]


def figure_style() -> None:
    """Draw the figures that follow as the book does.

    Figures have 192 dots per inch, so that a page, which shows an inch as 96 pixels, shows two
    dots a pixel. Text is 10 points: it keeps 9 pixels on a phone, where the column is 340 pixels
    wide, as long as the figure is at most 5.2 inches wide. What is wider stands better in rows.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure_style()
    >>> plt.rcParams["figure.dpi"], plt.rcParams["font.size"]
    (192.0, 10.0)
    """
    plt.rcParams.update(
        {
            "figure.dpi": 192,
            "figure.figsize": (5.0, 3.2),
            "font.size": 10,
            "axes.titlesize": 10,
            "axes.labelsize": 10,
            "xtick.labelsize": 10,
            "ytick.labelsize": 10,
            "legend.fontsize": 10,
            "legend.frameon": False,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
