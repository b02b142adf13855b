"""Make what a teacher hands out: slides of the tour, the lab for students.

Both are made from the notebooks when the site is built, and stand in its folder
``teach``. The slides work offline: reveal.js comes out of the package
``sphinx-revealjs``, MathJax from beside the pages. Both have the plain Markdown that
programs without MyST get.
"""

import importlib.util
import re
import shutil
import sys
from itertools import chain, groupby, takewhile
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

from rnmf_book.pages import HEADING, TARGET, Book, Plain, blocks, plain
from rnmf_book.questions import question

MOST_WORDS, MOST_LINES = 45, 14  # of a paragraph, of code, that a slide holds
PICTURES = {"image/png", "image/svg+xml"}
LINKS = "**Next:**"  # a paragraph of links
MOST_CELLS, MOST_SAID = 3, 8  # of a slide; lines that a cell prints
SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION\n.*?### END SOLUTION$", re.M | re.S)
TO_DO = 'raise NotImplementedError("your lines")'  # in place of a solution
MATHJAX = """<script>
MathJax = {tex: {inlineMath: [["$", "$"]], macros: {R: "\\\\mathbb{R}"}},
           loader: {load: ["input/tex", "output/chtml"]}};
</script>
<script async src="../_static/%s"></script>"""
SHOW = """<script src="reveal/dist/reveal.js"></script>
<script src="reveal/plugin/notes/notes.js"></script>
<script>
Reveal.initialize({hash: true, slideNumber: true, width: 1100, height: 760,
                   plugins: [RevealNotes]});
const fit = () => {  // what is too high for the screen gets smaller
  const slide = Reveal.getCurrentSlide();
  slide.style.zoom = Math.min(1, 740 / slide.scrollHeight);
};
Reveal.on("ready", fit);
Reveal.on("slidechanged", fit);
</script>"""
LOOK = """<style>
.reveal, .reveal :is(p, li, h1, h2, h3) { font-family: "Book Serif", serif; }
.reveal .slides { text-align: left; }
.reveal h1, .reveal h2 { text-transform: none; color: #0072b2; }
.reveal p, .reveal li { font-size: 26px; line-height: 1.4; }
.reveal img { max-height: 420px; max-width: 100%; width: auto; }
.reveal pre { font-size: 18px; width: 100%; }
.jp-InputPrompt, .jp-OutputPrompt { display: none; }
</style>"""


def without_solutions(book, page="book/lab"):
    """The lab as students get it: each solution is a line to fill in."""
    lab = book.notebook(page)
    lab.cells = [x for x in lab.cells if "solution" not in x.metadata.get("tags", [])]
    for cell in lab.cells:
        if cell.cell_type == "code":
            cell.source = SOLUTION.sub(rf"\1{TO_DO}", cell.source)
            cell.outputs = []
            cell.execution_count = None
        elif cell.source.startswith("# Lab"):
            cell.source = cell.source.split("\n\n")[0] + "\n\n" + INTRODUCTION
    return plain(book, page, lab, online=True)


INTRODUCTION = (
    "100 houses are sums of seven parts, and one pixel in ten is wrong. "
    f"Write a fit that does not care. Put your lines where `{TO_DO}` stands; "
    "the folded cell after each task checks it. Its assertions are for the random states that "
    "stand here: with others, those of task 6 can fail for a right answer."
)


def asked_and_answered(draw, title, options, lines):
    """The two slides of a question: the second has what is said after the answer."""
    text, choices, answer = question(lines, "number" in options)
    asked = draw.text([*text, *(f"- {choice.text}" for choice in choices)])
    right = [f"**{choice.text}** {choice.why}\n" for choice in choices if choice.right]
    return f"## {title}\n\n{asked}", draw.text([*right, *answer])


