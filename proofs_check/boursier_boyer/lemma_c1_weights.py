"""Appendix C.1, proof of Lemma C.1: the probabilistic steps, on the laws at which they are tightest."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, oo, sqrt

from numerics.bounds import Tail
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity
from numerics.reference import TABLE
from numerics.softmax_average import deviation_R, deviation_S, normaliser, symbol
from numerics.worst_case import worst_ratio
from proofs_check.claims import claim
from theory.concentration import alpha_plus

L, a2, F2, K, S, EM2, EQ2, RS = (symbol(name) for name in ("L", "a2", "F2", "F4", "S", "EM2", "EQ2", "RS"))
delta, alpha = sp.symbols("delta alpha", positive=True)
ON_DELTA = ("L in Integers", "L >= 1", "0 < delta", "delta < 1")


@claim(
    "BB:LC.1.M",
    control=dict(first=Fraction(49, 100), second=Fraction(49, 25)),
    needs=("BB:LC.1.M/jensen", "BB:LC.1.M/exponents"),
    argument="the first two are the definition of sub-Gaussian at Uz and at 2Uz; the third is the expectation of e^x >= 1 + x",
    reference={},
)
def moments_of_a_weight(*, first: Fraction = Fraction(1, 2), second: int | Fraction = 2) -> Evidence:
    """E M <= e^{a2/2}, E M^2 <= e^{2 a2} and S >= L, at laws with their exact sub-Gaussian constant."""
    return all_of(
        worst_ratio(S, "<=", L * exp(first * a2)),
        worst_ratio(EM2, "<=", exp(second * a2)),
        worst_ratio(L, "<=", S),
    )


@claim("BB:LC.1.M/jensen", dial="c")
def exponential_above_its_tangent(*, c: int | Fraction = 1) -> Evidence:
    """e^x >= c + x for every score x; a centred score has mean 0, so E M >= 1 and S >= L."""
    x = sp.Symbol("x", real=True)
    return forall(exp(x), ">=", sp.Rational(c) + x, {x: (-oo, oo)})


@claim("BB:LC.1.M/exponents")
def exponents_of_the_moments() -> Evidence:
    """Sub-Gaussian at v = kUz: E M^k <= e^{k^2 a2/2}; the exponents used for k = 2 and 4, and their square roots."""
    at = lambda k: exp(sp.Integer(k) ** 2 * a2 / 2)  # noqa: E731
    return all_of(identity(at(2), exp(2 * a2)), identity(sqrt(at(4)), exp(4 * a2)), identity(sqrt(at(2)), exp(a2)))


@claim(
    "BB:LC.1.CL",
    dial="c",
    needs=("BB:LC.1.M", "BB:LC.1.CL/laplace", "BB:LC.1.CL/exponent"),
    cites=("Chung and Lu 2006, Theorem 7",),
    argument="E e^{-t M} <= e^{-t E M + t^2 E M^2/2}, independence and Markov's inequality; then S >= L and E M^2 <= e^{2 a2}",
    hypotheses=("L in Integers", "L >= 1", "0 < alpha", "alpha < 1"),
    reference=dict(alpha=TABLE["alpha_-"]),
)
def lower_tail_of_the_sum_of_weights(*, c: int | Fraction = 2) -> Evidence:
    """P(S_L <= (1 - alpha) S) <= exp(-alpha^2 S^2/(c L E M^2)) <= exp(-alpha^2 L e^{-2 a2}/c) with c = 2; compared by exponents."""
    tail = Tail(normaliser, "<=", (1 - alpha) * S, alpha)
    inner = worst_ratio(tail, "<=", exp(-(alpha**2) * S**2 / (c * L * EM2)), exponents=True)
    outer = worst_ratio(tail, "<=", exp(-(alpha**2) * L * exp(-2 * a2) / c), exponents=True)
    return all_of(inner, outer)


@claim("BB:LC.1.CL/laplace", dial="c")
def exponential_below_its_parabola(*, c: Fraction = Fraction(1, 2)) -> Evidence:
    """e^{-y} <= 1 - y + y^2/2 for y >= 0, applied to y = t M."""
    y = sp.Symbol("y", nonnegative=True)
    return forall(exp(-y), "<=", 1 - y + sp.Rational(c) * y**2, {y: Closed(0, oo)})


@claim("BB:LC.1.CL/exponent")
def exponent_at_the_best_t() -> Evidence:
    """-t alpha S + t^2 L E M^2/2 at t = alpha S/(L E M^2) is -alpha^2 S^2/(2 L E M^2)."""
    t = alpha * S / (L * EM2)
    return identity(-t * alpha * S + t**2 * L * EM2 / 2, -(alpha**2) * S**2 / (2 * L * EM2))


@claim(
    "BB:LC.1.BCL",
    dial="c",
    needs=("BB:LC.1.M", "BB:LC.2/variance"),
    cites=("Bubeck et al. 2013, Lemma 3",),
    argument="Chebyshev's inequality alone gives c = 1; the second threshold is larger, since S >= L and E M^2 <= e^{2 a2}",
    hypotheses=ON_DELTA,
    reference={},
)
def upper_tail_of_the_sum_of_weights(*, c: int | Fraction = 3) -> Evidence:
    """P(S_L >= S + sqrt(3 L E M^2/delta)) <= delta, and the same beyond (1 + alpha_+) S; thresholds squared about S."""
    inner = worst_ratio(Tail(deviation_S, ">=", c * L * EM2 / delta, delta), "<=", delta)
    outer = worst_ratio(Tail(deviation_S, ">=", (alpha_plus(L, a2, delta, c=c) * S) ** 2, delta), "<=", delta)
    return all_of(inner, outer)


@claim(
    "BB:LC.1.Q2",
    control=dict(exponent=Fraction(39, 10)),
    needs=("BB:LC.1.M/exponents",),
    argument="Cauchy-Schwarz, then the definition of sub-Gaussian at 4Uz",
    reference={},
)
def second_moment_of_a_weighted_value(*, exponent: int | Fraction = 4) -> Evidence:
    """E|e^{z'Uz} f|^2 <= e^{4 a2} sqrt(E|f|^4)."""
    return worst_ratio(EQ2, "<=", exp(exponent * a2) * K)


@claim(
    "BB:LC.1.15",
    control=dict(exponent=Fraction(4, 5)),
    needs=("BB:LC.1.M",),
    argument="Cauchy-Schwarz and E M >= 1; then the definition of sub-Gaussian at 2Uz",
    reference={},
)
def size_of_the_limit(*, exponent: int | Fraction = 1) -> Evidence:
    """|R/S| <= sqrt(E e^{2Z'Uz} E|f|^2) <= e^{a2} sqrt(E|f|^2)."""
    return all_of(worst_ratio(RS, "<=", sqrt(EM2 * F2)), worst_ratio(RS, "<=", exp(exponent * a2) * sqrt(F2)))


@claim(
    "BB:LC.1.RL",
    dial="c",
    needs=("BB:LC.2", "BB:LC.1.Q2"),
    argument="Lemma C.2 for Q_i = e^{z_i'Uz} f(z_i) with u = e^{4 a2} sqrt(E|f|^4)",
    hypotheses=ON_DELTA,
    reference={},
)
def deviation_of_the_numerator(*, c: int | Fraction = 3) -> Evidence:
    """P(|R_L - R|^2 > 3 L e^{4 a2} sqrt(E|f|^4)/delta) <= 2 delta."""
    return worst_ratio(Tail(deviation_R, ">", c * L * exp(4 * a2) * K / delta, delta), "<=", 2 * delta)
