"""The AR faces, from a copy that the reader has obtained from their owners."""

import re
import warnings
from io import BytesIO
from pathlib import Path, PurePath
from zipfile import ZipFile, is_zipfile

import numpy as np
from PIL import Image
from sklearn.utils import Bunch

from rnmf_tutorial.data import DatasetNotAvailable
from rnmf_tutorial.data.loaders import bunch, height_width, resized

FILE_NAME = re.compile(r"([mw]-\d{3})-(\d{2})\.(bmp|png|jpe?g|pgm|ppm|tiff?)")

DESCR = """\
AR face database (your own copy)
Images read from {path}: {n_images} images of {n_people} people, resized to {height}×{width} gray
pixels. Target: the person; image_number: the number in the file name.

Credit: A. M. Martínez, R. Benavente. The AR face database. CVC Technical Report 24, 1998.
The images may not be passed on.
"""


def load_ar(path: str | Path, size: int | tuple[int, int] = (64, 47)) -> Bunch:
    """Load your own copy of the AR faces.

    The AR faces may not be passed on, so this package cannot download them. Their
    owners give them to researchers who ask.

    Parameters
    ----------
    path : path-like
        A folder, searched with its subfolders, or a zip file. It holds images named
        ``m-001-01.bmp`` or ``w-023-14.png``: m or w, the person, the number of the
        image (1 to 26). Other files are ignored.
    size : (int, int) or int, default=(64, 47)
        Height and width in pixels; one number for a square. Color images become gray,
        and areas of pixels are averaged.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (n_samples, height * width) in [0, 1], image
          by image.
        - ``target``: int array of shape (n_samples,), the person, from 0; men first.
        - ``images``: float64 array of shape (n_samples, height, width), the same
          values.
        - ``image_number``: int array of shape (n_samples,). In the owners' numbering 1
          to 13 are the first session and 14 to 26 the second; 8 to 10 and 21 to 23 wear
          sunglasses, 11 to 13 and 24 to 26 a scarf.
        - ``target_names``: list of str, such as "m-001", one per person.
        - ``DESCR``: str

    Raises
    ------
    DatasetNotAvailable
        If there is no such folder or zip file, no image with such a name in it, or an
        image cannot be read.
    ValueError
        If `size` is not one or two positive whole numbers.

    Examples
    --------
    >>> load_ar("AR_warped.zip").images.shape  # doctest: +SKIP
    (2600, 64, 47)
    """
    height, width = height_width(size)
    path = Path(path)
    if path.is_dir():
        found = _read(list(path.rglob("*")), Path.read_bytes, path)
    elif is_zipfile(path):
        try:
            archive = ZipFile(path)
        except Exception as error:  # as below
            raise DatasetNotAvailable(
                f"{path} is a damaged zip file ({error}): copy it again."
            ) from error
        with archive:
            found = _read(archive.namelist(), archive.read, path)
    else:
        raise DatasetNotAvailable(
            f"{path} is neither a folder nor a zip file: give load_ar the place of your AR images."
        )

    people, image_numbers, pictures = zip(*found, strict=True)
    names, target = np.unique(people, return_inverse=True)
    images = resized(pictures, height, width)
    about = DESCR.format(
        path=path, n_images=len(images), n_people=len(names), height=height, width=width
    )
    faces = bunch(images, target, about)
    faces.update(image_number=np.array(image_numbers), target_names=names.tolist())
    return faces


def _read(names, read_bytes, path):
    """Person, image number and gray picture of every file whose name fits, in that order."""
    fits = ((FILE_NAME.fullmatch(PurePath(name).name.lower()), name) for name in names)
    chosen = sorted((fit[1], int(fit[2]), name) for fit, name in fits if fit)
    if not chosen:
        raise DatasetNotAvailable(
            f"{path} holds no image named like m-001-01.bmp or w-023-14.png: name your AR images"
            " by sex, person and number."
        )
    found = []
    for person, number, name in chosen:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                picture = Image.open(BytesIO(read_bytes(name))).convert("L")
        except Exception as error:  # damage, encryption or a bomb can fail in any way
            raise DatasetNotAvailable(
                f"{name} in {path} cannot be read as an image ({error}): copy it again."
            ) from error
        found.append((person, number, np.asarray(picture)))
    return found
