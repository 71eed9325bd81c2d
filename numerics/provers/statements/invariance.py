"""Reduces a statement by one variable where its sign does not change when all variables are scaled,
or shifted, together. ``sqrt(x + y) <= sqrt(x) + sqrt(y)`` is homogeneous, so that ``x = 1`` and ``x
= 0`` are enough; ``log(e**x + e**y) <= Max(x, y) + c`` does not change if both variables are
shifted, so that ``y = 0`` is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import sympy as sp

from numerics.provers.enclosures.boxes import Box, Side
from numerics.provers.exact.exact_numbers import Undecided, put
from numerics.provers.exact.normal_form import Letters
from numerics.provers.statements.rational_variables import Changed

__all__ = ["reductions"]

Hypotheses = tuple[tuple[sp.Expr, bool], ...]


def reductions(
    e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses
) -> Iterator[list[Changed]]:
    """Lists of statements with one variable less that together imply ``e >= 0`` (``> 0``) on the
    box, hypotheses included, which must be invariant as well. Only variables between 0 and
    infinity, or on the whole line, can be scaled or shifted.
    """
    if len(symbols) < 2:
        return
    exprs = [e, *(g for g, _ in where)]
    for found in (_weights(exprs, symbols, box), _shifts(exprs, symbols, box)):
        if found is None:
            continue
        at, values = found
        pieces = [_fixed(at, value, e, symbols, box, where) for value in values]
        if all(p is not None for p in pieces):
            yield [p for p in pieces if p is not None]


def _fixed(
    i: int, value: sp.Expr, e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses
) -> Changed | None:
    try:
        exprs = [put(g, {symbols[i]: value}) for g in (e, *(g for g, _ in where))]
    except Undecided:
        return None
    if any(g.has(sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I) for g in exprs):
        return None
    rest = [j for j in range(len(symbols)) if j != i]
    hypotheses = tuple((g, strict) for g, (_, strict) in zip(exprs[1:], where))
    return exprs[0], tuple(symbols[j] for j in rest), tuple(box[j] for j in rest), hypotheses


def _scalable(s: Side) -> bool:
    return not s.integer and all(end is None or end == 0 for end in (s.lo, s.hi)) and not s.point


def _weights(
    exprs: Sequence[sp.Expr], symbols: Sequence[sp.Symbol], box: Box
) -> tuple[int, list[sp.Expr]] | None:
    """A variable that scaling brings to 1, -1 or 0, with those of the three that occur in its
    range.
    """
    unknown = {x: sp.Dummy(x.name) for x in symbols}
    equations = [unknown[x] for x, s in zip(symbols, box) if not _scalable(s)]
    for e in exprs:
        _degree(e, unknown, equations)
    kernel = (
        sp.linear_eq_to_matrix(equations, list(unknown.values()))[0].nullspace()
        if equations
        else [sp.ones(len(symbols), 1)]
    )
    for w in kernel:
        moving = [i for i in range(len(symbols)) if w[i] != 0]
        if moving:
            values = {i: [sp.Integer(v) for v in (1, -1, 0) if box[i].contains(Fraction(v))] for i in moving}
            best = min(moving, key=lambda i: len(values[i]))
            return best, values[best]
    return None


def _degree(e: sp.Expr, unknown: dict[sp.Symbol, sp.Symbol], equations: list[sp.Expr]) -> sp.Expr:
    """The degree of `e` when each variable has an unknown one; what has to hold for that is added
    to `equations`.
    """
    if e in unknown:
        return unknown[e]
    if e.is_number:
        return sp.S.Zero
    parts = [_degree(a, unknown, equations) for a in e.args]
    if e.is_Mul:
        return sp.Add(*parts)
    if e.is_Pow and e.exp.is_Rational:
        return e.exp * parts[0]
    if e.is_Add or isinstance(e, (sp.Max, sp.Min, sp.Abs)):
        equations += [d for p in parts[1:] if (d := p - parts[0]) != 0]
        return parts[0]
    equations += [p for p in parts if p != 0]  # of any other function the argument must not change
    return sp.S.Zero


def _shifts(
    exprs: Sequence[sp.Expr], symbols: Sequence[sp.Symbol], box: Box
) -> tuple[int, list[sp.Expr]] | None:
    """A variable on the whole line that may be set to 0, because a common shift of all such
    variables changes nothing.
    """
    lines = [x for x, s in zip(symbols, box) if s.lo is None and s.hi is None and not s.integer]
    if len(lines) < 2:
        return None
    t = sp.Dummy("t", real=True)
    letters = Letters()
    moved = [e.subs({x: x + t for x in lines}, simultaneous=True) - e for e in exprs]
    if not all(letters.vanish(letters.translate(moved))):
        return None
    return list(symbols).index(lines[-1]), [sp.S.Zero]
