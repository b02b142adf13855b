r"""Data larger than memory, or than a machine: the loop of a fit over a chunked Dask array.

The update of a column of H needs W and its own sample. The update of W needs sums over all
samples, such as :math:`XH^T` and :math:`HH^T`, and a sum over samples is the sum of those over
chunks of samples. So each sweep visits every chunk once: a visit at W and H brings back the chunk's
part of the objective there, its next H, and its part of the sums from which the next W follows.
Dask reads the chunks, decides where and when each is visited, and adds the parts. W and H come
back after every sweep. What a worker loses by dying is therefore one visit, which Dask repeats.
"""

import copy
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import dask
import dask.array
import numpy as np
from sklearn.utils.validation import validate_data

from rnmf_tutorial.arrays import norms_of_columns, ratio, unit_columns
from rnmf_tutorial.models.initialization import NNDSVD, initialize
from rnmf_tutorial.models.visits import (
    added,
    as_numbers,
    correct,
    fit_cleaned,
    settle,
    shown,
    surveyed,
    transformed,
    weigh,
)
from rnmf_tutorial.solvers.coordinate import Fit, fit_basis
from rnmf_tutorial.solvers.passes import further

__all__ = ["ByChunks"]


class Ahead(NamedTuple):
    """The state of a fit by chunks: what the last visit brought, to start the next sweep with.

    Parameters
    ----------
    objective : float
    H_next : ndarray of shape (r, n_samples)
        What the next sweep starts with; for an error matrix, H itself.
    sums : tuple
        The sums over samples from which the next W follows.
    before : Fit or None
        Where the last step led, for the extrapolation.
    at : (W, H) or None
        Where the fields that the model shows belong, if not at the factors of the sweep.

    Examples
    --------
    >>> Ahead(2.0, np.ones((1, 3)), (np.ones((2, 1)), np.ones((2, 1)))).objective
    2.0
    """

    objective: float
    H_next: np.ndarray
    sums: tuple
    before: Fit | None = None
    at: Any = None


