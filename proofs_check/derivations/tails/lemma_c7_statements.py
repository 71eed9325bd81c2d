"""What the rows of Lemma C.7 of Boursier & Boyer say, as statements."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from numerics.derivations.derived import exp, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.terms import Term, term
from numerics.derivations.statements import Statement, from_sympy
from proofs_check.derivations.softmax_average import softmax_average as W
from proofs_check.derivations.softmax_average.softmax_average import K, a2, d, rho, sigma, sub_gaussian
from proofs_check.derivations.softmax_average.tilted import TOKEN
from proofs_check.derivations.softmax_average.weighted_errors import C_f, growth
from proofs_check.derivations.tails.largest import positive_part
from theory.bounds.concentration import C as C_of
from theory.bounds.concentration_moments import lemma_c7, tail_integral, threshold_c7

_L, _a2, _K, _s2, _C, _d, _Z = sp.symbols("L a2 K sigma2 C_f d Z4", positive=True)
_x = sp.Symbol("x", positive=True)
Z4 = W.mean(TOKEN.square**2)
VALUES = {_L: L, _a2: a2, _K: K, _s2: sigma**2, _C: C_f, _d: d, _Z: Z4}
error = W.expectation(W.error_squared**2)
t_0 = from_sympy(threshold_c7(_L, _a2, _K), VALUES)
#: 2 C sqrt(t_0)/L, the first term of every bound.
first_term = 2 * from_sympy(C_of(_a2, _K), VALUES) * K / sqrt(L)
cut = positive_part(t_0 / 8 - rho**2)
scale = 16 * sigma**2 * C_f**2


given = sub_gaussian().assumptions | growth(1).assumptions


def lemma(c: int | Fraction = 1) -> Statement:
    """E|err|^4 is at most c times the bound of the lemma."""
    bound = lemma_c7(_L, _a2, _K, _s2, _C, _d, _Z)
    return Statement(error, "<=", Fraction(c) * from_sympy(bound, VALUES), given)


def tails(front: int | Fraction = 1) -> tuple[Statement, Statement]:
    """E|err|^4 <= front 2 C sqrt(t_0)/L + 8 L E(C_f^4 |Z|^4 - s)_+ with s = (t_0/8 - |R/S|^4)_+,
    and with 16 L e^{2d} times the integral of u e^{-u/(16 sigma^2 C_f^2)} from sqrt(s) on.
    """
    first = Fraction(front) * first_term
    token = W.mean(positive_part(C_f**4 * TOKEN.square**2 - cut))
    scale = sp.Symbol("scale", positive=True)
    closed = from_sympy(tail_integral(_x, scale, 2), {_x: sqrt(cut), scale: 16 * sigma**2 * C_f**2})
    return (
        Statement(error, "<=", first + 8 * L * token, given),
        Statement(error, "<=", first + 16 * L * exp(2 * d) * closed, given),
    )


def short(c: int | Fraction = 8, front: int | Fraction = 1) -> tuple[Statement, Statement]:
    """Where t_0/8 <= |R/S|^4, c |R/S|^4 <= 2 C sqrt(t_0)/L, and E|err|^4 <= front (8 L E|f|^4 + 2 C
    sqrt(t_0)/L).
    """
    case = assume("t_0/8 <= |R/S|^4", t_0 / 8, "<=", rho**2).assumptions | sub_gaussian().assumptions
    return (
        Statement(Fraction(c) * rho**2, "<=", first_term, case),
        Statement(error, "<=", Fraction(front) * (8 * L * W.mean(W.F**2) + first_term), case),
    )


def size_of_the_limit(c: int | Fraction = 1) -> Statement:
    """|R/S| <= c e^{(2/3) a2} (E|f|^4)^{1/4}."""
    return Statement(
        sqrt(rho), "<=", Fraction(c) * exp(Fraction(2, 3) * a2) * sqrt(K), sub_gaussian().assumptions
    )


def _root(c: int | Fraction = 1, power: int = 4) -> Term:
    """(L/8 - c e^{power a2})_+^{1/2}."""
    return sqrt(positive_part(L / 8 - Fraction(c) * exp(power * a2)))


def limits(
    c: int | Fraction = 1, two: int = 2, rate: int = 32, least: int | Fraction = 1
) -> tuple[Statement, ...]:
    """The limits of y = sqrt(s)/(16 sigma^2 C_f^2), and (L/8 - e^{4 a2})_+^{1/2} >= least
    (sqrt(L/8) - e^{2 a2}).
    """
    y, middle = sqrt(cut) / scale, sqrt(t_0) / (2 * sqrt(term(2))) / scale
    first = sqrt(t_0) / (two * sqrt(term(2))) / scale
    return (
        Statement(_root(c) * K / scale, "<=", y, given),
        Statement(y, "<=", first, given),
        Statement(middle, "<=", sqrt(L) / (rate * sqrt(term(2)) * sigma**2) * sqrt(Z4), given),
        Statement(Fraction(least) * (sqrt(L / 8) - exp(2 * a2)), "<=", _root(), given),
    )


def display(power: int = 4, one: int | Fraction = 1, front: int | Fraction = 1) -> Statement:
    """The last display of the proof, whose 1 in 1 + sqrt(L) .. is `one`, times front."""
    moment = Fraction(one) + sqrt(L) / (32 * sqrt(term(2)) * sigma**2) * sqrt(Z4)
    second = 16**3 * sigma**4 * L * C_f**4 * exp(2 * d) * moment * exp(-_root(power=power) * K / scale)
    return Statement(error, "<=", Fraction(front) * (first_term + second), given)
