"""The second moment of the averaged label b = (1/L) sum x_k y_k of a prompt of L Gaussian tokens
with noisy labels, averaged over the task: E b b' = omega^2 S S_L, as a form in two vectors.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.bayes import tau2
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import (
    d,
    expectation,
    i,
    j,
    k,
    mean,
    over,
    total,
    z,
)

a, b = Variable("a", Sort.INDEX), Variable("b", Sort.INDEX)
task = Variable("task", Sort.QUERY)
#: The noise, the task, the covariance of the covariates z, any vectors and any matrix.
noise, w = Function("eta", (Sort.TOKEN,), Fraction(4)), Function("w", (Sort.INDEX, Sort.QUERY), None)
S, C = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("S", "C"))
g, h = (Function(name, (Sort.INDEX,)) for name in "gh")
omega2 = Variable("om2", range=POSITIVE)

tasks = lambda e: bind("query", (task,), e)
pairs = lambda e: bind("coordinates", (a, b), e, (d, d))
label = over(a, d, w(a, task) * z(a, k)) + noise(k)
x, y = over(i, d, g(i) * z(i, k)), over(j, d, h(j) * z(j, k))

second = assume("E x x' = S", mean(z(i, k) * z(j, k)), "==", S(i, j), every=(i, j))
fourth = assume(
    "Isserlis (1918): the fourth moments of a Gaussian vector",
    mean(z(i, k) * z(j, k) * z(a, k) * z(b, k)),
    "==",
    S(i, j) * S(a, b) + S(i, a) * S(j, b) + S(i, b) * S(j, a),
    every=(i, j, a, b),
    cited=True,
)
#: The noise is centred, of the variance tau^2, and independent of the covariate.
NOISE = (
    assume("E x eta = 0", mean(z(i, k) * noise(k)), "==", 0, every=(i,)),
    assume("E x x' (w.x) eta = 0", mean(z(i, k) * z(j, k) * z(a, k) * noise(k)), "==", 0, every=(i, j, a)),
    assume(
        "E x x' eta^2 = tau^2 S", mean(z(i, k) * z(j, k) * noise(k) ** 2), "==", tau2 * S(i, j), every=(i, j)
    ),
)
of_the_task = assume(
    "E w w' = omega^2 I",
    tasks(pairs(C(a, b) * (w(a, task) * w(b, task)))),
    "==",
    omega2 * over(a, d, C(a, a)),
    every=(C,),
)


def average(e: Term) -> Term:
    return total(e * label) / L


def form(one: Function, other: Function) -> Term:
    return over(i, d, over(j, d, one(i) * S(i, j) * other(j)))


def along(v: Function, index: Variable, of: Variable) -> Term:
    """A coordinate of S v."""
    return over(of, d, v(of) * S(of, index))


#: g'Sh, the trace of S and g'SSh.
covariance, trace = form(g, h), over(a, d, S(a, a))
square = over(a, d, along(g, a, i) * along(h, a, j))


def statement(one: int | Fraction = 1) -> Statement:
    """g' E b b' h is omega^2 g' S S_L h, with one/L in the place of the first 1/L of S_L."""
    S_L = (1 + Fraction(one) / L) * square + (trace + tau2 / omega2) / L * covariance
    left = tasks(expectation(average(x) * average(y)))
    return Statement(left, "==", omega2 * S_L, hypotheses(second, fourth, *NOISE, of_the_task))


#: The coefficients of w_a w_b in E x_1 x_2 (w.x)^2, and in the second moment.
wick = over(i, d, over(j, d, g(i) * h(j) * fourth.rhs))
quadratic = wick / L + (1 - 1 / L) * along(g, a, i) * along(h, b, j)


@cache
def mean_at_a_task() -> Theorem:
    """E x y = g'Sw."""
    none, known = NOISE[0], instantiate(second, {j: a})
    left, right = (over(a, d, w(a, task) * over(i, d, g(i) * side)) for side in (known.lhs, known.rhs))
    own, apart = show(left, "==", right, known), show(over(i, d, g(i) * none.lhs), "==", 0, none)
    return calc(mean(x * label), ("==", left + apart.lhs), ("==", right, own, apart, left, apart.lhs, right))


@cache
def at_a_task() -> Theorem:
    """Of the L^2 pairs of tokens L are one token twice, with its noise."""
    _, third, squared = NOISE
    single = mean(x * y * label**2)
    both = w(a, task) * w(b, task)
    parts = (
        show(pairs(both * fourth.lhs), "==", pairs(both * fourth.rhs), fourth),
        show(over(a, d, w(a, task) * third.lhs), "==", 0, third),
        squared,
    )
    whole, cross, noisy = (part.lhs for part in parts)
    moved = parts[0].rhs + tau2 * S(i, j)
    point = show(whole + 2 * cross + noisy, "==", moved, *parts, whole, cross, noisy, parts[0].rhs)
    twice = calc(
        single,
        ("==", over(i, d, over(j, d, g(i) * h(j) * point.lhs))),
        ("==", over(i, d, over(j, d, g(i) * h(j) * point.rhs)), point),
        ("==", pairs(both * wick) + tau2 * covariance),
    )
    one, other = mean_at_a_task(), instantiate(mean_at_a_task(), {g: ((i,), h(i))})
    return calc(
        expectation(average(x) * average(y)),
        ("==", single / L + (1 - 1 / L) * one.lhs * other.lhs),
        (
            "==",
            twice.rhs / L + (1 - 1 / L) * one.rhs * other.rhs,
            twice,
            one,
            other,
            single,
            one.lhs,
            other.lhs,
        ),
        ("==", pairs(quadratic * both) + tau2 / L * covariance),
    )


@proves("OURS:R5.finite/second_moment", statement)
@cache
def theorem() -> Theorem:
    mean_of, rest = instantiate(of_the_task, {C: ((a, b), quadratic)}), tau2 / L * covariance
    line = chain(integrate("query", (task,), at_a_task()), mean_of.lhs + rest)
    parts = omega2 * (trace * covariance / L + (1 + 1 / L) * square) + rest
    return calc(
        line,
        ("==", mean_of.rhs + rest, mean_of),
        ("==", parts),
        ("==", statement().rhs, trace, covariance, square),
    )
