"""The pages of the book as plain Markdown, for programs that do not read MyST.

A reference becomes the words and the link that the site has there, a box an HTML box
around Markdown, a proof a fold, an exercise a heading. Numbers count as those of the
site do.
"""

import re
import tomllib
import unicodedata
from ast import literal_eval
from base64 import b64decode
from collections import Counter, defaultdict
from copy import deepcopy
from functools import cached_property
from itertools import takewhile
from os.path import relpath
from pathlib import Path

import nbformat
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell

from .questions import question, said_of, with_keys

ROOT = Path(__file__).resolve().parents[2]
SITE = "https://rnmf-tutorial.github.io/rnmf_tutorial/"
OPEN = re.compile(r"( *)(`{3,}|:{3,})\{([\w:-]+)\} *(.*)")
CODE = re.compile(r" *(`{3,}|~{3,})")
OPTION = re.compile(r":([\w-]+):\s*(.*)")
TARGET = re.compile(r"\(([\w.:-]+)\)=\s*")
LABEL = re.compile(r"\$\$ *\(([\w.:-]+)\) *$")
HEADING = re.compile(r"(#+) +(.*)")
ROLE = re.compile(r"\{([\w:.+-]+)\}`([^`]+)`")
TITLED = re.compile(r"(.*?)\s*<([^<>]+)>")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
ENTRY = re.compile(r"^@\w+\{(\w+),(.*?)^\}", re.M | re.S)
BOX = '<div class="alert alert-block alert-{}">\n\n{}\n\n</div>'
FOLD = "<details><summary>{}</summary>\n\n{}\n\n</details>"
ONLINE = "*This figure computes in [the online book]({}); here is a picture of it.*"
ASK = 'from figures import ask; ask("{}")  # run this cell to answer'
MOVES = (
    "*A still picture: run the page up to the cell above it, and a slider moves it.*"
)
WIDGET = "application/vnd.jupyter.widget-view+json"
LETTERS = "abcd"
FOLDED = {"jp-MarkdownHeadingCollapsed": True}


def blocks(text):
    """The lines of a text, each directive as (name, title, options, body) in place of its lines."""
    lines = iter(text.splitlines())
    for line in lines:
        if opened := OPEN.fullmatch(line):
            end = re.compile(rf" *{opened[2][0]}{{{len(opened[2])},}} *")
            body = list(takewhile(lambda line, end=end: not end.fullmatch(line), lines))
            options = list(takewhile(OPTION.match, body))
            told = dict(OPTION.match(option).groups() for option in options)
            yield opened[3], opened[4].strip(), told, body[len(options) :]
        elif fence := CODE.match(line):
            end = re.compile(rf" *{fence[1]}{fence[1][0]}* *")
            code = list(takewhile(lambda line, end=end: not end.fullmatch(line), lines))
            yield "code", "", {}, [line, *code, fence[1]]
        elif line.strip().startswith("$$") and line.count("$$") == 1:
            formula = [line]
            while formula[-1].count("$$") == 0 or len(formula) == 1:
                formula.append(next(lines))
            yield "math", "", {}, formula
        else:
            yield line


def listed(node, chapter=None):
    """The pages of a table of contents, in order, each with the number of its chapter."""
    count = 0
    if "root" in node:
        yield node["root"], None
    for part in node.get("parts", []):
        for entry in part["chapters"]:
            count += bool(part.get("numbered"))
            yield from listed(entry, count if part.get("numbered") else None)
    if "file" in node:
        yield node["file"], chapter
        for section in node.get("sections", []):
            yield from listed(section, chapter)


