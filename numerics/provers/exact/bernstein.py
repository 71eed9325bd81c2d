"""Proves exactly that a polynomial has one sign on a box: its Bernstein coefficients bound it from
below, and halving the box sharpens that bound. Infinite ends are mapped to 1 by ``x = lo + t/(1 -
t)``, and the denominator is multiplied out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import comb
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq
from numpy.typing import NDArray

from numerics.provers.enclosures.boxes import Box, Side
from numerics.rationals import flint_rational

__all__ = ["positive"]

Tensor = NDArray[Any]  # of fmpq


def positive(p: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, strict: bool, boxes: int = 200) -> int:
    """How many boxes show that the polynomial `p` is nonnegative (positive, if `strict`) on `box`;
    0 if this was not shown.

    >>> x, y = sp.symbols("x y")
    >>> unit = Side(fmpq(0), fmpq(1))
    >>> positive(7 * x**2 - 7 * x + 2, [x, y], (unit, unit), strict=True)
    3
    >>> positive(x - y, [x, y], (unit, unit), strict=False)
    0
    """
    used = [i for i, s in enumerate(symbols) if p.has(s)]
    poly = sp.Poly(p, *[symbols[i] for i in used], domain="QQ") if used else None
    if poly is None:
        return int(bool(p > 0 or (not strict and p >= 0)))
    degrees = [poly.degree(s) for s in poly.gens]
    if int(np.prod([d + 1 for d in degrees])) > 4000:
        return 0
    power = np.empty([d + 1 for d in degrees], dtype=object)
    power[...] = fmpq(0)
    for monomial, c in poly.terms():
        power[monomial] = flint_rational(c)
    count = 0
    stack = [(t, ends, 0) for t, ends in _charts(power, degrees, [box[i] for i in used])]
    while stack:
        t, ends, depth = stack.pop()
        count += 1
        if _shown(t, ends, strict):
            continue
        if count + len(stack) > boxes or any(t[c] < 0 for c in itertools.product(*[(0, d) for d in degrees])):
            return 0
        axis = depth % len(degrees)
        left, right = _halve(t, axis)
        lo, hi = ends[axis]
        stack.append((left, (*ends[:axis], (lo, True), *ends[axis + 1 :]), depth + 1))
        stack.append((right, (*ends[:axis], (True, hi), *ends[axis + 1 :]), depth + 1))
    return count


Ends = tuple[tuple[bool, bool], ...]  # whether the lower and the upper end of each variable are attained


def _charts(power: Tensor, degrees: Sequence[int], sides: Sequence[Side]) -> Iterator[tuple[Tensor, Ends]]:
    """The polynomial on the unit box in Bernstein form, once for every quadrant of the lines that
    are infinite both ways.
    """
    per_axis = []
    for d, s in zip(degrees, sides):
        if s.lo is None and s.hi is None:
            per_axis.append([_ray(d, fmpq(0), 1, True), _ray(d, fmpq(0), -1, True)])
        elif s.hi is None:
            per_axis.append([_ray(d, s.lo, 1, not s.lo_open)])
        elif s.lo is None:
            per_axis.append([_ray(d, s.hi, -1, not s.hi_open)])
        else:
            per_axis.append([(_segment(d, s.lo, s.hi), (not s.lo_open, not s.hi_open))])
    for pick in itertools.product(*per_axis):
        t = power
        for axis, (m, _) in enumerate(pick):
            t = np.moveaxis(np.tensordot(m, t, axes=(1, axis)), 0, axis)
        yield t, tuple(e for _, e in pick)


def _segment(d: int, lo: fmpq, hi: fmpq) -> Tensor:
    """Rows turn the coefficients in ``x`` into those of the Bernstein basis of degree `d` on
    ``[lo, hi]``.
    """
    m = np.empty((d + 1, d + 1), dtype=object)
    for j in range(d + 1):  # x**j = (lo(1-t) + hi t)**j (1-t + t)**(d-j)
        for i in range(d + 1):
            c = fmpq(0)
            for k in range(max(0, i - (d - j)), min(i, j) + 1):
                c += comb(j, k) * hi**k * lo ** (j - k) * comb(d - j, i - k)
            m[i, j] = c / comb(d, i)
    return m


def _ray(d: int, end: fmpq, sign: int, attained: bool) -> tuple[Tensor, tuple[bool, bool]]:
    """The same for ``x = end + sign*t/(1-t)``, after multiplication by ``(1-t)**d``."""
    m = np.empty((d + 1, d + 1), dtype=object)
    for j in range(d + 1):  # x**j (1-t)**d = (end(1-t) + sign t)**j (1-t)**(d-j)
        for i in range(d + 1):
            c = comb(j, i) * fmpq(sign) ** i * end ** (j - i) if i <= j else fmpq(0)
            m[i, j] = c / comb(d, i)
    return m, (attained, False)


def _shown(t: Tensor, ends: Ends, strict: bool) -> bool:
    if any(c < 0 for c in t.flat):
        return False
    if not strict:
        return True
    # on every face that belongs to the box some basis function with a positive coefficient must be
    # positive
    faces = [[slice(None)] + [slice(0, 1)] * lo + [slice(-1, None)] * hi for lo, hi in ends]
    return all(any(c > 0 for c in t[pick].flat) for pick in itertools.product(*faces))


def _halve(t: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """De Casteljau's subdivision at the middle of one axis."""
    rows = list(np.moveaxis(t, axis, 0))
    left, right, half = [rows[0]], [rows[-1]], fmpq(1, 2)
    while len(rows) > 1:
        rows = [(a + b) * half for a, b in itertools.pairwise(rows)]
        left.append(rows[0])
        right.append(rows[-1])
    return np.moveaxis(np.array(left, dtype=object), 0, axis), np.moveaxis(
        np.array(right[::-1], dtype=object), 0, axis
    )
