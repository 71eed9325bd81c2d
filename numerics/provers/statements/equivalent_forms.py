"""Writes one inequality in several forms that have the same truth value, because an enclosure may
decide one of them although it cannot decide the others.

``f >= 0`` is split at Max, Min and absolute values into a conjunction of alternatives. Each of
these is then written as a difference, as a difference of logarithms, without denominators, and
divided by each of its own terms, since at infinity the largest term wins.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import sympy as sp

from numerics.provers.enclosures.boxes import Box
from numerics.provers.enclosures.enclose import Program, Unsupported
from numerics.provers.enclosures.interval import Iv
from numerics.provers.enclosures.rules import Binet, BinetSlope, Sinc
from numerics.provers.exact.rational_functions import sign
from numerics.provers.statements.floating_point import Array, values_of

__all__ = ["Signs", "alternatives", "bare", "forms", "split_by_sign", "with_sinc", "with_tanh"]

#: Sizes of variables at which a sum may show that it has both signs.
PLACES = np.array([0.001, 0.1, 0.5, 0.9, 1.5, 3.0, 10.0, 100.0, 10_000.0])

#: Powers of cosines up to this one are written as sums of powers beside 1.
MOST_POWER = 6

#: Functions of whose signs SymPy is not believed.
_UNTOLD = (sp.tan, sp.LambertW, sp.harmonic, sp.polygamma)


class Signs:
    """Signs of expressions over a whole box, by one enclosure."""

    def __init__(self, program: Program, box: Box) -> None:
        self.program, self.box, self.values = program, box, program.on(box)
        self.far = [(x, 1) for x, s in zip(program.symbols, box) if s.hi is None]
        self.far += [(x, -1) for x, s in zip(program.symbols, box) if s.lo is None]

    def of(self, e: sp.Expr) -> Iv | None:
        """The enclosure of `e`, or None where it is not surely defined."""
        try:
            v = self.values[self.program.add(e)]
        except Unsupported:
            return None
        return v if v.defined else None

    def strict(self, e: sp.Expr) -> int:
        """1 or -1 where `e` surely has that sign everywhere, otherwise 0."""
        v = self.of(e)
        return 0 if v is None else 1 if v.pos else -1 if v.neg else 0

    def weak(self, e: sp.Expr) -> int:
        """1 where `e >= 0`, -1 where `e <= 0`, otherwise 0."""
        v = self.of(e)
        return 0 if v is None else 1 if v.nonneg else -1 if v.nonpos else 0

    def exactly_nonnegative(self, e: sp.Expr) -> bool:
        """Whether `e` is nonnegative by its assumptions or by exact arithmetic."""
        return bool(
            (e.is_nonnegative and _plain(e))
            or sign(e, self.program.symbols, self.box, strict=False, boxes=20)
        )


def alternatives(e: sp.Expr, signs: Signs, limit: int = 12) -> list[list[sp.Expr]]:
    """Lists of expressions without Max, Min or Abs on top, such that ``e >= 0`` holds where in
    every list some entry is ``>= 0``.

    >>> x, y = sp.symbols("x y", real=True)
    >>> alternatives(x - sp.Max(y, 1), Signs(Program([x, y]), ()))
    [[x - 1], [x - y]]
    """
    for t in sp.Add.make_args(e):
        c, m = _bend(t)
        if m is None:
            continue
        way = 1 if signs.exactly_nonnegative(c) else -1 if signs.exactly_nonnegative(-c) else 0
        if not way:
            continue
        args = (m.args[0], -m.args[0]) if isinstance(m, sp.Abs) else m.args
        rows = [alternatives(e - t + c * a, signs, limit) for a in sorted(args, key=sp.default_sort_key)]
        if (way > 0) == (not isinstance(m, sp.Min)):  # one branch suffices
            product = [list(dict.fromkeys(itertools.chain(*pick))) for pick in itertools.product(*rows)]
            return product if len(product) <= limit else [[e]]
        every = [row for r in rows for row in r]
        return every if len(every) <= limit else [[e]]
    return [[e]]


def _bend(t: sp.Expr) -> tuple[sp.Expr, sp.Expr | None]:
    """A product as its first factor Max, Min or Abs, and the rest of it."""
    for a in sp.Mul.make_args(t):
        if isinstance(a, (sp.Max, sp.Min, sp.Abs)):
            return t / a, a
    return t, None


def forms(e: sp.Expr, signs: Signs) -> Iterator[sp.Expr]:
    """`e` and other expressions that have the same sign as `e` on the whole box, the cheap ones
    first. Every multiplier is shown to be positive on the box before it is used.
    """
    seen: set[sp.Expr] = set()

    def fresh(h: sp.Expr) -> Iterator[sp.Expr]:
        if h not in seen and not h.has(sp.nan, sp.zoo, sp.oo):
            seen.add(h)
            yield h

    yield from fresh(e)
    parts = split_by_sign(e, signs)
    if parts is not None and (len(sp.Add.make_args(e)) == 2 or e.has(sp.exp)):
        a, b = parts
        logs = sp.expand_log(sp.log(a)) - sp.expand_log(sp.log(b))
        yield from fresh(sp.expand(logs))
        yield from fresh(logs)
        cleared = _cleared(logs, signs)
        if cleared is not None:
            yield from fresh(sp.expand(cleared))
    if any(p.exp == sp.Rational(1, 2) and p.base.is_Add for p in e.atoms(sp.Pow)):
        by = {t: signs.weak(t) for t in sp.Add.make_args(e)}
        if all(by.values()):  # a >= b >= 0 as a**2 >= b**2
            a, b = sp.Add(*(t for t, s in by.items() if s > 0)), sp.Add(*(t for t, s in by.items() if s < 0))
            yield from fresh(sp.expand(a**2) - sp.expand(b**2))
    if _tower(e):
        return
    numerator = _cleared(e, signs)
    if numerator is not None:
        yield from fresh(numerator)
        yield from fresh(sp.expand(numerator))
    flat = sp.expand(sp.powsimp(sp.expand((e if numerator is None else numerator).rewrite(sp.exp))))
    yield from fresh(flat)
    flats = [flat]
    if signs.far and flat.has(sp.log, sp.gamma, sp.loggamma, sp.polygamma):
        flats += [
            _logs_of_quotients(h, x, way)
            for x, way in signs.far
            for h in dict.fromkeys([flat, asymptotic(flat)])
        ]
    for h in dict.fromkeys(flats):
        yield from fresh(h)
        if h.is_Add and 2 <= len(h.args) <= 10:
            by = {t: signs.strict(t) for t in h.args}
            losers = [t for t, s in by.items() if s < 0]
            for t, s in by.items():
                if s > 0 or losers == [t]:
                    yield from fresh(sp.Add(*(s * u / t for u in h.args)))
    if e.has(sp.sin, sp.cos, sp.sinc) and any(p.exp.is_negative for p in e.atoms(sp.Pow)):
        h = with_sinc(e)
        yield from fresh(h)
        cleared = _cleared(h, signs)
        if cleared is not None:
            yield from fresh(sp.expand(cleared))


def _tower(e: sp.Expr) -> bool:
    """Whether a sum is raised to a sum, as in ``(1 + x)**(1 + x**2)``. Multiplied out that becomes
    a product of powers with as many factors as the exponent has terms: SymPy needs minutes.
    """
    return any(p.base.is_Add and p.exp.is_Add for p in e.atoms(sp.Pow))


def bare(e: sp.Expr) -> sp.Expr:
    """`e` without the factors that are positive by SymPy's assumptions: an expression with the same
    sign.

    >>> x, y = sp.symbols("x y", positive=True)
    >>> bare(sp.exp(y) * x**2 / y - 2 * sp.exp(y) * x / y)
    x - 2
    """
    told = [(f, _told(f)) for f in sp.Mul.make_args(sp.factor_terms(e))]
    return sp.Mul(*(f if way == 0 else sp.Integer(way) for f, way in told))


def _told(e: sp.Expr) -> int:
    """1 or -1 where SymPy's assumptions tell that sign of `e`, otherwise 0. It thinks long about a
    sum, and is not asked for a sign that the sum does not have at some points.
    """
    seen = _values(e) if e.is_Add else np.zeros(0)
    if not (seen < 0).any() and e.is_positive and _plain(e):
        return 1
    return -1 if not (seen > 0).any() and e.is_negative and _plain(e) else 0


def _values(e: sp.Expr) -> Array:
    """Values in floating point where all symbols are as they are assumed to be."""
    columns = {}
    for j, x in enumerate(sorted(e.free_symbols, key=str)):
        both = np.where(np.arange(len(PLACES)) // (j + 1) % 2, -1, 1)
        columns[x] = np.roll(PLACES, 2 * j) * (1 if x.is_nonnegative else -1 if x.is_nonpositive else both)
    with np.errstate(all="ignore"):
        return np.asarray(values_of(e, columns, {}), dtype=np.float64)


def _one_sign(e: sp.Add) -> bool:
    """Whether no irrational number in a sum has to be weighed against another term."""
    rational = all(a.is_Rational for a in sp.preorder_traversal(e) if a.is_number)
    return rational or all(t.is_nonnegative for t in e.args) or all(t.is_nonpositive for t in e.args)


def _plain(e: sp.Expr) -> bool:
    """Whether SymPy's assumptions tell the sign of `e` without evaluating a number such as pi - 3
    in floating point, and without what SymPy knows of special functions: these are no exact steps.
    """
    if e.has(*_UNTOLD) or not all(map(_one_sign, e.atoms(sp.Add))):
        return False
    numbers = (a for a in sp.preorder_traversal(e) if a.is_number and not a.is_Rational)
    return all(
        a.is_Mul or isinstance(a, (sp.NumberSymbol, sp.exp)) or (a.is_Pow and a.exp.is_Rational)
        for a in numbers
    )


def split_by_sign(e: sp.Expr, signs: Signs) -> tuple[sp.Expr, sp.Expr] | None:
    """``e = a - b`` with both parts positive on the box, if the signs of all terms are known and
    both occur.
    """
    by = [(t, signs.strict(t)) for t in sp.Add.make_args(e)]
    a, b = sp.Add(*(t for t, s in by if s > 0)), sp.Add(*(-t for t, s in by if s < 0))
    return (a, b) if all(s for _, s in by) and a != 0 and b != 0 else None


def _logs_of_quotients(e: sp.Expr, x: sp.Symbol, way: int) -> sp.Expr:
    """Logarithms of sums by ``log(a) = log(b) + log(a/b)``, where `b` is the term that leads as `x`
    tends to infinity in one direction: what is left stays bounded there.
    """

    def split(a: sp.Expr) -> sp.Expr:
        if not (a.is_Add and a.has(x)):
            return sp.log(a)
        rates = [_rate(t, x) for t in a.args]
        best = max(rates, key=lambda r: way * r)
        if way * best > 0:
            return best * x + sp.log(sp.expand(a * sp.exp(-best * x)))
        powers = [t.as_coeff_exponent(x)[1] for t in a.args]
        p = max((q for q in powers if q.is_Rational), default=sp.S.Zero)
        if way < 0 or not x.is_positive or any(rates) or p <= 0:
            return sp.log(a)
        return p * sp.log(x) + sp.log(sp.expand(a / x**p))

    return sp.expand(e.replace(sp.log, split), log=False, power_base=False, power_exp=False)


def _rate(t: sp.Expr, x: sp.Symbol) -> sp.Rational:
    """The `r` of the factor ``exp(r*x)`` of a product."""
    rates = (f.exp.coeff(x) for f in sp.Mul.make_args(t) if isinstance(f, sp.exp))
    return sum((r for r in rates if r.is_Rational), sp.S.Zero)


def asymptotic(e: sp.Expr) -> sp.Expr:
    """`e` with Stirling's formula in the place of log Gamma and psi, where the remainders are known
    up to bounds.
    """
    e = e.replace(
        lambda a: isinstance(a, sp.log) and isinstance(a.args[0], sp.gamma),
        lambda a: sp.loggamma(a.args[0].args[0]),
    )
    e = e.replace(sp.loggamma, lambda a: (a - sp.S.Half) * sp.log(a) - a + sp.log(2 * sp.pi) / 2 + Binet(a))
    e = e.replace(
        sp.polygamma, lambda n, a: sp.log(a) - 1 / (2 * a) - BinetSlope(a) if n == 0 else sp.polygamma(n, a)
    )
    return sp.expand(e, log=False, power_base=False, power_exp=False)


def with_sinc(e: sp.Expr) -> sp.Expr:
    """`e` with ``sin(u) = u*Sinc(u)``, and powers of cosines beside 1 as squares of sines, so that
    `u` in a denominator that tends to 0 with them is cancelled.

    >>> x = sp.Symbol("x", positive=True)
    >>> with_sinc((1 - sp.cos(x)) / x**2)
    Sinc(x/2)**2/2
    """

    def factored(a: sp.Add) -> sp.Expr:
        b, f = a.as_independent(sp.cos)
        k, power = f.as_coeff_Mul()
        c, n = power.as_base_exp()
        if k != -b or not isinstance(c, sp.cos) or not (n.is_Integer and 0 < n <= MOST_POWER):
            return a
        (u,), step = c.args, 2 if n % 2 == 0 else 1
        near = u**2 * Sinc(u) ** 2 if step == 2 else u**2 * Sinc(u / 2) ** 2 / 2
        return b * near * sp.Add(*(c**j for j in range(0, n, step)))

    e = e.replace(lambda a: a.is_Add and a.has(sp.cos), factored)
    return e.replace(sp.sin, lambda u: u * Sinc(u)).replace(sp.sinc, Sinc)


def _cleared(e: sp.Expr, signs: Signs) -> sp.Expr | None:
    """`e` without denominators, where the denominator's sign is known."""
    h = e.replace(sp.coth, lambda x: sp.cosh(x) / sp.sinh(x)).replace(sp.sech, lambda x: 1 / sp.cosh(x))
    h = h.replace(sp.csch, lambda x: 1 / sp.sinh(x))
    if h.has(sp.tanh) and not h.has(sp.log):
        h = h.replace(sp.tanh, lambda x: sp.sinh(x) / sp.cosh(x))
    n, d = sp.fraction(sp.together(h))
    if d == 1:
        return None
    s = 1
    for factor in sp.Mul.make_args(sp.factor_terms(d)):
        b, p = factor.as_base_exp()
        if p.is_Integer and p % 2 == 0 and b.is_real:
            continue
        k = signs.strict(factor)
        if not k:
            return None
        s *= k
    return s * n


def with_tanh(e: sp.Expr) -> sp.Expr:
    """Quotients of sinh and cosh of one argument, as differentiation leaves them, written with tanh
    and coth, which stay bounded where sinh and cosh alone overflow every enclosure.
    """
    return (
        e.replace(lambda t: t.is_Mul and t.has(sp.sinh) and t.has(sp.cosh), _quotients)
        if e.has(sp.cosh)
        else e
    )


def _quotients(t: sp.Mul) -> sp.Expr:
    """One product for `with_tanh`."""
    powers = {
        b: p for b, p in t.as_powers_dict().items() if isinstance(b, (sp.sinh, sp.cosh)) and p.is_Integer
    }
    for b, m in powers.items():
        n = powers.get(sp.cosh(b.args[0]), 0)
        if isinstance(b, sp.sinh) and m * n < 0:
            k = min(abs(m), abs(n)) * (1 if m > 0 else -1)
            t = (
                t
                / sp.sinh(b.args[0]) ** k
                * sp.cosh(b.args[0]) ** k
                * (sp.tanh(b.args[0]) ** k if k > 0 else sp.coth(b.args[0]) ** -k)
            )
    return t
