"""Laws of Gaussian tokens by their moment generating functions: of tokens (x, w.x + noise), of a
tilted token, and of the output of attention on its own prompt measure.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, equal, gaussian, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.linear_model import (
    b,
    dot,
    generating_function,
    l,
    label,
    mean,
    q,
    shift,
    size_of_w,
    w,
    x,
)
from proofs_check.derivations.gaussian_tokens.moments import covariance
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import R, n, rank
from proofs_check.derivations.softmax_average.gaussian_tokens import b as b_
from proofs_check.derivations.softmax_average.gaussian_tokens import c as c_
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, m, over, v


def sigma(row: Variable, column: Variable) -> Term:
    """The entries of Sigma = R R'."""
    return over(n, rank, R(row, n) * R(column, n))


def form(left: Term, right: Term) -> Term:
    """left' Sigma right, for vectors with terms in i and l."""
    return over(i, d, over(l, d, left * sigma(i, l) * right))


def of_a_token(factor: int | Fraction = 1) -> Statement:
    """E e^{a.x + b y} = e^{u' Gamma_w u/2} for u = (a, b), y = w.x and Gamma_w with the blocks
    Sigma, Sigma w and w' Sigma w, each times `factor`.
    """
    blocks = form(a(i), a(l)) + 2 * b * form(a(i), w(l)) + b**2 * form(w(i), w(l))
    return Statement(mean(exp(dot(a(i), x(i)) + b * label)), "==", exp(Fraction(factor) * blocks / 2))


@proves("BB:12", of_a_token)
@cache
def token() -> Theorem:
    at = instantiate(generating_function(), {v: ((i,), a(i) + b * w(i))})
    return show(of_a_token().lhs, "==", of_a_token().rhs, at)


def of_a_tilted_token(half: Fraction = Fraction(1, 2)) -> Statement:
    """E_{mu_z} e^{v.Z} = E e^{(v + a).Z}/E e^{a.Z} = e^{v.Sigma a + half v' Sigma v} for the score
    a.
    """
    tilted = mean(exp(dot(a(i), x(i))) * exp(dot(v(i), x(i)))) / mean(exp(dot(a(i), x(i))))
    return Statement(tilted, "==", exp(form(v(i), a(l)) + Fraction(half) * form(v(i), v(l))))


@proves("BB:29", of_a_tilted_token)
@cache
def tilted_token() -> Theorem:
    up, down = (instantiate(generating_function(), {v: ((i,), u)}) for u in (a(i) + v(i), a(i)))
    return calc(
        of_a_tilted_token().lhs,
        ("==", up.lhs / down.lhs),
        ("==", up.rhs / down.rhs, up, down, up.rhs, down.rhs),
        ("==", of_a_tilted_token().rhs),
    )


# -- label noise -----------------------------------------------------------------------------------

k = Variable("k", Sort.TOKEN)
#: Any noise with two moments, a function of an outcome k that is independent of x.
noise = Function("e", (Sort.TOKEN,), Fraction(2))
tau2 = bind("mean", (k,), noise(k) ** 2)


def jointly(body: Term) -> Term:
    """The mean over the token and the noise."""
    return mean(bind("mean", (k,), body))


@cache
def centred() -> Theorem:
    return assume("the noise has mean 0", bind("mean", (k,), noise(k)), "==", 0)


def moments_with_noise(factor: int | Fraction = 1) -> tuple[Statement, ...]:
    """E xx' = Sigma, E xy = Sigma w and E y^2 = w' Sigma w + tau^2 for y = w.x + noise."""
    y, column = label + noise(k), over(l, d, sigma(i, l) * w(l))
    sides = (
        (x(i) * x(l), sigma(i, l)),
        (x(i) * y, column),
        (y**2, over(i, d, w(i) * column) + tau2),
    )
    given = centred().assumptions
    known: tuple[frozenset[Assumption], ...] = (frozenset(), given, given)
    return tuple(
        Statement(jointly(u), "==", Fraction(factor) * v, also) for (u, v), also in zip(sides, known)
    )


@cache
def with_noise() -> tuple[Theorem, ...]:
    """From E (b.xi)(c.xi) = b.c; the noise meets x in its mean only, which is 0."""
    row, other, task = R(i, n), R(l, n), over(l, d, R(l, n) * w(l))
    pairs = ((row, other), (row, task), (task, task))
    entry, column, corner = (instantiate(covariance(), {b_: ((n,), u), c_: ((n,), v)}) for u, v in pairs)
    first, second, third = moments_with_noise()
    zero, of_x, of_label = bind("mean", (k,), noise(k)), mean(x(i)), mean(label)
    return (
        show(first.lhs, "==", first.rhs, entry),
        calc(
            second.lhs,
            ("==", column.lhs + of_x * zero),
            ("==", column.rhs, centred(), column, column.lhs, column.rhs, of_x, zero),
            ("==", second.rhs),
        ),
        calc(
            third.lhs,
            ("==", corner.lhs + 2 * of_label * zero + tau2),
            ("==", corner.rhs + tau2, centred(), corner, corner.lhs, corner.rhs, of_label, zero, tau2),
            ("==", third.rhs),
        ),
    )


