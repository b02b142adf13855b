"""Put line figures into the page itself, in its type and its theme.

A notebook stores them as black lines on white. In the page, black is the
color of text, white the ground, gray what lies between, and every other color
gets lighter on a dark ground by as much as the style sheet says.
"""

import html
import re
from pathlib import Path

IMAGE = re.compile(
    r"(?:<a [^>]*image-reference[^>]*>)?"
    r'<img [^>]*src="[^"]*/_images/([^"/]+\.svg)"[^>]*>(?:</a>)?'
)
COLOR = re.compile(r"(?<=[:\s\"])#([0-9a-fA-F]{6})\b")
LARGER = 1.25  # than matplotlib has it: five inches fill the text's measure


def themed(match):
    """A color as one that follows the theme."""
    red, green, blue = bytes.fromhex(match[1])
    if not red == green == blue:
        lift = "var(--figure-lift, 0%)"
        return f"color-mix(in srgb, #{match[1]}, #fff {lift})"
    if red == 0:
        return "currentColor"
    if red == 255:
        return "var(--figure-ground, #fff)"
    ink = round(100 - red / 2.55)
    return f"color-mix(in srgb, currentColor {ink}%, var(--figure-ground, #fff))"


def bare(body):
    """A drawing without what no reader sees: space, unused names, fonts."""
    body = re.sub(r"\s+", " ", body)
    body = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", body)
    body = re.sub(r"> <", "><", body)
    body = re.sub(r"; font-family: [^;\"]*", "", body)
    used = set(re.findall(r"#([^\")]+)", body))
    named = re.compile(r' id="([^"]*)"')
    body = named.sub(lambda name: name[0] if name[1] in used else "", body)
    return re.sub(r"<g>((?:(?!</?g\b).)*)</g>", r"\1", body)


def inline(svg, alt, prefix):
    """A stored figure as an element of the page.

    Each color stands once, as a variable: a page has thousands of lines.
    """
    svg = svg[svg.index("<svg") :]
    head, body = re.match(r"(<svg[^>]*>)(.*)", svg, re.DOTALL).groups()
    box = re.search(r'viewBox="([^"]*)"', head)[1]
    width = round(float(box.split()[2]) * 96 / 72 * LARGER)
    body = bare(body)
    body = re.sub(r'(?<= id=")', prefix, body)
    body = re.sub(r'(?:xlink:)?href="#', f'href="#{prefix}', body)
    body = body.replace("url(#", f"url(#{prefix}")
    colors = {}

    def variable(match):
        return f"var({colors.setdefault(themed(match), f'--c{len(colors)}')})"

    body = COLOR.sub(variable, body)
    inks = "; ".join(f"{name}: {color}" for color, name in colors.items())
    return (
        f'<svg class="line-figure" role="img" aria-label="{alt}" '
        f'viewBox="{box}" style="width: min(100%, {width}px); {inks}" '
        f'stroke-linejoin="round">{body}'
    )


def drawn(app):
    """Name of a picture in the site -> the path of its source."""
    return {name: path for path, name in app.builder.images.items()}


def put_in_place(app, pagename, templatename, context, doctree):
    sources = drawn(app)
    count = 0

    def place(match):
        nonlocal count
        path = sources.get(match[1])
        if path is None:
            return match[0]
        svg = Path(app.srcdir, path).read_text(encoding="utf-8")
        if 'id="figure_1"' not in svg:
            return match[0]  # not a figure of ours
        count += 1
        alt = re.search(r'alt="([^"]*)"', match[0])
        alt = alt[1] if alt else html.escape(match[1])
        return inline(svg, alt, f"f{count}-")

    if "body" in context:
        context["body"] = IMAGE.sub(place, context["body"])


def setup(app):
    app.connect("html-page-context", put_in_place, priority=800)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