class Book:
    """What the pages say of each other: titles, labels with their words, questions."""

    def __init__(self):
        self.titles = {}
        self.labels = {}
        self.questions = {}
        counts = defaultdict(Counter)
        toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
        for page, chapter in listed(toc):
            self.scan(page, chapter, counts[chapter])

    def path(self, page):
        notebook = ROOT / f"{page}.ipynb"
        return notebook if notebook.exists() else notebook.with_suffix(".md")

    def notebook(self, page):
        """A page as it is stored, its questions with their keys."""
        return with_keys(nbformat.read(self.path(page), as_version=4))

    def scan(self, page, chapter, counts):
        def numbered(kind, label):
            counts[kind] += 1
            number = f"{chapter}.{counts[kind]}" if chapter else f"{counts[kind]}"
            if label:
                words = f"({number})" if kind == "equation" else f"{kind} {number}"
                self.labels[label] = page, words

        def scan(text):
            waiting = []
            for block in blocks(text):
                if isinstance(block, str):
                    if target := TARGET.fullmatch(block):
                        waiting.append(target[1])
                    elif block.strip():
                        heading = HEADING.match(block)
                        title = heading[2] if heading else ""
                        if heading:
                            self.titles.setdefault(page, title)
                        self.labels |= dict.fromkeys(waiting, (page, title))
                        waiting = []
                    continue
                name, title, options, body = block
                self.labels |= dict.fromkeys(waiting, (page, title))
                waiting = []
                if name == "math" and (label := LABEL.search(body[-1])):
                    numbered("equation", label[1])
                elif name.startswith("prf:") or name == "exercise":
                    numbered(
                        name.removeprefix("prf:").capitalize(), options.get("label")
                    )
                elif name in ("live", "method-map"):
                    numbered(
                        "Fig.",
                        "fig-map" if name == "method-map" else options.get("name"),
                    )
                elif name == "predict":
                    self.questions[options["name"]] = page, title, options, body
                if name not in ("code", "math"):
                    scan("\n".join(body))

        path = self.path(page)
        if path.suffix == ".md":
            return scan(path.read_text(encoding="utf-8") if path.exists() else "")
        for cell in self.notebook(page).cells:
            if cell.cell_type == "markdown":
                scan(cell.source)
            elif figure := cell.metadata.get("mystnb", {}).get("figure"):
                numbered("Fig.", figure.get("name"))

    def form(self, name):
        """What a form of a question needs: its number or the choices, each with what to say to it.

        Third, what is true.
        """
        page, _, options, body = self.questions[name]
        draw = Plain(self, page, self.notebook(page), online=True)
        said = question(body, "number" in options)
        reasons = {
            letter: (each.right, draw.inline(each.why))
            for letter, each in zip(LETTERS, said.choices, strict=False)
        }
        return options.get("number"), reasons, draw.answered(options, said)

    @cached_property
    def cited(self):
        """Key -> the authors and the year of a paper."""
        found = {}
        for key, fields in ENTRY.findall(
            (ROOT / "book/references.bib").read_text("utf-8")
        ):
            says = dict(
                re.findall(r"^\s*(\w+)\s*=\s*[{\"](.*?)[}\"],?\s*$", fields, re.M)
            )
            people = [
                tex(name) for name in says.get("author", says["title"]).split(" and ")
            ]
            family = [name.partition(",")[0] for name in people]
            authors = f"{family[0]} et al." if len(family) > 2 else " and ".join(family)
            found[key] = authors, says.get("year", "n.d.")
        return found


def tex(text):
    """A name in TeX as a reader writes it."""
    marks = dict(
        zip("'`^\"cv~", "\u0301\u0300\u0302\u0308\u0327\u030c\u0303", strict=True)
    )
    text = text.replace(r"{\AA}", "Å").replace(r"\o", "ø").replace(r"\ss", "ß")
    accent = r"\\(['`^\"~]|[cv](?=[{ ]))[{ ]?\\?(\w)\}?"
    text = re.sub(accent, lambda found: found[2] + marks[found[1]], text)
    return unicodedata.normalize("NFC", re.sub(r"[{}]", "", text))


