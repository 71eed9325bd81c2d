"""Changes of variables that make an expression rational: roots and exponentials become variables of
their own, and reciprocals bring infinite ends to 0. The exact engines can then decide it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import lcm

import sympy as sp
from flint import fmpq

from numerics.provers.enclosures.boxes import Box, Side
from numerics.provers.enclosures.enclose import Program, image
from numerics.provers.exact.exact_numbers import floor
from numerics.provers.statements.statement import assumptions
from numerics.rationals import flint_rational, sympy_rational

__all__ = ["Changed", "algebraic", "exponentials", "inverted", "led", "products", "tightened"]

Hypotheses = tuple[tuple[sp.Expr, bool], ...]
Changed = tuple[sp.Expr, tuple[sp.Symbol, ...], Box, Hypotheses]

#: The denominator of ends of ranges that are not rational.
ROOM = 1000
#: Quotients with more operations are not multiplied out.
MOST_OPERATIONS = 30


def _denominator(e: sp.Expr, x: sp.Symbol) -> int:
    """The least common denominator of the exponents of `x`."""
    return lcm(1, *(int(p.exp.q) for p in e.atoms(sp.Pow) if p.base == x and p.exp.is_Rational))


def _root(q: fmpq | None, n: int) -> fmpq | None:
    """The `n`-th root of an end of a range, if it is rational; None for an infinite end too."""
    if q is None:
        return None
    r = sp.root(sympy_rational(q), n)
    return flint_rational(r) if r.is_Rational else None


def _outward(s: Side, n: int) -> Side:
    """A range with short rational ends around the `n`-th roots of a range of positive numbers."""
    lo, hi = (None if q is None else ROOM * sympy_rational(q) ** sp.Rational(1, n) for q in (s.lo, s.hi))
    low, high = floor(lo), None if hi is None else floor(hi)
    return Side(fmpq(0) if low is None else fmpq(low, ROOM), None if high is None else fmpq(high + 1, ROOM))


def algebraic(e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses) -> Changed:
    """Replace ``x = s**n`` where roots of ``x`` occur, and ``exp(x/n)`` by a positive variable
    where nothing else has ``x``.
    """
    symbols, sides = list(symbols), list(box)
    for i, x in enumerate(symbols):
        s = sides[i]
        every = [e, *(g for g, _ in where)]
        n = lcm(*(_denominator(g, x) for g in every))
        if n > 1 and s.lo is not None and s.lo >= 0:
            lo, hi = _root(s.lo, n), _root(s.hi, n)
            left, right = s.lo_open and lo is not None, s.hi_open and hi is not None
            if lo is None or (hi is None and s.hi is not None):  # more than the range does no harm
                around = _outward(s, n)
                lo, hi = around.lo if lo is None else lo, around.hi if hi is None else hi
            new = Side(lo, hi, left, right)
            t = sp.Dummy(x.name, **assumptions(new))
            value = t**n
        else:
            rates = [r for g in every for r in _rates(g, x)]
            if not rates or None in rates or any(end not in (None, fmpq(0)) for end in (s.lo, s.hi)):
                continue
            one = fmpq(1)
            lo = fmpq(0) if s.lo is None else one
            new = Side(lo, None if s.hi is None else one, s.lo_open or s.lo is None, s.hi_open)
            t = sp.Dummy(x.name, **assumptions(new))
            value = lcm(*(int(r.q) for r in rates if r is not None)) * sp.log(t)
        e, where = e.subs(x, value), tuple((g.subs(x, value), strict) for g, strict in where)
        symbols[i], sides[i] = t, new
    return e, tuple(symbols), tuple(sides), where


def _rates(e: sp.Expr, x: sp.Symbol) -> Iterator[sp.Rational | None]:
    """The `r` of all ``exp(r*x)``; None where `x` occurs otherwise."""
    if e == x:
        yield None
    elif isinstance(e, sp.exp) and e.has(x):
        r = e.exp.coeff(x)
        yield r if r.is_Rational and not (e.exp - r * x).has(x) else None
    else:
        for a in e.args:
            yield from _rates(a, x)


def exponentials(
    e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses
) -> Iterator[list[Changed]]:
    """The same statement with ``t = exp(|x|/n)`` in place of an unbounded `x` that occurs in
    exponentials and elsewhere too. What is linear in `x` becomes a logarithm of `t`, which cancels
    against logarithms of sums of powers of `t`.
    """
    flat = sp.expand_power_exp(e.rewrite(sp.exp))
    for i, x in enumerate(symbols):
        s = box[i]
        rates = [
            r
            for a in flat.atoms(sp.exp)
            if (r := a.exp.coeff(x)).is_Rational and r != 0 and not (a.exp - r * x).has(x)
        ]
        if (
            not rates
            or s.integer
            or not s.infinite
            or any(end not in (None, fmpq(0)) for end in (s.lo, s.hi))
        ):
            continue
        n = lcm(*(int(r.q) for r in rates))
        pieces = []
        for flip, infinite, opposite, is_open in (
            (1, s.hi is None, s.lo, s.lo_open),
            (-1, s.lo is None, s.hi, s.hi_open),
        ):
            if infinite:
                t = sp.Dummy(x.name, positive=True)
                put = {x: flip * n * sp.log(t)}
                side = Side(fmpq(1), None, is_open and opposite is not None)
                names, sides = (*symbols[:i], t, *symbols[i + 1 :]), (*box[:i], side, *box[i + 1 :])
                pieces.append((flat.subs(put), names, sides, tuple((g.subs(put), k) for g, k in where)))
        yield pieces


def inverted(e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses) -> list[Changed]:
    """The same statement on pieces of the box, where every infinite end is the end 0 of a
    reciprocal ``x = +-1/s**n``. Roots of `x` become powers of `s`. An equality that is approached
    at infinity so becomes one that is approached at a point.
    """
    rows: list[list[tuple[sp.Symbol, Side, sp.Expr | None]]] = []
    for x, s in zip(symbols, box):
        row: list[tuple[sp.Symbol, Side, sp.Expr | None]] = []
        n = _denominator(e, x)
        cut = fmpq(1)
        if s.hi is None and s.lo is not None and s.lo >= 1:
            cut = s.lo
        if s.lo is None and s.hi is not None and s.hi <= -1:
            cut = -s.hi
        for flip, infinite, is_open in ((1, s.hi is None, s.lo_open), (-1, s.lo is None, s.hi_open)):
            if infinite:
                at = s.lo if flip > 0 else s.hi
                if at is not None and flip * at > cut:
                    return []
                top = _root(1 / cut, n)
                if top is None:
                    top, n = fmpq(1) / cut, 1
                side = Side(fmpq(0), top, True, is_open and at is not None and flip * at == cut)
                t = sp.Dummy(x.name, positive=True)
                row.append((t, side, flip * t**-n))
        lo = (-cut, False) if s.lo is None else (s.lo, s.lo_open)
        hi = (cut, False) if s.hi is None else (s.hi, s.hi_open)
        if lo[0] < hi[0] or (lo[0] == hi[0] and not (lo[1] or hi[1] or row)):
            row.append((x, Side(lo[0], hi[0], lo[1], hi[1], s.integer), None))
        rows.append(row)
    out = []
    for pick in itertools.product(*rows):
        put = {x: phi for x, (_, _, phi) in zip(symbols, pick) if phi is not None}
        change = lambda g, put=put: _flat(sp.powsimp(g.subs(put)))
        out.append(
            (
                change(e),
                tuple(p[0] for p in pick),
                tuple(p[1] for p in pick),
                tuple((change(g), k) for g, k in where),
            )
        )
    return out


def _flat(e: sp.Expr) -> sp.Expr:
    """Arguments of functions without quotients inside quotients: ``1/(1/s - 1)`` is undefined where
    `s` is 0, and ``s/(1 - s)`` is not.
    """
    nested = lambda a: a.is_rational_function() and a.count_ops() < MOST_OPERATIONS
    return e.replace(
        lambda f: (
            f.is_Function
            and len(f.args) == 1
            and (f.args[0].is_Pow or f.args[0].is_Mul)
            and nested(f.args[0])
        ),
        lambda f: f.func(sp.cancel(f.args[0])),
    )


def tightened(
    e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses
) -> Iterator[list[Changed]]:
    """The same statement on a smaller box, if a hypothesis bounds a variable by a number."""
    put: dict[sp.Symbol, sp.Symbol] = {}
    sides: list[Side] = []
    used: set[tuple[sp.Expr, bool]] = set()
    for x, side in zip(symbols, box):
        for h, strict in where if not side.integer else ():
            slope, rest = h.coeff(x), sp.expand(h - h.coeff(x) * x)
            if not (slope.is_Rational and slope != 0 and rest.is_Rational):
                continue
            end = flint_rational(-rest / slope)
            used.add((h, strict))
            if slope > 0 and (side.lo is None or end > side.lo or (end == side.lo and strict)):
                side = replace(side, lo=end, lo_open=strict)
            if slope < 0 and (side.hi is None or end < side.hi or (end == side.hi and strict)):
                side = replace(side, hi=end, hi_open=strict)
        sides.append(side)
        put[x] = x if side == box[len(put)] else sp.Dummy(x.name, **assumptions(side))
    if tuple(sides) != tuple(box) and all(s.infinite or s.lo < s.hi for s in sides):
        change = lambda g: g.xreplace(put)
        rest = tuple((change(h), strict) for h, strict in where if (h, strict) not in used)
        yield [(change(e), tuple(put.values()), tuple(sides), rest)]


def led(e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses) -> list[Changed]:
    """The same statement once for every unbounded positive variable as the largest of them, with
    the others as fractions of it. Then only one variable is unbounded, and enclosures need no
    longer compare terms of which nobody knows which one grows faster.
    """
    free = [i for i, s in enumerate(box) if s.hi is None]
    if len(free) < 2 or any(box[i].lo is None or box[i].lo < 0 for i in free):
        return []
    start = max(box[i].lo for i in free)
    beyond = any(box[i].lo_open for i in free if box[i].lo == start)
    out = []
    for i in free:
        x, names, sides, put = symbols[i], list(symbols), list(box), {}
        sides[i] = Side(start, None, beyond, integer=box[i].integer)
        for j in free:
            if j != i:
                above = box[j].lo > 0 or box[j].lo_open
                names[j] = sp.Dummy(
                    symbols[j].name, **({"positive": True} if above else {"nonnegative": True})
                )
                sides[j] = Side(fmpq(0), fmpq(1), above, False)
                put[symbols[j]] = names[j] * x
        change = lambda g, put=put: sp.powsimp(g.subs(put))
        out.append((change(e), tuple(names), tuple(sides), tuple((change(g), k) for g, k in where)))
    return out


def products(
    e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses
) -> Iterator[list[Changed]]:
    """The same statement with a monomial as a new variable in the place of one of its variables.
    The monomial is one in several positive variables that stands inside a function: the function
    then has one variable as its argument, so that its enclosure is sharp.
    """
    seen: set[sp.Expr] = set()
    for f in sorted(e.atoms(sp.Function), key=sp.default_sort_key):
        for t in sp.Add.make_args(sp.expand(f.args[-1])):
            m = t.as_independent(*symbols, as_Add=False)[1]
            powers = m.as_powers_dict()
            if (
                len(powers) < 2
                or m in seen
                or any(not (b.is_Symbol and b.is_positive and p.is_Rational) for b, p in powers.items())
            ):
                continue
            seen.add(m)
            side = image(Program(symbols), m, box)
            for x, p in powers.items():
                i = list(symbols).index(x)
                u = sp.Dummy("u", positive=True)
                put = {x: (u * x**p / m) ** (1 / p)}
                change = lambda g, put=put: sp.powsimp(sp.expand_power_base(g.subs(put)))
                names, sides = (*symbols[:i], u, *symbols[i + 1 :]), (*box[:i], side, *box[i + 1 :])
                f_new = change(e)
                keep = [j for j, n in enumerate(names) if f_new.has(n)]
                kept = {names[j] for j in keep}
                hyps = tuple((h, s) for g, s in where if (h := change(g)).free_symbols <= kept)
                yield [(f_new, tuple(names[j] for j in keep), tuple(sides[j] for j in keep), hyps)]
