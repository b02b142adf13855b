r"""Data larger than memory, or than a machine: the same steps over the chunks of a Dask array.

The update of a column of H needs W and its own sample. The update of W needs sums over all
samples, such as :math:`XH^T` and :math:`HH^T`, and a sum over samples is the sum of those over
chunks of samples. So each sweep visits every chunk once: a visit at W and H brings back the chunk's
part of the objective there, its next H, and its part of the sums from which the next W follows.
Dask reads the chunks, decides where and when each is visited, and adds the parts. What a worker
loses by dying is one visit, which Dask repeats.
"""

import copy
from functools import partial
from itertools import pairwise

import dask
import dask.array
import numpy as np
from sklearn.utils.validation import validate_data

from rnmf_tutorial.arrays import norms_of_columns
from rnmf_tutorial.engine.accepted import check_range, refuse_missing
from rnmf_tutorial.engine.fit import Run
from rnmf_tutorial.engine.point import Point
from rnmf_tutorial.engine.start import NNDSVD, initialize
from rnmf_tutorial.validation import refuse_lines, refuse_negative

__all__ = ["ChunkedPoint", "begin_by_chunks", "transform_by_chunks"]


# -------------------------------------------------------------------- one visit, on a worker


def local_point(block, W, H):
    """Return the point of a chunk, samples × features, and its columns of H."""
    if not np.isnan(block.sum()):
        return Point(block.T, W, H)
    return Point(block.T.copy(order="K"), W, H, missing=np.isnan(block.T)).fill()


def visit(step, loss, block, W, H, V=None):
    """Return the next H of a chunk; the value at W and H, and the sums for the next W.

    A step that updates W first, from its last sums to V, moves to V and its own H before.
    """
    point = local_point(block, W, H)
    if step.first == "H":
        value = loss.value(point)
        H, sums = step.half(point, loss)
        return H, (value, *sums)
    if V is not None:
        S = loss.errors(point)
        H = step.coefficients(point, loss, V)
        point = point.to(W=V, H=H).normalized("l2").fill()
        point.S = S
    return point.H, (loss.value(point), *step.sums(point, loss))


def encoded(encode, block, W, H):
    """Return the coefficients that a fit ends with."""
    return local_point(block, W, H).encoded(encode), ()


def shown(show, loss, block, W, H):
    """Return what a model shows of a chunk, samples × features."""
    found = show(local_point(block, W, H), loss)
    return {name: value.T for name, value in found.items() if np.ndim(value) == 2}


def transformed(model, block, first):
    """Encode the samples of a chunk; an error says which chunk it is about."""
    try:
        return model.transform(block)
    except ValueError as error:
        raise ValueError(f"In the chunk that begins with sample {first}: {error}") from None


def range_of(block):
    """Return least, most, sum and number of the entries, and which samples, features have none."""
    missing = np.isnan(block)
    least = np.where(missing, np.inf, block).min()
    values = np.where(missing, 0, block)
    count = block.size - np.count_nonzero(missing)
    total = values.sum(dtype=np.float64)
    return least, values.max(), total, count, missing.all(axis=1), missing.all(axis=0)


def as_numbers(block, dtype):
    """Return a chunk as an array in C order, NaN where a mask hides an entry."""
    if np.ma.isMaskedArray(block):
        block = block.astype(dtype).filled(np.nan)
    return np.ascontiguousarray(block, dtype=dtype)


def added(parts):
    """Return the sums of what several chunks bring."""
    return tuple(map(sum, zip(*parts, strict=True)))


# -------------------------------------------------------------------- all chunks


