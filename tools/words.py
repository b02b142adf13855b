"""Count the words of the pages, part by part: `make words`. Code and the API are not counted."""

from pathlib import Path

import nbformat
import yaml

ROOT = Path(__file__).resolve().parent.parent


def prose(name):
    """Return the text of a page, or of the Markdown cells of a notebook."""
    page = ROOT / f"{name}.ipynb"
    if not page.exists():
        return (ROOT / f"{name}.md").read_text(encoding="utf-8")
    cells = nbformat.read(page, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def pages(chapters):
    """Yield the names of pages in the order of the table of contents."""
    for chapter in chapters:
        if "file" in chapter and not chapter["file"].startswith("book/api"):
            yield chapter["file"]
        yield from pages(chapter.get("sections", []))


def counts():
    """Return part -> page -> number of words."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = {"": [{"file": contents["root"]}]}
    parts |= {part["caption"]: part["chapters"] for part in contents["parts"]}
    return {
        part: {name: len(prose(name).split()) for name in pages(chapters)}
        for part, chapters in parts.items()
    }


if __name__ == "__main__":
    found = counts()
    for part, names in found.items():
        print(f"{part or 'First page':34} {sum(names.values()):7,}")
        for name, count in names.items():
            print(f"  {name:32} {count:7,}")
    print(f"{'All':34} {sum(sum(names.values()) for names in found.values()):7,}")
