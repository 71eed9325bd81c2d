"""A statement about matrices as a property test tries it, at the numbers of which matrices are
made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.counterexamples.drawn.codes import OCTAVE
from numerics.counterexamples.drawn.holds import ROUNDING, Tried
from numerics.counterexamples.drawn.scalars import Codes
from numerics.evidence import Evidence, Verdict
from numerics.lemmas.matrices.comparisons import Comparison
from numerics.lemmas.matrices.draws import CLEAR, Search
from numerics.lemmas.matrices.exact import seen
from numerics.lemmas.matrices.witness import At, named
from numerics.rationals import sympy_rational

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


__all__ = ["MatrixProperty"]

#: How far an example climbs.
ROUNDS = 16


@dataclass(frozen=True, eq=False)
class MatrixProperty:
    """A statement of a known size; an example is a code for each number."""

    search: Search

    @property
    def drawn(self) -> Codes:
        return Codes(max(1, self.search.count))

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        sizes = {f"{m} of size {m.shape[0]} x {m.shape[1]}" for m in self.search.st.matrices}
        return f"rational matrices ({', '.join(sorted(sizes))})"

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio on a short climb from the example."""
        row = np.array([[_number(c) for c in example[: self.search.count]]])
        gaps = self.search.gaps(row)
        if np.isfinite(gaps[0]) and not self._fails(gaps[0]):
            row, gaps = self.search.climbed(row, gaps, rounds=ROUNDS)
        return Tried(self._ratio(float(gaps[0])), tuple(row[0].tolist()))

    def _fails(self, gap: float) -> bool:
        return gap < (CLEAR if self.search.st.goal.strict else -CLEAR)

    def _ratio(self, gap: float) -> float:
        """The smaller side over the larger one, from their relative gap."""
        if not np.isfinite(gap):
            return -np.inf
        if self._fails(gap):
            return max((1 - gap) / (1 + gap), 1 + 2 * ROUNDING) if gap > -1 else 1e300
        goal = self.search.st.goal
        return 0.0 if goal.matrices or not goal.ordered else min(1.0, (1 - gap) / (1 + gap))

    def _point(self, at: tuple[float, ...]) -> At:
        return self.search.exactly(np.array(at))

    def exactly(self, example: tuple[int, ...], at: tuple[float, ...]) -> Evidence:
        st, point = self.search.st, self._point(at)
        met, said = seen(st, point)
        common: dict[str, Any] = {"engine": "property test", "checked": st.checked}
        if met and said.holds is False:
            return Evidence(
                verdict=Verdict.REFUTED, witness=named(st, point, said), witness_by=said.by, **common
            )
        if not met or said.holds:
            why = "" if met else "the point does not meet the hypotheses"
            return Evidence(verdict=Verdict.SUPPORTED, covered="one point", vacuous=why, **common)
        return Evidence(
            verdict=Verdict.OPEN, reason="neither side could be shown to be the larger one", **common
        )

    def shown(self, example: tuple[int, ...], at: tuple[float, ...]) -> Mapping[str, Any]:
        st, point = self.search.st, self._point(at)
        return named(st, point, seen(st, point)[1])

    def scaled(self, factor: Fraction) -> MatrixProperty:
        """The same statement with its larger side multiplied."""
        st = self.search.st
        c = st.goal
        q = sympy_rational(factor)
        sides = (c.lhs, q * c.rhs) if c.big is c.rhs else (q * c.lhs, c.rhs)
        checked = rf"\text{{the same with the larger side times }}{factor}:\; {st.checked}"
        return replace(
            self, search=Search(replace(st, goal=Comparison(sides[0], c.op, sides[1]), checked=checked))
        )


def _number(code: int) -> float:
    """The number of a code: 0 for small codes, then whole numbers and quarters on a logarithmic
    scale of both signs.
    """
    octave, step = divmod(abs(code), 4 * OCTAVE)
    size = np.ldexp(1 + step / (4 * OCTAVE), octave) - 1
    near = round(size) if size < 4 or abs(code) % 2 else round(4 * size) / 4
    return float(np.sign(code) * near)
