"""Statements about sequences as properties: a few whole numbers say how the parameters are, how the
sequences go on, and how far they are run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from numerics.counterexamples.drawn.codes import OCTAVE
from numerics.counterexamples.drawn.holds import ROUNDING, Tried
from numerics.counterexamples.drawn.scalars import Codes, decoded
from numerics.evidence import Evidence, Verdict
from numerics.lemmas.sequences.arithmetic import Floats, NoNumber, Rationals
from numerics.lemmas.sequences.asking import Asker
from numerics.lemmas.sequences.forms import SequenceStatement
from numerics.lemmas.sequences.running import Policy, Run
from numerics.lemmas.sequences.search import CANDIDATES, Point, confirmed, continued, told
from numerics.rationals import sympy_rational

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["SequenceProperty"]

#: How far runs go, with and without sequences; and steps of the proof that a run can be continued.
MOST_INDICES, MOST_TERMS, STEPS = 40, 400, 20_000


@dataclass(frozen=True)
class SequenceProperty:
    """A statement about all indices, tried on runs."""

    statement: SequenceStatement

    @property
    def drawn(self) -> Codes:
        return Codes(1 + len(self.statement.parameters) + 2 * len(self.statement.sequences))

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        return "sequences that are run by simple rules, with rational parameters"

    def run_of(self, example: tuple[int, ...]) -> tuple[Point, Policy, int]:
        """The parameters, the rules, and the last index of an example."""
        st, count = self.statement, len(self.statement.parameters)
        far, *rest = example
        point = {x: decoded(st.box[x], c) for x, c in zip(st.parameters, rest[:count])}
        rules: list[Any] = ["upper", "lower", *CANDIDATES]
        rules += [s * q for q in point.values() for s in (1, -1)]
        of = lambda c: rules[abs(c) // (OCTAVE // 8) % len(rules)]
        codes = rest[count:]
        policy = Policy(tuple(map(of, codes[::2])), tuple(map(of, codes[1::2])), sum(codes) % 2 == 1)
        most = MOST_INDICES if st.sequences else MOST_TERMS
        n = min(int(decoded(st.side, abs(far))), st.first + most)
        return point, policy, n

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio of the two sides on the way."""
        point, policy, last = self.run_of(example)
        worst = Tried(math.nan)
        run = Run(self.statement, Floats(), point, policy)
        for n in range(self.statement.first, last + 1):
            try:
                ratio = _ratio(*run.sides(n), self.statement.strict)
            except (NoNumber, OverflowError):
                break
            if not worst.ratio >= ratio:
                worst = Tried(ratio, n)
        return worst

    def exactly(self, example: tuple[int, ...], at: int) -> Evidence:
        st = self.statement
        point, policy, _ = self.run_of(example)
        common: dict[str, Any] = {"engine": "property test", "checked": st.checked}
        asker = Asker(st, STEPS)
        for run in confirmed(st, point, policy, at):
            if continued(st, asker, run, point, policy):
                by = "exact" if isinstance(run.by, Rationals) else "Arb"
                return Evidence(
                    verdict=Verdict.REFUTED, witness=told(st, run, point, at), witness_by=by, **common
                )
        reason = "it was not shown that the statement fails there, on a sequence that meets the hypotheses"
        return Evidence(verdict=Verdict.OPEN, reason=reason, **common)

    def scaled(self, factor: Fraction) -> SequenceProperty:
        st, c = self.statement, sympy_rational(factor)
        checked = rf"\text{{the same with the larger side times }}{factor}:\; {st.checked}"
        big = replace(st.big, value=sp.Mul(c, st.big.value))
        return SequenceProperty(replace(st, big=big, checked=checked))

    def shown(self, example: tuple[int, ...], at: int) -> Mapping[str, Any]:
        point, policy, _ = self.run_of(example)
        run = Run(self.statement, Floats(), point, policy)
        try:
            run.reach(at)
        except (NoNumber, OverflowError):
            return {}
        return told(self.statement, run, point, at)


def _ratio(small: float, big: float, strict: bool) -> float:
    """The smaller side over the larger one; +oo where a sign is on the wrong side."""
    size = abs(small) + abs(big)
    if strict and big - small <= 1e-13 * size:
        return 1 + 2 * ROUNDING if big >= small else math.inf
    if small > 0 and big > 0:
        return small / big
    if small < 0 and big < 0:
        return big / small
    return math.inf if big - small < 0 else 0.0
