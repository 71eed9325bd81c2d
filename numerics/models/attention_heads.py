"""How far each head of a transformer is from linear attention, for independent tokens, and in real
prompts where their states are known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.distance.approach import NEAR, refined
from numerics.attention.distance.many_queries import LONGEST, Distances, distances, relative_root
from numerics.attention.setting import read_lengths
from numerics.models.answer import TOLERANCE, AttentionHeads, Measured
from numerics.models.head import Head
from numerics.models.model import Model, read_model
from numerics.models.real_windows import Real, real_windows
from numerics.models.states import Queries, Tokens, read_queries, read_tokens, read_windows
from numerics.terminal.progress import Advance
from numerics.token_laws.embeddings import silent
from theory.inputs.whole_numbers import read_whole

__all__ = ["attention_heads"]

Floats = NDArray[np.float64]
#: Entries of keys and values that are held at once.
ENTRIES_HELD = 16_000_000


def attention_heads(
    model: Any,
    lengths: ArrayLike = (128, 512, 4096),
    *,
    layers: Iterable[int] | None = None,
    heads: Iterable[int] | None = None,
    tokens: ArrayLike | None = None,
    frequencies: ArrayLike | None = None,
    queries: ArrayLike | Literal["table", "gaussian"] = "table",
    query_count: int = 64,
    states: ArrayLike | None = None,
    rope_distance: int | None = None,
    seed: int = 0,
    progress: Advance = silent,
) -> AttentionHeads:
    """How far the heads of a transformer are from linear attention, at prompts of given lengths.

    Prompts have independent tokens, and a query stands beside them. The distance is
    ``sqrt(E|T_L - V Gamma U z|^2 / E|V Gamma U z|^2)``, over prompts and queries z: exact over
    prompts, and on average over some queries.

    Parameters
    ----------
    model : Model, str or Path
        As `read_model` reads it, or its folder or file.
    lengths : array_like
        Whole numbers from 1 to 1e12; repeated ones count once.
    layers, heads : iterable of int, optional
        Numbers from 0; all of them by default.
    tokens : array_like, shape (n, d), optional
        States before a layer in place of those of the table of the model.
    frequencies : array_like, shape (n,), optional
        How likely each token is, up to a factor; all the same by default.
    queries : "table", "gaussian" or array_like, shape (m, d)
        Tokens drawn like those of prompts, Gaussian states of their mean and covariance, or states.
    query_count : int
        How many queries are drawn.
    states : array_like, shape (windows, tokens, d), optional
        States before one layer in real prompts. They take the place of `tokens`, and what the heads
        do with the prompts as they are is measured beside what independent tokens would give.
    rope_distance : int, optional
        How many tokens all keys stand before the query, for models with rotary positions, which are
        refused without it.
    seed : int
        Of the queries that are drawn.
    progress : callable
        Called with (done, total, doing) after each head.

    Returns
    -------
    AttentionHeads
        A table with a line for each head; ``plot()`` draws it over layers and heads.

    Raises
    ------
    TypeError
        If a number is not whole, or an array not real.
    ValueError
        If the model cannot be read, a number is out of range, shapes do not fit, or scores differ
        by more than 500.

    Examples
    --------
    >>> from numerics.models.tiny import tiny_model
    >>> found = attention_heads(tiny_model(), [100], layers=[0])
    >>> found.relative_error.shape, found.heading().split(".")[0]
    ((2, 1), 'tiny: 2 heads of layer 0')
    """
    if not isinstance(model, Model):
        model = read_model(model)
    L = np.unique(read_lengths(lengths))
    if L[-1] > LONGEST:
        raise ValueError(f"a prompt of {L[-1]:.3g} tokens is asked for; the longest here has {LONGEST:g}")
    chosen = _chosen("layers", layers, model.layers), _chosen("heads", heads, model.heads)
    model.heads_of(chosen[0][0], chosen[1], rope_distance=rope_distance)  # refused before the work
    windows = None if states is None else read_windows(states, model, chosen[0], tokens, frequencies)
    law = read_tokens(model, tokens, frequencies, windows)
    pool = windows[:, -1] if windows is not None and model.family.causal else None
    asked = read_queries(queries, query_count, seed, law, pool, model.d)
    found, total = [], len(chosen[0]) * len(chosen[1])
    for layer in chosen[0]:
        at = asked.seen(model, law, layer)
        seen = None if windows is None else model.seen(np.asarray(windows, dtype=np.float64), layer)
        for head, keys, values in _rows(model, law, layer, chosen[1], rope_distance):
            apart = distances(keys, values, law.weights, head.queries(at))
            real = None if seen is None else real_windows(head, seen, causal=model.family.causal)
            found.append(_measured(head, apart, L, real))
            progress(len(found), total, f"layer {layer}, head {head.number}")
    return AttentionHeads(
        model=model.name,
        lengths=L,
        heads=tuple(found),
        notes=_notes(model, law, asked, chosen[0], rope_distance, contextual=tokens is not None),
    )


def _notes(
    model: Model,
    law: Tokens,
    asked: Queries,
    layers: Sequence[int],
    distance: int | None,
    *,
    contextual: bool,
) -> tuple[str, ...]:
    """What the numbers rest on, and what they leave out."""
    norm = "RMS norm" if model.family.rms else "layer norm"
    seen = f"; each layer sees them after its {norm}" if model.family.norm else ""
    out = [f"Tokens: {law.says}{seen}. Queries: {asked.says}."]
    called = model.weights.config.get("model_type")
    if called is not None and model.family.known and called not in model.family.known:
        out.append(
            f"config.json calls the model {called!r:.40}. It is read as {model.family.name} models are, "
            "whose names it has; whether norms, positions and scores are theirs, only its documents say."
        )
    if layers[-1] > 0 and not contextual and not law.real:
        out.append(
            "Layers beyond 0 see states that depend on the prompt, for which the table only stands in; give "
            "such states by --states or --tokens."
        )
    if not law.real:
        out.append(
            "Tokens of a prompt are independent here, and the query is none of them. Real prompts are not "
            "so: --states measures both."
        )
    if model.family.causal:
        out.append("A causal mask shows a token only those up to itself: L is its position, counted from 1.")
    if distance is not None:
        out.append(
            f"Rotary positions: all keys are taken to stand {distance} tokens before the query, where those "
            "of a prompt stand at all distances."
        )
    return (
        *out,
        "Distances are relative to V Gamma U z. b_K multiplies all weights by the same factor and drops out; "
        "b_Q moves the query; b_V and the mean of the values add the same to softmax and to linear attention "
        "and are left out of both.",
    )


def _chosen(name: str, given: Iterable[int] | None, most: int) -> list[int]:
    """The numbers of layers or heads, checked."""
    if given is None:
        return list(range(most))
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"{name} = {given!r:.60} is no list of whole numbers; pass a list such as [0, 3]")
    words = (f"one of {name}", f"they are 0 to {most - 1}")
    numbers = sorted({read_whole(words[0], i, words[1], least=0, most=most - 1) for i in given})
    if not numbers:
        raise ValueError(f"{name} is empty; pass some of 0 to {most - 1}")
    return numbers


def _rows(
    model: Model, law: Tokens, layer: int, numbers: Sequence[int], rope_distance: int | None
) -> Iterator[tuple[Head, Floats, Floats]]:
    """Each head with the keys and values of all tokens, as many heads at once as memory allows."""
    heads = model.heads_of(layer, numbers, rope_distance=rope_distance)
    n, each = len(law.states), len(heads[0].W_K) + len(heads[0].W_V)
    some = max(1, ENTRIES_HELD // (n * each))
    for i in range(0, len(heads), some):
        group = heads[i : i + some]
        W = np.concatenate([W for head in group for W in (head.W_K, head.W_V)])
        out = np.empty((n, len(W)))
        for where, x in law.seen(model, layer):
            out[where] = x @ W.T
        for j, head in enumerate(group):
            own = out[:, j * each : (j + 1) * each]
            yield head, own[:, : len(head.W_K)], own[:, len(head.W_K) :]


def _measured(head: Head, found: Distances, lengths: Floats, real: Real | None) -> Measured:
    """The line of a head."""
    size, independent = found.size, None
    relative, error = relative_root(found.errors(lengths)[1].T, size)
    off = float(relative_root(found.apart[None], size)[0][0])
    if real is not None:
        both = relative_root(found.errors(np.array([float(real.tokens)]))[1].T, size)
        independent = (float(both[0][0]), float(both[1][0]))
    excess = lambda points: {
        name: found.from_linear(L) / size.mean() / TOLERANCE**2 - 1 for name, L in points.items()
    }
    needed = math.inf if off > TOLERANCE else math.nan
    if off <= TOLERANCE:
        needed = refined(excess, NEAR, excess({"": NEAR}))[""]
    return Measured(
        head.layer, head.number, relative, error, off, needed, found.slope(lengths), real, independent
    )
