"""Figures and tables of the scoreboard."""

from html import escape

import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib.patches import Patch

from figures.panels import panels
from figures.tables import html_table
from studies.machinery.scoreboard import as_text, counted, scoreboard

STYLE = {  # face, edge, hatch, text
    "✓": ("#0072B2", "#0072B2", "", "white"),
    "≈": ("#FFFFFF", "#0072B2", "////", "black"),
    "✗": ("#5E5E5E", "#5E5E5E", "", "white"),
    "–": ("#FFFFFF", "#000000", "", "black"),
    "○": ("#FFFFFF", "#000000", "xxxx", "black"),
}


def stacked(ax, counts, looks, least=0.0):
    """Draw each row of a table as a bar, with a number in each part that has room for it."""
    share = counts.div(counts.sum(axis=1), axis=0)
    left = np.zeros(len(counts))
    for name, (face, edge, hatch, ink) in looks.items():
        look = {"color": face, "edgecolor": edge, "hatch": hatch, "height": 0.7}
        bars = ax.barh(counts.index, share[name], left=left, **look)
        for bar, n, part in zip(bars, counts[name], share[name], strict=True):
            bar.set_visible(n > 0)
            if part > least:
                box = (
                    {"facecolor": face, "edgecolor": "none", "pad": 1}
                    if hatch
                    else None
                )
                middle = {"ha": "center", "va": "center", "color": ink, "bbox": box}
                ax.text(*bar.get_center(), f"{n:.0f}", **middle)
        left = left + share[name].to_numpy()
    ax.grid(False)
    ax.invert_yaxis()


def legend_of(ax, looks, words):
    """Name the parts of the bars above the figure."""
    patches = [
        Patch(
            fc=face, ec=edge, hatch=hatch, label=f"{name} {words.get(name, '')}".strip()
        )
        for name, (face, edge, hatch, _) in looks.items()
    ]
    ax.figure.legend(handles=patches, loc="outside upper center", ncols=2)


def headline(papers, sentences, words):
    """Draw what survives: numbers, pairs that print tells apart, sentences; a bar a paper.

    Parameters
    ----------
    papers : DataFrame
        Of `studies.scoreboard.summary`, a row a paper.
    sentences : DataFrame
        How many sentences of each paper have each mark.
    words : dict of str to str
        Mark, its verdict.
    """
    null = papers.ticks - papers.beyond
    numbers = pd.DataFrame({"✓ beyond the nulls": papers.beyond, "✓ of a null": null})
    numbers["≈"] = papers.ordered
    numbers["✗"] = papers.failed
    unclear = papers.pairs - papers.as_printed - papers.opposite
    pairs = pd.DataFrame(
        {"on the printed side": papers.as_printed, "not clear": unclear}
    )
    pairs["on the other side"] = papers.opposite
    marks = {mark: STYLE[mark] for mark in "≈✗○"}
    ticks = [STYLE["✓"], ("#0072B24D", "#0072B2", "", "black")]
    sides = [STYLE["✓"], ("#FFFFFF", "#000000", "", "black"), STYLE["✗"]]
    looks = dict(zip(numbers, ticks, strict=False)) | marks
    sided = dict(zip(pairs, sides, strict=True))
    axes = panels(3, 1, (5, 6.6), height_ratios=[4, 4, 5])
    stacked(axes[0], numbers, {name: looks[name] for name in numbers}, least=0.04)
    stacked(axes[1], pairs, sided, least=0.04)
    stacked(axes[2], sentences, {"✓": STYLE["✓"]} | marks, least=0.04)
    titles = ["numbers", "pairs that print tells apart", "printed sentences"]
    for ax, title in zip(axes, titles, strict=True):
        ax.set(xlim=(0, 1), xticks=[])
        ax.set_title(title, loc="left")
        ax.spines["bottom"].set_visible(False)
    legend_of(axes[0], looks | sided, words)


def bar_of(row):
    """Name the bar of a row: its paper, and its table or its kind."""
    paper = row.paper.removesuffix(" et al.").removesuffix(" NMF")
    if row.kind == "sentence":
        return f"{paper}: sentences"
    data = {"orl": ", ORL", "yaleb": ", Yale B"} if paper == "Díaz" else {}
    return f"{paper}: {row.place}{data.get(row.data, '')}"


