r"""Data larger than memory, or than one machine: the same steps over the chunks of a Dask array.

The update of a column of H needs W and its own sample. The update of W needs sums over
all samples, such as :math:`XH^T` and :math:`HH^T`, which are sums over chunks of
samples. So each sweep reads every chunk once. For a chunk, a worker returns its part of
the objective, its next H, and its part of the sums for the next W. Dask schedules the
chunks and adds the parts. If a worker fails, Dask repeats its chunks.
"""

import copy
from functools import partial
from itertools import pairwise

import dask
import dask.array
import numpy as np
from sklearn.utils.validation import validate_data

from rnmf_tutorial import inputs
from rnmf_tutorial.core import Loss, Point, Run, ratio, unit_columns
from rnmf_tutorial.updates.coordinate import Coordinate, beyond, half, whole

# --------------------------------------------------------------- one chunk, on a worker


def local_point(block, W, H):
    """Return the point of a chunk, samples × features, and its columns of H."""
    if not np.isnan(block.sum()):
        return Point(block.T, W, H)
    return Point(block.T.copy(order="K"), W, H, np.isnan(block.T))


def part(step, loss, block, W, H):
    """Return the next H of a chunk, and a tuple: its loss at W and H, its sums for the next W."""
    point = local_point(block, W, H)
    if isinstance(step, Coordinate):
        value, (H, sums) = loss.value(point), half(point, loss)
        return H, (value, *sums)
    value = loss.value(point)
    point = point.to(H=step.coefficients(point, loss))
    return point.H, (value, *loss.divergence.parts_of_W(point, loss.weights(point)))


def shown(model, loss, block, W, H):
    """Return the fitted attributes of a chunk that have the shape of the data."""
    found = model._shown(local_point(block, W, H), loss)
    return {name: value.T for name, value in found.items() if np.ndim(value) == 2}


def transformed(model, block, first):
    """Return the coefficients of the samples of a chunk; an error names the chunk."""
    try:
        return model.transform(block)
    except ValueError as error:
        raise ValueError(
            f"In the chunk that begins with sample {first}: {error}"
        ) from None


def as_numbers(block, dtype):
    """Return a chunk as an array in C order, with NaN at masked entries."""
    if np.ma.isMaskedArray(block):
        block = block.astype(dtype).filled(np.nan)
    return np.ascontiguousarray(block, dtype=dtype)


def added(parts):
    """Return the sums of the results of several chunks."""
    return tuple(map(sum, zip(*parts, strict=True)))


# ------------------------------------------------------------------- all chunks


class Chunks:
    """The chunks of a Dask array, samples × features, as tasks.

    Parameters
    ----------
    model : BaseNMF
    A : dask array of shape (n_samples, n_features)
    reset : bool
        True in a fit; False checks A against the features of the fit.

    Raises
    ------
    ValueError
        If A is not an array of real numbers of known size.

    Examples
    --------
    >>> from rnmf_tutorial import NMF
    >>> chunks = Chunks(NMF(2), dask.array.ones((4, 3), chunks=(2, 3)), reset=True)
    >>> len(chunks.blocks)
    2
    """

    def __init__(self, model, A, *, reset):
        self.A = as_array(A)
        validate_data(model, self.A, reset=reset, skip_check_array=True)
        places = (slice(*ends) for ends in pairwise(np.cumsum([0, *self.A.chunks[0]])))
        self.blocks = list(zip(self.A.to_delayed().ravel(), places, strict=True))

    def tasks(self, function, W, H, nout=None):
        """Return one task for each chunk; Dask sends W, which all need, only once."""
        task = dask.delayed(function, nout=nout, pure=False)
        W = dask.delayed(W)
        return [task(block, W, H[:, j]) for block, j in self.blocks]

    def pass_over(self, function, W, H):
        """Return the columns of H from all chunks, and the sums of their other results."""
        parts = self.tasks(function, W, H, nout=2)
        sums = [part for _, part in parts]
        while len(sums) > 1:  # added on the workers
            sums = [
                dask.delayed(added)(sums[k : k + 8]) for k in range(0, len(sums), 8)
            ]
        # Dask would warn about a large graph, because H is sent to the workers.
        with dask.config.set(
            {"distributed.admin.large-graph-warning-threshold": "1 TB"}
        ):
            columns, total = dask.compute([H for H, _ in parts], sums[0])
        return np.concatenate(columns, axis=1), total


class ChunkedPoint:
    """A pair of factors, and the results of a pass over all chunks.

    Parameters
    ----------
    W, H : ndarray
    value : float
        The loss at W and H.
    H_next : ndarray
        The next H.
    sums : tuple
        The sums over samples for the next W.

    Examples
    --------
    >>> ChunkedPoint(np.ones((2, 1)), np.ones((1, 3)), 2.0, np.ones((1, 3)), ()).value
    2.0
    """

    def __init__(self, W, H, value, H_next, sums):
        self.W = W
        self.H = H
        self.value = value
        self.H_next = H_next
        self.sums = sums

    def settled(self, loss=None):
        """Return the point itself: missing entries are filled in chunk by chunk."""
        return self


