"""Put the scripts that the pages need beside them, so that the built book works offline.

MathJax comes out of the installed package ``sphinx-mathjax-offline``; the script that shows
widgets comes through npm. What is missing afterwards is loaded from a content delivery network
by the reader's browser, and one line says so. Nothing is fetched twice.
"""

import importlib.util
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

FETCHED = Path(__file__).resolve().parent.parent / "book" / "_static" / "fetched"
MATHJAX = "3.2.2"
HTML_MANAGER = "1.0.15"
MATHJAX_PARTS = ["tex-mml-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions"]


def fetch_mathjax(target):
    """Copy the part of MathJax that typesets TeX as HTML."""
    package = importlib.util.find_spec("sphinx-mathjax-offline")
    if package is None:
        raise OSError("the package sphinx-mathjax-offline is not installed")
    source = Path(package.origin).parent / "static" / "mathjax"
    for part in MATHJAX_PARTS:
        copy = shutil.copytree if (source / part).is_dir() else shutil.copy
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        copy(source / part, target / part)


def fetch_widgets(target):
    """Unpack embed.js and its fonts from the npm package of the widgets' HTML manager."""
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("npm is not installed")
    with tempfile.TemporaryDirectory() as folder:
        package = f"@jupyter-widgets/html-manager@{HTML_MANAGER}"
        command = [npm, "pack", "--silent", "--fetch-retries=1", package]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            for member in archive:
                name = Path(member.name)
                if name.parent.name == "dist" and (
                    name.name == "embed.js" or name.suffix == ".woff2"
                ):
                    (target / name.name).write_bytes(archive.extractfile(member).read())
    if not (target / "embed.js").exists():
        raise OSError(f"{package} holds no embed.js")


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
        except (OSError, subprocess.SubprocessError) as error:
            print(f"{name}: the pages will load it from a CDN, since {error}", file=sys.stderr)
            return
        target.rename(final)


if __name__ == "__main__":
    fetch(f"mathjax-{MATHJAX}", fetch_mathjax)
    fetch(f"widgets-{HTML_MANAGER}", fetch_widgets)
