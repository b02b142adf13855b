"""The language of pages, docstrings and the files at the front door.

A list of patterns cannot say whether a text reads well. It keeps what was decided once:
American spelling, 14% without a space, and words that read like a translation.
"""

import ast
import json
import re

import pytest

from tests.project import ROOT, tracked

#: What a text may not have -> what to write instead.
PATTERNS = {
    r"\d[ \u00a0\u2009\u202f]%|\d\n%(?![\w(])": "14%, without a space",
    r"\d percent\b": "14%",
    r"\bin percent\b": "as a percentage",
    r"^#+ [Tt]ake[- ]aways?$": "Takeaways",
    r"to take along$|^#+ Break it\b": "Check your understanding; What happens if you get it wrong",
    r"\b[Ss]poil(?:s|ed|ing)?\b": "corrupt",
    r"\bever so many\b": "however many",
    r"\banew\b": "again",
    r"\bat most as (?:high|large|long)\b": "no higher than",
    r"\b(?:is|are) no measurements?\b": "a value that is not a measurement",
    r"\b[Ii]t (?:holds|does not hold)\b\*{0,2} that": "we confirm; we could not confirm",
    r"\b[Tt]owards\b": "toward",
    r"(?i)\b(?:colour|grey|neighbour|behaviour|favour|honour|labour|centre)\w*": (
        "American spelling"
    ),
    r"(?i)\b(?:analyse|catalogue|programme|artefact|sceptic|judgement|learnt|spelt|whilst)\w*": (
        "American spelling"
    ),
    r"(?i)\b(?:modell|labell|cancell|travell|fulfil\b)(?!ation)\w*": "American spelling",
    r"(?i)\b(?:general|normal|initial|regular|minim|maxim|optim|real|organ|recogn|summar)is"
    r"(?:e|ed|es|ing|ation)\b": "American spelling",
}
#: What a paper prints keeps its words.
QUOTED = (
    "proportions of noise above 40 percent",
    "multi-way kinetic modelling",
)
FILES = [
    "README.md",
    "CONTRIBUTING.md",
    "ROADMAP.md",
    "CHANGELOG.md",
    ".github/MAINTAINERS.md",
]
PAGES = sorted(x for x in tracked() if re.fullmatch(r"book/[\w/]+\.(?:ipynb|md)", x))
MODULES = sorted(x for x in tracked() if re.fullmatch(r"rnmf_tutorial/.*\.py", x))


def texts(value):
    """Every string of what a notebook stores in its metadata."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for x in value.values():
            yield from texts(x)
    elif isinstance(value, list):
        for x in value:
            yield from texts(x)


def written(name):
    """What a person reads in a file, paragraph by paragraph, without code and formulas."""
    text = (ROOT / name).read_text(encoding="utf-8")
    if name.endswith(".py"):
        nodes = ast.walk(ast.parse(text))
        kinds = ast.Module, ast.ClassDef, ast.FunctionDef
        yield from (ast.get_docstring(x) or "" for x in nodes if isinstance(x, kinds))
        return
    if name.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        parts = ["".join(x["source"]) for x in cells if x["cell_type"] == "markdown"]
        text = "\n\n".join([*parts, *texts([x["metadata"] for x in cells])])
    code = r"(?ms)^(`{3,})(?:python|sh|bash|powershell|text|toml)\n.*?^\1$|\$\$.*?\$\$"
    yield re.sub(r"\$[^$\n]+\$|`[^`\n]+`", "…", re.sub(code, "", text))


def faults(text):
    """Each place that a pattern finds, with what to write instead."""
    for quotation in QUOTED:
        text = text.replace(quotation, "")
    for pattern, better in PATTERNS.items():
        for found in re.finditer(pattern, text, re.M):
            around = text[max(0, found.start() - 40) : found.end() + 20]
            yield f"{' '.join(around.split())!r}: {better}"


@pytest.mark.parametrize("name", [*FILES, *PAGES, *MODULES])
def test_the_language_is_american_and_free_of_words_that_were_given_up(name):
    assert [fault for text in written(name) for fault in faults(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "an error of 14 %",
        "by 4 percent",
        "## Take-aways",
        "It holds that it descends.",
        "towards zero",
        "the colours",
        "to minimise it",
    ],
)
def test_a_fault_is_found(text):
    assert list(faults(text))


def test_the_glossary_explains_thirty_to_fifty_terms_and_says_where_each_is_introduced():
    text = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
    entries = re.findall(r"^([a-z][\w ,-]*)\n  (.+)$", text, re.M | re.I)
    terms = [term for term, _ in entries]
    assert 30 <= len(terms) <= 50
    assert len({term.lower() for term in terms}) == len(terms)
    for term, about in entries:
        pages = re.findall(r"\[\]\(([\w/]+\.(?:md|ipynb))\)", about)
        assert pages, f"{term} does not say where it is introduced"
        assert [page for page in pages if not (ROOT / "book" / page).exists()] == []