#: A bound of the operator norm of Sigma, of any size.
S = Variable("S", range=NONNEGATIVE)
#: Gaussian noise r.eta, of the variance |r|^2.
eta, m_, r = Variable("eta", Sort.NORMAL), Variable("m_", Sort.INDEX), Function("r", (Sort.INDEX,))
gaussian_noise, tau2_ = over(m_, m, r(m_) * GAUSSIAN(m_, eta)), over(m_, m, r(m_) ** 2)


def proxy(k: int | Fraction = 1) -> Term:
    """sigma_w^2 = max(1, k S(1 + |w|^2) + tau^2)."""
    return Op("max", (term(1), Fraction(k) * S * (1 + size_of_w) + tau2_))


@cache
def any_covariance() -> Theorem:
    """b' Sigma b <= S|b|^2 for every b."""
    image = over(n, rank, over(i, d, R(i, n) * v(i)) ** 2)
    return assume("|Sigma| <= S", image, "<=", S * over(i, d, v(i) ** 2), every=(v,))


def noisy_statements(k: int | Fraction = 1, outer: int | Fraction = 1) -> tuple[Statement, Statement]:
    """E e^{a.x + b y} <= e^{sigma_w^2(|a|^2 + b^2)/2} with label noise at every task w, and
    sigma_w^2 <= outer max(1, S + tau^2)(1 + |w|^2).
    """
    token = exp(dot(a(i), x(i)) + b * (label + gaussian_noise))
    size = over(i, d, a(i) ** 2) + b**2
    first = Statement(mean(mean(token, eta)), "<=", exp(proxy(k) * size / 2), any_covariance().assumptions)
    kappa = Op("max", (term(1), S + tau2_))
    return first, Statement(proxy(k), "<=", Fraction(outer) * kappa * (1 + size_of_w))


@proves("OURS:LF.1/sub_gaussian", noisy_statements, part=1)
@cache
def noisy_token() -> Theorem:
    """The exponents add up: S|a + b w|^2 + b^2 tau^2 <= (S(1 + |w|^2) + tau^2)(|a|^2 + b^2)."""
    at, A, W = {v: ((i,), a(i) + b * w(i))}, over(i, d, a(i) ** 2), size_of_w
    plain = instantiate(generating_function(), at)
    own = gaussian(eta, m_, m, b * r(m_), equal(term(0) + 1, 1))
    norm = calc(instantiate(any_covariance(), at), ("<=", S * ((1 + W) * (A + b**2)), shift(a(i), b)))
    exponent = S * (1 + W) * (A + b**2) + tau2_ * b**2
    below = show(exponent, "<=", proxy() * (A + b**2), A, W, tau2_)
    return calc(
        noisy_statements()[0].lhs,
        ("==", own.lhs * plain.lhs),
        ("<=", exp(b**2 * tau2_ / 2) * exp(norm.lhs / 2), own, plain),
        ("<=", exp(exponent / 2), norm),
        ("<=", exp(proxy() * (A + b**2) / 2), below),
    )


@proves("OURS:LF.1/sub_gaussian", noisy_statements, part=2)
@cache
def growth_of_the_proxy() -> Theorem:
    goal = noisy_statements()[1]
    return show(goal.lhs, "<=", goal.rhs, size_of_w, tau2_)


# -- the query of Theorem 5.2 ----------------------------------------------------------------------


def query_statement(rescaled: bool = True) -> Statement:
    """E e^{v.x/kappa} <= e^{|v|^2/2} for kappa^2 = max(1, S), or 1 where it is not rescaled."""
    scale = Op("max", (term(1), S)) if rescaled else term(1)
    score = dot(v(i), scale ** Fraction(-1, 2) * x(i, q))
    return Statement(mean(exp(score), q), "<=", exp(over(i, d, v(i) ** 2) / 2), any_covariance().assumptions)


@proves("BB:T5.2/inference", query_statement)
@cache
def rescaled_query() -> Theorem:
    """The exponent v' Sigma v/2 is at most S|v|^2/2, and is divided by max(1, S)."""
    larger, size = Op("max", (term(1), S)), over(i, d, v(i) ** 2)
    at = {v: ((i,), v(i) * larger ** Fraction(-1, 2))}
    norm, number = instantiate(any_covariance(), at), Variable("N_", range=NONNEGATIVE)
    share = show(S / larger * number, "<=", number)
    exponent = calc(norm, ("==", S / larger * size), ("<=", size, instantiate(share, {number: size})))
    law = instantiate(generating_function(), at)
    return calc(query_statement().lhs, ("==", exp(norm.lhs / 2), law), ("<=", exp(size / 2), exponent))