class ByChunks:
    """Stands in for a model in the loop of its fit, and visits the data chunk by chunk.

    Parameters
    ----------
    model : BaseNMF
        One whose `chunk_by_chunk` is not None.
    A : dask array of shape (n_samples, n_features)
    reset : bool
        Whether this is a fit.

    Raises
    ------
    ValueError
        If the model has no such fit, or A is not an array of real numbers of known size.

    Examples
    --------
    >>> from rnmf_tutorial import L1NMF
    >>> ByChunks(L1NMF(2), None, reset=True)
    Traceback (most recent call last):
    ValueError: L1NMF cannot be fitted to a Dask array with these parameters. ...
    """

    def __init__(self, model, A, *, reset):
        if reset and model.chunk_by_chunk() is None:
            raise ValueError(
                f"{type(model).__name__} cannot be fitted to a Dask array with these parameters. "
                "Those that can are NMF with loss='frobenius' and, with a number for lam or scale, "
                "RobustNMF, HuberNMF, CIMNMF, CauchyNMF and HypersurfaceNMF; a fit of a part in "
                "memory, A[:1000].compute(), finds one: its lam_ or scale_. The others need the "
                "data in memory: fit a part of them, and transform the rest."
            )
        self.model, self.A = model, self._array(A)
        validate_data(model, self.A, reset=reset, skip_check_array=True)
        # What goes to the workers: no callback, no start point, and nothing as large as the data.
        self.bare = copy.copy(model)
        self.bare.set_params(callback=None, init="random", verbose=0)
        for attribute in model.shows:
            if np.ndim(getattr(model, attribute, 0)):
                delattr(self.bare, attribute)
        if getattr(model, "solver", None) == "cd":
            self.chunk = fit_cleaned
        else:
            self.chunk = {"weights": weigh, "errors": correct}.get(model.chunk_by_chunk())
        places = pairwise(np.cumsum([0, *self.A.chunks[0]]))
        blocks = zip(self.A.to_delayed().ravel(), places, strict=True)
        self.blocks = [(block, slice(*place)) for block, place in blocks if place[0] < place[1]]

    @staticmethod
    def _array(A):
        """Return A with chunks of whole samples in double or single precision."""
        if getattr(A, "ndim", None) != 2 or not hasattr(A, "to_delayed"):
            raise ValueError(
                f"Of Dask's collections a model takes an array with two dimensions, not {A!r}."
            )
        if not hasattr(A, "chunks") or np.isnan(A.shape).any():
            raise ValueError(
                "The chunks of the Dask array have unknown sizes; call A.compute_chunk_sizes(), "
                "or make it of a data frame by to_dask_array(lengths=True)."
            )
        if A.dtype.kind not in "fiub":
            raise ValueError(f"The Dask array holds {A.dtype}; a model takes real numbers.")
        dtype = A.dtype if A.dtype == np.float32 else np.dtype(np.float64)
        return A.rechunk({1: -1}).map_blocks(as_numbers, dtype, dtype=dtype)

    # ------------------------------------------------------------ what the loop asks for

    def _begin(self, A, y):
        """Return X, W, H and the state at the start point; missing entries are filled in visits."""
        model, A = self.model, self.A
        model.check_parameters()
        if isinstance(model.init, str) and model.init in NNDSVD:
            raise ValueError(
                f"init={model.init!r} needs the data in memory; with a Dask array take 'random', "
                "or a pair (W0, H0)."
            )
        level = self.survey()
        W, H = initialize(A.T, model.n_components, model.init, model.random_state, level)
        return A.T, W, H, self.visit(W, H), None

    def one_sweep(self, X, W, H, state, missing=None):
        """Return W, H and the state after a sweep, which visits every chunk once.

        Coordinate descent visits them again where going further led up.
        """
        if self.chunk is fit_cleaned:
            step = fit_basis(W, state.H_next, *state.sums)
            bound = state.objective - max(step.drop, 0.0)
            W, H, new = further(self.look, step, state.before, bound)
            W, H, d = self.gauge(W, H)
            before = step._replace(W=step.W / d, H=step.H * d[:, None])
            return W, H, new._replace(before=before)
        V = W * ratio(*state.sums)
        if self.chunk is correct:
            new = self.visit(W, H, V)._replace(at=(W, H))
            return unit_columns(V, new.H_next)[0], new.H_next, new
        V, H, _ = self.gauge(V, state.H_next)
        return V, H, self.visit(V, H)

    def value(self, X, W, H, state):
        """Return the objective to record."""
        return state.objective

    def restored(self, X, W, H, state):
        """Return the fields that the model shows; those of the shape of X are yet to compute."""
        return self.at(X, *(state.at or (W, H)), state)

    def at(self, X, W, H, state):
        """Return the same at other coefficients."""
        fields = self.model.shows.values()
        return SimpleNamespace(
            **{f: self.model.scale if f == "scale" else self.lazy(f, W, H) for f in fields}
        )

    def final_coefficients(self, X, W, H, missing=None):
        """Return the coefficients that a fit ends with if it ends encoded."""
        return self.over_chunks(settle, W, H)[0]

    # ------------------------------------------------------------ passes over the chunks

    def gauge(self, W, H):
        """Return W and H with the norms that the model asks for, and those that W had."""
        norm = self.model.gauge()
        d = np.ones(W.shape[1], W.dtype) if norm is None else norms_of_columns(W, norm)
        return W / d, H * d[:, None], d

    def look(self, W, H):
        """Return what is seen where a step leads, and what the next one needs."""
        return self.visit(*self.gauge(W, H)[:2])

    def visit(self, W, H, *more):
        """Return the state that a visit of every chunk brings."""
        H, (objective, *sums) = self.over_chunks(self.chunk, W, H, *more)
        return Ahead(objective, H, tuple(sums))

    def over_chunks(self, chunk, W, H, *more):
        """Return the columns of H that the chunks bring, and the sums of the rest."""
        visits = self.tasks(partial(chunk, self.bare), W, H, *more, nout=2)
        sums = [part for _, part in visits]
        while len(sums) > 1:  # where the chunks are, not here
            sums = [dask.delayed(added)(sums[k : k + 8]) for k in range(0, len(sums), 8)]
        # A warning about large graphs is about H, which goes to the chunks and comes back.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            columns, total = dask.compute([H for H, _ in visits], sums[0])
        return np.concatenate(columns, axis=1), total

    def tasks(self, function, W, H, *more, nout=None):
        """Return one task for each chunk; Dask sends what all of them need once."""
        task = dask.delayed(function, nout=nout, pure=False)
        W, *more = (dask.delayed(factor) for factor in (W, *more))
        return [task(block, W, H[:, j], *more) for block, j in self.blocks]

    def survey(self):
        """Check the data in a pass over them, and return the mean of what is known."""
        found = dask.compute([dask.delayed(surveyed)(block) for block, _ in self.blocks])[0]
        least, most, total, count, no_features, no_samples = zip(*found, strict=True)
        if not np.isfinite(sum(total)):
            raise ValueError("Input X contains infinity or a value too large.")
        if sum(count) < self.A.size:
            if not self.model.__sklearn_tags__().input_tags.allow_nan:
                self.model.refuse_missing()
            empty = np.concatenate(no_features), np.logical_and.reduce(no_samples)
            self.model.check_known(*empty, "fit")
        shape, dtype = self.A.shape, self.A.dtype
        self.model.check_numbers(float(min(least)), float(max(most)), shape, dtype, "fit")
        return dtype.type(sum(total) / sum(count))

    def transform(self):
        """Return the coefficients of the samples, as an array samples × components."""
        task = dask.delayed(partial(transformed, self.bare), pure=False)
        parts = dask.compute([task(block, j.start) for block, j in self.blocks])[0]
        return np.concatenate(parts)

    def lazy(self, field, W, H):
        """Return a field of the state at W and H as a Dask array, features × samples."""
        tasks = self.tasks(partial(shown, self.bare, field), W, H)
        parts = [
            dask.array.from_delayed(task, (j.stop - j.start, len(W)), self.A.dtype)
            for task, (_, j) in zip(tasks, self.blocks, strict=True)
        ]
        return dask.array.concatenate(parts).T
