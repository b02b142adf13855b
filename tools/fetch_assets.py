"""Put MathJax, icons and type beside the pages, so that the book works offline and loads fast.

The parts of MathJax that typeset TeX come out of the installed package
``sphinx-mathjax-offline``, the icons out of the theme's fonts, which hold two thousand
more, the type of the book out of two packages with open fonts and out of matplotlib.
Without the package the pages load MathJax from a content delivery network, and take a
reader's own type; one line says so. Nothing is made twice.
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

# The book's own names: those of the fonts are reserved for the fonts unchanged.
TYPE = {
    ("Book Serif", 400, "normal"): (
        "font_source_serif_pro",
        "files/SourceSerifPro-Regular.ttf",
    ),
    ("Book Serif", 400, "italic"): (
        "font_source_serif_pro",
        "files/SourceSerifPro-It.ttf",
    ),
    ("Book Serif", 600, "normal"): (
        "font_source_serif_pro",
        "files/SourceSerifPro-Semibold.ttf",
    ),
    ("Book Sans", 400, "normal"): (
        "font_source_sans_pro",
        "files/SourceSansPro-Regular.ttf",
    ),
    ("Book Sans", 600, "normal"): (
        "font_source_sans_pro",
        "files/SourceSansPro-Semibold.ttf",
    ),
    ("Book Mono", 400, "normal"): (
        "matplotlib",
        "mpl-data/fonts/ttf/DejaVuSansMono.ttf",
    ),
}
LETTERS = [  # Latin, Greek, and the signs of text and mathematics
    (0x20, 0x17F),
    (0x370, 0x3FF),
    (0x2010, 0x209C),
    (0x2100, 0x22FF),
    (0x25A0, 0x25FF),
    (0x2713, 0x2718),
]
# Signs that the serif and the sans lack, and a tick that nobody takes for a root: the
# mono's.
SIGNS = "U+2207-2208, U+2218, U+2225, U+2229-222A, U+2282, U+2295-2299, U+25A0-25FF, U+2713-2718"


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


def part_of_font(source, target, codes, names=(), **options):
    """Save the signs with these codes as a font of the web, with other names if there are some."""
    from fontTools.subset import Options, Subsetter, load_font, save_font

    options = Options(flavor="woff", **options)
    font = load_font(source, options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    for number, name in names:
        font["name"].setName(name, number, 3, 1, 0x409)
    save_font(font, target, options)


def fetch_icons(target):
    """Keep a few icons of the theme's fonts, and write the style sheet that offers them."""
    theme = (
        package_folder("pydata_sphinx_theme")
        / "theme"
        / "pydata_sphinx_theme"
        / "static"
    )
    style = (theme / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    rules = []
    for name, (family, weight, icons) in ICONS.items():
        codes = [
            int(
                re.search(rf'\.fa-{icon}:before[^{{]*{{content:"\\(\w+)"', style)[1], 16
            )
            for icon in icons.split()
        ]
        font = theme / "vendor" / "fontawesome" / "webfonts" / f"{name}.ttf"
        part_of_font(font, target / f"{name}.woff", codes, layout_features=[])
        rules.append(
            f'@font-face {{ font-family: "Font Awesome 6 {family}"; font-weight: {weight}; '
            f'font-display: block; src: url("{name}.woff") format("woff"); }}\n'
        )
    (target / "icons.css").write_text("".join(rules), encoding="utf-8")


def fetch_type(target):
    """Keep the letters of the book's three typefaces, and write the style sheet that offers them.

    They stay under their own licenses; those of the Source fonts want another name for
    a part.
    """
    codes = [code for a, b in LETTERS for code in range(a, b + 1)]
    rules = []
    # copyright and license keep their names
    options = {"hinting": False, "drop_tables": ["FFTM"], "name_IDs": [0, 13, 14]}
    for (family, weight, style), (package, file) in TYPE.items():
        folder = package_folder(package)
        if folder is None:
            raise OSError(f"the package {package} is not installed")
        features = ["kern", "liga", "ccmp", "mark", "mkmk", "lnum", "tnum"]
        features += ["smcp"] if (family, style) == ("Book Serif", "normal") else []
        names = (1, family), (2, style), (4, family), (6, family.replace(" ", ""))
        name = f"{family.replace(' ', '-')}-{weight}-{style}.woff".lower()
        font = folder / file, target / name
        part_of_font(*font, codes, names, layout_features=features, **options)
        rules.append(
            f'@font-face {{ font-family: "{family}"; font-weight: {weight}; '
            f'font-style: {style}; font-display: swap; src: url("{name}") format("woff"); }}\n'
        )
    rules += [
        f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; '
        f'unicode-range: {SIGNS}; src: url("book-mono-400-normal.woff") format("woff"); }}\n'
        for family, weight, style in TYPE
        if family != "Book Mono"
    ]
    for package in ("font_source_serif_pro", "font_source_sans_pro"):
        license = package_folder(package) / "files" / "LICENSE.txt"
        shutil.copy(license, target / f"{package}-LICENSE.txt")
    license = (
        package_folder("matplotlib") / "mpl-data" / "fonts" / "ttf" / "LICENSE_DEJAVU"
    )
    shutil.copy(license, target / "dejavu-LICENSE.txt")
    (target / "type.css").write_text("".join(rules), encoding="utf-8")


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
    fetch("type-1", fetch_type)
