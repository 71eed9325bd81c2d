"""Wrong versions of the rules for combinations of hypotheses and for what stands for letters, each
with a false statement that the right rules do not prove.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy as sp

from tests.numerics.provers.soundness.case import Inequality
from tests.numerics.provers.soundness.mutations.planting import mutations
from tests.numerics.provers.soundness.search import Axis
from tests.numerics.provers.soundness.values import number

__all__ = ["FALSE", "MUTATIONS"]

x, y = sp.symbols("x y", real=True)
LINES, RAY = {x: Axis(), y: Axis()}, {x: Axis(Fraction(0), None, True), y: Axis()}
ABOVE_1 = [(x, ">=", 1), (y, ">=", 1)]


def _false(
    lhs: Any,
    op: str,
    rhs: Any,
    at: tuple[int, int],
    where: Any = (),
    axes: Any = LINES,
    touches: bool = False,
) -> Any:
    """A statement that fails at a point, or where the point has no value, as a family of one."""
    hints = [[number(a) for a in at]]
    return lambda rng: Inequality(lhs, op, rhs, axes, where=where, hints=hints, touches=touches)


FALSE: dict[str, Callable[[random.Random], Inequality]] = {
    "no less than": _false(x * y, ">", 1, (1, 1), ABOVE_1),
    "no more than": _false(x * y, "<=", 1, (2, 1), ABOVE_1),
    "a quotient": _false(x / y, ">", 0, (1, -1), [(x, ">=", 1), (y, "!=", 0)]),
    "a root of 0": _false(y, ">=", 0, (0, -1), [(sp.sqrt(x * y), ">=", -1)], RAY),
    "an absolute value": _false(x * y, ">=", 1, (-1, 1), [(sp.Abs(x), ">=", 1), (y, ">=", 1)]),
    "a tangent": _false(sp.exp(x), "<=", sp.exp(y) * (1 + x - y), (1, 0)),
    "a point of contact": _false(sp.exp(x), ">", sp.exp(y) * (1 + x - y), (1, 1), touches=True),
    "a root of a difference": _false(sp.sqrt(x - y), ">=", 0, (0, 1)),
    "3.145 of pi": _false(sp.pi * x + y, ">=", sp.Rational(829, 200), (1, 1), ABOVE_1),
}  # fmt: skip


def _already_known(holds: Callable[..., bool]) -> Callable[..., bool]:
    def rule(self: Any, g: sp.Expr, kind: str, signs: Any) -> bool:
        self.known.append((g, kind != ">="))
        return holds(self, g, kind, signs)

    return rule


def _facts(change: Callable[[sp.Expr, bool], tuple[sp.Expr, bool]]) -> Any:
    return lambda right: lambda self, facts=(): (change(g, strict) for g, strict in right(self, facts))


_opposite = lambda facts: [f for g, strict in facts for f in ((g, strict), (-g, False))]

MUTATIONS = mutations(
    "a factor is positive; exact.certificates:Reader._positive; a quotient; 0",
    lambda right: lambda self, p: right(self, p) or p == self.symbols[-1],
    "the goal is not asked to be strict; exact.consequences:consequence; no less than; 0",
    lambda right: lambda goal, facts: right((goal[0], False), facts),
    "hypotheses are taken for strict; exact.consequences:consequence; no less than; 0",
    lambda right: lambda goal, facts: right(goal, [(g, True) for g, _ in facts]),
    "hypotheses are taken for equations; exact.consequences:consequence; no more than; 0",
    lambda right: lambda goal, facts: right(goal, _opposite(facts)),
    "what is under a root is positive; exact.opaque:Opaque._sure; a root of 0; 0",
    lambda right: lambda self, e, strict=False: True,
    "an absolute value is its argument; exact.opaque:Opaque._known; an absolute value; 0",
    lambda right: lambda self, e, letter: _opposite(right(self, e, letter)),
    "tangents lie on the other side; exact.opaque:Opaque.compared; a tangent; 0",
    _facts(lambda g, strict: (-g, strict)),
    "arguments always differ; exact.opaque:Opaque.compared; a point of contact; 0",
    _facts(lambda g, _: (g, True)),
    "pi is above 3.15; exact.opaque:CONSTANTS; 3.145 of pi; 0",
    lambda right: {**right, sp.pi: (sp.Rational(63, 20), sp.Rational(16, 5))},
    "what is to be shown is known; inequalities:_Run.holds; a root of a difference; 0",
    _already_known,
    effort=300_000,
)
