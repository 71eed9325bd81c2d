"""True equations, by rewriting under assumptions, and false ones, by spoiling or forgetting."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from numerics.provers.eigenbasis import delta, l_i, l_j, motion, p_i, p_j
from tests.numerics.provers.soundness.drawing import drawn
from tests.numerics.provers.soundness.equations import Entries, Equation

__all__ = ["FAMILIES"]

R, I = sp.Rational, sp.I


def _spoiled(rng: random.Random, lhs: sp.Expr, rhs: sp.Expr, **options: Any) -> Equation:
    """The equation, half of the time with a term doubled, a sign changed or a constant added."""
    if rng.random() < 0.5:
        return Equation(lhs, rhs, true=True, **options)
    t = rng.choice(sp.Add.make_args(rhs))
    wrong = rng.choice((rhs + t, rhs - 2 * t, rhs + R(1, 10**6), rhs * (1 + R(1, 997)), rhs + t * I))
    return Equation(lhs, wrong, **options)


#: What holds because of an assumption; `a` and `b` carry it.
_BY_ASSUMPTION = {
    "positive": "sqrt(a**2), a; log(a * b), log(a) + log(b); sqrt(a * b), sqrt(a) * sqrt(b); Abs(a), a",
    "negative": "Abs(a), -a; sqrt(a**2), -a; log(a * b), log(-a) + log(-b); sign(a), -1",
    "nonnegative": "sqrt(a**2), a; Abs(a * b), a * b; sqrt(a * b), sqrt(a) * sqrt(b)",
    "nonpositive": "sqrt(a**2), -a; Abs(a), -a; sqrt(a * b), sqrt(-a) * sqrt(-b)",
    "zero": "a, 0; exp(a), 1; a * b + 1, 1; cos(a), 1",
    "nonzero": "a / a, 1; a**0, 1; 1 / (1 / a), a; Abs(a) / Abs(a) + a, a + 1",
    "real": "sqrt(a**2), Abs(a); re(a), a; Abs(exp(I*a)), 1; Abs(a)**2, a**2; conjugate(a + I*b), a - I*b",
    "imaginary": "Abs(a) ** 2, -(a**2); re(a), 0; conjugate(a), -a; Abs(exp(a)), 1",
    "complex": "Abs(a) ** 2, a * conjugate(a); exp(a + b), exp(a) * exp(b); sqrt(a) ** 2, a",
    "integer": "exp(2 * I * pi * a), 1; cos(pi * a) ** 2, 1; sin(pi * a), 0; (-1) ** (2 * a), 1; floor(a), a",
    "even": "(-1) ** a, 1; cos(pi * a), 1; floor(a / 2), a / 2; (-2) ** a, 2**a",
    "odd": "(-1) ** a, -1; floor(a / 2), (a - 1) / 2; cos(pi * a), -1; sin(pi * a / 2) ** 2, 1",
    "noninteger": "ceiling(a), floor(a) + 1; ceiling(a) - floor(a), 1",
    "rational": "Abs(a) ** 2, a**2; im(a), 0",
    "irrational": "ceiling(a), floor(a) + 1; Abs(a) ** 2, a**2",
    "prime": "Abs(a), a; sqrt(a**2), a; cos(2 * pi * a), 1",
    "composite": "Abs(a), a; gamma(a + 1), a * gamma(a); Max(a, 3), a",
    "algebraic": "sqrt(a) ** 2, a; a - a * b, a * (1 - b)",
    "transcendental": "a / a, 1; sqrt(a) ** 2, a",
    "hermitian": "conjugate(a) * 0 + a * b, b * a; (a + b) ** 2, a**2 + 2 * a * b + b**2",
    "antihermitian": "(a - b) * (a + b), a**2 - b**2",
    "finite": "a + b - a, b; exp(a) * exp(-a), 1",
    "infinite": "a - b, 0; a, b",
    "extended_real": "Abs(a) ** 2, a**2; (a + b) ** 2, a**2 + 2 * a * b + b**2",
    "extended_positive": "sqrt(a**2), a; Abs(a), a",
    "extended_negative": "Abs(a), -a",
    "extended_nonnegative": "sqrt(a**2), a",
    "extended_nonpositive": "sqrt(a**2), -a",
    "extended_nonzero": "a / a, 1",
}


def _assumptions(rng: random.Random) -> Equation:
    """True under the assumption; asked with it, spoiled, or with another in its place."""
    name = rng.choice(list(_BY_ASSUMPTION)[: rng.choice((7, None))])
    declared = name if rng.random() < 0.6 else rng.choice(list(_BY_ASSUMPTION))
    a, b = sp.symbols("a b", **{declared: True})
    lhs, rhs = drawn(rng, _BY_ASSUMPTION[name], a=a, b=b)
    if lhs.has(sp.nan) or rhs.has(sp.nan) or declared == "infinite":
        return Equation(a - b, sp.S.Zero) if declared == "infinite" else Equation(a + b, a * b)
    if declared == name:
        return _spoiled(rng, lhs, rhs)
    return Equation(lhs, rhs)


def _false_assumptions(rng: random.Random) -> Equation:
    name = rng.choice(list(_BY_ASSUMPTION))
    denied = rng.choice(("positive", "integer", "even", "zero", "rational", "negative", "prime"))
    a, b = sp.symbols("a b", **{denied: False})
    lhs, rhs = drawn(rng, _BY_ASSUMPTION[name], a=a, b=b)
    return Equation(lhs, rhs) if not (lhs.has(sp.nan) or rhs.has(sp.nan)) else Equation(a, b)


def _expression(rng: random.Random, names: Sequence[sp.Symbol], depth: int = 2) -> sp.Expr:
    if depth == 0:
        return rng.choice((*names, *names, R(rng.randint(-3, 3), 2), sp.pi))
    again = lambda: _expression(rng, names, depth - 1)
    return drawn(rng, "again() + again(); again()*again(); again() - 2*again(); again()**2", again=again)[0]


#: What holds for positive x and y and real u.
_REWRITES = """
(u + x) ** 3, u**3 + 3 * u**2 * x + 3 * u * x**2 + x**3; exp(u + x), exp(u) * exp(x);
log(x**2 / y), 2 * log(x) - log(y); sqrt(x * y**3), y * sqrt(x) * sqrt(y); cosh(u) ** 2, 1 + sinh(u) ** 2;
sin(u) ** 2, (1 - cos(2 * u)) / 2; tanh(u), 1 - 2 / (exp(2 * u) + 1); sinh(2 * u), 2 * sinh(u) * cosh(u);
coth(x) - tanh(x), 2 / sinh(2 * x); Max(x, u), (x + u + Abs(x - u)) / 2; Min(x, u) + Max(x, u), x + u;
Abs(u * x), x * Abs(u); erfc(u), 1 - erf(u); gamma(x + 2), x * (x + 1) * gamma(x);
factorial(x), gamma(x + 1); beta(x, y), gamma(x) * gamma(y) / gamma(x + y);
uppergamma(x + 1, y), x * uppergamma(x, y) + y**x * exp(-y); uppergamma(2, y), (1 + y) * exp(-y);
uppergamma(R(1, 2), x), sqrt(pi) * erfc(sqrt(x)); besselk(2, x), besselk(0, x) + 2 / x * besselk(1, x);
besseli(2, x), besseli(0, x) - 2 / x * besseli(1, x); besselk(R(1, 2), x), sqrt(pi / (2 * x)) * exp(-x);
besselk(R(5, 2), x), sqrt(pi / (2 * x)) * exp(-x) * (1 + 3 / x + 3 / x**2);
binomial(x + 1, 2), x * (x + 1) / 2; sqrt(sqrt(x) + 1) * sqrt(sqrt(x) - 1), sqrt(x - 1);
sqrt(5 + 2 * sqrt(6)), sqrt(2) + sqrt(3); cbrt(x**3 * y), x * cbrt(y); x**u * x**y, x ** (u + y);
(x * y) ** u, x**u * y**u; 1 / (x + y) + 1 / x, (2 * x + y) / (x * (x + y));
exp(log(x) * R(3, 2)), sqrt(x) ** 3; exp(I * u), cos(u) + I * sin(u); log(-x), log(x) + I * pi;
(-8) ** R(1, 3) * x, x * (1 + I * sqrt(3))
"""


#: What holds for some numbers, and looks as if it did for all.
_TEMPTING = """
sqrt(x**2), x; log(-x), log(x); sqrt(-x), sqrt(x); log(x**2), 2 * log(x); log(exp(u)), u;
sqrt(x / y), sqrt(x) / sqrt(y); (x**2) ** R(1, 3), x ** R(2, 3); Abs(x + y), Abs(x) + Abs(y);
Abs(x) ** 2, x**2; sqrt(exp(2 * u)), exp(u); x ** (2 * u), (x**2) ** u; sqrt(x**2 - 2 * x + 1), x - 1;
sin(u) ** 2, (1 + cos(2 * u)) / 2; Max(x, u), (x + u - Abs(x - u)) / 2; erfc(u), 1 + erf(u);
besseli(2, x), besseli(0, x) + 2 / x * besseli(1, x)
"""


def _rewritten(rng: random.Random) -> Equation:
    x, y, u = sp.Symbol("x", positive=True), sp.Symbol("y", positive=True), sp.Symbol("u", real=True)
    lhs, rhs = drawn(rng, _REWRITES, x=x, y=y, u=u)
    if rng.random() < 0.5:
        more, again = drawn(rng, _REWRITES, x=x, y=y, u=u)
        lhs, rhs = rng.choice(
            ((lhs + more, rhs + again), (lhs * more, rhs * again), (lhs - 2 * more, rhs - 2 * again))
        )
    if rng.random() < 0.5:
        put = {u: rng.choice((u**2, 2 * u, u - x, u * x, -u)), x: rng.choice((x, 3 * x, x + y, x / y))}
        lhs, rhs = (e.subs(put, simultaneous=True) for e in (lhs, rhs))
    return _spoiled(rng, lhs, rhs) if lhs.free_symbols | rhs.free_symbols else Equation(lhs, rhs)


def _branches(rng: random.Random) -> Equation:
    """What holds for positive numbers, asked for others: mpmath's principal values decide."""
    names = ("real", "positive", "negative", "nonzero", "integer", "imaginary", "nonnegative")
    kinds: tuple[dict[str, bool], ...] = ({}, *({name: True} for name in names))
    x, y, u = (sp.Symbol(n, **rng.choice(kinds)) for n in "xyu")
    try:
        return Equation(*drawn(rng, rng.choice((_REWRITES, _TEMPTING)), x=x, y=y, u=u))
    except ValueError:  # SymPy takes no Max of what may be complex
        return Equation(sp.sqrt(x * y), sp.sqrt(x) * sp.sqrt(y))


