"""Theorem H.5 of Collins et al. for prompts of two tokens, in every dimension: whatever the
spurious directions add to the scores, and wherever the attention looks, equal weights and the
query's own direction have less loss.

With the hyperbolic cosines A of r = log(alpha_1/alpha_2) and B of X = c(a - b), for the heights a
and b of the tokens over the direction of Fx, what is averaged is, over both orders of the tokens,
that with equal weights, and more by multiples of A - 1 and of 1 less the cosine of the angle
between Fx and u; by (54) they are not negative.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS, Range, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import d, j, l, mean, o, over, q
from proofs_check.derivations.window.signal import p
from proofs_check.derivations.window.subspace import cosines
from proofs_check.derivations.window.subspace.cosines import (
    angle,
    by_heights,
    kappa,
    level_,
    more,
    narrow,
    parts_of,
    s_,
    sides,
    sigma,
    t_,
    top,
    x,
    y,
)
from proofs_check.derivations.window.subspace.two_tokens import first, less_1, second

c_u, c_v = (Variable(name, range=REALS) for name in ("c_u", "c_v"))
#: The spurious directions, and the blocks of M.
spurious = Variable("k'", range=whole(1))
m, e_ = Variable("m", Sort.INDEX), Variable("e", Sort.INDEX)
_of_query = lambda name: Function(name, (Sort.INDEX, Sort.QUERY), None)
u, v, direction = (_of_query(name) for name in ("u", "v", "e"))
v_1, v_2 = (Function(name, (Sort.INDEX, Sort.TOKEN), None) for name in ("v_1", "v_2"))
M_uu, M_vu, M_vv = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("A", "N", "Q"))


def query(body: Term) -> Term:
    return bind("query", (q,), body)


def out(body: Term, index: Variable = m) -> Term:
    """The sum over the spurious directions."""
    return bind("coordinates", (index,), body, (spurious,))


#: Fx and Gx, and the length c_u |Fx|.
Fx = c_u * over(M_uu(j, l) * u(l, q), l) + c_v * out(M_vu(m, j) * v(m, q))
Gx = c_u * over(M_vu(m, l) * u(l, q), l) + c_v * out(M_vv(m, e_) * v(e_, q), e_)
level = Function("lambda", (Sort.QUERY,), None)(q) ** 2
a, b = (over(direction(j, q) * at(j, o)) for at in (first, second))
cosine = over(direction(j, q) * u(j, q))
part = lambda token: out(token(m, o) * Gx)
scores = [c_u * over(at(j, o) * Fx) + c_v * part(more) for at, more in ((first, v_1), (second, v_2))]
alpha_1, alpha_2 = (exp(c_v * part(at)) for at in (v_1, v_2))
of_a, of_b = exp(level * a), exp(level * b)


def loss(one: Term, two: Term) -> Term:
    """kappa^2 |gamma_1 u_1 + gamma_2 u_2 - u|^2 + sigma^2 (gamma_1^2 + gamma_2^2)."""
    g, h = one / (one + two), two / (one + two)
    errors = over((g * first(j, o) + h * second(j, o) - u(j, q)) ** 2)
    return kappa**2 * errors + sigma**2 * (g**2 + h**2)


#: The excess A - 1, and what is averaged with equal weights at the
#: query, by the heights over a fixed direction.
excess = less_1(alpha_1, alpha_2)
near = excess / (1 + excess + top) ** 2
sharp = 2 * excess * (1 / (excess + 3) ** 2)
fixed = tuple(over(p(j) * at(j, o)) for at in (first, second))
least = Variable("m", range=REALS)
one, two = alpha_1 * of_a, alpha_2 * of_b
flipped = tuple(2 * h * direction(j, q) - at(j, o) for h, at in ((a, first), (b, second)))


def of_multiple(c: Term) -> Term:
    """The loss of (c/c_u^2)BB', which has the scores c u_i.u."""
    return query(mean(loss(*(exp(c * over(u(j, q) * at(j, o))) for at in (first, second)))))


def with_equal_weights(c: Term, s: Term, t: Term) -> Term:
    return by_heights(exp(c * s), exp(c * t), s, t, term(1))


#: The bound C of the class times 1/c_u^2, and a share of it.
bounds = {w: Variable(f"C{w}", range=Range(Fraction(0), Fraction(w), True, False)) for w in (1, 2)}
part_of = Variable("s3", range=Range(Fraction(0), Fraction(1), False, False))


