"""A Jupyter server that shows the pages of the book as the site does, from the same files.

A text opens in plain Markdown and cannot be edited; what is saved is what the file had,
with the code and the outputs of the reader. With RNMF_BOOK=source in the environment
all is as it is stored. An editable installation has a server load this (see setup.py).
"""

import os
from fnmatch import fnmatch
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "book"
#: Files and folders of the book that are no pages.
NO_PAGES = ["_*", "api", "figures", "results", "studies", "*.md", "*.toml", "*.bib"]


def _jupyter_server_extension_points():
    return [{"module": "rnmf_book"}]


def stored_again(stored, shown):
    """The page to save: texts and still pictures as the file has them, all else as it is now."""
    from .pages import still

    of_file = {cell.id: cell for cell in stored.cells}
    cells = [cell for cell in shown.cells if not cell.id.startswith("made-")]
    for k, cell in enumerate(cells):
        old = of_file.get(cell.id)
        if old and old.cell_type == "markdown":
            cells[k] = old
        elif old and cell.outputs == still(old.outputs):
            cell.outputs = old.outputs
    place = 0
    for cell in stored.cells:
        there = [each.id for each in cells]
        if cell.id in there:
            place = there.index(cell.id) + 1
        elif cell.cell_type == "markdown":  # it showed nothing
            cells.insert(place, cell)
            place += 1
    shown.cells = cells
    if "widgets" in stored.metadata:
        shown.metadata.setdefault("widgets", stored.metadata.widgets)
    return shown


def _load_jupyter_server_extension(server):
    if os.environ.get("RNMF_BOOK") == "source":
        return
    import nbformat
    from jupyter_core.utils import ensure_async

    from .pages import Book, plain

    manager = server.contents_manager
    get = manager.get
    save = manager.save

    def in_book(path):
        """A path in the folder of the book, or nothing."""
        file = Path(manager.root_dir, path.strip("/")).resolve()
        return file.relative_to(FOLDER) if FOLDER in (file, *file.parents) else None

    def page(path):
        """The name of a page of the book, or nothing."""
        file = in_book(path)
        if file and file.suffix == ".ipynb":
            return f"book/{file.with_suffix('').as_posix()}"

    async def shown(path, content=True, **options):
        model = await ensure_async(get(path, content=content, **options))
        if model["type"] == "notebook" and model["content"] and (name := page(path)):
            model["content"] = plain(Book(), name, model["content"])
            for cell in model["content"].cells:  # an SVG is drawn in trusted cells only
                cell.metadata["trusted"] = True
        if model["type"] == "directory" and model["content"] and in_book(path):
            model["content"] = [
                each
                for each in model["content"]
                if not any(fnmatch(each["name"], name) for name in NO_PAGES)
            ]
        return model

    async def saved(model, path="", **options):
        if model.get("type") == "notebook" and page(path) and model.get("content"):
            content = nbformat.from_dict(model["content"])
            if await ensure_async(manager.file_exists(path)):
                stored = await ensure_async(get(path, type="notebook"))
                content = stored_again(nbformat.from_dict(stored["content"]), content)
            model = {**model, "content": content}
        return await ensure_async(save(model, path, **options))

    manager.get = shown
    manager.save = saved
