"""Equations for `identity`: true ones, built by rewriting under what SymPy assumes of the symbols,
and false ones, made by spoiling these or by forgetting the assumption.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef

from numerics.evidence import Evidence
from numerics.provers import identity
from numerics.provers.eigenbasis import delta, entrywise, l_i, l_j, m_i, motion, p_i, p_j
from tests.numerics.provers.soundness.case import accepted
from tests.numerics.provers.soundness.values import Function, Out

__all__ = ["FAMILIES"]

R, I = sp.Rational, sp.I
_ROOTS = (sp.sqrt(2), -sp.sqrt(3), sp.pi, -sp.E, R(1, 3) + sp.sqrt(5), 1 / sp.pi)
_POOL = [
    *map(sp.Integer, (2, 3, 1, -1, 5, -2, 4, -3, 6, 7, -4, 9, 0)),
    *(R(p, q) for p, q in ((1, 2), (-1, 2), (3, 7), (-5, 3), (7, 2), (9, 4))),
    *_ROOTS,
    *(I, -2 * I, I / 3, 1 + I, 2 - 3 * I, -R(1, 2) + I / 5, -1 - I, sp.sqrt(2) * I),
]


@cache
def values(symbol: sp.Symbol) -> list[sp.Expr]:
    """Numbers that are all that a symbol is declared to be, by what SymPy knows of numbers."""
    wanted = symbol.assumptions0
    return [v for v in _POOL if all(getattr(v, f"is_{k}") is w for k, w in wanted.items() if k not in ("commutative",))]


@dataclass
class Equation:
    """``lhs = rhs`` under what the symbols assume and ``given``; `true` where that is known."""

    lhs: Any
    rhs: Any
    given: Sequence[sp.Expr] = ()
    true: bool | None = None
    functions: tuple[tuple[sp.Expr, sp.Expr], ...] = ()  # a choice for undefined functions

    def ask(self, effort: int) -> Evidence:
        return identity(self.lhs, self.rhs, given=self.given)

    def fault(self, e: Evidence, rng: random.Random) -> str:
        if accepted(e) and self.true is not True:
            at = self.difference(rng)
            if at is not None:
                return f"{e.verdict.value}, but the sides differ at {at}: {self}"
        if e.verdict.value == "REFUTED":
            return f"REFUTED at {dict(e.witness)}, but it is true: {self}" if self.true else self.witness_fault(dict(e.witness))
        return ""

    def symbols(self) -> list[sp.Symbol]:
        return sorted(sp.sympify(self.lhs).free_symbols | sp.sympify(self.rhs).free_symbols, key=str)

    def differs(self, point: dict[sp.Symbol, Any]) -> bool | None:
        """Whether the two sides surely differ at a point; None where one of them has no value."""
        sides = [self._chosen(side) for side in (self.lhs, self.rhs)]
        try:
            if any(not s.is_commutative for s in point):
                a, b = (Function(side, list(point))(*point.values()) for side in sides)
                return bool(mpmath.norm(a - b) > 1e-20)
            a, b = (Function(side.xreplace(point), ()) for side in sides)
            for digits in (40, 120):
                low, high = (a(digits=d) - b(digits=d) for d in (digits, 2 * digits))
                if abs(low - high) < abs(high) / 1000:
                    return True
            return False
        except Out:
            return None

    def _chosen(self, side: Any) -> sp.Expr:
        side = sp.sympify(side)
        for f, choice in self.functions:
            side = side.replace(f, sp.Lambda(sp.Symbol("_t"), choice))
        return side.doit() if self.functions else side

    def difference(self, rng: random.Random) -> str | None:
        """A point that meets every assumption and side condition, and at which the sides differ."""
        names = self.symbols()
        for _ in range(12):
            if any(not s.is_commutative for s in names):
                point: dict[sp.Symbol, Any] = {s: mpmath.matrix([[rng.randint(-3, 3) for _ in "ab"] for _ in "ab"]) for s in names}
            else:
                if not all(map(values, names)):
                    return None
                point = {s: rng.choice(values(s)) for s in names}
            if self.given and not self._solved(point, rng):
                continue
            if self.differs(point):
                return str(point)
        return None

    def _solved(self, point: dict[sp.Symbol, Any], rng: random.Random) -> bool:
        """Whether the side condition could be met, by a change of one linear variable."""
        (g,) = self.given
        for s in sorted(g.free_symbols, key=str):
            found = sp.Poly(g.xreplace({k: v for k, v in point.items() if k != s}), s)
            if found.degree() == 1:
                point[s] = sp.simplify(-found.nth(0) / found.nth(1))
                return all(getattr(point[s], f"is_{k}") is w for k, w in s.assumptions0.items())
        return False

    def witness_fault(self, seen: dict[str, Any]) -> str:
        if any(side.has(AppliedUndef, sp.Derivative) for side in (self.lhs, self.rhs)):
            return ""
        point = {s: sp.sympify(str(seen[str(s)])) for s in self.symbols()}
        for s, v in point.items():
            if any(getattr(v, f"is_{k}") is (not w) for k, w in s.assumptions0.items()):
                return f"the witness {seen} is not what {s} is declared to be ({s.assumptions0}): {self}"
        for g in self.given:
            if sp.simplify(g.xreplace(point)) != 0:
                return f"the witness {seen} does not meet the side condition: {self}"
        return f"the sides are equal at the witness {seen}: {self}" if self.differs(point) is False else ""

    def __str__(self) -> str:
        kinds = {str(s): {k: v for k, v in s._assumptions_orig.items()} for s in self.symbols()}
        return f"identity({self.lhs}, {self.rhs}, given={list(self.given)}) with {kinds}"


def _spoiled(rng: random.Random, lhs: sp.Expr, rhs: sp.Expr, **options: Any) -> Equation:
    """The equation, half of the time with a term doubled, a sign changed or a constant added."""
    if rng.random() < 0.5:
        return Equation(lhs, rhs, true=True, **options)
    t = rng.choice(sp.Add.make_args(rhs))
    wrong = rng.choice((rhs + t, rhs - 2 * t, rhs + R(1, 10**6), rhs * (1 + R(1, 997)), rhs + t * I))
    return Equation(lhs, wrong, **options)


#: What holds because of an assumption; `a` and `b` carry it.
_BY_ASSUMPTION: dict[str, Callable[[Any, Any], list[tuple[Any, Any]]]] = {
    "positive": lambda a, b: [
        (sp.sqrt(a**2), a),
        (sp.log(a * b), sp.log(a) + sp.log(b)),
        (sp.sqrt(a * b), sp.sqrt(a) * sp.sqrt(b)),
        (sp.Abs(a), a),
    ],
    "negative": lambda a, b: [(sp.Abs(a), -a), (sp.sqrt(a**2), -a), (sp.log(a * b), sp.log(-a) + sp.log(-b)), (sp.sign(a), -1)],
    "nonnegative": lambda a, b: [(sp.sqrt(a**2), a), (sp.Abs(a * b), a * b), (sp.sqrt(a * b), sp.sqrt(a) * sp.sqrt(b))],
    "nonpositive": lambda a, b: [(sp.sqrt(a**2), -a), (sp.Abs(a), -a), (sp.sqrt(a * b), sp.sqrt(-a) * sp.sqrt(-b))],
    "zero": lambda a, b: [(a, 0), (sp.exp(a), 1), (a * b + 1, 1), (sp.cos(a), 1)],
    "nonzero": lambda a, b: [(a / a, 1), (a**0, 1), (1 / (1 / a), a), (sp.Abs(a) / sp.Abs(a) + a, a + 1)],
    "real": lambda a, b: [
        (sp.sqrt(a**2), sp.Abs(a)),
        (sp.re(a), a),
        (sp.Abs(sp.exp(I * a)), 1),
        (sp.Abs(a) ** 2, a**2),
        (sp.conjugate(a + I * b), a - I * b),
    ],
    "imaginary": lambda a, b: [(sp.Abs(a) ** 2, -(a**2)), (sp.re(a), 0), (sp.conjugate(a), -a), (sp.Abs(sp.exp(a)), 1)],
    "complex": lambda a, b: [(sp.Abs(a) ** 2, a * sp.conjugate(a)), (sp.exp(a + b), sp.exp(a) * sp.exp(b)), (sp.sqrt(a) ** 2, a)],
    "integer": lambda a, b: [
        (sp.exp(2 * I * sp.pi * a), 1),
        (sp.cos(sp.pi * a) ** 2, 1),
        (sp.sin(sp.pi * a), 0),
        ((-1) ** (2 * a), 1),
        (sp.floor(a), a),
    ],
    "even": lambda a, b: [((-1) ** a, 1), (sp.cos(sp.pi * a), 1), (sp.floor(a / 2), a / 2), ((-2) ** a, 2**a)],
    "odd": lambda a, b: [((-1) ** a, -1), (sp.floor(a / 2), (a - 1) / 2), (sp.cos(sp.pi * a), -1), (sp.sin(sp.pi * a / 2) ** 2, 1)],
    "noninteger": lambda a, b: [(sp.ceiling(a), sp.floor(a) + 1), (sp.ceiling(a) - sp.floor(a), 1)],
    "rational": lambda a, b: [(sp.Abs(a) ** 2, a**2), (sp.im(a), 0)],
    "irrational": lambda a, b: [(sp.ceiling(a), sp.floor(a) + 1), (sp.Abs(a) ** 2, a**2)],
    "prime": lambda a, b: [(sp.Abs(a), a), (sp.sqrt(a**2), a), (sp.cos(2 * sp.pi * a), 1)],
    "composite": lambda a, b: [(sp.Abs(a), a), (sp.gamma(a + 1), a * sp.gamma(a)), (sp.Max(a, 3), a)],
    "algebraic": lambda a, b: [(sp.sqrt(a) ** 2, a), (a - a * b, a * (1 - b))],
    "transcendental": lambda a, b: [(a / a, 1), (sp.sqrt(a) ** 2, a)],
    "hermitian": lambda a, b: [(sp.conjugate(a) * 0 + a * b, b * a), ((a + b) ** 2, a**2 + 2 * a * b + b**2)],
    "antihermitian": lambda a, b: [((a - b) * (a + b), a**2 - b**2)],
    "finite": lambda a, b: [(a + b - a, b), (sp.exp(a) * sp.exp(-a), 1)],
    "infinite": lambda a, b: [(a - b, 0), (a, b)],
    "extended_real": lambda a, b: [(sp.Abs(a) ** 2, a**2), ((a + b) ** 2, a**2 + 2 * a * b + b**2)],
    "extended_positive": lambda a, b: [(sp.sqrt(a**2), a), (sp.Abs(a), a)],
    "extended_negative": lambda a, b: [(sp.Abs(a), -a)],
    "extended_nonnegative": lambda a, b: [(sp.sqrt(a**2), a)],
    "extended_nonpositive": lambda a, b: [(sp.sqrt(a**2), -a)],
    "extended_nonzero": lambda a, b: [(a / a, 1)],
}


def _assumptions(rng: random.Random) -> Equation:
    """True under the assumption; asked with it, spoiled, or with another in its place."""
    name = rng.choice(list(_BY_ASSUMPTION)[: rng.choice((7, None))])
    declared = name if rng.random() < 0.6 else rng.choice(list(_BY_ASSUMPTION))
    a, b = sp.symbols("a b", **{declared: True})
    lhs, rhs = map(sp.sympify, rng.choice(_BY_ASSUMPTION[name](a, b)))
    if lhs.has(sp.nan) or rhs.has(sp.nan) or declared == "infinite":
        return Equation(a - b, sp.S.Zero) if declared == "infinite" else Equation(a + b, a * b)
    if declared == name:
        return _spoiled(rng, lhs, rhs)
    return Equation(lhs, rhs)


def _false_assumptions(rng: random.Random) -> Equation:
    """The same with an assumption that is denied."""
    name = rng.choice(list(_BY_ASSUMPTION))
    a, b = sp.symbols("a b", **{rng.choice(("positive", "integer", "even", "zero", "rational", "negative", "prime")): False})
    lhs, rhs = map(sp.sympify, rng.choice(_BY_ASSUMPTION[name](a, b)))
    return Equation(lhs, rhs) if not (lhs.has(sp.nan) or rhs.has(sp.nan)) else Equation(a, b)


def _expression(rng: random.Random, names: Sequence[sp.Symbol], depth: int = 2) -> sp.Expr:
    if depth == 0:
        return rng.choice((*names, *names, R(rng.randint(-3, 3), 2), sp.pi))
    again = lambda: _expression(rng, names, depth - 1)
    return rng.choice((lambda: again() + again(), lambda: again() * again(), lambda: again() - 2 * again(), lambda: again() ** 2))()


_REWRITES: list[Callable[[Any, Any, Any], tuple[Any, Any]]] = [  # for positive x, y and real u
    lambda x, y, u: ((u + x) ** 3, u**3 + 3 * u**2 * x + 3 * u * x**2 + x**3),
    lambda x, y, u: (sp.exp(u + x), sp.exp(u) * sp.exp(x)),
    lambda x, y, u: (sp.log(x**2 / y), 2 * sp.log(x) - sp.log(y)),
    lambda x, y, u: (sp.sqrt(x * y**3), y * sp.sqrt(x) * sp.sqrt(y)),
    lambda x, y, u: (sp.cosh(u) ** 2, 1 + sp.sinh(u) ** 2),
    lambda x, y, u: (sp.sin(u) ** 2, (1 - sp.cos(2 * u)) / 2),
    lambda x, y, u: (sp.tanh(u), 1 - 2 / (sp.exp(2 * u) + 1)),
    lambda x, y, u: (sp.sinh(2 * u), 2 * sp.sinh(u) * sp.cosh(u)),
    lambda x, y, u: (sp.coth(x) - sp.tanh(x), 2 / sp.sinh(2 * x)),
    lambda x, y, u: (sp.Max(x, u), (x + u + sp.Abs(x - u)) / 2),
    lambda x, y, u: (sp.Min(x, u) + sp.Max(x, u), x + u),
    lambda x, y, u: (sp.Abs(u * x), x * sp.Abs(u)),
    lambda x, y, u: (sp.erfc(u), 1 - sp.erf(u)),
    lambda x, y, u: (sp.gamma(x + 2), x * (x + 1) * sp.gamma(x)),
    lambda x, y, u: (sp.factorial(x), sp.gamma(x + 1)),
    lambda x, y, u: (sp.beta(x, y), sp.gamma(x) * sp.gamma(y) / sp.gamma(x + y)),
    lambda x, y, u: (sp.uppergamma(x + 1, y), x * sp.uppergamma(x, y) + y**x * sp.exp(-y)),
    lambda x, y, u: (sp.uppergamma(2, y), (1 + y) * sp.exp(-y)),
    lambda x, y, u: (sp.uppergamma(R(1, 2), x), sp.sqrt(sp.pi) * sp.erfc(sp.sqrt(x))),
    lambda x, y, u: (sp.besselk(2, x), sp.besselk(0, x) + 2 / x * sp.besselk(1, x)),
    lambda x, y, u: (sp.besseli(2, x), sp.besseli(0, x) - 2 / x * sp.besseli(1, x)),
    lambda x, y, u: (sp.besselk(R(1, 2), x), sp.sqrt(sp.pi / (2 * x)) * sp.exp(-x)),
    lambda x, y, u: (sp.besselk(R(5, 2), x), sp.sqrt(sp.pi / (2 * x)) * sp.exp(-x) * (1 + 3 / x + 3 / x**2)),
    lambda x, y, u: (sp.binomial(x + 1, 2), x * (x + 1) / 2),
    lambda x, y, u: (sp.sqrt(sp.sqrt(x) + 1) * sp.sqrt(sp.sqrt(x) - 1), sp.sqrt(x - 1)),
    lambda x, y, u: (sp.sqrt(5 + 2 * sp.sqrt(6)), sp.sqrt(2) + sp.sqrt(3)),
    lambda x, y, u: (sp.cbrt(x**3 * y), x * sp.cbrt(y)),
    lambda x, y, u: (x**u * x**y, x ** (u + y)),
    lambda x, y, u: ((x * y) ** u, x**u * y**u),
    lambda x, y, u: (1 / (x + y) + 1 / x, (2 * x + y) / (x * (x + y))),
    lambda x, y, u: (sp.exp(sp.log(x) * R(3, 2)), sp.sqrt(x) ** 3),
    lambda x, y, u: (sp.exp(I * u), sp.cos(u) + I * sp.sin(u)),
    lambda x, y, u: (sp.log(-x), sp.log(x) + I * sp.pi),
    lambda x, y, u: ((-8) ** R(1, 3) * x, x * (1 + I * sp.sqrt(3))),
]


#: What holds for some numbers, and looks as if it did for all.
_TEMPTING: list[Callable[[Any, Any, Any], tuple[Any, Any]]] = [
    lambda x, y, u: (sp.sqrt(x**2), x),
    lambda x, y, u: (sp.log(-x), sp.log(x)),
    lambda x, y, u: (sp.sqrt(-x), sp.sqrt(x)),
    lambda x, y, u: (sp.log(x**2), 2 * sp.log(x)),
    lambda x, y, u: (sp.log(sp.exp(u)), u),
    lambda x, y, u: (sp.sqrt(x / y), sp.sqrt(x) / sp.sqrt(y)),
    lambda x, y, u: ((x**2) ** R(1, 3), x ** R(2, 3)),
    lambda x, y, u: (sp.Abs(x + y), sp.Abs(x) + sp.Abs(y)),
    lambda x, y, u: (sp.Abs(x) ** 2, x**2),
    lambda x, y, u: (sp.sqrt(sp.exp(2 * u)), sp.exp(u)),
    lambda x, y, u: (x ** (2 * u), (x**2) ** u),
    lambda x, y, u: (sp.sqrt(x**2 - 2 * x + 1), x - 1),
    lambda x, y, u: (sp.sin(u) ** 2, (1 + sp.cos(2 * u)) / 2),
    lambda x, y, u: (sp.Max(x, u), (x + u - sp.Abs(x - u)) / 2),
    lambda x, y, u: (sp.erfc(u), 1 + sp.erf(u)),
    lambda x, y, u: (sp.besseli(2, x), sp.besseli(0, x) + 2 / x * sp.besseli(1, x)),
]


def _rewritten(rng: random.Random) -> Equation:
    x, y, u = sp.Symbol("x", positive=True), sp.Symbol("y", positive=True), sp.Symbol("u", real=True)
    lhs, rhs = rng.choice(_REWRITES)(x, y, u)
    if rng.random() < 0.5:
        more, again = rng.choice(_REWRITES)(x, y, u)
        lhs, rhs = rng.choice(((lhs + more, rhs + again), (lhs * more, rhs * again), (lhs - 2 * more, rhs - 2 * again)))
    if rng.random() < 0.5:
        put = {u: rng.choice((u**2, 2 * u, u - x, u * x, -u)), x: rng.choice((x, 3 * x, x + y, x / y))}
        lhs, rhs = (e.subs(put, simultaneous=True) for e in (lhs, rhs))
    return _spoiled(rng, lhs, rhs) if lhs.free_symbols | rhs.free_symbols else Equation(lhs, rhs)


def _branches(rng: random.Random) -> Equation:
    """What holds for positive numbers, asked for others: mpmath's principal values decide."""
    kinds = (
        {},
        {"real": True},
        {"positive": True},
        {"negative": True},
        {"nonzero": True},
        {"integer": True},
        {"imaginary": True},
        {"nonnegative": True},
    )
    x, y, u = (sp.Symbol(n, **rng.choice(kinds)) for n in "xyu")
    try:
        return Equation(*map(sp.sympify, rng.choice(rng.choice((_REWRITES, _TEMPTING)))(x, y, u)))
    except ValueError:  # SymPy takes no Max of what may be complex
        return Equation(sp.sqrt(x * y), sp.sqrt(x) * sp.sqrt(y))