@cache
def class_hypotheses(widest: int = 2) -> tuple[Theorem, ...]:
    """c_u Fx = lambda e, |e| = 1 and lambda at most C <= C_p, as |B'Mx| <= C/c_u in the class."""
    along = level * direction(j, q)
    return (
        assume("c_u Fx = lambda e", c_u * Fx, "==", along, every=(j, q)),
        assume("|e| = 1", over(direction(j, q) ** 2), "==", 1, every=(q,)),
        assume("|B'Mx| <= C/c_u", level, "<=", bounds[widest], every=(q,)),
    )


@cache
def of_the_class(widest: int = 2) -> tuple[Theorem, ...]:
    """The same with C_p in place of C."""
    *known, most = class_hypotheses(widest)
    return (*known, chain(most, show(bounds[widest], "<=", widest)))


@cache
def of_the_tokens(noisy: bool = False) -> tuple[Theorem, ...]:
    """What is used of the law of the tokens given the query."""
    total = one + two
    g, h = one / total, two / total
    inner = lambda at: mean(g * h * over(at * second(j, o)))
    over_u = lambda at, more: mean(g * over(at * u(j, q)) + h * over(more * u(j, q)))
    orders = [
        mean(by_heights(*at, cosine)) for at in ((one, two, a, b), (alpha_1 * of_b, alpha_2 * of_a, b, a))
    ]
    every = (q,)
    return (
        assume("|u| = 1", over(u(j, q) ** 2), "==", 1, every=every),
        assume("|u_1| = 1", over(first(j, o) ** 2), "==", 1, every=(o,)),
        assume("|u_2| = 1", over(second(j, o) ** 2), "==", 1, every=(o,)),
        assume("the flip keeps the law of u_1", inner(first(j, o)), "==", inner(flipped[0]), every=every),
        assume(
            "the flip keeps the law of u_1 and u_2",
            over_u(first(j, o), second(j, o)),
            "==",
            over_u(*flipped),
            every=every,
        ),
        assume("u_1 and u_2 may be exchanged", orders[0], "==", orders[1], every=every),
        assume("u_1 and u_2 are centred", mean(a + b), "==", 0, every=every),
        assume("u_1 and u_2 are uncorrelated, given v_1 and v_2", mean(near * (a * b)), "==", 0, every=every),
        assume(
            "a rotation keeps the law of u_1 and u_2",
            mean(with_equal_weights(level, a, b)),
            "==",
            mean(with_equal_weights(level, *fixed)),
            every=every,
        ),
        assume(
            "m is at most the loss of each multiple of BB' in the class",
            least,
            "<=",
            of_multiple(bounds[1 if noisy else 2] * part_of),
            every=(part_of,),
        ),
    )


@cache
def weights_along() -> tuple[Theorem, Theorem]:
    """The weights are e^{lambda a} alpha_1 and e^{lambda b} alpha_2."""
    known = of_the_class()[0]
    found = []
    for at, h, more_, weight in ((first, a, v_1, one), (second, b, v_2, two)):
        each = show(at(j, o) * known.lhs, "==", at(j, o) * known.rhs, known, at(j, o), known.lhs, known.rhs)
        whole = integrate("coordinates", (j,), each, (d,))
        front, rest = c_u * over(at(j, o) * Fx), c_v * part(more_)
        same = calc(front, ("==", whole.lhs), ("==", whole.rhs, whole), ("==", level * h))
        found.append(
            chain(show(exp(front + rest), "==", exp(level * h + rest), same, front, rest, level * h), weight)
        )
    return found[0], found[1]


