"""Random matrices for the letters of an algebra of words, which obey the declared relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from numerics.counterexamples.drawn.equations.matrix_arithmetic import (
    Bounded,
    Stack,
    inverse,
    plus,
    times,
    turned,
)
from theory.symbolic.letters import Alphabet

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["COPIES", "SPREAD", "Example", "MatrixDraws", "drawn_matrices"]

#: Rows are multiplied by powers of two up to this one where matrices are ill-scaled.
SPREAD = 12
#: Instances of an example, which differ in their entries only.
COPIES = 3

Example: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True)
class MatrixDraws:
    """What describes random matrices: their dimension less 1, by how much their rank is lowered,
    how far their rows are apart in size, and a seed.
    """

    def strategy(self) -> SearchStrategy[Example]:
        from numerics.counterexamples.drawn.rows import Row

        return Row((0, 3), (0, 3), (0, SPREAD), (0, 9999))


class _Draw:
    """Random matrices of whole numbers times powers of two, which floats hold exactly: a stack of
    them, or one copy in fractions.
    """

    def __init__(self, example: Example, most: int, bound: bool, copy: int | None) -> None:
        size, lack, self.spread, seed = example
        self.d = min(1 + size, most)
        self.rank = max(self.d - lack, 0)
        self.bound, self.copy = bound, copy
        self.random = np.random.default_rng(seed)

    def made(self, whole: Stack) -> Bounded:
        if self.copy is not None:
            return np.vectorize(Fraction, otypes=[object])(whole[self.copy].astype(object)), None
        v = whole.astype(float)
        return v, np.zeros_like(v) if self.bound else None

    def some(self, rows: int, columns: int, least: int = -3, most: int = 3) -> Bounded:
        """Small whole numbers."""
        return self.made(self.random.integers(least, most + 1, (COPIES, rows, columns)))

    def sizes(self, rows: int) -> tuple[Bounded, Bounded]:
        """A column of powers of two, and of their inverses."""
        far = self.random.integers(-self.spread, self.spread + 1, (COPIES, rows, 1))
        up, down = self.made(2 ** np.maximum(far, 0)), self.made(2 ** np.maximum(-far, 0))
        over = lambda a, b: (a[0] / b[0], a[1])
        return over(up, down), over(down, up)

    def rows(self, rows: int, columns: int) -> Bounded:
        """A matrix with rows of different size."""
        return times(self.some(rows, columns), self.sizes(rows)[0], scalar=True)

    def general(self) -> Bounded:
        if self.rank == self.d:
            return self.rows(self.d, self.d)
        return times(
            self.rows(self.d, max(self.rank, 1)),
            self.some(max(self.rank, 1), self.d, *((0, 0) if self.rank == 0 else (-3, 3))),
        )

    def covariance(self) -> Bounded:
        """A positive semidefinite matrix."""
        B = self.rows(self.d, max(self.rank, 1))
        if self.rank == 0:
            B = times(B, self.some(1, 1, 0, 0), scalar=True)
        return times(B, turned(B))

    def pair(self, symmetric: bool) -> tuple[Bounded, Bounded]:
        """A matrix and its inverse."""
        M, one = (
            self.some(self.d, self.d),
            self.made(np.broadcast_to(np.eye(self.d, dtype=int), (COPIES, self.d, self.d))),
        )
        shift = times(
            one,
            self.some(1, 1, 1, 1) if symmetric else self.some(1, 1, 3 * self.d + 1, 3 * self.d + 1),
            scalar=True,
        )
        M = plus(times(M, turned(M)) if symmetric else M, shift)
        (left, by_left), (right, by_right) = self.sizes(self.d), self.sizes(self.d)
        if symmetric:
            right, by_right = left, by_left
        around = lambda a, X, b: times(times(X, a, scalar=True), turned(b), scalar=True)
        return around(left, M, right), around(by_right, inverse(M), by_left)

    def projected(self) -> tuple[Bounded, Bounded, Bounded]:
        """A singular matrix, its pseudo-inverse and the projector onto its range."""
        r = max(self.rank, 1)
        whole = self.random.integers(-3, 4, (COPIES, self.d, r))
        whole[:, :r] = np.tril(whole[:, :r], -1) + np.eye(r, dtype=int)
        B, (size, by_size) = self.made(whole), self.sizes(1)
        core = inverse(times(turned(B), B))
        P = times(times(B, core), turned(B))
        G = times(times(B, times(core, core)), turned(B))
        return times(times(B, turned(B)), size, scalar=True), times(G, by_size, scalar=True), P


@lru_cache(maxsize=256)
def drawn_matrices(
    A: Alphabet, example: Example, most: int, *, bound: bool = False, copy: int | None = None
) -> tuple[int, Mapping[str, Bounded]]:
    """The dimension, at most `most`, and matrices for all letters that obey their relations, from
    what `MatrixDraws` draws: all copies in floats, with a bound of their rounding errors if
    `bound`, or one `copy` in fractions.
    """
    draw = _Draw(example, most, bound, copy)
    out: dict[str, Bounded] = {}
    for name in A.params:
        size = draw.sizes(1)[0]
        out[name] = times(draw.some(1, 1, 1, 9), size, scalar=True)
    for name in A.vectors:
        out[name] = draw.rows(draw.d, 1)
    for name in A.general:
        out[name] = draw.general()
    for name in A.symmetric:
        out[name] = draw.covariance()
    for a, b in A.inverse:
        out[a], out[b] = draw.pair(a in A.symmetric)
    triples = {P: (S, G) for S, G, P in A.pseudo_inverse}
    for P in A.projectors:
        S, G, out[P] = draw.projected()
        out.update(dict(zip(triples.get(P, ()), (S, G))))
    return draw.d, out
