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
from numbers import Real
from typing import NamedTuple

import dask
import dask.array
import numpy as np
from sklearn.utils.validation import validate_data

from rnmf_tutorial import starts, validation
from rnmf_tutorial.arithmetic import ratio
from rnmf_tutorial.base import Problem
from rnmf_tutorial.far_out import GAP, few_of_largest
from rnmf_tutorial.fitting import Loss, Solver, State, Update, Work
from rnmf_tutorial.losses import SQUARES, WeightedLoss
from rnmf_tutorial.solvers.coordinate import CoordinateDescent

# ------------------------------------------------------------- one chunk, on a worker


def work_of_chunk(block):
    """Return the data of a chunk, samples × features, as a fit needs them."""
    if not np.isnan(block.sum()):
        return Work(block.T)
    return Work(block.T.copy(order="K"), np.isnan(block.T))


def sums_of_chunk(solver, loss, block, W, H):
    """Return the next H of a chunk, and its loss at W and H with its sums for the next W."""
    work = work_of_chunk(block)
    comparison = loss.compare(work, W, H)
    value = loss.total(work, comparison)
    if isinstance(solver, CoordinateDescent):
        H, sums = solver.update_H_with_sums(work, loss, comparison)
        return H, (value, *sums)
    H = solver.update_H(work, loss, comparison)
    halfway = loss.compare(work, W, H, fill=False)
    Q = loss.positive_weights(halfway)
    return H, (value, *loss.divergence.parts_of_W(work, halfway, Q))


def divergence_of_chunk(divergence, block, W, H):
    """Return the divergence between a chunk and WH, without weights."""
    work = work_of_chunk(block)
    plain = WeightedLoss(divergence=divergence)
    return plain.total(work, plain.compare(work, W, H))


def fitted_arrays_of_chunk(model, loss, block, W, H):
    """Return the fitted attributes of a chunk that have the shape of the data."""
    state = State(0, W, H, 0.0, loss, None, None, False)
    found = model._fitted_arrays(work_of_chunk(block), state)
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
    """Return the sums of the results of several chunks; None if a result is None."""
    results = zip(*parts, strict=True)
    return tuple(None if values[0] is None else sum(values) for values in results)


# ------------------------------------------------------------------- all chunks


class Chunks:
    """The chunks of a Dask array, samples × features, as tasks.

    Parameters
    ----------
    A : dask array of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If A is not an array of real numbers of known size.

    Examples
    --------
    >>> chunks = Chunks(dask.array.ones((4, 3), chunks=(2, 3)))
    >>> len(chunks.blocks)
    2
    """

    def __init__(self, A):
        self.A = as_array(A)
        self.far_out = None  # the entries that are absurdly far out
        #: What :func:`checked_mean` finds: the largest entry, and what is negative.
        self.highest = None
        self.negative = None
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

    def fitted_arrays(self, model, state):
        """Return the fitted attributes; those of the shape of X are Dask arrays."""
        loss = state.loss.of_chunk
        W, H = state.W, state.H
        nothing = Work(np.empty((len(W), 0), W.dtype))
        of_nothing = state._replace(H=H[:, :0], loss=loss)
        found = model._fitted_arrays(nothing, of_nothing)
        task = partial(fitted_arrays_of_chunk, bare(model), loss)
        tasks = self.tasks(task, W, H)
        found["reconstruction_err_"] = self.reconstruction_error(state)
        for name, value in found.items():
            if np.ndim(value) == 2:
                parts = [
                    dask.array.from_delayed(
                        task[name], (j.stop - j.start, len(W)), W.dtype
                    )
                    for task, (_, j) in zip(tasks, self.blocks, strict=True)
                ]
                found[name] = dask.array.concatenate(parts).T
        return found

    def reconstruction_error(self, state):
        """Return the root of the divergence between the data and WH, a number.

        Without weights, the objective is this divergence. Otherwise a pass over all
        chunks has to find it. It is left to whoever asks for the number: then the
        result is a Dask array of no dimensions.
        """
        loss = state.loss.of_chunk
        divergence = getattr(loss, "divergence", SQUARES)
        factor = 1 if divergence is SQUARES else 2  # as in scikit-learn
        if isinstance(loss, WeightedLoss) and loss.phi is None:
            return float(np.sqrt(factor * state.objective / loss.factor))
        task = partial(divergence_of_chunk, divergence)
        parts = self.tasks(task, state.W, state.H)
        total = dask.array.from_delayed(dask.delayed(sum)(parts), (), float)
        return dask.array.sqrt(factor * total)


