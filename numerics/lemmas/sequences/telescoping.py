"""Bounds of sums by differences: if ``f(k) <= F(k) - F(k - 1)`` for every k, then the sum of f from
l to m is at most ``F(m) - F(l - 1)``. F is read off the leading term of f, and `forall` checks the
inequality of one term, which is the step of an induction on the upper limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import sympy as sp
from sympy.concrete.gosper import gosper_term

from numerics.lemmas.sequences.asking import Asker
from numerics.lemmas.sequences.forms import Total
from numerics.lemmas.sequences.statement import affine
from numerics.lemmas.sequences.window import Anchor, Fact, Window
from numerics.provers.as_written import latex
from numerics.provers.exact.exact_numbers import put

__all__ = ["limits", "primitives", "telescoped", "term_signs"]

#: Where the decay of a term is read off, and how near it must be to a simple exponent.
FAR, NEAR = (10**6, 10**8), 2e-3
#: Terms with more operations are left alone.
MOST_OPERATIONS = 40
#: Rational functions of higher degrees take Gosper's algorithm minutes.
MOST_DEGREE = 4
HALF = sp.Rational(1, 2)


def primitives(f: sp.Expr, k: sp.Symbol) -> Iterator[sp.Expr]:
    """Functions F with ``F(k) - F(k - 1)`` near ``f(k)`` for large k, those that are below it or
    above it wherever f is convex among them.
    """
    if f.count_ops() > MOST_OPERATIONS or k not in f.free_symbols:
        return
    ratio = sp.simplify(f.xreplace({k: k + 1}) / f)
    if k not in ratio.free_symbols and ratio != 1:
        yield f * ratio / (ratio - 1)
        return
    with suppress(NotImplementedError, ValueError, TypeError, AttributeError, ZeroDivisionError):
        short = f.is_rational_function(k) and _degree(f, k) <= MOST_DEGREE
        exact = gosper_term(f, k) if short else None
        if exact is not None:
            yield sp.factor(exact * f).xreplace({k: k + 1})
            return
    for place in (2, 4):  # falls at least as fast as a geometric series from there on
        share = ratio.xreplace({k: sp.Integer(place)})
        if share.is_Rational and 0 < share < 1 and _at(ratio, k, FAR[0]) < float(share):
            yield -f.xreplace({k: k + 1}) / (1 - share)
    with suppress(NotImplementedError, ValueError, TypeError, ZeroDivisionError):
        p = _exponent(f, k)
        if p is None:
            return
        c = sp.limit(sp.powsimp(f * k**p), k, sp.oo)
        if not c.is_finite or c == 0 or c.has(k, sp.AccumBounds):
            return
        sigma = _shift(f, c, p, k)
        power = lambda x: c * sp.log(x) if p == 1 else c * x ** (1 - p) / (1 - p)
        first = (sigma, sigma + HALF) if p == 1 else (sigma + HALF, sigma)  # of logarithms the plain one
        for s in dict.fromkeys((*first, sigma + 1, sp.S.Zero)):
            yield power(k + s)


def _degree(f: sp.Expr, k: sp.Symbol) -> int:
    """The larger degree of a rational function's numerator and denominator."""
    return max(int(sp.degree(e, k)) for e in sp.fraction(sp.together(f)) if e != 0)


def _at(f: sp.Expr, k: sp.Symbol, place: int) -> float:
    """The size of a term far out, with parameters at plain values."""
    values = {x: sp.Rational(1, 2) if x.is_positive else sp.S.One for x in f.free_symbols - {k}}
    return float(abs(sp.N(f.subs({**values, k: place}), 30)))


def _exponent(f: sp.Expr, k: sp.Symbol) -> sp.Rational | None:
    """The simple p with ``f ~ c k**-p``, if there seems to be one."""
    a, b = (_at(f, k, place) for place in FAR)
    if not (a > 0 and b > 0):
        return None
    p = math.log(a / b) / math.log(FAR[1] / FAR[0])
    simple = sp.Rational(round(12 * p), 12)
    return simple if abs(p - simple) < NEAR else None


def _shift(f: sp.Expr, c: sp.Expr, p: sp.Rational, k: sp.Symbol) -> sp.Expr:
    """s with ``f ~ c (k + s)**-p`` up to terms of order ``k**(-p - 2)``."""
    if p == 0:
        return sp.S.Zero
    values = {x: sp.Rational(1, 2) if x.is_positive else sp.S.One for x in f.free_symbols - {k}}
    far = sp.Integer(10**6)
    off = sp.N((f * k**p / c).subs({**values, k: far}) - 1, 40) * far / -p
    simple = sp.Rational(round(12 * float(off)), 12)
    return simple if abs(float(off) - simple) < NEAR else sp.S.Zero


