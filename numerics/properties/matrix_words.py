"""Equations between matrix words, tried at random matrices of dimension 1 to 4: singular ones,
ill-scaled ones, and such that obey the declared relations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.properties.holds import Tried
from numerics.properties.word_values import Bounded, Inexact, Reading, Stack, inverse, nodes_each, plus, times, turned
from numerics.provers.identities import WordEquation
from theory.symbolic.letters import Alphabet

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["MatrixDraws", "WordIdentity", "drawn_matrices"]

#: Sides that agree to this share of the larger one are equal; elsewhere errors are bounded.
AGREED = 1e-10
#: The bound of rounding errors is of first order, and is trusted up to this factor.
SAFETY = 4.0
#: Nodes of all nested expectations together: the dimension is lowered until there are no more.
MOST_NODES = 300
#: Rows are multiplied by powers of two up to this one where matrices are ill-scaled.
SPREAD = 12
#: Instances of an example, which differ in their entries only.
COPIES = 3

Example = tuple[int, int, int, int]


@dataclass(frozen=True)
class MatrixDraws:
    """What describes random matrices: their dimension less 1, by how much their rank is lowered,
    how far their rows are apart in size, and a seed.
    """

    def strategy(self) -> SearchStrategy[Example]:
        from hypothesis import strategies as st

        return st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, SPREAD), st.integers(0, 9999))


@dataclass(frozen=True, eq=False)
class WordIdentity:
    """A statement of `numerics.provers.trace_identity` at matrices for its letters.

    The ratio of an example is 0 where the sides agree up to rounding; otherwise it is their
    difference over the bound of their rounding errors.

    Parameters
    ----------
    statement : WordEquation
    """

    statement: WordEquation

    @property
    def drawn(self) -> MatrixDraws:
        """All such properties share their examples."""
        return MatrixDraws()

    def strategy(self) -> SearchStrategy[Example]:
        """Descriptions of matrices."""
        return self.drawn.strategy()

    @cached_property
    def _dimension(self) -> int:
        """The highest dimension in which all nodes of the expectations can be taken."""
        nodes = max(nodes_each(w) for w in (self.statement.lhs, self.statement.rhs))
        return next(d for d in (4, 3, 2, 1) if nodes**d <= MOST_NODES or d == 1)

    @property
    def covered(self) -> str:
        """The matrices."""
        return f"matrices of dimension 1 to {self._dimension}, singular and ill-scaled ones too"

    def tried(self, example: Example) -> Tried:
        """The largest difference of the sides over the bound of their rounding errors."""
        (a, _), (b, _) = self._sides(example, bound=False)
        size = np.maximum(*(np.abs(v).max((-1, -2)) for v in (a, b)))
        apart = np.abs(a - b).max((-1, -2))
        if not np.isfinite(apart).any():
            return Tried(float("nan"))
        if (apart <= AGREED * size).all():
            return Tried(0.0, 0)
        (a, e), (b, f) = self._sides(example, bound=True)
        assert e is not None
        assert f is not None
        with np.errstate(all="ignore"):
            ratio = np.nan_to_num(np.broadcast_to(np.abs(a - b) / (SAFETY * (e + f)), (COPIES, *a.shape[-2:])), posinf=1e300)
        worst = ratio.max((-1, -2))
        return Tried(float(worst.max()) if worst.max() > 1 else 0.0, int(worst.argmax()))

    def _sides(self, example: Example, *, bound: bool) -> tuple[Bounded, Bounded]:
        lhs, rhs = self.statement.lhs, self.statement.rhs
        d, matrices = drawn_matrices(lhs.algebra, example, self._dimension, bound=bound)
        reading = Reading(d, exact=False, bound=bound)
        with np.errstate(all="ignore"):
            return reading.of(lhs, matrices), reading.of(rhs, matrices)

    def exactly(self, example: Example, at: int) -> Evidence:
        """The two sides at these matrices with fractions: as they were put together, and where a
        derivative has no exact difference by their normal forms.
        """
        lhs, rhs = self.statement.lhs, self.statement.rhs
        d, matrices = drawn_matrices(lhs.algebra, example, self._dimension, copy=at)
        common: dict[str, Any] = {"engine": "property test", "checked": f"{lhs.written()} = {rhs.written()}"}
        reading = Reading(d, exact=True, bound=False)
        try:
            differ = bool((reading.of(lhs, matrices)[0] != reading.of(rhs, matrices)[0]).any())
        except Inexact as reason:
            values = {n: _sympy(v, n in lhs.algebra.params) for n, (v, _) in matrices.items()}
            differ = lhs.evaluate({**values, "d": d}) != rhs.evaluate({**values, "d": d})
            if not differ:
                return Evidence(verdict=Verdict.OPEN, reason=str(reason), **common)
        if differ:
            return Evidence(verdict=Verdict.REFUTED, witness=self.shown(example, at), witness_by="exact", **common)
        return Evidence(verdict=Verdict.SUPPORTED, covered="one instance", **common)

    def shown(self, example: Example, at: int) -> Mapping[str, Any]:
        """The dimension, and the matrices of the letters that occur."""
        lhs, rhs = self.statement.lhs, self.statement.rhs
        d, matrices = drawn_matrices(lhs.algebra, example, self._dimension, copy=at)
        used = lhs.letters() | rhs.letters() | set(lhs.algebra.params)
        return {"d": d, **{n: str(_sympy(v, n in lhs.algebra.params)) for n, (v, _) in matrices.items() if n in used}}


def _sympy(v: Stack, number: bool) -> Any:
    """Fractions as a matrix of SymPy, or as the number that is its only entry."""
    rows = [[sp.Rational(x.numerator, x.denominator) for x in row] for row in v.tolist()]
    return rows[0][0] if number else rows


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
            self.rows(self.d, max(self.rank, 1)), self.some(max(self.rank, 1), self.d, *((0, 0) if self.rank == 0 else (-3, 3)))
        )

    def covariance(self) -> Bounded:
        """A positive semidefinite matrix."""
        B = self.rows(self.d, max(self.rank, 1))
        if self.rank == 0:
            B = times(B, self.some(1, 1, 0, 0), scalar=True)
        return times(B, turned(B))

    def pair(self, symmetric: bool) -> tuple[Bounded, Bounded]:
        """A matrix and its inverse."""
        M, one = self.some(self.d, self.d), self.made(np.broadcast_to(np.eye(self.d, dtype=int), (COPIES, self.d, self.d)))
        shift = times(one, self.some(1, 1, 1, 1) if symmetric else self.some(1, 1, 3 * self.d + 1, 3 * self.d + 1), scalar=True)
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


@lru_cache(maxsize=8)
def drawn_matrices(
    A: Alphabet, example: Example, most: int, *, bound: bool = False, copy: int | None = None
) -> tuple[int, Mapping[str, Bounded]]:
    """The dimension of an example, and matrices for all letters that obey their relations."""
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
