"""Inequalities between rational functions, decided or proved by finitely many operations on
rational numbers.

In one variable the sign is constant between real roots, which Sturm's method separates; hypotheses
and whole numbers are included, and the answer is a decision. In several variables the numerator is
factored, and the inequality is proved if every factor has a sign on the box.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

import sympy as sp
from flint import fmpq

from numerics.provers.enclosures.boxes import Box, Side
from numerics.provers.exact.bernstein import positive
from numerics.rationals import flint_rational, fraction, sympy_rational

__all__ = ["one_variable", "sign", "slack_variables"]

Hypotheses = Sequence[tuple[sp.Expr, bool]]
#: Roots of polynomials with longer coefficients may lie so close together, or so far out, that
#: bisection would not end.
MOST_BITS = 1000


def _quotient(e: sp.Expr, symbols: Sequence[sp.Symbol]) -> tuple[sp.Expr, sp.Expr] | None:
    """Coprime numerator and denominator with rational coefficients; None if `e` is not a rational
    function with such coefficients.
    """
    if not e.is_rational_function(*symbols):
        return None
    n, d = sp.fraction(sp.cancel(e))
    try:
        for q in (n, d):
            sp.Poly(q, *(symbols or [sp.Dummy()]), domain="QQ")
    except (sp.CoercionFailed, sp.PolynomialError):
        return None
    return n, d


def one_variable(
    e: sp.Expr, x: sp.Symbol, side: Side, strict: bool, where: Hypotheses = ()
) -> bool | Fraction | None:
    """Decide ``e >= 0`` (``> 0``) for all `x` of the range that meet the hypotheses: True, or a
    counterexample; None where something is not a rational function, where no counterexample is
    rational, or where a coefficient has more than `MOST_BITS` bits.
    """
    parts = [_quotient(g, [x]) for g in (e, *(g for g, _ in where))]
    if any(q is None for q in parts):
        return None
    pairs = [(sp.Poly(n, x, domain="QQ"), sp.Poly(d, x, domain="QQ")) for n, d in parts]  # type: ignore[misc]
    stricts = [strict, *(s for _, s in where)]
    product = sp.Poly(1, x, domain="QQ")
    for q in itertools.chain(*pairs):
        if q.degree() > 0:
            product = product * q.sqf_part()
    for end in (side.lo, side.hi):
        if end is not None:
            product = product * sp.Poly(x - sympy_rational(end), x, domain="QQ")
    product = product.sqf_part()
    if max(max(abs(c.p), c.q).bit_length() for c in product.coeffs()) > MOST_BITS:
        return None
    roots = _isolate(product, sp.Rational(1, 4) if side.integer else None)

    def holds(signs: list[int | None], k: int) -> bool:
        return signs[k] is not None and signs[k] >= (1 if stricts[k] else 0)  # type: ignore[operator]

    def verdict(signs: list[int | None]) -> bool | None:
        """False for a counterexample, None where the expression itself is undefined although the
        hypotheses hold.
        """
        if not all(holds(signs, k) for k in range(1, len(signs))):
            return True
        return None if signs[0] is None else holds(signs, 0)

    at = lambda q: [_ratio_sign(n.eval(sympy_rational(q)), d.eval(sympy_rational(q))) for n, d in pairs]
    ends = [q for q in (side.lo, side.hi) if q is not None]
    points = (
        _whole(roots, side) if side.integer else [p for p in (*ends, *_between(roots)) if side.contains(p)]
    )
    answer: bool | None = True
    for p in points:
        v = verdict(at(p))
        if v is False:
            return fraction(p)
        answer = answer and v
    for a, b in () if side.integer else roots:
        exact = a == b
        low, middle, high = (flint_rational(q) for q in (a, (a + b) / 2, b))
        # The ends of the range are roots themselves, and were tried above where they belong to it:
        # the interval of any other root lies on one side of them.
        if any(low <= q <= high for q in ends) or not side.contains(middle):
            continue
        signs = at(middle) if exact else [_ratio_sign(_at_root(n, a, b), _at_root(d, a, b)) for n, d in pairs]
        v = verdict(signs)
        if v is False:
            return fraction(a) if exact else None
        answer = answer and v
    return answer


def _ratio_sign(n: sp.Rational, d: sp.Rational) -> int | None:
    """The sign of ``n/d``; None where d is 0."""
    return None if d == 0 else int(sp.sign(n) * sp.sign(d))


def _at_root(q: sp.Poly, a: sp.Rational, b: sp.Rational) -> sp.Rational:
    """A number with the sign of `q` at the only root that the product of all polynomials has
    between `a` and `b`.
    """
    return sp.S.Zero if q.degree() > 0 and q.count_roots(a, b) else q.eval(a)


def _isolate(p: sp.Poly, width: sp.Rational | None) -> list[tuple[sp.Rational, sp.Rational]]:
    """Disjoint intervals, in order, around the real roots of a squarefree polynomial."""
    if p.degree() < 1:
        return []
    eps = width or sp.S.One
    while True:
        out = sorted(((a, b) for (a, b), _ in p.intervals(eps=eps)), key=lambda r: r[0])
        if all(u[1] < v[0] for u, v in itertools.pairwise(out)):
            return out
        eps = eps / 16


def _between(roots: Sequence[tuple[sp.Rational, sp.Rational]]) -> list[fmpq]:
    """A short rational number in each of the intervals that the roots leave."""
    if not roots:
        return [fmpq(0)]
    first, last = roots[0][0], roots[-1][1]
    out = [
        fmpq(int(sp.floor(first)) - 1),
        *(_short(u[1], v[0]) for u, v in itertools.pairwise(roots)),
        fmpq(int(sp.ceiling(last)) + 1),
    ]
    return out


def _short(a: sp.Rational, b: sp.Rational) -> fmpq:
    """The rational number with the least denominator strictly between `a` and `b`."""
    q = 1
    while True:
        p = int(sp.floor(a * q)) + 1
        if p < b * q:
            return fmpq(p, q)
        q = q + 1 if q < 64 else 2 * q


def _whole(roots: Sequence[tuple[sp.Rational, sp.Rational]], side: Side) -> list[fmpq]:
    """Whole numbers that meet every interval between roots which contains any, and every whole
    root.
    """
    near: set[int] = {0}
    for a, b in roots:
        near.update(range(int(sp.floor(a)) - 1, int(sp.ceiling(b)) + 2))
    near.update(int(e.p) for e in (side.lo, side.hi) if e is not None)
    return [fmpq(n) for n in sorted(near, key=abs) if side.contains(fmpq(n))]


def sign(e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, strict: bool, boxes: int = 200) -> str:
    """``"exact sign"`` or ``"Bernstein"`` if factoring (and cutting the box) shows ``e >= 0`` (``>
    0``) on the box; else ``""``.

    >>> u, v = sp.symbols("u v", real=True)
    >>> line = Side(None, None)
    >>> sign((u - v) ** 2 - u**2 / 2 + v**2, [u, v], (line, line), strict=False)
    'exact sign'
    """
    parts = _quotient(e, symbols)
    if parts is None:
        return ""
    (c, ns), (k, ds) = sp.factor_list(parts[0]), sp.factor_list(parts[1])
    total, most = int(sp.sign(c) * sp.sign(k)), 1
    if total == 0:
        return "" if strict else "exact sign"
    factors = [(p, m, strict) for p, m in ns] + [(p, m, False) for p, m in ds]
    for p, m, firm in factors:
        if m % 2 == 0 and not firm:
            continue
        for s in (1, -1):
            used = positive(s * p, symbols, box, firm, boxes) or int(_quadratic(s * p, symbols, firm))
            used = used or _discriminant(s * p, symbols, box, firm, boxes)
            if used:
                break
        else:
            return ""
        total, most = total * (s if m % 2 else 1), max(most, used)
    return "" if total < 0 else "exact sign" if most == 1 else "Bernstein"


def _quadratic(p: sp.Expr, symbols: Sequence[sp.Symbol], strict: bool) -> bool:
    """Whether a quadratic polynomial is nonnegative (positive) everywhere: symmetric elimination of
    its matrix in ``(1, x)``.
    """
    used = [s for s in symbols if p.has(s)]
    poly = sp.Poly(p, *used) if used else None
    if poly is None or poly.total_degree() != 2:
        return False
    n = len(used) + 1
    m = [[fmpq(0)] * n for _ in range(n)]
    for powers, c in poly.terms():
        i, j = ([k + 1 for k, e in enumerate(powers) for _ in range(e)] + [0, 0])[:2]
        m[i][j] += flint_rational(c) / 2
        m[j][i] += flint_rational(c) / 2
    for k in range(n - 1, -1, -1):  # the constant comes last: what is left of it is the least value
        if m[k][k] < 0 or (m[k][k] == 0 and (any(m[k][j] != 0 for j in range(k)) or (strict and k == 0))):
            return False
        if m[k][k] != 0:
            for i in range(k):
                r = m[i][k] / m[k][k]
                for j in range(k):
                    m[i][j] -= r * m[k][j]
    return True


def _discriminant(p: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, strict: bool, boxes: int) -> int:
    """How many boxes show that ``p = a x**2 + b x + c`` has a, c and 4ac - b**2 >= 0 (> 0) on the
    box, for one of its variables.
    """
    for x in symbols:
        poly = p.as_poly(x) if p.has(x) else None
        if poly is None or poly.degree() != 2 or not p.free_symbols - {x}:
            continue
        a, b, c = poly.all_coeffs()
        wanted = ((4 * a * c - b**2, strict), (a, False), (c, False))
        used = [positive(sp.expand(q), symbols, box, firm, boxes) for q, firm in wanted]
        if all(used):
            return max(used)
    return 0


def slack_variables(
    symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses, depth: int = 2
) -> Iterable[tuple[dict[sp.Symbol, sp.Expr], tuple[sp.Symbol, ...], Box]]:
    """Ways to use up to `depth` linear hypotheses ``h >= 0``: ``h`` becomes a variable in the place
    of one that occurs in it. What else was known of the replaced variable is given up, so the new
    box covers every point that meets the hypotheses.
    """
    yield {}, tuple(symbols), box
    if not depth:
        return
    for n, (h, strict) in enumerate(where):
        for i, v in enumerate(symbols):
            c = h.coeff(v) if h.has(v) else sp.S.Zero
            if not c.is_Rational or c == 0 or (h - c * v).has(v):
                continue
            q = sp.Dummy("q", positive=True) if strict else sp.Dummy("q", nonnegative=True)
            put = {v: (q - (h - c * v)) / c}
            rest = [(sp.expand(g.subs(put)), s) for k, (g, s) in enumerate(where) if k != n]
            bounds = [(sp.expand(b.subs(put)), s) for b, s in box[i].gaps(v)]
            new = (*symbols[:i], q, *symbols[i + 1 :])
            sides = (*box[:i], Side(fmpq(0), None, strict), *box[i + 1 :])
            for more, names, final in slack_variables(new, sides, [*rest, *bounds], depth - 1):
                yield {v: put[v].subs(more), **{k: e for k, e in more.items() if k in symbols}}, names, final
