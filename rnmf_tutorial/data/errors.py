"""What a loader raises when its data are not there."""


class DatasetNotAvailable(OSError):
    """A data set is missing or damaged; the message says where it was sought and how to get it.

    Examples
    --------
    >>> from rnmf_tutorial.data import DatasetNotAvailable, load_ar
    >>> try:
    ...     faces = load_ar("no such folder")
    ... except DatasetNotAvailable:
    ...     print("taking other faces")
    taking other faces
    """
