"""Whether a data set is here, and how its file is found."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pooch
from requests import RequestException

from rnmf_tutorial.data.errors import DatasetNotAvailable
from rnmf_tutorial.data.installed import Installed, read_installed
from rnmf_tutorial.data.sources import INSTALLED, SOURCES

DATA_VARIABLE = "RNMF_TUTORIAL_DATA"
CACHE_VARIABLE = "RNMF_TUTORIAL_CACHE"

# Seconds to connect and to wait for the next bytes: a machine without a network fails soon.
TIMEOUT = (5, 20)


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
