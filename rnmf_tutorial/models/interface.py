"""The scikit-learn face of a model: samples × features at the door, features × samples inside."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

__all__ = ["FactorizationEstimator"]


class FactorizationEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Validate, transpose once, and hand over to the loop.

    Examples
    --------
    >>> from rnmf_tutorial.models import BaseNMF
    >>> issubclass(BaseNMF, FactorizationEstimator)
    True
    """

    def validated(self, A, *, reset):
        """Return A as X, features × samples in Fortran order, and which entries are missing.

        Where entries are missing, X is a copy with the mean of the others in their place;
        elsewhere it is a view, and the second result is None.
        """
        method = "fit" if reset else "transform"
        self._refuse_dates(A)
        if np.ma.isMaskedArray(A):  # what the mask hides is missing
            A = A.astype(A.dtype if A.dtype == np.float32 else np.float64).filled(np.nan)
        A = validate_data(
            self,
            A,
            dtype=[np.float64, np.float32],
            order="C",
            reset=reset,
            ensure_all_finite="allow-nan",
        )
        missing = np.isnan(A) if np.isnan(A.sum()) else None
        if missing is not None:
            if not self.__sklearn_tags__().input_tags.allow_nan:
                self.refuse_missing()
            A = self._with_means(A, missing, method)
        self.check_numbers(float(A.min()), float(A.max()), A.shape, A.dtype, method)
        return A.T, None if missing is None else missing.T

    def check_numbers(self, smallest, largest, shape, dtype, method):
        """Raise an error for data of such a range and shape that no fit can take."""
        if smallest < 0:
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__}.{method}: the smallest "
                f"entry is {smallest:g}. Shift or clip the data so that every entry is at least 0."
            )
        self._check_unit(largest, shape, dtype, method)
        if method == "fit" and self.n_components > min(shape):
            raise ValueError(
                f"n_components={self.n_components} is too large for data with n_samples = "
                f"{shape[0]} and n_features = {shape[1]}; take at most {min(shape)}."
            )

    def check_known(self, samples, features, method):
        """Raise an error for samples or features that are told to have no entry at all."""
        for empty, kind in ((samples, "sample"), (features, "feature")):
            empty = np.flatnonzero(empty)
            if len(empty) and (kind == "sample" or method == "fit"):
                raise ValueError(
                    f"The data passed to {type(self).__name__}.{method} have no entry at all in "
                    f"{kind} {empty[0]}" + f" and {len(empty) - 1} more" * (len(empty) > 1) + "; "
                    f"leave such {kind}s out."
                )

    def _with_means(self, A, missing, method):
        """Return a copy with the mean of the known entries in the place of the missing ones."""
        self.check_known(missing.all(axis=1), missing.all(axis=0), method)
        return np.where(missing, A[~missing].mean(dtype=np.float64).astype(A.dtype), A)

    def refuse_missing(self):
        """Raise the error of a model that takes no missing entries."""
        raise ValueError(
            f"Input X contains NaN, and {type(self).__name__} takes no missing entries. Those "
            "that do are NMF, RobustNMF, L1RobustNMF, L21NMF, CappedNMF, HuberNMF, "
            "HypersurfaceNMF, CIMNMF, CauchyNMF and TruncatedCauchyNMF."
        )

    def _check_unit(self, largest, shape, dtype, method):
        """Raise an error for data whose products leave the range of their floating-point type."""
        limits = np.finfo(dtype)
        most = np.sqrt(float(limits.max) / (1e3 * np.prod(shape, dtype=float)))  # of summed squares
        # The denominators of an update have a floor; with W normalized they go as the square.
        least = np.sqrt(1e3 * np.sqrt(float(limits.tiny))) if method == "fit" else 0
        if largest > most or 0 < largest < least:
            raise ValueError(
                f"The largest entry of the data passed to {type(self).__name__}.{method} is "
                f"{largest:g}; {dtype} can hold the products of such data only between "
                f"{least:.0e} and {most:.0e}. Give the data another unit: divide them by "
                f"{largest:.0e}."
            )

    def _by_chunks(self, A, *, reset):
        """Return what visits a Dask array chunk by chunk; None for other data."""
        if type(A).__module__.partition(".")[0] != "dask":
            return None
        from rnmf_tutorial.models.chunks import ByChunks  # Dask is optional

        return ByChunks(self, A, reset=reset)

    def fit(self, A: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the basis.

        Parameters
        ----------
        A : array-like or Dask array of shape (n_samples, n_features)
            Non-negative, dense data; NaN is a missing entry for a model that has `solver`. Of a
            Dask array, each sweep reads chunk after chunk; see
            :mod:`rnmf_tutorial.models.chunks`.
        y : array-like of shape (n_samples,), default=None
            The labels, for a model that learns from them; ignored by the others.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If A has negative, missing or infinite entries or a wrong shape, labels are missing
            that the model needs, or a parameter is out of range.
        """
        self._fit(A, y)
        return self

    def fit_transform(self, A: ArrayLike, y: ArrayLike | None = None) -> np.ndarray:
        """Learn the basis and return the coefficients of the samples.

        Parameters
        ----------
        A : array-like or Dask array of shape (n_samples, n_features)
            Non-negative, dense data; NaN is a missing entry for a model that has `solver`. Of a
            Dask array, each sweep reads chunk after chunk; see
            :mod:`rnmf_tutorial.models.chunks`.
        y : array-like of shape (n_samples,), default=None
            The labels, for a model that learns from them; ignored by the others.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The transpose of H.
        """
        # scikit-learn's `set_output` stands between this method and its caller.
        return np.ascontiguousarray(self._fit(A, y, stacklevel=4).T)

    def transform(self, A: ArrayLike) -> np.ndarray:
        """Encode samples with the learned basis held fixed.

        Every sample starts from equal coefficients and repeats the update of H on its own,
        until its coefficients change by less than `tol` (relative to their length) or
        `max_iter` sweeps are done. The result for a sample does not depend on the others.

        Parameters
        ----------
        A : array-like or Dask array of shape (n_samples, n_features)
            Non-negative, dense data; NaN is a missing entry for a model that has `solver`. Of a
            Dask array, each sweep reads chunk after chunk; see
            :mod:`rnmf_tutorial.models.chunks`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        if by_chunks := self._by_chunks(A, reset=False):
            return by_chunks.transform()
        X, missing = self.validated(A, reset=False)
        W = np.ascontiguousarray(self.components_.T, dtype=X.dtype)
        return np.ascontiguousarray(self.encoded(X, W, missing=missing).T)

    def inverse_transform(self, Ht: ArrayLike) -> np.ndarray:
        """Return the reconstruction of samples from their coefficients.

        Parameters
        ----------
        Ht : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Ht = check_array(Ht, dtype=[np.float64, np.float32])
        if Ht.shape[1] != self.components_.shape[0]:
            raise ValueError(
                f"The coefficients have {Ht.shape[1]} columns; this model has "
                f"{self.components_.shape[0]} components."
            )
        return Ht @ self.components_

    def score(self, A: ArrayLike, y: ArrayLike | None = None) -> float:
        r"""Return minus the mean of \|e\| over the entries.

        The samples are encoded first, by all their entries: in a search over folds more components
        always score better. To choose a rank, or between losses, hide entries:
        :class:`~rnmf_tutorial.MaskedSearchCV`.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
            Non-negative, dense data; missing entries are not counted.
        y : None
            Not used.

        Returns
        -------
        float
            At most 0; larger is better.
        """
        errors = np.ma.filled(A, np.nan) - self.inverse_transform(self.transform(A))
        return -float(np.abs(np.asarray(errors))[~np.isnan(errors)].mean())

    def _refuse_dates(self, A):
        kinds = getattr(getattr(A, "dtypes", None), "items", dict)()
        dates = [name for name, dtype in kinds if getattr(dtype, "kind", None) in ("m", "M")]
        if dates:
            raise ValueError(
                f"Column {dates[0]!r} of the data holds dates or times, which are not amounts. "
                "Leave it out: data.drop(columns=[...])."
            )

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
