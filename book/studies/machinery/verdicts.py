"""Rows of the scoreboard: printed numbers and quoted sentences with verdicts by the one `rule`.

A row of kind "number" sets a printed number beside the mean of ours; one of kind
"sentence" a quotation beside what we found; one of kind "question" has what we asked
ourselves and no paper says, and is not counted. The studies of the papers make such
rows from stored results; `scoreboard` puts them together.
"""

import pandas as pd

from studies.machinery.rule import (
    LEAST_EFFECT,
    MISPRINT,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SAME_ORDERING,
    chance_levels,
    detectable,
    holm,
    p_value,
    sentence_verdict,
    statistics,
)

#: Verdict -> its mark in the tables of the book.
MARKS = {
    REPRODUCED: "✓",
    SAME_ORDERING: "≈",
    NOT_REPRODUCED: "✗",
    MISPRINT: "–",
    NOT_TESTABLE: "○",
}

#: Columns of a row of any kind. `reading` is empty for the reading of the paper that is
#: counted.
COLUMNS = [
    *(
        "paper",
        "kind",
        "place",
        "data",
        "setting",
        "method",
        "metric",
        "reading",
        "printed",
    ),
    *(
        "ours",
        "sd",
        "runs",
        "claim",
        "found",
        "bar",
        "verdict",
        "seen",
        "cause",
        "reason",
    ),
    *("untested", "row_of", "equivalent"),
    *("detectable", "p", "chance", "chance_ordered"),
]


def differences(parts, form="{:+.4f} ± {:.4f}", unit=1.0):
    """Write the smallest and the largest mean of some parts, with their standard errors."""
    pairs = [statistics(part)[1:] for part in parts]
    if min(map(len, parts)) < 2:
        form, pairs = form.split(" ±")[0], [(mean, 0.0) for mean, _ in pairs]
    shown = dict.fromkeys([min(pairs), max(pairs)])
    return " to ".join(form.format(unit * mean, unit * error) for mean, error in shown)


def sentence(
    place,
    quotation,
    parts,
    found="",
    *,
    about="",
    data="",
    bar="",
    substitute="",
    undefined="",
    cause="",
    reason="",
    form="{:+.4f} ± {:.4f}",
    unit=1.0,
    least=LEAST_EFFECT,
):
    """Judge one sentence of a paper and return it as a row.

    Parameters
    ----------
    place, quotation : str
        Section, figure or table, and the paper's words; "…" where some are left out.
    parts : list of array-like
        One number per draw each, positive where the sentence holds.
    found : str
        What we found. "" writes the smallest and the largest mean of the parts.
    about : str
        Which part of the sentence this row is about.
    data : str
    bar : str
        A bar that the sentence does not state: ours.
    substitute : str
        How the data differ from the paper's, if they do; there is no verdict then.
    undefined : str
        Which word of the sentence no number defines, if there is one; there is no
        verdict then.
    cause, reason : str
        Why it is not reproduced, if it is not.
    form, unit
        How to write a mean and its error.
    least : float
        The smallest effect of a part; 0 for a theorem and for the steps of a trend.

    Returns
    -------
    dict
        Beside what is given, `detectable` says which true difference would have been
        seen in every part, in the words of `form` and with nothing if `found` is given;
        `p`, `chance` and `chance_ordered` are those of `rule.p_value` and
        `rule.chance_levels`.
    """
    seen = sentence_verdict(*parts, least=least)
    untested = substitute or undefined
    verdict = NOT_TESTABLE if untested else seen
    chance, chance_ordered = chance_levels(*parts, least=least)
    fewest = min(map(len, parts))
    few = f"{fewest} draw{'s' * (fewest != 1)}" if seen == NOT_TESTABLE else ""
    failed = verdict == NOT_REPRODUCED
    return {
        "kind": "sentence",
        "place": place,
        "data": data,
        "claim": f"“{quotation}”" + (f" ({about})" if about else ""),
        "found": found or differences(parts, form, unit),
        "bar": bar,
        "runs": fewest,
        "verdict": verdict,
        "seen": seen,
        "cause": cause if failed else "",
        "reason": untested or few or (reason if failed else ""),
        "detectable": "" if found or few else smallest_seen(parts, form, unit),
        "p": p_value(*parts),
        "chance": chance,
        "chance_ordered": chance_ordered,
    }


