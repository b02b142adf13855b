"""Write the book for programs that do not read MyST into a folder: ``make plain``."""

import sys
from pathlib import Path

import nbformat

from .pages import SITE, Book, plain

REPOSITORY = "https://github.com/rnmf-tutorial/rnmf_tutorial"
COLAB = (
    "https://colab.research.google.com/github/rnmf-tutorial/rnmf_tutorial/blob/plain/"
)

#: What Colab, which opens a notebook alone, has to get: it stands in the cell that
#: finds the book.
GET = f"""\
import sys

if "google.colab" in sys.modules:  # it opens a notebook alone
    !git clone -q --depth 1 {REPOSITORY}
    %cd -q rnmf_tutorial/book
    %pip install -q "..[figures]" pytest

"""


def write(folder):
    book = Book()
    lines = [f"The pages of [the book]({SITE}) for programs that do not read MyST.\n"]
    for page, title in book.titles.items():
        path = book.path(page)
        if path.suffix != ".ipynb":
            continue
        notebook = plain(book, page, book.notebook(page), online=True)
        alone = notebook.metadata.get("rnmf", {}).get("alone", False)
        for cell in notebook.cells:
            if "setup" in cell.metadata.get("tags", []) and not alone:
                cell.source = GET + cell.source
            if cell.metadata.get("jupyter", {}).get("source_hidden"):
                cell.metadata["cellView"] = "form"  # what Colab folds
        file = folder / f"{page.removeprefix('book/')}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, file)
        name = file.relative_to(folder).as_posix()
        lines.append(f"- [{title}]({name}), [in Colab]({COLAB}{name})")
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
