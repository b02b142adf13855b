"""Every number printed in the papers next to ours, and every sentence that was judged."""

import re
from unicodedata import normalize

import pandas as pd

from studies import papers
from studies.machinery.rule import (
    LEAST_DRAWS,
    MISPRINT,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SAME_ORDERING,
    nulls,
    power,
    require_causes,
    sides,
    two_errors,
)
from studies.machinery.verdicts import COLUMNS, MARKS

#: The papers in the order of the book; a study declares its own.
PAPERS = {paper.name: paper for paper in papers()}

#: What the papers contain and the board does not: (paper, place) -> the reason.
LEFT_OUT = {
    (p.name, place): why for p in PAPERS.values() for place, why in p.left_out.items()
}

#: Other claims and questions of the papers that have no row: (paper, which) -> why.
SILENT = {
    (p.name, which): why for p in PAPERS.values() for which, why in p.silent.items()
}

DATA = {name: name.upper() for name in ("orl", "umist", "cbcl", "msrc")}
DATA |= {"yale": "Yale", "yaleb": "Yale B"}
METRICS = {
    "rre": "RRE",
    "ac": "ACC",
    "nmi": "NMI",
    "e": "e (%)",
    "s": "s (%)",
    "c": "c",
}


def scoreboard(*names):
    """Return all rows, papers in the order of their chapters.

    Parameters
    ----------
    *names : str
        The papers; none means all.

    Returns
    -------
    DataFrame
        The columns are those of `verdicts.COLUMNS`. Printed numbers, ours and standard
        deviations are in the unit of the paper.

    Raises
    ------
    ValueError
        If something is not reproduced and has no cause.
    """
    papers = [PAPERS[name] for name in names or PAPERS]
    parts = [make().assign(paper=p.name) for p in papers for make in p.rows]
    rows = pd.concat(
        [part.reindex(columns=COLUMNS) for part in parts], ignore_index=True
    )
    words = [
        *("place", "data", "setting", "method", "metric", "reading"),
        "claim",
        "found",
        "bar",
    ]
    rows = rows.fillna(
        dict.fromkeys([*words, "seen", "cause", "reason", "untested", "detectable"], "")
    )
    rows["reason"] = rows.reason.mask(rows.reason == "", rows.untested)
    require_causes(rows[rows.kind != "question"])
    return rows


def counted(board):
    """Return the rows that count: no question of ours, and one reading of each number."""
    return board[(board.kind != "question") & (board.reading == "")]


def summary(board, shuffles=1000):
    """Count the verdicts on each paper's numbers beside their nulls, and state the power.

    Parameters
    ----------
    board : DataFrame
        All rows.
    shuffles : int
        How often our numbers are dealt out anew.

    Returns
    -------
    DataFrame
        One row per paper and table, a table on two data sets being two; the last one
        adds up a paper. `tested` numbers are those that could be tested; `ticks` of
        them are reproduced, and `equivalent` of these are surely within 5%; `beyond`
        is the ticks less the largest null, or 0; of `pairs` that print tells apart, so
        many are `as_printed` and `opposite`.
    """
    numbers = counted(board)
    numbers = numbers[numbers.kind == "number"]
    rows = []
    for paper, all_of_it in numbers.groupby("paper", sort=False):
        first = len(rows)
        for (place, data), part in all_of_it.groupby(["place", "data"], sort=False):
            tested = part[~part.verdict.isin([NOT_TESTABLE, MISPRINT])]
            if tested.empty:
                continue
            several = (all_of_it[all_of_it.place == place].data != data).any()
            rows.append(
                {
                    "paper": paper,
                    "place": f"{place}, {DATA[data]}" if several else place,
                    "tested": len(tested),
                    **_counts(part, tested, shuffles),
                    **power(tested),
                }
            )
        rows.append(_added(pd.DataFrame(rows[first:])))
    found = pd.DataFrame(rows)
    whole = [
        "tested",
        "ticks",
        "equivalent",
        "beyond",
        "ordered",
        "failed",
        "one_method",
    ]
    whole += ["mean_of_row", "pairs", "as_printed", "opposite"]
    return found.astype(dict.fromkeys(whole, int))


def _counts(part, tested, shuffles):
    found, weak = (
        nulls(part, shuffles=shuffles),
        nulls(part, SAME_ORDERING, shuffles=100),
    )
    names = ("mean_of_row", "shuffled", "low", "high", "one_method", "null")
    found["null"] = found["count"] - found["beyond"]
    return {
        "ticks": found["count"],
        "beyond": max(round(found["beyond"]), 0),
        "equivalent": int(tested.equivalent.astype(bool).sum()),
        **{name: found[name] for name in names},
        "whose": ", ".join(map(str, found["method"])),
        "ordered": weak["count"],
        "ordered_shuffled": weak["shuffled"],
        "failed": int((tested.verdict == NOT_REPRODUCED).sum()),
        **sides(part),
    }


