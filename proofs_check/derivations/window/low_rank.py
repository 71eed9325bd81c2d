"""Appendix H of Collins et al. on tasks of low rank: the order (54), its range, and the
rotation.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.rules import arithmetic, assume, integrate, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import Function, Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, i, j, mean, n, o, over, tokens
from proofs_check.derivations.window.signal import p, r

_closed = Range(Fraction(-1), Fraction(1), False, False)
a, b = (Variable(name, range=_closed) for name in "ab")
c, gap = Variable("c", range=POSITIVE), Variable("delta", range=Range(Fraction(0), Fraction(2), True, False))
y = Variable("y", range=REALS)
z, part = Variable("z", range=NONNEGATIVE), Variable("A", range=NONNEGATIVE)
inside = Variable("b_", range=Range(Fraction(0), Fraction(1)))


def gamma(first: Term, second: Term) -> Term:
    """gamma_{a,b} = (1 + a)(1 - b)."""
    return (1 + first) * (1 - second)


@cache
def at_most(c_max: int | Fraction = 2) -> Theorem:
    return assume(f"c <= {c_max}", c, "<=", Fraction(c_max))


@cache
def ordered(first: Variable, second: Variable) -> Theorem:
    return assume(f"{first.name} < {second.name}", first, "<", second)


@cache
def order_54(first: Variable = a, second: Variable = b) -> Theorem:
    """e^{cb} gamma_{a,b} < e^{ca} gamma_{b,a} for a < b and c <= 2.

    With delta = b - a it is gamma_{b,a} = gamma_{a,b} + 2 delta and gamma_{a,b} <= (1 -
    delta/2)^2, and e^{2 delta}(1 - delta/2)^2 < (1 + delta/2)^2.
    """
    delta, order = second - first, ordered(first, second)
    X, Y, M, E = exp(gap) * (1 - gap / 2), 1 + gap / 2, (1 - gap / 2) ** 2, exp(2 * gap)
    half, above = arithmetic(X, "<", Y), arithmetic(0, "<=", X)
    whole = chain(E * M, arithmetic(X**2, "<", Y**2, half, above, hide=(X, Y)), M + 2 * gap)
    in_range = arithmetic(0, "<", delta, order), arithmetic(delta, "<=", 2)
    at = lambda thm: specialise(thm, {gap: delta}, *in_range)
    whole, more, M, E = at(whole), at(arithmetic(1, "<=", E)), (1 - delta / 2) ** 2, exp(2 * delta)
    A, B = gamma(first, second), gamma(second, first)
    less, least = arithmetic(A, "<=", M), arithmetic(0, "<=", A)
    step = arithmetic((E - 1) * A, "<=", (E - 1) * M, more, less, hide=(E, A, M))
    strict = arithmetic(E * M - M, "<", 2 * delta, in_range[0], whole, hide=(E * M, M, delta))
    step = chain(E * A - A, step, E * M - M, strict)
    grown = replace(
        exp(c * delta), arithmetic(c * delta, "<=", 2 * delta, at_most(), in_range[0], hide=(delta,))
    )
    grown = arithmetic(exp(c * delta) * A, "<=", E * A, grown, least, hide=(exp(c * delta), E, A))
    below = arithmetic(E * A, "<", A + 2 * delta, step, hide=(E * A, A, delta))
    below = chain(grown, below, B)
    scale = exp(c * first)
    scaled = arithmetic(
        scale * (exp(c * delta) * A), "<", scale * B, below, hide=(scale, exp(c * delta) * A, B)
    )
    return chain(exp(c * second) * A, scaled)


def order_statements(c_max: int | Fraction = 2) -> tuple[Statement, Statement]:
    """For c <= c_max (54) holds for a < b and its converse for b < a; at a = b both sides are
    equal.
    """
    side = lambda first, second: exp(c * second) * gamma(first, second)
    given = lambda *pair: at_most(c_max).assumptions | ordered(*pair).assumptions
    return (
        Statement(side(a, b), "<", side(b, a), given(a, b)),
        Statement(side(b, a), "<", side(a, b), given(b, a)),
    )


order_theorems = (order_54, lambda: order_54(b, a))


@cache
def beyond() -> Theorem:
    """For c > 2 the two sides of (54) at -b and b > -b, b^2 = 1 - 2/c, are in the other order: (1 +
    b)/(1 - b) <= e^{cb}.
    """
    u, K = inside, critical().lhs
    power = specialise(arithmetic(1 + z + z**2 / 2, "<=", exp(z)), {z: c * u})
    large = chain(c, K + c * u**2, arithmetic(K + c * u**2, "==", 2 + c * u**2, critical(), hide=(K,)))
    large = arithmetic(2, "<=", c, arithmetic(2, "<=", large.rhs), large, hide=(large.rhs,))
    value = arithmetic(
        1 - u**2 + K * u + K * c * u**2 / 2, "==", 1 - u**2 + 2 * u + c * u**2, critical(), hide=(K,)
    )
    square = arithmetic((1 + u) ** 2, "<=", value.rhs, large)
    E = exp(c * u)
    grown = arithmetic((1 - u**2) * power.lhs, "<=", (1 - u**2) * E, power, hide=(E, power.lhs))
    back = arithmetic(value.rhs, "==", value.lhs, value, hide=(value.lhs,))
    both = chain(square, back, grown)
    root_ = arithmetic(1 + u, "<=", (1 - u) * E, both, hide=(E,))
    twice = arithmetic((1 + u) ** 2, "<=", ((1 - u) * E) ** 2, root_, hide=((1 - u) * E,))
    scaled = replace(exp(-c * u) * (1 + u) ** 2, twice)
    return chain(exp(-c * u) * gamma(u, -u), scaled, E * gamma(-u, u))


@cache
def critical() -> Theorem:
    return assume("b_^2 = 1 - 2/c", c * (1 - inside**2), "==", 2)


def range_statements(c_max: int | Fraction = 2, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """For c <= c_max (54) holds for all a < b; for c > 2 it fails at -b and b with b^2 = 1 -
    2/c, where its left side is at most share times the right one.
    """
    u = inside
    right = Fraction(share) * exp(c * u) * gamma(-u, u)
    return order_statements(c_max)[0], Statement(
        exp(-c * u) * gamma(u, -u), "<=", right, critical().assumptions
    )


#: Lemma H.2: the query u and R'u, of length 1, the weights of the tokens, and those after the
#: height of token i over u has changed its sign.
weight, flipped = (Function(name, (Sort.INDEX, Sort.TOKEN), None) for name in ("gamma", "gamma'"))
others = Function("rest", (Sort.INDEX, Sort.TOKEN))
rate, mean_height = Variable("c_uC", range=POSITIVE), Variable("c_bar", range=REALS)
height = over(X(i, j, o) * p(j))
centre = tokens(weight(i, o) * X(i, j, o))
power_up, power_down = exp(rate * height), exp(-(rate * height))


@cache
def unit_vectors() -> tuple[Theorem, Theorem]:
    return assume("|u| = 1", over(p(j) ** 2), "==", 1), assume("|R'u| = 1", over(r(j) ** 2), "==", 1)


@cache
def symmetric_tokens() -> tuple[Theorem, ...]:
    """The weights as the softmax gives them; the reflection of one token in the hyperplane
    orthogonal to u keeps its law, and those that keep u put the mean centre on the line of u.
    """
    rest = others(i, o) ** 2
    back = mean(flipped(i, o) * -height)
    return (
        assume("the weight of token i", weight(i, o) * (power_up + rest), "==", power_up, every=(i, o)),
        assume(
            "its weight after the flip", flipped(i, o) * (power_down + rest), "==", power_down, every=(i, o)
        ),
        assume("the flip of token i keeps the law", mean(weight(i, o) * height), "==", back, every=(i,)),
        assume("the mean centre is on the line of u", mean(centre), "==", mean_height * p(j), every=(j,)),
    )


@cache
def difference() -> Theorem:
    """|h - R'u|^2 - |h - u|^2 = 2(u - R'u).h for the centre h."""
    far, near = over((centre - r(j)) ** 2), over((centre - p(j)) ** 2)
    product = over((p(j) - r(j)) * centre)
    same = chain(far - near, 2 * product + over(r(j) ** 2) - over(p(j) ** 2))
    return chain(same, arithmetic(same.rhs, "==", 2 * product, *unit_vectors(), hide=(product,)))


@cache
def positive_height() -> Theorem:
    """0 <= c_bar: the weight of a token grows with its height."""
    own, turned, law, line = symmetric_tokens()
    rest = others(i, o) ** 2
    values = []
    for value, top, thm in ((weight(i, o), power_up, own), (flipped(i, o), power_down, turned)):
        fraction = arithmetic(value, "==", thm.lhs / (top + rest), hide=(top,))
        values.append(
            chain(fraction, arithmetic(fraction.rhs, "==", top / (top + rest), thm, hide=(thm.lhs, top)))
        )
    grows = specialise(arithmetic(0, "<=", y * (exp(y) - exp(-y))), {y: rate * height})
    scale = rest / ((power_up + rest) * (power_down + rest)) / rate
    scaled = arithmetic(0, "<=", scale * grows.rhs, grows, hide=(scale, grows.rhs))
    gap_ = height * (weight(i, o) - flipped(i, o))
    first = chain(
        scaled.rhs, height * rest * (power_up - power_down) / ((power_up + rest) * (power_down + rest))
    )
    first = chain(first, arithmetic(first.rhs, "==", gap_, *values, hide=(power_up, power_down, height)))
    each = integrate("mean", (o,), chain(0 * height, scaled, first))
    up, down = mean(weight(i, o) * height), mean(flipped(i, o) * height)
    each = chain(0, each, up - down)
    each = arithmetic(0, "<=", up, each, chain(up, law, -down), hide=(up, down))
    summed = integrate("coordinates", (i,), each, (n,))
    along = arithmetic(p(j) * line.lhs, "==", mean_height * p(j) ** 2, line, hide=(p(j), line.lhs))
    along = chain(
        over(p(j) * line.lhs), integrate("coordinates", (j,), along, (d,)), mean_height * over(p(j) ** 2)
    )
    along = chain(along, arithmetic(along.rhs, "==", mean_height, unit_vectors()[0], hide=(over(p(j) ** 2),)))
    return chain(0, summed, along)


@cache
def signal_at_the_query() -> Theorem:
    """E |h - u|^2 <= E |h - R'u|^2, as 2(u - R'u).E h = 2 c_bar (1 - u.R'u) >= 0."""
    *_, line = symmetric_tokens()
    far, near = mean(over((centre - r(j)) ** 2)), mean(over((centre - p(j)) ** 2))
    product = over((p(j) - r(j)) * line.lhs)
    gap_ = chain(far - near, integrate("mean", (o,), difference()), 2 * product)
    each = arithmetic(
        (p(j) - r(j)) * line.lhs, "==", (p(j) - r(j)) * mean_height * p(j), line, hide=(line.lhs, p(j), r(j))
    )
    pp, rr, pr = over(p(j) ** 2), over(r(j) ** 2), over(p(j) * r(j))
    value = chain(product, integrate("coordinates", (j,), each, (d,)), mean_height * (pp - pr))
    square = over((p(j) - r(j)) ** 2)
    inner = chain(pp - pr, square / 2 + (pp - rr) / 2)
    inner = arithmetic(
        0,
        "<=",
        pp - pr,
        chain(inner, arithmetic(inner.rhs, "==", square / 2, *unit_vectors(), hide=(square,))),
        hide=(square, pp - pr),
    )
    size = arithmetic(0, "<=", mean_height * (pp - pr), inner, positive_height(), hide=(pp - pr,))
    size = arithmetic(0, "<=", product, value, size, hide=(product, mean_height * (pp - pr)))
    return arithmetic(near, "<=", far, gap_, size, hide=(near, far, product))


def centre_statements(factor: int = 2, sign: int = 1) -> tuple[Statement, Statement]:
    """|h - R'u|^2 - |h - u|^2 = factor (u - R'u).h, and the signal term at u, times sign, is at
    most that at R'u.
    """
    units = hypotheses(*unit_vectors())
    given = units.union(*(t.assumptions for t in symmetric_tokens()))
    far, near = over((centre - r(j)) ** 2), over((centre - p(j)) ** 2)
    return (
        Statement(far - near, "==", factor * over((p(j) - r(j)) * centre), units),
        Statement(sign * mean(near), "<=", sign * mean(far), given),
    )
