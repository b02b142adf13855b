"""The text of a question: what is asked, the choices or the number, and what is true.

In a notebook a cell's text holds what is asked, and its metadata the key, by the name
of the question: ``"keys": {"predict-a": {"number": "31% ± 5%", "answer": "It was
measured."}}``, or for choices ``{"right": 2, "why": ["It is too short.", "It is just
right."]}``, with an answer or none.
"""

import re
from typing import NamedTuple

CHOICE = re.compile(r"- \[(.?)\]\s+(.*)")
PLUS_MINUS = re.compile(r"±|\+-|\+/-")
ASKED = re.compile(
    r"^(([`:]{3,})\{predict\}[^\n]*\n:name: *(\S+)\n)((?:[^\n]*\n)*?)(?=\2$)", re.M
)
NUMBER = re.compile(r"\s*([-−]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(%?)\s*")


def with_keys(notebook):
    """A notebook whose questions have their keys where the directive reads them."""
    for cell in notebook.cells:
        keys = cell.metadata.pop("keys", {})
        if cell.cell_type == "markdown":
            cell.source = ASKED.sub(
                lambda found, keys=keys: with_key(found, keys), cell.source
            )
    return notebook


def with_key(found, keys):
    """The lines of a question that `ASKED` found, but for the last."""
    head, _, name, body = found.groups()
    key = keys.get(name, {})
    lines = body.splitlines()
    choices = [k for k, line in enumerate(lines) if line.startswith("- ")]
    whys = key.get("why", [])
    if whys and len(choices) != len(whys):
        raise ValueError(
            f"{name} has {len(choices)} choices, and its key says why of {len(whys)}"
        )
    for n, (k, why) in enumerate(zip(choices, whys, strict=False), 1):
        lines[k] = f"- [{'x' if n == key['right'] else ' '}] {lines[k][2:]} | {why}"
    if "number" in key:
        lines.insert(0, f":number: {key['number']}")
    if "answer" in key:
        lines += ["", "---", key["answer"]]
    return head + "\n".join([*lines, ""])


class Choice(NamedTuple):
    right: bool
    text: str
    why: str


class Question(NamedTuple):
    text: list
    choices: list
    answer: list


def said_of(key):
    """What is true of a number, in words."""
    shown, *within = map(str.strip, PLUS_MINUS.split(key))
    room = "".join(f" (anything within {x} is accepted)" for x in within)
    return f"Answer: {shown}{room}."


def number(text):
    """A number and how far from it a guess may be, or a sentence raised."""
    parts = PLUS_MINUS.split(text)
    found = list(map(NUMBER.fullmatch, parts))
    if len(parts) > 2 or not all(found):
        raise ValueError(f"no number: {text}; write it like 0.31 ± 0.05")
    value, *within = (
        float(each[1].replace("−", "-")) / (100 if each[2] else 1) for each in found
    )
    if within and not within[0] > 0:
        raise ValueError(f"what follows ± must be above zero: {text}")
    return value, within[0] if within else 0.0


def question(lines, numeric):
    """The parts of a body; what is wrong with it is raised as a sentence."""
    lines = list(lines)
    cut = lines.index("---") if "---" in lines else len(lines)
    text = lines[:cut]
    answer = lines[cut + 1 :]
    starts = [k for k, line in enumerate(text) if CHOICE.match(line)]
    first = starts[0] if starts else len(text)
    choices = [
        choice(" ".join(map(str.strip, text[start:end])))
        for start, end in zip(starts, [*starts, len(text)][1:], strict=True)
    ]
    if not any(map(str.strip, text[:first])):
        raise ValueError("there is no question")
    if numeric and choices:
        raise ValueError("give :number: or choices, not both")
    if numeric and not any(map(str.strip, answer)):
        raise ValueError("say after a line --- what is true and why")
    if not numeric:
        rights = sum(each.right for each in choices)
        if not 2 <= len(choices) <= 4:
            raise ValueError(
                "give :number:, or two to four choices; a notebook, in the cell's metadata"
            )
        if rights != 1:
            raise ValueError(f"{rights} choices are marked [x]; mark one")
    return Question(text[:first], choices, answer)


def choice(line):
    mark, rest = CHOICE.match(line).groups()
    text, _, why = map(str.strip, rest.partition(" | "))
    if mark not in (" ", "x") or not (text and why):
        raise ValueError(
            f"write a choice as '- [ ] an answer. | Why it is wrong.': {line}"
        )
    return Choice(mark == "x", text, why)
