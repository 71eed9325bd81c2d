"""The leading term of an expression as a variable tends to infinity, ``(c + o(1)) x**p log(x)**l``,
by the rules for sums, products, powers and compositions. No rule guesses: where terms cancel, only
``o(...)`` of what cancelled is left, which is often enough for a limit. (SymPy's ``limit`` also
rewrites, compares numbers in floating point, and has been wrong.)
"""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp

from numerics.provers.exact.exact_numbers import told

__all__ = ["Leading", "leading", "limit"]

Order = tuple[sp.Expr, sp.Expr]
#: What is bounded and does not tend to 0.
CONSTANT: Order = (sp.S.Zero, sp.S.Zero)


class Leading(NamedTuple):
    """``(c + o(1)) x**p log(x)**l`` with the order (p, l). A `c` of 0 leaves ``o(...)`` alone."""

    c: sp.Expr
    order: Order


#: Functions f with f(0) = 0, with f'(0) and the limit at infinity, minus which is that at minus
#: infinity.
_ODD = {
    sp.atan: (sp.S.One, sp.pi / 2),
    sp.tanh: (sp.S.One, sp.S.One),
    sp.erf: (2 / sp.sqrt(sp.pi), sp.S.One),
    sp.sin: (sp.S.One, None),
    sp.tan: (sp.S.One, None),
    sp.asin: (sp.S.One, None),
    sp.sinh: (sp.S.One, None),
    sp.asinh: (sp.S.One, None),
}


def limit(e: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """The limit of `e` as `x` grows, which may be infinite; None where the rules do not tell it.

    >>> x = sp.Symbol("x", positive=True)
    >>> limit(sp.pi / 2 * x / sp.sqrt(1 + x**2) - sp.atan(x), x), limit(x - sp.log(x), x)
    (0, oo)
    >>> limit(x * (sp.exp(1 / x) - 1), x) is None
    True
    """
    found = leading(e, x)
    if found is None:
        return None
    if found.order > CONSTANT:
        way = _sign(found.c)
        return way * sp.oo if way else None
    return found.c if found.order == CONSTANT else sp.S.Zero


def leading(e: sp.Expr, x: sp.Symbol) -> Leading | None:
    """The leading term as `x` tends to infinity, None where the rules do not tell it."""
    if not e.has(x):
        return Leading(e, CONSTANT)
    if e == x:
        return Leading(sp.S.One, (sp.S.One, sp.S.Zero))
    if e.is_Mul:
        exponents = [a.exp for a in e.args if isinstance(a, sp.exp)]  # together they may fall
        rest = [a for a in e.args if not isinstance(a, sp.exp)]
        parts = [leading(a, x) for a in (*rest, *([sp.exp(sp.Add(*exponents))] if exponents else []))]
        known = [p for p in parts if p is not None]
        if len(known) < len(parts):
            return None
        return Leading(sp.Mul(*(p.c for p in known)), _sum(*(p.order for p in known)))
    if e.is_Add:
        parts = [leading(a, x) for a in e.args]
        known = [p for p in parts if p is not None]
        if len(known) < len(parts):
            return None
        most = max(p.order for p in known)
        return Leading(_zero_or_itself(sp.Add(*(p.c for p in known if p.order == most))), most)
    if isinstance(e, sp.exp):
        return _exponential(e.exp, x)
    if e.is_Pow:
        return _power(e, x)
    return _function(e, x) if len(e.args) == 1 else None


def _sum(*orders: Order) -> Order:
    return sp.Add(*(p for p, _ in orders)), sp.Add(*(k for _, k in orders))


def _sign(c: sp.Expr) -> int:
    """The sign of a coefficient, 0 where it is not known."""
    return 1 if told(c, "positive") else -1 if told(-c, "positive") else 0


def _zero_or_itself(c: sp.Expr) -> sp.Expr:
    """A sum of coefficients as 0, if it is a number that is 0."""
    zero = c.is_number and told(c, "nonnegative") and told(c, "nonpositive")
    return sp.S.Zero if zero or sp.expand(c) == 0 else c


def _power(e: sp.Pow, x: sp.Symbol) -> Leading | None:
    b, q = leading(e.base, x), e.exp
    if b is None or not q.is_Rational:
        return None
    p, k = b.order
    order = (sp.sympify(p * q), sp.sympify(k * q))
    if b.c == 0 and q > 0 and (q.is_Integer or told(e.base, "nonnegative")):
        return Leading(sp.S.Zero, order)
    way = _sign(b.c)
    return Leading(b.c**q, order) if way > 0 or (way and q.is_Integer) else None


def _exponential(u: sp.Expr, x: sp.Symbol) -> Leading | None:
    """exp of what tends to a number, or falls like a power."""
    to = limit(u, x)
    if to is None:
        return None
    if to == -sp.oo:
        grown = leading(u, x)
        fast = grown is not None and grown.order[0] > 0
        return Leading(sp.S.Zero, (-sp.oo, sp.S.Zero)) if fast else None
    return Leading(sp.exp(to), CONSTANT) if to != sp.oo else None


def _function(e: sp.Expr, x: sp.Symbol) -> Leading | None:
    f, u = type(e), e.args[0]
    part, to = leading(u, x), limit(u, x)
    if part is None or to is None:
        return None
    if f is sp.log:
        if part.order == CONSTANT and part.c != 0:
            return Leading(sp.log(part.c), CONSTANT) if _sign(part.c) > 0 else None
        grows = part.order[0].is_finite and part.order[0] != 0 and _sign(part.c) > 0
        return Leading(part.order[0], (sp.S.Zero, sp.S.One)) if grows else None
    if f is sp.erfc:
        other = _function(sp.erf(u), x)
        return None if other is None or to.is_finite else Leading(1 - other.c, CONSTANT)
    if f in _ODD:
        slope, far = _ODD[f]
        if to == 0:
            return Leading(slope * part.c, part.order)
        if to.is_infinite:
            return None if far is None else Leading(far if to == sp.oo else -far, CONSTANT)
    if to.is_finite and f in (sp.atan, sp.tanh, sp.erf, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.asinh):
        return Leading(f(to), CONSTANT)
    return None
