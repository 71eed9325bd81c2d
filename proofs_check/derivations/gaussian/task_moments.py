"""Moments over the task w ~ N(0, I) of sigma_mu^2: Assumption 4.2 (ii)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, assume, gaussian, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.gaussian.linear_model import h, mean, proxy, size_of_w, top
from proofs_check.derivations.softmax_average import d, i

c, epsilon, r_ = (Variable(name, range=POSITIVE) for name in ("c", "epsilon", "r"))
y_, z_ = (Variable(name, range=NONNEGATIVE) for name in ("y", "zeta"))
#: What bounds sigma_mu^2, since |Sigma| <= 1.
wide = 1 + size_of_w
#: sqrt(c ln L).
root = sqrt(c * log(L))


@cache
def exponential_moment() -> Theorem:
    """E e^{|w|^2/4} = 2^{d/2}: the Gaussian integral with half of the square in the exponent."""
    half = gaussian(h, i, d, term(0), arithmetic(term(Fraction(1, 2)) + Fraction(1, 2), "==", 1))
    value = exp(d / 2 * log(2))
    return chain(mean(exp(size_of_w / 4), h), half, value, arithmetic(value, "==", 2 ** (d / 2)))


#: The printed sigma_mu^2 = max(top, |w|^2), and the repaired one.
PRINTED, REPAIRED = Op("max", (top, size_of_w)), proxy


@cache
def decay(sigma2: Term = REPAIRED) -> Theorem:
    """E L^{-c/sigma_mu^2} <= e^{1/4} 2^{d/2} e^{-sqrt(c ln L)}, from -y^2/r <= r/4 - y."""
    point = specialise(arithmetic(-(y_**2) / (1 + z_), "<=", (1 + z_) / 4 - y_), {y_: root, z_: size_of_w})
    point = replace(exp(point.lhs), point)
    power = exp(-(c * log(L) / sigma2))
    point = chain(replace(power, below_a_polynomial(sigma2)), point)
    bound = exp(Fraction(1, 4)) * exp(-root)
    average = integrated("normal", (h,), point, mean(power, h), bound * mean(exp(size_of_w / 4), h))
    return chain(average, replace(average.rhs, exponential_moment()))


@cache
def below_a_polynomial(sigma2: Term = REPAIRED) -> Theorem:
    """sigma_mu^2 <= 1 + |w|^2."""
    number = Op("max", (top, z_)) if sigma2 == PRINTED else Op("max", (term(1), top * (1 + z_)))
    return specialise(arithmetic(number, "<=", 1 + z_), {z_: size_of_w})


#: From where on the mean of ln(L)^4/L^{c/sigma_mu^2} is at most epsilon, for sqrt(c ln L).
threshold = 48000 * exp(Fraction(1, 4)) * 2 ** (d / 2) / (c**4 * epsilon)


@cache
def long_prompt() -> Theorem:
    """The hypothesis that L is so large that sqrt(c ln L) is at least the threshold."""
    return assume("L >= L(epsilon)", threshold, "<=", root)


@cache
def decay_times_logarithm(sigma2: Term = REPAIRED) -> Theorem:
    """E ln(L)^4 L^{-c/sigma_mu^2} <= epsilon for L >= L(epsilon), from y^9 e^{-y} <= 48000."""
    unit = exp(Fraction(1, 4)) * 2 ** (d / 2) / c**4
    same = specialise(arithmetic(L ** (-z_), "==", exp(-z_ * log(L))), {z_: c / sigma2})
    powers = chain(integrated("normal", (h,), same), decay(sigma2))
    start = log(L) ** 4 * powers.lhs
    average = chain(mean(log(L) ** 4 * L ** (-c / sigma2), h), start, replace(start, powers))
    flat = specialise(arithmetic(y_**9 * exp(-y_), "<=", 48000), {y_: root})
    tail = root**8 * exp(-root)
    few = arithmetic(tail * threshold, "<=", tail * root, long_prompt(), hide=(tail, threshold, root))
    few = chain(few, flat)
    less = epsilon / 48000 * few.lhs
    return chain(average, unit * tail, less, replace(less, few), epsilon)


@cache
def twelfth_moment(sigma2: Term = REPAIRED) -> Theorem:
    """E sigma_mu^12 <= (24/e)^6 e^{1/4} 2^{d/2}, from x^6 <= (24/e)^6 e^{x/4}."""
    factor = 24**6 * exp(-6)
    point = specialise(arithmetic((1 + z_) ** 6, "<=", factor * exp((1 + z_) / 4)), {z_: size_of_w})
    bound = factor * exp(Fraction(1, 4)) * mean(exp(size_of_w / 4), h)
    average = integrated(
        "normal", (h,), chain(replace(sigma2**6, below_a_polynomial(sigma2)), point), None, bound
    )
    return chain(average, replace(average.rhs, exponential_moment()))


def moment_statement(share: int | Fraction = 1, sigma2: Term = REPAIRED) -> Statement:
    """E sigma_mu^12 <= share (24/e)^6 e^{1/4} 2^{d/2}."""
    bound = Fraction(share) * 24**6 * exp(-6) * exp(Fraction(1, 4)) * 2 ** (d / 2)
    return Statement(mean(sigma2**6, h), "<=", bound)


def decay_statement(k: int | Fraction = 1, sigma2: Term = REPAIRED) -> Statement:
    """E L^{-c/sigma_mu^2} <= e^{1/4} 2^{d/2} e^{-k sqrt(c ln L)}."""
    bound = exp(Fraction(1, 4)) * 2 ** (d / 2) * exp(-Fraction(k) * root)
    return Statement(mean(exp(-(c * log(L) / sigma2)), h), "<=", bound)


def limit_statement(rate: int | Fraction = 1, sigma2: Term = REPAIRED) -> Statement:
    """For every c and epsilon the mean of ln(L)^4/L^{rate c/sigma_mu^2} is at most epsilon from
    L(epsilon) on.
    """
    small = mean(log(L) ** 4 * L ** (-Fraction(rate) * c / sigma2), h)
    return Statement(small, "<=", epsilon, long_prompt().assumptions)


def statements(rate: int | Fraction = 1, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """Assumption 4.2 (ii)."""
    return moment_statement(share), limit_statement(rate)


def mgf_statement(quarter: Fraction = Fraction(1, 4)) -> Statement:
    """E e^{quarter |w|^2} = 2^{d/2}."""
    return Statement(mean(exp(Fraction(quarter) * size_of_w), h), "==", 2 ** (d / 2))


def split_statement(k: Fraction = Fraction(1)) -> Statement:
    """E L^{-c/max(1, zeta)} <= k L^{-c} + E[L^{-c/zeta}; zeta >= 1] for zeta = |w|^2."""
    zeta = Op("max", (term(1), size_of_w))
    above = mean(Op("ind", (size_of_w - 1,)) * L ** (-c / zeta), h)
    return Statement(mean(L ** (-c / zeta), h), "<=", Fraction(k) * L**-c + above)


@cache
def split() -> Theorem:
    """Where zeta <= 1 the integrand is L^{-c}, and its probability is at most 1."""
    zeta, goal = Op("max", (term(1), z_)), split_statement()
    event = Op("ind", (z_ - 1,))
    point = arithmetic(L ** (-c / zeta), "<=", L**-c + event * L ** (-c / zeta))
    return integrated("normal", (h,), specialise(point, {z_: size_of_w}), goal.lhs, goal.rhs)
