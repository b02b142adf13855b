"""What a paper says, in `words.toml` of its study: its name, its sentences, and what has no row.

Its first lines and the tables ``left_out`` and ``silent`` are those of `Paper`. A table
``sentences.NAME`` has what `verdicts.sentence` takes of words: place, quotation, and
where they apply about, bar, substitute, undefined, cause, reason and least; ``asked``
makes it a question of our own. A table ``on.DATA`` in it has what differs on one set of data.
"""

import tomllib
from pathlib import Path

from .paper import Paper
from .verdicts import question, sentence


def _words(file):
    return tomllib.loads(Path(file).with_name("words.toml").read_text(encoding="utf-8"))


def paper(file, *rows):
    """Return the paper of the study with this file, and what makes its rows of the scoreboard."""
    words = {key: value for key, value in _words(file).items() if key != "sentences"}
    return Paper(rows=rows, **words)


def sentences(file):
    """Return what judges the sentences of the study with this file.

    It takes the name of a sentence, its parts, what we found, and more that `sentence`
    takes.
    """
    table = _words(file)["sentences"]

    def judge(name, parts, found="", **more):
        words = table[name] | more
        words |= words.pop("on", {}).get(words.get("data"), {})
        judged = question if "asked" in words else sentence
        return judged(parts=parts, found=found, **words)

    return judge