def _algebra(rng: random.Random) -> Equation:
    names = sp.symbols("p q r", **rng.choice(({}, {"real": True}, {"positive": True})))
    e = _expression(rng, names, 3)
    if not e.free_symbols:
        return Equation(names[0], names[1])
    rhs = rng.choice((sp.expand, sp.factor, lambda t: sp.expand(t * (names[0] + 1)) / (names[0] + 1)))(e)
    return _spoiled(rng, e, rhs)


def _noncommutative(rng: random.Random) -> Equation:
    a, b = sp.symbols("A B", commutative=False)
    return rng.choice(
        (
            Equation(a * b, b * a),
            Equation((a + b) ** 2, a**2 + 2 * a * b + b**2),
            Equation(a * b - b * a, sp.S.Zero),
            Equation((a + b) * (a - b), a**2 - b**2),
            Equation(sp.expand((a + b) ** 2), a**2 + a * b + b * a + b**2, true=True),
        )
    )


def _derivatives(rng: random.Random) -> Equation:
    """Undefined functions and their derivatives; the second attack evaluates them for one choice."""
    x, y = sp.symbols("x y", **rng.choice(({}, {"real": True})))
    f, g = sp.Function("f"), sp.Function("g")
    t = sp.Symbol("_t")
    functions = ((f, t**3 / 3 + 2 * t + 1), (g, sp.exp(t / 3)))
    d = lambda e: sp.Derivative(e, x)
    lhs, rhs = rng.choice(
        (
            (d(x**2), 2 * x),
            (d(f(x) * g(x)), d(f(x)) * g(x) + f(x) * d(g(x))),
            (f(x) + f(2) - f(x), f(2)),
            (f(x + y) * g(x), g(x) * f(y + x)),
            (d(sp.exp(x) * x), sp.exp(x) * (1 + x)),
            (d(f(2 * x)), 2 * sp.Subs(sp.Derivative(f(t), t), t, 2 * x)),
            ((f(x) + g(y)) ** 2, f(x) ** 2 + 2 * f(x) * g(y) + g(y) ** 2),
            (d(d(f(x))), sp.Derivative(f(x), (x, 2))),
            (d(sp.sin(x)) + y, sp.cos(x) + y),
        )
    )
    return _spoiled(rng, lhs, rhs, functions=functions)