class ChunkedComparison(NamedTuple):
    """A pair of factors, and the results of a pass over all chunks.

    Examples
    --------
    >>> W, H = np.ones((2, 1)), np.ones((1, 3))
    >>> ChunkedComparison(W, H, 2.0, H, ()).value
    2.0
    """

    W: np.ndarray
    H: np.ndarray
    #: The loss at W and H.
    value: float
    #: The next H.
    next_H: np.ndarray
    #: The sums over the samples for the next W.
    sums: tuple


class ChunkedLoss(Loss):
    """A loss whose value comes from a pass over all chunks, with the next H.

    Parameters
    ----------
    loss : Loss
        For one chunk.
    solver : CoordinateDescent or Multiplicative
        For one chunk.
    """

    def __init__(self, loss, solver):
        self.of_chunk = loss
        self.solver = solver

    def compare(self, work, W, H, memory=None, products=None, *, fill=True):
        """Return the results of a pass over all chunks."""
        function = partial(sums_of_chunk, self.solver, self.of_chunk)
        next_H, (value, *sums) = work.pass_over(function, W, H)
        return ChunkedComparison(W, H, value, next_H, tuple(sums))

    def total(self, work, comparison):
        """Return the value that the pass has found."""
        return comparison.value


class ChunkedSolver(Solver):
    """A solver whose update of H comes from the pass over all chunks.

    Parameters
    ----------
    solver : CoordinateDescent or Multiplicative
        For one chunk.
    """

    def __init__(self, solver):
        self.of_chunk = solver
        self.normalize = solver.normalize

    def update(self, work, loss, comparison, memory):
        """Return the next W and H."""
        W = comparison.W
        next_H = comparison.next_H
        if isinstance(self.of_chunk, CoordinateDescent):
            W, fall = self.of_chunk.update_W_from_sums(W, comparison.sums)
            return Update(W, next_H, fall=loss.of_chunk.factor * fall)
        return Update(W * ratio(*comparison.sums), next_H)


def problem_of(model, A):
    """Return the problem of a fit to a Dask array."""
    chunks = Chunks(A)
    if isinstance(model.init, str) and model.init in starts.NNDSVD:
        raise ValueError(
            f"init={model.init!r} needs the data in memory; for Dask take 'random', or "
            "(W0, H0)."
        )
    if not model.takes_chunks:
        raise ValueError(
            f"{type(model).__name__} cannot be fitted to a Dask array with these "
            "parameters: it needs all samples at once. "
            f"{change_for_chunks(model)}it to a part in memory, as "
            "A[:1000].compute(), and transform the others."
        )
    mean = checked_mean(model, chunks)
    try:
        W, H = starts.initialize(
            chunks.A.T, model.n_components, model.init, model.random_state, mean
        )
    except (TypeError, ValueError) as error:
        raise type(error)(f"{type(model).__name__}: {error}") from None
    nothing = Work(np.empty((len(W), 0), W.dtype))
    loss = model._loss(nothing, W, H[:, :0])
    solver = model._solver(loss)
    return Problem(chunks, W, H, ChunkedLoss(loss, solver), ChunkedSolver(solver))


def change_for_chunks(model):
    """Return the beginning of a sentence: which change of parameters takes Dask arrays."""
    numbers = [name for name in ("scale", "lam") if hasattr(model, name)]
    numbers = [name for name in numbers if not isinstance(getattr(model, name), Real)]
    solvers = [None, "cd", "mu"] if hasattr(model, "solver") else [None]
    for solver in solvers:
        for names in ([], numbers):
            changed = copy.copy(model).set_params(**dict.fromkeys(names, 1.0))
            if solver is not None:
                changed.set_params(solver=solver)
            if changed.takes_chunks:
                words = [f"solver={solver!r}"] if solver is not None else []
                words += [
                    f"a number as {name}, such as {name}_ of a fit to a part"
                    for name in names
                ]
                return f"Give {' and '.join(words)}. Or fit "
    return "Fit "


def transform(model, A):
    """Return the coefficients of the samples of a Dask array, samples × components."""
    chunks = Chunks(A)
    validate_data(model, chunks.A, reset=False, skip_check_array=True)
    task = dask.delayed(partial(transformed, bare(model)), pure=False)
    return np.concatenate(dask.compute([task(b, j.start) for b, j in chunks.blocks])[0])


def bare(model):
    """Return a copy of a model for the workers, without attributes as large as the data."""
    model = copy.copy(model).set_params(callback=None, init="random", verbose=0)
    kept = {"components_": model.components_}
    for name, value in vars(model).items():
        # What is still to be computed holds the data, too.
        if np.ndim(value) != 2 and not hasattr(value, "__dask_graph__"):
            kept[name] = value
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


