"""Serve MathJax and the widget manager from the book where they were fetched.

``tools/fetch_assets.py`` fetches them; without them the pages keep the
addresses of a content delivery network. Either way our own
``widgets/setup.js`` comes before the widget manager.
"""

from pathlib import Path

STATIC = Path(__file__).resolve().parent.parent / "_static"


def fetched(pattern):
    """The address below _static of the fetched file that matches, or None."""
    found = next((STATIC / "fetched").glob(pattern), None)
    return found and found.relative_to(STATIC).as_posix()


def choose_scripts(app, config):
    mathjax = fetched("mathjax-*/tex-mml-chtml.js")
    if mathjax:
        config.mathjax_path = mathjax
    manager = fetched("widgets-*/embed.js")
    scripts = {manager: {}} if manager else config.nb_ipywidgets_js
    config.nb_ipywidgets_js = {"widgets/setup.js": {}, **scripts}


def setup(app):
    app.connect("config-inited", choose_scripts)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