@cache
def loss_by_heights() -> Theorem:
    """The mean of the loss given the query, by the heights over the direction of Fx."""
    unit, size_1, size_2, flip, both, *_ = of_the_tokens()
    total = one + two
    g, h = one / total, two / total
    inner, over_u = over(first(j, o) * second(j, o)), over((g * first(j, o) + h * second(j, o)) * u(j, q))
    turned = mean(g * h * inner)
    product = calc(
        turned, ("==", (turned + flip.rhs) / 2, flip, turned, flip.rhs), ("==", mean(g * h * (a * b)))
    )
    linear = mean(over_u)
    along = calc(
        linear,
        ("==", both.lhs),
        ("==", (both.lhs + both.rhs) / 2, both, both.lhs, both.rhs),
        ("==", mean(cosine * (g * a + h * b))),
    )
    squares = g**2 + h**2
    each = calc(
        loss(one, two),
        (
            "==",
            kappa**2 * (g**2 * size_1.lhs + h**2 * size_2.lhs + unit.lhs + 2 * (g * h * inner) - 2 * over_u)
            + sigma**2 * squares,
        ),
        (
            "==",
            kappa**2 * (squares + 1 + 2 * (g * h * inner) - 2 * over_u) + sigma**2 * squares,
            unit,
            size_1,
            size_2,
            g,
            h,
            inner,
            over_u,
        ),
    )
    value = (
        kappa**2 * (squares + 1 + 2 * (g * h * (a * b)) - 2 * (cosine * (g * a + h * b))) + sigma**2 * squares
    )
    last = show(value, "==", by_heights(one, two, a, b, cosine), one, two, a, b, cosine)
    front = kappa**2 * (mean(squares) + 1) + sigma**2 * mean(squares)
    return calc(
        integrate("mean", (o,), each),
        ("==", front + 2 * kappa**2 * turned - 2 * kappa**2 * linear),
        (
            "==",
            front + 2 * kappa**2 * product.rhs - 2 * kappa**2 * along.rhs,
            product,
            along,
            turned,
            linear,
            product.rhs,
            along.rhs,
            front,
        ),
        ("==", mean(value)),
        ("==", mean(last.rhs), integrate("mean", (o,), last)),
    )


@cache
def in_range() -> tuple[Theorem, ...]:
    """The heights of the tokens over the direction of Fx, and the cosine, lie in [-1, 1]."""
    (unit, size_1, size_2), length = of_the_tokens()[:3], of_the_class()[1]
    found = []
    for at, size in ((first(j, o), size_1), (second(j, o), size_2), (u(j, q), unit)):
        for sign in (1, -1):
            square, value = over((at - sign * direction(j, q)) ** 2), over(direction(j, q) * at)
            whole = calc(square, ("==", size.lhs - 2 * sign * value + length.lhs))
            found.append(show(sign * value, "<=", 1, whole, size, length, show(0, "<=", square), square))
    return tuple(found)


@cache
def noisy_tokens() -> tuple[Theorem, ...]:
    square = mean((a - b) ** 2)
    return (
        assume("k >= 2 with noise", 2, "<=", d),
        assume("uniform tokens: E (e.(u_1 - u_2))^2 = 2/k", square, "==", term(2) / d, every=(q,)),
        assume(
            "u_1 and u_2 are independent of v_1 and v_2",
            mean(sharp * (a - b) ** 2),
            "==",
            mean(sharp) * square,
            every=(q,),
        ),
    )


@cache
def without_noise() -> Theorem:
    return assume("without noise", sigma**2, "==", 0)


#: Less 1, the cosine of the angle between Fx and u, and what multiplies it.
tilt = 1 - cosine
spread = level * (a - b) ** 2 * (1 / (1 + excess + top))


@cache
def of_both_orders(noisy: bool = False) -> Theorem:
    """The loss over both orders is at least that with equal weights at the query, and more."""
    put = {x: alpha_1, y: alpha_2, s_: a, t_: b}
    at_level, ranges = {**put, level_: level}, (*in_range(), *of_the_class(1 if noisy else 2))
    weighted = {**put, cosines.E: of_a, cosines.F: of_b, angle: cosine}
    whole = instantiate(cosines.identity_of_both_orders(), weighted, *in_range())
    weights = instantiate(cosines.of_the_weights(), at_level, *ranges)
    direction_ = instantiate(cosines.of_the_direction(), at_level, *ranges)
    positive = show(0, "<=", tilt, in_range()[4], cosine)
    parts = more(*parts_of(alpha_1, alpha_2, of_a, of_b), a, b, cosine)
    first_ = gcongr(kappa**2 * weights.lhs, weights)
    second_ = gcongr(a + b + direction_.lhs, direction_)
    scale = 2 * kappa**2 * tilt
    second_ = show(scale * second_.lhs, "<=", scale * second_.rhs, second_, positive, tilt, *sides(second_))
    if noisy:
        third = instantiate(cosines.of_the_noise(), {**put, narrow: level}, *ranges)
        third = gcongr(sigma**2 * third.lhs, third)
    else:
        third = show(0 * sigma, "==", parts[2], without_noise(), sigma**2, excess, less_1(of_a, of_b))
    equal_ = with_equal_weights(level, a, b)
    turned_ = by_heights(alpha_1 * of_b, alpha_2 * of_a, b, a, cosine)
    total = by_heights(one, two, a, b, cosine) + turned_
    both = by_heights(term(1) * of_a, term(1) * of_b, a, b, term(1)) + by_heights(
        term(1) * of_b, term(1) * of_a, b, a, term(1)
    )
    same = show(both, "==", 2 * equal_, of_a, of_b, a, b)
    moves = first_, second_, third
    left, right = (sum((x[n] for x in map(sides, moves)), 2 * equal_) for n in (0, 1))
    found = show(left, "<=", right, *moves, equal_, *(x for thm in moves for x in sides(thm)))
    along = show(second_.rhs, "==", parts[1], cosine, a, b, direction_.rhs)
    return calc(
        found,
        ("==", both + (parts[0] + parts[1] + parts[2]), same, along, both, equal_, second_.rhs, *parts),
        ("==", both + whole.lhs, whole, both, *sides(whole)),
        ("==", total, both, total),
    )


