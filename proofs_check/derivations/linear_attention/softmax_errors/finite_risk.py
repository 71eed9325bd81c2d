"""R6: the risk of in-context regression by softmax attention with L Gaussian covariates and label
noise, from its definition, for every dimension, length, query and parameters of the block manifold.

Given task and query the prediction is a coordinate of the output of R4, with the task for a row of
V; the noise of the labels adds its variance times the sum of the squares of the weights.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.averaged_label import (
    C,
    a,
    b,
    of_the_task,
    omega2,
    task,
    tasks,
    w,
)
from proofs_check.derivations.gaussian_tokens.bayes import tau2
from proofs_check.derivations.linear_attention.softmax_errors.gaussian_scores import Gamma, at_the_query, z
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import (
    GIVEN,
    P2,
    P3,
    STEIN,
    Q,
    delta,
    error_of_a_row,
    k,
    l,
    limit,
    moment,
    ones,
    output,
    picks,
    power_sum,
    spread,
    tokens,
    weight,
)
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import alpha as of_token
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import g, mean
from proofs_check.derivations.softmax_average.query_average import V
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, over

u, c = Variable("u", range=REALS), Variable("c", range=REALS)
#: What the noise of the prompt, that of the query, and the query depend on.
o, own, query = (Variable(name, Sort.TOKEN) for name in "oeq")
eta, eta_q = (
    Function("eta", (Sort.INDEX, Sort.TOKEN), Fraction(2)),
    Function("etaq", (Sort.TOKEN,), Fraction(2)),
)
x = Function("x", (Sort.INDEX, Sort.TOKEN), Fraction(4))
of_noise = lambda e: bind("mean", (o,), e)
of_own = lambda e: bind("mean", (own,), e)
of_query = lambda e: bind("mean", (query,), e)

NOISE = (
    assume("the noise of a label is centred", of_noise(eta(l, o)), "==", 0, every=(l,)),
    assume(
        "the noise of labels is uncorrelated",
        of_noise(eta(l, o) * eta(k, o)),
        "==",
        tau2 * delta(l, k),
        every=(l, k),
    ),
    assume("the noise of the query is centred", of_own(eta_q(own)), "==", 0),
    assume("the noise of the query has the variance tau2", of_own(eta_q(own) ** 2), "==", tau2),
)
added = tokens(weight() * eta(l, o))
row = Variable("m", Sort.INDEX)
#: w.x, and a coordinate of h = Sigma U x.
answer = over(j, d, w(j, task) * z(j))
image = over(i, d, Gamma(row, i) * at_the_query(i))


def at_the_task(e: Term) -> Term:
    """With the task for the row of V."""
    return instantiated(e, {V: ((i, j), w(j, task)), c: answer})


def at_a_token(e: Term) -> Term:
    """At the query that a token is."""
    return instantiated(e, {z: ((j,), x(j, query))})


def larger(e: Term) -> Term:
    return Op("max", (term(0), e))


def sides(six: int = 6, of_label: int | Fraction = 1) -> tuple[Term, Term]:
    """Half the mean squared error at a query, and the bracket of R6 with the noise of the label."""
    left = tasks(at_the_task(mean(of_noise(of_own((u * (output + added) - c - eta_q(own)) ** 2))))) / 2
    trace, length = over(a, d, Gamma(a, a)), over(row, d, image**2)
    squares = u**2 * (trace * P2 + (1 - P2 - six * P3 + 6 * Q) * length)
    crossed = 2 * u * (1 - P2) * over(row, d, image * z(row))
    bracket = omega2 * (squares - crossed + over(a, d, z(a) ** 2)) + Fraction(of_label) * u**2 * tau2 * P2
    return left, (bracket + tau2) / 2


def statements(six: int = 6, of_label: int | Fraction = 1) -> tuple[Statement, Statement]:
    """At every query x half the mean squared error is (1/2)[omega^2 (u^2 (tr S P2 + (1 - P2 - six
    P3 + 6 Q) |h|^2) - 2 u (1 - P2) x.h + |x|^2) + of_label u^2 tau^2 P2] + tau^2/2; and the risk is
    the mean of this over queries of any law, where it is written as the larger one of it and 0, so
    that the mean has a value.
    """
    given = hypotheses(*GIVEN, *STEIN, *NOISE, of_the_task)
    left, right = sides(six, of_label)
    averages = of_query(at_a_token(left)), of_query(at_a_token(larger(right)))
    return Statement(left, "==", right, given), Statement(averages[0], "==", averages[1], given)


@cache
def noise_of_the_prompt() -> tuple[Theorem, Theorem]:
    """The mean of sum_l p_l eta_l is 0, and that of its square tau^2 sum_l p_l^2."""
    (centred, uncorrelated), p, other = NOISE[:2], of_token(l), of_token(k)
    none = calc(of_noise(tokens(p * eta(l, o))), ("==", tokens(p * centred.lhs)), ("==", 0, centred))
    factor, picked = p * other, instantiate(picks, {of_token: ((k,), other)})
    each = show(factor * uncorrelated.lhs, "==", factor * uncorrelated.rhs, uncorrelated, uncorrelated.lhs)
    pairs = integrate("coordinates", (l, k), each, (L, L))
    square = calc(
        of_noise(tokens(p * eta(l, o)) ** 2),
        ("==", pairs.lhs),
        ("==", tau2 * tokens(p * picked.lhs), pairs),
        ("==", tau2 * tokens(delta(l, l) * p**2), picked),
        ("==", tau2 * tokens(p**2), instantiate(ones, {of_token: ((l,), p**2)})),
    )
    at_weights = {of_token: ((l,), weight())}
    return instantiate(none, at_weights), instantiate(square, at_weights)


@cache
def of_the_labels() -> Theorem:
    """The mean over the noise of the squared error of a prediction, at a number c for w.x."""
    none, square = noise_of_the_prompt()
    centred, variance = NOISE[2:]
    gap = u * output - c
    both = of_noise(of_own((u * (output + added) - c - eta_q(own)) ** 2))
    return calc(
        both,
        (
            "==",
            gap**2
            + 2 * gap * u * none.lhs
            + u**2 * square.lhs
            - 2 * (gap + u * none.lhs) * centred.lhs
            + variance.lhs,
        ),
        (
            "==",
            gap**2 + u**2 * (tau2 * power_sum(2)) + tau2,
            none,
            square,
            centred,
            variance,
            none.lhs,
            square.lhs,
            output,
            power_sum(2),
        ),
    )


@cache
def at_a_task() -> Theorem:
    """The mean over the prompt."""
    first, off = moment("p_l"), error_of_a_row()
    one, square = mean(output), mean(output**2)
    second = calc(
        square,
        ("==", off.lhs + 2 * limit * one - limit**2),
        ("==", off.rhs + 2 * limit * first.rhs - limit**2, off, first, off.lhs, one, limit),
    )
    return calc(
        integrate("normal", (g,), of_the_labels()),
        ("==", u**2 * square - 2 * u * c * one + c**2 + u**2 * tau2 * P2 + tau2),
        (
            "==",
            u**2 * second.rhs - 2 * u * c * first.rhs + c**2 + u**2 * tau2 * P2 + tau2,
            second,
            first,
            square,
            one,
            P2,
        ),
        (
            "==",
            u**2 * (P2 * spread + (1 - P2 - 6 * P3 + 6 * Q) * limit**2)
            - 2 * u * (1 - P2) * (limit * c)
            + c**2
            + u**2 * tau2 * P2
            + tau2,
            P2,
            P3,
            Q,
            limit,
            spread,
        ),
    )


@cache
def forms() -> tuple[Theorem, ...]:
    """The means over the task of w'Sw, (w.h)^2, (w.h)(w.z) and (w.z)^2."""
    h_a, h_b = (instantiated(image, {row: at}) for at in (a, b))
    matrices = Gamma(a, b), h_a * h_b, h_a * z(b), z(a) * z(b)
    return tuple(instantiate(of_the_task, {C: ((a, b), N)}) for N in matrices)


