"""The in-context loss of affine tasks for two uniform tokens of the sphere, by their heights over
the query: its signal term is L^2/(3d) times 2 - E U, where U is what the heights gain.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import X, d, j, k, l, mean, v
from proofs_check.derivations.window.sphere_in_3d.heights import at
from proofs_check.derivations.window.uniform.bias_order import over
from proofs_check.derivations.window.uniform.cap_measure import q, x
from proofs_check.derivations.window.uniform.kernel_means import sphere, w, weight
from proofs_check.derivations.window.uniform.loss_bounds import (
    T_,
    Lip,
    T,
    a,
    affine,
    at_query,
    at_token,
    b,
    c,
    over_tasks,
    uniform,
)

#: The noise, also none, and what the other token adds to the weights.
sigma, rest = Variable("sigma", range=NONNEGATIVE), Variable("W_", range=POSITIVE)
W = weight(w)
t, t_l = at(k), at(l)


def at_l(e: Term) -> Term:
    """The same of the other token."""
    return instantiated(e, {k: l})


#: The weights of attention.
first, second = W / (W + at_l(W)), at_l(W) / (W + at_l(W))
products = W * at_l(W) / (W + at_l(W)) ** 2


def pairs(body: Term) -> Term:
    """The mean over two independent tokens."""
    return bind("mean", (l,), mean(body))


#: The error of a task, that of u.x, and that of x.
error = first * affine(at_token) + second * affine(at_l(at_token)) - affine(at_query)
along = first * at_token + second * at_l(at_token) - at_query
gap = first * X(j, k) + second * X(j, l) - x(j, q)
signal, noise = pairs(over_tasks(error**2)), pairs(first**2 + second**2)
#: What the heights gain.
gain = 2 * (first * t + second * t_l) + 2 * products * (1 - t * t_l)


def loss(at: Term) -> Term:
    """The in-context loss at a width."""
    return bind("query", (q,), instantiated(signal + sigma**2 * noise, {w: at}))


@cache
def on_the_line() -> Theorem:
    """E W X/(W + W')^2 is on the line of the query, for every weight W' of another token."""
    share = W / (W + rest) ** 2
    return assume(
        "uniform tokens: the mean of W/(W + c)^2 times a token is on the line of x",
        mean(share * X(j, k)),
        "==",
        mean(share * t) * x(j, q),
        every=(w, rest, j, q),
    )


@cache
def of_the_tasks() -> Theorem:
    """The mean square error is L^2/(3d) |h - x|^2."""
    missing = show(first + second - 1, "==", 0, W, at_l(W))
    slopes = instantiate(uniform()[0], {a: along, b: term(0), c: missing.lhs})
    direction = instantiate(uniform()[1], {v: ((j,), gap)})
    inner = calc(
        bind("task", (T_,), error**2),
        ("==", slopes.lhs),
        ("==", Lip**2 / 3 * (along**2 + missing.lhs**2), slopes),
        ("==", Lip**2 / 3 * along**2, missing),
    )
    return calc(
        over_tasks(error**2),
        ("==", bind("task", (T,), Lip**2 / 3 * along**2), inner),
        ("==", Lip**2 / 3 * direction.lhs),
        ("==", Lip**2 / 3 * direction.rhs, direction),
        ("==", Lip**2 / (3 * d) * over(gap**2)),
    )


#: The inner product of both tokens.
product = over(X(j, k) * X(j, l))


@cache
def of_the_gap() -> Theorem:
    """|h - x|^2 is 2 - U with the inner product of the tokens in place of that of their heights."""
    token, query = sphere()
    token_l = instantiate(token, {k: l})
    ends = lambda one, two, three: first**2 * one + second**2 * two + three
    rest = 2 * first * second * product - 2 * (first * t + second * t_l)
    return calc(
        over(gap**2),
        ("==", ends(token.lhs, token_l.lhs, query.lhs) + rest),
        ("==", ends(1, 1, 1) + rest, token, token_l, query),
        (
            "==",
            2 - 2 * (first * t + second * t_l) - 2 * products * (1 - product),
            W,
            at_l(W),
            product,
            t,
            t_l,
        ),
    )


@cache
def of_the_product() -> Theorem:
    """E gamma gamma' x_1.x_2 = E gamma gamma' t_1 t_2."""
    line = instantiate(on_the_line(), {rest: at_l(W)})
    scale = at_l(W) * X(j, l)
    each = integrate("mean", (l,), show(scale * line.lhs, "==", scale * line.rhs, line))
    both = integrate("coordinates", (j,), each, (d,))
    return chain(pairs(products * product), both, pairs(products * (t * t_l)))


@cache
def of_the_heights() -> Theorem:
    """The signal term is L^2/(3d) (2 - E U)."""
    scale, same = Lip**2 / (3 * d), of_the_product()
    point = calc(
        over_tasks(error**2),
        ("==", scale * over(gap**2), of_the_tasks()),
        ("==", scale * of_the_gap().rhs, of_the_gap()),
    )
    found = integrate("mean", (l,), integrate("mean", (k,), point))
    parts = pairs(2 * (first * t + second * t_l) + 2 * products)
    return calc(
        found,
        ("==", scale * (2 - parts + 2 * same.lhs)),
        ("==", scale * (2 - parts + 2 * same.rhs), same),
        ("==", scale * (2 - pairs(gain))),
    )
