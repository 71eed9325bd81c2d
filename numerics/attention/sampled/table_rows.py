"""The sampler of squared errors for tokens that are rows of an embedding table: all rows are scored
once for a block of queries, and a prompt is how often it holds each row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from numerics.attention.sampled.all_tokens import PROMPTS_A_BLOCK, PlainSampler, generator_of
from numerics.token_laws.embeddings import EmbeddingTable

__all__ = ["RowSampler"]

Floats = NDArray[np.float64]
#: Weights of rows in the prompts that are worked on together.
WEIGHTS_AT_ONCE = 4_000_000


class RowSampler(PlainSampler):
    """A sampler with tokens from an `EmbeddingTable`, in time that hardly grows with L. The squared
    error of the gradient in U, ``|V (C_L - H)|^2 |z|^2``, is replaced by
    ``|V (C_L - H) g|^2 |z|^2`` with independent signs g in every prompt: it has the same mean,
    since E gg' = I, and needs no matrix of d rows for every prompt.
    """

    def _block(self, L: int, number: int, seed: int) -> Floats:
        problem, table, rng = self.problem, self.law.structure, generator_of(L, number, seed)
        assert isinstance(table, EmbeddingTable)
        m, d = PROMPTS_A_BLOCK, table.d
        z = np.broadcast_to(problem.queries(rng.standard_normal((problem.root.shape[1], m))), (d, m)).T
        signs = np.asarray(2.0 * rng.integers(0, 2, (m, d)) - 1, dtype=np.float64)
        some = max(1, WEIGHTS_AT_ONCE // len(table.rows))
        parts = [
            self._prompts(table, rng, L, z[i : i + some], signs[i : i + some]) for i in range(0, m, some)
        ]
        return np.concatenate(parts, axis=1)

    def _prompts(
        self, table: EmbeddingTable, rng: np.random.Generator, L: int, z: Floats, g: Floats
    ) -> Floats:
        """The squared errors of a prompt for each query z, with the signs g: shape (3, len(z))."""
        problem, m, n = self.problem, len(z), len(table.rows)
        # Against linear attention the rows without tilt are taken, of mean 0 and covariance Gamma.
        tilted = 1.0 if problem.Gamma is None else 0.0
        scores, along = table.scores(np.concatenate([z @ problem.U.T, g])).reshape(2, m, n)
        weights = np.empty((3, m, n))  # of every row: for the gap of the means, of E x (x.g), for h
        for i in range(m):
            counts = _counts(rng, L, n)
            held = np.flatnonzero(counts)
            drawn = counts[held] * np.exp(scores[i, held] - scores[i, held].max())
            np.exp((scores[i] - scores[i].max()) * tilted, out=weights[2, i])
            weights[2, i] /= weights[2, i].sum()
            np.negative(weights[2, i], out=weights[0, i])
            weights[0, i, held] += drawn / drawn.sum()
            np.multiply(weights[0, i], along[i], out=weights[1, i])
        gap, second, h = table.weighted(weights.reshape(3 * m, n)).reshape(3, m, table.d)
        # C_L g - H g, where C_L = sum p xx' - MM' and M = h + gap
        bend = (
            second
            - gap * ((h + gap) * g).sum(axis=1, keepdims=True)
            - h * (gap * g).sum(axis=1, keepdims=True)
        )
        if problem.Gamma is not None:
            gap = gap - z @ problem.U.T @ problem.Gamma
        return np.stack(
            [
                ((gap @ problem.V.T) ** 2).sum(axis=1),
                len(problem.V) * (gap * gap).sum(axis=1),
                ((bend @ problem.V.T) ** 2).sum(axis=1) * (z * z).sum(axis=1),
            ]
        )


def _counts(rng: np.random.Generator, L: int, n: int) -> NDArray[np.int64]:
    """How often L uniform draws hit each of n rows; long prompts are not drawn token by token."""
    if n >= L:
        return np.bincount(rng.integers(0, n, L), minlength=n)
    return rng.multinomial(L, np.full(n, 1 / n))