class ChunkedStep(Loss):
    """A step whose update of H is computed chunk by chunk, and the loss, whose value comes with it.

    Parameters
    ----------
    step : Coordinate or Multiplicative
    loss : Loss
    chunks : Chunks
    """

    def __init__(self, step, loss, chunks):
        self.step = step
        self.loss = loss
        self.chunks = chunks
        self.led = None

    def value(self, point):
        """Return the value that the pass over the chunks computed."""
        return point.value

    def at(self, W, H):
        """Return the point of W and H, after a pass over all chunks."""
        function = partial(part, self.step, self.loss)
        H_next, (value, *sums) = self.chunks.pass_over(function, W, H)
        return ChunkedPoint(W, H, value, H_next, tuple(sums))

    def __call__(self, point, loss):
        """Return the next point after one pass, or two if the extrapolation is rejected."""
        if not isinstance(self.step, Coordinate):
            W = point.W * ratio(*point.sums)
            return self.at(*unit_columns(W, point.H_next, self.step.normalize))
        W, drop = whole(point.W, point.sums)
        bound = point.value - max(self.loss.factor * drop, 0.0)
        for pair, led in beyond(W, point.H_next, self.led, self.step.normalize):
            new = self.at(*pair)
            last = led
            if new.value <= bound:
                break
        self.led = last
        return new

    def fitted(self, model, point):
        """Return the loss and the fitted attributes; those of the shape of X are Dask arrays."""
        loss = self.loss
        chunks = self.chunks
        W = point.W
        H = point.H
        found = model._shown(Point(np.empty((len(W), 0), W.dtype), W, H[:, :0]), loss)
        for name in [name for name, value in found.items() if np.ndim(value) == 2]:
            tasks = chunks.tasks(partial(shown, bare(model), loss), W, H)
            parts = [
                dask.array.from_delayed(task[name], (j.stop - j.start, len(W)), W.dtype)
                for task, (_, j) in zip(tasks, chunks.blocks, strict=True)
            ]
            found[name] = dask.array.concatenate(parts).T
        return loss, found


def begin(model, A):
    """Return the run of a fit to a Dask array."""
    chunks = Chunks(model, A, reset=True)
    if isinstance(model.init, str) and model.init in inputs.NNDSVD:
        raise ValueError(
            f"init={model.init!r} needs the data in memory; for Dask take 'random', or (W0, H0)."
        )
    if not model.takes_chunks:
        raise ValueError(
            f"{type(model).__name__} cannot be fitted to a Dask array with these parameters: it "
            "needs all samples at once. Try solver='cd', or the lam_ or scale_ of a fit in memory, "
            "as of A[:1000].compute(); or fit such a part, and transform the others."
        )
    mean = checked_mean(model, chunks.A)
    W, H = inputs.initialize(
        chunks.A.T, model.n_components, model.init, model.random_state, mean
    )
    none = np.empty((len(W), 0), W.dtype)
    loss = model._loss(Point(none, W, H[:, :0]))
    step = ChunkedStep(model._step(loss), loss, chunks)
    return Run(step.at(W, H), step, step)


def transform(model, A):
    """Return the coefficients of the samples of a Dask array, samples × components."""
    chunks = Chunks(model, A, reset=False)
    task = dask.delayed(partial(transformed, bare(model)), pure=False)
    return np.concatenate(dask.compute([task(b, j.start) for b, j in chunks.blocks])[0])


def bare(model):
    """Return a copy of a model for the workers, without attributes as large as the data."""
    model = copy.copy(model).set_params(callback=None, init="random", verbose=0)
    fitted = vars(model).items()
    kept = {
        name: value
        for name, value in fitted
        if name == "components_" or np.ndim(value) != 2
    }
    model.__dict__ = kept
    return model


def as_array(A):
    """Return A with chunks of whole samples, in float64 or float32."""
    if getattr(A, "ndim", None) != 2 or not hasattr(A, "to_delayed"):
        raise ValueError(
            f"A Dask collection must be an array with two dimensions, not {A!r}."
        )
    if not hasattr(A, "chunks") or np.isnan(A.shape).any():
        raise ValueError(
            "The chunks of the Dask array have unknown sizes; call A.compute_chunk_sizes(), "
            "or make it from a data frame with to_dask_array(lengths=True)."
        )
    if A.dtype.kind not in "fiub":
        raise ValueError(f"The Dask array holds {A.dtype}; a model takes real numbers.")
    dtype = A.dtype if A.dtype == np.float32 else np.dtype(np.float64)
    chunks = tuple(n for n in A.chunks[0] if n), A.shape[1:]
    return A.rechunk(chunks).map_blocks(as_numbers, dtype, dtype=dtype)


def checked_mean(model, A):
    """Check the data as the estimator checks data in memory; return the mean of known entries."""
    caller = f"{type(model).__name__}.fit"
    known = ~dask.array.isnan(A)
    least = dask.array.where(known, A, np.inf).min()
    values = dask.array.where(known, A, 0)
    total = dask.array.maximum(values, 0).sum(dtype=np.float64)
    sums = least, values.max(), total, known.sum(axis=1), known.sum(axis=0)
    least, most, total, of_samples, of_features = dask.compute(*sums)
    if not np.isfinite(total + least):
        raise ValueError("Input X contains infinity or a value too large.")
    if of_samples.sum() < A.size:
        if not model.takes_missing:
            inputs.refuse_missing(model)
        inputs.refuse_lines(of_samples == 0, of_features == 0, caller)
    if least < 0 and not model.takes_negative:
        raise ValueError(
            f"Negative values in data passed to {caller}: the smallest is {least:g}. Take "
            f"squares, with solver='cd': {inputs.those_with('takes_negative')}."
        )
    inputs.check_range(model, float(max(most, -least)), A.shape, A.dtype, "fit")
    return A.dtype.type(total / of_samples.sum())
