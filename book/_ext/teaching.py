"""Make what a teacher hands out: slides of the tour, the lab for students.

Both are made from the notebooks when the site is built, and stand in its folder ``teach``. The
slides work offline: reveal.js comes out of the package ``sphinx-revealjs``, MathJax from beside
the pages. A page is read by the parser that reads it for the book.
"""

import importlib.util
import re
import shutil
from itertools import dropwhile
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from predict import question

TOUR = ("1_parts", "2_by_hand", "3_outlier", "4_weights", "5_choosing")
MOST_WORDS, MOST_LINES = 45, 14  # of a paragraph, of code, that a slide holds
LINKS = "**Where to go on:**"  # a paragraph of links
MOST_CELLS, MOST_SAID = 3, 8  # of a slide; lines that a cell prints
SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION\n.*?### END SOLUTION$", re.M | re.S)
TO_DO = 'raise NotImplementedError("your lines")'  # in place of a solution
SITE = "https://rnmf-tutorial.github.io/rnmf_tutorial/book/"
PARSER = create_md_parser(
    MdParserConfig(enable_extensions={"colon_fence", "dollarmath"}), RendererHTML
)
#: Role -> what stands for what only the book can number.
NUMBERED = {"numref": "figure", "prf:ref": "figure", "eq": "equation"}
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


def without_solutions(notebook):
    """The lab as students get it: each solution is a line to fill in."""
    sheet = nbformat.v4.new_notebook(metadata=notebook.metadata)
    for cell in notebook.cells:
        if "solution" in cell.metadata.get("tags", []):
            continue
        new = cell.copy()
        if new.cell_type == "code":
            new.source = SOLUTION.sub(rf"\1{TO_DO}", cell.source)
            new.outputs, new.execution_count = [], None
        else:
            new.source = with_site(cell.source)
        if new.source.startswith("# Lab"):
            new.source = new.source.split("\n\n")[0] + "\n\n" + INTRODUCTION
        sheet.cells.append(new)
    return sheet


INTRODUCTION = (
    "100 houses are sums of seven parts, and one pixel in ten is wrong. "
    f"Write a fit that does not care. Put your lines where `{TO_DO}` stands; "
    "the assertions after a task say whether it is solved."
)


def with_site(text):
    """Markdown whose links to pages of the book lead to the site."""
    for token in PARSER.parse(text):
        for part in token.children or []:
            page = Path(part.attrGet("href") or "")
            if part.type == "link_open" and page.suffix in (".ipynb", ".md"):
                text = text.replace(f"]({page})", f"]({SITE}{page.with_suffix('.html')})")
    return text


def in_words(inline):
    """The Markdown of a token of text, without what only the book resolves."""
    said, link = "", 0

    def the(noun):
        return f"{'the' if said and not said.endswith(('. ', '? ', '! ')) else 'The'} {noun}"

    for part in inline.children:
        away = (part.attrGet("href") or "").startswith(("http://", "https://"))
        if part.type == "myst_role":
            role = part.meta["name"]
            if role in NUMBERED:
                said += the(NUMBERED[role])
            elif not role.startswith("cite"):
                said += part.content.partition("<")[0].rstrip()
        elif part.type == "link_open":
            link, end = len(said), f"]({part.attrGet('href')})" if away else ""
            said += "[" * away
        elif part.type == "link_close":
            said += end or the("book") * (len(said) == link)
        elif part.type == "softbreak":
            said += "\n"
        else:  # what stands between its marks, or a mark alone
            said += part.markup + part.content + part.markup * bool(part.content)
    return said


def blocks(text):
    """The blocks of a cell: of each its first token, and its Markdown in words."""
    lines, found = text.splitlines(), []
    for token in PARSER.parse(text):
        if token.level == 0 and token.map:
            source = "\n".join(lines[slice(*token.map)]).rstrip()
            found.append(
                (token, f"$${token.content}$$" if token.info and "math" in token.type else source)
            )
        elif token.type == "inline":
            first, source = found[-1]
            found[-1] = first, source.replace(token.content, in_words(token), 1)
    return [block for block in found if block[0].type not in ("myst_target", "myst_line_comment")]


def words(text):
    return "\n\n".join(source for _, source in blocks(text))


def directive(token):
    """The name of a directive, its title, its options and its lines; no name of anything else."""
    if token.type not in ("fence", "colon_fence") or not token.info.startswith("{"):
        return "", "", [], []
    name, _, title = token.info.removeprefix("{").partition("}")
    lines = token.content.splitlines()
    body = list(dropwhile(lambda line: line.startswith(":"), lines))
    return name, title.strip(), lines[: len(lines) - len(body)], body


def asked_and_answered(title, options, lines):
    """The two slides of a question: the second has what is said after the answer."""
    numeric = any(option.startswith(":number:") for option in options)
    text, choices, answer = question(lines, numeric)
    asked = words("\n".join([*text, *(f"- {choice.text}" for choice in choices)]))
    right = [f"**{choice.text}** {choice.why}\n" for choice in choices if choice.right]
    return f"## {title}\n\n{asked}", words("\n".join([*right, *answer]))


def short(paragraph):
    """As many sentences of a paragraph as a slide holds."""
    kept = []
    for sentence in re.split(r"(?<=[.?!]) (?=[A-Z`$])", paragraph):
        if kept and len(" ".join([*kept, sentence]).split()) > MOST_WORDS:
            break
        kept.append(sentence)
    text = " ".join(kept)
    return text + "*" * (text.count("*") % 2)  # emphasis that was cut ends here


