"""A pair of factors, and what has been computed there."""

from functools import cached_property

import numpy as np

from rnmf_tutorial.arrays import inner, norms_of_columns, product

__all__ = ["Point"]


class Point:
    """The data X, the factors W and H, and the products of the three, each formed once.

    All points of a fit share the arrays of `memory`, which have the shape of X: what one point has
    computed there is lost when the next one computes. Products of the size of a factor are a
    point's own. A step adds by name what the next one needs: an error matrix, its last step.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        Data. Its missing entries are written over by :meth:`fill`.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    missing : ndarray of bool of the shape of X, optional
        Which entries of X are missing; None if none is.
    memory : dict, optional
        The arrays that this point shares with others, by name.
    **known
        What is at hand already: products, or what a step leaves for the next.

    Examples
    --------
    >>> import numpy as np
    >>> point = Point(np.ones((3, 2)), np.ones((3, 1)), np.ones((1, 2)))
    >>> point.WtX, point.to(H=2 * point.H).WH
    (array([[3., 3.]]), array([[2., 2.],
           [2., 2.],
           [2., 2.]]))
    """

    in_memory = True
    filled = False  # whether the missing entries hold WH
    evaluation = None  # of the loss that was last asked for its value or its weights here

    def __init__(self, X, W, H, *, missing=None, memory=None, **known):
        self.X, self.W, self.H, self.missing = X, W, H, missing
        self.memory = {} if memory is None else memory
        vars(self).update(known)

    def array(self, name):
        """Return the shared array of that name, whatever it holds."""
        if name not in self.memory:
            self.memory[name] = np.empty_like(self.X)
        return self.memory[name]

    @cached_property
    def WH(self):
        """The product WH, in shared memory."""
        return product(self.W, self.H, out=self.array("WH"))

    @cached_property
    def XX(self):
        """The squared norm of X; nan while its missing entries change."""
        return inner(self.X, self.X) if self.missing is None else np.nan

    @cached_property
    def samples2(self):
        """The squared lengths of the samples; nan while missing entries change."""
        xx = np.einsum("ij,ij->j", self.X, self.X)
        return xx if self.missing is None else xx * np.nan

    @cached_property
    def features2(self):
        """The squared lengths of the features; nan while missing entries change."""
        xx = np.einsum("ij,ij->i", self.X, self.X)
        return xx if self.missing is None else xx * np.nan

    @cached_property
    def WtW(self):
        """The product WᵀW."""
        return self.W.T @ self.W

    @cached_property
    def WtX(self):
        """The product WᵀX."""
        return self.W.T @ self.X

    @cached_property
    def HHt(self):
        """The product HHᵀ."""
        return self.H @ self.H.T

    @cached_property
    def XHt(self):
        """The product XHᵀ."""
        return self.X @ self.H.T

    def to(self, *, W=None, H=None, **known):
        """Return the point with other factors; the products that stay valid come along."""
        valid = ["XX", "samples2", "features2"]
        valid += ["WtW", "WtX"] if W is None else []
        valid += ["HHt", "XHt"] if H is None else []
        known = {name: vars(self)[name] for name in valid if name in vars(self)} | known
        W, H = self.W if W is None else W, self.H if H is None else H
        return Point(self.X, W, H, missing=self.missing, memory=self.memory, **known)

    def fill(self):
        """Put WH into the missing entries of X, in place, and return the point."""
        if self.missing is not None and not self.filled:
            np.copyto(self.X, self.WH, where=self.missing)
            self.filled = True
            for name in ("WtX", "XHt", "evaluation"):
                vars(self).pop(name, None)
        return self

    def normalized(self, norm):
        """Return the point whose columns of W have norm one ("l1", "l2"); WH stays as it is."""
        if norm is None:
            return self
        d = norms_of_columns(self.W, norm)
        factors = {"WtW": 1 / (d[:, None] * d), "HHt": d[:, None] * d, "XHt": d}
        factors["WtX"] = 1 / d[:, None]
        here = vars(self)
        known = {name: here[name] * factor for name, factor in factors.items() if name in here}
        known |= {name: here[name] for name in ("WH", "evaluation", "filled") if name in here}
        return self.to(W=self.W / d, H=self.H * d[:, None], **known)

    def value(self, loss):
        """Return the value of a loss at the point."""
        return loss.value(self)

    def shown(self, show, loss):
        """Return what ``show(point, loss)`` finds for all samples."""
        return show(self, loss)

    def alone(self):
        """Return the point in memory of its own, after what a later sweep may have begun."""
        shared = ("memory", "evaluation", "filled", "WH", "WtX", "XHt")
        known = {name: value for name, value in vars(self).items() if name not in shared}
        return Point(**known).fill()

    def encoded(self, encode):
        """Return the H that ``encode(X, W, missing)`` finds for all samples."""
        return encode(self.X, self.W, self.missing)
