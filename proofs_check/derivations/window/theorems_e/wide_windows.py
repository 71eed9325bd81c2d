"""Case 2 of Theorem E.1 of Collins et al.: from the width (n/log n)^{2/d} on the noise term is at
least of the order sigma^2 n^{-1/d} (log n)^{-(d - 1)/d}, as it never falls.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS
from numerics.derivations.kernel.terms import Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, prompt
from proofs_check.derivations.window.uniform.cap_measure import dimension, m, power, q
from proofs_check.derivations.window.uniform.kernel_means import w
from proofs_check.derivations.window.uniform.narrower import less_even, more, width
from proofs_check.derivations.window.uniform.noise_order import given, least, lower_bound, noise, sigma

#: The logarithm of the number of tokens, the width from which on, and a larger one.
N, omega = Variable("N", range=POSITIVE), Variable("omega", range=POSITIVE)
log_first = 2 / d * (log(n) - log(N))
first = exp(log_first)


@cache
def beyond() -> tuple[Theorem, Theorem, Theorem]:
    return (
        assume("n >= 3", 3, "<=", n),
        assume("N = log n", log(n), "==", N),
        assume("w > (n/log n)^{2/d}", first, "<", omega),
    )


def statement(share: int | Fraction = 1) -> Statement:
    """c sigma^2 n^{-share/d} (log n)^{-share (d - 1)/d} <= the noise, for w > (n/log n)^{2/d}."""
    order = exp(-Fraction(share) / d * log(n)) * exp(-Fraction(share) * m / d * log(N))
    level = bind("query", (q,), sigma**2 * instantiated(noise, {w: omega}))
    return Statement(least * sigma**2 * order, "<=", level, hypotheses(*given(), *beyond()))


@cache
def of_the_logarithm() -> tuple[Theorem, Theorem]:
    """0 <= log log n <= log n."""
    many, size, _ = beyond()
    late = show(1, "<=", N, arithmetic(1, "<=", log(n), many), size, log(n), N)
    return arithmetic(0, "<=", log(N), late, hide=(N,)), arithmetic(log(N), "<=", N)


@proves("COL:E.1-c2", statement)
@cache
def noise_beyond() -> Theorem:
    """The noise at (n/log n)^{2/d} has the order of w^{(d - 1)/2}/n."""
    late, short = of_the_logarithm()
    _, size, wider = beyond()
    gap, log_n = log(n) - log(N), log(n)
    positive = show(0, "<=", gap, chain(short, symm(size)), log_n, log(N))
    wide = calc(1, ("==", exp(term(0))), ("<=", first, gcongr(2 / d * positive.lhs, positive)))
    # w_0^{m/2}/n, and n w_0^{-m/2}, which is at least 1
    x = Variable("x", range=REALS)
    of_exp, whole = arithmetic(log(exp(x)), "==", x), arithmetic(exp(log_n), "==", n)
    scale, exponent = least * sigma**2, m / d * gap - log_n
    level = calc(
        statement().lhs,
        ("==", scale * exp(-1 / d * log_n - m / d * log(N))),
        ("<=", scale * exp(exponent), show(-1 / d * log_n - m / d * log(N), "<=", exponent, dimension())),
        ("==", scale * exp(m / 2 * log_first) / exp(log_n)),
        ("==", scale * exp(m / 2 * log_first) / n, whole),
        ("==", scale * power(first) / n, instantiate(of_exp, {x: log_first})),
    )
    part = arithmetic(m / d, "<=", 1, dimension())
    less = show(m / d * gap, "<=", gap, part, positive, m / d, gap)
    least_ = calc(late, ("==", log_n - gap), ("<=", log_n - m / d * gap, less))
    enough = calc(
        exp(term(0)),
        ("<=", exp(least_.rhs), least_),
        ("==", exp(log_n) * exp(m / 2 * -log_first)),
        ("==", n * exp(m / 2 * -log_first), whole),
        ("==", n * power(1 / first), instantiate(of_exp, {x: -log_first})),
    )
    enough = chain(1, enough)
    found = lower_bound(first, wide, enough)
    further = omega - first
    more_ = show(0, "<", further, wider, omega, first)
    even = integrate("prompt", (prompt,), instantiate(less_even(), {width: first, more: further}, more_))
    point = chain(found, even, instantiated(noise, {w: omega}))
    return chain(level, integrate("query", (q,), gcongr(sigma**2 * point.lhs, point)), statement().rhs)
