"""Every data set by its name: where it comes from, and how its file is found."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pooch
from requests import RequestException

from rnmf_tutorial.data.cropped_yaleb import CROPPED_YALEB
from rnmf_tutorial.data.errors import DatasetNotAvailable
from rnmf_tutorial.data.installed import Installed, read_installed
from rnmf_tutorial.data.orl import ORL
from rnmf_tutorial.data.tensors import INDIAN_PINES, KINETIC

DATA_VARIABLE = "RNMF_TUTORIAL_DATA"
CACHE_VARIABLE = "RNMF_TUTORIAL_CACHE"

# Seconds to connect and to wait for the next bytes: a machine without a network fails soon.
TIMEOUT = (5, 20)


class Source(NamedTuple):
    """One published file, pinned to a commit and to its content."""

    title: str
    file: str
    address: str
    sha256: str

    also = ()  # other names under which the file may lie in your own folder

    @property
    def url(self) -> str:
        return "https://raw.githubusercontent.com/" + self.address

    @property
    def file_hash(self) -> str:
        return "sha256:" + self.sha256

    def intact(self, file: Path) -> bool:
        try:
            return pooch.file_hash(str(file)) == self.sha256
        except OSError:
            return False


SOURCES = {
    "yale64": Source(
        "Yale faces at 64×64",
        "Yale_64x64.mat",
        "MetinUnlu/Univr_FoDA/863d92de2dd6a61706f01b7606b58d4c9e940ddf/data/Yale_64x64.mat",
        "315433db65209b636ea80f55f921662d6173a5757c9e99ec8b3daea6da2a8233",
    ),
    "yale32": Source(
        "Yale faces at 32×32",
        "Yale_32x32.mat",
        "ma-xu/ORL3/0efe9e8df8fd3642fbf1f5e258f51165e475b1f1/Yale_32x32.mat",
        "beb3cc9f448c1ab786583c8f5429368c299843ee88263f9650ed463004ef7633",
    ),
    "orl32": Source(
        "aligned ORL faces at 32×32",
        "ORL_32x32.mat",
        "XiaoZhu-05/RGD-NMF/23567eeef0121240b38b914ebb234a9e30fa37a9/ORL.mat",
        "c30cb53be2cab2da293eaeb35c1a7c16cad513fa14d0400ad5ed51f03e1ce7c8",
    ),
    "cbcl": Source(
        "CBCL faces",
        "CBCL_Face.mat",
        "hiroyuki-kasai/NMFLibrary/ed44132dfe1b5495df685006b42259f0bd16bea3/data/CBCL_Face.mat",
        "bf183d48b74fc6c7434eeb5123b7c7461e78c606c1a37d4116152f8868dc5254",
    ),
    "umist": Source(
        "UMIST faces",
        "UMIST_32x32.mat",
        "hyzhang98/AdaGAE/6d04946060bacd41ee31eba5c124887bca44f369/data/UMIST.mat",
        "247ce22f5aa04ea95e584756e9255f29b340ed43352b67a92daac724a2144b09",
    ),
    "yaleb": Source(
        "Extended Yale B faces",
        "YaleB_32x32.mat",
        "tansyab1/CNN-Sparse/c52b9c2c783bf6e350b11962781b7c2d701ce2c4/data/YaleB_32x32.mat",
        "b3331cafe70867bef7881c8aa6d429a01919be9920643ebb24d4ae220194a56f",
    ),
    "msrc": Source(
        "MSRC-v1 object features",
        "MSRC_v1.mat",
        "xiyu1007/Multi-view-datasets/7a9df6db09f098919ce24457b791df2500fbd320/"
        "Datasets/MSRC_v1/MSRC_v1.mat",
        "b224957807d3fa04dfcd2a7dc92829ecc5c470e3ceabcd240898618fa39646dc",
    ),
    "yaleb_full": CROPPED_YALEB,
}


#: The sets that come inside an installed package.
INSTALLED = {"orl": ORL, "indian_pines": INDIAN_PINES, "kinetic": KINETIC}


def available(name: str) -> bool:
    """Tell whether a data set can be loaded without a download.

    Parameters
    ----------
    name : str
        One of the names on the page *The data*, such as "orl" or "yale64".

    Returns
    -------
    bool
        True if the data are there and intact. Nothing is ever downloaded.

    Raises
    ------
    ValueError
        If there is no such data set; lists the names.

    Examples
    --------
    >>> from rnmf_tutorial.data import available
    >>> available("orl")
    True
    """
    source = _source(name)
    if isinstance(source, Installed):
        try:
            return bool(read_installed(source))
        except DatasetNotAvailable:
            return False
    return source.intact(_local_file(source) or cache_folder() / source.file)


def report_missing(*names: str) -> None:
    """Print a line for each data set that is not here; none if all are.

    A chapter begins with it, so that you know from the start what it will leave out.

    Parameters
    ----------
    *names : str
        The sets to ask for, as in `available`.

    Raises
    ------
    ValueError
        If there is no such data set; lists the names.

    Examples
    --------
    >>> from rnmf_tutorial.data import report_missing
    >>> report_missing("orl")  # here, so nothing is said
    """
    for name in names:
        if not available(name):
            print(
                f"The {_source(name).title} are not here: what needs them takes other data or is "
                f'left out. To get them, run rnmf_tutorial.data.fetch("{name}") and restart.'
            )


def fetch(name: str) -> Path:
    """Return the path of a data set, downloading its file if need be.

    The file is sought in the folder that the environment variable ``RNMF_TUTORIAL_DATA`` names,
    then in the cache, then on the network. Wherever it is found, its SHA-256 is checked. A
    download reaches the cache only after that check.

    Parameters
    ----------
    name : str
        As in `available`.

    Returns
    -------
    pathlib.Path
        The file, or the folder of a data set that an installed package carries.

    Raises
    ------
    DatasetNotAvailable
        If the file is damaged, or is nowhere to be found and cannot be downloaded.
    ValueError
        If there is no such data set; lists the names.

    Examples
    --------
    >>> from rnmf_tutorial.data import fetch
    >>> fetch("orl").name
    'ORL_faces'
    """
    source = _source(name)
    if isinstance(source, Installed):
        read_installed(source)
        return source.path()
    local = _local_file(source)
    if local:
        if not source.intact(local):
            raise DatasetNotAvailable(
                f"{local} is damaged or another version (its SHA-256 is not {source.sha256[:12]}…):"
                f" replace it with {source.url} or delete it."
            )
        return local

    cache = cache_folder()
    kept = cache / source.file
    if source.intact(kept):
        return kept
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=cache) as folder:
            path = pooch.retrieve(
                source.url,
                known_hash=source.file_hash,
                fname=source.file,
                path=folder,
                downloader=pooch.HTTPDownloader(timeout=TIMEOUT),
            )
            if not source.intact(Path(path)):
                raise ValueError("not the content expected")
            Path(path).replace(kept)
    except ValueError as error:
        problem = f"what {source.url} sent is incomplete or another version"
        raise DatasetNotAvailable(_missing(source, cache, problem)) from error
    except RequestException as error:
        problem = f"{source.url} could not be downloaded ({type(error).__name__})"
        raise DatasetNotAvailable(_missing(source, cache, problem)) from error
    except OSError as error:
        raise DatasetNotAvailable(
            f"The {source.title} cannot be stored in the cache {cache} ({error}): set"
            f" {CACHE_VARIABLE} to a folder you can write to."
        ) from error
    return kept


def cache_folder() -> Path:
    """Return the folder that keeps downloads: ``RNMF_TUTORIAL_CACHE`` or the system's cache."""
    return Path(os.environ.get(CACHE_VARIABLE) or pooch.os_cache("rnmf_tutorial")).expanduser()


def _source(name: str):
    every = INSTALLED | SOURCES
    if name not in every:
        raise ValueError(f"There is no data set {name!r}: choose one of {sorted(every)}.")
    return every[name]


def _data_folder() -> Path | None:
    folder = os.environ.get(DATA_VARIABLE)
    return Path(folder).expanduser() if folder else None


def _local_file(source) -> Path | None:
    folder = _data_folder()
    files = [folder / file for file in (source.file, *source.also)] if folder else []
    return next((file for file in files if file.is_file()), None)


def _missing(source, cache: Path, problem: str) -> str:
    folder = _data_folder()
    if folder is None:
        looked = f"{DATA_VARIABLE} is not set"
    elif not folder.is_dir():
        looked = f"{DATA_VARIABLE} names {folder}, which is not a folder"
    else:
        looked = f"{DATA_VARIABLE} names {folder}, which has no {source.file}"
    state = "holds a damaged copy" if (cache / source.file).is_file() else "does not hold it"
    return (
        f"The {source.title} are not available: {looked}, the cache {cache} {state}, and {problem}."
        f" Connect to the network and try again, or save the file as {source.file} in a folder"
        f" and set {DATA_VARIABLE} to that folder."
    )
