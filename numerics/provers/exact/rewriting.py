"""Rewrites functions in terms of fewer ones before the normal form is taken: hyperbolic and
trigonometric functions as exponentials, and Gamma and Bessel functions at a base index in [0, 1).

Each rule is an identity between the functions of its arguments. A quotient of Gammas, such as that
for the rising factorial, has no value where one of its arguments is a whole number below 1: the
rule is applied only where no argument is such a number whatever the symbols are. Where it depends
on the symbols, both sides still satisfy the same polynomial relations, and a note says that no pole
was crossed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from numerics.provers.exact.exact_numbers import told

__all__ = ["rewritten"]

HALF = sp.Rational(1, 2)
Rule = Callable[..., sp.Expr]
#: Whether Gamma has a value at an argument that is a number.
Regular = Callable[[sp.Expr], bool]


def _exponential(kind: Any) -> Rule:
    x = sp.Dummy("x")
    template = kind(x).rewrite(sp.exp)
    if template.has(kind):
        raise NotImplementedError(kind)
    return lambda a: template.xreplace({x: a})


def _shift(index: sp.Expr) -> tuple[sp.Expr, int]:
    """An index as base + integer, the rational constant of the base in [0, 1)."""
    index = sp.expand(index)
    constant = index.as_coeff_Add()[0]
    k = int(sp.floor(constant)) if constant.is_Rational else 0
    return index - k, k


def _gamma(z: sp.Expr) -> sp.Expr:
    base, k = _shift(z)
    if k == 0:
        return sp.gamma(z)
    steps = range(k) if k > 0 else range(k, 0)
    product = sp.Mul(*(base + j for j in steps))
    return sp.gamma(base) * (product if k > 0 else 1 / product)


def _binomial(n: sp.Expr, k: sp.Expr) -> sp.Expr | None:
    """By Gamma where that is the same: for a negative whole n it has a pole, while binomial(-1, 1)
    is -1, and binomial(-1, -2) is 0.
    """
    if not (told(n, "nonnegative") or (k.is_integer and told(k, "nonnegative"))):
        return None
    return _gammas([n + 1], [k + 1, n - k + 1])


def _gammas(above: Sequence[sp.Expr], below: Sequence[sp.Expr]) -> sp.Expr:
    """A quotient of products of Gammas, which `rewritten` may yet refuse."""
    product = lambda args: sp.Mul(*(sp.gamma(a, evaluate=False) for a in args))
    return product(above) / product(below)


def _uppergamma(s: sp.Expr, x: sp.Expr) -> sp.Expr:
    base, k = _shift(s)
    if base == 0 and k > 0:
        base, k = sp.S.One, k - 1
    start = {sp.S.One: sp.exp(-x), HALF: sp.sqrt(sp.pi) * sp.erfc(sp.sqrt(x))}.get(base)
    if k == 0:
        return sp.uppergamma(s, x) if start is None else start
    out = sp.uppergamma(base, x) if start is None else start
    for j in range(k):
        out = (base + j) * out + x ** (base + j) * sp.exp(-x)
    for j in range(-1, k - 1, -1):
        out = (out - x ** (base + j) * sp.exp(-x)) / (base + j)
    return out


def _bessel(kind: Any, sign: int, half: Callable[[sp.Expr], tuple[sp.Expr, sp.Expr]]) -> Rule:
    """K_{n+1} = K_{n-1} + (2n/x) K_n for sign = 1, I_{n+1} = I_{n-1} - (2n/x) I_n for sign = -1."""

    def rule(n: sp.Expr, x: sp.Expr) -> sp.Expr:
        base, k = _shift(n)
        if base == HALF:
            low, high = half(x)  # of index -1/2 and 1/2
            base, k = -HALF, k + 1
        elif k in (0, 1):
            return kind(n, x)
        else:
            low, high = kind(base, x), kind(base + 1, x)
        for j in range(1, k):
            low, high = high, low + sign * 2 * (base + j) / x * high
        for j in range(0, k, -1):
            low, high = high - sign * 2 * (base + j) / x * low, low
        return low if k <= 0 else high

    return rule


def _half_k(x: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    k = sp.sqrt(sp.pi / 2) * sp.exp(-x) / sp.sqrt(x)
    return k, k


def _half_i(x: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    scale = sp.sqrt(2 / sp.pi) / sp.sqrt(x)
    return scale * sp.cosh(x), scale * sp.sinh(x)


def _maximum(sign: int) -> Rule:
    def rule(*args: sp.Expr) -> sp.Expr:
        first, *others = args
        other = others[0] if len(others) == 1 else rule(*others)
        return (first + other + sign * sp.Abs(first - other)) / 2

    return rule


#: Functions whose rewriting can meet a pole that the function itself does not have.
_POLES = {sp.gamma, sp.factorial, sp.binomial, sp.beta, sp.rf, sp.ff}
#: Functions that have values where a Gamma of their rewriting has none.
_QUOTIENTS = {sp.binomial, sp.beta, sp.rf, sp.ff}
_RULES: Mapping[Any, Rule] = {
    **{f: _exponential(f) for f in (sp.sin, sp.cos, sp.tan, sp.cot, sp.sec, sp.csc)},
    **{f: _exponential(f) for f in (sp.sinh, sp.cosh, sp.tanh, sp.coth, sp.sech, sp.csch)},
    sp.erfc: lambda x: 1 - sp.erf(x),
    sp.gamma: _gamma,
    sp.factorial: lambda n: _gammas([n + 1], []),
    sp.binomial: _binomial,
    sp.beta: lambda a, b: _gammas([a, b], [a + b]),
    sp.rf: lambda x, k: _gammas([x + k], [x]),
    sp.ff: lambda x, k: _gammas([x + 1], [x - k + 1]),
    sp.uppergamma: _uppergamma,
    sp.lowergamma: lambda s, x: sp.gamma(s) - sp.uppergamma(s, x),
    sp.besselk: _bessel(sp.besselk, 1, _half_k),
    sp.besseli: _bessel(sp.besseli, -1, _half_i),
    sp.Max: _maximum(1),
    sp.Min: _maximum(-1),
    sp.GoldenRatio.func: lambda: (1 + sp.sqrt(5)) / 2,
}


def rewritten(e: sp.Expr, regular: Regular) -> tuple[sp.Expr, list[str]]:
    """`e` by a rule of this module, with what the rule takes for granted; `e` itself if no rule
    applies, or one brings in a Gamma at an argument that is not `regular`.

    >>> x = sp.Symbol("x")
    >>> rewritten(sp.gamma(x + 2), lambda a: True)
    (x*(x + 1)*gamma(x), ['gamma(x + 2) is not rewritten across a pole'])
    >>> rewritten(sp.rf(-1, x), lambda a: a != -1)[0]
    RisingFactorial(-1, x)
    """
    rule = _RULES.get(e.func)
    simpler = None if rule is None else rule(*e.args)
    gammas = () if simpler is None or e.func is sp.gamma else simpler.atoms(sp.gamma)
    if (
        simpler is None
        or simpler == e
        or (e.func in _QUOTIENTS and not all(regular(g.args[0]) for g in gammas))
    ):
        return e, []
    simpler = simpler.xreplace({g: sp.gamma(*g.args) for g in gammas})
    risky = e.func in _POLES and not all(a.is_positive for a in e.args)
    return simpler, [f"{e} is not rewritten across a pole"] if risky else []
