"""Exact rational numbers handed from one library to another: `fractions.Fraction`, SymPy, FLINT.

Statements are written with SymPy, witnesses are Fractions, and the engines compute with FLINT.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from flint import arb, fmpq

__all__ = ["arb_ball", "flint_rational", "fraction", "in_short", "sympy_rational"]

#: Numbers with more bits are shown by their first digits.
READABLE = 200


def sympy_rational(q: Fraction | fmpq) -> sp.Rational:
    """A rational number as SymPy's."""
    return sp.Rational(int(q.numerator), int(q.denominator))


def fraction(q: fmpq | sp.Rational) -> Fraction:
    """A rational number as Python's.

    >>> fraction(fmpq(2, 6)), fraction(sp.Rational(2, 6))
    (Fraction(1, 3), Fraction(1, 3))
    """
    return Fraction(int(q.numerator), int(q.denominator))


def flint_rational(q: Fraction | sp.Rational) -> fmpq:
    """A rational number as FLINT's.

    >>> flint_rational(Fraction(2, 6)) == flint_rational(sp.Rational(1, 3)) == fmpq(1, 3)
    True
    """
    return fmpq(int(q.numerator), int(q.denominator))


def arb_ball(q: Fraction | sp.Rational) -> arb:
    """An Arb ball that contains a rational number.

    >>> 3 * arb_ball(Fraction(1, 3)).contains(arb(1) / 3)
    3
    """
    return arb(flint_rational(q))


def in_short(e: sp.Expr) -> str:
    r"""LaTeX in which a long rational number is rounded, as nobody reads its digits.

    >>> x = sp.Symbol("x")
    >>> in_short(x / 3), in_short(x - sp.Rational(3**200 + 1, 7))
    ('\\frac{x}{3}', 'x + {\\approx}-3.79449e+94')
    """
    long = [q for q in e.atoms(sp.Rational) if max(abs(q.p), q.q).bit_length() > READABLE]
    rounded = {q: rf"{{\approx}}{arb(flint_rational(q)).str(6, radius=False)}" for q in long}
    return str(sp.latex(e.xreplace({q: sp.Symbol(text) for q, text in rounded.items()})))
