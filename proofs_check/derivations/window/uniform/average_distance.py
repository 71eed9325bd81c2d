"""The average squared distance of the tokens from the query, which bounds the signal terms of ReLU
tasks from above.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import d, j, k, prompt, total
from proofs_check.derivations.window.uniform.bias_order import (
    D1,
    distance,
    jensen,
    no_further_than_two,
    off,
    over,
    spread,
    squared,
)
from proofs_check.derivations.window.uniform.cap_measure import power
from proofs_check.derivations.window.uniform.kernel_means import depth, low, w
from proofs_check.derivations.window.uniform.loss_bounds import (
    T_,
    K,
    Lip,
    T,
    a,
    at_query,
    at_token,
    b,
    c,
    depths_at,
    error,
    minus,
    over_tasks,
    plus,
    rare_at,
    relu,
    uniform,
    v,
)
from proofs_check.derivations.window.uniform.noise_order import S, W, eps, few, m0, prompts, rare


@cache
def distance_from_above() -> Theorem:
    """The average squared distance is in the mean at most 4 E W D/E W + 4 e^{-1/(8 eps)}."""
    a, s, b = Variable("a", range=NONNEGATIVE), Variable("s", range=POSITIVE), Variable("b", range=POSITIVE)
    split = arithmetic(a / s, "<=", 2 * a / b + Op("above", (b / 2 - s,)) * (a / s))
    split = instantiate(split, {a: squared, s: S, b: n * m0})
    whole = chain(
        integrate("mean", (k,), show(W * over(off**2), "==", 2 * (W * depth), distance()[0])), 2 * D1
    )
    point = chain(split, gcongr(split.rhs, no_further_than_two()))
    return calc(
        chain(integrate("prompt", (prompt,), point), 2 * whole.lhs / m0 + 4 * prompts(few)),
        ("<=", 4 * D1 / m0 + 4 * exp(-1 / (8 * eps)), whole, rare()),
    )


@cache
def spread_at(at: Term, wide: Theorem) -> Theorem:
    """The mean of the average squared distance is at most 2 c_1 c_3/w + 12288 (c_3 w^{m/2}/n)^3."""
    rare_, first = rare_at(at, wide), depths_at(at, wide)[0]
    return calc(
        instantiate(distance_from_above(), {w: at}),
        ("==", 4 * first.lhs + 4 * rare_.lhs),
        ("<=", 4 * first.rhs + 4 * rare_.rhs, first, rare_, first.lhs, first.rhs, rare_.lhs, rare_.rhs),
        ("==", 2 * low * K / at + 12288 * (K * power(at) / n) ** 3),
    )


@cache
def relu_from_above() -> Theorem:
    """The signal term of ReLU tasks is at most L^2/(3d) times the mean of the average squared
    distance.
    """
    P, N = (total(W * part(at_token)) / S - part(at_query) for part in (plus, minus))
    slopes = instantiate(uniform()[0], {a: P, b: N, c: term(0)})
    inner = calc(bind("task", (T_,), error(relu) ** 2), ("==", Lip**2 / 3 * (P**2 + N**2), slopes))
    both = arithmetic((plus(a) - plus(b)) ** 2 + (minus(a) - minus(b)) ** 2, "<=", (a - b) ** 2)
    both = instantiate(both, {a: at_token, b: at_query})
    parts = [part(at_token) - part(at_query) for part in (plus, minus)]
    sums = [total(W * part**2) for part in parts]
    squares = [
        chain(X_**2, total(W * part) ** 2 / S**2, gcongr(total(W * part) ** 2 / S**2, jensen(part)), sum_ / S)
        for X_, part, sum_ in zip((P, N), parts, sums)
    ]
    weighted = integrate("sum", (k,), gcongr(W * both.lhs, both), (prompt,))
    weighted = chain(sums[0] + sums[1], weighted)
    point = calc(
        gcongr(P**2 + N**2, *squares),
        ("==", (sums[0] + sums[1]) / S),
        ("<=", weighted.rhs / S, weighted, sums[0] + sums[1], weighted.rhs, S),
    )
    along = instantiate(uniform()[1], {v: ((j,), off)})
    each = show(W * along.lhs, "==", W * (over(off**2) / d), along)
    mean_ = chain(bind("task", (T,), weighted.rhs / S), total(W * along.lhs) / S)
    mean_ = calc(mean_, ("==", spread / d, integrate("sum", (k,), each, (prompt,))))
    whole = calc(
        over_tasks(error(relu) ** 2),
        ("==", bind("task", (T,), Lip**2 / 3 * (P**2 + N**2)), inner),
        (
            "<=",
            bind("task", (T,), Lip**2 / 3 * (weighted.rhs / S)),
            gcongr(Lip**2 / 3 * (P**2 + N**2), point),
        ),
        ("==", Lip**2 / 3 * mean_.lhs),
        ("==", Lip**2 / (3 * d) * spread, mean_),
    )
    return chain(integrate("prompt", (prompt,), whole), Lip**2 / (3 * d) * prompts(spread))