def _added(tables):
    """Add up the tables of a paper; each has the null that is largest for it."""
    apart = ["place", "whose", "low", "high", "draws", "detectable", "printed"]
    return {"place": "all", "paper": tables.paper.iloc[0]} | (
        tables.drop(columns=["paper", *apart]).sum().to_dict()
    )


ROMAN = {"II": "2", "III": "3", "IV": "4"}
LETTERS = str.maketrans(
    {"λ": " lambda ", "σ": " sigma ", "δ": " delta ", ",": "", "’": ""}
)


def _in_ascii(*parts):
    """Return words in lower case with hyphens between them; L2,1 becomes l21."""
    words = re.sub(
        r"\bTable (II|III|IV)\b", lambda it: "Table " + ROMAN[it[1]], " ".join(parts)
    )
    words = (
        normalize("NFKD", words.translate(LETTERS)).encode("ascii", "ignore").decode()
    )
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def anchor(row):
    """Return the address of a row on its page, from what names it and never from its place.

    A sentence has its first six words and what the row is about.
    """
    who = row.paper.split()[0]
    if row.kind == "number":
        return _in_ascii(
            who, row.place, row.data, row.setting, row.method, row.metric, row.reading
        )
    said, _, about = row.claim.rpartition("”")
    words = " ".join(said.split()[:6]) if said else ""
    return _in_ascii(who, row.place, row.data.replace(",", " "), words, about)


def as_text(rows):
    """Return rows as text for a page: address, who, where, what, printed, ours, verdict, why."""
    found = pd.DataFrame([_text(row) for row in rows.itertuples()])
    found.insert(0, "id", [anchor(row) for row in rows.itertuples()])
    twice = found.id[found.id.duplicated()]
    if len(twice):
        raise ValueError(
            f"Rows need different addresses; {sorted(set(twice))} occur twice."
        )
    return found


def _by_the_rule(row):
    """Say what the rule saw: gap and two errors of a number, the comparisons of a sentence."""
    if row.kind != "number":
        words = {
            REPRODUCED: "better in every comparison",
            SAME_ORDERING: "right on average",
        }
        return words.get(row.verdict, "" if row.reason else "not right on average")
    if row.verdict == MISPRINT:
        return "breaks the run of its column by what looks like one digit"
    one, place = row.row_of
    if not row.printed:
        return "0 in print"
    gap = 100 * (row.ours / row.printed - 1)
    found = f"{abs(gap):.1f}% {'above' if gap > 0 else 'below'}"
    if row.runs >= LEAST_DRAWS:
        errors = two_errors(one.printed, one.draws)[place]
        found += f", two errors {100 * errors / row.printed:.1f}%"
    more = {SAME_ORDERING: ", each side as printed"}
    return found + more.get(row.verdict, ", equivalent" * bool(row.equivalent))


def _text(row):
    data, *more = row.data.split(", ")
    own = {"sentence": "(a sentence)", "question": "(our own question)"}
    shown = {
        "paper": row.paper,
        "place": row.place,
        "method": row.method or own[row.kind],
    }
    seen = (
        f"; seen: {MARKS[row.seen]}" if row.verdict == NOT_TESTABLE and row.seen else ""
    )
    because = ": ".join(filter(None, [row.cause, row.reason])) + seen
    because += f" (bar of ours: {row.bar})" if row.bar else ""
    verdict = {
        "verdict": f"{MARKS[row.verdict]} {row.verdict}",
        "cause": row.cause or "–",
        "why": "; ".join(filter(None, [_by_the_rule(row), because])),
    }
    if row.kind != "number":
        where = ", ".join([DATA.get(data, data), *more]).strip(", ")
        what = (
            f"{row.claim} ({where})" if where and where not in row.claim else row.claim
        )
        return shown | {"what": what, "printed": "", "ours": row.found} | verdict
    digits = PAPERS[row.paper].digits + (0 < row.printed < 0.1)
    percent = " (%)" if row.paper == "Guan et al." else ""
    reading = f" · {row.reading}" if row.reading else ""
    what = f"{DATA[data]} · {row.setting} · {row.method}{reading} · {METRICS[row.metric]}{percent}"
    found = round(row.ours, 12)  # a mean of few digits may lie between two, to rounding
    ours = f"{found:.{digits}f} ± {row.sd:.{digits}f} ({row.runs:.0f} draws)"
    if row.runs == 1:
        ours = f"{found:.{digits}f} (1 draw)"
    return (
        shown
        | {"what": what, "printed": f"{row.printed:.{digits}f}", "ours": ours}
        | verdict
    )
