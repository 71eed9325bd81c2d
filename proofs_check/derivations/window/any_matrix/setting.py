"""Lemma B.5 of Collins et al. at one query y: the loss with scores in a direction u, and what is
assumed of tokens, tasks and noise.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, i, j, l, mean, n, o, over, q, tokens
from proofs_check.derivations.window.setting import noise

#: The query y, the direction u of the scores By, and their length c.
y, u, v = (Function(name, (Sort.INDEX,)) for name in ("y", "u", "v"))
c = Variable("c", range=NONNEGATIVE)
#: A bound on the length.
most = Variable("C", range=POSITIVE)
sigma = Variable("sigma", range=NONNEGATIVE)
_with = lambda name, order, *sorts: Function(name, (*sorts, Sort.TOKEN), order)
#: A task at the query, and how much more it is at the tokens, which is bounded by its slope.
f_y, difference = _with("f_y", Fraction(2)), _with("g", None, Sort.INDEX)
#: rho at the heights of a token over y and over u, at the products of two tokens, and at 1.
rho_y, rho_u = (_with(name, None, Sort.INDEX) for name in ("rho_y", "rho_u"))
rho, rho_1 = _with("rho", None, Sort.INDEX, Sort.INDEX), Variable("rho1", range=REALS)
#: How steep rho is at least between the heights of all tokens, a number of (0, 1].
steepness = exp(-(_with("h", Fraction(0))(o) ** 2))
#: The sum of the weights of the other tokens.
others = exp(_with("log R", None, Sort.INDEX)(i, o))


def along(direction: Function, index: Variable = i) -> Term:
    """The height of a token over a point of the sphere."""
    return over(direction(j) * X(index, j, o))


def weight(direction: Function, index: Variable = i, scale: Term = c) -> Term:
    return exp(scale * along(direction, index))


def share(direction: Function, index: Variable = i) -> Term:
    """The weight of attention."""
    return weight(direction, index) / tokens(weight(direction))


def loss(direction: Function, scale: Term = c) -> Term:
    """The mean squared error with the scores c u.x_i, given the query."""
    W, label = weight(direction, scale=scale), f_y(o) + difference(i, o) + noise(i, q)
    return mean(of_noise((tokens(W * label) / tokens(W) - f_y(o)) ** 2))


def of_noise(body: Term) -> Term:
    """The mean over the noise of the labels, given the task and the tokens."""
    return bind("query", (q,), body)


def among(direction: Function) -> Term:
    """The weight of a token that is seen in this direction, where the others are seen along u."""
    return weight(direction) / (weight(direction) + others)


@cache
def sphere() -> tuple[Theorem, ...]:
    """What is said of points: tokens, the query and the direction are on the sphere."""
    return (
        assume("tokens on the sphere", over(X(i, j, o) ** 2), "==", 1, every=(i, o)),
        assume("|y| = 1", over(y(j) ** 2), "==", 1),
        assume("|u| = 1", over(u(j) ** 2), "==", 1),
        assume("c <= C", c, "<=", most),
    )


@cache
def several() -> tuple[Theorem, Theorem]:
    """There is another token for each, whose weight is at least e^{-C}."""
    total = tokens(weight(u))
    return (
        assume("R_i is the sum of the other weights", total, "==", weight(u) + others, every=(i, o)),
        assume("n >= 2: R_i is at least another weight", exp(-most), "<=", others, every=(i, o)),
    )


@cache
def noisy_labels() -> tuple[Theorem, Theorem]:
    """Independent noise of the mean 0 and the variance sigma^2, which may be 0."""
    sum_ = tokens(v(i) * noise(i, q))
    square = sigma**2 * tokens(v(i) ** 2)
    return (
        assume("independent noise of variance sigma^2", of_noise(sum_**2), "==", square, every=(v,)),
        assume("centred noise", of_noise(sum_), "==", 0, every=(v,)),
    )


@cache
def tasks(direction: Function) -> Theorem:
    """E f(x)f(y) = rho(x.y) for tasks that are independent of the tokens, in the means that the
    loss has, for f(x_i) - f(y).
    """
    g, h = share(direction), share(direction, l)
    right = rho(i, l, o) - rho_y(i, o) - rho_y(l, o) + rho_1
    return assume(
        f"E f(x)f(y) = rho(x.y), for the scores along {direction.name}",
        mean(g * h * (difference(i, o) * difference(l, o))),
        "==",
        mean(g * h * right),
        every=(i, l),
    )


def second(direction: Function) -> Term:
    """The mean square of the average of the labels, by rho."""
    g, h = share(direction), share(direction, l)
    return mean(tokens(tokens(g * h * rho(i, l, o), l))) + sigma**2 * mean(tokens(g**2))


@cache
def reflections() -> tuple[Theorem, ...]:
    """The reflection that exchanges y and u keeps the law of the tokens: of all, of the others, and
    of one alone.
    """
    name = lambda of: f"the reflection that exchanges y and u keeps the law of {of}"
    own = mean(rho_y(i, o) * among(y))
    return (
        assume(name("the tokens"), second(u), "==", second(y)),
        assume(name("the other tokens"), own, "==", mean(share(y) * rho_y(i, o)), every=(i,)),
        assume(name("a token, seen twice along y"), own, "==", mean(rho_u(i, o) * among(u)), every=(i,)),
        assume(name("a token"), mean(rho_y(i, o) * among(u)), "==", mean(rho_u(i, o) * among(y)), every=(i,)),
    )


@cache
def isotropic() -> Theorem:
    return assume(
        "uniform tokens: E (v.x_i)^2 = |v|^2/d",
        mean(over(v(j) * X(i, j, o)) ** 2),
        "==",
        over(v(j) ** 2) / d,
        every=(i, v),
    )


#: What the heights of a token over y and over u, and rho there, differ by.
apart, rise = along(y) - along(u), rho_y(i, o) - rho_u(i, o)


@cache
def rising() -> tuple[Theorem, ...]:
    """rho rises, and strictly: its difference quotients are positive."""
    up, down = Op("ind", (apart,)), Op("ind", (-apart,))
    return (
        assume("rho rises: x_i.y >= x_i.u", 0, "<=", up * rise, every=(i, o)),
        assume("rho rises: x_i.u >= x_i.y", 0, "<=", down * -rise, every=(i, o)),
        assume("rho rises strictly", steepness * apart**2, "<=", rise * apart, every=(i, o)),
    )


def given() -> tuple[Theorem, ...]:
    return (
        *sphere(),
        *several(),
        *noisy_labels(),
        tasks(u),
        tasks(y),
        *reflections(),
        isotropic(),
        *rising(),
    )


#: What the quotient of the differences of two weights and of their scores is at least.
kappa = exp(-4 * most) / (1 + n) ** 2
#: The squared differences of the scores in both directions, the mean of this with the steepness, to
#: which what u adds to the loss is proportional, and the largest value.
spread = c * tokens(apart**2)
gain, largest = mean(steepness * spread), 4 * n * most
