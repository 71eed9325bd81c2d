"""The brackets of a pair of tokens over both of their orders, by (54): three of the four parts of
their sum are not negative, and the fourth is a positive multiple of (alpha_i - alpha_g)^2.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import i, j, l, n, o, over, q
from proofs_check.derivations.window.subspace import order
from proofs_check.derivations.window.subspace.cosines import level_, sides
from proofs_check.derivations.window.subspace.equal_weights import level, of_the_class
from proofs_check.derivations.window.subspace.largest_weight import Q_, R_, of_letters
from proofs_check.derivations.window.subspace.low_rank import gamma
from proofs_check.derivations.window.subspace.order import a, b
from proofs_check.derivations.window.subspace.prompts.pairs import (
    T_0,
    T,
    Weight,
    apart,
    bracket,
    bracket_0,
    bracket_swapped,
    h_g,
    h_i,
    here,
    in_the_pair,
    off,
    rest,
    rest_0,
    swapped,
    there,
    times,
    uniform_pairs,
    x_,
    y_,
)
from proofs_check.derivations.window.subspace.prompts.weights import (
    S_0,
    S,
    alpha,
    beta,
    e,
    g,
    gap,
    height,
    plain,
    scale,
    weight,
)

rho = Variable("rho", range=POSITIVE)
P_, N_ = (Variable(name, range=NONNEGATIVE) for name in ("R_0", "Q_0"))
level_part = 1 - h_i * h_g
#: What a pair adds at least over both orders, over (alpha_i - alpha_g)^2 (1 - h_i h_g).
least = exp(-12 - 2 * rho) / n**3


@cache
def parts_of_both_orders() -> tuple[Theorem, tuple[Term, ...]]:
    """The brackets over both orders as multiples of (b - a)(F - E), of (x - y)(F - E) and of
    x + y: T - S = (A - B)(F - E) for the sums S and T of both orders.
    """
    E, F, A, B = of_letters
    S, T, U, x, y = A * E + B * F + R_, A * F + B * E + R_, E + F + P_, E * gamma(b, a), F * gamma(a, b)
    first = ((b - a) * Q_ + A * x - B * y) / (S**2 * U) + ((a - b) * Q_ + A * y - B * x) / (T**2 * U)
    second = ((b - a) * N_ + x - y) / (U**2 * S) - ((b - a) * N_ + x - y) / (U**2 * T)
    K, L = (A - B) * ((S + T) / (S**2 * T**2 * U)), (A - B) / (S * T * U**2)
    parts = (
        (Q_ * K + N_ * L) * ((b - a) * (F - E)),
        ((A + B) * K / 2 + L) * ((x - y) * (F - E)),
        (A - B) * (x + y) * (1 / S**2 + 1 / T**2) / (2 * U),
    )
    return show(first + second, "==", parts[0] + parts[1] + parts[2]), parts


@cache
def of_the_size(power: int, sum_: Term, pair: Term) -> Theorem:
    """gap over a power of the sum of the weights is gap over that of the pair and the others."""
    known = in_the_pair(weight if sum_ == S else plain)
    inverse = 1 / (sum_ * pair) if power == 1 else (sum_ + pair) / (sum_**2 * pair**2)
    whole = calc(gap * sum_, ("==", known.lhs), ("==", gap * pair, known))
    moved = times(inverse, whole)
    return calc(
        gap / sum_**power,
        ("==", gap / pair**power + (moved.rhs - moved.lhs), gap, sum_, pair),
        ("==", gap / pair**power, moved, gap / pair**power, *sides(moved)),
    )


@cache
def in_range() -> tuple[Theorem, ...]:
    """The heights of both tokens over e lie in [-1, 1]."""
    length, size = of_the_class()[1], uniform_pairs()[0]
    found = []
    for index in (i, g):
        at, h, own = X(index, j, o), height(index), instantiate(size, {i: index})
        for sign in (1, -1):
            square = over((at - sign * e) ** 2)
            whole = calc(square, ("==", own.lhs - 2 * sign * h + length.lhs))
            found.append(show(sign * h, "<=", 1, whole, own, length, show(0, "<=", square), square))
    return tuple(found)


@cache
def bounded() -> Theorem:
    return assume("rho bounds the spurious scores", beta(i) ** 2, "<=", rho**2, every=(i, o, q))


@cache
def factors() -> tuple[Theorem, ...]:
    """e^{-rho} <= alpha_i <= e^rho and e^{-2} <= e^{lambda h_i} <= e^2."""
    most, near, far = of_the_class()[2], *in_range()[:2]
    exponents = (
        show(-rho, "<=", beta(i), bounded(), beta(i)),
        show(beta(i), "<=", rho, bounded(), beta(i)),
        show(-2, "<=", level * h_i, most, far, level, h_i),
        show(level * h_i, "<=", 2, most, near, level, h_i),
    )
    return tuple(gcongr(exp(thm.lhs), thm) for thm in exponents)


@cache
def off_is_positive(of: Weight) -> Theorem:
    """No height is above 1."""
    near = instantiate(in_range()[0], {i: l})
    low, part = show(0, "<=", 1 - height(l), near, height(l)), apart(i, l) * apart(g, l) * of(l)
    each = show(0 * part, "<=", part * low.rhs, low, part, low.rhs)
    return chain(0, integrate("coordinates", (l,), each, (n,)), off(of))


@cache
def more_than_the_rest() -> Theorem:
    """(alpha_i - alpha_g)^2 (x + y)/(2T^2 T_0) is at most gap times the brackets."""
    E, F, A, B = plain(i), plain(g), alpha(i), alpha(g)
    given, ranges = {a: h_i, b: h_g}, (*in_range(), of_the_class()[2])
    ordered = [instantiate(thm, {**given, level_: level}, *ranges) for thm in order.in_one_order(level_)]
    identity, parts = parts_of_both_orders()
    offs = off_is_positive(weight), off_is_positive(plain)
    values = E, F, A, B, rest, off(weight), rest_0, off(plain)
    put = {**given, **dict(zip((*of_letters, R_, Q_, P_, N_), values, strict=True))}
    whole = instantiate(identity, put, *in_range(), *offs)
    K, L = (T + swapped) / (T**2 * swapped**2 * T_0), 1 / (T * swapped * T_0**2)
    letters, found = (T, swapped, T_0, gap, A, B, offs[0].rhs, offs[1].rhs), []
    scales = offs[0].rhs * K + offs[1].rhs * L, (A + B) * K / 2 + L
    for scale_, known, part in zip(scales, ordered, parts[:2], strict=True):
        some = show(0, "<=", scale_, *offs, T, swapped, T_0, A, B, offs[0].rhs, offs[1].rhs)
        each = show(0, "<=", scale_ * (gap**2 * known.rhs), some, known, scale_, gap, known.rhs)
        found.append(chain(each, show(each.rhs, "==", gap * instantiated(part, put), *letters, known.rhs)))
    last = [show(0, "<=", z, *in_range(), h_i, h_g) for z in (gamma(h_g, h_i), gamma(h_i, h_g))]
    last = [show(0, "<=", e_ * z.rhs, z, e_, z.rhs) for e_, z in zip((E, F), last, strict=True)]
    sums = show(0, "<=", x_ + y_, *last, x_, y_)
    sums = show(0, "<=", gap**2 * sums.rhs, sums, gap, sums.rhs)
    least_, third = sums.rhs / (2 * T**2 * T_0), gap * instantiated(parts[2], put)
    more = show(
        least_, "<=", sums.rhs * (1 / T**2 + 1 / swapped**2) / (2 * T_0), sums, sums.rhs, T, swapped, T_0
    )
    more = calc(more, ("==", third, gap, A, B, x_, y_, T, swapped, T_0))
    costs = [x.rhs for x in found]
    return calc(
        least_,
        ("<=", costs[0] + costs[1] + third, *found, more, least_, *costs, third),
        ("==", gap * whole.rhs),
        ("==", gap * whole.lhs, whole, gap, *sides(whole)),
    )


@cache
def sums_are_bounded() -> Theorem:
    """S^2 S_0 <= n^3 e^{6 + 2 rho}."""
    _, high, _, near = factors()
    whole = integrate("coordinates", (i,), gcongr(gcongr(weight(i), near).rhs, high), (n,))
    first = chain(integrate("coordinates", (i,), gcongr(weight(i), near), (n,)), whole)
    second = integrate("coordinates", (i,), near, (n,))
    one = calc(S, ("==", first.lhs), ("<=", first.rhs, first), ("==", n * exp(2 + rho)))
    two = calc(S_0, ("==", second.lhs), ("<=", second.rhs, second), ("==", n * exp(2)))
    both_ = show(S**2 * S_0, "<=", one.rhs**2 * two.rhs, one, two, S, S_0, one.rhs, two.rhs)
    return calc(both_, ("==", n**3 * exp(6 + 2 * rho)))


@cache
def of_the_levels() -> tuple[Theorem, Theorem]:
    """0 <= 1 - h_i h_g, and e^{-6}(1 - h_i h_g) <= e_i e_g (x + y)/2."""
    low, other = factors()[2], instantiate(factors()[2], {i: g})
    some = [show(0, "<=", z, *in_range(), h_i, h_g) for z in (gamma(h_g, h_i), gamma(h_i, h_g))]
    small, E, F = exp(-2), plain(i), plain(g)
    parts = [
        show(small**3 * z.rhs, "<=", E * F * (of * z.rhs), low, other, z, small, E, F, z.rhs)
        for of, z in zip((E, F), some, strict=True)
    ]
    ends = [(x.lhs, x.rhs) for x in parts]
    both_ = show(
        (ends[0][0] + ends[1][0]) / 2, "<=", (ends[0][1] + ends[1][1]) / 2, *parts, *ends[0], *ends[1]
    )
    zero = show(0, "<=", level_part, *some, h_i, h_g)
    return zero, calc(exp(-6) * level_part, ("==", both_.lhs), ("<=", scale * (x_ + y_) / 2, both_))


@cache
def of_the_sizes() -> tuple[Theorem, Theorem]:
    """gap/(S^2 S_0) and gap/(S_0^2 S) with the sums of the pair and the others."""
    found = []
    for power, other in ((2, 1), (1, 2)):
        first, second = of_the_size(power, S, T), of_the_size(other, S_0, T_0)
        one, two = times(1 / S_0**other, first), times(1 / T**power, second)
        found.append(
            calc(
                gap / (S**power * S_0**other),
                ("==", one.lhs),
                ("==", one.rhs, one),
                ("==", two.lhs),
                ("==", two.rhs, two),
            )
        )
    return found[0], found[1]


@cache
def of_the_pair() -> Theorem:
    """`least` (alpha_i - alpha_g)^2 (1 - h_i h_g) is at most what a pair adds over both orders."""
    more, (zero, levels), (size, size_0) = more_than_the_rest(), of_the_levels(), of_the_sizes()
    most = sums_are_bounded()
    inverse = show(1 / most.rhs, "<=", 1 / most.lhs, most, S, S_0, most.rhs)
    front = exp(-6) * gap**2
    inverse = gcongr(front * inverse.lhs, inverse)
    inverse = show(
        inverse.lhs * level_part, "<=", inverse.rhs * level_part, inverse, zero, level_part, *sides(inverse)
    )
    moved = times(exp(-6) * gap * level_part, size)
    second = gcongr(gap**2 / (T**2 * T_0) * levels.lhs, levels)
    third = gcongr(scale * more.lhs, more)
    one, two = (of_the_size(power, S_0, T_0) for power in (1, 2))
    factors_ = bracket, bracket_0, bracket_swapped / swapped**2, -bracket_0 / swapped
    back = [times(scale * x, thm) for x, thm in zip(factors_, (size, size_0, one, two), strict=True)]
    left, right = (sum((x[at] for x in map(sides, back)), term(0)) for at in (0, 1))
    return calc(
        least * gap**2 * level_part,
        ("==", inverse.lhs),
        ("<=", inverse.rhs, inverse),
        ("==", moved.lhs),
        ("==", moved.rhs, moved),
        ("==", second.lhs),
        ("<=", second.rhs, second),
        ("==", third.lhs),
        ("<=", third.rhs, third),
        ("==", right),
        ("==", left, *back, *(y for x in back for y in sides(x))),
        ("==", here + there),
    )