def _algebra(rng: random.Random) -> Equation:
    names = sp.symbols("p q r", **rng.choice(({}, {"real": True}, {"positive": True})))
    e = _expression(rng, names, 3)
    if not e.free_symbols:
        return Equation(names[0], names[1])
    rhs = rng.choice((sp.expand, sp.factor, lambda t: sp.expand(t * (names[0] + 1)) / (names[0] + 1)))(e)
    return _spoiled(rng, e, rhs)


_NONCOMMUTATIVE = """
a*b, b*a; (a + b)**2, a**2 + 2*a*b + b**2; a*b - b*a, 0; (a + b)*(a - b), a**2 - b**2;
expand((a + b)**2), a**2 + a*b + b*a + b**2
"""


def _noncommutative(rng: random.Random) -> Equation:
    a, b = sp.symbols("A B", commutative=False)
    return Equation(*drawn(rng, _NONCOMMUTATIVE, a=a, b=b))


_DERIVATIVES = """
d(x**2), 2*x; d(f(x)*g(x)), d(f(x))*g(x) + f(x)*d(g(x)); f(x) + f(2) - f(x), f(2);
f(x + y)*g(x), g(x)*f(y + x); d(exp(x)*x), exp(x)*(1 + x); d(f(2*x)), 2*Subs(Derivative(f(t), t), t, 2*x);
(f(x) + g(y))**2, f(x)**2 + 2*f(x)*g(y) + g(y)**2; d(d(f(x))), Derivative(f(x), (x, 2));
d(sin(x)) + y, cos(x) + y
"""


