"""Write the API's page of each estimator: when to take it, its chapter, its box, its docstring.

    python tools/api_pages.py            write book/api/models.md and a page for each estimator
    python tools/api_pages.py --check    say which pages are stale, change nothing

The order is that of use: what one tries first stands first.
"""

import sys
from pathlib import Path

from sklearn.base import BaseEstimator

import rnmf_tutorial

FOLDER = Path(__file__).resolve().parent.parent / "book" / "api" / "models"

#: Class: when to take it, the pages that explain it, its box in `papers`, readers' words for it.
ESTIMATORS = {
    "MaskedSearchCV": (
        "You do not know which model, rank or scale suits your data",
        ["your_data", "choosing"],
        None,
        ["which method", "choose rank", "choose lambda", "choose scale", "model selection"],
    ),
    "NMF": (
        "The data are clean, or mostly zeros such as text; the baseline for all others",
        ["nmf"],
        "zhang.lee_seung",
        ["clean data", "baseline"],
    ),
    "HuberNMF": (
        "Some entries are far off: the mildest robust loss, convex in each factor",
        ["truncated_cauchy", "engine"],
        None,
        ["outliers in entries", "gross errors"],
    ),
    "CauchyNMF": (
        "Many entries are off, by much, without a pattern",
        ["truncated_cauchy", "engine"],
        None,
        ["heavy tails"],
    ),
    "CIMNMF": (
        "Entries are so far off that they should count for nothing",
        ["engine", "supervised"],
        None,
        ["correntropy"],
    ),
    "TruncatedCauchyNMF": (
        "As `CauchyNMF`, with a rule that rejects the outliers",
        ["truncated_cauchy", "truncated_cauchy_tables"],
        "guan.truncated_cauchy",
        ["reject outliers"],
    ),
    "RobustNMF": (
        "You want the errors themselves: it returns them as a sparse matrix",
        ["robust_nmf"],
        "zhang.robust_nmf",
        ["sparse errors", "occlusion"],
    ),
    "L21NMF": (
        "Whole samples are off",
        ["l2_l1_l21"],
        "diaz.kong",
        ["bad samples", "outlying rows"],
    ),
    "CappedNMF": (
        "A few samples are wrong altogether, and you want to know which",
        ["truncated_cauchy"],
        None,
        ["find bad samples"],
    ),
    "HypersurfaceNMF": (
        "As `HuberNMF`, with a smooth loss",
        ["truncated_cauchy"],
        None,
        [],
    ),
    "L1NMF": (
        "You want the sum of absolute errors itself",
        ["l2_l1_l21", "truncated_cauchy"],
        None,
        ["absolute errors"],
    ),
    "L1RobustNMF": (
        "You rerun Shen's model; it is Huber's with one cutoff for each sample",
        ["l2_l1_l21", "engine"],
        "diaz.shen",
        [],
    ),
    "NeNMF": (
        "You want the least squares fit, to many digits",
        ["l2_l1_l21", "fast"],
        "guan.optimal_gradient",
        ["exact least squares"],
    ),
    "RegularizedNMF": (
        "You want parts that overlap little",
        ["sparse_basis"],
        "regularized.regularized_nmf",
        ["sparse parts"],
    ),
    "LocalNMF": (
        "You rerun local NMF, the older way to sparse parts",
        ["sparse_basis"],
        "regularized.lnmf",
        [],
    ),
    "SupervisedNMF": (
        "Your samples have labels, and no entry is off",
        ["supervised"],
        "cheng.snmf",
        ["labels"],
    ),
    "CSNMF": (
        "Your samples have labels, and entries are off",
        ["supervised"],
        "cheng.csnmf",
        ["labels and outliers"],
    ),
    "MCCGR": (
        "Whole features are off, and near samples should have like codes",
        ["supervised"],
        None,
        ["bad features"],
    ),
    "ManifoldDiscriminativeNMF": (
        "You rerun MD-NMF: labels, near samples and the divergence",
        ["supervised"],
        None,
        [],
    ),
    "RobustManifoldNMF": (
        "Whole samples are off, and near samples should have like codes",
        ["supervised"],
        None,
        ["neighbors"],
    ),
}


PAGE = """\
# {name}

{index}{summary}

**When.** {when}.

**Explained in** {explained}.{printed}

```{{eval-rst}}
.. autoclass:: rnmf_tutorial.{name}
   :members:
{inherited}```
"""
PRINTED = " **The printed algorithm** in NumPy: {{py:func}}`~rnmf_tutorial.papers.{}`."
INHERITED = """\
   :inherited-members: BaseNMF, BaseEstimator, TransformerMixin, ClassNamePrefixFeaturesOutMixin
"""
SHARED = """
`fit`, `transform` and all else that estimators share stand under {ref}`common-base`.
"""
OVERVIEW = """\
# Models

Every estimator has a page: what it minimizes, its parameters, what it holds after a fit, and a
short example that runs. They stand in the order in which you would try them.

| estimator | take it when |
|---|---|
{rows}

(common-base)=
## The common base

What every estimator shares: `fit`, `transform`, `inverse_transform`, `score`, and the parameters
of the loop.

```{{eval-rst}}
.. autoclass:: rnmf_tutorial.models.BaseNMF
   :members:

.. autofunction:: rnmf_tutorial.models.parameters.estimator

.. autoexception:: rnmf_tutorial.ScaleWarning
```
"""


def page(name):
    """The text of the page of one estimator."""
    when, chapters, box, words = ESTIMATORS[name]
    is_model = name != "MaskedSearchCV"
    entries = "".join(f"   ! single: {word}\n" for word in words)
    text = PAGE.format(
        name=name,
        summary=getattr(rnmf_tutorial, name).__doc__.strip().splitlines()[0],
        when=when,
        explained=", ".join(f"{{doc}}`/book/{chapter}`" for chapter in chapters),
        printed=PRINTED.format(box) if box else "",
        index=f"```{{eval-rst}}\n.. index::\n{entries}```\n\n" if entries else "",
        inherited=INHERITED if is_model else "",
    )
    return text + SHARED if is_model else text


def overview():
    """The text of the page above them."""
    rows = [
        f"| {{doc}}`{name} <models/{name}>` | {when} |" for name, (when, *_) in ESTIMATORS.items()
    ]
    return OVERVIEW.format(rows="\n".join(rows))


def pages():
    """File and text of every page."""
    listed = {
        name
        for name in rnmf_tutorial.__all__
        if isinstance(getattr(rnmf_tutorial, name), type)
        and issubclass(getattr(rnmf_tutorial, name), BaseEstimator)
    }
    if listed != set(ESTIMATORS):
        raise SystemExit(
            f"ESTIMATORS in {Path(__file__).name} needs exactly the estimators of the package; "
            f"they differ in {sorted(listed ^ set(ESTIMATORS))}."
        )
    each = {FOLDER / f"{name}.md": page(name) for name in ESTIMATORS}
    return {FOLDER.with_suffix(".md"): overview()} | each


def main():
    stale = [
        file
        for file, text in pages().items()
        if not file.exists() or file.read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv:
        print("\n".join(f"{file.name} is stale: run `make format`" for file in stale))
        sys.exit(bool(stale))
    FOLDER.mkdir(exist_ok=True)
    for file in stale:
        file.write_text(pages()[file], encoding="utf-8")


if __name__ == "__main__":
    main()
