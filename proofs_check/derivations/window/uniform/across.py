"""The signal term of ReLU tasks is of the order w^{-3/2} at most: only tokens on the other side of
the hyperplane than the query see the kink, and few directions have the query near theirs.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import X, d, j, k, mean, prompt, total
from proofs_check.derivations.window.uniform.bias_order import (
    bias,
    distance,
    jensen,
    of_the_whole,
    off,
    over,
    whole,
)
from proofs_check.derivations.window.uniform.cap_measure import dimension, m, q, x
from proofs_check.derivations.window.uniform.kernel_means import (
    depth,
    from_above,
    low,
    p,
    sphere,
    w,
    weight,
)
from proofs_check.derivations.window.uniform.loss_bounds import (
    T_,
    A,
    K,
    Lip,
    T,
    at_query,
    at_token,
    difference,
    direction,
    error,
    minus,
    plus,
    rare_at,
    relu,
    signal,
    slopes,
    uniform,
    v,
)
from proofs_check.derivations.window.uniform.noise_order import S, W, few, m0, orders, prompts, rare

a, b, z = Variable("a", range=REALS), Variable("b", range=REALS), Variable("z", range=NONNEGATIVE)
r, s = Variable("r", range=REALS), Variable("s", range=REALS)


def far_side(positive: Term, negative: Term, query: Term) -> Term:
    """The negative part of a value if that of the query is not negative, else the positive one."""
    return Op("ind", (query,)) * negative + Op("above", (-query,)) * positive


other = far_side(plus(at_token), minus(at_token), at_query)
average = total(W * other) / S
#: What the query's value costs, and what the distance of a token does.
near = (1 + w * at_query**2) ** Fraction(-3, 2)
square_of_the_way = over(off**2)
far = square_of_the_way * (1 + w * square_of_the_way) ** 2


@cache
def given() -> tuple[Theorem, Theorem]:
    """Directions have the length 1, and, by a theorem that is cited, the Laplacian of
    sqrt(1 + w (u.x)^2)/w as a function of u has the mean 0.
    """
    name = "Gauss and Green: the Laplacian of sqrt(1 + w (u.x)^2)/w on the sphere has the mean 0"
    square = at_query**2
    left = bind("task", (T,), m * square * (1 + p * square) ** Fraction(-1, 2))
    right = bind("task", (T,), (1 - square) * instantiated(near, {w: p}))
    return (
        assume("uniform direction: |u| = 1", over(direction(j, T) ** 2), "==", 1, every=(T,)),
        assume(name, left, "==", right, every=(p, q), cited=True),
    )


@cache
def split() -> Theorem:
    """The square of the ReLU error over l_1, l_2 and b is at most L^2/3 (2A^2 + 3R^2), with the
    error A of u.x and the average R of the other side.
    """
    P, N = (total(W * part(at_token)) / S for part in (plus, minus))
    gap, left = (r - plus(a)) - (s - minus(a)), (r - plus(a)) ** 2 + (s - minus(a)) ** 2
    lemma = arithmetic(left, "<=", 2 * gap**2 + 3 * far_side(r, s, a) ** 2)
    lemma = instantiate(lemma, {r: P, s: N, a: at_query})
    gap = (P - plus(at_query)) - (N - minus(at_query))
    same = show(gap, "==", A, difference())
    right = far_side(P, N, at_query)
    return calc(
        bind("task", (T_,), error(relu) ** 2),
        ("==", Lip**2 / 3 * lemma.lhs, slopes(P - plus(at_query), N - minus(at_query))),
        ("<=", Lip**2 / 3 * lemma.rhs, lemma),
        ("==", Lip**2 / 3 * (2 * A**2 + 3 * right**2), same, gap, A, right),
        ("==", Lip**2 / 3 * (2 * A**2 + 3 * average**2)),
    )


@cache
def at_a_token() -> Theorem:
    """What a token on the other side adds is at most its distance from the query, and the query is
    no further from the hyperplane than that.
    """
    square = (at_token - at_query) ** 2
    schwarz = cauchy_schwarz("coordinates", (j,), direction(j, T), off, (d,))
    unit, way = given()[0], square_of_the_way
    short = calc(square, ("==", schwarz.lhs), ("<=", unit.lhs * way, schwarz), ("==", way, unit))
    rise, fall, gap = lambda t: 1 + w * t, 1 + w * a**2, (b - a) ** 2
    sides = arithmetic(far_side(plus(b), minus(b), a) ** 2, "<=", gap * rise(gap) ** 2 * fall**-2)
    level = chain(sides, gcongr(sides.rhs, arithmetic(fall**-2, "<=", fall ** Fraction(-3, 2))))
    point = instantiate(level, {b: at_token, a: at_query})
    return chain(point, gcongr(point.rhs, short), near * far)


@cache
def of_the_directions() -> Theorem:
    """E (1 + w (u.x)^2)^{-3/2} <= m/sqrt w + 1/w, by the mean of the Laplacian."""
    square, here, one = at_query**2, instantiated(near, {w: p}), sphere()[1]
    fall, A2 = 1 + p * a**2, {a: at_query}
    part = instantiate(arithmetic(a**2 * fall ** Fraction(-3, 2), "<=", 1 / p), A2)
    rise = a**2 * fall ** Fraction(-1, 2)
    slope = instantiate(arithmetic(rise, "<=", (1 + a**2) / (2 * sqrt(p))), A2)
    along = instantiate(uniform()[1], {v: ((j,), x(j, q))})
    along = calc(along, ("==", 1 / d, one), ("<=", term(1)))
    mean_ = calc(
        given()[1].lhs,
        ("<=", m * bind("task", (T,), slope.rhs), slope),
        ("==", m * (1 + along.lhs) / (2 * sqrt(p))),
        ("<=", m / sqrt(p), along),
    )
    return calc(
        bind("task", (T,), here),
        ("==", bind("task", (T,), (1 - square) * here) + bind("task", (T,), square * here)),
        ("==", given()[1].lhs + bind("task", (T,), square * here), given()[1]),
        ("<=", m / sqrt(p) + 1 / p, mean_, part),
    )


@cache
def of_the_tokens() -> Theorem:
    """The average of the other side has the mean square (m/sqrt w + 1/w) times the average of the
    costs of the distances, at most.
    """
    costs, share = total(W * far), of_the_directions()
    each = gcongr(W * other**2, at_a_token())
    sum_ = chain(total(each.lhs), integrate("sum", (k,), each, (prompt,)), near * costs)
    square = total(W * other) ** 2 / S**2
    point = chain(average**2, square, gcongr(square, jensen(other)))
    point = chain(point, sum_.lhs / S, gcongr(sum_.lhs / S, sum_))
    point = instantiate(integrate("task", (T,), point), {w: p})
    here = instantiated(costs / S, {w: p})
    return chain(point, share.lhs * here, gcongr(share.lhs * here, share))


@cache
def mean_cost() -> Theorem:
    """E W D'(1 + w D')^2 <= 16 c_2 (w/2)^{-m/2}/w for D' = 2D, as z (1 + z)^2 e^{-z/2} <= 16."""
    y = Variable("y", range=REALS)
    peak = instantiate(arithmetic(2 * y * (1 + 2 * y) ** 2 * exp(-y), "<=", 16), {y: p * depth})
    here, wider, cost = weight(p), weight(p / 2), 2 * depth * (1 + 2 * p * depth) ** 2
    same = show(instantiated(W * far, {w: p}), "==", here * cost, distance()[0])
    each = calc(
        here * cost,
        ("==", wider / p * peak.lhs),
        ("<=", wider / p * 16, gcongr(wider / p * peak.lhs, peak)),
    )
    whole = chain(integrate("mean", (k,), chain(same, each)), 16 / p * mean(wider))
    above = instantiate(from_above(), {p: p / 2})
    return calc(whole, ("<=", 16 / p * above.rhs, above))