def telescoped(
    asker: Asker, w: Window, anchor: Anchor, wanted: tuple[int, ...], most: int
) -> Iterator[tuple[Fact, bool, str]]:
    """Bounds of a sum or product in a window, from above (1) or below (-1) as `wanted`, from so
    many functions at `most`, with whether each is exact, and in words. The terms up to the first
    index are written out where the lower limit is a number.
    """
    t, fixed = anchor.total, anchor.lo.is_Integer
    slopes = [(affine(e, w.n) or (-1, 0))[0] for e in (anchor.lo, anchor.hi)]
    if t.term.slots or w.first == w.last or min(slopes) < 0:
        return
    at_first = {w.n: sp.Integer(w.first)}
    start = put(anchor.hi, at_first) + 1 if fixed else anchor.lo
    least = int(put(start, at_first))
    inner = Window(asker.st, least, None)
    k, product = inner.n, t.head is sp.Product
    f = put(t.term.value, {t.k: k})
    begin = w.written_out(t, int(anchor.lo), int(start) - 1, anchor.env) if fixed else sp.Integer(product)
    signs = [asker.shown(inner, f, True, ()), asker.shown(w, begin, True, ())] if product else [True]
    if None in signs:
        return
    for place, big in enumerate(_kept_primitives(asker, t, k)[:most]):
        step, end = big - put(big, {k: k - 1}), put(big, {k: anchor.hi}) - put(big, {k: start - 1})
        step, end = (sp.exp(step), sp.exp(end)) if product else (step, end)
        for sign in wanted:
            op = r"\le" if sign > 0 else r"\ge"
            exact = _term(asker, inner, (t.symbol, place, sign), sign * (step - f))
            if exact is None:
                continue
            bound = begin * end if product else begin + end
            words = rf"${latex(f)} {op} {latex(step)}$ for ${latex(k)} \ge {least}$"
            joined = "multiplied" if product else "summed up"
            yield Fact(sign * (bound - anchor.symbol), ">="), exact and all(signs), words + ", " + joined


def _kept_primitives(asker: Asker, t: Total, k: sp.Symbol) -> list[sp.Expr]:
    if t.symbol not in asker.primitives:
        f = t.term.value
        positive = sp.Dummy(t.k.name, integer=True, positive=True)
        f = put(f, {t.k: positive})
        found = primitives(sp.log(f) if t.head is sp.Product else f, positive)
        asker.primitives[t.symbol] = [(big, positive) for big in found]
    return [put(big, {positive: k}) for big, positive in asker.primitives[t.symbol]]


def _term(asker: Asker, inner: Window, key: Any, gap: sp.Expr) -> bool | None:
    """The inequality of one term from some index on; it is asked again only where it was false
    before an index.
    """
    known, least = asker.terms.get(key), inner.first
    if known is not None:
        exact, since, fails_at = known
        if exact is not None and since <= least:
            return bool(exact)
        if exact is None and (fails_at is None or fails_at >= least):
            return None
    asker.few = True  # there are other bounds, and each is asked for
    exact = asker.shown(inner, gap, False, ())
    asker.few = False
    asker.terms[key] = exact, least, asker.fails_at
    return exact


def limits(w: Window, lo: sp.Expr, hi: sp.Expr) -> tuple[int, int | None] | None:
    """The smallest lower and the largest upper limit in a window, None for no largest one."""
    low, high = affine(lo, w.n), affine(hi, w.n)
    if low is None or high is None or (w.last is None and low[0] < 0):
        return None
    ends = [w.first] if w.last is None else [w.first, w.last]
    least = min(low[0] * e + low[1] for e in ends)
    most = None if w.last is None and high[0] > 0 else max(high[0] * e + high[1] for e in ends)
    return least, most


def term_signs(asker: Asker, w: Window, anchor: Anchor) -> Iterator[tuple[Fact, bool]]:
    """That a sum of nonnegative terms is nonnegative, and a product of positive ones positive."""
    t, ends = anchor.total, limits(w, anchor.lo, anchor.hi)
    if ends is None or (ends[1] is not None and ends[1] < ends[0]):
        return
    inner = Window(asker.st, *ends)
    product = t.head is sp.Product
    f = inner.of(t.term, {t.k: inner.here})
    exact = asker.shown(inner, f, product, inner.instances(0))
    if exact is not None:
        yield Fact(anchor.symbol, ">" if product else ">="), exact
