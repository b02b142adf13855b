"""Let the search find pages by the words that readers type.

Pages name such words themselves, in index entries. ``WORDS`` adds those of
pages that must also be found under names that are no terms of theirs.

Sphinx reads the old search index back without its index entries, so that
after an incremental build the search would know only those of the pages just
built. The index domain still has the entries of all pages.
"""

from sphinx.errors import SphinxError
from sphinx.util.index_entries import split_index_msg

WORDS = {
    "book/cite": ["citation", "cite this book", "bibtex", "how to cite"],
    "book/index": ["install", "installation", "pip install", "quick start"],
    "book/your_data": ["csv", "excel", "missing", "occluded", "rank"],
    "book/behind_the_block": ["occluded", "occlusion", "blocks", "behind the block"],
    "book/gallery": ["occluded", "missing", "gaps"],
    "book/neighbors": ["breakdown", "robust PCA", "efficiency", "neighbors"],
    "book/world": ["robust PCA", "principal component pursuit"],
    "book/tour/3_outlier": ["breakdown"],
    "book/tour/5_choosing": ["rank"],
    "book/nmf": ["rank"],
    "book/sparse_basis": ["sparse", "sparse basis", "sparse parts"],
    "book/robust_nmf": ["sparse", "sparse error matrix"],
    "book/your_data_cases": ["sparse", "sparse matrix"],
    "book/faster": ["missing"],
    "book/map": ["all methods"],
}


def entries_of(page):
    """Name, place and weight of each entry, as the search has them."""
    found = set()
    for kind, value, place, main, _ in page:
        try:
            names = split_index_msg(kind, value)
        except ValueError:
            continue
        found.update((name, place or "", main) for name in names)
    return found


def refill(app):
    indexer = app.builder.indexer
    if indexer is None:  # a builder without search
        return []
    if not hasattr(indexer, "_index_entries"):
        raise SphinxError(
            "This Sphinx keeps the search's index entries elsewhere: see "
            "whether book/_ext/search_entries.py is still needed."
        )
    entries = app.env.get_domain("index").entries
    for name in app.env.found_docs:
        words = {(word, "", "main") for word in WORDS.get(name, [])}
        indexer._index_entries[name] = sorted(entries_of(entries.get(name, [])) | words)
    return []  # no page of our own


def setup(app):
    app.connect("html-collect-pages", refill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
