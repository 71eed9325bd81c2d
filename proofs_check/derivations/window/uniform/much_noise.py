"""Theorem E.1 of Collins et al. where there is more noise than signal, Lambda = n L^2/sigma^2 < 1:
the width that is learned is at most of the order of Lambda, as the noise term rises from the width
0 on, and the signal term does not fall faster than it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import X, d, j, k, l, mean, prompt, total, two_moments
from proofs_check.derivations.window.kernel_sums import v as vector
from proofs_check.derivations.window.uniform.best_width import loss, omega
from proofs_check.derivations.window.uniform.bias_order import distance, jensen, of_the_whole, whole
from proofs_check.derivations.window.uniform.cap_measure import height, q, x
from proofs_check.derivations.window.uniform.kernel_means import depth, sphere, w
from proofs_check.derivations.window.uniform.loss_bounds import (
    T_,
    Lip,
    T,
    Value,
    a,
    affine,
    at_query,
    at_token,
    b,
    c,
    error,
    minus,
    over_tasks,
    plus,
    relu,
    sigma,
    signal,
    uniform,
)
from proofs_check.derivations.window.uniform.narrower import less_even, more, width
from proofs_check.derivations.window.uniform.noise_order import (
    S,
    W,
    light,
    noise,
    prompts,
    squares,
    weights_squared,
)

#: Lambda, where it is small.
ratio = Variable("Lambda", range=POSITIVE)
s, t, y = Variable("s", range=NONNEGATIVE), Variable("t", range=NONNEGATIVE), Variable("y", range=POSITIVE)


@cache
def few() -> Theorem:
    return assume("n >= 2", 2, "<=", n)


@cache
def pairs_of_weights() -> Theorem:
    """4w^2 e^{-8w} times the sum of (D_k - D_l)^2 over pairs is at most that of (W_k - W_l)^2."""
    at_l = lambda e: instantiated(e, {k: l})
    mixed = (s - t) * (exp(s) - exp(t))
    lemma = chain(arithmetic((s - t) ** 2, "<=", mixed), arithmetic(mixed, "<=", (exp(s) - exp(t)) ** 2))
    score = 4 * w - 2 * w * depth
    above = show(0, "<=", score, gcongr(2 * w * depth, distance()[1]), 2 * w * depth)
    each = instantiate(lemma, {s: score, t: at_l(score)}, above, instantiate(above, {k: l}))
    each = gcongr(exp(-8 * w) * each.lhs, each)
    each = chain(4 * w**2 * exp(-8 * w) * (depth - at_l(depth)) ** 2, each, (W - at_l(W)) ** 2)
    return integrate("sum", (k, l), each, (prompt,))


@cache
def more_than_even() -> Theorem:
    """1 + 2w^2 e^{-8w}/d <= n E sum gamma^2 for two tokens and more, as their heights have the mean
    0 and the mean square 1/d.
    """
    apart, one = pairs_of_weights(), sphere()[1]
    mass = chain(S, integrate("sum", (k,), light(), (prompt,)), n)
    pairs, scale = apart.rhs, 4 * w**2 * exp(-8 * w)
    same = show(S**2 + pairs / 2, "==", n * squares)
    point = calc(gcongr(1 + pairs / 2 / n**2, mass), ("==", same.lhs / S**2, pairs, S))
    point = chain(point, gcongr(point.rhs, same))
    centred, spread_ = (instantiate(thm, {vector: ((j,), x(j, q))}) for thm in two_moments())
    centred = chain(mean(height), centred)
    spread_ = calc(chain(mean(height**2), spread_), ("==", 1 / d, one))
    variance = mean(height**2) - mean(height) ** 2
    gap = chain(prompts(apart.lhs), scale * (2 * n * (n - 1) * variance))
    gap = calc(gap, ("==", scale * (2 * n * (n - 1) / d), spread_, centred))
    several = arithmetic(1 / (2 * n), "<=", (n - 1) / n**2, few())
    return calc(
        1 + 2 * w**2 * exp(-8 * w) / d,
        ("==", 1 + scale * n / d * several.lhs),
        ("<=", 1 + scale * n / d * several.rhs, several),
        ("==", 1 + gap.rhs / (2 * n**2)),
        ("==", 1 + gap.lhs / (2 * n**2), gap),
        ("<=", 1 + prompts(pairs) / (2 * n**2), integrate("prompt", (prompt,), apart)),
        ("==", prompts(point.lhs)),
        ("<=", n * noise, point),
    )


#: What the mean square of the value of a task at a point of the sphere is at most.
size = Fraction(2, 3) * Lip**2


def _over_slopes(value: Value, at: Term) -> Theorem:
    """E f^2 = L^2/3 (z^2 + 1) over l_1, l_2 and b, for the value f of a task at a coordinate z."""
    parts = (at, term(0)) if value is affine else (plus(at), minus(at))
    own = instantiate(uniform()[0], dict(zip((a, b, c), (*parts, term(1)))))
    return calc(bind("task", (T_,), value(at) ** 2), ("==", Lip**2 / 3 * (at**2 + 1), own))


@cache
def mean_squares(value: Value) -> tuple[Theorem, Theorem]:
    """The mean squares of the values at the tokens, added up, and that at the query."""
    square = lambda at: Lip**2 / 3 * (at**2 + 1)
    along = [instantiate(uniform()[1], {vector: ((j,), at)}) for at in (X(j, k), x(j, q))]
    token, query = (calc(thm, ("==", 1 / d, one)) for thm, one in zip(along, sphere()))
    each = integrate("sum", (k,), _over_slopes(value, at_token), (prompt,))
    all_ = total(square(at_token))
    inner = integrate("task", (T,), chain(bind("task", (T_,), total(value(at_token) ** 2)), each, all_))
    short = arithmetic(Lip**2 / 3 * (1 / d + 1), "<=", size)
    at = lambda z, thm: calc(
        bind("task", (T,), square(z)),
        ("==", short.lhs, chain(bind("task", (T,), z**2), thm)),
        ("<=", size, short),
    )
    own = chain(inner, integrate("sum", (k,), at(at_token, token), (prompt,)), n * size)
    here = integrate("task", (T,), _over_slopes(value, at_query))
    return own, chain(here, at(at_query, query))


@cache
def signal_of_even_weights(value: Value) -> Theorem:
    """The signal term at 0 is at most 4V."""
    at_0, mean_ = {w: term(0)}, total(value(at_token)) / n
    halves = instantiate(arithmetic((a - b) ** 2, "<=", 2 * a**2 + 2 * b**2), {a: mean_, b: value(at_query)})
    jensen_ = instantiate(jensen(value(at_token)), at_0)
    squared_ = total(value(at_token) ** 2)
    jensen_ = chain(mean_**2, gcongr(jensen_.lhs / n**2, jensen_), squared_ / n)
    all_, here = mean_squares(value)
    point = chain(instantiated(error(value), at_0) ** 2, halves, gcongr(halves.rhs, jensen_))
    parts = 2 * all_.lhs / n + 2 * here.lhs
    point = chain(integrate("task", (T,), integrate("task", (T_,), point)), parts, gcongr(parts, all_, here))
    return chain(instantiated(signal(value), at_0), integrate("prompt", (prompt,), point), 4 * size)


@cache
def even_weights(value: Value) -> Theorem:
    """The signal term at 0 and V/y are at most that at w, 4yV and V/y times n E sum gamma^2, for
    mean squares of a task up to V: both averages differ by that with the weights 1/n - gamma.
    """
    any_value = Function("v_", (Sort.TOKEN,))
    at_0, gamma = {w: term(0)}, 1 / n - W / S
    even, squared_ = instantiated(error(value), at_0), total(value(at_token) ** 2)
    schwarz = cauchy_schwarz("sum", (k,), gamma, any_value(k), (prompt,))
    schwarz = instantiate(schwarz, {any_value: ((k,), value(at_token))})
    excess = total(gamma**2)
    schwarz = chain((even - error(value)) ** 2, schwarz, excess * squared_)
    mean_ = total(value(at_token)) / n
    jensen_ = instantiate(jensen(value(at_token)), at_0)
    jensen_ = chain(mean_**2, gcongr(jensen_.lhs / n**2, jensen_), squared_ / n)
    lemma = arithmetic(a**2, "<=", b**2 + y * a**2 + (a - b) ** 2 / y)
    lemma = instantiate(lemma, {a: even, b: error(value)})
    halves = instantiate(arithmetic((a - b) ** 2, "<=", 2 * a**2 + 2 * b**2), {a: mean_, b: value(at_query)})
    halves = chain(even**2, halves, gcongr(halves.rhs, jensen_))
    right = lambda first, last: error(value) ** 2 + y * first + last / y
    point = chain(lemma, right(even**2, (even - error(value)) ** 2))
    point = chain(point, gcongr(right(halves.lhs, schwarz.lhs), halves, schwarz))
    all_, here = mean_squares(value)
    X_ = over_tasks(error(value) ** 2)
    parts = X_ + y * (2 * all_.lhs / n + 2 * here.lhs) + excess * all_.lhs / y
    point = chain(integrate("task", (T,), integrate("task", (T_,), point)), parts)
    split = X_ + 4 * y * size + (n * weights_squared - 1) * size / y
    point = chain(point, gcongr(parts, all_, here), split)
    point = chain(gcongr(point.lhs + size / y, point), X_ + 4 * y * size + n * weights_squared * size / y)
    point = chain(point, gcongr(point.rhs, show(X_, "<=", whole(X_), X_)))
    rest, left = 4 * y * size + n * noise * size / y, instantiated(signal(value), at_0) + size / y
    point = chain(left, integrate("prompt", (prompt,), point), prompts(whole(X_)) + rest)
    return chain(point, gcongr(point.rhs, of_the_whole(X_)), signal(value) + rest)


#: The width beyond which none is best, and by how much the loss is larger there.
largest, gain = 2 * sqrt(d) * exp(4) * ratio, Fraction(4, 9) * sigma**2 / (2 * n) * ratio**2


@cache
def little_signal() -> tuple[Theorem, Theorem]:
    return (
        assume("Lambda = n L^2/sigma^2", n * Lip**2, "==", ratio * sigma**2),
        assume("2 sqrt(d) e^4 Lambda <= 1", largest, "<=", 1),
    )


def noisy_statement(value: Value, power: int | Fraction = 1) -> Statement:
    """The loss at a width above 2 sqrt(d) e^4 Lambda^power is larger than that at 0."""
    end = 2 * sqrt(d) * exp(4) * (ratio if power == 1 else ratio ** Fraction(power))
    late = assume("w > 2 sqrt(d) e^4 Lambda", end, "<", omega)
    given = hypotheses(few(), *sphere(), *two_moments(), *uniform(), *little_signal(), late)
    return Statement(loss(value, term(0)) + gain, "<=", loss(value, omega), given)


@cache
def no_wide_window(value: Value, late: Theorem | None = None) -> Theorem:
    """The noise beyond the width rises faster than the signal term falls."""
    equation, short = little_signal()
    late = late or assume("w > 2 sqrt(d) e^4 Lambda", largest, "<", omega)
    # The noise beyond the width is more than that at it.
    gap = omega - largest
    even = instantiate(less_even(), {width: largest, more: gap}, show(0, "<", gap, late, omega, largest))
    even = integrate("prompt", (prompt,), even)
    low = instantiate(more_than_even(), {w: largest})
    fall = show(exp(-8 * term(1)), "<=", exp(-8 * largest), short)
    low = calc(
        1 + 8 * ratio**2,
        ("==", 1 + 2 * largest**2 * exp(-8 * term(1)) / d),
        ("<=", low.lhs, fall),
        ("<=", low.rhs, low),
    )
    here = {w: omega}
    last = instantiated(noise, here)
    low = chain(low, gcongr(n * even.lhs, even), n * last)
    found = instantiate(even_weights(value), {w: omega, y: 2 * n * size / sigma**2})
    start, end = (instantiated(signal(value), {w: at}) for at in (term(0), omega))
    found = chain(start + sigma**2 / (2 * n), found, end + 8 * n * size**2 / sigma**2 + sigma**2 * last / 2)
    # n V/sigma^2 = 2 Lambda/3.
    small = calc(
        n * size / sigma**2,
        ("==", Fraction(2, 3) * (n * Lip**2) / sigma**2),
        ("==", Fraction(2, 3) * (ratio * sigma**2) / sigma**2, equation),
        ("<=", Fraction(2, 3) * ratio),
    )
    z = n * size / sigma**2
    square = gcongr(z**2, small)
    tail = sigma**2 / (2 * n) * (1 + 16 * z**2) + gain
    tail_ = calc(
        tail,
        ("<=", sigma**2 / (2 * n) * (1 + 16 * square.rhs) + gain, square),
        ("<=", sigma**2 / (2 * n) * (1 + 8 * ratio**2)),
        ("<=", sigma**2 / (2 * n) * (n * last), low),
    )
    point = chain(
        start + sigma**2 / n + gain,
        gcongr(found.lhs + (sigma**2 / (2 * n) + gain), found),
        end + sigma**2 * last / 2 + tail,
        gcongr(end + sigma**2 * last / 2 + tail, tail_),
        end + sigma**2 * last,
    )
    whole_ = integrate("query", (q,), point)
    return chain(loss(value, term(0)) + gain, whole_, loss(value, omega))


def noisy_statements(power: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The statement for affine tasks and for ReLU tasks."""
    return noisy_statement(affine, power), noisy_statement(relu, power)


proves("COL:E.1/noisy", noisy_statements, at=(affine, relu))(no_wide_window)
