"""Samplers of the squared errors of softmax attention that draw every token: by a compiled kernel,
or by NumPy for a law of which there is only a sampler.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "PROMPTS_A_BLOCK",
    "CompiledSampler",
    "PlainSampler",
    "Problem",
    "compiled_sampler",
    "generator_of",
    "rotation",
]

Floats = NDArray[np.float64]
Key = tuple[np.uint32, np.uint32]
#: Prompts that share a random generator, and tokens held in memory at once, in NumPy.
PROMPTS_A_BLOCK, TOKENS_AT_ONCE = 64, 1 << 15
#: Kinds of coordinates whose law does not change under rotations.
ROUND = ("normal", "sphere", "ball")


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked arrays: U (d, d), V (d_out, d), and the query ``mean + root @ white``, root (d, k)
    with k = 0 if it is fixed. With Gamma (d, d), errors are measured against linear attention.
    """

    U: Floats
    V: Floats
    mean: Floats
    root: Floats
    Gamma: Floats | None = None

    def queries(self, whites: Floats) -> Floats:
        """Queries (d, n) from standard normal vectors (k, n); one column if the query is fixed."""
        return self.mean[:, None] + (product(self.root, whites) if self.root.shape[1] else 0.0)

    def limits(self, law: Any, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) of the infinite prompt, for the scores a."""
        if self.Gamma is None:
            mean, covariance = law.tilted(a)
            return mean, covariance
        mean = product(self.Gamma, a.reshape(-1, len(self.Gamma)).T).T.reshape(a.shape)
        return mean, np.broadcast_to(self.Gamma, (*a.shape, len(self.Gamma)))


@dataclass(frozen=True, eq=False)
class CompiledSampler:
    """A sampler with tokens A g whose coordinates g the kernel draws; made by `compiled_sampler`. A
    is the factor, turned by a rotation of g where that leaves the law of g unchanged. With A = Q R
    and V A = P S, Q and P of orthonormal columns, |A x| = |R x| and |V A x| = |S x|: roots with
    many zeros, and no more rows than columns. R and S end with a column of zeros if the number of
    coordinates is odd.
    """

    problem: Problem
    kind: Any
    law: Any
    factor: Floats
    turn: Floats
    Q: Floats
    R: Floats
    PV: Floats
    S: Floats

    def values(self, L: int, first: int, count: int, key: Key) -> Floats:
        """Squared errors (3, count) of the replicates from number `first` on."""
        from numerics.attention.sampled.kernels.all_tokens import attention_kernel
        from numerics.attention.sampled.kernels.queries import query_kernel

        if self.problem.root.shape[1]:
            whites = np.empty((self.problem.root.shape[1], count))
            query_kernel()(first, L, key, whites)
            given = self._given(self.problem.queries(whites))
        else:
            given = self._fixed
        named = isinstance(self.kind, str)
        kernel = attention_kernel(self.kind) if named else attention_kernel("quantile", self.kind)
        out = np.empty((3, count))
        kernel(first, L, key, *given, float(len(self.problem.V)), out)
        return out

    @cached_property
    def _fixed(self) -> tuple[Floats, ...]:
        return self._given(self.problem.mean[:, None])

    def _given(self, z: Floats) -> tuple[Floats, ...]:
        """The arguments of the kernel for the queries z, of shape (d, n)."""
        a = product(self.problem.U, z)
        b = product(np.ascontiguousarray(self.turn.T), product(np.ascontiguousarray(self.factor.T), a))
        return b, self.R, self.S, *self._limits(a, b), (z * z).sum(axis=0)

    def _limits(self, a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
        """Tilted mean and covariance in the coordinates of the kernel."""
        Q, R, S, PV = self.Q, self.R, self.S, self.PV
        if self.law is None:
            return product(R[:, : len(b)], b), product(S[:, : len(b)], b), (S @ R.T).reshape(-1, 1)
        mean, covariance = self.problem.limits(self.law, np.ascontiguousarray(a.T))
        h, H = product(np.ascontiguousarray(Q.T), mean.T), PV @ covariance @ Q
        return h, product(PV, mean.T), np.ascontiguousarray(H.reshape(len(mean), -1).T)


@dataclass(frozen=True, eq=False)
class PlainSampler:
    """A sampler with tokens from the law's own sampler, in NumPy: the same interface, ten and more
    times slower. Prompts are drawn in blocks of `PROMPTS_A_BLOCK`; the generator of a block is
    Philox under the key (seed, L), from a counter of its own.
    """

    problem: Problem
    law: Any

    def values(self, L: int, first: int, count: int, seed: int) -> Floats:
        """Squared errors (3, count) of the replicates from number `first` on."""
        begin = first // PROMPTS_A_BLOCK
        blocks = [self._block(L, k, seed) for k in range(begin, (first + count - 1) // PROMPTS_A_BLOCK + 1)]
        return np.concatenate(blocks, axis=1)[:, first - begin * PROMPTS_A_BLOCK :][:, :count]

    @cached_property
    def _fixed(self) -> tuple[Floats, Floats]:
        return self.problem.limits(self.law, self.problem.U @ self.problem.mean)

    def _block(self, L: int, number: int, seed: int) -> Floats:
        """The squared errors of one block of prompts, shape (3, PROMPTS_A_BLOCK)."""
        problem, d, rng = self.problem, self.law.d, generator_of(L, number, seed)
        z = np.broadcast_to(
            problem.queries(rng.standard_normal((problem.root.shape[1], PROMPTS_A_BLOCK))),
            (d, PROMPTS_A_BLOCK),
        ).T
        a = z @ problem.U.T
        h, H = problem.limits(self.law, a) if problem.root.shape[1] else self._fixed
        top, Z = np.full(PROMPTS_A_BLOCK, -np.inf), np.zeros(PROMPTS_A_BLOCK)
        M, C = np.zeros((PROMPTS_A_BLOCK, d)), np.zeros((PROMPTS_A_BLOCK, d, d))
        for start in range(0, L, TOKENS_AT_ONCE // PROMPTS_A_BLOCK):
            n = min(TOKENS_AT_ONCE // PROMPTS_A_BLOCK, L - start)
            tokens = self._tokens(rng, PROMPTS_A_BLOCK * n).reshape(PROMPTS_A_BLOCK, n, d)
            scores = (tokens @ a[:, :, None])[:, :, 0]
            raised = np.maximum(top, scores.max(axis=1))
            shrink, w = np.exp(top - raised), np.exp(scores - raised[:, None])
            top, Z, weighed = raised, Z * shrink + w.sum(axis=1), tokens * w[:, :, None]
            M = M * shrink[:, None] + weighed.sum(axis=1)
            C = C * shrink[:, None, None] + np.swapaxes(weighed, 1, 2) @ tokens
        M /= Z[:, None]
        C = C / Z[:, None, None] - M[:, :, None] * M[:, None, :]
        gap, bend = M - h, problem.V @ (C - H)
        return np.stack(
            [
                ((gap @ problem.V.T) ** 2).sum(axis=1),
                len(problem.V) * (gap * gap).sum(axis=1),
                (bend * bend).sum(axis=(1, 2)) * (z * z).sum(axis=1),
            ]
        )

    def _tokens(self, rng: np.random.Generator, n: int) -> Floats:
        """What the law's sampler returns, checked at every call: its own check saw few tokens."""
        tokens = np.asarray(self.law.sample(rng, n))
        if tokens.shape != (n, self.law.d) or tokens.dtype.kind not in "fiu":
            raise ValueError(
                f"the sampler of {self.law.name} was asked for {n} tokens and returned an array of shape "
                f"{tokens.shape} and kind {tokens.dtype}, not real numbers of shape ({n}, {self.law.d}); "
                "correct sample="
            )
        return tokens.astype(np.float64, copy=False)


