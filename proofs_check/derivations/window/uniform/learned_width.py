"""Theorems 3.5 and E.3 of Collins et al.: the loss of other tasks at a width that minimises the
loss of ReLU tasks, by the bias and the noise that this loss bounds.

Few tokens are near the query, so that bias and noise are not both small: that bounds each of them
from below by the other one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Defined, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import d, k, mean, prompt, total
from proofs_check.derivations.window.uniform.best_width import (
    back_to_the_noise,
    best,
    kinks,
    log_v,
    loss,
    loss_there,
    no_signal,
    of_both,
    of_uniform_tokens,
    omega,
    omega_,
    v,
)
from proofs_check.derivations.window.uniform.bias_order import (
    bias,
    bias_from_below,
    distance,
    jensen,
    of_the_whole,
    off,
    over,
    spread,
    squared,
    whole,
)
from proofs_check.derivations.window.uniform.cap_measure import height, m, power, q
from proofs_check.derivations.window.uniform.kernel_means import r, small_caps, w
from proofs_check.derivations.window.uniform.loss_bounds import (
    Lip,
    relu,
    relu_from_below,
    sigma,
    signal,
)
from proofs_check.derivations.window.uniform.noise_order import S, W, noise, prompts, weights_squared

#: The values of a task at a token and at the query.
f, f_query = Function("f", (Sort.TOKEN,), None), Function("f_x", (Sort.QUERY,), None)
error = total(W * f(k)) / S - f_query(q)
#: The order of the average squared distance at the learned width, and its constant.
order, constant = v ** Fraction(3, 2), Defined("c_9", 1 + 6 * d * of_both)
share = Lip**2 / (6 * d)
#: The average squared distance and that of the average, which stay whole under means.
far, centre = whole(spread), whole(bias)
t = Variable("t", range=POSITIVE)


def queries(body: Term) -> Term:
    return bind("query", (q,), instantiated(body, {w: omega_}))


@cache
def learned() -> Theorem:
    """The width minimises the loss of ReLU tasks."""
    return assume(
        "w minimises the loss of ReLU tasks", loss(relu, omega_), "<=", loss(relu, omega), every=(omega,)
    )


@cache
def bias_and_noise() -> Theorem:
    """E [L^2/(6d) |h - x|^2 + the noise] is at most c_6 L^2 rho^3 at the learned width."""
    same = gcongr(share * prompts(centre), of_the_whole(bias))
    parts = gcongr(same.lhs + sigma**2 * noise, chain(same, relu_from_below()))
    level = integrate("query", (q,), instantiate(parts, {w: omega_}))
    return chain(level, loss(relu, omega_), instantiate(learned(), {omega: best}), loss_there(relu))


@cache
def distance_and_noise() -> Theorem:
    """E [L^2 times the average squared distance + the noise] is at most c_9 L^2 rho^{3/2} at the
    learned width.
    """
    y, z = Variable("y", range=POSITIVE), Variable("z", range=NONNEGATIVE)
    tangent = instantiate(arithmetic(z, "<=", y + (z / 2) ** 2 / y), {z: spread})
    point = show(far, "<=", y + centre / y, tangent, bias_from_below(), spread, bias)
    point = instantiate(point, {y: order})
    point = chain(integrate("prompt", (prompt,), point), order + prompts(centre) / order)
    more = gcongr(1 * (sigma**2 * noise), arithmetic(1, "<=", 6 * d / order))
    level, scale = bias_and_noise(), 6 * d / order
    each = chain(
        Lip**2 * prompts(far) + sigma**2 * noise,
        gcongr(Lip**2 * point.lhs + more.lhs, point, more),
        Lip**2 * order + scale * (share * prompts(centre) + sigma**2 * noise),
    )
    both = integrate("query", (q,), instantiate(each, {w: omega_}))
    return calc(
        chain(both, Lip**2 * order + scale * level.lhs),
        ("<=", Lip**2 * order + scale * level.rhs, level),
        ("==", constant * Lip**2 * order),
    )


#: The constant of the new tasks, which are L'/L times the ReLU tasks of the constant L.
other = Variable("Lip_", range=POSITIVE)


@cache
def lipschitz(of: Term = Lip) -> Theorem:
    difference, name = f(k) - f_query(q), "Lipschitz task"
    name = name if of == Lip else f"{name} of another constant"
    return assume(name, difference**2, "<=", of**2 * over(off**2), every=(k, q))


@cache
def of_a_lipschitz_task(of: Term = Lip) -> Theorem:
    """The signal term of the task is at most the square of its constant times the mean of the
    average squared distance.
    """
    difference = f(k) - f_query(q)
    each = gcongr(W * difference**2, lipschitz(of))
    sum_ = chain(total(each.lhs), integrate("sum", (k,), each, (prompt,)), of**2 * squared)
    point = calc(
        chain(error**2, total(W * difference) ** 2 / S**2),
        ("<=", total(W * difference**2) / S, jensen(difference), S),
        ("<=", of**2 * squared / S, sum_, total(W * difference**2), squared, S),
        ("==", of**2 * spread),
        ("<=", of**2 * far, show(spread, "<=", far, spread)),
    )
    return chain(integrate("prompt", (prompt,), point), of**2 * prompts(far))


def lipschitz_statement(times: int | Fraction = 1, least: int | Fraction = 1) -> Statement:
    """The loss of an L-Lipschitz task is at most c_9 L^2 Lambda^{-times/(d + 2)} at a width that
    minimises the loss of ReLU tasks.
    """
    left, bound = queries(prompts(error**2) + sigma**2 * noise), constant * Lip**2
    given = of_uniform_tokens(*kinks(relu), lipschitz(), learned(), least=least)
    return Statement(left, "<=", bound * exp(Fraction(times) * log_v), given)


@proves("COL:T3.5", lipschitz_statement)
@cache
def every_lipschitz_task() -> Theorem:
    """Its signal term is at most L^2 times the average squared distance; rho^{3/2} <= rho."""
    found, level = of_a_lipschitz_task(), distance_and_noise()
    point = gcongr(found.lhs + sigma**2 * noise, found)
    whole_ = integrate("query", (q,), instantiate(point, {w: omega_}))
    short = arithmetic(order, "<=", v)
    return calc(
        chain(whole_, level),
        ("<=", constant * Lip**2 * v, short),
        ("==", constant * Lip**2 * exp(1 * log_v)),
    )


def any_constant_statement(times: int | Fraction = 1) -> Statement:
    """The loss of an L'-Lipschitz task is at most c_9 (L^2 + L'^2) Lambda^{-times/(d + 2)} at a
    width that minimises the loss of ReLU tasks of the constant L.
    """
    left, bound = queries(prompts(error**2) + sigma**2 * noise), constant * (Lip**2 + other**2)
    given = of_uniform_tokens(*kinks(relu), lipschitz(other), learned())
    return Statement(left, "<=", bound * exp(Fraction(times) * log_v), given)


@proves("COL:T3.5.iff", any_constant_statement)
@cache
def tasks_of_any_constant() -> Theorem:
    """The signal term is at most L'^2 times the average squared distance, and that and the noise
    are at most 1 + (L'/L)^2 times L^2 times the distance and the noise.
    """
    found, level = of_a_lipschitz_task(other), distance_and_noise()
    more = 1 + (other / Lip) ** 2
    pairs = (other**2, Lip**2), (sigma**2, sigma**2)
    parts = [arithmetic(part, "<=", more * share_) for part, share_ in pairs]
    point = gcongr(found.lhs + sigma**2 * noise, found)
    point = chain(point, gcongr(point.rhs, *parts), more * (Lip**2 * prompts(far) + sigma**2 * noise))
    short = arithmetic(order, "<=", v)
    return calc(
        chain(integrate("query", (q,), instantiate(point, {w: omega_})), more * level.lhs),
        ("<=", more * level.rhs, level),
        ("==", constant * (Lip**2 + other**2) * order),
        ("<=", constant * (Lip**2 + other**2) * v, short),
        ("==", constant * (Lip**2 + other**2) * exp(1 * log_v)),
    )


@cache
def few_near_the_query() -> Theorem:
    """1 <= t n (3r)^{m/2} + E sum gamma^2/(2t) + E sum gamma |x_k - x|^2/r: within sqrt r of the
    query it is gamma <= t/2 + gamma^2/(2t), and further away gamma <= gamma |x_k - x|^2/r.
    """
    y, z = Variable("y", range=NONNEGATIVE), Variable("z", range=NONNEGATIVE)
    near, way = lambda z: Op("ind", ((r - z) / 2,)), over(off**2)
    lemma = arithmetic(y, "<=", (t * near(z) + y**2 / t) / 2 + y * z / r)
    each = integrate("sum", (k,), instantiate(lemma, {y: W / S, z: way}), (prompt,))
    parts = lambda first, last: t / 2 * first + prompts(weights_squared) / (2 * t) + last / r
    point = chain(term(1), S / S, each)
    point = chain(point, t / 2 * total(near(way)) + weights_squared / (2 * t) + spread / r)
    point = chain(point, gcongr(point.rhs, show(spread, "<=", far, spread)))
    point = chain(term(1), integrate("prompt", (prompt,), point), parts(n * mean(near(way)), prompts(far)))
    same = show(near(way), "<=", near(2 * (1 - height)), distance()[0])
    caps = chain(integrate("mean", (k,), same), small_caps())
    return chain(point, gcongr(point.rhs, caps), t * n * power(3 * r) + noise / (2 * t) + prompts(far) / r)


#: The noise term over sigma^2 and the average squared distance at the learned width.
N, D = queries(noise), queries(prompts(far))


@cache
def not_both_small() -> Theorem:
    """1 <= 1/4 + 2 n (3r)^{m/2} E sum gamma^2 + E sum gamma |x_k - x|^2/r."""
    found = instantiate(few_near_the_query(), {t: 1 / (4 * n * power(3 * r)), w: omega_})
    right = Fraction(1, 4) + 2 * n * power(3 * r) * N + D / r
    return chain(term(1), integrate("query", (q,), found), right)


@cache
def no_less_than_0(e: Term) -> Theorem:
    """0 <= the mean at the learned width of a term that is not negative."""
    point = integrate("prompt", (prompt,), show(0 * e, "<=", e, e))
    return integrate("query", (q,), instantiate(point, {w: omega_}))


@cache
def both_from_above() -> tuple[Theorem, Theorem]:
    """E sum gamma^2 <= c_6 rho^{-m}/n, and E sum gamma |x_k - x|^2 <= c_9 rho^{3/2}."""
    first, second = bias_and_noise(), distance_and_noise()
    bias_, squares_ = no_less_than_0(centre), no_less_than_0(weights_squared)
    scale = of_both * exp(-m * log_v) / n
    noise_ = gcongr(share * bias_.lhs + sigma**2 * N, bias_)
    back = back_to_the_noise()
    noise_ = chain(sigma**2 * N, noise_, first, gcongr(of_both * back.lhs, back), sigma**2 * scale)
    way = chain(Lip**2 * D, gcongr(Lip**2 * D + sigma**2 * squares_.lhs, squares_), second)
    return (
        chain(N, gcongr(sigma**-2 * noise_.lhs, noise_), scale),
        chain(D, gcongr(Lip**-2 * way.lhs, way), constant * order),
    )


def of_another_constant(z: Term) -> Term:
    return other / Lip * relu(z)


def flat_statement(quarters: int = 3) -> Statement:
    """c sigma^2 Lambda^{quarters (d - 1)/(4(d + 2))}/n <= the loss of tasks of another constant at
    a width that minimises the loss of ReLU tasks.
    """
    level = sigma**2 / (8 * power(6 * constant)) * exp(-Fraction(quarters, 4) * m * log_v) / n
    given = of_uniform_tokens(*kinks(relu), learned())
    return Statement(level, "<=", loss(of_another_constant, omega_), given)


@proves("COL:E.3/flat", flat_statement)
@cache
def noise_of_the_learned_width() -> Theorem:
    """E sum gamma^2 is at least 1/(8 n (6 c_9 rho^{3/2})^{m/2}), as the distance is small."""
    noise_, way = both_from_above()
    size, P = 2 * constant * order, power(6 * constant * order)
    found = instantiate(not_both_small(), {r: size})
    half = calc(gcongr(D / size, way), ("==", term(Fraction(1, 2))))
    found = chain(found, gcongr(found.rhs, half), Fraction(3, 4) + 2 * n * P * N)
    least = show(1 / (8 * n * P), "<=", N, found, noise_, N, P)
    silent = no_signal(of_another_constant)
    point = integrate("query", (q,), instantiate(gcongr(0 + sigma**2 * noise, silent), {w: omega_}))
    level = calc(flat_statement().lhs, ("==", sigma**2 / (8 * n * P)), ("<=", sigma**2 * N, least))
    return chain(level, point, loss(of_another_constant, omega_))


#: The square of a distance within which few tokens are.
log_r = -2 / m * log(8 * of_both) + 2 * log_v
radius = exp(log_r) / 3


def steep_statement(power: int | Fraction = 4) -> Statement:
    """c L'^2 Lambda^{-power/(d + 2)} <= the loss of tasks of another constant at a width that
    minimises the loss of ReLU tasks.
    """
    level = other**2 / (864 * d) * exp(-4 / m * log(8 * of_both)) * exp(Fraction(power) * log_v)
    given = of_uniform_tokens(*kinks(relu), learned())
    return Statement(level, "<=", loss(of_another_constant, omega_), given)


@cache
def far_from_the_query() -> Theorem:
    """r/2 <= E sum gamma |x_k - x|^2 for r = c rho^2, as there is little noise."""
    noise_, way = both_from_above()
    y, P = Variable("y", range=REALS), power(3 * radius)
    same = instantiate(show(log(exp(y)), "==", y), {y: log_r})
    few = calc(
        2 * n * P * noise_.rhs,
        ("==", 2 * exp(m / 2 * log_r) * of_both * exp(-m * log_v), same),
        ("<=", term(Fraction(1, 4))),
    )
    found = instantiate(not_both_small(), {r: radius})
    found = chain(found, gcongr(found.rhs, noise_), Fraction(1, 4) + few.lhs + D / radius)
    found = chain(found, gcongr(found.rhs, few))
    found = chain(radius, gcongr(radius * found.lhs, found), radius / 2 + D)
    return show(radius / 2, "<=", D, found, way, D, radius)


@proves("COL:E.3/steep", steep_statement)
@cache
def bias_of_the_learned_width() -> Theorem:
    """E |h - x|^2 >= r^2/16, by its tangent in the average squared distance."""
    y, z = Variable("y", range=POSITIVE), Variable("z", range=NONNEGATIVE)
    tangent = instantiate(arithmetic(y * z, "<=", y**2 + (z / 2) ** 2), {z: spread})
    point = show(y * far, "<=", y**2 + centre, tangent, bias_from_below(), spread, bias)
    C, at = queries(prompts(centre)), radius / 4
    point = integrate("prompt", (prompt,), instantiate(point, {y: at}))
    point = chain(at * D, integrate("query", (q,), instantiate(point, {w: omega_})), at**2 + C)
    least = far_from_the_query()
    found = chain(gcongr(at * least.lhs, least), point)
    squares_, first = no_less_than_0(weights_squared), bias_and_noise()
    finite = chain(share * C, gcongr(share * C + sigma**2 * squares_.lhs, squares_), first)
    found = show(radius**2 / 16, "<=", C, found, chain(C, gcongr(finite.lhs / share, finite)), C, radius)
    # The bias is a part of the signal term, and the noise term is not negative.
    part, scale = relu_from_below(), (other / Lip) ** 2
    part = chain(gcongr(share * prompts(centre), of_the_whole(bias)), part)
    part = chain(gcongr(scale * part.lhs, part), signal(of_another_constant))
    silent = integrate("prompt", (prompt,), show(0 * weights_squared, "<=", weights_squared, weights_squared))
    both = gcongr(part.lhs + sigma**2 * silent.lhs, part, silent)
    whole_ = integrate("query", (q,), instantiate(both, {w: omega_}))
    level = calc(steep_statement().lhs, ("==", scale * share * (radius**2 / 16)))
    return chain(level, gcongr(level.rhs, found), whole_, loss(of_another_constant, omega_))