def short(paragraph, last):
    """As many sentences of a paragraph as a slide holds: the first, or the last."""
    said = re.split(r"(?<=[.?!]) (?=[A-Z`$])", paragraph)
    cuts = [" ".join(said[-n:] if last else said[:n]) for n in range(1, 1 + len(said))]
    text = max(
        cuts[:1] + [text for text in cuts if len(text.split()) <= MOST_WORDS], key=len
    )
    cut = "*" * (text.count("*") % 2)  # of emphasis
    return cut + text if last else text + cut


def slide(source, kind):
    cell = nbformat.v4.new_markdown_cell(source)
    cell.metadata["slideshow"] = {"slide_type": kind}
    return cell


def is_text(block):
    return isinstance(block, str) and bool(block.strip())


def pieces(section):
    """A section piece by piece: a heading, a paragraph, a list, a formula."""
    for textual, some in groupby(section, is_text):
        if textual:
            yield [*some]
        else:
            yield from ([block] for block in some if isinstance(block, tuple))


def is_paragraph(piece):
    return is_text(piece[0]) and not piece[0].startswith(("- ", "1. ", "|", ">", "$$"))


def with_its_list(draw, parts, k, last):
    """A piece of a section, a paragraph shortened, with the list or formula that it goes on in."""
    text = draw.drawn(parts[k])
    after = parts[k + 1 : k + 2]
    if is_paragraph(parts[k]):
        text = short(text, last)
    if after and not is_paragraph(after[0]) and not text.endswith((".", "?")):
        text += "\n\n" + draw.drawn(after[0])
    return text


def lead_of(parts):
    """The place of the last paragraph, which leads to the code below it; a list of none or one."""
    return [k for k, part in enumerate(parts) if is_paragraph(part)][-1:]


def section_slide(draw, section, leads):
    """A heading with the first piece below it, and with the paragraph that leads to code."""
    parts = [*pieces(section)]
    heads = bool(HEADING.match(str(section[0])))
    ends = [k for k in lead_of(parts) if leads and k >= heads]
    shown = ends if ends == [heads] else [*range(len(parts))[heads : heads + 1], *ends]
    said = [with_its_list(draw, parts, k, k in ends) for k in shown]
    return slide(
        "\n\n".join([draw.drawn(x) for x in parts[:heads]] + said),
        "slide" if heads else "-",
    )


def lead_slide(draw, section):
    """The paragraph that leads to code alone, where questions stand between it and its section."""
    parts = [*pieces(section)]
    return slide(
        "\n\n".join(with_its_list(draw, parts, k, True) for k in lead_of(parts)),
        "subslide",
    )


def code_follows(cells):
    """Whether a slide shows code before the next text."""
    codes = takewhile(lambda cell: cell.cell_type == "code", cells)
    return any(not new.metadata["tags"] for cell in codes for new in code_slide(cell))


def slides_of(draw, notebook):
    """A page of the tour as slides: its headings, pictures and questions."""
    in_solution = False
    for n, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code":
            if not in_solution:
                yield from code_slide(cell)
            continue
        sections = [[]]
        questions = []
        for block in blocks(cell.source):
            name, title, options, lines = (
                block if isinstance(block, tuple) else ("", "", {}, [])
            )
            if name in ("solution-start", "solution-end"):
                in_solution = name == "solution-start"
            elif in_solution or TARGET.fullmatch(str(block)):
                continue
            elif name == "predict":
                questions.append(asked_and_answered(draw, title, options, lines))
            elif name == "exercise":
                sections[-1] += blocks(f"**{title}.** " + "\n".join(lines).strip())
            elif HEADING.match(str(block)):
                sections.append([block])
            elif name in ("", "code", "math"):
                sections[-1].append(block)
        sections = [
            x for x in sections if any(pieces(x)) and not str(x[0]).startswith(LINKS)
        ]
        leads = (
            [] if in_solution or not code_follows(notebook.cells[n:]) else sections[-1:]
        )
        for section in sections:
            yield section_slide(draw, section, section in leads and not questions)
        for asked, answer in questions:
            yield slide(asked, "subslide")
            yield slide(answer, "fragment")
        for section in leads if questions else []:
            yield lead_slide(draw, section)