def generator_of(L: int, number: int, seed: int) -> np.random.Generator:
    """The generator of one block of prompts. Counters grow from the lowest word: the streams of two
    blocks, or of a claim's generators, never meet.
    """
    bits = np.random.Philox(
        key=np.array([seed, L], np.uint64), counter=np.array([0, 0, 1, number], np.uint64)
    )
    return np.random.Generator(bits)


def compiled_sampler(problem: Problem, kind: Any, factor: Floats, law: Any = None) -> CompiledSampler:
    """A sampler with the arguments of the kernel prepared, for coordinates as of
    `TokenLaw.coordinates` and the factor A (d, r). The law knows the infinite prompt; for Gaussian
    tokens A does.
    """
    is_round = isinstance(kind, str) and kind in ROUND
    turn = rotation(factor) if is_round else np.eye(factor.shape[1])
    A = factor @ turn
    if kind == "normal":  # columns of zeros do without coordinates
        kept = np.asarray(A.any(axis=0))
        kept[0] |= not kept.any()
        A, turn = A[:, kept], turn[:, kept]
    Q, R = _triangular(A)
    P, S = _triangular(problem.V @ factor @ turn)
    pad = ((0, 0), (0, A.shape[1] % 2))
    return CompiledSampler(
        problem, kind, law, factor, turn, Q, np.pad(R, pad), P.T @ problem.V, np.pad(S, pad)
    )


def rotation(factor: Floats) -> Floats:
    """R, orthogonal, such that the columns of F R are; the identity if those of F are. R is
    orthogonal up to rounding whatever the singular values of F are, so that ``|v'F R|`` is
    ``|v'F|`` for every v, if v'F comes first: no direction is dropped, and each has its own digits.

    >>> F, v = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-50]]), np.array([1.0, -1.0])
    >>> bool(np.isclose(np.linalg.norm(v @ F @ rotation(F)), 2.0**-50, rtol=1e-14))
    True
    """
    if orthogonal(factor):
        return np.eye(factor.shape[1])
    return np.asarray(np.linalg.svd(factor, full_matrices=factor.shape[1] > len(factor))[2].T)


def product(matrix: Floats, columns: Floats) -> Floats:
    """The product matrix @ columns, computed for each column by itself: a matrix product may round
    a column differently beside others, and replicates must not depend on their neighbours.
    """
    out = np.zeros((matrix.shape[0], columns.shape[1]))
    for k in range(matrix.shape[1]):
        out += matrix[:, k : k + 1] * columns[k]
    return out


def _triangular(A: Floats) -> tuple[Floats, Floats]:
    """A = Q R with orthonormal columns of Q; R is diagonal if those of A are orthogonal."""
    lengths = np.sqrt((A * A).sum(axis=0))
    if A.shape[1] <= A.shape[0] and lengths.all() and orthogonal(A):
        return A / lengths, np.diag(lengths)
    Q, R = np.linalg.qr(A)
    return Q, np.triu(R)


def orthogonal(A: Floats) -> bool:
    """Whether the columns are orthogonal. Each pair is measured by its own lengths, since a column
    of rounding errors may point anywhere.

    >>> orthogonal(np.array([[3.0, -4e-30], [4.0, 3e-30]]))
    True
    >>> orthogonal(np.array([[3.0, 0.0], [4.0, 3e-30]]))
    False
    """
    squares = A.T @ A
    lengths = np.sqrt(np.diag(squares))
    return bool(np.all(np.abs(squares - np.diag(np.diag(squares))) <= 1e-14 * np.outer(lengths, lengths)))