def smallest_seen(parts, form="{:+.4f} ± {:.4f}", unit=1.0):
    """Write the smallest true difference that our draws would show in each of some parts.

    Examples
    --------
    >>> smallest_seen([[1.0, 2.0, 3.0]], "{:+.1f} ± {:.1f} points")
    '3.1 points'
    """
    mean, _, behind = form.partition(" ± ")
    words = behind.partition("}")[2]
    largest = unit * max(map(detectable, parts))
    return mean.replace("+", "").format(largest) + words


def question(asked, parts, found="", **more):
    """Judge a question of our own by the same rule; it stands in no paper and is not counted."""
    row = sentence("our own", "", parts, found, **more)
    return row | {"kind": "question", "claim": asked, "cause": "", "reason": ""}


def with_reasons(rows, why):
    """Add the cause and the reason that `why` gives for each row that is not reproduced."""
    said = [
        why(row) if row.verdict == NOT_REPRODUCED else ("", "")
        for row in rows.itertuples()
    ]
    return rows.assign(
        cause=[cause for cause, _ in said], reason=[reason for _, reason in said]
    )


def sentence_rows(rows):
    """Return judged sentences as a table."""
    return pd.DataFrame(list(rows))


def claims_table(rows):
    """Return sentences as the chapters show them.

    Parameters
    ----------
    rows : DataFrame
        With the columns place, claim, found and verdict.
    """
    heads = {
        "place": "where",
        "claim": "the paper's claim",
        "found": "ours",
        "verdict": "verdict",
    }
    return rows[list(heads)].rename(columns=heads)


def printed_once(rows):
    """Return one row for each printed sentence, whatever parts or data it was judged by.

    A sentence fails if one part does; else it cannot be tested if one part cannot; else
    it is as good as its weakest part.
    """
    order = [NOT_REPRODUCED, NOT_TESTABLE, SAME_ORDERING, REPRODUCED]
    words = rows.claim.str.extract("^“([^”]*)”")[0].rename("quotation")
    worst = rows.verdict.map(order.index).groupby(
        [rows.paper, rows.place, words], sort=False
    )
    once = worst.min().map(dict(enumerate(order)))
    return once.rename("verdict").reset_index()


def sentences_by_chance(rows):
    """Count the printed sentences of each paper, and what chance alone would give.

    Parameters
    ----------
    rows : DataFrame
        Sentences that count, with the columns of `COLUMNS`.

    Returns
    -------
    DataFrame
        One row per paper: how many printed sentences are `tested`; how many of them are
        `reproduced` and how many `ordered`, which is reproduced or of the same
        ordering; how many of each are expected if nothing differs, by chance
        (`reproduced_by_chance`, `ordered_by_chance`); and how many of the reproduced
        ones are `together`, by Holm's method over all papers. A sentence with several
        rows has the smallest chance and the largest p-value of its rows.
    """
    words = rows.claim.str.extract("^“([^”]*)”")[0].rename("quotation")
    keys = [rows.paper, rows.place, words]
    each = printed_once(rows).set_index(["paper", "place", "quotation"])
    groups = rows.groupby(keys, sort=False)
    each["p"] = groups.p.max()
    each["reproduced_by_chance"] = groups.chance.min()
    each["ordered_by_chance"] = groups.chance_ordered.min()
    each = each[each.verdict != NOT_TESTABLE]
    each["reproduced"] = each.verdict == REPRODUCED
    each["ordered"] = each.verdict.isin([REPRODUCED, SAME_ORDERING])
    each["together"] = holm(each.p) & each.reproduced
    each["tested"] = 1
    counts = ["tested", "reproduced", "together", "ordered"]
    expected = ["reproduced_by_chance", "ordered_by_chance"]
    found = each.groupby("paper", sort=False)[[*counts, *expected]].sum()
    return found.astype(dict.fromkeys(counts, int))


def marks(rows):
    """Return the mark of each row's verdict."""
    return rows.verdict.map(MARKS).rename("mark")


def count(rows, by):
    """Return how many rows have each mark, one line per value of `by`."""
    counts = rows.groupby([*by, marks(rows)], sort=False).size().unstack(fill_value=0)
    return counts[[mark for mark in MARKS.values() if mark in counts]]
