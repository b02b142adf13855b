"""Keep the index entries in the search when only some pages are built anew.

Sphinx reads the old search index back without its index entries, so that
after an incremental build the search would know only those of the pages just
built. The index domain still has the entries of all pages.
"""

from sphinx.errors import SphinxError
from sphinx.util.index_entries import split_index_msg


def entries_of(page):
    """Name, place and weight of each entry, as the search has them."""
    found = set()
    for kind, value, place, main, _ in page:
        try:
            names = split_index_msg(kind, value)
        except ValueError:
            continue
        found.update((name, place or "", main) for name in names)
    return sorted(found)


def refill(app):
    indexer = app.builder.indexer
    if indexer is None:  # a builder without search
        return []
    if not hasattr(indexer, "_index_entries"):
        raise SphinxError(
            "This Sphinx keeps the search's index entries elsewhere: see "
            "whether book/_ext/search_entries.py is still needed."
        )
    for name, page in app.env.get_domain("index").entries.items():
        indexer._index_entries[name] = entries_of(page)
    return []  # no page of our own


def setup(app):
    app.connect("html-collect-pages", refill)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
