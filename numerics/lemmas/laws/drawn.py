"""A bound on samples of every law as a property that examples try: an example is a law on few
atoms, with the parameters put where events begin for the worst sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.counterexamples.drawn.codes import MOST
from numerics.counterexamples.drawn.holds import Tried
from numerics.counterexamples.drawn.scalars import Codes
from numerics.evidence import Evidence, Verdict
from numerics.lemmas.laws.batch import samples_of, score
from numerics.lemmas.laws.search import WORTH, Judged, shown, simplest
from numerics.lemmas.laws.space import Points, Space, spaces
from numerics.lemmas.laws.statement import LawStatement
from numerics.provers.statements.floating_point import Array
from numerics.rationals import sympy_rational

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["SampledLaws"]

#: An example climbs by these steps, so often.
STEPS, ROUNDS = (0.3, -0.3, 0.1, -0.1, 0.03, -0.03, 0.01, -0.01), 12
#: Ratios are not told above this.
LARGEST = 1e6


@dataclass(frozen=True, eq=False)
class SampledLaws:
    """The statement at laws whose atoms, weights and parameters are drawn."""

    statement: LawStatement

    @cached_property
    def spaces(self) -> list[Space]:
        return list(spaces(self.statement))

    @property
    def drawn(self) -> Codes:
        return Codes(1 + max(s.dimension for s in self.spaces))

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        return "laws on two or three atoms, and samples of up to 20 variables, every one enumerated"

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio on short climbs from a law, and from one without extreme weights and
        parameters; over all samples for which an event may begin.
        """
        space = self.spaces[abs(example[0]) % len(self.spaces)]
        u = (np.array(example[1 : 1 + space.dimension], dtype=float) + MOST) / (2 * MOST)
        low, high = np.array(space.cubes[-1]).T
        ends = [self._everywhere(space, self._climbed(space, v)) for v in (u, low + (high - low) * u)]
        top, point = max(ends, key=lambda found: found[0])
        ratio = np.nan if top < -1.5 else LARGEST if top > 1 - 2 / LARGEST else (1 + top) / (1 - top)
        if self.statement.strict and -WORTH < top <= WORTH:
            ratio = 1.001  # equal sides break it
        return Tried(float(ratio), (space, point))

    @staticmethod
    def _climbed(space: Space, u: Array) -> Array:
        """The best place on a short climb from a point of the cube, one number at a time."""
        steps = np.vstack([np.zeros((1, len(u))), np.kron(np.eye(len(u)), np.array(STEPS)[:, None])])
        for _ in range(ROUNDS):
            around = np.clip(u + steps, 0.0, 1.0)
            scores = score(space.batch(space.points(around.T)))
            best = int(scores.argmax())
            if not scores[best] > scores[0] + 1e-9:
                break
            u = around[best]
        return u

    @staticmethod
    def _everywhere(space: Space, u: Array) -> tuple[float, Points]:
        """The worst score of a law over all samples for which an event may begin, and where."""
        one, samples = space.points(u[:, None]), len(samples_of(space.size, space.kinds)[0])
        begins = [range(-1, len(gaps) * samples) for _, gaps in space.thresholds]
        number = max(map(len, begins), default=1)
        jumps = np.array([[e[i % len(e)] for e in begins] for i in range(number)], dtype=int)
        atoms, free, parameters = (np.repeat(a, number, 0) for a in (one.atoms, one.free, one.parameters))
        many = Points(atoms, free, parameters, jumps.reshape(number, len(begins)))
        scores = score(space.batch(many))
        return float(scores.max()), many.at(int(scores.argmax()))

    def _judged(self, at: tuple[Space, Points]) -> Judged | None:
        space, point = at
        space = replace(space, st=self.statement)
        return simplest(space, point, -1e-9 if self.statement.strict else WORTH)[0]

    def exactly(self, example: tuple[int, ...], at: tuple[Space, Points]) -> Evidence:
        common: dict[str, Any] = {"engine": "property test", "checked": self.statement.checked}
        found = self._judged(at)
        if found is None:
            why = "no rational law near it surely meets the hypotheses"
            return Evidence(verdict=Verdict.SUPPORTED, covered="no law", vacuous=why, **common)
        if found.fails:
            by = "exact" if found.exact else "Arb"
            return Evidence(
                verdict=Verdict.REFUTED, witness=shown(self.statement, found), witness_by=by, **common
            )
        if found.gap is None:
            return Evidence(verdict=Verdict.OPEN, reason="the two sides were not told apart", **common)
        return Evidence(verdict=Verdict.SUPPORTED, covered="one law", **common)

    def scaled(self, factor: Fraction) -> SampledLaws:
        st = self.statement
        big = replace(st.big, value=sympy_rational(factor) * st.big.value)
        checked = rf"\text{{the same with the larger side times }}{factor}:\; {st.checked}"
        return SampledLaws(replace(st, big=big, checked=checked))

    def shown(self, example: tuple[int, ...], at: tuple[Space, Points]) -> Mapping[str, Any]:
        found = self._judged(at)
        return {} if found is None else shown(self.statement, found)