def _given(rng: random.Random) -> Equation:
    p, q = sp.symbols("p q", **rng.choice(({"positive": True}, {"real": True}, {})))
    r = sp.Symbol("r", real=True)
    lhs, rhs, given = rng.choice(
        (
            ((p + q) ** 2, 1, p + q - 1),
            (p**2 + 2 * p * q + q**2 + r, 4 + r, p + q - 2),
            (p * (1 - p), p * q, p + q - 1),
            (1 / (p * q), 1 / p + 1 / q, p + q - 1),
            (p**3 + q**3, 1 - 3 * p * q, p + q - 1),
            (p / q, r, p - q * r),
            (sp.exp(p), sp.exp(1 - q), p + q - 1),
        )
    )
    return _spoiled(rng, sp.sympify(lhs), sp.sympify(rhs), given=[given]) if rng.random() < 0.8 else Equation(lhs, sp.sympify(rhs))


@dataclass
class Entries:
    """An equation between entries of products of matrices, judged on a spectrum with a kernel."""

    lhs: sp.Expr
    rhs: sp.Expr

    def ask(self, effort: int) -> Evidence:
        return entrywise(self.lhs, self.rhs)

    def fault(self, e: Evidence, rng: random.Random) -> str:
        equal = True
        others = sorted((self.lhs - self.rhs).free_symbols - {l_i, l_j, p_i, p_j, m_i, delta}, key=str)
        spectrum = [(R(0), R(0), R(1)), (R(3), R(1, 3), R(5, 2)), (R(2), R(1, 2), R(7, 3)), (R(0), R(0), R(2))]
        for i, (a, b, m) in enumerate(spectrum):
            for j, (c, d, _) in enumerate(spectrum):
                point = {
                    l_i: a,
                    p_i: b,
                    m_i: m,
                    l_j: c,
                    p_j: d,
                    delta: sp.Integer(i == j),
                    **{s: R(k + 2, 3) for k, s in enumerate(others)},
                }
                left, right = (Function(side.xreplace(point), ())() for side in (self.lhs, self.rhs))
                equal = equal and left == right
        if accepted(e) and not equal:
            return f"{e.verdict.value}, but entries differ: entrywise({self.lhs}, {self.rhs})"
        return (
            f"REFUTED, but every entry agrees: entrywise({self.lhs}, {self.rhs})" if e.verdict.value == "REFUTED" and equal else ""
        )


def _eigenbasis(rng: random.Random) -> Entries:
    left = rng.choice((1, l_i * p_i, p_i * l_i * l_j * p_j, l_j * p_j)) * rng.choice(
        (motion, l_i, l_i * l_j, delta * l_i, delta * p_i)
    )
    right = rng.choice(
        (
            left,
            left * rng.choice((l_i * p_i, l_j * p_j, delta)),
            left.subs(delta, 1),
            left.subs({l_i: l_j, p_i: p_j}, simultaneous=True),
        )
    )
    extra = rng.choice((0, 0, delta * (l_i - l_j), l_i * (1 - l_i * p_i), l_i * p_i - delta * l_j * p_j))
    return Entries(sp.expand(left), sp.sympify(right) + extra)


FAMILIES: dict[str, Callable[[random.Random], Equation | Entries]] = {
    "assumptions": _assumptions,
    "denied assumptions": _false_assumptions,
    "rewriting": _rewritten,
    "branches": _branches,
    "algebra": _algebra,
    "matrices as letters": _noncommutative,
    "functions and derivatives": _derivatives,
    "side conditions": _given,
    "eigenbasis": _eigenbasis,
}
