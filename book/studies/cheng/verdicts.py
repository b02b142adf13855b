"""Verdicts on Cheng, Wang and Guan: Tables 1 to 3 and the ranking of the methods.

The paper does not give the range of its pixels, which matters to two of the four
methods. For the numbers one range is declared: bytes, as in Guan's paper on truncated
Cauchy NMF, which fills blocks with 550 where white is 255. The other range, [0, 1],
stands beside it as another reading. Bytes were chosen when many results were known, so
a sentence has to hold in both ranges.
"""

import pandas as pd

from studies import stored
from studies.cheng.printed import printed_tables
from studies.machinery.rule import NOT_TESTABLE, judge, sentence_verdict, statistics
from studies.machinery.verdicts import MARKS, sentence_rows, with_reasons
from studies.machinery.words import sentences

SETS = {"yale": "Yale", "umist": "UMIST", "orl": "ORL"}
PRINTED_METHODS = ["CSNMF", "CIMNMF", "MCCGR", "SupervisedNMF"]
COLUMN = ["data", "n_train"]  # what one column of a table has in common
#: Range of the pixels -> method of the rows -> the paper's method. CIMNMF is free of
#: scale, and SNMF is plain NMF in both.
RANGES = {
    "bytes": {"CSNMF, bytes": "CSNMF", "MCCGR, bytes": "MCCGR"},
    "[0, 1]": {"CSNMF": "CSNMF", "MCCGR": "MCCGR"},
}
FREE = {"CIMNMF": "CIMNMF", "SupervisedNMF": "SupervisedNMF"}
#: Method -> its name in the paper, of those that CSNMF is compared with.
RIVALS = {"CIMNMF": "CIM-NMF", "MCCGR": "MCCGR", "SupervisedNMF": "SNMF"}
#: The grids with columns of W of length one.
UNIT_GRIDS = ["cheng-unit-yale", "cheng-unit-umist", "cheng-unit-orl-all"]
SUBSTITUTE = "UMIST at 32×32, where the paper has 40×40"


def stored_runs(pixels="bytes", printed_ranks=False):
    """Return all runs of the tables for one range of the pixels.

    Parameters
    ----------
    pixels : {"bytes", "[0, 1]"}
    printed_ranks : bool, default=False
        On ORL, each method at the ranks that Table 3 prints for it, too. The verdicts
        take them.
    """
    grids = [
        *(f"cheng-{data}" for data in SETS),
        *["cheng-orl-printed"] * printed_ranks,
    ]
    runs = pd.concat(map(stored, grids), ignore_index=True)
    # On UMIST, which decides nothing, MCCGR was run on [0, 1] alone.
    runs["method"] = runs.method.mask(
        (runs.data == "umist") & (runs.method == "MCCGR"), "UMIST"
    )
    names = RANGES[pixels] | FREE | {"UMIST": "MCCGR"}
    runs = runs[runs.method.isin(names)]
    return runs.assign(method=runs.method.map(names))


def unit_runs(pixels="bytes"):
    """Return all runs with columns of W of length one, for one range of the pixels.

    MCCGR was run on [0, 1] alone, so both ranges have the same runs of it. On ORL and
    UMIST there are fewer draws than on Yale.
    """
    runs = pd.concat(map(stored, UNIT_GRIDS), ignore_index=True)
    csnmf = "CSNMF, bytes" if pixels == "bytes" else "CSNMF"
    names = FREE | {csnmf: "CSNMF", "MCCGR": "MCCGR"}
    runs = runs[runs.method.isin(names)]
    return runs.assign(method=runs.method.map(names))


def free_runs(pixels="bytes"):
    """Return the runs with columns of any length at the cells of `unit_runs`."""
    cells = unit_runs(pixels)[["data", "n_train", "r", "seed", "method"]]
    return stored_runs(pixels).merge(cells)


def best_ranks(runs, reading):
    """Return the rank with the best mean of each method."""
    keys = [*COLUMN, "method"]
    means = runs.groupby([*keys, "r"])[reading].mean().reset_index()
    best = means.loc[means.groupby(keys)[reading].idxmax()]
    return best.rename(columns={"r": "rank"}).set_index(keys)["rank"]


def at_best_rank(runs, reading="both_pinv"):
    """Return the accuracy of each method at its best rank, split by split."""
    rows = runs.merge(best_ranks(runs, reading).rename("r").reset_index())
    return rows.pivot(index=[*COLUMN, "seed"], columns="method", values=reading)


def tables(runs, reading="both_pinv"):
    """Judge Tables 1 to 3 by the coefficients of one reading, one row per printed number."""
    draws = at_best_rank(runs, reading).stack().dropna().rename("value").reset_index()
    draws = draws.rename(columns={"seed": "draw"})
    rows = printed_tables().rename(columns={"accuracy": "printed"})
    rows = rows.merge(draws[[*COLUMN, "method"]].drop_duplicates())
    rows = rows.assign(printed_runs=10, substitute=rows.data == "umist")
    rows = rows.join(best_ranks(runs, reading), on=[*COLUMN, "method"])
    return judge(rows, draws, cell=[*COLUMN, "method"], row=COLUMN)


