"""Rewrites functions in terms of fewer ones before the normal form is taken: hyperbolic and
trigonometric functions as exponentials, and Gamma and Bessel functions at a base index in [0, 1).

Each rule is an identity that holds wherever both of its sides are defined; where the right side has
extra poles, a note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

__all__ = ["rewritten"]

HALF = sp.Rational(1, 2)
Rule = Callable[..., sp.Expr]


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


def _binomial(n: sp.Expr, k: sp.Expr) -> sp.Expr:
    """By Gamma where that is the same: for a negative whole n it has a pole, while binomial(-1, 1)
    is -1, and binomial(-1, -2) is 0.
    """
    if not (n.is_nonnegative or (k.is_integer and k.is_nonnegative)):
        return sp.binomial(n, k)
    return sp.gamma(n + 1) / (sp.gamma(k + 1) * sp.gamma(n - k + 1))


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
_RULES: Mapping[Any, Rule] = {
    **{f: _exponential(f) for f in (sp.sin, sp.cos, sp.tan, sp.cot, sp.sec, sp.csc)},
    **{f: _exponential(f) for f in (sp.sinh, sp.cosh, sp.tanh, sp.coth, sp.sech, sp.csch)},
    sp.erfc: lambda x: 1 - sp.erf(x),
    sp.gamma: _gamma,
    sp.factorial: lambda n: sp.gamma(n + 1),
    sp.binomial: _binomial,
    sp.beta: lambda a, b: sp.gamma(a) * sp.gamma(b) / sp.gamma(a + b),
    sp.rf: lambda x, k: sp.gamma(x + k) / sp.gamma(x),
    sp.ff: lambda x, k: sp.gamma(x + 1) / sp.gamma(x - k + 1),
    sp.uppergamma: _uppergamma,
    sp.lowergamma: lambda s, x: sp.gamma(s) - sp.uppergamma(s, x),
    sp.besselk: _bessel(sp.besselk, 1, _half_k),
    sp.besseli: _bessel(sp.besseli, -1, _half_i),
    sp.Max: _maximum(1),
    sp.Min: _maximum(-1),
    sp.GoldenRatio.func: lambda: (1 + sp.sqrt(5)) / 2,
}


def rewritten(e: sp.Expr) -> tuple[sp.Expr, list[str]]:
    """`e` by a rule of this module, with what the rule takes for granted; `e` itself if no rule
    applies.

    Examples
    --------
    >>> x = sp.Symbol("x")
    >>> rewritten(sp.gamma(x + 2))
    (x*(x + 1)*gamma(x), ['gamma(x + 2) is not rewritten across a pole'])
    """
    rule = _RULES.get(e.func)
    if rule is None:
        return e, []
    simpler = rule(*e.args)
    if simpler == e:
        return e, []
    risky = e.func in _POLES and not all(a.is_positive for a in e.args)
    return simpler, [f"{e} is not rewritten across a pole"] if risky else []