@cache
def costs_at(at: Term, wide: Theorem) -> Theorem:
    """The average cost is at most 32 c_1 c_3/w + 100 w^2 2^{25} (c_3 w^{m/2}/n)^6 in the mean."""
    costs, top = total(W * far), 4 * (1 + 4 * w) ** 2
    c, l, h = Variable("c", range=NONNEGATIVE), Variable("l", range=POSITIVE), Variable("h", range=POSITIVE)
    parted = arithmetic(c / l, "<=", 2 * c / h + Op("above", (h / 2 - l,)) * (c / l))
    parted = instantiate(parted, {c: costs, l: S, h: n * m0})
    same, short = distance()
    each = gcongr(W * far, calc(same, ("<=", 4, short)))
    most = show(costs / S, "<=", top, chain(integrate("sum", (k,), each, (prompt,)), top * S), costs, S)
    point = chain(parted, gcongr(parted.rhs, most))
    whole = mean(W * far)
    found = calc(
        chain(integrate("prompt", (prompt,), point), 2 * whole / m0 + top * prompts(few)),
        ("<=", 2 * whole / m0 + top * rare().rhs, rare()),
    )
    found, rare_ = instantiate(found, {w: at}), rare_at(at, wide, 6, 2**25)
    cost, below = instantiate(mean_cost(), {p: at}), orders(at, wide)[0]
    size = arithmetic(4 * (1 + 4 * at) ** 2, "<=", 100 * at**2, wide, hide=(at,))
    first = calc(
        2 * cost.lhs / below.rhs,
        ("<=", 2 * cost.rhs / below.rhs, cost),
        ("<=", 2 * cost.rhs / below.lhs, gcongr(2 * cost.rhs / below.rhs, below)),
        ("==", 32 * low * K / at),
    )
    return calc(
        found,
        ("<=", first.rhs + size.lhs * rare_.rhs, first, rare_),
        ("<=", first.rhs + size.rhs * rare_.rhs, size),
    )


