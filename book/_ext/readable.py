"""Give every page a description, and mend what stands in a reader's way.

Search engines and link previews show a description. A chapter's is what its
card promises; any other page's is its first paragraph.
"""

import html
import re
import tomllib
from itertools import accumulate, pairwise
from pathlib import Path
from urllib.parse import quote_plus

from docutils import nodes

LONGEST = 240  # characters; search engines show fewer
# A formula in a line, and the sign after it, which must not begin the next line.
ENDED = re.compile(
    r'(<span class="math notranslate nohighlight">[^<]*</span>[.,;:?!)]+)'
)
# A paragraph that is nothing but a bold link to a page becomes a button.
BUTTON = re.compile(
    r'(<p><strong><a class=")(reference internal"[^\n]*</a></strong></p>)'
)
PAPERS = [
    tomllib.loads(x.read_text("utf-8"))
    for x in Path(__file__).parents[1].glob("*/*/words.toml")
]
CHAPTERS = {paper["name"]: paper["chapter"] for paper in PAPERS}


def plain(node):
    """The text of a node without citations, in one line."""
    text = re.sub(r"\s*\[[^\]]*\]", "", node.astext())
    return " ".join(text.split())


def promise(doctree):
    """What the card says that you can do after reading, or None."""
    for admonition in doctree.findall(nodes.Admonition):
        for lead, points in pairwise(admonition.children):
            if lead.astext().startswith("Afterwards you can"):
                items = map(plain, points.findall(nodes.list_item))
                return "Afterwards you can " + " ".join(items)
    return None


def description(doctree):
    """Whole sentences or points, as many as fit."""
    first = (
        plain(paragraph)
        for paragraph in doctree.findall(nodes.paragraph)
        if isinstance(paragraph.parent, nodes.section)
    )
    text = promise(doctree) or next(first, "")
    said = [*accumulate(re.split(r"(?<=[.;:?!])\s+", text), "{} {}".format)]
    kept = max(said[:1] + [text for text in said if len(text) <= LONGEST], key=len)
    return kept.rstrip(";:") + ("" if kept.endswith((".", "?", "!")) else ".")


def describe(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    text = description(doctree)
    context["meta"] = (context["meta"] or {}) | {"og:description": text}
    if context["title"] == context["docstitle"]:
        context["docstitle"] = ""  # the first page says the title once
    quoted = html.escape(text)
    context["metatags"] += f'<meta name="description" content="{quoted}" />\n'


def mend(app, pagename, templatename, context, doctree):
    """Mend roles, table heads and ends of sentences.

    A link from a paper's pages to the scoreboard opens the rows of that paper.
    """
    body = context.get("body", "")
    body = re.sub(r"<th\b[^>]*>(\s|<p></p>)*</th>", "<td></td>", body)
    body = BUTTON.sub(r"\1sd-btn sd-btn-primary \2", body)
    body = ENDED.sub(r'<span style="white-space: nowrap">\1</span>', body)
    for name, chapter in CHAPTERS.items():
        if pagename.startswith(f"book/{chapter}"):
            rows = f'href="scoreboard.html?paper={quote_plus(name)}#all-rows"'
            body = body.replace('href="scoreboard.html"', rows)
    for role in ("doc-biblioentry", "list"):  # docutils gives both wrongly
        body = body.replace(f' role="{role}"', "")
    context["body"] = body


def launch(app, pagename, templatename, context, doctree):
    """Let Colab open the page in plain Markdown, of the branch that ``make plain`` fills."""
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []):
            if "colab" in button.get("url", ""):
                button["url"] = button["url"].replace(
                    "/blob/main/book/", "/blob/plain/"
                )


STAMPS = (
    (r"(what )?(does not|it does not|what does not)", "fails"),
    (r"(what|it) holds|holds", "holds"),
    (r"(it|they) claims?", "claims"),
    (r"correct before|before you use", "partly"),
)


def stamp(app, doctree):
    """Mark what a verdict card says that holds, does not, or nearly does."""
    for card in doctree.findall(nodes.Admonition):
        if "verdict-card" not in card.get("classes", []):
            continue
        for paragraph in card.children:
            lead = next(paragraph.findall(nodes.strong), None)
            said = lead.astext().lower() if lead else ""
            if said and paragraph.astext().lower().startswith(said):
                kinds = [kind for words, kind in STAMPS if re.match(words, said)]
                paragraph["classes"] += [f"verdict-{kind}" for kind in kinds[:1]]


def setup(app):
    app.connect("doctree-read", stamp)
    # before the extension that writes tags for link previews
    app.connect("html-page-context", describe, priority=100)
    app.connect("html-page-context", mend, priority=900)
    app.connect("html-page-context", launch, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
