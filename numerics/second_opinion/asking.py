"""Asks z3 whether a goal can fail. Numbers E and y that belong together by E = exp(y) are loose at
first: where the numbers that z3 finds do not belong together, true bounds of exp near that y are
added, and it is asked again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy as sp
import z3
from flint import arb

from numerics.second_opinion.formulas import Reader, rational
from numerics.second_opinion.goals import Goal, NotAsked
from numerics.second_opinion.values import Undefined, Unknown, ball, false_at, value

__all__ = ["Answer", "ask", "version"]

#: What z3 may spend on one question, in its own units, which do not depend on the clock.
RESOURCES = 1_000_000
ROUNDS = 24
#: All questions of one goal together may cost so many times what one of them may.
QUESTIONS = 4
#: exp(t) Q(t) - P(t) has the sign of (-1)^m t^(2m+1), m = 1, 2, 3: it is that times an integral of
#: something positive (Hermite). P is the list, and Q(t) = P(-t).
PADE = ((2, 1), (12, 6, 1), (120, 60, 12, 1))
#: Numbers are asked for at these distances, later rounds at finer ones.
GRID = (1, 1, 2, 8, 64, 1024)


@dataclass(frozen=True)
class Answer:
    """``confirmed``, ``contradicted`` with a point, or ``unknown`` with a reason; `rounds` counts
    how often bounds of exp had to be added, and `spent` z3's units.
    """

    word: str
    reason: str = ""
    point: dict[str, str] = field(default_factory=dict)
    rounds: int = 0
    spent: int = 0


class _Open(Exception):
    """z3 does not know."""


class _False(Exception):
    """A point breaks the goal."""


def version() -> str:
    return f"z3 {z3.get_version_string()}"


def ask(goal: Goal, resources: int = RESOURCES, order: int | None = None) -> Answer:
    """Whether the goal holds, according to z3. With an `order` of the variables it decomposes space
    by cylinders only, and no part of it looks at a clock; without one, it goes through its
    portfolio. Resources of 0 z3 would take for no limit.
    """
    call = _Call(goal, resources, order)
    word, reason = "confirmed", ""
    try:
        call.run()
    except (_Open, NotAsked, Undefined, Unknown, OverflowError, z3.Z3Exception) as stop:
        word, reason = "unknown", str(stop)
    except _False:
        word = "contradicted"
    return Answer(word, reason, call.point, call.rounds, call.spent)


class _Call:
    def __init__(self, goal: Goal, resources: int, order: int | None = None) -> None:
        self.goal, self.resources, self.order, self.rounds, self.spent = goal, resources, order, 0, 0
        self.point: dict[str, str] = {}
        self.seen: dict[tuple[int, Fraction], int] = {}

    def run(self) -> None:
        self.ctx = z3.Context()
        self.reader = reader = Reader(self.goal, self.ctx)
        given, plain = [], []
        for a, op, b in self.goal.given:
            formula, needs = reader.relation(a, op, b)
            given += [*needs, formula]
            plain.append(formula)
        bases = list(reader.bases)
        _, needs = reader.relation(self.goal.lhs, self.goal.op, self.goal.rhs)
        put = {a: b for a, op, b in self.goal.given if op == "==" and a.is_Symbol and a not in b.free_symbols}
        put = put if len(put) == 1 else {}
        formula, more = reader.relation(
            self.goal.lhs.xreplace(put), self.goal.op, self.goal.rhs.xreplace(put)
        )
        needs += more
        bases = bases if self.goal.defined else reader.bases
        for e, c in reader.constants.items():
            if e.is_number:
                low, high = _ends(ball(value(e, {})))
                reader.facts += [c >= rational(low, self.ctx), c <= rational(high, self.ctx)]
        # What SymPy took for the same: no fact so far leans on that, and those below do.
        for a, b in reader.same:
            equal, needed = reader.relation(a, "==", b)
            self._refute([*given, *needed], z3.Not(equal), learns=False)
        reader.pair_split()
        for y, E, where in reader.pairs:
            reader.facts += [z3.Implies(where, z3.And(1 + y <= E, (1 - y) * E <= 1))]
        for needed, positive in bases:
            if self._check([*needed, z3.Not(positive)]) != "unsat":
                raise NotAsked("a power of what may not be positive")
        for need in needs:
            if self.goal.defined:
                self._refute(given, z3.Not(need))
            given.append(need)
        self._refute(given, z3.Not(formula))
        if len(given) > len(plain) and self._check(given) == "unsat" and self._check(plain) != "unsat":
            raise _Open("what is needed holds nowhere")

    def _check(self, formulas: list[Any]) -> str:
        return self._solved(formulas)[1]

    def _solved(self, formulas: list[Any]) -> tuple[Any, str]:
        if self.order is None:
            solver = z3.SolverFor("QF_NRA", ctx=self.ctx)
        elif self.spent > QUESTIONS * self.resources:
            raise _Open("the resources are spent")
        else:
            cells = z3.Tactic("qfnra-nlsat", ctx=self.ctx)
            solver = z3.With(cells, variable_ordering_strategy=self.order).solver()
        solver.set("rlimit", self.resources)
        solver.add(*self.reader.facts, *formulas)
        answer = str(solver.check())
        self.spent += next((int(v) for k, v in _statistics(solver) if k == "rlimit count"), 0)
        return solver, answer

    def _refute(self, given: list[Any], negated: Any, learns: bool = True) -> None:
        """Show that nothing meets all this."""
        for n in range(ROUNDS):
            solver, found = self._solved([*given, negated])
            if found == "unsat":
                return
            if found == "unknown":
                raise _Open(f"z3 gives up: {solver.reason_unknown()}")
            if not (learns and self._learnt(solver.model(), n)):
                raise _Open("z3 finds a point that could not be checked")
            self.rounds += 1
        raise _Open(f"{ROUNDS} rounds of bounds of exp did not decide it")

    def _learnt(self, model: Any, n: int) -> bool:
        """Whether something was learnt from what z3 found, which is no counterexample."""
        at = lambda x: _fraction(model.eval(x, model_completion=True))
        for size in (10, 1000, 10**12):
            point = {s: at(x).limit_denominator(size) for s, x in self.reader.variables.items()}
            if false_at(self.goal, point):
                self.point = {str(s): str(q) for s, q in point.items()}
                raise _False
        old = len(self.reader.facts)
        for x in self.reader.whole:
            if (q := at(x)).denominator > 1:
                low = rational(Fraction(math.floor(q)), self.ctx)
                self.reader.facts.append(z3.Or(x <= low, x >= low + 1))
        pairs = [p for p in self.reader.pairs if not z3.is_false(model.eval(p[2], model_completion=True))]
        values = [(at(y), at(E)) for y, E, _ in pairs]
        for (one, (v, e)), (other, (w, f)) in itertools.permutations(zip(pairs, values), 2):
            if f > 0 and e < f * (1 + v - w) * (1 - Fraction(1, 10**20)):  # exp lies above its tangents
                self.reader.facts.append(
                    z3.Implies(z3.And(one[2], other[2]), one[1] >= other[1] * (1 + one[0] - other[0]))
                )
        if len(self.reader.facts) > old:
            return True
        for i, ((y, E, where), (v, e)) in enumerate(zip(pairs, values)):
            if e > 0 and abs(float(v) - math.log(e.numerator) + math.log(e.denominator)) < 1e-11 * (
                1 + abs(v)
            ):
                continue
            grid = GRID[min(n // 2, len(GRID) - 1)]
            centre = max(Fraction(-80), min(Fraction(80), Fraction(round(v * grid), grid)))
            self.reader.facts += [
                z3.Implies(where, f) for f in self._bounds(i, y, E, Fraction(0) if n == 0 else centre)
            ]
        return len(self.reader.facts) > old

    def _bounds(self, i: int, y: Any, E: Any, c: Fraction) -> Iterator[Any]:
        """True bounds of E = exp(y), which are near for y near c; each time more of them."""
        level = self.seen.get((i, c), 0)
        self.seen[i, c] = level + 1
        t, F = y - rational(c, self.ctx), E
        if c:
            power = value(sp.exp(-sp.Rational(c.numerator, c.denominator)), {})
            low, high = (rational(q, self.ctx) for q in _ends(ball(power)))
            F = self.reader.fresh()
            yield z3.And(low * E <= F, high * E >= F)
        if level == 0:
            yield z3.And(1 + t <= F, (1 - t) * F <= 1)
        for m in (1, 2) if level == 0 else (3,) if level == 1 else ():
            P, Q = (sum(k * s**j * _power(t, j) for j, k in enumerate(PADE[m - 1])) for s in (1, -1))
            above, below = (Q * F <= P, Q * F >= P)[:: 1 if m % 2 else -1]
            yield z3.And(z3.Implies(t >= 0, above), z3.Implies(t <= 0, below))
        if level in (1, 2):
            taylor = lambda u: sum(_power(u, j) / math.factorial(j) for j in range(5 if level == 1 else 9))
            yield z3.And(z3.Implies(t >= 0, taylor(t) <= F), z3.Implies(t <= 0, F * taylor(-t) <= 1))


def _power(t: Any, n: int) -> Any:
    out = t * 0 + 1
    for _ in range(n):
        out = out * t
    return out


def _statistics(solver: Any) -> Iterator[tuple[str, Any]]:
    statistics = solver.statistics()
    return ((statistics[i][0], statistics[i][1]) for i in range(len(statistics)))


def _fraction(v: Any) -> Fraction:
    v = v if z3.is_rational_value(v) else v.approx(30)
    return Fraction(v.numerator_as_long(), v.denominator_as_long())


def _ends(x: arb) -> tuple[Fraction, Fraction]:
    """Rational numbers below and above a ball."""
    ends = []
    for end, up in ((x.lower(), False), (x.upper(), True)):
        mantissa, exponent = end.man_exp()
        q = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        scale = Fraction(2) ** (60 - (abs(q.numerator).bit_length() - q.denominator.bit_length()))
        ends.append((math.ceil if up else math.floor)(q * scale) / scale)
    return ends[0], ends[1]
