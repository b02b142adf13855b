"""Put line figures into the page itself, in its type and its theme; open other pictures on a tap.

A notebook stores them as black lines on white. In the page, black is the
color of text, white the ground, gray what lies between, and every other color
gets lighter on a dark ground by as much as the style sheet says. Any other
picture of a page opens at full size.
"""

import html
import re
from itertools import count
from pathlib import Path

from PIL import Image

PICTURE = re.compile(
    r'(?P<link><a [^>]*>)?<img [^>]*src="(?P<file>[^"]*/_images/(?P<name>[^"/]+))"[^>]*>'
    r"(?(link)(?:</a>)?)"
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


def size(path):
    """Width and height at which a page shows a figure: 96 pixels an inch."""
    with Image.open(path) as picture:
        dots = picture.info.get("dpi", (96, 96))
        return [round(x * 96 / d) for x, d in zip(picture.size, dots, strict=True)]


def full_size(match, path):
    """A picture that opens at full size on a tap.

    A page shows a figure a quarter larger than it was drawn, at most: then
    its five inches are as wide as the text, and it is not yet blurred.
    """
    if "pixelated" in match[0]:
        return match[0]
    width, height = size(path) if path.suffix == ".png" else (None, None)
    if width and 'style="' in match[0]:
        fit = f'style="width: min(100%, {round(LARGER * width)}px)"'
        return re.sub(r'style="[^"]*"', fit, match[0], count=1)
    if match["link"]:
        return match[0]
    given = f'width="{width}" height="{height}" ' if width else ""
    sized = match[0].replace("<img ", f"<img {given}", 1)
    return f'<a class="full-size" href="{match["file"]}">{sized}</a>'


def put_in_place(app, pagename, templatename, context, doctree):
    sources = {name: path for path, name in app.builder.images.items()}
    numbers = count(1)

    def place(match):
        path = Path(app.srcdir, sources.get(match["name"], ""))
        svg = path.read_text(encoding="utf-8") if path.suffix == ".svg" else ""
        if 'id="figure_1"' not in svg:
            return full_size(match, path)  # no figure of ours
        alt = re.search(r'alt="([^"]*)"', match[0])
        alt = alt[1] if alt else html.escape(match["name"])
        return inline(svg, alt, f"f{next(numbers)}-")

    context["body"] = PICTURE.sub(place, context.get("body", ""))


def setup(app):
    app.connect("html-page-context", put_in_place, priority=800)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