def verdicts_by_table(counts, words):
    """Draw the verdicts on each table and on the sentences of each paper, with totals."""
    label = "share of the rows; the total is at the right"
    (ax,) = panels(size=(5, 6.4), xlabel=label, xlim=(0, 1.1))
    stacked(ax, counts, STYLE)
    for y, total in enumerate(counts.sum(axis=1)):
        ax.text(1.02, y, total, va="center")
    ax.margins(y=0.01)
    legend_of(ax, STYLE, words)


def text_table(rows, columns):
    """Return a table for a page: head → how to write a row, with the row's names in braces."""
    records = rows.to_dict("records")
    texts = [
        {head: form.format(**row) for head, form in columns.items()} for row in records
    ]
    return html_table(pd.DataFrame(texts))


def judged(name):
    """Return a table of the printed sentences of a paper with our verdicts, as on the scoreboard.

    Parameters
    ----------
    name : str
        The paper, as the scoreboard calls it.
    """
    rows = counted(scoreboard(name)).query("kind == 'sentence'")
    shown = as_text(rows)
    shown["claim"] = [
        f'<a href="scoreboard.html#{row.id}">{escape(row.place)}</a>: {escape(row.what)}'
        for row in shown.itertuples()
    ]
    names = {
        "verdict": "verdict",
        "claim": "the paper says",
        "ours": "we find",
        "why": "why",
    }
    shown = shown[list(names)].rename(columns=names)
    return HTML(shown.to_html(index=False, border=0, justify="left", escape=False))


def table_of_survivors(rows):
    """Return a table of the verdicts and of the pairs; rows as the summary has them."""
    percent = 100 / rows.pairs.clip(lower=1)
    rows = rows.assign(same=percent * rows.as_printed, other=percent * rows.opposite)
    columns = {
        "paper": "{paper}",
        "table": "{place}",
        "✓ of tested": "{ticks} of {tested}",
        "equivalent": "{equivalent}",
        "largest null": "{null:.0f}",
        "✓ beyond": "{beyond:.0f}",
        "pairs": "{pairs}",
        "as printed (%)": "{same:.0f}",
        "opposite (%)": "{other:.0f}",
    }
    return text_table(rows.assign(paper=rows.paper.str.replace(" et al.", "")), columns)


def table_of_nulls(rows):
    """Return a table of what each null earns."""
    columns = {
        "paper": "{paper}",
        "table": "{place}",
        "✓": "{ticks}",
        "✓ by the row's mean": "{mean_of_row}",
        "✓ by shuffling (95%)": "{shuffled:.0f} ({low:.0f} to {high:.0f})",
        "✓ by one method": "{one_method} ({whose})",
        "≈ (by shuffling)": "{ordered} ({ordered_shuffled:.0f})",
    }
    return text_table(rows, columns)


def table_of_power(rows):
    """Return a table of what the draws could show, beside what print tells apart."""
    columns = {"paper": "{paper}", "table": "{place}", "draws": "{draws:.0f}"}
    columns |= {"could be seen (%)": "{seen:.1f}", "printed (%)": "{told:.1f}"}
    shares = {"seen": 100 * rows.detectable, "told": 100 * rows.printed}
    return text_table(rows.assign(**shares), columns)


def table_of_errors(errors, rivals, labels):
    """Return a table of mean errors, a row a task, with marks: ● the best of the rivals, ○ who is
    ahead of it in some draw.

    Parameters
    ----------
    errors : DataFrame
        A row for each task and draw, a column for each method.
    rivals : list of str
        The methods among which one is the best.
    labels : dict of str to str
        Method that is shown, its name in the table.
    """
    lines = []
    for task, draws in errors.groupby("task", sort=False):
        mean = draws.mean()
        best = mean[rivals].idxmin()
        ahead = draws[rivals].lt(draws[best], axis=0).any()
        marks = dict.fromkeys(ahead.index[ahead], " ○") | {best: " ●"}
        texts = {m: f"{mean[m]:.1f}{marks.get(m, '')}" for m in mean.dropna().index}
        lines.append([task, *(texts.get(m, "") for m in labels)])
    return html_table(pd.DataFrame(lines, columns=["error [%]", *labels.values()]))