class Chunks:
    """The chunks of a Dask array, samples × features, as tasks.

    Parameters
    ----------
    model : BaseNMF
    A : dask array of shape (n_samples, n_features)
    reset : bool
        Whether this is a fit.

    Raises
    ------
    ValueError
        If A is not an array of real numbers of known size.

    Examples
    --------
    >>> from rnmf_tutorial import NMF
    >>> chunks = Chunks(NMF(2), dask.array.ones((4, 3), chunks=(2, 3)), reset=True)
    >>> int(chunks.apply(range_of)[0][3])
    6
    """

    def __init__(self, model, A, *, reset):
        self.A = as_array(A)
        validate_data(model, self.A, reset=reset, skip_check_array=True)
        places = pairwise(np.cumsum([0, *self.A.chunks[0]]))
        blocks = zip(self.A.to_delayed().ravel(), places, strict=True)
        self.blocks = [(block, slice(*place)) for block, place in blocks if place[0] < place[1]]

    def apply(self, function):
        """Return what a function of a chunk alone returns, one for each."""
        return dask.compute([dask.delayed(function)(block) for block, _ in self.blocks])[0]

    def tasks(self, function, W, H, *more, nout=None):
        """Return one task for each chunk; Dask sends what all of them need once."""
        task = dask.delayed(function, nout=nout, pure=False)
        W, *more = (dask.delayed(factor) for factor in (W, *more))
        return [task(block, W, H[:, j], *more) for block, j in self.blocks]

    def visit(self, function, W, H, *more):
        """Return the columns of H that the chunks bring, and the sums of the rest."""
        visits = self.tasks(function, W, H, *more, nout=2)
        sums = [part for _, part in visits]
        while len(sums) > 1:  # where the chunks are, not here
            sums = [dask.delayed(added)(sums[k : k + 8]) for k in range(0, len(sums), 8)]
        # A warning about large graphs is about H, which goes to the chunks and comes back.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            columns, total = dask.compute([H for H, _ in visits], sums[0])
        return np.concatenate(columns, axis=1), total


class ChunkedPoint:
    """A pair of factors, and what a visit of every chunk has brought: the engine's other point.

    Parameters
    ----------
    chunks : Chunks
    W, H : ndarray
    value_there : float, optional
        The loss at W and H.
    H_next : ndarray, optional
        What the next sweep starts with; for a step that updates W first, H itself.
    sums : tuple, optional
        The sums over samples from which the next W follows.
    before : (W, H), optional
        Where what the model shows belongs, if not at these factors.

    Examples
    --------
    >>> ChunkedPoint(None, np.ones((2, 1)), np.ones((1, 3)), 2.0).value(None)
    2.0
    """

    in_memory = False

    def __init__(self, chunks, W, H, value_there=None, H_next=None, sums=(), before=None):
        self.chunks, self.W, self.H = chunks, W, H
        self.value_there, self.H_next, self.sums, self.before = value_there, H_next, sums, before

    @property
    def X(self):
        """The data, features × samples."""
        return self.chunks.A.T

    def value(self, loss):
        """Return the value that the visit has brought."""
        return self.value_there

    def fill(self):
        """Return the point: missing entries are filled in visits."""
        return self

    def alone(self):
        """Return the point: nothing is shared."""
        return self

    def to(self, *, H):
        """Return the point with other coefficients."""
        return ChunkedPoint(self.chunks, self.W, H)

    def encoded(self, encode):
        """Return the H that ``encode(X, W, missing)`` finds, chunk by chunk."""
        return self.chunks.visit(partial(encoded, of_bare(encode)), self.W, self.H)[0]

    def shown(self, show, loss):
        """Return what ``show(point, loss)`` finds; what has the shape of X is yet to compute."""
        W, H = self.before or (self.W, self.H)
        none = np.empty((0, len(W)), W.dtype)
        found = show(Point(none.T, W, H[:, :0]), loss)
        for name in [name for name, value in found.items() if np.ndim(value) == 2]:
            tasks = self.chunks.tasks(partial(shown, of_bare(show), loss), W, H)
            parts = [
                dask.array.from_delayed(task[name], (j.stop - j.start, len(W)), W.dtype)
                for task, (_, j) in zip(tasks, self.chunks.blocks, strict=True)
            ]
            found[name] = dask.array.concatenate(parts).T
        return found


