"""Lemma H.4 of Collins et al. in every dimension k >= 2: the noise of two tokens grows with the
larger weight that the spurious directions give, for c <= 1.

No density is needed: over both orders of the tokens what is averaged is a positive number times
(2 + AB - B^2)/(A + B)^3, with the hyperbolic cosines A of r = log(alpha_1/alpha_2) and B of
X = c(u_1 - u_2).u, and that is at least 3(2 - B)/(A + 2)^3. The mean of X^2 is 2c^2/k.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import CLOCK, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import d, j, mean, o, over
from proofs_check.derivations.window.signal import p, v

t = Variable("t", Sort.TIME)
#: The smaller weight, where the larger one starts, and c.
least, start, c = (Variable(name, range=POSITIVE) for name in ("alpha_2", "alpha_0", "c"))
largest = start + CLOCK(t)
first, second = (Function(name, (Sort.INDEX, Sort.TOKEN), None) for name in ("u_1", "u_2"))
a, b = (over(p(j) * at(j, o)) for at in (first, second))
of_a, of_b = exp(c * a), exp(c * b)
#: Letters: two weights, of which the second is smaller, and the cosines.
x, y, up, down = (Variable(name, range=POSITIVE) for name in "xyEF")
e, B = Variable("e", range=NONNEGATIVE), Variable("B", range=Range(Fraction(1), Fraction(4), False, False))
z = Variable("z", range=Range(Fraction(-2), Fraction(2), False, False))


def noise(p: Term, q: Term) -> Term:
    """sum gamma_i^2 for the factors e^{ca} and e^{cb}."""
    return ((p * largest) ** 2 + (q * least) ** 2) / (p * largest + q * least) ** 2


def h(p: Term, q: Term, x: Term = largest, y: Term = least) -> Term:
    """h_{a,b} for the factors e^{ca} and e^{cb}."""
    return p * q * (p * x - q * y) / (p * x + q * y) ** 3


@cache
def two_uniform_tokens() -> tuple[Theorem, ...]:
    """What is used of two independent uniform tokens."""
    length = lambda at: over(at(j, o) ** 2)
    square = lambda at: mean(over(v(j) * at(j, o)) ** 2)
    same = lambda at, name: assume(
        f"uniform tokens: E (v.u_{name})^2 = |v|^2/k", square(at), "==", over(v(j) ** 2) / d, every=(v,)
    )
    return (
        assume("|u| = 1", over(p(j) ** 2), "==", 1),
        assume("|u_1| = 1", length(first), "==", 1, every=(o,)),
        assume("|u_2| = 1", length(second), "==", 1, every=(o,)),
        same(first, "1"),
        same(second, "2"),
        assume("uniform tokens: u_1 and u_2 are uncorrelated", mean(a * b), "==", 0),
        assume("u_1 and u_2 may be exchanged", mean(h(of_a, of_b)), "==", mean(h(of_b, of_a)), every=(t,)),
    )


@cache
def ranges(c_max: int | Fraction = 1) -> tuple[Theorem, ...]:
    return (
        assume("k >= 2", 2, "<=", d),
        assume(f"c <= {c_max}", c, "<=", Fraction(c_max)),
        assume("alpha_2 < alpha_1", least, "<", start),
    )


@cache
def in_range() -> tuple[Theorem, ...]:
    """The heights lie in [-1, 1]."""
    unit, *lengths = two_uniform_tokens()[:3]
    found = []
    for at, length in ((first, lengths[0]), (second, lengths[1])):
        for sign in (1, -1):
            square = over((at(j, o) + sign * p(j)) ** 2)
            value = over(p(j) * at(j, o))
            whole = calc(square, ("==", length.lhs + 2 * sign * value + unit.lhs))
            found.append(show(-sign * value, "<=", 1, whole, length, unit, show(0, "<=", square), square))
    return tuple(found)


@cache
def heights() -> tuple[Theorem, Theorem]:
    """-2 <= X <= 2 for X = c(a - b)."""
    low_a, up_a, low_b, up_b = in_range()
    most = ranges()[1]
    return (
        show(c * (a - b), "<=", 2, low_a, up_a, low_b, up_b, most, a, b),
        show(-2, "<=", c * (a - b), low_a, up_a, low_b, up_b, most, a, b),
    )


@cache
def of_the_cosines() -> Theorem:
    """3(2 - B)/(A + 2)^3 <= (2 + AB - B^2)/(A + B)^3 for A = 1 + e and 1 <= B <= 4."""
    A = 1 + e
    parts = (
        3 * (B - 2) ** 2 * (B + 1) * (B + 4),
        9 * e * ((B - 1) ** 3 + 5),
        27 * e**2 * B,
        e**3 * (B * (13 - B) - 4),
        e**4 * B,
    )
    gap = parts[0] + parts[1] + parts[2] + parts[3] + parts[4]
    scale = 1 / ((A + 2) ** 3 * (A + B) ** 3)
    left, right = 3 * (2 - B) / (A + 2) ** 3, (2 + A * B - B**2) / (A + B) ** 3
    least = show(0, "<=", scale * gap, show(0, "<=", gap), scale, gap)
    return calc(left, ("<=", left + scale * gap, least, left, scale * gap), ("==", right))


def less_1(p: Term, q: Term) -> Term:
    """The hyperbolic cosine of log(p/q), less 1."""
    return (p - q) ** 2 / (2 * p * q)


#: e^r - e^{-r} over 2 alpha_1 alpha_2, which is positive, A - 1 and B, and the factor of 2 - B.
sine = (largest**2 - least**2) / (2 * largest * least) / (largest * least)
excess, cosine = less_1(largest, least), 1 + less_1(of_a, of_b)
factor = sine * (3 / (1 + excess + 2) ** 3)


@cache
def of_the_angle() -> tuple[Theorem, Theorem]:
    """B <= 1 + 7X^2/10 and B <= 4, for -2 <= X <= 2."""
    X, point = c * (a - b), (exp(z) + exp(-z)) / 2
    same = show(cosine, "==", (exp(X) + exp(-X)) / 2)
    bounds = show(point, "<=", 1 + Fraction(7, 10) * z**2), show(point, "<=", 4)
    near, far = (chain(cosine, same, instantiate(bound, {z: X}, *heights())) for bound in bounds)
    return near, far


@cache
def positive_sine() -> Theorem:
    order = show(least, "<", largest, ranges()[2])
    return show(0, "<", sine, order, largest, least)


@cache
def positive_factor() -> Theorem:
    return show(0, "<", factor, positive_sine(), sine)


@cache
def identity_of_both_orders() -> Theorem:
    """h_{a,b} + h_{b,a} is the sine times (2 + AB - B^2)/(A + B)^3."""
    A, B = 1 + less_1(x, y), 1 + less_1(up, down)
    ratio = (2 + A * B - B**2) / (A + B) ** 3
    return show((x**2 - y**2) / (2 * x * y) / (x * y) * ratio, "==", h(up, down, x, y) + h(down, up, x, y))


@cache
def of_both_orders() -> Theorem:
    """The factor times 1 - 7X^2/10 is at most h_{a,b} + h_{b,a}."""
    angle, inside = of_the_angle()
    ratio = instantiate(of_the_cosines(), {e: excess, B: cosine}, inside)
    same = instantiate(identity_of_both_orders(), {x: largest, y: least, up: of_a, down: of_b})
    less = 1 - Fraction(7, 10) * (c * (a - b)) ** 2
    near = show(less, "<=", 2 - cosine, angle, cosine)
    return calc(
        factor * less,
        ("<=", factor * (2 - cosine), near, positive_factor(), factor, less, cosine),
        ("==", sine * ratio.lhs),
        ("<=", sine * ratio.rhs, positive_sine(), ratio, sine, ratio.lhs, ratio.rhs),
        ("==", h(of_a, of_b) + h(of_b, of_a), same),
    )


@cache
def mean_square() -> Theorem:
    """E X^2 = 2c^2/k <= 1."""
    unit, _, _, of_first, of_second, cross, _ = two_uniform_tokens()
    wide, most, _ = ranges()
    one, two = (
        calc(instantiate(thm, {v: ((j,), p(j))}), ("==", 1 / d, unit)) for thm in (of_first, of_second)
    )
    return calc(
        mean((c * (a - b)) ** 2),
        ("==", c**2 * (one.lhs - 2 * cross.lhs + two.lhs)),
        ("==", 2 * c**2 / d, one, two, cross),
        ("<=", 1, wide, most),
    )


@cache
def apart() -> Theorem:
    """A set of outcomes of measure 0 is left out."""
    return assume("k >= 2: the heights of the two tokens differ", 0, "<", (a - b) ** 2, every=(o,))


def statement(sign: int = 1, c_max: int | Fraction = 1, least: int | Fraction = 1) -> Statement:
    """The mean of the derivative of sum gamma_i^2 in alpha_1, times `sign`, is positive, for a
    ratio of the weights above `least` = 1.
    """
    given = hypotheses(*two_uniform_tokens(), *ranges(c_max)[: 3 if least >= 1 else 2])
    return Statement(term(0), "<", sign * mean(derivative(noise(of_a, of_b), t)), given)


def off_the_diagonal_statement(sign: int = 1) -> Statement:
    """The mean of h_{a,b} where a and b differ, times `sign`, is positive."""
    given = hypotheses(*two_uniform_tokens(), *ranges(), apart())
    inside = mean(Op("above", ((a - b) ** 2,)) * h(of_a, of_b))
    return Statement(term(0), "<", sign * inside, given)


@cache
def mean_of_h() -> Theorem:
    """2 E h is at least the factor times 1 - 7/10 E X^2."""
    swap, square = two_uniform_tokens()[6], mean((c * (a - b)) ** 2)
    left = calc(factor * (1 - Fraction(7, 10) * square), ("==", mean(of_both_orders().lhs)))
    both = calc(left, ("<=", swap.lhs + swap.rhs, integrate("mean", (o,), of_both_orders())))
    both = show(left.lhs, "<=", 2 * swap.lhs, both, swap, left.lhs)
    least_ = show(0, "<", left.lhs, positive_factor(), mean_square(), factor, square)
    return show(0, "<", swap.lhs, chain(least_, both), swap.lhs)


@proves("COL:H.4", statement)
@cache
def noise_grows() -> Theorem:
    """The derivative is 2 alpha_2 times h_{a,b}."""
    positive = mean_of_h()
    slope = show(derivative(noise(x, y), t), "==", 2 * least * h(x, y))
    slope = integrate("mean", (o,), instantiate(slope, {x: of_a, y: of_b}))
    back = calc(2 * least * positive.rhs, ("==", slope.rhs), ("==", slope.lhs, slope))
    return chain(show(0, "<", back.lhs, positive, positive.rhs), back)


@proves("COL:H.4/diagonal", off_the_diagonal_statement)
@cache
def without_the_diagonal() -> Theorem:
    value, event = h(of_a, of_b), Op("above", ((a - b) ** 2,))
    same = show(value, "==", event * value, apart(), value, (a - b) ** 2)
    return chain(mean_of_h(), integrate("mean", (o,), same))
