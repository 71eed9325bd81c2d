"""Changes of variables for sines and cosines: the tangent of half an angle, which makes them
rational, and half turns as the unit of an angle, in which multiples of pi are rational numbers. And
inequalities between an angle and an inverse function, as those between their sines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import gcd

import sympy as sp
from flint import fmpq

from numerics.provers.enclosures.boxes import Box, Side
from numerics.provers.enclosures.enclose import Program, image
from numerics.provers.exact.exact_numbers import sign
from numerics.provers.statements.branch import Task
from numerics.provers.statements.statement import assumptions
from numerics.rationals import flint_rational, sympy_rational

__all__ = ["half_angles", "half_turns", "unwound"]

Hypotheses = tuple[tuple[sp.Expr, bool], ...]
Changed = tuple[sp.Expr, tuple[sp.Symbol, ...], Box, Hypotheses]
End = tuple[sp.Expr, bool] | None  # an end of a range, and whether it is left out; None: infinite

ROUND = (sp.sin, sp.cos, sp.tan)
#: Multiples of an angle up to this one are written as polynomials.
MOST_TURNS = 4
#: Rates of angles are multiples of its reciprocal.
COMMON = 120


def half_angles(
    e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses
) -> Iterator[list[Changed]]:
    """The same statement with ``t = tan(a)`` in the place of an `x` that occurs only in sines and
    cosines of even multiples, and in tangents of multiples, of an angle ``a = h*x``. Where `t` is
    infinite the statement is another piece. What hypotheses say of `x` itself remains as the range
    of `t`, or not at all.

    >>> x = sp.Symbol("x", real=True)
    >>> [[(e, _, _, _), (there, *_)]] = half_angles(sp.cos(x), [x], (Side(None, None),), ())
    >>> e.subs(e.free_symbols.pop(), 0), there
    (1, -1)
    """
    for i, x in enumerate(symbols):
        if not e.has(x) or None in _rates(e, x) or box[i].integer:
            continue
        kept = tuple((h, strict) for h, strict in where if None not in _rates(h, x))
        rates = [sp.Rational(r) for f in (e, *(h for h, _ in kept)) for r in _rates(f, x)]
        h = sp.Rational(gcd(*(int(r * COMMON) for r in rates)), COMMON)
        if any((r * COMMON).q != 1 for r in rates) or max(abs(r / h) for r in rates) > MOST_TURNS:
            continue
        given = e, tuple(symbols), box, kept
        side = _tangents(_range(x, box[i], where), h)
        t = sp.Dummy(x.name, **assumptions(side or Side(None, None)))
        pieces = [_put(t, i, x, h, given, side or Side(None, None))]
        if side is None:  # it may be infinite
            pieces.append(_put(None, i, x, h, given, None))
        if not any(
            f.has(sp.nan, sp.zoo, sp.oo) for e, _, _, hyps in pieces for f in (e, *(k for k, _ in hyps))
        ):
            yield pieces


def _put(
    t: sp.Symbol | None, i: int, x: sp.Symbol, h: sp.Rational, given: Changed, side: Side | None
) -> Changed:
    """The statement with the tangent `t` of ``h*x`` in the place of `x`; None: it is infinite."""
    e, symbols, box, where = given
    change = lambda f: _turned(f, x, h, t)
    names = (*symbols[:i], *([] if t is None else [t]), *symbols[i + 1 :])
    sides = (*box[:i], *([] if side is None else [side]), *box[i + 1 :])
    return change(e), names, sides, tuple((change(f), strict) for f, strict in where)


def half_turns(
    e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses
) -> Iterator[list[Changed]]:
    """The same statement with ``x = pi*t``, where pi and the sine or cosine of a multiple of `x`
    occur: it may be an equality where `t` is rational.

    >>> x = sp.Symbol("x", real=True)
    >>> given = (sp.sin(x), [x], (Side(fmpq(0), None),), ((sp.pi - x, False),))
    >>> [[(_, _, (side,), _)]] = half_turns(*given)
    >>> side.lo, side.hi
    (0, 1)
    """
    for i, x in enumerate(symbols):
        every = (e, *(h for h, _ in where if h.has(x)))
        if (
            box[i].integer
            or not any(h.has(sp.pi) for h in every)
            or not any(_rates(h, x) - {None} for h in every)
        ):
            continue
        ends = _range(x, box[i], where)
        side = _outward(*(v if v is None else (v[0] / sp.pi, v[1]) for v in ends))
        t = sp.Dummy(x.name, **assumptions(side))
        put = lambda h, x=x, t=t: h.subs(x, sp.pi * t)
        hyps = [(put(h), s) for h, s in where]
        gaps = [(put(h), s) for h, s in box[i].gaps(x) if any(v and h.subs(x, v[0]) == 0 for v in ends)]
        names, sides = (*symbols[:i], t, *symbols[i + 1 :]), (*box[:i], side, *box[i + 1 :])
        rest = tuple((h, s) for h, s in (*hyps, *gaps) if not _implied(h, t, side))
        yield [(put(e), names, sides, rest)]


def unwound(task: Task) -> Iterator[list[Task]]:
    """``asin(u) <= v`` as ``sin(v) >= u or v >= pi/2``, where ``v >= -pi/2``, and for atan the same
    with ``sin(v)/cos(v)``: lists of tasks that together imply the task.
    """
    if len(task.alternatives) != 1:
        return
    e = sp.expand(task.alternatives[0].replace(sp.acos, lambda u: sp.pi / 2 - sp.asin(u)))
    for t in sp.Add.make_args(e):
        k, f = t.as_coeff_Mul()
        if not isinstance(f, (sp.asin, sp.atan)) or (e - t).has(f):
            continue
        way = -sp.sign(k)  # asin and atan are odd
        u, v = way * f.args[0], (e - t) / abs(k)
        high = sp.sin(v) - (u if isinstance(f, sp.asin) else u * sp.cos(v))
        low = replace(task, alternatives=[v + sp.pi / 2], strict=False, depth=1 + task.depth)
        yield [low, replace(task, alternatives=[high, v - sp.pi / 2], depth=1 + task.depth)]


def _implied(h: sp.Expr, t: sp.Symbol, side: Side) -> bool:
    """Whether a hypothesis says no more than the range of `t` with its rational ends."""
    ratios = (sp.cancel(h / g) for g, strict in side.gaps(t))
    return any(r.is_number and bool(r.is_positive) for r in ratios)


def _rates(e: sp.Expr, x: sp.Symbol) -> set[sp.Rational | None]:
    """The `r` of all tangents of ``r*x``, and half of those of all sines and cosines of ``r*x`` and
    more; None where `x` occurs otherwise.
    """
    if not e.has(x):
        return set()
    if isinstance(e, ROUND):
        u = sp.expand(e.args[0])
        r, rest = u.coeff(x), sp.expand(u - u.coeff(x) * x)
        fine = r.is_Rational and r != 0 and not rest.has(x) and (rest == 0 or not isinstance(e, sp.tan))
        return {(r if isinstance(e, sp.tan) else r / 2) if fine else None}
    return {None} if e == x else set().union(*(_rates(a, x) for a in e.args))


def _turned(e: sp.Expr, x: sp.Symbol, h: sp.Rational, t: sp.Symbol | None) -> sp.Expr:
    """`e` with rational functions of the tangent `t` of ``h*x``; None: it is infinite."""
    c, s = (sp.Integer(-1), sp.Integer(0)) if t is None else ((1 - t**2) / (1 + t**2), 2 * t / (1 + t**2))

    def turn(f: sp.Expr) -> sp.Expr:
        u = sp.expand(f.args[0])
        r, rest = u.coeff(x), sp.expand(u - u.coeff(x) * x)
        if isinstance(f, sp.tan):
            out, one = sp.S.Zero, sp.zoo if t is None else sp.sign(r) * t
            for _ in range(abs(r / h)):
                out = (
                    sp.cancel((out + one) / (1 - out * one))
                    if t is not None
                    else sp.zoo
                    if out == 0
                    else sp.S.Zero
                )
            return out
        cosine, sine, way = sp.cos(rest), sp.sin(rest), sp.sign(r)
        for _ in range(abs(r / (2 * h))):
            cosine, sine = cosine * c - way * sine * s, sine * c + way * cosine * s
        return sp.factor(sine if isinstance(f, sp.sin) else cosine)

    return e.replace(lambda f: isinstance(f, ROUND) and f.has(x), turn)


def _range(x: sp.Symbol, side: Side, where: Hypotheses) -> tuple[End, End]:
    """The ends of a variable, by its range and by hypotheses that bound it by a number; infinite
    ones if these leave nothing.
    """
    lo: End = None if side.lo is None else (sympy_rational(side.lo), side.lo_open)
    hi: End = None if side.hi is None else (sympy_rational(side.hi), side.hi_open)
    for h, strict in where:
        slope = sp.expand(h).coeff(x)
        rest = sp.expand(h - slope * x)
        way = sign(slope) if slope.is_number and rest.is_number else None
        if not way:
            continue
        new = (-rest / slope, strict)
        if way > 0 and (lo is None or sign(new[0] - lo[0]) == 1 or (new[0] == lo[0] and strict)):
            lo = new
        if way < 0 and (hi is None or sign(hi[0] - new[0]) == 1 or (new[0] == hi[0] and strict)):
            hi = new
    return (None, None) if lo and hi and sign(hi[0] - lo[0]) != 1 else (lo, hi)


def _tangents(ends: tuple[End, End], h: sp.Rational) -> Side | None:
    """The range of ``tan(h*x)``, None if it may be infinite."""
    out: list[End] = []
    for end, way in zip(ends, (-1, 1)):
        gap = None if end is None else sign(sp.pi / 2 - way * h * end[0])
        if end is None or gap in (None, -1) or (gap == 0 and not end[1]):
            return None
        out.append(None if gap == 0 else (sp.tan(h * end[0]), end[1]))
    return _outward(*out)


def _outward(lo: End, hi: End) -> Side:
    """A range with rational ends around one whose ends need not be rational."""

    def outward(end: End, lower: bool) -> tuple[fmpq | None, bool]:
        if end is None or end[0].is_Rational:
            return (None, False) if end is None else (flint_rational(end[0]), end[1])
        around = image(Program(()), end[0], ())
        return around.lo if lower else around.hi, False

    (low, left), (high, right) = outward(lo, True), outward(hi, False)
    return Side(low, high, left, right)
