"""The squared distance of the average of the tokens from the query, for uniform tokens in every
dimension: what the signal terms of Theorems 3.4 and 3.5 of Collins et al. are bounded by.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import X, d, j, k, l, mean, prompt, total
from proofs_check.derivations.window.uniform.cap_measure import height, m, power, q, x
from proofs_check.derivations.window.uniform.kernel_means import (
    depth,
    from_above,
    p,
    sphere,
    up,
    w,
    weight,
)
from proofs_check.derivations.window.uniform.noise_order import S, W, eps, few, light, m0, prompts, rare

z, c = Variable("D", range=NONNEGATIVE), Variable("c_", range=NONNEGATIVE)
#: A token from the query, the sum of these with their weights, and the mean depths.
off = X(j, k) - x(j, q)
over = lambda body: bind("coordinates", (j,), body, (d,))
bias = over((total(W * X(j, k)) / S - x(j, q)) ** 2)
V = over(total(W * off) ** 2)
D1, D2 = mean(W * depth), mean(W**2 * depth)


@cache
def on_the_line() -> Theorem:
    """E W x_k is on the line of the query."""
    return assume(
        "uniform tokens: their mean weight is on the line of x",
        mean(W * X(j, k)),
        "==",
        mean(W * height) * x(j, q),
        every=(w, j, q),
    )


@cache
def laplacian() -> Theorem:
    """m E W + 2w E W D^2 = (m + 4w) E W D: the Laplacian of (e^{-2wD} - 1)/(2w) has the mean 0."""
    name = "Gauss and Green: the Laplacian of (e^{-2wD} - 1)/(2w) on the sphere has the mean 0"
    left = m * mean(W) + 2 * w * mean(W * depth**2)
    return assume(name, left, "==", (m + 4 * w) * D1, every=(w, q), cited=True)


@cache
def distance() -> tuple[Theorem, Theorem]:
    """|x_k - x|^2 = 2D <= 4."""
    token, query = sphere()
    sum_ = over((X(j, k) + x(j, q)) ** 2)
    far = calc(
        0, ("<=", sum_), ("==", token.lhs + query.lhs + 2 * height), ("==", 2 + 2 * height, token, query)
    )
    return calc(
        over(off**2), ("==", token.lhs + query.lhs - 2 * height), ("==", 2 * depth, token, query)
    ), show(depth, "<=", 2, far, height)


@cache
def by_the_sum() -> Theorem:
    """|h - x|^2 = V/S^2."""
    return equal(bias, V / S**2)


@cache
def jensen(value: Term) -> Theorem:
    """(sum W v)^2 <= S sum W v^2, as the sum over pairs of W W' (v - v')^2 is not negative."""
    any_value = Function("v_", (Sort.TOKEN,))
    at_l, v = lambda e: instantiated(e, {k: l}), any_value(k)
    sums = total(W * v), S, total(W * v**2)
    both = bind("sum", (k, l), W * at_l(W) * (v - at_l(v)) ** 2, (prompt,))
    each = calc(0, ("<=", both), ("==", 2 * (S * sums[2] - sums[0] ** 2)))
    found = show(sums[0] ** 2, "<=", S * sums[2], each, *sums)
    return instantiate(found, {any_value: ((k,), value)})


@cache
def at_most_four() -> Theorem:
    """V <= 4 S^2, by Jensen's inequality in each coordinate."""
    same, far = distance()
    most = gcongr(W * over(off**2), calc(same, ("<=", 4, far)))
    return chain(
        chain(V, integrate("coordinates", (j,), jensen(off), (d,)), S * total(W * over(off**2))),
        gcongr(S * total(W * over(off**2)), integrate("sum", (k,), most, (prompt,))),
        4 * S**2,
    )


@cache
def mean_of_the_sum() -> Theorem:
    """E V <= 2 n E W^2 D + n^2 (E W D)^2, as E W (x_k - x) = -E[W D] x."""
    own, along = mean(W**2 * over(off**2)), mean(W * off)
    same = show(W**2 * over(off**2), "==", 2 * (W**2 * depth), distance()[0])
    same = chain(integrate("mean", (k,), same), 2 * D2)
    line = calc(along, ("==", mean(W * X(j, k)) - m0 * x(j, q)), ("==", -D1 * x(j, q), on_the_line()))
    square = calc(
        over(along**2),
        ("==", over((-D1 * x(j, q)) ** 2), line),
        ("==", D1**2 * sphere()[1].lhs),
        ("==", D1**2, sphere()[1]),
    )
    value = n * own + n * (n - 1) * over(along**2)
    return calc(
        prompts(V),
        ("==", value),
        ("==", 2 * n * D2 + n * (n - 1) * D1**2, same, square, own, over(along**2), D1, D2),
        ("<=", 2 * n * D2 + n**2 * D1**2, D1, D2),
    )


@cache
def bias_from_above() -> Theorem:
    """E |h - x|^2 <= 8 E W^2 D/(n (E W)^2) + 4 (E W D/E W)^2 + 4 e^{-1/(8 eps)}."""
    a, s, b = Variable("a", range=NONNEGATIVE), Variable("s", range=POSITIVE), Variable("b", range=POSITIVE)
    split = arithmetic(a / s**2, "<=", 4 * a / b**2 + Op("above", (b / 2 - s,)) * (a / s**2))
    split = instantiate(split, {a: V, s: S, b: n * m0})
    most = show(V / S**2, "<=", 4, at_most_four(), V, S)
    point = chain(bias, split, gcongr(split.rhs, most))
    scale = 4 / (n * m0) ** 2
    return calc(
        chain(integrate("prompt", (prompt,), point), scale * prompts(V) + 4 * prompts(few)),
        ("<=", scale * mean_of_the_sum().rhs + 4 * exp(-1 / (8 * eps)), mean_of_the_sum(), rare()),
        (
            "==",
            8 * D2 / (n * m0**2) + 4 * (D1 / m0) ** 2 + 4 * exp(-1 / (8 * eps)),
            D1,
            D2,
            exp(-1 / (8 * eps)),
        ),
    )


