"""Indian Pines and Kinetic: not faces, and read from the installed package tensorly."""

import numpy as np
from sklearn.utils import Bunch

from rnmf_tutorial.data import descriptions
from rnmf_tutorial.data.images import labels
from rnmf_tutorial.data.installed import Installed, read_installed

#: The class of each value of `target`, as the map that comes with the image has them.
CROPS = [
    *("unlabelled", "Alfalfa", "Corn-notill", "Corn-mintill", "Corn", "Grass-pasture"),
    *("Grass-trees", "Grass-pasture-mowed", "Hay-windrowed", "Oats", "Soybean-notill"),
    *("Soybean-mintill", "Soybean-clean", "Wheat", "Woods", "Buildings-Grass-Trees-Drives"),
    "Stone-Steel-Towers",
]


def _reader(*files):
    def read(folder):
        return tuple(np.load(folder / file, allow_pickle=False) for file in files)

    return read


INDIAN_PINES = Installed(
    "Indian Pines data",
    "tensorly",
    ("datasets", "data"),
    _reader("Indian_pines_corrected.npy", "Indian_pines_gt.npy"),
    "54884b62fa0150d7631187e7c781405399baf4f3660663ad9040885dd72beed3",
)
KINETIC = Installed(
    "Kinetic data",
    "tensorly",
    ("datasets", "data"),
    _reader("Kinetic.npy", "Kinetic_missing.npy"),
    "6602df95917d9253add881a2579ee4d47b361ae1cd9f7805d81e14cd31eec93e",
)


def load_indian_pines() -> Bunch:
    """Load the Indian Pines image: 21,025 pixels of fields and woods, each a spectrum of 200 bands.

    The data come with the installed package ``tensorly``, so this loader needs no network. Of the
    sensor's 220 bands, the 20 in which water vapor absorbs the light are left out.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (21025, 200), in (0, 1], pixel by pixel in reading order.
        - ``target``: int array of shape (21025,), the class of each pixel, from 1 to 16; 0 means
          that nobody has labelled it (10,776 pixels).
        - ``target_names``: list of 17 str, indexed by ``target``.
        - ``images``: float64 array of shape (200, 145, 145), the same values, one picture a band.
        - ``shape``: (145, 145), of the picture.
        - ``scale``: float, 9604; ``data * scale`` are the numbers of the file.
        - ``DESCR``: str

    Raises
    ------
    DatasetNotAvailable
        If ``tensorly`` is not installed, or its file is damaged.

    Examples
    --------
    >>> from rnmf_tutorial.data import load_indian_pines
    >>> field = load_indian_pines()
    >>> field.data.shape, field.images.shape, field.target_names[14]
    ((21025, 200), (200, 145, 145), 'Woods')
    """
    cube, classes = read_installed(INDIAN_PINES)
    scale = float(cube.max())
    data = np.ascontiguousarray(cube.reshape(-1, cube.shape[2]), dtype=float) / scale
    return Bunch(
        data=data,
        target=labels(classes.ravel()),
        target_names=list(CROPS),
        images=data.T.reshape(-1, *classes.shape),
        shape=classes.shape,
        scale=scale,
        DESCR=descriptions.INDIAN_PINES,
    )


def load_kinetic() -> Bunch:
    """Load the Kinetic fluorescence: 64 mixtures, by emission, excitation and time.

    The data come with the installed package ``tensorly``, so this loader needs no network. Some
    entries are *really* missing, and the file has zeros in their place, as files of measurements
    often do. They are zeros here too; ``missing`` says where. Eleven entries are slightly negative
    in the file, by at most 1.3 % of the largest, and are zero here.

    Returns
    -------
    sklearn.utils.Bunch
        - ``data``: float64 array of shape (64, 7200), in [0, 1], one measurement per row; the time
          varies fastest, then the excitation.
        - ``target``: None, because the file does not say what was mixed.
        - ``missing``: bool array of shape (64, 7200), True where nothing was measured.
        - ``tensor``: float64 array of shape (64, 12, 10, 60), the same values.
        - ``images``: float64 array of shape (64, 120, 60), the same values, a picture each: the
          pairs of emission and excitation downward, the time to the right.
        - ``emission``, ``excitation``: arrays of shape (12,) and (10,), in nanometers.
        - ``time``: array of shape (60,), in minutes.
        - ``outliers``: list of int, the measurements that the authors call outliers.
        - ``scale``: float, 2772.67; ``data * scale`` are the numbers of the file.
        - ``DESCR``: str

    Raises
    ------
    DatasetNotAvailable
        If ``tensorly`` is not installed, or its file is damaged.

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
    intensities, missing = read_installed(KINETIC)
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
        DESCR=descriptions.KINETIC,
    )
