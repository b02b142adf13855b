"""Put MathJax and icons beside the pages, so that the book works offline and loads fast.

The parts of MathJax that typeset TeX come out of the installed package ``sphinx-mathjax-offline``,
the icons out of the theme's fonts, which hold two thousand more. Without the package the pages
load MathJax from a content delivery network, and one line says so. Nothing is made twice.
"""

import importlib.util
import re
import shutil
import sys
import tempfile
from pathlib import Path

FETCHED = Path(__file__).resolve().parent.parent / "book" / "_static" / "fetched"
MATHJAX_PARTS = [
    "startup.js",
    "core.js",
    "input/tex.js",
    "input/tex/extensions",
    "output/chtml.js",
    "output/chtml/fonts/tex.js",
    "output/chtml/fonts/woff-v2",
    "a11y/assistive-mml.js",
]
# A browser takes an icon that is missing here from the theme's own font.
ICONS = {
    "fa-solid-900": (
        "Free",
        900,
        "angle-down angle-left angle-right arrow-up bars bell chevron-down circle-check "
        "circle-exclamation circle-half-stroke circle-info circle-xmark download expand file "
        "lightbulb list magnifying-glass moon pencil rocket share sun "
        "triangle-exclamation up-right-from-square xmark",
    ),
    "fa-brands-400": ("Brands", 400, "github"),
}


def package_folder(name):
    """Where an installed package is, or None; its code does not run."""
    package = importlib.util.find_spec(name)
    return package and Path(package.origin).parent


def fetch_mathjax(target):
    """Copy the parts of MathJax that typeset TeX as HTML."""
    package = package_folder("sphinx-mathjax-offline")
    if package is None:
        raise OSError("the package sphinx-mathjax-offline is not installed")
    source = package / "static" / "mathjax"
    for part in MATHJAX_PARTS:
        copy = shutil.copytree if (source / part).is_dir() else shutil.copy
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        copy(source / part, target / part)


def fetch_icons(target):
    """Keep a few icons of the theme's fonts, and write the style sheet that offers them."""
    from fontTools.subset import Options, Subsetter, load_font, save_font

    theme = package_folder("pydata_sphinx_theme") / "theme" / "pydata_sphinx_theme" / "static"
    style = (theme / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    rules = []
    for name, (family, weight, icons) in ICONS.items():
        options = Options(flavor="woff", layout_features=[])
        font = load_font(theme / "vendor" / "fontawesome" / "webfonts" / f"{name}.ttf", options)
        subsetter = Subsetter(options)
        subsetter.populate(
            unicodes=[
                int(re.search(rf'\.fa-{icon}:before[^{{]*{{content:"\\(\w+)"', style)[1], 16)
                for icon in icons.split()
            ]
        )
        subsetter.subset(font)
        save_font(font, target / f"{name}.woff", options)
        rules.append(
            f'@font-face {{ font-family: "Font Awesome 6 {family}"; font-weight: {weight}; '
            f'font-display: block; src: url("{name}.woff") format("woff"); }}\n'
        )
    (target / "icons.css").write_text("".join(rules), encoding="utf-8")


def fetch(name, fill):
    """Fill a folder beside the final one, then rename: an interrupted try leaves nothing."""
    final = FETCHED / name
    if final.exists():
        return
    FETCHED.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FETCHED, prefix=".") as unfinished:
        target = Path(unfinished) / name
        target.mkdir()
        try:
            fill(target)
        except OSError as error:
            print(f"{name}: the pages will load more, since {error}", file=sys.stderr)
            return
        target.rename(final)


if __name__ == "__main__":
    fetch("mathjax-3.2.2-parts", fetch_mathjax)
    fetch("icons-6", fetch_icons)
