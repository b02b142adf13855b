"""Pages in plain Markdown: nothing of MyST is left, links lead somewhere, saving loses nothing."""

import re
from copy import deepcopy
from os.path import normpath
from pathlib import Path

import nbformat
import pytest
from rnmf_book import pages, stored_again
from rnmf_book.pages import plain

HERE = Path(__file__).parent
BOOK = pages.Book()
PAGES = [page for page in BOOK.titles if BOOK.path(page).suffix == ".ipynb"]
MARKUP = re.compile(
    r"\{[\w:+-]+\}`|^ *[`:]{3,} *\{|^ *:{3,}|^:[\w-]+:|^\([\w.-]+\)=|\\R\b", re.M
)
LINK = re.compile(r"\]\((?!http)([\w./]*?)(?:\.ipynb)?(?:#([\w.:-]+))?\)")
CODE = re.compile(r"^(`{3,}).*?^\1|`[^`\n]+`", re.M | re.S)


def words(notebook):
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return CODE.sub("", "\n\n".join(texts))


@pytest.fixture(scope="module")
def opened():
    stored = {page: nbformat.read(BOOK.path(page), as_version=4) for page in PAGES}
    return {
        page: (old, plain(BOOK, page, deepcopy(old))) for page, old in stored.items()
    }


@pytest.mark.slow
def test_no_markup_and_no_key_is_left_on_a_page_and_saving_it_changes_nothing(opened):
    """Alone, a page answers in folds and leads to the online book."""
    for page, (stored, shown) in opened.items():
        nbformat.validate(shown)
        assert stored_again(stored, deepcopy(shown)) == stored
        alone = words(plain(BOOK, page, deepcopy(stored), online=True))
        assert MARKUP.findall(words(shown)) == MARKUP.findall(alone) == [], page
        assert ".ipynb)" not in alone and "ask(" not in alone
        source = "\n".join(cell.source for cell in shown.cells)
        asked = [name for name, (place, *_) in BOOK.questions.items() if place == page]
        assert alone.count("<summary>Show the answer</summary>") == len(asked)
        for name in asked:
            _, reasons, answer = BOOK.form(name)
            assert source.count(f'ask("{name}")') == 1
            for told in (answer, *(why for _, why in reasons.values())):
                assert told.splitlines()[-1] not in source, name


@pytest.mark.slow
def test_every_link_to_a_page_finds_its_place(opened):
    texts = {page: words(shown) for page, (_, shown) in opened.items()}
    for page, text in texts.items():
        for path, label in LINK.findall(text):
            if path.endswith(".png"):
                assert (BOOK.path(page).parent / path).exists()
                continue
            there = normpath(f"{page}/../{path}") if path else page
            assert there in texts, (page, path)
            assert not label or f'<a id="{label}"></a>' in texts[there], (
                page,
                path,
                label,
            )


def test_a_page_is_drawn(tmp_path, monkeypatch):
    written, drawn = (
        (HERE / f"{name}.md").read_text("utf-8") for name in ("page", "page_drawn")
    )
    book = pages.Book()
    cells = [nbformat.v4.new_markdown_cell(written), nbformat.v4.new_code_cell("1 + 1")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    path = tmp_path / "one.ipynb"
    nbformat.write(notebook, path)
    own = book.path
    monkeypatch.setattr(book, "path", lambda page: path if page == "one" else own(page))
    book.scan("one", 3, pages.Counter())
    text, solution, code = plain(book, "one", notebook).cells
    assert text.source == drawn.rstrip() and text.metadata["editable"] is False
    assert (
        solution.source == "#### Solution"
        and solution.metadata["jp-MarkdownHeadingCollapsed"]
    )
    assert code.source == "1 + 1"
    notebook.cells[0].source = "{numref}`fig-none`"
    with pytest.raises(ValueError, match=r"nothing is known of \{numref"):
        plain(book, "one", notebook)
