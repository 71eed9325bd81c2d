"""The only room in which the sign, the order or the rounding of an exact number is decided.

SymPy decides them on few digits, and is wrong near a tie. Here Arb encloses the number at rising
precision. Whether an algebraic number is 0 is decided by a root bound: such a number is 0 or at
least as large as its expression tells, and so is decided a rational combination of logarithms of
algebraic numbers, as its exponential is algebraic. What remains is not decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import lcm, prod
from typing import Any

import sympy as sp
from flint import arb

from numerics.provers.enclosures.balls import Complex, NoBall, value

__all__ = ["Undecided", "agreed", "built", "floor", "put", "sign", "told"]

#: Precisions at which a number is enclosed before it is asked whether it is 0.
_BITS = (64, 256, 1024)
#: Numbers whose root bound needs more bits are not decided.
_MOST_BITS = 200_000
#: Functions that SymPy writes out at whole numbers.
_GROWING = (
    sp.factorial,
    sp.factorial2,
    sp.gamma,
    sp.binomial,
    sp.rf,
    sp.ff,
    sp.fibonacci,
    sp.lucas,
    sp.catalan,
    sp.bell,
    *(sp.loggamma, sp.polygamma, sp.harmonic, sp.uppergamma, sp.lowergamma, sp.beta),
)
#: Functions whose digits SymPy counts when it evaluates them.
_COUNTED = (sp.exp, sp.log, sp.sin, sp.cos, sp.atan, sp.Abs)


class Undecided(ValueError):
    """A number is so close to a tie that neither Arb nor exact arithmetic tells on which side."""


class _Transcendental(Exception):
    """An expression is not built from rational numbers by arithmetic and roots."""


def _enclosed(e: sp.Expr, bits: int) -> Complex | None:
    """An enclosure of a number at a precision; None if it has none there."""
    try:
        v = value(e, bits)
    except NoBall:
        return None
    return v if v.is_finite() else None


@lru_cache(maxsize=10_000)
def sign(e: sp.Expr) -> int | None:
    """The sign of a real number: -1, 0 or 1; None where it is not decided, or the number is not
    surely real.
    """
    if e.is_Rational:
        return int(e.p > 0) - int(e.p < 0)
    for bits in _BITS:
        v = _enclosed(e, bits)
        if v is None:
            continue
        if not v.imag.contains(0):
            return None
        if v.imag.is_zero() and not v.real.contains(0):
            return 1 if v.real > 0 else -1
    try:
        return _algebraic_sign(e)
    except _Transcendental:
        return 0 if _logarithmic_zero(e) else _strict_sign(e, 2**12)


def _strict_sign(e: sp.Expr, bits: int) -> int | None:
    """The sign of a number that is not 0, if it shows at a precision."""
    v = _enclosed(e, bits)
    return None if v is None or not v.imag.is_zero() or v.real.contains(0) else 1 if v.real > 0 else -1


def _algebraic_sign(e: sp.Expr) -> int | None:
    """The sign of an algebraic number (Burnikel, Fleischer, Mehlhorn, Schirra: a strong and easily
    computable separation bound for arithmetic expressions involving radicals). It is a quotient of
    algebraic integers of a degree at most D, whose conjugates are below 2**u and 2**l: it is 0, or
    at least 2**-((D - 1)*u + l).
    """
    roots: dict[Any, int] = {}
    u, lower = _bounds(e, roots)
    least = (prod(roots.values()) - 1) * u + lower
    enough, bits = min(2 * _BITS[-1] + 4 * (least + u + 64), _MOST_BITS), _BITS[-1]
    while bits < enough:
        bits = min(2 * bits, enough)
        v = _enclosed(e, bits)
        if v is not None and v.abs_upper() < arb(2) ** (-least):
            return 0
        if v is not None and not v.contains(0):
            return _strict_sign(e, bits)
    return None


def _bounds(e: sp.Expr, roots: dict[Any, int]) -> tuple[int, int]:
    """Exponents u and l of two for `_algebraic_zero`; every root that occurs is noted with the
    degree that it may add.
    """
    if e.is_Rational:
        return (max(1, abs(e.p)) - 1).bit_length(), (e.q - 1).bit_length()
    if e is sp.I:
        roots[e] = 2
        return 0, 0
    if e is sp.GoldenRatio:
        return _bounds((1 + sp.sqrt(5)) / 2, roots)
    if e.is_Add or e.is_Mul:
        u, lower = _bounds(e.args[0], roots)
        for a in e.args[1:]:
            v, k = _bounds(a, roots)
            u, lower = (u + v if e.is_Mul else max(u + k, lower + v) + 1), lower + k
        return u, lower
    if e.is_Pow and e.exp.is_Rational:
        u, lower = _bounds(e.base, roots)
        p, q = int(e.exp.p), int(e.exp.q)
        if q > 1:  # the root of a/b is that of a*b**(q - 1), over b
            roots[e.base, q] = q
            u = -(-(u + (q - 1) * lower) // q)
        return (p * u, p * lower) if p > 0 else (-p * lower, -p * u)
    if (
        isinstance(e, (sp.sin, sp.cos)) and (e.args[0] / sp.pi).is_Rational
    ):  # (z + 1/z)/2 for a root of unity z
        roots[sp.pi] = lcm(
            roots.get(sp.pi, 1), 2 * int((e.args[0] / sp.pi).q), 4 if isinstance(e, sp.sin) else 1
        )
        return 1, 1
    raise _Transcendental(e)


#: exp(c*f(a)) for the functions that are logarithms, with c.
_EXPONENTIALS: Mapping[Any, tuple[sp.Expr, Any]] = {
    sp.log: (sp.S.One, lambda a: a),
    sp.acosh: (sp.S.One, lambda a: a + sp.sqrt(a - 1) * sp.sqrt(a + 1)),
    sp.asinh: (sp.S.One, lambda a: a + sp.sqrt(a**2 + 1)),
    sp.atanh: (sp.Integer(2), lambda a: (1 + a) / (1 - a)),
    sp.acos: (sp.I, lambda a: a + sp.I * sp.sqrt(1 - a**2)),
    sp.asin: (sp.I, lambda a: sp.sqrt(1 - a**2) + sp.I * a),
    sp.atan: (2 * sp.I, lambda a: (1 + sp.I * a) / (1 - sp.I * a)),
}


def _logarithmic_zero(e: sp.Expr) -> bool:
    """Whether a combination of logarithms with rational coefficients is 0: a multiple of it has the
    exponential 1 exactly, and is smaller than 2 pi.
    """
    terms: list[tuple[sp.Expr, sp.Expr]] = []
    for t in sp.Add.make_args(sp.expand(e)):
        c, f = t.as_independent(sp.pi, sp.Function, as_Add=False)
        if f is sp.pi:
            terms.append((c / sp.I, sp.S.NegativeOne))  # exp(i pi)
        elif f.func in _EXPONENTIALS and len(f.args) == 1:
            by, exponential = _EXPONENTIALS[f.func]
            terms.append((c / by, exponential(f.args[0])))
        else:
            return False
    for turn in (sp.S.One, sp.I):
        powers = [sp.expand(turn * c) for c, _ in terms]
        if all(c.is_Rational for c in powers):
            n = lcm(*(int(c.q) for c in powers))
            v = _enclosed(n * e, 256)
            if v is None or not v.abs_upper() < 6:
                return False
            product = sp.Mul(
                *(sp.Pow(a, int(n * c), evaluate=False) for (_, a), c in zip(terms, powers)), evaluate=False
            )
            try:
                return _algebraic_sign(sp.Add(product, -1, evaluate=False)) == 0
            except _Transcendental:
                return False
    return False


@lru_cache(maxsize=10_000)
def floor(e: sp.Expr) -> int | None:
    """The largest whole number that is at most a real number; None where it is not decided."""
    if e.is_Rational:
        return int(e.p // e.q)
    for bits in (*_BITS, 2**12, 2**14):
        v = _enclosed(e, bits)
        if v is None or not v.imag.is_zero() or not v.real.rad() < 0.25:
            continue
        mantissa, exponent = map(int, v.real.mid().man_exp())
        if exponent > _MOST_BITS:
            return None
        # the nearest one
        n = (2 * mantissa << exponent) + 1 >> 1 if exponent >= 0 else (mantissa >> -exponent - 1) + 1 >> 1
        s = sign(e - n)
        return None if s is None else n if s >= 0 else n - 1
    return None


@lru_cache(maxsize=10_000)
def agreed(number: sp.Expr) -> bool:
    """Whether SymPy's opinion of the sign of a number, if it has one, is right. It looks at few
    digits, and takes the logarithm of Gamma at 1 + 2**-60 for 0. For functions whose digits it does
    not count, the opinion may change with what was evaluated before. It is not asked where so few
    digits do not even tell that the number is real.
    """
    v = _enclosed(number, 128)
    if v is None or not v.imag.is_zero():
        return True  # nothing here is known of it, or it is not real
    if isinstance(number, sp.Function) and not isinstance(number, _COUNTED):
        rough = _enclosed(number, 16)
        if rough is None or not rough.imag.is_zero():
            return False
    said = (number.is_positive, number.is_negative)
    s = (
        (1 if v.real > 0 else -1)
        if not v.real.contains(0)
        else None
        if said == (None, None)
        else sign(number)
    )
    return said == (None, None) or (s is not None and said[0] in (None, s > 0) and said[1] in (None, s < 0))


def told(e: sp.Expr, kind: str) -> bool:
    """Whether `e` is ``"nonnegative"``, ``"nonpositive"`` or ``"positive"`` by what is assumed of
    its symbols; of a number that is decided here.
    """
    if e.is_number and not e.is_Rational:
        s = sign(e)
        return s is not None and {"nonnegative": s >= 0, "nonpositive": s <= 0, "positive": s > 0}[kind]
    return bool(getattr(e, f"is_{kind}")) and all(agreed(a) for a in e.atoms(sp.Function) if a.is_number)


def built(head: Any, args: Sequence[sp.Expr]) -> sp.Expr:
    """What SymPy makes of a head and its arguments, but for the heads that compare or round
    numbers: these are decided here, or `Undecided`.
    """
    if head in (sp.Max, sp.Min):
        return _extreme(head, args)
    if head in (sp.floor, sp.ceiling, sp.frac):
        return _rounded(head, *args)
    if head is sp.Mod and all(a.is_number for a in args):
        a, m = args
        return a - m * _rounded(sp.floor, a / m) if m != 0 else sp.nan
    if (
        head in (sp.Abs, sp.sign, sp.Heaviside)
        and args[0].is_number
        and not args[0].has(sp.I)
        and _has_value(args[0])
    ):
        s = _sure(args[0])
        if head is sp.Heaviside:
            return sp.Integer(s > 0) if s else sp.Heaviside(0, *args[1:])
        return sp.Integer(s) if head is sp.sign else s * args[0]
    if (
        head is sp.Pow
        and args[0].is_Pow
        and args[0].base.is_Add
        and args[0].is_number
        and not args[1].is_Integer
    ):
        return _power_of_power(args[0].base, args[0].exp, args[1])
    if _is_long(head, args):
        raise Undecided(
            f"{head.__name__} of {', '.join(map(_begins, args))} has too many digits to be written out"
        )
    if head in (sp.Add, sp.Mul):
        return head(*args)
    return _weighed(head(*map(_weighed, args)))


def _begins(e: sp.Expr) -> str:
    """How a number begins; Python does not print the longest."""
    return "a long number" if e.is_Integer and abs(e).p.bit_length() > 10_000 else str(e)[:40]


def _is_long(head: Any, args: Sequence[sp.Expr]) -> bool:
    """Whether SymPy would write a rational number out that has more than `_MOST_BITS`."""
    if head is sp.Pow and all(a.is_Rational for a in args):
        base, exponent = args
        return abs(exponent) * (max(abs(base.p), base.q) - 1).bit_length() > _MOST_BITS
    return head in _GROWING and any(
        a.is_Rational and abs(a) * int(abs(a)).bit_length() > _MOST_BITS for a in args
    )


def _weighed(e: sp.Expr) -> sp.Expr:
    """`e`, if SymPy is right about the signs of the numbers in it, by which it would rewrite."""
    for a in e.atoms(sp.Function):
        if a.is_number and not agreed(a):
            raise Undecided(f"SymPy takes {a} for a number of another sign; enclose it by rational numbers")
    return e


def _power_of_power(base: sp.Expr, inner: sp.Expr, outer: sp.Expr) -> sp.Expr:
    """``(base**inner)**outer``, for which SymPy would ask in which half plane a real base lies."""
    if base.has(sp.I):
        return (base**inner) ** outer
    side = sign(base) if inner.is_extended_real else None
    if side == 1:
        return sp.Pow(base, inner * outer)
    if side == -1 and inner.is_even:
        return sp.Pow(-base, inner * outer)
    return sp.Pow(sp.Pow(base, inner), outer, evaluate=False)


def _has_value(e: sp.Expr) -> bool:
    return not e.has(sp.nan, sp.zoo, sp.oo, -sp.oo)


def _sure(number: sp.Expr) -> int:
    """The sign of a number."""
    s = sign(number)
    if s is None:
        raise Undecided(f"the sign of {number} is not decided; write what depends on it in another way")
    return s


def _rounded(head: Any, e: sp.Expr) -> sp.Expr:
    """floor, ceiling or frac, with the whole terms outside."""
    if head is sp.ceiling:
        return -_rounded(sp.floor, -e)
    if head is sp.frac:
        return e - _rounded(sp.floor, e)
    whole: list[sp.Expr] = []
    rest: list[sp.Expr] = []
    for t in sp.Add.make_args(e):
        (whole if t.is_integer else rest).append(t)
    part = sp.Add(*rest)
    if not part.is_number or part.has(sp.I) or not _has_value(part):
        return sp.Add(*whole, sp.floor(part, evaluate=False)) if part.free_symbols else sp.floor(e)
    n = floor(part)
    if n is None:
        raise Undecided(
            f"the whole number below {part} is not decided; write it down, and prove the inequalities apart"
        )
    return sp.Add(*whole, sp.Integer(n))


def _extreme(head: Any, args: Sequence[sp.Expr]) -> sp.Expr:
    """Max or Min: arguments with a number as their difference are compared here, and SymPy compares
    the others only where no irrational number occurs.
    """
    flat = [b for a in args for b in (a.args if isinstance(a, head) else (a,))]
    kept: list[sp.Expr] = []
    for a in dict.fromkeys(flat):
        for b in list(kept):
            gap = a - b if not (a - b).free_symbols else sp.expand(a - b)
            if not gap.is_number or gap.has(sp.I) or not _has_value(gap):
                continue
            if (_sure(gap) > 0) == (head is sp.Max):
                kept.remove(b)
            else:
                break
        else:
            kept.append(a)
    if all(
        a.is_Rational or not any(n.is_number and not n.is_Rational for n in sp.preorder_traversal(a))
        for a in kept
    ):
        return head(*kept)
    if any(a.is_extended_real is False for a in kept):
        raise ValueError(f"{head.__name__} of {', '.join(map(str, kept))} is taken of what is not real")
    return head(*kept, evaluate=False)


def put(e: sp.Expr, values: Mapping[sp.Expr, sp.Expr]) -> sp.Expr:
    """`e` with expressions in the place of others, all at once; no number that this brings about is
    compared or rounded by SymPy: it is decided here, or `Undecided`.
    """
    known: dict[sp.Expr, sp.Expr] = dict(values)

    def go(a: sp.Expr) -> sp.Expr:
        if a not in known:
            args = [go(b) for b in a.args]
            known[a] = a if all(b is c for b, c in zip(args, a.args)) else built(a.func, args)
        return known[a]

    return go(e)