#: The sum of the weighted depths, by squares, so that its average is known to have a mean.
depths, squared = total(W * depth), total(W * over(off**2))
spread = squared / S


@cache
def same_sum() -> Theorem:
    """The sum of the weighted squared distances is twice that of the depths."""
    each = show(W * over(off**2), "==", 2 * (W * depth), distance()[0])
    return chain(squared, integrate("sum", (k,), each, (prompt,)), 2 * depths)


@cache
def no_further_than_two() -> Theorem:
    """The average squared distance is at most 4."""
    same, far = distance()
    each = gcongr(W * over(off**2), calc(same, ("<=", 4, far)))
    above = chain(squared, integrate("sum", (k,), each, (prompt,)), 4 * S)
    return show(spread, "<=", 4, above, squared, S)


def whole(e: Term) -> Term:
    """A term that is not negative as a largest value, which stays whole under means."""
    return Op("max", (e, term(0)))


@cache
def of_the_whole(e: Term) -> Theorem:
    """The mean of a term as a whole is at most that of its parts."""
    return integrate("prompt", (prompt,), instantiate(arithmetic(whole(z), "<=", z), {z: e}))


@cache
def mean_depths() -> tuple[Theorem, Theorem]:
    """E W D <= c_2 (w/2)^{-m/2}/(2w) and E W^2 D <= c_2 w^{-m/2}/(2w), as D e^{-wD} <= 1/(2w)."""
    y = Variable("y", range=REALS)
    peak = instantiate(arithmetic(y * exp(-p * y), "<=", 1 / (2 * p)), {y: depth})

    def bound(left: Term, rest: Term) -> Theorem:
        part = exp(-2 * rest * depth)
        each = chain(left, show(part * peak.lhs, "<=", part / (2 * p), peak, part, peak.lhs))
        whole = chain(integrate("mean", (k,), each), mean(weight(rest)) / (2 * p))
        above = instantiate(from_above(), {p: rest})
        return calc(whole, ("<=", above.rhs / (2 * p), above))

    shorter = Fraction(3, 2) * p
    narrow = calc(power(1 / shorter), ("<=", power(1 / p), arithmetic(1 / shorter, "<=", 1 / p)))
    first, other = (instantiated(e * depth, {w: p}) for e in (W, W**2))
    second = bound(other, shorter)
    return bound(first, p / 2), calc(
        second, ("<=", up * power(1 / p) / (2 * p), narrow, power(1 / p), narrow.lhs)
    )


@cache
def distance_from_below() -> Theorem:
    """2 (m/(m + 4w)) n E W/(1 + n E W) <= the mean of the average squared distance: 1/s is above
    its tangent at 1 + n E W, and W^2 D <= W D.
    """
    a, b, near = Variable("a", range=POSITIVE), Variable("b", range=POSITIVE), 1 + n * m0
    tangent = instantiate(arithmetic(2 / a - b / a**2, "<=", 1 / b), {b: S, a: near})
    point = gcongr(squared * tangent.lhs, tangent)
    share, two = Variable("theta", range=Range(Fraction(0), Fraction(1), True, False)), over(off**2)
    less = instantiate(arithmetic(share**2 * z, "<=", share * z), {share: W, z: two}, light())
    first, second = mean(W * two), mean(W**2 * two)
    less = integrate("mean", (k,), less)
    pairs = lambda other: 2 * n * first / near - (n * other + n * (n - 1) * first * m0) / near**2
    found = calc(
        n * first / near,
        ("<=", pairs(first), first, m0),
        ("<=", pairs(second), less, first, second, m0),
        ("==", prompts(squared * tangent.lhs)),
        ("<=", prompts(squared * tangent.rhs), point),
        ("==", prompts(spread)),
    )
    whole = chain(integrate("mean", (k,), show(2 * (W * depth), "==", W * two, symm(distance()[0]))), first)
    more = chain(m * m0, show(m * mean(W), "<=", laplacian().lhs), laplacian(), (m + 4 * w) / 2 * (2 * D1))
    more = calc(more, ("==", (m + 4 * w) / 2 * whole.lhs), ("<=", (m + 4 * w) / 2 * first, whole))
    ratio = show(2 * m / (m + 4 * w) * m0, "<=", first, more, m0, first)
    return calc(
        2 * m / (m + 4 * w) * (n * m0 / near),
        ("<=", n * first / near, ratio, m0, first),
        ("<=", found.rhs, found),
    )


@cache
def bias_from_below() -> Theorem:
    """The average squared distance is at most 2 |h - x|, as x.(x - h) is half of it."""
    gap, one = total(W * X(j, k)) / S - x(j, q), sphere()[1]
    schwarz = cauchy_schwarz("coordinates", (j,), x(j, q), gap, (d,))
    inner = over(x(j, q) * gap)
    same = calc(inner, ("==", total(W * height) / S - one.lhs), ("==", total(W * height) / S - 1, one))
    part = calc(same_sum(), ("==", 2 * (S - total(W * height))))
    value = show(spread, "==", -2 * inner, same, part, total(W * height), squared, S, inner)
    return calc(
        (spread / 2) ** 2,
        ("==", inner**2, value, spread, inner),
        ("<=", one.lhs * bias, schwarz),
        ("==", bias, one),
    )
