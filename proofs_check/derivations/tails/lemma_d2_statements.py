"""What the rows of Lemma D.2, item 2, of Boursier & Boyer say, as statements.

The p-th power of the largest norm is P, as in `proofs_check.derivations.tails.largest`, and
ln(L)^{p/2} is 0 for L = 1 and a power of ln(L) >= ln(2) from L = 2 on.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from numerics.derivations.derived import exp, log
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.terms import term
from numerics.derivations.statements import Statement, from_sympy
from proofs_check.derivations.softmax_average.softmax_average import d, k, mean
from proofs_check.derivations.tails.choice_of_the_cut import choice
from proofs_check.derivations.tails.incomplete_gamma import (
    X,
    admissible,
    b,
    c_p,
    density,
    over_T,
    power_beyond,
)
from proofs_check.derivations.tails.largest import (
    P,
    largest_of_the_powers,
    p,
    positive_part,
    sub_gaussian_vectors,
)
from proofs_check.derivations.tails.lemma_d2 import power_of_the_logarithm
from theory.bounds.sub_gaussian import c_p_explicit, maximum_explicit

_L, _d, _p = sp.symbols("L d p", positive=True)
VALUES = {_L: L, _d: d, _p: p, sp.log(_L) ** (_p / 2): power_of_the_logarithm}
largest = mean(positive_part(P(k)))
given = sub_gaussian_vectors().assumptions | largest_of_the_powers().assumptions


def maximum(share: int | Fraction = 1) -> Statement:
    """E max |z_l|^p <= share C_p (d^{p/2} + ln(L)^{p/2}) with the C_p of `theory`."""
    return Statement(largest, "<=", Fraction(share) * from_sympy(maximum_explicit(_L, _d, _p), VALUES), given)


def gamma(c: int | Fraction = 1) -> Statement:
    """Gamma(p/2, x) <= c c_p e^{-x} x^{p/2} for every x >= 1/16 with the c_p of `theory`."""
    bound = Fraction(c) * from_sympy(c_p_explicit(_p), VALUES) * exp(-X) * X ** (p / 2)
    return Statement(over_T(power_beyond(X)), "<=", bound, density().assumptions)


def cuts(
    c: Fraction = Fraction(1, 2), least: int = 1, share: int | Fraction = 1, last: int | Fraction = 1
) -> tuple[Statement, ...]:
    """B^{2/p} >= c (64 d + 32 ln L) and B >= `least` for the B of the paper, and the two displays:
    `share` times that at any cut that is at least 1, and `last` times that at this one.
    """
    assumed = given | density().assumptions | admissible().assumptions
    far = L * exp(2 * d) * (p / 2) * 16 ** (p / 2) * c_p * exp(-(b ** (2 / p)) / 16) * b / 16 ** (p / 2)
    return (
        Statement((64 * d + 32 * log(L)) * Fraction(c), "<=", choice ** (2 / p)),
        Statement(term(least), "<=", choice),
        Statement(largest, "<=", Fraction(share) * (b + far), assumed),
        Statement(largest, "<=", Fraction(last) * ((1 + p * c_p / 2) * choice), assumed),
    )
