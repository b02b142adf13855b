"""The text of a question: what is asked, the choices or the number, and what is true."""

import re
from typing import NamedTuple

CHOICE = re.compile(r"- \[(.?)\]\s+(.*)")
PLUS_MINUS = re.compile(r"±|\+-|\+/-")
NUMBER = re.compile(r"\s*([-−]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(%?)\s*")


class Choice(NamedTuple):
    right: bool
    text: str
    why: str


class Question(NamedTuple):
    text: list
    choices: list
    answer: list


def number(text):
    """A number and how far from it a guess may be, or a sentence raised."""
    parts = PLUS_MINUS.split(text)
    found = list(map(NUMBER.fullmatch, parts))
    if len(parts) > 2 or not all(found):
        raise ValueError(f"no number: {text}; write it like 0.31 ± 0.05")
    value, *within = (float(each[1].replace("−", "-")) / (100 if each[2] else 1) for each in found)
    if within and not within[0] > 0:
        raise ValueError(f"what follows ± must be above zero: {text}")
    return value, within[0] if within else 0.0


def question(lines, numeric):
    """The parts of a body; what is wrong with it is raised as a sentence."""
    lines = list(lines)
    cut = lines.index("---") if "---" in lines else len(lines)
    text, answer = lines[:cut], lines[cut + 1 :]
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
            raise ValueError("give :number:, or two to four choices")
        if rights != 1:
            raise ValueError(f"{rights} choices are marked [x]; mark one")
    return Question(text[:first], choices, answer)


def choice(line):
    mark, rest = CHOICE.match(line).groups()
    text, _, why = map(str.strip, rest.partition(" | "))
    if mark not in (" ", "x") or not (text and why):
        raise ValueError(f"write a choice as '- [ ] an answer. | Why it is wrong.': {line}")
    return Choice(mark == "x", text, why)
