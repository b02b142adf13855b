"""After a search, the best model speaks for it."""

from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

__all__ = ["BestEstimatorMixin"]


class BestEstimatorMixin(TransformerMixin):
    """Hand over what a fitted model does to `best_estimator_`.

    Examples
    --------
    >>> from rnmf_tutorial import MaskedSearchCV
    >>> issubclass(MaskedSearchCV, BestEstimatorMixin)
    True
    """

    def transform(self, A):
        """Return the coefficients of samples in the best model.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._best().transform(A)

    def fit_transform(self, A, y=None):
        """Fit, and return the coefficients of the samples in the best model.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(A, y).transform(A)

    def inverse_transform(self, Ht):
        """Return the reconstruction of samples from their coefficients in the best model.

        Parameters
        ----------
        Ht : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return self._best().inverse_transform(Ht)

    def score(self, A, y=None):
        r"""Return minus the mean of \|e\| over the entries, of the best model.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
        y : None
            Not used.

        Returns
        -------
        float
            At most 0; larger is better.
        """
        return self._best().score(A)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the components of the best model.

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        ndarray of str
        """
        return self._best().get_feature_names_out(input_features)

    def _best(self):
        check_is_fitted(self, "best_index_")
        if not self.refit:
            raise AttributeError("refit=False: there is no fitted best model.")
        return self.best_estimator_
