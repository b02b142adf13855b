"""Count the words of the pages, part by part: `make words`. Code and the API are not counted."""

import nbformat
import yaml
from rnmf_book.pages import ROOT, listed
from rnmf_book.questions import with_keys


def prose(name):
    """Return the text of a page, or of the Markdown cells of a notebook."""
    page = ROOT / f"{name}.ipynb"
    if not page.exists():
        return (ROOT / f"{name}.md").read_text(encoding="utf-8")
    cells = with_keys(nbformat.read(page, as_version=4)).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def counts():
    """Return part -> page -> number of words, in the order of the table of contents."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = {"First page": {"root": contents["root"]}}
    parts |= {part["caption"]: {"parts": [part]} for part in contents["parts"]}
    return {
        caption: {
            name: len(prose(name).split())
            for name, _ in listed(part)
            if not name.startswith("book/api")
        }
        for caption, part in parts.items()
    }


if __name__ == "__main__":
    found = counts()
    for part, names in found.items():
        print(f"{part:34} {sum(names.values()):7,}")
        for name, count in names.items():
            print(f"  {name:32} {count:7,}")
    print(f"{'All':34} {sum(sum(names.values()) for names in found.values()):7,}")
