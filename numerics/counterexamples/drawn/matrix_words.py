"""Equations between matrix words, tried at random matrices of dimension 1 to 4: singular ones,
ill-scaled ones, and such that obey the declared relations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from numerics.counterexamples.drawn.climb import by_kind
from numerics.counterexamples.drawn.equations.drawn_matrices import (
    COPIES,
    Example,
    MatrixDraws,
    drawn_matrices,
)
from numerics.counterexamples.drawn.equations.matrix_arithmetic import Bounded, Inexact, Stack
from numerics.counterexamples.drawn.equations.word_values import Reading, nodes_each
from numerics.counterexamples.drawn.holds import Tried
from numerics.evidence import Evidence, Verdict
from numerics.provers.identities import WordEquation

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["WordIdentity"]

#: Sides that agree to this share of the larger one are equal; elsewhere errors are bounded.
AGREED = 1e-10
#: The bound of rounding errors is of first order, and is trusted up to this factor.
SAFETY = 4.0
#: Nodes of all nested expectations together: the dimension is lowered until there are no more.
MOST_NODES = 300


@dataclass(frozen=True, eq=False)
class WordIdentity:
    """A statement of `numerics.provers.trace_identity` at matrices for its letters. The ratio of an
    example is 0 where the sides agree up to rounding; otherwise it is their difference over the
    bound of their rounding errors.
    """

    statement: WordEquation

    @property
    def drawn(self) -> MatrixDraws:
        return MatrixDraws()

    def strategy(self) -> SearchStrategy[Example]:
        return self.drawn.strategy()

    @cached_property
    def _dimension(self) -> int:
        """The highest dimension in which all nodes of the expectations can be taken."""
        nodes = max(nodes_each(w) for w in (self.statement.lhs, self.statement.rhs))
        return next(d for d in (4, 3, 2, 1) if nodes**d <= MOST_NODES or d == 1)

    @property
    def covered(self) -> str:
        return f"matrices of dimension 1 to {self._dimension}, singular and ill-scaled ones too"

    def tried(self, example: Example) -> Tried:
        """The largest difference of the sides over the bound of their rounding errors."""
        return self.tried_together([example])[0]

    def tried_together(self, examples: Sequence[Example]) -> list[Tried]:
        """The same for several examples, of which those of one dimension are evaluated at once."""
        return by_kind(
            lambda example: min(1 + example[0], self._dimension), lambda d, some: self._alike(some), examples
        )

    def _alike(self, examples: Sequence[Example]) -> list[Tried]:
        """The same for examples of one dimension."""
        (a, _), (b, _) = self._sides(examples, bound=False)
        several = lambda v: np.broadcast_to(v, (len(examples) * COPIES, *v.shape[-2:])).reshape(
            len(examples), COPIES, -1
        )
        a, b = several(a), several(b)
        with np.errstate(all="ignore"):
            size, apart = np.maximum(np.abs(a).max(2), np.abs(b).max(2)), np.abs(a - b).max(2)
        known, agreed = np.isfinite(apart).any(1), (apart <= AGREED * size).all(1)
        return [
            Tried(float("nan")) if not known[i] else Tried(0.0, 0) if agreed[i] else self._compared(example)
            for i, example in enumerate(examples)
        ]

    def _compared(self, example: Example) -> Tried:
        """The difference of the sides over the bound of their rounding errors."""
        (a, e), (b, f) = self._sides([example], bound=True)
        assert e is not None
        assert f is not None
        with np.errstate(all="ignore"):
            known = np.isfinite(a - b + e + f).all((-1, -2))
            ratio = np.nan_to_num(
                np.broadcast_to(np.abs(a - b) / (SAFETY * (e + f)), (COPIES, *a.shape[-2:])), posinf=1e300
            )
        worst = ratio.max((-1, -2))
        if not known.any() and worst.max() <= 1:
            return Tried(float("nan"))
        return Tried(float(worst.max()) if worst.max() > 1 else 0.0, int(worst.argmax()))

    def _sides(self, examples: Sequence[Example], *, bound: bool) -> tuple[Bounded, Bounded]:
        """Both sides at the copies of all examples, which have one dimension."""
        lhs, rhs = self.statement.lhs, self.statement.rhs
        drawn = [drawn_matrices(lhs.algebra, example, self._dimension, bound=bound) for example in examples]
        matrices = {name: _joined([at[name] for _, at in drawn]) for name in drawn[0][1]}
        reading = Reading(drawn[0][0], exact=False, bound=bound)
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
            return Evidence(
                verdict=Verdict.REFUTED, witness=self.shown(example, at), witness_by="exact", **common
            )
        return Evidence(verdict=Verdict.SUPPORTED, covered="one instance", **common)

    def shown(self, example: Example, at: int) -> Mapping[str, Any]:
        """The dimension, and the matrices of the letters that occur."""
        lhs, rhs = self.statement.lhs, self.statement.rhs
        d, matrices = drawn_matrices(lhs.algebra, example, self._dimension, copy=at)
        used = lhs.letters() | rhs.letters() | set(lhs.algebra.params)
        return {
            "d": d,
            **{n: str(_sympy(v, n in lhs.algebra.params)) for n, (v, _) in matrices.items() if n in used},
        }


def _joined(stacks: Sequence[Bounded]) -> Bounded:
    """Stacks of matrices, one after another, with their bounds."""
    if len(stacks) == 1:
        return stacks[0]
    bounds = [e for _, e in stacks if e is not None]
    return np.concatenate([v for v, _ in stacks]), np.concatenate(bounds) if bounds else None


def _sympy(v: Stack, number: bool) -> Any:
    """Fractions as a matrix of SymPy, or as the number that is its only entry."""
    rows = [[sp.Rational(x.numerator, x.denominator) for x in row] for row in v.tolist()]
    return rows[0][0] if number else rows
