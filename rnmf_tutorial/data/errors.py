"""What a loader raises when its data are not there."""


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
