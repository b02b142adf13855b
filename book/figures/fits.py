"""What fits make of images: rows of them, and the images that a model gives back."""

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import ArrayLike

from figures.images import face_grid

__all__ = ["image_rows", "rebuilt"]


def rebuilt(model, A: ArrayLike) -> np.ndarray:
    """Fit a model, and return the data as its parts and coefficients give them back.

    Examples
    --------
    >>> from rnmf_tutorial import NMF
    >>> rebuilt(NMF(1, tol=1e-9, random_state=0), np.ones((4, 3))).shape
    (4, 3)
    """
    return model.inverse_transform(model.fit_transform(A))


def image_rows(
    rows: dict, shown=slice(None), *, side=32, width=5, frame=0, **options
) -> None:
    """Show rows of samples that are square images.

    Parameters
    ----------
    rows : dict of str to ndarray of shape (n_samples, side²)
        Label, samples.
    shown : slice or list of int, optional
        Which of the samples; all by default.
    side : int, default=32
    width : float, default=5
        Of the figure, in inches.
    frame : int, default=0
        Pixels of the gray frame around each image.
    **options
        Those of :func:`figures.face_grid`.
    """
    edge = ((0, 0), (frame, frame), (frame, frame))
    images = {
        label: np.asarray(A)[shown].reshape(-1, side, side) for label, A in rows.items()
    }
    images = {
        label: np.pad(A, edge, constant_values=0.6) for label, A in images.items()
    }
    face_grid(images, width=width, **options)
    plt.show()
