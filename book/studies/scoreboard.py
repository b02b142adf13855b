"""Every number printed in the five papers next to ours, and every sentence that was judged."""

import pandas as pd

from studies import cheng, diaz, guan, sparse, zhang
from studies.verdicts import COLUMNS, MARKS

#: Paper -> what makes its rows, and the digits of its numbers.
PAPERS = {
    "Zhang et al.": ([zhang.claims], None),
    "Díaz et al.": ([diaz.numbers, diaz.claims], 3),
    "Regularized NMF": ([sparse.numbers, sparse.claims], 2),
    "Guan et al.": ([guan.numbers, guan.claims], 2),
    "Cheng et al.": ([cheng.numbers, cheng.claims], 4),
}

#: (paper, place) -> why its printed numbers have no verdict.
LEFT_OUT = {
    ("Díaz et al.", "Table 1"): "sweeps and repetitions of the runs, no results",
    ("Guan et al.", "Table I"): "formulas, no numbers; each is checked in the chapter",
    ("Guan et al.", "Table II, deviations"): "they depend on how the ten runs were made",
    ("Guan et al.", "Table III, deviations"): "they depend on how the ten runs were made",
    ("Guan et al.", "Table V"): "needs the AR faces, which may not be passed on",
    ("Cheng et al.", "Tables 1 to 3, ranks"): "the chapter shows them beside ours",
}

DATA = {"orl": "ORL", "yale": "Yale", "yaleb": "Yale B", "umist": "UMIST", "cbcl": "CBCL"}
METRICS = {"rre": "RRE", "ac": "ACC", "nmi": "NMI", "e": "e (%)", "s": "s (%)", "c": "c"}


def scoreboard():
    """Return all rows, papers in the order of their chapters.

    Returns
    -------
    DataFrame
        The columns are those of `verdicts.COLUMNS`. Printed numbers, ours and standard
        deviations are in the unit of the paper.
    """
    parts = [make().assign(paper=paper) for paper, (makers, _) in PAPERS.items() for make in makers]
    rows = pd.concat([part.reindex(columns=COLUMNS) for part in parts], ignore_index=True)
    words = [*("place", "data", "setting", "method", "metric", "claim", "found", "reason")]
    return rows.fillna(dict.fromkeys(words, ""))


def as_text(rows):
    """Return rows as text for a page: who, where, what, printed, ours, verdict, why."""
    return pd.DataFrame([_text(row) for row in rows.itertuples()])


def _text(row):
    data, *more = row.data.split(", ")
    shown = {"paper": row.paper, "place": row.place, "method": row.method or "(a sentence)"}
    verdict = {"verdict": f"{MARKS[row.verdict]} {row.verdict}", "why": row.reason}
    if row.kind == "claim":
        where = ", ".join([DATA.get(data, data), *more]).strip(", ")
        what = f"{row.claim} ({where})" if where and where not in row.claim else row.claim
        return shown | {"what": what, "printed": "", "ours": row.found} | verdict
    digits = PAPERS[row.paper][1] + (0 < row.printed < 0.1)
    percent = " (%)" if row.paper == "Guan et al." else ""
    what = f"{DATA[data]} · {row.setting} · {row.method} · {METRICS[row.metric]}{percent}"
    ours = f"{row.ours:.{digits}f} ± {row.sd:.{digits}f} ({row.runs:.0f} runs)"
    return shown | {"what": what, "printed": f"{row.printed:.{digits}f}", "ours": ours} | verdict