class ChunkedStep:
    """A step whose halves are mapped over chunks.

    Parameters
    ----------
    step : object
        Has `first`, `half` or `coefficients` and `sums`, and `whole`.
    chunks : Chunks

    Examples
    --------
    >>> from rnmf_tutorial.steps import Multiplicative
    >>> ChunkedStep(Multiplicative(), None).step.first
    'H'
    """

    def __init__(self, step, chunks):
        self.step, self.chunks = step, chunks

    def visited(self, loss, W, H, *more):
        """Return the point that a visit of every chunk at W and H brings."""
        function = partial(visit, self.step, loss)
        H_next, (value, *sums) = self.chunks.visit(function, W, H, *more)
        return ChunkedPoint(self.chunks, W, H, value, H_next, tuple(sums))

    def normalized(self, W, H):
        """Return the factors with the norm that the step gives the columns of W."""
        if (norm := self.step.normalize) is None:
            return W, H
        d = norms_of_columns(W, norm)
        return W / d, H * d[:, None]

    def __call__(self, point, loss):
        """Return the next point, after one visit; after two where going further led up."""
        W, drop = self.step.whole(point.W, point.sums)
        if self.step.first == "W":
            new = self.visited(loss, point.W, point.H, W)
            new.W, new.H = W / norms_of_columns(W, "l2"), new.H_next
            new.before = point.W, point.H
            return new
        if not hasattr(self.step, "further"):
            return self.visited(loss, *self.normalized(W, point.H_next))

        def evaluate(W, H):
            new = self.visited(loss, *self.normalized(W, H))
            return new, new.value(loss)

        bound = point.value(loss) - max(loss.factor * drop, 0.0)
        return self.step.further(point, W, point.H_next, bound, evaluate)


def begin_by_chunks(model, A):
    """Return the run of a fit to a Dask array."""
    chunks = Chunks(model, A, reset=True)
    if isinstance(model.init, str) and model.init in NNDSVD:
        raise ValueError(
            f"init={model.init!r} needs the data in memory; with a Dask array take 'random', "
            "or a pair (W0, H0)."
        )
    point = ChunkedPoint(chunks, None, None)
    # A model that takes no missing entries adds a graph, or solves for all samples.
    loss = model._loss(point) if model.takes_missing else None
    step = model._step() if getattr(loss, "by_sample", False) else None
    if getattr(step, "whole", None) is None:
        raise ValueError(
            f"{type(model).__name__} cannot be fitted to a Dask array with these parameters: its "
            "update needs all samples at once, or it estimates a size from all of them. "
            "solver='cd' takes chunks where there is one, and an estimate can be a number: fit a "
            "part in memory, A[:1000].compute(), and give its lam_ or scale_. Where neither helps, "
            "fit a part of the data, and transform the rest."
        )
    mean = check_data(model, chunks)
    start = model.init, model.random_state, mean
    W, H = initialize(chunks.A.T, model.n_components, *start)
    model._added = model._prepare(point, None)
    step = ChunkedStep(step, chunks)
    return Run(step.visited(loss, W, H), loss, step, model._added)


def transform_by_chunks(model, A):
    """Return the coefficients of the samples of a Dask array, samples × components."""
    chunks = Chunks(model, A, reset=False)
    task = dask.delayed(partial(transformed, bare(model)), pure=False)
    return np.concatenate(dask.compute([task(b, j.start) for b, j in chunks.blocks])[0])


def bare(model):
    """Return what of a model goes to the workers: nothing as large as the data."""
    model = copy.copy(model).set_params(callback=None, init="random", verbose=0)
    fitted = vars(model).items()
    kept = {name: value for name, value in fitted if name == "components_" or np.ndim(value) != 2}
    model.__dict__ = kept
    return model


def of_bare(method):
    """Return the same method of the bare model."""
    return getattr(bare(method.__self__), method.__name__)


def as_array(A):
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


def check_data(model, chunks):
    """Check the data in a pass over them, and return the mean of what is known."""
    least, most, total, count, no_features, no_samples = zip(*chunks.apply(range_of), strict=True)
    caller = f"{type(model).__name__}.fit"
    if not np.isfinite(sum(total)):
        raise ValueError("Input X contains infinity or a value too large.")
    if sum(count) < chunks.A.size:
        if not model.takes_missing:
            refuse_missing(model)
        empty = np.concatenate(no_features), np.logical_and.reduce(no_samples)
        refuse_lines(*empty, caller)
    shape, dtype = chunks.A.shape, chunks.A.dtype
    refuse_negative(min(least), caller)
    check_range(model, float(max(most)), shape, dtype, "fit")
    return dtype.type(sum(total) / sum(count))
