"""Make what a teacher hands out: slides of the tour, the lab for students.

Both are made from the notebooks when the site is built, and stand in its
folder ``teach``. The slides work offline: reveal.js comes out of the package
``sphinx-revealjs``, MathJax from beside the pages.
"""

import importlib.util
import re
import shutil
from pathlib import Path

import nbformat

TOUR = ("1_parts", "2_by_hand", "3_outlier", "4_weights", "5_choosing")
MOST_WORDS, MOST_LINES = 45, 14  # of a paragraph, of code, that a slide holds
LINKS = "**Where to go on:**"  # a paragraph of links
MOST_CELLS, MOST_SAID = 3, 8  # of a slide; lines that a cell prints
BLOCK = ("$$", "-", "1.", "|")  # what is no paragraph
SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION\n.*?### END SOLUTION$", re.M | re.S)
TO_DO = 'raise NotImplementedError("your lines")'  # in place of a solution
SITE = "https://rnmf-tutorial.github.io/rnmf_tutorial/book/"
PAGE = re.compile(r"\]\(([\w/]+)\.(?:ipynb|md)\)")
SOLVED = re.compile(r"^(`{3,}\{solution-\w+\})", re.M)
FENCE = re.compile(r"^(`{3,}|:{3,})\{([\w:-]+)\}(.*?)\n(.*?)^\1$", re.M | re.S)
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
</script>
</html>"""
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
        new.source = PAGE.sub(rf"]({SITE}\1.html)", cell.source)
        new.source = SOLUTION.sub(rf"\1{TO_DO}", new.source)
        if new.cell_type == "code":
            new.outputs, new.execution_count = [], None
        if new.source.startswith("# Lab"):
            new.source = new.source.split("\n\n")[0] + "\n\n" + INTRODUCTION
        sheet.cells.append(new)
    return sheet


INTRODUCTION = (
    "100 houses are sums of seven parts, and one pixel in ten is wrong. "
    f"Write a fit that does not care. Put your lines where `{TO_DO}` stands; "
    "the assertions after a task say whether it is solved."
)


def in_words(text):
    """Markdown without the roles and labels that only the book resolves."""
    text = re.sub(r"\{(?:numref|prf:ref)\}`[^`]*`", "the figure", text)
    text = re.sub(r"\{eq\}`[^`]*`", "the equation", text)
    text = re.sub(r"\{cite(?::\w)?\}`[^`]*`", "", text)
    text = re.sub(r"\{\w+\}`([^`<]*?)(?: *<[^>]*>)?`", r"\1", text)
    text = re.sub(r"\[\]\((?!https?:)[^)]*\)", "the book", text)
    text = re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", text)
    text = re.sub(r"\$\$ \([\w-]+\)$", "$$", text, flags=re.M)
    text = re.sub(r"^\([\w-]+\)=\n", "", text, flags=re.M)
    first = r"(^|[.?!] )the (?=figure|equation|book)"
    return re.sub(first, r"\1The ", text, flags=re.M)


def questions(text):
    """The questions of a cell, each with what is said after the answer."""
    for fence in FENCE.finditer(text):
        if fence[2] == "predict":
            body = re.sub(r"^:\w+:.*\n", "", fence[4], flags=re.M)
            asked, _, answer = body.partition("\n---\n")
            for right in re.findall(r"^- \[x\] ([^|\n]*)(.*)$", asked, re.M):
                why = right[1].lstrip("| ")
                answer = f"**{right[0].strip()}** {why}\n\n{answer}"
            asked = re.sub(r"^- \[.\] ([^|]*).*$", r"- \1", asked, flags=re.M)
            yield (f"## {fence[3].strip()}\n\n{in_words(asked)}", in_words(answer))


def exercise(fence):
    """What an exercise asks; nothing of any other directive."""
    if fence[2] != "exercise":
        return ""
    asked = re.sub(r"^:\w+:.*\n", "", fence[4], flags=re.M).strip()
    return f"**{fence[3].strip()}.** {asked}"


def short(paragraph):
    """As many sentences of a paragraph as a slide holds."""
    if paragraph.lstrip().startswith(BLOCK):
        return paragraph
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


def printed(cell):
    """What a cell prints, if it is a few lines."""
    outputs = [
        output
        for output in cell.outputs
        if output.get("name") == "stdout" or set(output.get("data", {})) == {"text/plain"}
    ]
    words = "".join(output.get("text", "") or output["data"]["text/plain"] for output in outputs)
    return outputs if len(words.splitlines()) <= MOST_SAID else []


def outside_solutions(cells):
    """The cells without what stands between the start and the end of one."""
    inside = False
    for cell in cells:
        source = ""
        for part in re.split(r"^(`{3,}\{solution-\w+\})", cell.source, flags=re.M):
            inside = part.endswith("-start}") or (inside and not part.endswith("-end}"))
            source += "" if inside else part
        if source:
            yield nbformat.from_dict({**cell, "source": source})


def slides_of(notebook):
    """A page of the tour as slides: its headings, pictures and questions."""
    for cell in outside_solutions(notebook.cells):
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "markdown":
            text = in_words(FENCE.sub(exercise, cell.source))
            for part in re.split(r"(?m)^(?=#{1,3} )", text):
                blocks = [b for b in part.strip().split("\n\n") if b.strip()]
                if not blocks or blocks[0].startswith(LINKS):
                    continue
                heads = blocks[0].startswith("#")
                said, rest = blocks[: 1 + heads], blocks[1 + heads :]
                said[-1] = said[-1] if len(said) == heads else short(said[-1])
                if rest and rest[0].startswith(BLOCK):
                    # a sentence that goes on in an equation or a list
                    said += [] if said[-1].endswith((".", "?")) else rest[:1]
                yield slide("\n\n".join(said), "slide" if heads else "-")
            for asked, answer in questions(cell.source):
                yield slide(asked, "subslide")
                yield slide(answer, "fragment")
            continue
        if {"checks", "setup", "remove-cell"} & set(tags):
            continue
        hidden = {"hide-input", "remove-input"} & set(tags)
        long = len(cell.source.splitlines()) > MOST_LINES
        pictures = [
            output
            for output in cell.outputs
            if {"image/png", "image/svg+xml"} & set(output.get("data", {}))
        ]
        if (hidden or long) and not pictures:
            continue
        shown = pictures if hidden or long else pictures + printed(cell)
        new = nbformat.v4.new_code_cell(cell.source, outputs=shown)
        new.metadata["slideshow"] = {"slide_type": "-"}
        if hidden or long:
            new.metadata["tags"] = ["remove-input"]
        yield new


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
    page = re.sub(
        r"<!-- Load mathjax -->.*?<!-- End of mathjax configuration -->",
        lambda _: MATHJAX % mathjax,
        page,
        flags=re.S,
    )
    # mermaid, and require.js with what it would start
    page = re.sub(r'<script type="module">.*?</script>', "", page, flags=re.S)
    page = re.sub(r'<script[^>]*src=(https?:|"https?:|"")[^>]*></script>', "", page)
    page = page[: page.rindex("<script>")] + SHOW
    page = page.replace("<title>Notebook</title>", "<title>A tour of robust NMF</title>")
    links = [f'<link rel="stylesheet" href="../{sheet}">' for sheet in type_sheets]
    return page.replace("</head>", "\n".join([*links, LOOK, "</head>"]), 1)


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