@cache
def of_the_mean_noise() -> Theorem:
    """0 <= E (A - 1)/(A + 2)^2 (1 - 7X^2/10), as E X^2 <= E (a - b)^2 = 2/k <= 1."""
    wide, square, apart = noisy_tokens()
    most = of_the_class(1)[2]
    total, share = mean(sharp), apart.lhs
    size = show(share, "<=", total, apart, square, wide, total, share, square.lhs)
    less = show(
        1 - Fraction(7, 10) * (a - b) ** 2,
        "<=",
        1 - Fraction(7, 10) * (level * (a - b)) ** 2,
        most,
        level,
        a - b,
    )
    point = gcongr(sharp * less.lhs, less)
    least_ = show(0, "<=", total - Fraction(7, 10) * share, size, total, share)
    whole = chain(least_, integrate("mean", (o,), point))
    return show(0, "<=", sigma**2 * whole.rhs, whole, whole.rhs)


@cache
def above_equal_weights(noisy: bool = False) -> Theorem:
    """The value with equal weights, and what the directions cost, is at most the mean of the loss
    given the query.
    """
    *_, swap, centred, apart, rotated, _ = of_the_tokens(noisy)
    both = integrate("mean", (o,), of_both_orders(noisy))
    equal_, tilted = mean(with_equal_weights(level, a, b)), mean(spread)
    noise = of_the_mean_noise() if noisy else show(0, "<=", 0 * sigma)
    cost = kappa**2 * mean(near) + kappa**2 * tilt * tilted
    value, by = loss_by_heights(), swap.lhs
    crossed, level_sum = apart.lhs, centred.lhs
    rest = equal_ + cost - kappa**2 * crossed + kappa**2 * tilt * level_sum
    return calc(
        rotated.rhs + cost,
        ("==", equal_ + cost, rotated, equal_, rotated.rhs, cost),
        ("==", rest, apart, centred, equal_, cost, tilt, crossed, level_sum),
        ("<=", rest + noise.rhs / 2, noise, rest, noise.rhs),
        ("==", both.lhs / 2),
        ("<=", both.rhs / 2, both, both.lhs, both.rhs),
        ("==", (by + swap.rhs) / 2),
        ("==", by, swap, by, swap.rhs),
        ("==", value.lhs, value, by, value.lhs),
        ("==", mean(exact), integrate("mean", (o,), of_the_scores())),
    )


#: The loss by the scores of the definition.
exact = loss(exp(scores[0]), exp(scores[1]))


@cache
def of_the_scores() -> Theorem:
    """The loss with the weights along the direction of Fx is that of the definition."""
    along = weights_along()
    first_, second_ = (x.lhs for x in along)
    g, h = one / (one + two), two / (one + two)
    shares = [
        show(part, "==", part_, *along, one, two, first_, second_)
        for part, part_ in ((g, first_ / (first_ + second_)), (h, second_ / (first_ + second_)))
    ]
    off = lambda g, h: g * first(j, o) + h * second(j, o) - u(j, q)
    here, there = off(g, h), off(shares[0].rhs, shares[1].rhs)
    each = show(here**2, "==", there**2, *shares, g, h, *(x.rhs for x in shares))
    errors = integrate("coordinates", (j,), each, (d,))
    return show(loss(one, two), "==", exact, errors, *shares, *sides(errors), g, h, *(x.rhs for x in shares))