@cache
def signal_at(at: Term, wide: Theorem) -> Theorem:
    """The signal term of ReLU tasks is at most 2L^2/(3d) E |h - x|^2 and L^2 d/sqrt w times the
    mean of the average cost.
    """
    gap, costs = total(W * X(j, k)) / S - x(j, q), total(W * far) / S
    along = instantiate(uniform()[1], {v: ((j,), gap)})
    along = chain(bind("task", (T,), A**2), along, bias / d)
    along = show(along.lhs, "<=", whole(bias) / d, along, bias)
    first, second = instantiate(along, {w: p}), of_the_tokens()
    here, share = instantiated(costs, {w: p}), of_the_directions().rhs
    second = show(second.lhs, "<=", share * whole(here), second, here, share)
    parts = Lip**2 / 3 * (2 * first.lhs + 3 * second.lhs)
    point = instantiate(integrate("task", (T,), split()), {w: p})
    point = chain(point, parts, gcongr(parts, first, second))
    left, right = instantiated(signal(relu), {w: p}), instantiated(prompts(whole(bias)), {w: p})
    right = Lip**2 / 3 * (2 * right / d + 3 * share * prompts(whole(here)))
    point = instantiate(chain(left, integrate("prompt", (prompt,), point), right), {p: at})
    near_, short = (instantiate(of_the_whole(e), {w: at}) for e in (bias, costs))
    point = chain(point, gcongr(point.rhs, near_, chain(short, costs_at(at, wide))))
    short = arithmetic(1 / at, "<=", 1 / sqrt(at), wide, hide=(at,))
    slope = calc(
        m / sqrt(at) + 1 / at,
        ("<=", m / sqrt(at) + 1 / sqrt(at), short),
        ("<=", d / sqrt(at), dimension(), m, d, sqrt(at)),
    )
    return chain(point, gcongr(point.rhs, slope))
