"""Figures and tables of the scoreboard."""

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from figures.panels import panels
from figures.tables import html_table

STYLE = {  # face, edge, hatch, text
    "✓": ("#0072B2", "#0072B2", "", "white"),
    "≈": ("#FFFFFF", "#0072B2", "////", "black"),
    "✗": ("#5E5E5E", "#5E5E5E", "", "white"),
    "–": ("#FFFFFF", "#000000", "", "black"),
    "○": ("#FFFFFF", "#000000", "....", "black"),
}


def stacked(ax, counts, looks, least=0.0):
    """Draw each row of a table as a bar, with a number in each part that has room for it."""
    share, left = counts.div(counts.sum(axis=1), axis=0), np.zeros(len(counts))
    for name, (face, edge, hatch, ink) in looks.items():
        look = {"color": face, "edgecolor": edge, "hatch": hatch, "height": 0.7}
        bars = ax.barh(counts.index, share[name], left=left, **look)
        for bar, n, part in zip(bars, counts[name], share[name], strict=True):
            bar.set_visible(n > 0)
            if part > least:
                box = {"facecolor": face, "edgecolor": "none", "pad": 1}
                middle = {"ha": "center", "va": "center", "color": ink, "bbox": box}
                ax.text(*bar.get_center(), f"{n:.0f}", **middle)
        left = left + share[name].to_numpy()
    ax.grid(False)
    ax.invert_yaxis()


def legend_of(ax, looks, words):
    """Name the parts of the bars above the figure."""
    patches = [
        Patch(fc=face, ec=edge, hatch=hatch, label=f"{name} {words.get(name, '')}".strip())
        for name, (face, edge, hatch, _) in looks.items()
    ]
    ax.figure.legend(handles=patches, loc="outside upper center", ncols=2)


def headline(numbers, pairs, sentences, words):
    """Draw what survives: numbers, pairs that print tells apart, sentences; a bar a paper."""
    titles = ["numbers", "pairs that print tells apart", "printed sentences"]
    axes = panels(3, 1, (5, 6.6), height_ratios=[4, 4, 5])
    white = ("#FFFFFF", "#000000", "", "black")
    looks = dict(zip(numbers, [STYLE["✓"], ("#9ECAE1", "#0072B2", "", "black")], strict=False))
    looks |= {mark: STYLE[mark] for mark in "≈✗○"}
    sided = dict(zip(pairs, [STYLE["✓"], white, STYLE["✗"]], strict=True))
    stacked(axes[0], numbers, {name: looks[name] for name in numbers}, least=0.04)
    stacked(axes[1], pairs, sided, least=0.04)
    stacked(axes[2], sentences, {mark: STYLE[mark] for mark in "✓≈✗○"}, least=0.04)
    for ax, title in zip(axes, titles, strict=True):
        ax.set(xlim=(0, 1), xticks=[])
        ax.set_title(title, loc="left")
        ax.spines["bottom"].set_visible(False)
    legend_of(axes[0], looks | sided, words)


def verdicts_by_table(counts, words):
    """Draw the verdicts on each table and on the sentences of each paper, with totals."""
    label = "share of the rows; the total is at the right"
    (ax,) = panels(size=(5, 6.4), xlabel=label, xlim=(0, 1.1))
    stacked(ax, counts, STYLE)
    for y, total in enumerate(counts.sum(axis=1)):
        ax.text(1.02, y, total, va="center")
    ax.margins(y=0.01)
    legend_of(ax, STYLE, words)


def text_table(frame, columns):
    """Return a table for a page: head → how to write a row, with the row's names in braces."""
    rows = frame.to_dict("records")
    texts = [{head: form.format(**row) for head, form in columns.items()} for row in rows]
    return html_table(pd.DataFrame(texts))
