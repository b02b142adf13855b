"""Load what a page needs from the book itself, and no more than it needs.

``tools/fetch_assets.py`` puts the parts of MathJax that typeset TeX, and
fonts with the few icons of these pages, beside them. Without these a page
asks a content delivery network for all of MathJax and takes the theme fonts.
"""

import re
from pathlib import Path

STATIC = Path(__file__).resolve().parent.parent / "_static"
MATHJAX_PARTS = ["input/tex", "output/chtml", "a11y/assistive-mml"]
# Names, points and space in code have the color of the text.
PLAIN = re.compile(r'<span class="[npw]">([^<]*)</span>')


def choose_files(app, config):
    """Take MathJax and icons from the book where they were fetched."""
    fetched = {
        file.name: file.relative_to(STATIC).as_posix()
        for file in STATIC.glob("fetched/*/*")
    }
    if "startup.js" in fetched:
        config.mathjax_path = fetched["startup.js"]
        config.mathjax3_config["loader"] = {"load": MATHJAX_PARTS}
    for sheet in ("icons.css", "type.css"):
        if sheet in fetched:
            app.add_css_file(fetched[sheet], priority=900)


def hurry(app, pagename, templatename, context, doctree):
    """Let no script stand before the text, and load none that does nothing.

    Thebe does nothing here: no page runs code. The theme loads it twice.
    """
    idle = ["thebe"]
    if "body" in context:
        context["body"] = PLAIN.sub(r"\1", context["body"])
    body = context.get("body", "")
    if 'class="math' not in body and "\\(" not in body:
        idle.append("mathjax")
    for kind in ("script_files", "css_files"):
        context[kind] = [
            file
            for file in context[kind]
            if not any(name in contents(file) for name in idle)
        ]
    if pagename == "search":
        return  # its own scripts call these while the page is being read
    context["script_files"] = list(map(deferred, context["script_files"]))


def contents(file):
    """Name and text of a script, in small letters."""
    return f"{file.filename} {file.attributes.get('body')}".lower()


def deferred(file):
    """Let a script run after the page is read, unless others wait for it."""
    name = str(file.filename or "documentation_options")
    if "documentation_options" in name or "async" in file.attributes:
        return file
    attributes = file.attributes | {"defer": "defer"}
    return type(file)(name, priority=file.priority, **attributes)


def setup(app):
    app.connect("config-inited", choose_files)
    app.connect("html-page-context", hurry, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