class Plain:
    """One page in plain Markdown, for a program that opens notebooks, or alone (``online``)."""

    def __init__(self, book, page, notebook, online):
        self.book = book
        self.page = page
        self.online = online
        self.level = 1
        self.glued = {}
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                name = output.get("metadata", {}).get("scrapbook", {}).get("name")
                for value in output.data.values() if name else ():
                    self.glued[name] = literal_eval(value)

    def link(self, words, page, label=""):
        """A link to a page of the book: to its notebook where it can be opened."""
        anchor = f"#{label}" if label else ""
        path = self.book.path(page)
        if page == self.page:
            address = anchor
        elif self.online or path.suffix == ".md":
            address = f"{SITE}{page}.html{anchor}"
        else:
            address = (
                relpath(path, self.book.path(self.page).parent).replace("\\", "/")
                + anchor
            )
        return f"[{words}]({address})"

    def linked(self, found):
        words, target = found.groups()
        if target in self.book.labels:
            page, own = self.book.labels[target]
            return self.link(words or own, page, target)
        name, _, anchor = target.partition("#")
        folder = Path(self.page).parent
        page = relpath(folder / name, ".").replace("\\", "/").rsplit(".", 1)[0]
        if page in self.book.titles:
            return self.link(words or self.book.titles[page], page, anchor)
        return found[0]

    def role(self, found):
        role, said = found.groups()
        titled = TITLED.fullmatch(said)
        words, target = titled.groups() if titled else ("", said)
        if role == "glue:text":
            name, _, form = said.partition(":")
            return format(self.glued[name], form)
        if role.startswith("cite"):
            return self.citation(said.split(","), role == "cite:t")
        if role == "term":
            return self.link(
                words or said, "book/methods", f"term-{target.replace(' ', '-')}"
            )
        if role == "doc":
            page = relpath(Path(self.page).parent / target, ".").replace("\\", "/")
            return self.link(words or self.book.titles[page], page)
        if role.startswith("py:"):
            return f"`{words or said.removeprefix('~').rpartition('.')[2]}`"
        if target in self.book.labels:
            page, own = self.book.labels[target]
            return self.link(words or own, page, target)
        raise ValueError(f"{self.page}: nothing is known of {found[0]}")

    def citation(self, keys, in_text):
        form = "{} ({})" if in_text else "{}, {}"
        texts = [form.format(*self.book.cited[key.strip()]) for key in keys]
        links = [self.link(text, "book/bibliography") for text in texts]
        return ", ".join(links) if in_text else f"({'; '.join(links)})"

    def inline(self, line):
        line = ROLE.sub(self.role, LINK.sub(self.linked, line))
        return re.sub(r"\\R(?![A-Za-z])", r"\\mathbb{R}", line)

    def text(self, lines):
        return self.drawn(blocks("\n".join(lines)))

    def drawn(self, some):
        """Blocks of MyST as plain Markdown."""
        said = []
        for block in some:
            if isinstance(block, tuple):
                said.append(self.block(*block))
            elif target := TARGET.fullmatch(block):
                said.append(f'<a id="{target[1]}"></a>\n')
            elif not block.startswith("% "):
                if heading := HEADING.match(block):
                    self.level = len(heading[1])
                said.append(self.inline(block))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(said)).strip("\n")

    def block(self, name, title, options, body):
        label = options.get("label") or options.get("name")
        anchor = f'<a id="{label}"></a>\n\n' if label else ""
        own = self.book.labels.get(label, ("", ""))[1]
        title = self.inline(title)
        if name == "code":
            return "\n".join(body)
        if name == "math":
            return self.formula(body)
        if name == "eval-rst":  # of the index
            return ""
        if name == "dropdown":
            return f"{anchor}{FOLD.format(title, self.text(body))}"
        if name.startswith("prf:"):
            head = f"**{own or name[4:].capitalize()}**" + (
                f" ({title})." if title else "."
            )
            return anchor + BOX.format("success", f"{head} {self.text(body)}")
        if name == "exercise":
            return (
                f"{anchor}{'#' * (self.level + 1)} {own} · {title}\n\n{self.text(body)}"
            )
        if name == "predict":
            return BOX.format("info", self.asked(title, options, body))
        if name == "live":
            return self.live(title, own, body)
        if name == "grid-item-card":
            page = f"book/{options['link']}"
            return f"- **{self.link(title, page)}**: {self.text(body)}"
        if name == "admonition":
            return anchor + BOX.format("info", f"**{title}**\n\n{self.text(body)}")
        return self.text(body)

    def formula(self, lines):
        """A displayed formula with its number, and without comments that color it."""
        label = LABEL.search(lines[-1])
        lines = [line for line in lines if not line.lstrip().startswith("%")]
        if label:
            own = self.book.labels[label[1]][1]
            lines = [
                f'<a id="{label[1]}"></a>\n',
                *lines[:-1],
                rf"\tag{{{own[1:-1]}}}",
                "$$",
            ]
        return self.inline("\n".join(["", *lines, ""]))

    def live(self, name, own, body):
        told = tomllib.loads((ROOT / "book/_ext/live.toml").read_text("utf-8"))[name]
        up = SITE if self.online else relpath("book", Path(self.page).parent) + "/"
        picture = f"![{told['alt']}]({up}_static/live/{name}.png)"
        text = self.text(body or [told["text"]])
        more = ONLINE.format(f"{SITE}{self.page}.html")
        return f"{picture}\n\n{f'**{own}.** ' if own else ''}{text}\n\n{more}"

    def asked(self, title, options, body):
        """A question, its choices with letters; alone with its answer in a fold."""
        said = question(body, "number" in options)
        letters = (
            f"{letter}) {each.text}"
            for letter, each in zip(LETTERS, said.choices, strict=False)
        )
        lines = [f"**{title}**", "", *said.text, "", *(f"{line}\n" for line in letters)]
        asked = self.text(lines)
        return (
            f"{asked}\n\n{FOLD.format('Show the answer', self.answered(options, said))}"
            if self.online
            else asked
        )

    def answered(self, options, said):
        """What is true, and why the rest is not."""
        lines = []
        if "number" in options:
            lines.append(said_of(options["number"]) + "\n")
        for letter, each in zip(LETTERS, said.choices, strict=False):
            lines.append(f"- {'✓' if each.right else '✗'} {letter}) {each.why}")
        return self.text([*lines, "", *said.answer])

    def pieces(self, source):
        """A cell as cells: a heading folds a solution; a program with a kernel asks a question."""
        rest = []
        for block in blocks(source):
            name, _, options, _ = (
                block if isinstance(block, tuple) else ("", "", {}, [])
            )
            if name == "solution-start":
                yield new_markdown_cell(self.drawn(rest))
                yield new_markdown_cell(
                    f"{'#' * (self.level + 2)} Solution", metadata=FOLDED
                )
                rest = []
            elif name == "predict" and not self.online:
                yield new_markdown_cell(self.drawn([*rest, block]))
                yield new_code_cell(ASK.format(options["name"]))
                rest = []
            elif name != "solution-end":
                rest.append(block)
        yield new_markdown_cell(self.drawn(rest))

    def cells(self, cell):
        """What stands for a cell of the page."""
        if cell.cell_type == "markdown":
            return [*self.pieces(cell.source)]
        outputs = still(cell.outputs)
        notes = []
        if outputs != cell.outputs:
            cell = nbformat.from_dict({**cell, "outputs": outputs})
            notes.append(new_markdown_cell(MOVES))
        if figure := cell.metadata.get("mystnb", {}).get("figure"):
            label = figure.get("name", "")
            own = self.book.labels.get(label, ("", ""))[1]
            head = f'<a id="{label}"></a>**{own}.** ' if own else ""
            notes.append(new_markdown_cell(head + self.inline(figure["caption"])))
        return [cell, *notes]


def still(outputs):
    """Outputs with the picture of a widget in its place, at a width that can be read."""
    pictures = deepcopy(outputs)
    for output in pictures:
        data = output.get("data", {})
        if data.pop(WIDGET, None) and "image/png" in data:
            width = int.from_bytes(b64decode(data["image/png"][:32])[16:20])
            output.metadata["image/png"] = {"width": min(640, 3 * width)}
    return pictures


def plain(book, page, notebook, online=False):
    """A page of the book without MyST; what a cell was made of has its id, what is new `made-…`."""
    draw = Plain(book, page, notebook, online)
    cells = []
    made = 0
    for cell in with_keys(notebook).cells:
        drawn = [
            new for new in draw.cells(cell) if new.source or new.cell_type == "code"
        ]
        for k, new in enumerate(drawn):
            if k or cell.cell_type == "markdown":
                new["id"], made = (f"made-{made}", made + 1) if k else (cell.id, made)
                if new.cell_type == "markdown" and not online:
                    new["metadata"] |= {"editable": False, "deletable": False}
        cells += drawn
    metadata = {
        key: value for key, value in notebook.metadata.items() if key != "widgets"
    }
    return nbformat.from_dict({**notebook, "metadata": metadata, "cells": cells})
