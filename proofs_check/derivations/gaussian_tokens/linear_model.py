"""In-context linear regression with Gaussian tasks w, covariates x = R xi and queries: the laws of
tokens (x, w.x) and queries, and how sub-Gaussian they are.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, equal, gaussian, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import R, n, rank
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, over, v

l = Variable("l", Sort.INDEX)
#: The Gaussian vectors of a token, of the query and of the task.
g, q, h = (Variable(name, Sort.NORMAL) for name in ("g", "q", "h"))
#: The operator norm of Sigma, or a bound of it, which is at most 1.
top = Variable("top", range=Range(Fraction(0), Fraction(1), True, False))
#: The last coordinate of a vector (a, b) beside a token.
b = Variable("b", range=REALS)


def mean(body: Term | int, of: Variable = g) -> Term:
    """The mean over a Gaussian vector, that of a token if no other one is given."""
    return bind("normal", (of,), body)


def x(index: Variable, of: Variable = g) -> Term:
    """The coordinates of a covariate, x = R xi; its covariance is Sigma = R R'."""
    return over(n, rank, R(index, n) * GAUSSIAN(n, of))


def w(index: Variable) -> Term:
    """The coordinates of the task."""
    return GAUSSIAN(index, h)


def dot(left: Term, right: Term) -> Term:
    """The sum over i of left_i right_i, with terms in i."""
    return over(i, d, left * right)


label = dot(w(i), x(i))
size_of_w = over(i, d, w(i) ** 2)
#: sigma_mu^2 = max(1, top(1 + |w|^2)).
proxy = Op("max", (term(1), top * (1 + size_of_w)))


@cache
def covariance() -> Theorem:
    """b' Sigma b = |R' b|^2 <= top |b|^2 for every b: the operator norm of Sigma is at most top."""
    image = over(n, rank, over(i, d, R(i, n) * v(i)) ** 2)
    return assume("|Sigma| <= top", image, "<=", top * over(i, d, v(i) ** 2), every=(v,))


def statements(k: int | Fraction = 1) -> tuple[Statement, ...]:
    """Assumption 4.2 (i) at every task w, with k sigma_mu^2 in place of sigma_mu^2: the query is
    1-sub-Gaussian, a token sigma_mu-sub-Gaussian, and sigma_mu^2 >= 1.
    """
    given, k = covariance().assumptions, Fraction(k)
    of_query = Statement(mean(exp(dot(v(i), x(i, q))), q), "<=", exp(k * over(i, d, v(i) ** 2) / 2), given)
    norm = over(i, d, a(i) ** 2) + b**2
    of_token = Statement(mean(exp(dot(a(i), x(i)) + b * label)), "<=", exp(k * proxy * norm / 2), given)
    return of_query, of_token, Statement(term(1), "<=", k * proxy)


def query_statement(c: int | Fraction = 1) -> Statement:
    """E e^{v.x} <= e^{c|v|^2/2} for the query."""
    return Statement(
        mean(exp(dot(v(i), x(i, q))), q),
        "<=",
        exp(Fraction(c) * over(i, d, v(i) ** 2) / 2),
        covariance().assumptions,
    )


def token_statement(k: int | Fraction = 1) -> Statement:
    """E e^{a.x + b y} <= e^{sigma_mu^2(|a|^2 + b^2)/2} with k before the norm of Sigma in
    sigma_mu^2.
    """
    proxy_ = Op("max", (term(1), Fraction(k) * top * (1 + size_of_w)))
    bound = exp(proxy_ * (over(i, d, a(i) ** 2) + b**2) / 2)
    return Statement(mean(exp(dot(a(i), x(i)) + b * label)), "<=", bound, covariance().assumptions)


@cache
def generating_function() -> Theorem:
    """E e^{v.x} = e^{v' Sigma v/2}."""
    image = over(i, d, R(i, n) * v(i))
    law = gaussian(g, n, rank, image, equal(term(0) + 1, 1))
    return show(mean(exp(dot(v(i), x(i)))), "==", exp(over(n, rank, image**2) / 2), law)


@cache
def covariate() -> Theorem:
    """E e^{v.x} <= e^{top |v|^2/2}."""
    return calc(generating_function(), ("<=", exp(top * over(i, d, v(i) ** 2) / 2), covariance()))


@proves("BB:LF.1.i/query", query_statement)
@cache
def query() -> Theorem:
    """E e^{v.x} <= e^{|v|^2/2}: the query is 1-sub-Gaussian."""
    size, number = over(i, d, v(i) ** 2), Variable("N", range=NONNEGATIVE)
    at_most_one = instantiate(show(top * number, "<=", number), {number: size})
    return calc(covariate(), ("<=", exp(size / 2), at_most_one))


@cache
def shift(first: Term, last: Term, task: Term | None = None) -> Theorem:
    """|a + b w|^2 <= (1 + |w|^2)(|a|^2 + b^2) for vectors a and w with terms in i, and a number
    b.
    """
    task = w(i) if task is None else task
    A2, aw, w2 = over(i, d, first**2), dot(first, task), over(i, d, task**2)
    return calc(
        over(i, d, (first + last * task) ** 2),
        ("==", A2 + 2 * last * aw + last**2 * w2),
        ("<=", A2 + (last**2 + aw**2) + last**2 * w2, A2, aw, w2),
        ("<=", (1 + w2) * (A2 + last**2), cauchy_schwarz("coordinates", (i,), first, task, (d,))),
    )


@cache
def shifted(first: Term, last: Term) -> Theorem:
    """top |a + b w|^2 <= sigma_mu^2 (|a|^2 + b^2)."""
    size = over(i, d, first**2) + last**2
    return calc(
        top * over(i, d, (first + last * w(i)) ** 2),
        ("<=", top * (1 + size_of_w) * size, shift(first, last)),
        ("<=", proxy * size, below_the_proxy()),
    )


@cache
def below_the_proxy() -> Theorem:
    """top(1 + |w|^2) <= sigma_mu^2."""
    number = Variable("N", range=NONNEGATIVE)
    return instantiate(show(number, "<=", Op("max", (term(1), number))), {number: top * (1 + size_of_w)})


@cache
def at_least_one() -> Theorem:
    return show(1, "<=", proxy)


@proves("BB:LF.1.i", token_statement)
@cache
def tokens() -> Theorem:
    """E e^{a.x + b y} <= e^{sigma_mu^2(|a|^2 + b^2)/2} at every task w, for y = w.x."""
    return calc(
        mean(exp(dot(a(i), x(i)) + b * label)),
        (
            "<=",
            exp(top * over(i, d, (a(i) + b * w(i)) ** 2) / 2),
            instantiate(covariate(), {v: ((i,), a(i) + b * w(i))}),
        ),
        ("<=", exp(proxy * (over(i, d, a(i) ** 2) + b**2) / 2), shifted(a(i), b)),
    )