def checked_mean(model, chunks):
    """Check the data as the estimator checks data in memory.

    Return the mean of the known entries for the start. The chunks keep the largest entry,
    what is negative, and what is absurdly far out.
    """
    A = chunks.A
    caller = f"{type(model).__name__}.fit"
    known = ~dask.array.isnan(A)
    values = dask.array.where(known, A, 0)
    below = dask.array.minimum(values, 0)
    total = dask.array.maximum(values, 0).sum(dtype=np.float64)
    of_lines = abs(values).max(axis=1 if A.shape[0] >= A.shape[1] else 0)
    sums = {
        "highest": dask.array.where(known, A, -np.inf).max(),
        "total": total,
        "of_samples": known.sum(axis=1),
        "of_features": known.sum(axis=0),
        "of_lines": of_lines,
        "counts": (below < 0).sum(axis=0),
        "least": below.min(axis=0),
        "most": dask.array.where(below < 0, below, -np.inf).max(axis=0),
        "squares": (below.astype(float) ** 2).sum(axis=0),
        "all_squares": (values.astype(float) ** 2).sum(),
    }
    (found,) = dask.compute(sums)
    highest = float(found["highest"])
    lowest = float(found["least"].min())
    if not np.isfinite(found["total"] + lowest):
        raise ValueError(
            f"{caller}: Input X contains infinity or a value too large for {A.dtype!r}."
        )
    number = found["of_samples"].sum()
    if number < A.size:
        if not model.takes_missing:
            validation.refuse_missing(model)
        empty = found["of_samples"] == 0, found["of_features"] == 0
        validation.refuse_lines(*empty, caller)
    if lowest < 0 and highest <= 0:
        validation.refuse_nothing_positive(caller)
    if lowest < 0 and not model.takes_negative:
        raise ValueError(
            f"Negative values in data passed to {caller}: the smallest is {lowest:g}. Take "
            f"squares, with solver='cd': {validation.those_with('takes_negative')}."
        )
    # As for data in memory: see `work_of_data`.
    far_out = None
    largest = max(highest, -lowest)
    of_lines = found["of_lines"]
    usual = float(np.partition(of_lines, len(of_lines) // 2)[len(of_lines) // 2])
    if largest / GAP >= usual:
        far_out = find_far_out_in_chunks(A, GAP * usual)
    validation.check_range(model, largest, A.shape, A.dtype, "fit", far_out)
    chunks.highest = highest
    chunks.far_out = far_out
    if lowest < 0:
        names = ("counts", "least", "most", "squares")
        arrays = [found[name] for name in names]
        total_squares = float(found["all_squares"])
        chunks.negative = validation.Negative(*arrays, len(A), total_squares)
    total = found["total"]
    if far_out is not None and model._starts_without_far_out:
        usual_values = dask.array.where(abs(values) <= far_out.others, values, 0)
        total = dask.array.maximum(usual_values, 0).sum(dtype=np.float64).compute()
        number = number - len(far_out.values)
    return A.dtype.type(total / number)


def find_far_out_in_chunks(A, limit):
    """Return the entries of a Dask array that are absurdly far out, or None.

    Entries below `limit`, a size, cannot be far out.
    """
    blocks = A.to_delayed().ravel()
    task = dask.delayed(largest_of_chunk, pure=False)
    parts = dask.compute(*[task(block, limit, max(A.shape)) for block in blocks])
    samples, features, values, of_samples, of_features = zip(*parts, strict=True)
    firsts = np.cumsum([0, *A.chunks[0]])
    samples = np.concatenate([i + k for i, k in zip(samples, firsts, strict=False)])
    features = np.concatenate(features)
    values = np.concatenate(values)
    order = np.argsort(-np.abs(values), kind="stable")
    return few_of_largest(
        samples[order],
        features[order],
        values[order],
        np.concatenate(of_samples),
        sum(of_features),
    )


def largest_of_chunk(block, limit, most):
    """Return the places and the values of the entries of a chunk from a size on.

    The largest smaller one is among them. They are at most as many as could be far out,
    and one more. Return also how many entries of each sample and feature are not zero.
    """
    sizes = np.nan_to_num(np.abs(block)).ravel()
    n = min(np.count_nonzero(sizes >= limit), most // 2 + 1) + 1
    n = min(n, np.count_nonzero(sizes))
    places = np.sort(np.argpartition(-sizes, n - 1)[:n]) if n else np.empty(0, int)
    samples, features = np.unravel_index(places, block.shape)
    nonzero = sizes.reshape(block.shape) > 0
    counts = nonzero.sum(axis=1), nonzero.sum(axis=0)
    return samples, features, block[samples, features], *counts