@cache
def over_tasks() -> Theorem:
    """The mean over the task."""
    known = instantiate(at_a_task(), {V: ((i, j), w(j, task)), c: answer})
    factors = u**2 * P2, u**2 * (1 - P2 - 6 * P3 + 6 * Q), -2 * u * (1 - P2), term(1)
    means, shown = [thm.lhs for thm in forms()], [thm.rhs for thm in forms()]
    total = lambda values: sum((x * y for x, y in zip(factors, values, strict=True)), u**2 * tau2 * P2 + tau2)
    return calc(
        integrate("query", (task,), known),
        ("==", total(means)),
        ("==", total(shown), *forms(), *means, P2, P3, Q),
    )


@proves("OURS:R6", statements)
@cache
def at_a_query() -> Theorem:
    (left, right), found = sides(), over_tasks()
    return chain(left, show(found.lhs / 2, "==", found.rhs / 2, found, found.lhs), right)


@cache
def not_negative() -> Theorem:
    """The bracket is the mean of a square."""
    found = show(0, "<=", at_the_task(u * (output + added) - c - eta_q(own)) ** 2)
    for kind, of in (("mean", own), ("mean", o), ("normal", g), ("query", task)):
        found = integrate(kind, (of,), found)
    both = chain(term(0), found, over_tasks())
    return chain(show(0, "<=", both.rhs / 2, both, both.rhs), sides()[1])


@proves("OURS:R6", statements, part=2)
@cache
def risk() -> Theorem:
    """The mean over the query."""
    _, right = sides()
    same = chain(at_a_query(), show(right, "==", larger(right), not_negative(), right))
    average = integrate("mean", (query,), instantiate(same, {z: ((j,), x(j, query))}))
    stated = statements()[1]
    return chain(stated.lhs, average, stated.rhs)
