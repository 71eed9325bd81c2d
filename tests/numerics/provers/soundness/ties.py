"""Exact numbers within 1e-9 to 1e-400 of a tie, or on it, known without asking SymPy."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp

from numerics.provers import forall, identity, integral, integral_evidence
from tests.numerics.provers.soundness.case import accepted
from tests.numerics.provers.soundness.drawing import drawn

__all__ = ["FAMILIES", "Constant"]

R = sp.Rational
X, P = sp.Symbol("x", real=True), sp.Symbol("p", positive=True)
K = sp.Symbol("k", integer=True)


@dataclass
class Constant:
    """``lhs op rhs`` of known truth: "==" for `identity`, an inequality for `forall` over `domain`,
    "ball" for `integral`, "area <" for its comparison over the unit interval.
    """

    lhs: Any
    op: str
    rhs: Any
    true: bool
    domain: Any = None

    def ask(self, effort: int) -> Any:
        if self.op == "==":
            return identity(self.lhs, self.rhs)
        if self.op == "ball":
            return integral(self.lhs, X, (0, 1))
        if self.op == "area <":
            return integral_evidence(self.lhs, X, (0, 1), "<", self.rhs)
        return forall(self.lhs, self.op, self.rhs, self.domain or {}, effort=effort)

    def fault(self, answer: Any, rng: random.Random) -> str:
        if self.op == "ball":
            return "" if answer.contains(int(self.rhs)) else f"{answer} does not contain {self.rhs}: {self}"
        if accepted(answer) and not self.true:
            return f"{answer.verdict.value} by {answer.engine}, but it is false: {self}"
        wrong = answer.verdict.value == "REFUTED" and self.true
        return f"REFUTED at {dict(answer.witness)}, but it is true: {self}" if wrong else ""

    def __str__(self) -> str:
        # in order, SymPy would evaluate the terms
        lhs, rhs = (sp.sstr(e, order="none") for e in (self.lhs, self.rhs))
        return f"{lhs} {self.op} {rhs} on {self.domain}, which is {self.true}"


#: A number, a rational one nearby, and the sign of their difference.
Near = tuple[sp.Expr, sp.Rational, int]


_UNITS = "u + v*root, 2*u, -s; s/(u - v*root), 2*u, -s; v*root, u, -s; u - v*root, 0, s"


def _unit(rng: random.Random) -> Near:
    """A power of a unit a + b sqrt(D) of norm s is 2 a less its conjugate, which is s over it."""
    D, a, b = rng.choice(
        ((2, 1, 1), (3, 2, 1), (5, 2, 1), (6, 5, 2), (7, 8, 3), (10, 3, 1), (13, 18, 5), (29, 70, 13))
    )
    u, v = a, b
    for _ in range(rng.randint(3, 60)):
        u, v = u * a + v * b * D, u * b + v * a
        if u > 10**40:
            break
    s, root = u * u - D * v * v, sp.sqrt(D)
    with sp.evaluate(rng.random() < 0.5):
        e, n, sign = drawn(rng, _UNITS, u=u, v=v, s=s, root=root)
    return sp.sympify(e), sp.Integer(n), int(sign)


def _root(rng: random.Random) -> Near:
    q, n, s = rng.choice((2, 2, 3, 5)), rng.randint(10**4, 10 ** rng.randint(5, 30)), rng.choice((1, -1))
    try:
        if rng.random() < 0.5:
            return sp.Integer(n**q + s) ** R(1, q), sp.Integer(n), s
        return 1 / (s * (sp.sqrt(n * n + s) - n)), sp.Integer(2 * n), s  # s (sqrt(n^2 + s) + n) s
    except ValueError:  # SymPy 1.14 cannot take roots of some products of close numbers (its issue 28621)
        return _root(rng)


def _denested(rng: random.Random) -> Near:
    """A nested root, which is a sum of roots, and a small number beside it."""
    p, q = rng.sample((2, 3, 5, 6, 7, 10, 11), 2)
    k = rng.choice((0, 9, 20, 40, 400))
    s = 0 if k == 0 else rng.choice((1, -1))
    e = sp.sqrt(p + q + 2 * sp.sqrt(p * q)) - sp.sqrt(p) - sp.sqrt(q)
    if rng.random() < 0.3:
        # cbrt(n + sqrt(n^2 + 1)) - cbrt(sqrt(n^2 + 1) - n) solves t^3 + 3 t = 2 n
        n = rng.choice((2, 4, 11, 4 * 19))
        t = {2: 1, 4: None, 11: None, 76: 4}[n]
        r = sp.sqrt(n * n + 1)
        if t and t**3 + 3 * t == 2 * n:
            e = sp.cbrt(n + r) - sp.cbrt(r - n) - t
    n = rng.randint(-3, 3)
    return e + n + s * R(1, 10 ** (k or 1)), sp.Integer(n), s


_DECIMALS = """
pi, +m.pi; E, +m.e; log(2), m.log(2); exp(pi*sqrt(163)), m.exp(m.pi*m.sqrt(163));
gamma(R(1, 3)), m.gamma(m.mpf(1)/3); EulerGamma, +m.euler; erf(2), m.erf(2)
"""


def _decimal(rng: random.Random) -> Near:
    """A transcendental number and its decimals, which are below it, or the next ones above."""
    with mpmath.workdps(120):
        e, value = drawn(rng, _DECIMALS, m=mpmath)
        k, up = rng.randint(0 if e.has(163) else 9, 40), rng.random() < 0.5
        below = int(mpmath.floor(value * 10**k))
    return e, R(below + up, 10**k), -1 if up else 1


_SUMS = """
acos(R(a, c)) + acos(R(b, c)) - pi/2; asin(R(a, c)) - acos(R(b, c));
atan(R(1, m)) + atan(R(m - 1, m + 1)) - pi/4; log(m + sqrt(m*m - 1)) - acosh(m);
log(m*n) - log(m) - log(n); 4*atan(R(1, 5)) - atan(R(1, 239)) - pi/4
"""


def _logarithm(rng: random.Random) -> Near:
    """Logarithms and angles that add up, and a small number beside them."""
    a, b, c = rng.choice(((3, 4, 5), (5, 12, 13), (8, 15, 17), (20, 21, 29)))
    m, n = rng.randint(2, 30), rng.randint(2, 30)
    (e,) = drawn(rng, _SUMS, a=a, b=b, c=c, m=m, n=n)
    k = rng.choice((0, 0, 12, 40, 400))
    s = 0 if k == 0 else rng.choice((1, -1))
    return e + s * R(1, 10 ** (k or 1)), sp.Integer(0), s


#: What is asked of u, which is s beside n, and whether it is true; u is `whole` and a fraction.
_WHOLE = """
floor(u, evaluate=False), "==", k[0], k[0] == whole;
K + floor(u, evaluate=False), "==", K + k[1], k[1] == whole;
ceiling(u, evaluate=False), "==", k[2], k[2] == whole + (not n.is_integer or s != 0);
floor(u, evaluate=False) + X**2, "==", k[3] + X**2, k[3] == whole;
floor(u, evaluate=False) + 0*X, "ball", whole, True;
floor(u, evaluate=False)*2*X, "area <", k[4] + R(1, 2), whole <= k[4];
frac(u, evaluate=False), "==", u - k[5], k[5] == whole
"""
_ORDER = """
Max(u, n, evaluate=False), "==", n, s <= 0; Min(u, n, evaluate=False), "==", u, s <= 0;
Max(X + u, X + n, evaluate=False), "==", X + n, s <= 0;
Abs(gap, evaluate=False), "==", side*u - side*n, side*s >= 0;
sign(gap, evaluate=False) + X, "==", X + side, s == side;
Pow(Pow(gap, 2, evaluate=False), R(1, 2), evaluate=False), "==", side*u - side*n, side*s >= 0;
u, "==", n, s == 0; u, op, n, truth; P*u, op, P*n, truth, unit;
P*(u - n) + side*P**2, ">=" if side > 0 else "<=", 0, side*s >= 0, {P: (0, oo)};
Max(P + u, P + n, evaluate=False), "<=", P + n, s <= 0, unit;
Min(P*u, P*n, evaluate=False), ">=", P*n, s >= 0, unit;
Abs(gap, evaluate=False)*P, "<=", side*P*(u - n), side*s >= 0, unit; exp(u - n)*P, op, P, truth, unit
"""


def _asked(near: Callable[[random.Random], Near]) -> Callable[[random.Random], Constant]:
    """One of the questions that the tie decides."""

    def draw(rng: random.Random) -> Constant:
        u, n, s = near(rng)
        with sp.evaluate(False):
            gap = u - n
        whole = int(Fraction(int(n.p), int(n.q)) // 1) - (n.is_integer and s < 0)
        steps = ((-1, 1), (1, 1), (1, 2), (-1, 1), (1, 1), (1, 1))
        k = [whole + sign * rng.randint(0, most) for sign, most in steps]
        op, side = rng.choice(("<", "<=", ">", ">=")), rng.choice((1, -1))
        truth = {"<": s < 0, "<=": s <= 0, ">": s > 0, ">=": s >= 0}[op]
        names = dict(u=u, n=n, s=s, gap=gap, k=k, whole=whole, op=op, side=side, truth=truth)
        names |= dict(K=K, X=X, P=P, unit={P: (0, 1)})
        return Constant(*drawn(rng, ";".join((_WHOLE, _ORDER, _ORDER)), **names))

    return draw


FAMILIES: dict[str, Callable[[random.Random], Constant]] = {
    "units": _asked(_unit),
    "roots next to whole numbers": _asked(_root),
    "nested roots": _asked(_denested),
    "decimals": _asked(_decimal),
    "sums of logarithms": _asked(_logarithm),
}
