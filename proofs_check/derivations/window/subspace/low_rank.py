"""Appendix H of Collins et al. on tasks of low rank: the order (54), its range, and the
rotation.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import i, j, mean, n, o, over, tokens
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


@proves("COL:H.3c", order_statements, at=((a, b), (b, a)))
@cache
def order_54(pair: tuple[Variable, Variable] = (a, b)) -> Theorem:
    """e^{cb} gamma_{a,b} < e^{ca} gamma_{b,a} for a < b and c <= 2.

    With delta = b - a it is gamma_{b,a} = gamma_{a,b} + 2 delta and gamma_{a,b} <= (1 -
    delta/2)^2, and e^{2 delta}(1 - delta/2)^2 < (1 + delta/2)^2.
    """
    first, second = pair
    delta, order = second - first, ordered(first, second)
    X, Y, M, E = exp(gap) * (1 - gap / 2), 1 + gap / 2, (1 - gap / 2) ** 2, exp(2 * gap)
    half, above = arithmetic(X, "<", Y), arithmetic(0, "<=", X)
    whole = chain(E * M, show(X**2, "<", Y**2, half, above), M + 2 * gap)
    in_range = arithmetic(0, "<", delta, order), arithmetic(delta, "<=", 2)
    whole, more = (instantiate(thm, {gap: delta}, *in_range) for thm in (whole, arithmetic(1, "<=", E)))
    M, E, A, B = (1 - delta / 2) ** 2, exp(2 * delta), gamma(first, second), gamma(second, first)
    steeper = arithmetic(c * delta, "<=", 2 * delta, at_most(), in_range[0], hide=(delta,))
    grown, scale = gcongr(exp(c * delta), steeper), exp(c * first)
    step = calc(
        E * A - A,
        ("==", (E - 1) * A),
        ("<=", (E - 1) * M, more),
        ("==", E * M - M),
        ("<", 2 * delta, in_range[0], whole),
    )
    below = calc(exp(c * delta) * A, ("<=", E * A, grown), ("<", A + 2 * delta, step), ("==", B))
    return calc(exp(c * second) * A, ("<", scale * B, below))


def range_statements(c_max: int | Fraction = 2, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """For c <= c_max (54) holds for all a < b; for c > 2 it fails at -b and b with b^2 = 1 -
    2/c, where its left side is at most share times the right one.
    """
    u = inside
    right = Fraction(share) * exp(c * u) * gamma(-u, u)
    return order_statements(c_max)[0], Statement(
        exp(-c * u) * gamma(u, -u), "<=", right, critical().assumptions
    )


@proves("OURS:R8.54", range_statements, part=2)
@cache
def beyond() -> Theorem:
    """For c > 2 the two sides of (54) at -b and b > -b, b^2 = 1 - 2/c, are in the other order: (1 +
    b)/(1 - b) <= e^{cb}.
    """
    u, K = inside, critical().lhs
    E, power = exp(c * u), instantiate(arithmetic(1 + z + z**2 / 2, "<=", exp(z)), {z: c * u})
    large = calc(c, ("==", 2 + c * u**2, critical()))
    large = show(2, "<=", c, show(2, "<=", large.rhs), large, large.rhs)
    value = 1 - u**2 + K * u + K * c * u**2 / 2
    both = calc(
        (1 + u) ** 2,
        ("<=", 1 - u**2 + 2 * u + c * u**2, large),
        ("==", value, critical()),
        ("==", (1 - u**2) * power.lhs),
        ("<=", (1 - u**2) * E, power, E, power.lhs),
    )
    root_ = arithmetic(1 + u, "<=", (1 - u) * E, both, hide=(E,))
    twice = show((1 + u) ** 2, "<=", ((1 - u) * E) ** 2, root_)
    return chain(exp(-c * u) * gamma(u, -u), gcongr(exp(-c * u) * (1 + u) ** 2, twice), E * gamma(-u, u))


@cache
def critical() -> Theorem:
    return assume("b_^2 = 1 - 2/c", c * (1 - inside**2), "==", 2)


proves("OURS:R8.54", range_statements, part=1)(order_54)


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


@proves("COL:H.2a/32", centre_statements, part=1)
@cache
def difference() -> Theorem:
    """|h - R'u|^2 - |h - u|^2 = 2(u - R'u).h for the centre h."""
    far, near = over((centre - r(j)) ** 2), over((centre - p(j)) ** 2)
    product = over((p(j) - r(j)) * centre)
    return calc(
        far - near,
        ("==", 2 * product + over(r(j) ** 2) - over(p(j) ** 2)),
        ("==", 2 * product, *unit_vectors()),
    )


@cache
def positive_height() -> Theorem:
    """0 <= c_bar: the weight of a token grows with its height."""
    own, turned, law, line = symmetric_tokens()
    rest = others(i, o) ** 2
    values = [
        calc(value, ("==", thm.lhs / (top + rest)), ("==", top / (top + rest), thm))
        for value, top, thm in ((weight(i, o), power_up, own), (flipped(i, o), power_down, turned))
    ]
    grows = instantiate(arithmetic(0, "<=", y * (exp(y) - exp(-y))), {y: rate * height})
    scale = rest / ((power_up + rest) * (power_down + rest)) / rate
    each = calc(
        0 * height,
        ("<=", scale * grows.rhs, grows),
        ("==", height * rest * (power_up - power_down) / ((power_up + rest) * (power_down + rest))),
        ("==", height * (weight(i, o) - flipped(i, o)), *values),
    )
    up, down = mean(weight(i, o) * height), mean(flipped(i, o) * height)
    each = chain(0, integrate("mean", (o,), each), up - down)
    each = show(0, "<=", up, each, chain(up, law, -down), up)
    return calc(
        chain(0, integrate("coordinates", (i,), each, (n,)), over(p(j) * line.lhs)),
        ("==", over(mean_height * p(j) ** 2), line),
        ("==", mean_height, unit_vectors()[0]),
    )


@proves("COL:H.2a/32", centre_statements, part=2)
@cache
def signal_at_the_query() -> Theorem:
    """E |h - u|^2 <= E |h - R'u|^2, as 2(u - R'u).E h = 2 c_bar (1 - u.R'u) >= 0."""
    *_, line = symmetric_tokens()
    far, near = mean(over((centre - r(j)) ** 2)), mean(over((centre - p(j)) ** 2))
    pp, rr, pr, square = (over(e) for e in (p(j) ** 2, r(j) ** 2, p(j) * r(j), (p(j) - r(j)) ** 2))
    product = over((p(j) - r(j)) * line.lhs)
    gap_ = chain(far - near, integrate("mean", (o,), difference()), 2 * product)
    inner = calc(pp - pr, ("==", square / 2 + (pp - rr) / 2), ("==", square / 2, *unit_vectors()))
    inner = show(0, "<=", pp - pr, inner)
    value = calc(
        product, ("==", over((p(j) - r(j)) * mean_height * p(j)), line), ("==", mean_height * (pp - pr))
    )
    size = show(0, "<=", mean_height * (pp - pr), inner, positive_height(), pp - pr)
    size = show(0, "<=", product, value, size, product, mean_height * (pp - pr))
    return show(near, "<=", far, gap_, size, near)