def numbers():
    """Return Tables 1 to 3 with verdicts, and the reason of each failure, as scoreboard rows."""
    parts = [
        tables(stored_runs(pixels, printed_ranks=True)).assign(
            reading="" if pixels == "bytes" else pixels
        )
        for pixels in RANGES
    ]
    rows = pd.concat(parts, ignore_index=True)
    place = rows.data.map({"yale": "Table 1", "umist": "Table 2", "orl": "Table 3"})
    setting = rows.n_train.astype(str) + " training images"
    rows = rows.assign(kind="number", place=place, setting=setting, metric="ac")
    rows = with_reasons(rows, _why)
    return rows.assign(
        reason=rows.reason.mask(rows.verdict == NOT_TESTABLE, SUBSTITUTE)
    )


def _why(row):
    if row.method == "SupervisedNMF":
        reason = "at the printed γ it is plain NMF in either range; in print it is not"
    elif row.method == "MCCGR":
        reason = "its graph, its σ and the range are not given; both ranges were tried"
    else:
        reason = (
            "the encoding of test images (five tried), sweeps and range are not given"
        )
    return "protocol not stated", reason


says = sentences(__file__)


def claims():
    """Judge, set by set, that CSNMF is better than each competitor.

    A row counts that has both ranges of the pixels as its parts. Two more rows have one
    range each.
    """
    leads = {pixels: leads_of_csnmf(pixels) for pixels in RANGES}
    return sentence_rows(row for method in RIVALS for row in ranking(method, leads))


def leads_of_csnmf(pixels="bytes", reading="both_pinv"):
    """Return by how much CSNMF is ahead of each competitor, in one reading of the text.

    Parameters
    ----------
    pixels : {"bytes", "[0, 1]"}
    reading : str
        How images are encoded, a key of `cells.accuracies`.

    Returns
    -------
    DataFrame
        That of `leads_in`.
    """
    return leads_in(stored_runs(pixels, printed_ranks=True), reading)


def leads_in(runs, reading="both_pinv"):
    """Return by how much CSNMF is ahead of each competitor in some runs.

    Parameters
    ----------
    runs : DataFrame
        That of `stored_runs` or `unit_runs`.
    reading : str
        How images are encoded, a key of `cells.accuracies`.

    Returns
    -------
    DataFrame
        Indexed by data set and seed, with a column for each competitor. The training
        sizes of a set are averaged, since their splits share seeds.
    """
    accuracy = at_best_rank(runs, reading)
    leads = accuracy[list(RIVALS)].rsub(accuracy["CSNMF"], axis=0)
    return leads.groupby(level=["data", "seed"]).mean()


def ranking(method, leads):
    """Judge, set by set, that CSNMF is ahead of a method; yield the rows of `claims`."""
    form = "{:+.3f} ± {:.3f}"
    for number, (data, name) in enumerate(SETS.items(), start=1):
        parts = {pixels: lead[method][data] for pixels, lead in leads.items()}
        found = {
            pixels: form.format(*statistics(part)[1:]) for pixels, part in parts.items()
        }
        where = {"set": name, "table": f"Table {number}"}
        more = {"about": f"over {RIVALS[method]}", "data": data, "form": form}
        both = "; ".join(f"{value} on {pixels}" for pixels, value in found.items())
        yield says("ranking", list(parts.values()), both, **more) | where
        for pixels, part in parts.items():
            row = says("ranking", [part], **more) | where
            yield row | {"reading": pixels, "data": f"{data}, {pixels}"}


def sentences_by_reading(readings, runs=None):
    """Return the lead of CSNMF and its mark, for each range of the pixels and encoding.

    Parameters
    ----------
    readings : dict
        A key of `cells.accuracies` -> what to call this encoding.
    runs : dict, default=None
        Range of the pixels -> its runs. None takes those of the verdicts.

    Returns
    -------
    DataFrame
        One row per range and encoding, one column per data set and competitor.
    """
    runs = runs or {p: stored_runs(p, printed_ranks=True) for p in RANGES}
    rows = []
    for pixels in RANGES:
        for reading, name in readings.items():
            leads = leads_in(runs[pixels], reading)
            row = {"pixels": pixels, "coefficients": name}
            for data, title in SETS.items():
                for method, rival in RIVALS.items():
                    lead = leads[method][data]
                    mark = MARKS[sentence_verdict(lead)]
                    row[f"{title}, over {rival}"] = f"{lead.mean():+.3f} {mark}"
            rows.append(row)
    return pd.DataFrame(rows)
