"""Values that the text of a page takes from a cell."""

from IPython.display import display

RECORD = (
    "application/papermill.record/"  # what MyST-NB stores them under; nothing shows it
)


def glue(name, value):
    """Keep a value for the role glue, as ``myst_nb.glue`` does, which a reader may not have."""
    about = {"scrapbook": {"name": name, "mime_prefix": RECORD}}
    plain = (
        value.item() if hasattr(value, "item") else value
    )  # not as NumPy writes its numbers
    display({f"{RECORD}text/plain": repr(plain)}, raw=True, metadata=about)
