"""The in-context loss of affine and ReLU tasks between bounds, at any width of at least 1 and for
every number of uniform tokens in every dimension.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Defined, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import X, d, j, k, prompt, total
from proofs_check.derivations.window.uniform.bias_order import (
    D1,
    bias,
    bias_from_above,
    mean_depths,
    over,
)
from proofs_check.derivations.window.uniform.cap_measure import power, q, x
from proofs_check.derivations.window.uniform.kernel_means import deep, depth, low, p, up, w
from proofs_check.derivations.window.uniform.noise_order import S, W, eps, m0, orders, prompts

Value = Callable[[Term], Term]
#: A task: its direction, and its slopes and offset, which are independent of it.
T, T_ = Variable("T", Sort.TASK), Variable("T_", Sort.TASK)
direction = Function("u", (Sort.INDEX, Sort.TASK), None)
l_1, l_2, offset = (Function(name, (Sort.TASK,), None) for name in ("l1", "l2", "b_"))
Lip, sigma, y = (
    Variable("Lip", range=POSITIVE),
    Variable("sigma", range=POSITIVE),
    Variable("y", range=POSITIVE),
)
a, b, c = (Variable(name, range=REALS) for name in "abc")
v = Function("v", (Sort.INDEX,))
at_token, at_query = over(direction(j, T) * X(j, k)), over(direction(j, T) * x(j, q))
#: The constant of the bounds.
K = Defined("c_3", up / low**2 * power(term(4)))


def affine(z: Term) -> Term:
    return l_1(T_) * z + offset(T_)


def plus(z: Term) -> Term:
    return Op("ind", (z,)) * z


def minus(z: Term) -> Term:
    return Op("above", (-z,)) * -z


def relu(z: Term) -> Term:
    return l_1(T_) * plus(z) + l_2(T_) * minus(z) + offset(T_)


def error(value: Value) -> Term:
    """The average of the values at the tokens, minus that at the query."""
    return total(W * value(at_token)) / S - value(at_query)


def over_tasks(body: Term) -> Term:
    return bind("task", (T,), bind("task", (T_,), body))


def signal(value: Value) -> Term:
    """The signal term of a class for one query, in the mean over prompts and tasks."""
    return prompts(over_tasks(error(value) ** 2))


@cache
def uniform() -> tuple[Theorem, Theorem]:
    square = bind("task", (T_,), (a * l_1(T_) + b * l_2(T_) + c * offset(T_)) ** 2)
    along = bind("task", (T,), over(v(j) * direction(j, T)) ** 2)
    return (
        assume(
            "l_1, l_2, b independent and uniform on [-L, L]",
            square,
            "==",
            Lip**2 / 3 * (a**2 + b**2 + c**2),
            every=(a, b, c),
        ),
        assume("uniform direction: E (u.v)^2 = |v|^2/d", along, "==", over(v(j) ** 2) / d, every=(v,)),
    )


def slopes(A: Term, B: Term | int) -> Theorem:
    return instantiate(uniform()[0], {a: A, b: term(B), c: term(0)})


#: The error of u.x.
A = total(W * at_token) / S - at_query


@cache
def affine_signal() -> Theorem:
    """The signal term of affine tasks is L^2/(3d) E |h - x|^2."""
    gap = total(W * X(j, k)) / S - x(j, q)
    along = instantiate(uniform()[1], {v: ((j,), gap)})
    inner = calc(bind("task", (T_,), error(affine) ** 2), ("==", Lip**2 / 3 * A**2, slopes(A, 0)))
    whole = calc(
        over_tasks(error(affine) ** 2),
        ("==", bind("task", (T,), Lip**2 / 3 * A**2), inner),
        ("==", Lip**2 / 3 * along.lhs),
        ("==", Lip**2 / 3 * along.rhs, along),
        ("==", Lip**2 / (3 * d) * bias),
    )
    return calc(signal(affine), ("==", prompts(whole.rhs), whole), ("==", Lip**2 / (3 * d) * prompts(bias)))


@cache
def difference() -> Theorem:
    """The errors of the positive and the negative part of u.x differ by that of u.x."""
    P, N = (total(W * part(at_token)) / S - part(at_query) for part in (plus, minus))
    split = arithmetic(plus(a) - minus(a), "==", a)
    query, token = (instantiate(split, {a: at}) for at in (at_query, at_token))
    tokens = integrate("sum", (k,), show(W * token.lhs, "==", W * at_token, token), (prompt,))
    return calc(
        P - N,
        ("==", tokens.lhs / S - query.lhs),
        ("==", tokens.rhs / S - query.lhs, tokens, tokens.lhs, tokens.rhs, query.lhs, S),
        ("==", A, query, tokens.rhs, query.lhs, at_query, S),
    )


@cache
def relu_from_below() -> Theorem:
    """L^2/(6d) E |h - x|^2 <= the signal term of ReLU tasks."""
    P, N = (total(W * part(at_token)) / S - part(at_query) for part in (plus, minus))
    inner = calc(bind("task", (T_,), error(relu) ** 2), ("==", Lip**2 / 3 * (P**2 + N**2), slopes(P, N)))
    lower = show(A**2 / 2, "<=", P**2 + N**2, difference(), A, P, N)
    along = instantiate(uniform()[1], {v: ((j,), total(W * X(j, k)) / S - x(j, q))})
    below = calc(
        Lip**2 / (6 * d) * bias,
        ("==", Lip**2 / 6 * along.rhs),
        ("==", Lip**2 / 6 * along.lhs, along),
        ("==", bind("task", (T,), Lip**2 / 3 * (A**2 / 2))),
        ("<=", bind("task", (T,), Lip**2 / 3 * (P**2 + N**2)), gcongr(Lip**2 / 3 * lower.lhs, lower)),
        ("==", over_tasks(error(relu) ** 2), inner),
    )
    return calc(Lip**2 / (6 * d) * prompts(bias), ("<=", signal(relu), below))


@cache
def rare_at(at: Term, wide: Theorem, order: int = 3, constant: int = 3072) -> Theorem:
    """e^{-1/(8 eps)} <= constant (c_3 w^{m/2}/n)^order at a width of at least 1."""
    below, _, _, above = orders(at, wide)
    share, bound = instantiated(eps, {w: at}), K * power(at) / n
    small = calc(
        share,
        ("==", above.lhs / n * below.rhs**-2),
        ("<=", above.rhs / n * below.lhs**-2, above, below),
        ("==", up / low**2 * power(term(2)) * power(at) / n),
        ("<=", up / low**2 * power(term(4)) * power(at) / n, arithmetic(term(2), "<=", term(4))),
        ("==", bound),
    )
    tail = instantiate(arithmetic(exp(-1 / (8 * y)), "<=", constant * y**order), {y: share})
    return chain(tail, gcongr(constant * share**order, small))


@cache
def depths_at(at: Term, wide: Theorem) -> tuple[Theorem, Theorem]:
    """E W D/E W <= c_1 c_3/(2w), and E W^2 D/(E W)^2 <= c_3 w^{m/2}/(2w)."""
    below = orders(at, wide)[0]
    least, most, x_ = below.lhs, below.rhs, power(at)
    first, second = (instantiate(thm, {p: at}) for thm in mean_depths())
    ratio = lambda thm, n: calc(
        thm.lhs / most**n,
        ("<=", thm.rhs / most**n, thm, thm.lhs, thm.rhs, most),
        ("<=", thm.rhs / least**n, gcongr(thm.rhs * most**-n, below)),
    )
    return (
        calc(ratio(first, 1), ("==", low * K / (2 * at))),
        calc(ratio(second, 2), ("==", K * x_ / (2 * at))),
    )


@cache
def bias_at(at: Term, wide: Theorem) -> Theorem:
    """E |h - x|^2 <= 4 c_3 w^{m/2}/(w n) + (c_1 c_3/w)^2 + 12288 (c_3 w^{m/2}/n)^3."""
    rare_, (first, second) = rare_at(at, wide), depths_at(at, wide)
    found, tail = instantiate(bias_from_above(), {w: at}), rare_.lhs
    below = instantiate(no_depth(), {w: at})
    share = show(0, "<=", first.lhs, below, below.rhs, instantiated(m0, {w: at}))
    square = show(first.lhs**2, "<=", first.rhs**2, share, first, first.lhs, first.rhs)
    return calc(
        found,
        ("==", 8 / n * second.lhs + 4 * first.lhs**2 + 4 * tail),
        (
            "<=",
            8 / n * second.rhs + 4 * first.rhs**2 + 4 * rare_.rhs,
            second,
            square,
            rare_,
            second.lhs,
            second.rhs,
            first.lhs**2,
            first.rhs**2,
            tail,
            rare_.rhs,
        ),
        ("==", 4 * K * power(at) / (at * n) + (low * K / at) ** 2 + 12288 * (K * power(at) / n) ** 3),
    )


@cache
def no_depth() -> Theorem:
    """0 <= E W D."""
    return chain(0, integrate("mean", (k,), show(0 * W, "<=", W * depth, deep(), W, depth)), D1)
