"""Numbers for the variables of equations: simple ones, and others over twelve decades, of the kind
that the assumptions about a symbol ask for.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from numerics.counterexamples.drawn.codes import MOST

__all__ = ["kind_of", "number_of", "table"]

#: The codes next to 0 stand for these numbers, the simplest ones.
SIMPLE = tuple(
    Fraction(p, q)
    for p, q in (
        (1, 1),
        (2, 1),
        (1, 2),
        (3, 1),
        (1, 3),
        (3, 2),
        (2, 3),
        (4, 1),
        (1, 4),
        (5, 1),
        (3, 4),
        (4, 3),
        (1, 5),
        (10, 1),
        (1, 10),
    )
)
#: The others reach from 2^-20 to 2^20.
OCTAVES = 20


@cache
def _positive(i: int) -> Fraction:
    """The positive number number i: simple ones first, and then numbers of growing and falling
    size.
    """
    if i < len(SIMPLE):
        return SIMPLE[i]
    far = (i - len(SIMPLE)) / (MOST - len(SIMPLE))
    turn = 2 * math.modf(i * 0.6180339887498949)[0] - 1
    return Fraction(256 + i * 37 % 256, 256) * Fraction(2) ** round(OCTAVES * min(far, 1) * turn)


def kind_of(s: sp.Expr) -> str:
    """What of a symbol's assumptions the numbers depend on."""
    if s.is_zero:
        return "zero"
    size = "whole " if s.is_integer else ""
    if s.is_extended_positive or s.is_extended_negative:
        return f"{size}{'positive' if s.is_extended_positive else 'negative'}"
    if s.is_extended_nonnegative or s.is_extended_nonpositive:
        return f"{size}{'nonnegative' if s.is_extended_nonnegative else 'nonpositive'}"
    return f"{size}nonzero" if s.is_nonzero else f"{size}real"


@cache
def number_of(kind: str, code: int) -> Fraction:
    """The number of a code, for a symbol of some kind: whole or not, and of which sign."""
    *whole, sign = kind.split()
    i = abs(code)
    if sign == "zero":
        return Fraction(0)
    if sign in ("nonnegative", "nonpositive", "real", "nonzero"):
        if i == 0:
            return Fraction(sign == "nonzero")
        i -= 1
    size = _positive(i)
    if whole:
        size = Fraction(i + 1 if i < 32 else math.ceil(32 * 2 ** (15 * (i - 32) / MOST)))
    return (
        -size if sign in ("negative", "nonpositive") or (code < 0 and sign in ("real", "nonzero")) else size
    )


@cache
def table(kind: str) -> NDArray[np.float64]:
    """The numbers of all codes, rounded."""
    return np.array([float(number_of(kind, c)) for c in range(-MOST, MOST + 1)])
