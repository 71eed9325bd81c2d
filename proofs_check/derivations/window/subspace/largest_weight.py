"""Lemma H.3 of Collins et al. for every number of tokens and every dimension k >= 1: the signal
grows with the largest weight that the spurious directions give, for c <= 2.

The first token is apart from the n others, and its weight is a number and a time, so that the
derivative in it is one in time.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort
from numerics.derivations.kernel.terms import CLOCK, Defined, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import i, j, mean, n, o, over, tokens
from proofs_check.derivations.window.signal import p
from proofs_check.derivations.window.subspace.low_rank import at_most, gamma
from proofs_check.derivations.window.subspace.order import a, b, in_one_order

t = Variable("t", Sort.TIME)
c, start = Variable("c", range=POSITIVE), Variable("alpha_0", range=POSITIVE)
#: Letters: the factors e^{ca} and e^{cb}, two weights, and what the other tokens add.
of_letters = tuple(Variable(name, range=POSITIVE) for name in "EFAB")
R_, Q_ = (Variable(name, range=NONNEGATIVE) for name in "RQ")
#: The first token, its weight alpha_1 and those of the others, and the weights with the heights.
first, largest = Function("u_1", (Sort.INDEX, Sort.TOKEN), None), start + CLOCK(t)
alpha = exp(Function("log alpha", (Sort.INDEX,))(i))
height, h_1 = over(p(j) * X(i, j, o)), over(p(j) * first(j, o))
of_token, of_first = exp(c * height), exp(c * h_1)
weight, w_1 = alpha * of_token, largest * of_first
total = Defined("S", w_1 + tokens(weight))
centre = w_1 * (first(j, o) - p(j)) + tokens(weight * (X(i, j, o) - p(j)))
signal = over(centre**2) / total**2


@cache
def slope() -> Theorem:
    """The derivative is 2e_1/S^3 times the sum of w_i (u_1 - u_i).V, by (41)."""
    square, along = over(centre**2), over(centre * (first(j, o) - p(j)))
    pairs = tokens(weight * over((first(j, o) - X(i, j, o)) * centre))
    S = total
    moved = show(derivative(square, t), "==", 2 * of_first * along), show(derivative(S, t), "==", of_first)
    summed = show(S * along - square, "==", pairs)
    return calc(
        derivative(signal, t),
        (
            "==",
            2 * of_first * (along / S**2 - square / S**3),
            *moved,
            *(x.lhs for x in moved),
            along,
            square,
            S,
        ),
        ("==", 2 * of_first * (S * along - square) / S**3, along, square, of_first, S),
        ("==", 2 * of_first * pairs / S**3, summed, summed.lhs, pairs, of_first, S),
    )


#: The other weights, and these times 1 - h, as squares; the terms of token i in (41), less what has
#: mean 0, in both orders of the tokens 1 and i, with the factor e_1 w_i/S^3.
rest, off = (Function(name, (Sort.INDEX, Sort.TOKEN), None)(i, o) ** 2 for name in ("rest", "off"))
scale, total_swapped = of_first * weight, largest * of_token + alpha * of_first + rest
x_, y_ = of_first * gamma(height, h_1), of_token * gamma(h_1, height)
bracket = (height - h_1) * off + largest * x_ - alpha * y_
bracket_swapped = (h_1 - height) * off + largest * y_ - alpha * x_


@cache
def of_the_rest() -> tuple[Theorem, Theorem]:
    """What the others add to the sum of the weights, and to that of the weights times 1 - h."""
    return (
        assume("R_i is the sum of the other weights", tokens(weight), "==", weight + rest, every=(i, o)),
        assume(
            "Q_i is that of the other weights times 1 - u.u_l",
            tokens(weight * (1 - height)),
            "==",
            weight * (1 - height) + off,
            every=(i, o),
        ),
    )


def pair(flip_first: int = 1, flip: int = 1) -> Term:
    """(u_1 - u_i).V, with the parts perpendicular to u of the tokens 1 and i reversed or not."""
    along = lambda h, at, sign: h * p(j) + sign * (at - h * p(j))
    one, other = along(h_1, first(j, o), flip_first), along(height, X(i, j, o), flip)
    moved = centre + w_1 * (one - first(j, o)) + weight * (other - X(i, j, o))
    return over((one - other) * moved)


@cache
def uniform_tokens() -> tuple[Theorem, ...]:
    """What is used of independent uniform tokens: the flips of the parts of tokens perpendicular to
    u, of the first, of another one, and of both; and the exchange of these two.
    """
    part = scale / total**3
    flips = [
        assume(
            f"the flip keeps the law of {name}",
            mean(part * pair()),
            "==",
            mean(part * pair(*signs)),
            every=(i, t),
        )
        for name, signs in (("u_1", (-1, 1)), ("u_i", (1, -1)), ("u_1 and u_i", (-1, -1)))
    ]
    swapped = mean(scale / total_swapped**3 * bracket_swapped)
    return (
        assume("|u| = 1", over(p(j) ** 2), "==", 1),
        assume("|u_1| = 1", over(first(j, o) ** 2), "==", 1, every=(o,)),
        assume("|u_i| = 1", over(X(i, j, o) ** 2), "==", 1, every=(i, o)),
        *flips,
        assume("u_1 and u_i may be exchanged", mean(part * bracket), "==", swapped, every=(i, t)),
        assume("uniform tokens: u_1 and u_i are uncorrelated", mean(h_1 * height), "==", 0, every=(i,)),
    )


@cache
def largest_first() -> tuple[Theorem, Theorem]:
    return (
        assume("alpha_i <= alpha_1", alpha, "<=", start, every=(i,)),
        assume("some alpha_i < alpha_1", 0, "<", tokens(alpha * (start - alpha))),
    )


@cache
def in_range() -> tuple[Theorem, ...]:
    """The heights of the first token and of another one lie in [-1, 1]."""
    unit, *lengths = uniform_tokens()[:3]
    found = []
    for at, length in ((first(j, o), lengths[0]), (X(i, j, o), lengths[1])):
        for sign in (1, -1):
            square, value = over((at - sign * p(j)) ** 2), over(p(j) * at)
            whole = calc(square, ("==", length.lhs - 2 * sign * value + unit.lhs))
            found.append(show(sign * value, "<=", 1, whole, length, unit, show(0, "<=", square), square))
    return tuple(found)


@cache
def over_the_flips() -> Theorem:
    """The sum of (u_1 - u_i).V over the four flips is 4 e_1 w_i bracket/(e_1 w_i)."""
    (unit, one, other), deep = uniform_tokens()[:3], of_the_rest()[1]
    P, down = unit.lhs, tokens(weight * (1 - height))
    along = w_1 * (h_1 - P) + tokens(weight * (height - P)) - (w_1 * h_1 + weight * height) * (1 - P)
    square = lambda h, length: length - 2 * h**2 + h**2 * P
    half = (h_1 - height) * along + w_1 * square(h_1, one.lhs) - weight * square(height, other.lhs)
    flat = tokens(weight * (height - P))
    level = show(flat, "==", -down, unit)
    return calc(
        pair() + pair(-1, 1) + pair(1, -1) + pair(-1, -1),
        ("==", 4 * half),
        (
            "==",
            4 * bracket,
            unit,
            one,
            other,
            level,
            deep,
            P,
            one.lhs,
            other.lhs,
            flat,
            down,
            of_first,
            of_token,
            h_1,
            height,
            alpha,
            off,
        ),
    )


@cache
def without_the_flips() -> Theorem:
    """The mean of e_1 w_i (u_1 - u_i).V/S^3 is that of e_1 w_i bracket/S^3."""
    part = scale / total**3
    flips = uniform_tokens()[3:6]
    value, others = mean(part * pair()), flips[0].rhs + flips[1].rhs + flips[2].rhs
    sums = over_the_flips()
    each = show(part * sums.lhs, "==", part * (4 * bracket), sums, part, sums.lhs, bracket)
    whole = integrate("mean", (o,), each)
    return calc(
        value,
        ("==", (value + others) / 4, *flips, value, *(x.rhs for x in flips)),
        ("==", whole.lhs / 4),
        ("==", whole.rhs / 4, whole, whole.lhs, whole.rhs),
        ("==", mean(part * bracket)),
    )


@cache
def parts_of_both_orders() -> tuple[Theorem, tuple[Term, ...]]:
    """B/S^3 + B'/S'^3 as the sum of multiples of (b - a)(F - E), of (x - y)(F - E) and of x + y,
    for x = E gamma_{b,a} and y = F gamma_{a,b}: S' - S = (A - B)(F - E) for the weights A and B.
    """
    E, F, A, B = of_letters
    S, T, x, y = A * E + B * F + R_, A * F + B * E + R_, E * gamma(b, a), F * gamma(a, b)
    left = ((b - a) * Q_ + A * x - B * y) / S**3 + ((a - b) * Q_ + A * y - B * x) / T**3
    K = (A - B) * ((S**2 + S * T + T**2) / (S**3 * T**3))
    parts = (
        Q_ * K * ((b - a) * (F - E)),
        (A + B) * K * ((x - y) * (F - E)) / 2,
        (A - B) * (x + y) * (1 / S**3 + 1 / T**3) / 2,
    )
    return show(left, "==", parts[0] + parts[1] + parts[2]), parts


@cache
def more_than_the_rest() -> Theorem:
    """(alpha_1 - alpha_i)(x + y)/(2S^3) <= B/S^3 + B'/S'^3, as both others are not negative."""
    names, values = (*of_letters, R_, Q_), (of_first, of_token, largest, alpha, rest, off)
    given = {a: h_1, b: height}
    ordered = [instantiate(thm, given, *in_range()) for thm in in_one_order(c, at_most())]
    identity, parts = parts_of_both_orders()
    put = {**given, **dict(zip(names, values, strict=True))}
    whole = instantiate(identity, put, *in_range())
    S, T = w_1 + weight + rest, total_swapped
    less = show(0, "<=", gap, largest_first()[0], alpha)
    K = (S**2 + S * T + T**2) / (S**3 * T**3)
    found = []
    for scale_, known, part in zip((off * K, (largest + alpha) * K / 2), ordered, parts[:2], strict=True):
        one = show(0, "<=", gap * known.rhs, less, known, gap, known.rhs)
        each = show(0, "<=", scale_ * one.rhs, one, scale_, one.rhs)
        here = instantiated(part, put)
        found.append(chain(each, show(each.rhs, "==", here, S, T, gap, known.rhs, off, largest + alpha)))
    last = [show(0, "<=", z, *in_range(), h_1, height) for z in (gamma(height, h_1), gamma(h_1, height))]
    last = [show(0, "<=", e * z.rhs, z, e, z.rhs) for e, z in zip((of_first, of_token), last, strict=True)]
    both = show(0, "<=", x_ + y_, *last, x_, y_)
    both = show(0, "<=", gap * (x_ + y_), less, both, gap, x_ + y_)
    least, third = both.rhs / S**3 / 2, instantiated(parts[2], put)
    more = show(least, "<=", third, both, both.rhs, S, T)
    costs = [x.rhs for x in found]
    return calc(
        least,
        ("<=", costs[0] + costs[1] + third, *found, more, least, *costs, third),
        ("==", whole.lhs, whole, whole.lhs, *costs, third),
    )


@cache
def factors() -> tuple[Theorem, ...]:
    """e^{-c} <= e_1, e_i and e_1, e_i <= e^c."""
    out = []
    near_1, far_1, near_i, far_i = in_range()
    for h, near, far in ((h_1, near_1, far_1), (height, near_i, far_i)):
        low, up = show(-c, "<=", c * h, far, h), show(c * h, "<=", c, near, h)
        out += [gcongr(exp(-c), low), gcongr(exp(c * h), up)]
    return tuple(out)


#: The sum of all alpha, and the bound on the sum of the weights.
sum_of_alpha = largest + tokens(alpha)


@cache
def sum_is_bounded() -> Theorem:
    """S <= e^c times the sum of all alpha."""
    _, up_1, _, up = factors()
    each = gcongr(alpha * up.lhs, up)
    whole = show(tokens(weight), "<=", exp(c) * tokens(alpha), integrate("coordinates", (i,), each, (n,)))
    one = gcongr(largest * up_1.lhs, up_1)
    sums = w_1 + tokens(weight), w_1, tokens(weight), tokens(alpha), exp(c)
    return chain(total, show(sums[0], "<=", exp(c) * sum_of_alpha, one, whole, *sums[1:]))


bound = exp(-6 * c) / sum_of_alpha**3
gap = largest - alpha


@cache
def both_orders() -> Theorem:
    """e^{-6c} alpha_i (alpha_1 - alpha_i)(1 - u.u_1 u.u_i)/A^3 is at most the sum of
    e_1 w_i bracket/S^3 over both orders.
    """
    low_1, _, low, _ = factors()
    less = show(0, "<=", gap, largest_first()[0], alpha)
    small, first_, second_ = exp(-c), gamma(height, h_1), gamma(h_1, height)
    some = [show(0, "<=", z, *in_range(), h_1, height) for z in (first_, second_)]
    pairs = show(
        small * (first_ + second_),
        "<=",
        x_ + y_,
        low_1,
        low,
        *some,
        small,
        of_first,
        of_token,
        first_,
        second_,
    )
    front = show(small**2 * alpha, "<=", scale, low_1, low, small, of_first, of_token, alpha)
    S, A = w_1 + weight + rest, sum_of_alpha
    same = show(total, "==", S, of_the_rest()[0])
    size = show(1 / (exp(c) * A) ** 3, "<=", 1 / total**3, sum_is_bounded(), exp(c) * A, total)
    inner = show(0, "<=", first_ + second_, *some, first_, second_)
    left, right = small * (first_ + second_), x_ + y_
    one = show(gap * left, "<=", gap * right, pairs, less, gap, left, right)
    none = show(0, "<=", gap * left, inner, less, gap, small, first_ + second_)
    two = show(
        front.lhs * one.lhs, "<=", scale * one.rhs, front, one, none, front.lhs, scale, one.lhs, one.rhs
    )
    some_ = show(0, "<=", two.lhs, none, front.lhs, one.lhs)
    three = show(
        two.lhs * size.lhs, "<=", two.rhs * size.rhs, two, some_, size, two.lhs, two.rhs, size.lhs, size.rhs
    )
    more = more_than_the_rest()
    four = show(scale * more.lhs, "<=", scale * more.rhs, more, scale, more.lhs, more.rhs)
    return calc(
        bound * alpha * gap * (1 - h_1 * height),
        ("==", three.lhs / 2),
        ("<=", three.rhs / 2, three, three.lhs, three.rhs),
        ("==", four.lhs, same, scale, gap, right, total, S),
        ("<=", four.rhs, four, four.lhs, four.rhs),
        (
            "==",
            scale / total**3 * bracket + scale / total_swapped**3 * bracket_swapped,
            same,
            scale,
            bracket,
            bracket_swapped,
            total,
            S,
            total_swapped,
        ),
    )


def statement(sign: int = 1, c_max: int | Fraction = 2, least: int | Fraction = 1) -> Statement:
    """The mean of the derivative of the signal in alpha_1, times `sign`, is positive, if the ratio
    of the first weight to the others is at least `least` = 1 and not always 1.
    """
    law = hypotheses(*uniform_tokens(), *of_the_rest(), *largest_first()[: 2 if least >= 1 else 0])
    return Statement(term(0), "<", sign * mean(derivative(signal, t)), law | at_most(c_max).assumptions)


@proves("COL:H.3", statement)
@cache
def signal_grows() -> Theorem:
    """The mean of the derivative is at least e^{-6c} sum alpha_i (alpha_1 - alpha_i)/A^3."""
    *_, swap, apart = uniform_tokens()
    both, flips, front = integrate("mean", (o,), both_orders()), without_the_flips(), bound * alpha * gap
    each = calc(
        front,
        ("==", front * (1 - apart.lhs), apart, apart.lhs, front),
        ("==", both.lhs),
        ("<=", both.rhs, both),
        ("==", swap.lhs + swap.rhs),
        ("==", 2 * swap.lhs, swap, swap.lhs, swap.rhs),
        ("==", 2 * flips.lhs, flips, swap.lhs, flips.lhs),
    )
    least, first_ = tokens(alpha * (start - alpha)), largest_first()[1]
    known = show(0, "<=", CLOCK(t) * tokens(alpha))
    positive = show(0, "<", least + known.rhs, first_, known, least, known.rhs)
    positive = show(0, "<", bound * positive.rhs, positive, bound, positive.rhs)
    whole = chain(positive, integrate("coordinates", (i,), each, (n,)))
    moved = integrate("mean", (o,), slope())
    return calc(whole, ("==", moved.rhs), ("==", moved.lhs, moved))
