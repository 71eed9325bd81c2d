"""How far a head is from linear attention in prompts as they are, whose tokens depend on each other
and of which the query is one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.distance.many_queries import relative_root
from numerics.models.head import Head

__all__ = ["Real", "real_windows"]

Floats = NDArray[np.float64]


class Real(NamedTuple):
    """A distance in real prompts, relative to linear attention, and its standard error for other
    windows; and how many there are, of how many tokens.
    """

    value: float
    error: float
    windows: int
    tokens: int


def real_windows(head: Head, states: Floats, *, causal: bool) -> Real:
    """The distance for states (windows, tokens, d) as the head sees them. Every token asks all of
    its window, or under a causal mask the last one does. Mean and covariance of the tokens are
    those of all windows together.
    """
    windows, tokens, _ = states.shape
    keys, values = states @ head.W_K.T + head.b_K, states @ head.W_V.T
    values -= values.mean((0, 1))
    covariance = np.einsum("wtv,wtk->vk", values, keys) / (windows * tokens)
    positions = np.arange(tokens)
    asking = slice(tokens - 1, None) if causal else slice(None)
    squares, sizes = np.zeros(windows), np.zeros(windows)
    for i in range(windows):
        plain = head.plain_queries(states[i, asking])
        linear = head.turned(plain, head.distance) @ covariance.T
        scores = head.turned(plain, positions[asking]) @ head.turned(keys[i], positions).T
        p = np.exp(scores - scores.max(1, keepdims=True))
        gap = p / p.sum(1, keepdims=True) @ values[i] - linear
        squares[i], sizes[i] = (gap**2).sum(), (linear**2).sum()
    found, error = relative_root(squares[None], sizes)
    return Real(float(found[0]), float(error[0]), windows, tokens)
