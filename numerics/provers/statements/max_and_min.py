"""Cuts the range of a variable where one argument of Max or Min overtakes another, or where the
argument of |x| changes its sign: on each part the expression is smooth there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from math import ceil, floor

import sympy as sp
from flint import fmpq

from numerics.provers.enclosures.boxes import Box, Side
from numerics.provers.exact.exact_numbers import Undecided, built, put
from numerics.rationals import flint_rational, fraction

__all__ = ["cases"]

Part = tuple[sp.Expr, Box]
# what bends, what decides, its value where that is >= 0, and where it is <= 0
Bend = tuple[sp.Expr, sp.Expr, sp.Expr, sp.Expr]


def cases(e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, limit: int = 16) -> list[Part]:
    """Parts of a box, which cover it, and `e` on each of them without the bends whose place is a
    number; `e` itself on the whole box if nothing can be cut, or into more than `limit` parts only.
    """
    parts: list[Part] = [(e, box)]
    while True:
        new = [p for f, b in parts for p in _cut(f, symbols, b)]
        if len(new) > limit:
            return [(e, box)]
        if new == parts:
            return parts
        parts = new


def _cut(e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box) -> list[Part]:
    for bent, decides, above, below in _bends(e):
        found = _place(decides, symbols)
        if found is None:
            continue
        i, root, rising = found
        upper, lower = _halves(box[i], root)
        if not rising:
            above, below = below, above
        sides = [(value, side) for value, side in ((above, upper), (below, lower)) if side is not None]
        with suppress(Undecided):
            return [(put(e, {bent: value}), (*box[:i], side, *box[i + 1 :])) for value, side in sides]
    return [(e, box)]


def _bends(e: sp.Expr) -> list[Bend]:
    out = []
    for t in sorted(e.atoms(sp.Abs, sp.Max, sp.Min), key=sp.default_sort_key):
        if isinstance(t, sp.Abs):
            out.append((t, t.args[0], t.args[0], -t.args[0]))
            continue
        args = sorted(t.args, key=sp.default_sort_key)
        for i, a in enumerate(args):
            for b in args[i + 1 :]:
                without = lambda loser, t=t: built(t.func, [c for c in t.args if c != loser])
                larger, smaller = (b, a) if isinstance(t, sp.Max) else (a, b)
                out.append((t, a - b, without(larger), without(smaller)))
    return out


def _place(g: sp.Expr, symbols: Sequence[sp.Symbol]) -> tuple[int, Fraction, bool] | None:
    """The variable of a linear function of one variable, its root, and whether the function rises;
    None for any other expression.
    """
    if len(g.free_symbols) != 1:
        return None
    x = next(iter(g.free_symbols))
    value, line = g.as_independent(x, as_Add=True)
    slope, rest = line.as_independent(x, as_Add=False)
    if rest != x or not (value.is_Rational and slope.is_Rational):
        return None
    root = -value / slope
    return list(symbols).index(x), fraction(root), bool(slope > 0)


def _halves(s: Side, root: Fraction) -> tuple[Side | None, Side | None]:
    """The parts of a range above and below a number, both with it, if they are not empty."""
    q = flint_rational(root)
    above, below = (fmpq(ceil(root)), fmpq(floor(root))) if s.integer else (q, q)
    if s.lo is not None and s.lo >= above:
        return s, None
    if s.hi is not None and s.hi <= below:
        return None, s
    return Side(above, s.hi, False, s.hi_open, s.integer), Side(s.lo, below, s.lo_open, False, s.integer)
