"""One head of a transformer: its matrices, its biases, and how positions turn what it compares."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.setting import AttentionSetting

__all__ = ["Head"]

Floats = NDArray[np.float64]


class Head(NamedTuple):
    """One head of one layer; queries, keys and values are W x + b for a state x as it sees it."""

    layer: int
    number: int
    #: (k, d), (k, d) and (d_v, d).
    W_Q: Floats
    W_K: Floats
    W_V: Floats
    #: (k,), (k,) and (d_v,). That of the keys adds the same to all scores, and drops out, unless
    #: they are turned by different angles.
    b_Q: Floats
    b_K: Floats
    b_V: Floats
    #: The base of rotary positions, and how many tokens all keys are taken to stand before the
    #: query; None for other models.
    base: float | None = None
    distance: int | None = None

    def queries(self, states: Floats) -> Floats:
        """Queries (m, k) by which a state y has the score ``(W_K y) @ query``."""
        return self.turned(self.plain_queries(states), self.distance)

    def plain_queries(self, states: Floats) -> Floats:
        """As `queries`, before rotary positions turn them."""
        return np.asarray((states @ self.W_Q.T + self.b_Q) / math.sqrt(len(self.W_Q)))

    def turned(self, x: Floats, positions: Any) -> Floats:
        """Queries or keys (m, k) at positions (m,), turned by these if the model does so."""
        if self.base is None:
            return x
        half = x.shape[-1] // 2
        angle = np.multiply.outer(positions, self.base ** (-np.arange(half) / half))
        first, second = x[..., :half], x[..., half:]
        cos, sin = np.cos(angle), np.sin(angle)
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)

    def setting(self, table: Any, state: Any) -> AttentionSetting:
        """The setting for `numerics.how_linear` and other functions of one query: tokens are the
        rows of a table (n, d), each as likely, and the query is that of a state (d,). Its U is the
        identity and its query W_K' times that of the head, for which scores are the same.
        """
        from numerics.token_laws import embedding_table

        query = self.queries(np.asarray(state, dtype=np.float64)[None])[0] @ self.W_K
        name = f"layer {self.layer} head {self.number}"
        return AttentionSetting(embedding_table(table), np.eye(len(query)), self.W_V, query, name=name)