def code_slide(cell):
    """A cell with what it shows, if it is no check; code that is hidden or long only draws."""
    tags = set(cell.metadata.get("tags", []))
    pictures = [
        output for output in cell.outputs if PICTURES & set(output.get("data", {}))
    ]
    quiet = {"hide-input", "remove-input"} & tags or len(
        cell.source.splitlines()
    ) > MOST_LINES
    if {"checks", "setup", "remove-cell"} & tags or (quiet and not pictures):
        return
    about = {"slideshow": {"slide_type": "-"}, "tags": ["remove-input"] * bool(quiet)}
    outputs = pictures + ([] if quiet else printed(cell))
    yield nbformat.v4.new_code_cell(cell.source, outputs=outputs, metadata=about)


def printed(cell):
    """What a cell prints, if it is a few lines."""
    text = {"text/plain"}
    outputs = [
        x
        for x in cell.outputs
        if x.get("name") == "stdout" or {*x.get("data", [])} == text
    ]
    said = "".join(x.get("text", "") or x["data"]["text/plain"] for x in outputs)
    return outputs if len(said.splitlines()) <= MOST_SAID else []


def as_slides(book, mathjax, type_sheets=()):
    """The tour as one show of reveal.js that loads nothing from afar."""
    from nbconvert import SlidesExporter
    from traitlets.config import Config

    show = nbformat.v4.new_notebook()
    on_slide = 0
    tour = {
        page: book.notebook(page)
        for page in book.titles
        if page.startswith("book/tour/")
    }
    draws = (Plain(book, *each, online=True) for each in tour.items())
    for cell in chain.from_iterable(map(slides_of, draws, tour.values())):
        about = cell.metadata["slideshow"]
        # What leads from an answer to code does not count; nothing follows an answer.
        counts = {"-": on_slide + 1, "slide": 1, "subslide": 0, "fragment": MOST_CELLS}
        on_slide = counts[about["slide_type"]]
        if on_slide > MOST_CELLS:  # what does not fit goes to the next
            about["slide_type"] = "subslide"
            on_slide = 1
        show.cells.append(cell)
    config = Config(
        TagRemovePreprocessor={"enabled": True, "remove_input_tags": {"remove-input"}}
    )
    exporter = SlidesExporter(
        config=config, reveal_url_prefix="reveal", reveal_theme="white"
    )
    page, _ = exporter.from_notebook_node(show)
    page = BeautifulSoup(page, "html.parser")
    for script in page(
        "script"
    ):  # MathJax from afar, mermaid, require.js and what it would start
        script.decompose()
    page.title.string = "A tour of robust NMF"
    links = "".join(
        f'<link rel="stylesheet" href="../{sheet}">' for sheet in type_sheets
    )
    page.head.append(BeautifulSoup(links + LOOK + MATHJAX % mathjax, "html.parser"))
    page.body.append(BeautifulSoup(SHOW, "html.parser"))
    return str(page)


def write(app, exception):
    """Put slides and sheet beside the pages of a site that was built."""
    if exception or app.builder.name != "html":
        return
    book = Book()
    folder = Path(app.outdir, "teach")
    folder.mkdir(exist_ok=True)
    nbformat.write(without_solutions(book), folder / "lab_sheet.ipynb")
    package = importlib.util.find_spec("sphinx_revealjs")
    source = Path(package.origin).parent / "_static" / "revealjs"
    for part in ("dist", "plugin/notes"):
        shutil.copytree(source / part, folder / "reveal" / part, dirs_exist_ok=True)
    static = Path(app.srcdir, "book", "_static")
    sheets = [
        file.relative_to(static.parent).as_posix()
        for file in static.glob("fetched/*/type.css")
    ]
    page = as_slides(book, app.config.mathjax_path, sheets)
    (folder / "slides.html").write_text(page, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
