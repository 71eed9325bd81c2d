"""Lemma H.1 of Collins et al. for every number of tokens, every dimension and all weights: the
derivative at 0 of the signal and of the noise in the scale c of the attention.

The scale is a time that runs from 0, and the dimension k of the tasks is d here.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, begin, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Defined, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, i, j, l, mean, n, o, over, tokens
from proofs_check.derivations.window.signal import p, v

t = Variable("t", Sort.TIME)
e, g, h = (Variable(name, Sort.INDEX) for name in "egh")
c_a, c_u, sigma = (Variable(name, range=REALS) for name in ("c_a", "c_u", "sigma"))
b = Function("b", (Sort.INDEX,))
log_alpha = Function("log alpha", (Sort.INDEX,))
#: What the spurious directions give to a token, and its height over the query.
alpha = exp(log_alpha(i))
height = over(p(j) * X(i, j, o))
weight = alpha * exp(c_u**2 * CLOCK(t) * height)
total = tokens(weight)
A, squares = Defined("A", tokens(alpha)), tokens(alpha**2)
signal = c_a**2 * c_u**2 * over((tokens(weight * (X(i, j, o) - p(j))) / total) ** 2)
noise = sigma**2 * tokens((weight / total) ** 2)


def slope(value: Term) -> Term:
    """The derivative at the scale 0 of what is averaged."""
    return instantiated(derivative(value, t), {t: START})


@cache
def uniform_tokens() -> tuple[Theorem, ...]:
    """What is used of tokens that are independent and uniform on the sphere: all of them may be
    reversed at once, so that moments of odd degree are 0, and they are uncorrelated.
    """
    three = mean(X(i, j, o) * X(l, e, o) * X(g, h, o))
    heights = lambda at: over(v(j) * X(at, j, o))
    return (
        assume("|u| = 1", over(p(j) ** 2), "==", 1),
        assume("u_i and -u_i have one law: E u_i = 0", mean(X(i, j, o)), "==", 0, every=(i, j)),
        assume("u_i and -u_i have one law: third moments are 0", three, "==", 0, every=(i, l, g, j, e, h)),
        assume(
            "uniform tokens: E (v.u_i)^2 = |v|^2/k",
            mean(heights(i) ** 2),
            "==",
            over(v(j) ** 2) / d,
            every=(i, v),
        ),
        assume(
            "uniform tokens: different ones are uncorrelated",
            mean(tokens(b(i) * heights(i)) ** 2),
            "==",
            tokens(b(i) ** 2 * mean(heights(i) ** 2)),
            every=(b, v),
        ),
    )


#: The sums at the scale 0: of the weights times u_i - u, of these times the heights, and both
#: without the difference.
off = X(i, j, o) - p(j)
N, M, H = tokens(alpha * off), tokens(alpha * (height * off)), tokens(alpha * height)
centre, own = over(N**2), over(N * M)


@cache
def at_the_start() -> Theorem:
    """The weights at the scale 0 are alpha_i."""
    start = instantiated(weight, {t: START})
    return calc(start, ("==", alpha * exp(0 * height), begin()), ("==", alpha))


def _at_the_start(body: Term) -> Theorem:
    """The sum with the weights at the scale 0 is that with alpha."""
    start = at_the_start().lhs
    each = show(start * body, "==", alpha * body, at_the_start(), start, alpha, body)
    return integrate("coordinates", (i,), each, (n,))


@cache
def slope_of_the_signal() -> Theorem:
    """The slope of |V|^2/S^2 is 2c_u^2(V.V'/A^2 - |V|^2 H/A^3), for the sums at the scale 0."""
    first, second, third = (_at_the_start(body) for body in (off, height * off, height))
    one = show(instantiated(total, {t: START}), "==", A, at_the_start())
    at = lambda N, M, H, A: 2 * c_u**2 * (N * M / A**2 - N**2 * H / A**3)
    sums = (first.lhs, second.lhs, third.lhs, one.lhs)
    each = calc(
        slope((tokens(weight * off) / total) ** 2),
        ("==", at(*sums)),
        ("==", at(N, M, H, A), first, second, third, one, *sums, N, M, H, A),
    )
    scale = c_a**2 * c_u**2
    return calc(
        slope(signal),
        ("==", scale * over(each.lhs)),
        ("==", scale * over(each.rhs), each),
        ("==", 2 * c_a**2 * c_u**4 * (own / A**2 - centre * H / A**3)),
    )


#: The mean of the tokens with the weights alpha, times their sum.
C = tokens(alpha * X(i, j, o))
odd = mean(H), mean(tokens(alpha * height * over(C * X(i, j, o)))), mean(over(C**2) * H)
even = mean(tokens(alpha * height**2)), mean(H**2)


@cache
def odd_moments() -> tuple[Theorem, ...]:
    """The means of sum alpha_i t_i, of sum alpha_i t_i u_i.C and of |C|^2 sum alpha_i t_i are 0."""
    _, first, third, *_ = uniform_tokens()
    at = lambda index: instantiated(alpha, {i: index})
    sums = (
        (first, alpha * p(j), (i, j), (n, d)),
        (instantiate(third, {g: l, l: i, h: j}), alpha * at(l) * p(e), (i, l, j, e), (n, n, d, d)),
        (instantiate(third, {e: j}), alpha * at(l) * at(g) * p(h), (i, l, g, j, h), (n, n, n, d, d)),
    )
    found = []
    for value, (fact, scale, index, heads) in zip(odd, sums, strict=True):
        each = show(scale * fact.lhs, "==", scale * 0, fact, scale)
        whole = integrate("coordinates", index, each, heads)
        found.append(chain(value, whole, 0))
    return tuple(found)


@cache
def even_moments() -> tuple[Theorem, Theorem]:
    """E sum alpha_i t_i^2 = A/k and E (sum alpha_i t_i)^2 = sum alpha_i^2/k."""
    unit, _, _, square, cross = uniform_tokens()
    along = {v: ((j,), p(j))}
    each = calc(instantiate(square, along), ("==", 1 / d, unit))
    single = show(alpha * each.lhs, "==", alpha * each.rhs, each)
    pair = show(alpha**2 * each.lhs, "==", alpha**2 * each.rhs, each)
    return (
        chain(even[0], integrate("coordinates", (i,), single, (n,)), A / d),
        chain(
            instantiate(cross, {**along, b: ((i,), alpha)}),
            integrate("coordinates", (i,), pair, (n,)),
            squares / d,
        ),
    )


def derivative_statement(factor: int = 2) -> Statement:
    """J'(0) = factor c_a^2 c_u^4/k (sum alpha_i^2/A^2 - 1)."""
    value = factor * c_a**2 * c_u**4 / d * (squares / A**2 - 1)
    return Statement(mean(slope(signal)), "==", value, hypotheses(*uniform_tokens()))


@proves("COL:H.1/derivative", derivative_statement)
@cache
def derivative_at_zero() -> Theorem:
    """E V.V' = -(A^2 + sum alpha_i^2)/k and E |V|^2 H = -2A sum alpha_i^2/k."""
    (E1, E2, E3), (single, pair), unit = odd_moments(), even_moments(), uniform_tokens()[0]
    first, mixed, cubic = odd
    left = calc(
        mean(own),
        ("==", A * unit.lhs * first - A * even[0] + mixed - even[1]),
        ("==", -(A**2 + squares) / d, E1, E2, single, pair),
    )
    right = calc(
        mean(centre * H),
        ("==", A**2 * unit.lhs * first - 2 * A * even[1] + cubic),
        ("==", -2 * A * squares / d, E1, E3, pair),
    )
    scale = 2 * c_a**2 * c_u**4
    return calc(
        integrate("mean", (o,), slope_of_the_signal()),
        ("==", scale * (left.lhs / A**2 - right.lhs / A**3)),
        ("==", scale / d * (squares / A**2 - 1), left, right, left.lhs, right.lhs),
    )


#: The sum of the weights of the other tokens.
others = exp(Function("log R", (Sort.INDEX,))(i))


@cache
def several_tokens() -> tuple[Theorem, Theorem]:
    """There is another token for each, so that the others have a positive sum of weights."""
    return (
        assume("n >= 2: R_i > 0 is the sum of the other weights", A, "==", alpha + others, every=(i,)),
        assume("c_a and c_u are not 0", 0, "<", c_a**2 * c_u**4),
    )


def sign_statement(least: int = 2, sign: int = 1) -> Statement:
    """J'(0) times `sign` is negative, for at least so many tokens."""
    several, scales = several_tokens()
    given = hypotheses(*uniform_tokens(), scales, *((several,) if least >= 2 else ()))
    return Statement(sign * mean(slope(signal)), "<", term(0), given)


@cache
def squares_are_less() -> Theorem:
    """sum alpha_i^2 < A^2, as the difference is sum alpha_i R_i."""
    several = several_tokens()[0]
    products = tokens(alpha * others)
    each = show(alpha * A, "==", alpha**2 + alpha * others, several)
    whole = chain(A * tokens(alpha), integrate("coordinates", (i,), each, (n,)), squares + products)
    rest = show(0, "<", products)
    return show(squares, "<", A**2, chain(A**2, whole), rest, squares, products, A)


@proves("COL:H.1/sign", sign_statement)
@cache
def zero_is_no_minimiser() -> Theorem:
    """J'(0) = 2c_a^2 c_u^4/k (sum alpha_i^2/A^2 - 1) < 0."""
    less = show(squares / A**2 - 1, "<", 0, squares_are_less(), squares, A)
    value, scale = derivative_at_zero(), c_a**2 * c_u**4
    product = show(scale * less.lhs, "<", 0, less, several_tokens()[1], scale, less.lhs)
    return calc(value, ("==", 2 / d * product.lhs), ("<", 0, product, product.lhs))


def noise_statements(factor: int = 2) -> tuple[Statement, Statement]:
    """The mean of sum gamma_i^2 has the slope 0, and the whole loss that of the signal."""
    value = factor * c_a**2 * c_u**4 / d * (squares / A**2 - 1)
    given = hypotheses(*uniform_tokens())
    return (
        Statement(mean(slope(noise)), "==", (factor - 2) * sigma**2, given),
        Statement(mean(slope(signal + noise)), "==", value, given),
    )


@proves("COL:H.5.noise/slope", noise_statements, part=1)
@cache
def slope_of_the_noise() -> Theorem:
    """The slope of sum gamma_i^2 is odd in the tokens."""
    weights = instantiated(weight, {t: START})
    one, third = show(tokens(weights), "==", A, at_the_start()), _at_the_start(height)
    rate = weights * c_u**2 * height
    moved = rate / one.lhs - weights * c_u**2 * third.lhs / one.lhs**2
    value = 2 * alpha * c_u**2 * (alpha * height / A**2 - alpha * H / A**3)
    each = calc(
        2 * weights / one.lhs * moved,
        ("==", value, at_the_start(), one, third, weights, one.lhs, third.lhs, alpha, height, H, A),
    )
    linear = tokens(alpha**2 * height)
    at_0 = show(alpha**2 * mean(height), "==", 0 * alpha, _height_is_centred(), alpha)
    zero = chain(mean(linear), integrate("coordinates", (i,), at_0, (n,)), 0)
    whole = calc(
        slope(noise),
        ("==", sigma**2 * tokens(each.lhs)),
        ("==", sigma**2 * tokens(value), each),
        ("==", 2 * sigma**2 * c_u**2 * (linear / A**2 - squares * H / A**3)),
    )
    return calc(
        integrate("mean", (o,), whole),
        ("==", 2 * sigma**2 * c_u**2 * (mean(linear) / A**2 - squares * mean(H) / A**3)),
        ("==", 0, zero, odd_moments()[0]),
    )


@cache
def _height_is_centred() -> Theorem:
    """E u.u_i = 0."""
    first = uniform_tokens()[1]
    each = show(p(j) * first.lhs, "==", p(j) * 0, first)
    return chain(mean(height), integrate("coordinates", (j,), each, (d,)), 0)


@proves("COL:H.5.noise/slope", noise_statements, part=2)
@cache
def slope_of_the_loss() -> Theorem:
    """Noise adds nothing to the slope at 0."""
    both, first = slope_of_the_noise(), derivative_at_zero()
    return calc(mean(slope(signal + noise)), ("==", first.lhs + both.lhs), ("==", first.rhs, both, first))