def _derivatives(rng: random.Random) -> Equation:
    """Undefined functions and their derivatives; the judge evaluates them for one choice."""
    x, y = sp.symbols("x y", **rng.choice(({}, {"real": True})))
    f, g, t = sp.Function("f"), sp.Function("g"), sp.Symbol("_t")
    lhs, rhs = drawn(rng, _DERIVATIVES, x=x, y=y, f=f, g=g, t=t, d=lambda e: sp.Derivative(e, x))
    return _spoiled(rng, lhs, rhs, functions=((f, t**3 / 3 + 2 * t + 1), (g, sp.exp(t / 3))))


#: Two sides, and what vanishes.
_GIVEN = """
(p + q)**2, 1, p + q - 1; p**2 + 2*p*q + q**2 + r, 4 + r, p + q - 2; p*(1 - p), p*q, p + q - 1;
1/(p*q), 1/p + 1/q, p + q - 1; p**3 + q**3, 1 - 3*p*q, p + q - 1; p/q, r, p - q*r;
exp(p), exp(1 - q), p + q - 1
"""


def _given(rng: random.Random) -> Equation:
    p, q = sp.symbols("p q", **rng.choice(({"positive": True}, {"real": True}, {})))
    lhs, rhs, given = drawn(rng, _GIVEN, p=p, q=q, r=sp.Symbol("r", real=True))
    return _spoiled(rng, lhs, rhs, given=[given]) if rng.random() < 0.8 else Equation(lhs, rhs)


def _eigenbasis(rng: random.Random) -> Entries:
    left = rng.choice((1, l_i * p_i, p_i * l_i * l_j * p_j, l_j * p_j)) * rng.choice(
        (motion, l_i, l_i * l_j, delta * l_i, delta * p_i)
    )
    projected, turned = left * rng.choice((l_i * p_i, l_j * p_j, delta)), {l_i: l_j, p_i: p_j}
    right = rng.choice((left, projected, left.subs(delta, 1), left.subs(turned, simultaneous=True)))
    extra = rng.choice((0, 0, delta * (l_i - l_j), l_i * (1 - l_i * p_i), l_i * p_i - delta * l_j * p_j))
    return Entries(sp.expand(left), sp.sympify(right) + extra)


FAMILIES: dict[str, Callable[[random.Random], Equation | Entries]] = {
    "assumptions": _assumptions, "denied assumptions": _false_assumptions, "rewriting": _rewritten,
    "branches": _branches, "algebra": _algebra, "matrices as letters": _noncommutative,
    "functions and derivatives": _derivatives, "side conditions": _given, "eigenbasis": _eigenbasis,
}  # fmt: skip