def slide(source, kind):
    cell = nbformat.v4.new_markdown_cell(source)
    cell.metadata["slideshow"] = {"slide_type": kind}
    return cell


def section_slide(section):
    """A heading with what follows it: a paragraph, and what its last sentence goes on in."""
    heads = section[0][0].type == "heading_open"
    said = [source for _, source in section[: 1 + heads]]
    if len(said) > heads and section[heads][0].type == "paragraph_open":
        said[-1] = short(said[-1])
    rest = section[1 + heads :]
    if rest and rest[0][0].type != "paragraph_open" and not said[-1].endswith((".", "?")):
        said.append(rest[0][1])
    return slide("\n\n".join(said), "slide" if heads else "-")


def slides_of(notebook):
    """A page of the tour as slides: its headings, pictures and questions."""
    in_solution = False
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if not in_solution:
                yield from code_slide(cell)
            continue
        sections, questions = [[]], []
        for token, source in blocks(cell.source):
            name, title, options, lines = directive(token)
            if name in ("solution-start", "solution-end"):
                in_solution = name == "solution-start"
            elif in_solution:
                continue
            elif name == "predict":
                questions.append(asked_and_answered(title, options, lines))
            elif name == "exercise":
                (first, source), *others = blocks("\n".join(lines))
                sections[-1] += [(first, f"**{title}.** {source}"), *others]
            elif token.type == "heading_open":
                sections.append([(token, source)])
            elif not name:
                sections[-1].append((token, source))
        for section in filter(None, sections):
            if not section[0][1].startswith(LINKS):
                yield section_slide(section)
        for asked, answer in questions:
            yield slide(asked, "subslide")
            yield slide(answer, "fragment")


def code_slide(cell):
    """A cell with what it shows, if it is no check; code that is hidden or long only draws."""
    tags = set(cell.metadata.get("tags", []))
    pictures = [
        output
        for output in cell.outputs
        if {"image/png", "image/svg+xml"} & set(output.get("data", {}))
    ]
    quiet = {"hide-input", "remove-input"} & tags or len(cell.source.splitlines()) > MOST_LINES
    if {"checks", "setup", "remove-cell"} & tags or (quiet and not pictures):
        return
    new = nbformat.v4.new_code_cell(
        cell.source, outputs=pictures + ([] if quiet else printed(cell))
    )
    new.metadata["slideshow"] = {"slide_type": "-"}
    if quiet:
        new.metadata["tags"] = ["remove-input"]
    yield new


def printed(cell):
    """What a cell prints, if it is a few lines."""
    outputs = [
        output
        for output in cell.outputs
        if output.get("name") == "stdout" or set(output.get("data", {})) == {"text/plain"}
    ]
    said = "".join(output.get("text", "") or output["data"]["text/plain"] for output in outputs)
    return outputs if len(said.splitlines()) <= MOST_SAID else []


def as_slides(notebooks, mathjax, type_sheets=()):
    """All pages as one show of reveal.js that loads nothing from afar."""
    from nbconvert import SlidesExporter
    from traitlets.config import Config

    show = nbformat.v4.new_notebook()
    on_slide = 0
    for cell in (cell for page in notebooks for cell in slides_of(page)):
        about = cell.metadata["slideshow"]
        on_slide = on_slide + 1 if about["slide_type"] == "-" else 1
        if about["slide_type"] == "fragment":  # nothing follows an answer
            on_slide = MOST_CELLS
        if on_slide > MOST_CELLS:  # what does not fit goes to the next
            about["slide_type"], on_slide = "subslide", 1
        show.cells.append(cell)
    config = Config()
    config.SlidesExporter.reveal_url_prefix = "reveal"
    config.SlidesExporter.reveal_theme = "white"
    config.TagRemovePreprocessor.enabled = True
    config.TagRemovePreprocessor.remove_input_tags = {"remove-input"}
    page, _ = SlidesExporter(config=config).from_notebook_node(show)
    page = BeautifulSoup(page, "html.parser")
    for script in page("script"):  # MathJax from afar, mermaid, require.js and what it would start
        script.decompose()
    page.title.string = "A tour of robust NMF"
    links = "".join(f'<link rel="stylesheet" href="../{sheet}">' for sheet in type_sheets)
    page.head.append(BeautifulSoup(links + LOOK + MATHJAX % mathjax, "html.parser"))
    page.body.append(BeautifulSoup(SHOW, "html.parser"))
    return str(page)


def write(app, exception):
    """Put slides and sheet beside the pages of a site that was built."""
    if exception or app.builder.name != "html":
        return
    book, folder = Path(app.srcdir, "book"), Path(app.outdir, "teach")
    folder.mkdir(exist_ok=True)
    lab = nbformat.read(book / "lab.ipynb", as_version=4)
    nbformat.write(without_solutions(lab), folder / "lab_sheet.ipynb")
    package = importlib.util.find_spec("sphinx_revealjs")
    source = Path(package.origin).parent / "_static" / "revealjs"
    for part in ("dist", "plugin/notes"):
        shutil.copytree(source / part, folder / "reveal" / part, dirs_exist_ok=True)
    tour = [nbformat.read(book / "tour" / f"{name}.ipynb", as_version=4) for name in TOUR]
    sheets = [file.relative_to(book).as_posix() for file in book.glob("_static/fetched/*/type.css")]
    page = as_slides(tour, app.config.mathjax_path, sheets)
    (folder / "slides.html").write_text(page, encoding="utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
