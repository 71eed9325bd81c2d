"""Moments over the task w ~ N(0, I) of sigma_mu^2: Assumption 4.2 (ii)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gaussian, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.linear_model import h, mean, proxy, size_of_w, top
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import d, i

c, epsilon, r_ = (Variable(name, range=POSITIVE) for name in ("c", "epsilon", "r"))
y_, z_ = (Variable(name, range=NONNEGATIVE) for name in ("y", "zeta"))
#: What bounds sigma_mu^2, since |Sigma| <= 1.
wide = 1 + size_of_w
#: sqrt(c ln L).
root = sqrt(c * log(L))
#: The printed sigma_mu^2 = max(top, |w|^2), and the repaired one.
PRINTED, REPAIRED = Op("max", (top, size_of_w)), proxy
#: From where on the mean of ln(L)^4/L^{c/sigma_mu^2} is at most epsilon, for sqrt(c ln L).
threshold = 48000 * exp(Fraction(1, 4)) * 2 ** (d / 2) / (c**4 * epsilon)


@cache
def long_prompt() -> Theorem:
    """The hypothesis that L is so large that sqrt(c ln L) is at least the threshold."""
    return assume("L >= L(epsilon)", threshold, "<=", root)


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


def moment_statements(share: int | Fraction = 1) -> tuple[Statement, ...]:
    """For the printed and for the repaired sigma_mu."""
    return tuple(moment_statement(share, sigma2) for sigma2 in (PRINTED, REPAIRED))


def decay_statements(k: int | Fraction = 1, rate: int | Fraction = 1) -> tuple[Statement, ...]:
    """The mean of L^{-c/sigma_mu^2} for the printed and for the repaired sigma_mu, and its product
    with ln(L)^4.
    """
    both = (PRINTED, REPAIRED)
    means = (decay_statement(k, sigma2) for sigma2 in both)
    return (*means, *(limit_statement(rate, sigma2) for sigma2 in both))


@proves("BB:LF.1.ii.f/mgf", mgf_statement)
@cache
def exponential_moment() -> Theorem:
    """E e^{|w|^2/4} = 2^{d/2}: the Gaussian integral with half of the square in the exponent."""
    half = gaussian(h, i, d, term(0), show(term(Fraction(1, 2)) + Fraction(1, 2), "==", 1))
    return calc(mean(exp(size_of_w / 4), h), ("==", exp(d / 2 * log(2)), half), ("==", 2 ** (d / 2)))


@proves("BB:LF.1.ii.f", decay_statements, part=1, at=(PRINTED, REPAIRED))
@cache
def decay(sigma2: Term = REPAIRED) -> Theorem:
    """E L^{-c/sigma_mu^2} <= e^{1/4} 2^{d/2} e^{-sqrt(c ln L)}, from -y^2/r <= r/4 - y."""
    line = instantiate(show(-(y_**2) / (1 + z_), "<=", (1 + z_) / 4 - y_), {y_: root, z_: size_of_w})
    each = calc(
        exp(-(c * log(L) / sigma2)),
        ("<=", exp(-(c * log(L) / wide)), below_a_polynomial(sigma2)),
        ("<=", exp(wide / 4 - root), line),
    )
    bound = exp(Fraction(1, 4)) * exp(-root)
    return calc(
        mean(each.lhs, h),
        ("<=", bound * mean(exp(size_of_w / 4), h), each),
        ("<=", bound * 2 ** (d / 2), exponential_moment()),
    )


@cache
def below_a_polynomial(sigma2: Term = REPAIRED) -> Theorem:
    """sigma_mu^2 <= 1 + |w|^2."""
    number = Op("max", (top, z_)) if sigma2 == PRINTED else Op("max", (term(1), top * (1 + z_)))
    return instantiate(show(number, "<=", 1 + z_), {z_: size_of_w})


@proves("BB:LF.1.ii.f", decay_statements, part=3, at=(PRINTED, REPAIRED))
@cache
def decay_times_logarithm(sigma2: Term = REPAIRED) -> Theorem:
    """E ln(L)^4 L^{-c/sigma_mu^2} <= epsilon for L >= L(epsilon), from y^9 e^{-y} <= 48000."""
    same = instantiate(show(L ** (-z_), "==", exp(-z_ * log(L))), {z_: c / sigma2})
    flat = instantiate(show(y_**9 * exp(-y_), "<=", 48000), {y_: root})
    tail = root**8 * exp(-root)
    few = show(tail * threshold, "<=", tail * root, long_prompt(), tail, threshold, root)
    return calc(
        mean(log(L) ** 4 * L ** (-c / sigma2), h),
        ("==", log(L) ** 4 * mean(exp(-(c * log(L) / sigma2)), h), same),
        ("<=", log(L) ** 4 * decay(sigma2).rhs, decay(sigma2)),
        ("==", epsilon / 48000 * (tail * threshold)),
        ("<=", epsilon / 48000 * (tail * root), few),
        ("<=", epsilon, flat),
    )


@proves("BB:LF.1.ii.a-e/moment", moment_statements, at=(PRINTED, REPAIRED))
@cache
def twelfth_moment(sigma2: Term = REPAIRED) -> Theorem:
    """E sigma_mu^12 <= (24/e)^6 e^{1/4} 2^{d/2}, from x^6 <= (24/e)^6 e^{x/4}."""
    factor = 24**6 * exp(-6)
    point = instantiate(arithmetic((1 + z_) ** 6, "<=", factor * exp((1 + z_) / 4)), {z_: size_of_w})
    each = calc(sigma2**6, ("<=", wide**6, below_a_polynomial(sigma2)), ("<=", factor * exp(wide / 4), point))
    bound = factor * exp(Fraction(1, 4))
    return calc(
        mean(sigma2**6, h),
        ("<=", bound * mean(exp(size_of_w / 4), h), each),
        ("<=", bound * 2 ** (d / 2), exponential_moment()),
    )


@proves("BB:LF.1.ii.a-e/b", split_statement)
@cache
def split() -> Theorem:
    """Where zeta <= 1 the integrand is L^{-c}, and its probability is at most 1."""
    zeta, goal = Op("max", (term(1), z_)), split_statement()
    point = show(L ** (-c / zeta), "<=", L**-c + Op("ind", (z_ - 1,)) * L ** (-c / zeta))
    return show(goal.lhs, "<=", goal.rhs, instantiate(point, {z_: size_of_w}))


def same_mean_statements(least: int | Fraction = 1) -> tuple[Statement, Statement]:
    """E L^{-c/max(least, |Sigma|, |w|^2)} is at most and at least E L^{-c/max(1, |w|^2)}, where
    |Sigma| <= 1.
    """
    first, second = (
        mean(exp(-(c * log(L) / Op("max", (term(Fraction(one)), *rest)))), h)
        for one, *rest in ((least, top, size_of_w), (1, size_of_w))
    )
    return Statement(first, "<=", second), Statement(second, "<=", first)


@proves("BB:LF.1.ii.a-e/a", same_mean_statements, part=(1, 2))
def same_mean() -> tuple[Theorem, ...]:
    """The two maxima are the same, and the powers rise with them."""
    first, second = Op("max", (term(1), top, z_)), Op("max", (term(1), z_))
    both = (show(u, "<=", v) for u, v in ((first, second), (second, first)))
    larger = (instantiate(thm, {z_: size_of_w}) for thm in both)
    powers = (gcongr(exp(-(c * log(L) / thm.lhs)), thm) for thm in larger)
    return tuple(integrate("normal", (h,), thm) for thm in powers)
