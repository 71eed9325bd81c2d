"""The states that prompts and queries are drawn from: those of a model's table, of a file, or of
real prompts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.models.model import Model
from numerics.terminal.inputs import InputError
from theory.inputs.arrays import real_array
from theory.inputs.whole_numbers import read_whole

__all__ = ["Queries", "Tokens", "read_queries", "read_tokens", "read_windows"]

Floats = NDArray[np.float64]
#: Entries of a table that are normed at once.
ENTRIES_AT_ONCE = 4_000_000
#: Largest number in an array that is given.
LARGEST = 1e15


class Tokens(NamedTuple):
    """What prompts and queries are drawn from: states before a layer."""

    #: (n, d), and their probabilities (n,).
    states: NDArray[Any]
    weights: Floats
    #: What they are, in words, and whether they come from real prompts.
    says: str
    real: bool = False

    def seen(self, model: Model, layer: int) -> Iterator[tuple[slice, Floats]]:
        """The states as a layer sees them, some at a time."""
        step = max(1, ENTRIES_AT_ONCE // model.d)
        for first in range(0, len(self.states), step):
            where = slice(first, min(first + step, len(self.states)))
            yield where, model.seen(np.asarray(self.states[where], dtype=np.float64), layer)


class Queries(NamedTuple):
    """What queries are: states before a layer (m, d), or what mixes those of the tokens (m, n)."""

    says: str
    states: Floats | None = None
    mixed: Floats | None = None

    def seen(self, model: Model, law: Tokens, layer: int) -> Floats:
        """The states (m, d) as a layer sees them."""
        if self.states is not None:
            return model.seen(self.states, layer)
        assert self.mixed is not None
        mixed, mean = np.zeros((len(self.mixed), model.d)), np.zeros(model.d)
        for where, x in law.seen(model, layer):
            mixed += self.mixed[:, where] @ x
            mean += law.weights[where] @ x
        # States are mixed less their mean, which is added once.
        return np.asarray(mixed + (1 - self.mixed.sum(1))[:, None] * mean)


def read_windows(
    states: Any, model: Model, layers: Sequence[int], tokens: Any, frequencies: Any
) -> NDArray[Any]:
    """The states of real prompts, checked."""
    for name, other in (("tokens", tokens), ("frequencies", frequencies)):
        if other is not None:
            raise InputError(f"{name} beside states, which are the tokens themselves; leave one of them out")
    if len(layers) > 1:
        raise InputError("states are those before one layer; say which layer, as --layer 3")
    if model.family.rotary and model.stretched:
        raise InputError(
            "this model stretches its rotary positions, so that real prompts are not measured here"
        )
    X, d = _finite("states", states), model.d
    if X.ndim != 3 or X.shape[2] != d or X.shape[1] < 2:
        raise InputError(
            f"states have shape {X.shape}; they must have shape (windows, tokens, {d}), with at least two "
            "tokens"
        )
    return X


def _finite(name: str, array: Any) -> NDArray[Any]:
    """An array of real numbers of a size that can be squared, in the kind that it came in."""
    plain = isinstance(array, np.ndarray) and not isinstance(array, np.ma.MaskedArray)
    X = array if plain and array.dtype.kind == "f" else real_array(name, array)
    if not (X.size and -LARGEST <= float(X.min()) <= float(X.max()) <= LARGEST):  # nan fails, too
        raise ValueError(f"{name} must be numbers up to {LARGEST:g}; leave out rows with others, or rescale")
    return np.asarray(X)


def read_tokens(model: Model, tokens: Any, frequencies: Any, windows: NDArray[Any] | None) -> Tokens:
    """The tokens: the states of `windows` if there are any, those given, or those of the model."""
    if windows is not None:
        states = windows.reshape(-1, model.d)
        says = f"the {len(states)} states of all windows"
    elif tokens is not None:
        states, says = _finite("tokens", tokens), "the states given"
        if states.ndim != 2 or states.shape[1] != model.d:
            raise InputError(f"tokens have shape {states.shape}; they must have shape (n, {model.d})")
    else:
        states, says = model.table(), model.says_table
    weights = np.ones(len(states))
    if frequencies is not None:
        weights = np.asarray(_finite("frequencies", frequencies), dtype=np.float64)
        if weights.shape != (len(states),) or (weights < 0).any() or not weights.any():
            raise InputError(
                f"frequencies have shape {weights.shape}; they must be {len(states)} numbers, one a token, "
                "none of them negative and not all 0"
            )
        states, weights = states[weights > 0], weights[weights > 0] / weights.max()
    if (states == states[0]).all():
        raise InputError("all tokens are the same state; give at least two different ones")
    likely = "each as likely" if frequencies is None else "as likely as the frequencies say"
    return Tokens(states, weights / weights.sum(), f"{says}, {likely}", windows is not None)


def read_queries(
    queries: Any, count: int, seed: int, law: Tokens, pool: NDArray[Any] | None, d: int
) -> Queries:
    """The queries; those of the table are drawn from a `pool` of states where there is one."""
    rng = np.random.default_rng(read_whole("seed", seed, "it is a whole number", least=0))
    count = read_whole("query_count", count, "it is a number of queries")
    if isinstance(queries, str) and queries not in ("table", "gaussian"):
        raise InputError(f"queries = {queries!r:.60} are neither table nor gaussian, nor states")
    if isinstance(queries, str) and queries == "gaussian":
        mixed = rng.standard_normal((count, len(law.states))) * np.sqrt(law.weights)
        return Queries(f"{count} Gaussian states of the mean and covariance of the tokens", mixed=mixed)
    if isinstance(queries, str):
        drawn = rng.choice(law.states, count, p=law.weights) if pool is None else rng.choice(pool, count)
        return Queries(f"{count} states drawn from those of the tokens", np.asarray(drawn, dtype=np.float64))
    states = np.atleast_2d(np.asarray(_finite("queries", queries), dtype=np.float64))
    if states.ndim != 2 or states.shape[1] != d or not len(states):
        raise InputError(f"queries have shape {states.shape}; they must have shape (m, {d}) or ({d},)")
    return Queries(f"{len(states)} given state{'s' * (len(states) > 1)}", states)
