"""Wrong versions of the rules for signs of derivatives, each with a false statement that the right
rules do not prove.
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

x, u = sp.Symbol("x", positive=True), sp.Symbol("u", real=True)
RAY, LINE = {x: Axis(Fraction(0))}, {u: Axis()}


def _false(lhs: Any, op: str, rhs: Any, at: Any, axes: Any, where: Any = (), touches: bool = False) -> Any:
    """A statement in one variable that fails at a number, as a family of one."""
    return lambda rng: Inequality(
        lhs, op, rhs, axes, where=where, hints=[[number(sp.Rational(at))]], touches=touches
    )


#: Rises up to 0 and from 3 on, and falls between; positive at -1/10, negative at 3.
VALLEY = -sp.Rational(9, 10) - sp.exp(-u) * (u**2 - u - 1)

FALSE: dict[str, Callable[[random.Random], Inequality]] = {
    "equal at the base": _false(sp.log(x), "<", x - 1, 1, RAY, touches=True),
    "a jump": _false(-1, "<=", sp.atan(1 / u), "-1/2", {u: Axis(Fraction(-1), Fraction(1))}, [(u, "!=", 0)]),
    "a valley between hypotheses": _false(
        0, "<=", VALLEY, 3, {u: Axis(Fraction(-1, 10), Fraction(5))}, [(u * (u - 3), ">=", 0)]
    ),
    "a limit below 0": _false(x + sp.Rational(1, 10), "<=", sp.sqrt(x**2 + 1), 100, RAY),
    "below 0 at the start": _false(sp.log(1 + x), "<=", x - sp.Rational(1, 10), "1/100", RAY),
    "the other way": _false(1, "<=", sp.exp(-x), 1, RAY),
    "a hair too much": _false(x * sp.exp(1 - x), "<=", 1 - sp.Rational(1, 10**12), 1, RAY),
    "constant": _false(1, "<", sp.sin(x) ** 2 + sp.cos(x) ** 2, 1, RAY, touches=True),
}

MUTATIONS = mutations(
    "no base is attained; statements.derivative:_Side.attained; equal at the base; 0",
    lambda right: property(lambda self: False),
    "all is smooth; statements.derivative:_Side.smooth; a jump; 0",
    lambda right: lambda self, e: [],
    "hypotheses hold on every segment; statements.derivative:_Side._stays; a valley between hypotheses; 0",
    lambda right: lambda self, g, strict: True,
    "what is not known tends to 0; statements.derivative:limit; a limit below 0; 0",
    lambda right: lambda e, x: sp.S.Zero if (found := right(e, x)) is None else found,
    "bases are not looked at; statements.derivative:_Side.base; below 0 at the start; 0",
    lambda right: lambda self, strict: [],
    "slopes point the other way; statements.derivative:_Side.slope; the other way; 0",
    lambda right: lambda self, d, strict: right(self, -d, strict),
    "slopes need not be positive; statements.derivative:_Side.slope; constant; 0",
    lambda right: lambda self, d, strict: right(self, d, False),
    "parts are proved; statements.strategy:Proof.together; a hair too much; 0",
    lambda right: lambda self, depth, tasks, words: setattr(self, "engine", "derivatives") or True,
    effort=300_000,
)
