"""Counts of the classes of a prompt of independent tokens: the bound of eq. (9) of Li, Duan &
Liang, which needs neither a factor for the number of classes nor a floor of delta, and the balance.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as N
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from proofs_check.derivations.features.steps import above, ind, product, times
from proofs_check.derivations.proof import proves

i, k, prompt = Variable("i", Sort.INDEX), Variable("k", Sort.TOKEN), Variable("P", Sort.PROMPT)
K, delta = Variable("K", range=whole(1)), Variable("delta", range=POSITIVE)
s, t, r = (Variable(name, range=POSITIVE) for name in "str")
x, y, u = Variable("x", range=NONNEGATIVE), Variable("y", range=NONNEGATIVE), Variable("u", range=REALS)
share = Variable("share", range=Range(Fraction(0), Fraction(1), False, False))
#: Whether a token is of the class i.
b = Function("b", (Sort.INDEX, Sort.TOKEN), None)

mean = lambda e: bind("mean", (k,), e)
expectation = lambda e: bind("prompt", (prompt,), e)
classes = lambda e: bind("coordinates", (i,), e, (K,))
p, count = mean(b(i, k)), bind("sum", (k,), b(i, k), (prompt,))

of_a_class_or_not = assume("a token is of a class or not", b(i, k) ** 2, "==", b(i, k), every=(i, k))
one_class = assume("each token is of one class", classes(b(i, k)), "==", 1, every=(k,))


def some(event: Term) -> Term:
    """Whether some class has the event, which is 0 or more for each."""
    return ind(classes(event) - 1)


outside = above(Op("max", (count - N * p, -(count - N * p))) - delta * N)


@cache
def at_most_one() -> tuple[Theorem, Theorem]:
    """0 <= b <= 1, as b = b^2 and 1 - b = (1 - b)^2."""
    least = chain(arithmetic(0, "<=", b(i, k) ** 2), of_a_class_or_not)
    return least, arithmetic(b(i, k), "<=", 1, least, of_a_class_or_not)


@cache
def probabilities() -> tuple[Theorem, Theorem, Theorem]:
    """0 <= p and p <= 1 for each class, and the sum of them is 1."""
    least, most = at_most_one()
    return (
        chain(0, integrate("mean", (k,), least)),
        chain(integrate("mean", (k,), most), 1),
        chain(classes(p), mean(classes(b(i, k))), integrate("mean", (k,), one_class), 1),
    )


@cache
def moment() -> Theorem:
    """E e^{u |V|} <= e^{N p (e^u - 1)} for every real u: the exponential lies below its chord on
    [0, 1], and 1 + p (e^u - 1) below e^{p (e^u - 1)}.
    """
    chord = arithmetic(exp(u * share), "<=", 1 + share * (exp(u) - 1))
    chord = instantiate(chord, {share: b(i, k)}, *at_most_one())
    one = integrated("mean", (k,), chord, None, 1 + p * (exp(u) - 1))
    tangent = instantiate(arithmetic(1 + u, "<=", exp(u)), {u: p * (exp(u) - 1)})
    one = chain(one, tangent)
    power = mean(exp(u * b(i, k))) ** N
    return chain(expectation(exp(u * count)), power, gcongr(power, one), exp(N * p * (exp(u) - 1)))


def cosh(e: Term) -> Term:
    return (exp(e) + exp(-e)) / 2


@cache
def deviation() -> Theorem:
    """sum_i E(cosh(t (|V_i| - N p_i)) - 1) <= e^{N (e^t - 1 - t)} - 1 for t > 0: for each class it
    is at most e^{p N (e^t - 1 - t)} - 1, which is convex in p, and the p_i add up to 1.
    """
    S, rate = count - N * p, exp(t) - 1 - t
    up = instantiate(moment(), {u: t})
    up = chain(
        expectation(exp(t * S)),
        exp(-t * N * p) * up.lhs,
        gcongr(exp(-t * N * p) * up.lhs, up),
        exp(N * p * rate),
    )
    down = instantiate(moment(), {u: -t})
    down = chain(expectation(exp(-t * S)), exp(t * N * p) * down.lhs, gcongr(exp(t * N * p) * down.lhs, down))
    slower = arithmetic(exp(-t) - 1 + t, "<=", exp(t) - 1 - t)
    least, most, total = probabilities()
    power = times(N * p, slower, product(N, p, least))
    down = chain(down, exp(N * p * (exp(-t) - 1 + t)), gcongr(exp(N * p * (exp(-t) - 1 + t)), power))
    both = (up.lhs + down.lhs) / 2 - 1
    chord = instantiate(
        arithmetic(exp(share * x) - 1, "<=", share * (exp(x) - 1)),
        {share: p, x: N * rate},
        least,
        most,
        positive_rate(),
    )
    one = chain(expectation(cosh(t * S) - 1), both, gcongr(both, up, down), exp(p * (N * rate)) - 1, chord)
    bound = (exp(N * rate) - 1) * classes(p)
    last = arithmetic(bound, "==", exp(N * rate) - 1, total, hide=(exp(N * rate),))
    return chain(integrated("coordinates", (i,), one, None, bound, (K,)), last)


@cache
def positive_rate() -> Theorem:
    return arithmetic(0, "<=", N * (exp(t) - 1 - t))


@cache
def cosh_grows() -> Theorem:
    """1{u > s} (cosh(t s) - 1) <= cosh(t u) - 1: cosh(x) <= cosh(x + y) for nonnegative x and y, as
    (e^y - 1)(e^x - e^{-x - y}) is not negative.
    """
    gaps = arithmetic(0, "<=", exp(y) - 1), arithmetic(0, "<=", exp(x) - exp(-x) * exp(-y))
    step = chain(product(exp(y) - 1, exp(x) - exp(-x) * exp(-y), *gaps), 2 * (cosh(x + y) - cosh(x)))
    step = arithmetic(cosh(x), "<=", cosh(x + y), step, hide=(cosh(x), cosh(x + y)))
    gate = above(u - s)
    further = t * (gate * (u - s))
    step = instantiate(step, {x: t * s, y: further}, arithmetic(0, "<=", further))
    gated = chain(times(gate, step), arithmetic(gate * cosh(t * s + further), "==", gate * cosh(t * u)))
    small, large = gate * cosh(t * s), gate * cosh(t * u)
    moved = arithmetic(small - gate, "<=", large - gate, gated, hide=(small, large, gate))
    most = arithmetic(gate * (x + 1) - gate, "<=", x, hide=(u - s,))
    most = instantiate(most, {x: cosh(t * u) - 1}, instantiate(arithmetic(0, "<=", cosh(u) - 1), {u: t * u}))
    return chain(gate * (cosh(t * s) - 1), moved, most)


@cache
def wide() -> Theorem:
    """P(some |V_i| is outside) (cosh(t delta N) - 1) <= e^{N (e^t - 1 - t)} - 1: there the
    hyperbolic cosine of t (|V_i| - N p_i) exceeds that of t delta N.
    """
    modulus = Op("max", (u, -u))
    grows = chain(
        instantiate(cosh_grows(), {u: modulus}), arithmetic(cosh(t * modulus) - 1, "<=", cosh(t * u) - 1)
    )
    each = instantiate(grows, {u: count - N * p, s: delta * N})
    level, fails, how_often = cosh(t * delta * N) - 1, some(outside), classes(outside)
    positive = instantiate(arithmetic(0, "<=", cosh(t * s) - 1), {s: delta * N})
    first = times(level, instantiate(arithmetic(ind(x - 1), "<=", x), {x: how_often}), positive)
    point = chain(level * fails, first, integrated("coordinates", (i,), each, level * how_often, None, (K,)))
    return chain(
        integrated("prompt", (prompt,), point, level * expectation(fails), deviation().lhs), deviation()
    )


#: Whether delta < 1.
below_one = above(N - delta * N)


@cache
def beyond_one() -> tuple[Theorem, Theorem, Theorem]:
    """P(some |V_i| is outside) is a probability, and at most K 1{delta < 1}, as no |V_i| - N p_i
    exceeds N.
    """
    least, most, _ = probabilities()
    low, high = at_most_one()
    low = chain(0, integrate("sum", (k,), low, (prompt,)))
    high = chain(integrate("sum", (k,), high, (prompt,)), N)
    rest = chain(product(N, 1 - p, arithmetic(0, "<=", 1 - p, most)), N - N * p)
    S = count - N * p
    more = arithmetic(S, "<=", N, high, product(N, p, least), hide=(N * p,))
    less = arithmetic(-S, "<=", N, low, rest, hide=(N * p,))
    far = chain(gcongr(Op("max", (S, -S)), more, less), arithmetic(Op("max", (N, N)), "<=", N))
    each = integrated("coordinates", (i,), gcongr(outside, far), None, K * below_one, (K,))
    fails = some(outside)
    each = chain(instantiate(arithmetic(ind(x - 1), "<=", x), {x: classes(outside)}), each)
    between = (arithmetic(e, "<=", f) for e, f in ((0, fails), (fails, 1)))
    zero, one = (integrate("prompt", (prompt,), thm) for thm in between)
    return chain(0, zero), chain(one, 1), integrated("prompt", (prompt,), each, None, K * below_one)


def statement(c: int | Fraction = 25, three: int | Fraction = 3) -> Statement:
    """Some class leaves the shares p_i up to delta with probability at most 3 e^{-delta^2 N/c}."""
    bound = Fraction(three) * exp(-(delta**2) * N / Fraction(c))
    return Statement(
        expectation(some(outside)), "<=", bound, of_a_class_or_not.assumptions | one_class.assumptions
    )


def floored_statement(
    c: int | Fraction = 25, three: int | Fraction = 3, floor: int | Fraction = 20
) -> Statement:
    """(9): the same for delta >= sqrt(20 K/N), where `floor` is the 20."""
    printed = assume("delta is at least its floor", sqrt(Fraction(floor) * K / N), "<=", delta)
    wide = statement(c, three)
    return Statement(wide.lhs, wide.op, wide.rhs, wide.assumptions | printed.assumptions)


@proves("LDL:eq9", floored_statement)
@proves("LDL:eq9/floor", statement)
@cache
def without_a_floor() -> Theorem:
    """P(some |V_i| is outside) <= 3 e^{-x/25}, x = delta^2 N, for every delta: at t = delta <= 1 by
    `wide` where x > 27, and elsewhere because the right side is at least 1.
    """
    gate, X, fails = below_one, delta**2 * N, expectation(some(outside))
    level, rate, growth = cosh(X) - 1, exp(N * (exp(delta) - 1 - delta)), exp(Fraction(3, 4) * X)
    exponent = arithmetic(gate * (exp(delta) - 1 - delta), "<=", Fraction(3, 4) * delta**2)
    slow = chain(gcongr(exp(N * exponent.lhs), exponent), growth)
    slow = chain(arithmetic(gate * rate, "<=", exp(N * exponent.lhs)), slow)
    main = chain(level * fails, instantiate(wide(), {t: delta}), rate - 1)
    zero, one, none = beyond_one()
    at_least = instantiate(arithmetic(1, "<=", exp(Fraction(3, 4) * x)), {x: X})
    within = arithmetic(
        gate * (rate - 1), "<=", growth - 1, slow, at_least, hide=(growth, rate, N - delta * N)
    )
    gated = chain((gate * fails) * level, times(gate, main), within)
    ranges = (
        arithmetic(0, "<=", gate * fails, zero, hide=(fails, N - delta * N)),
        chain(times(gate, one), arithmetic(gate * 1, "<=", 1, hide=(N - delta * N,))),
    )
    part = _from_a_cosine(gate * fails, X, gated, ranges)
    e = exp(-X / 25)
    return arithmetic(fails, "<=", 3 * e, part, none, hide=(N - delta * N, e))


def _from_a_cosine(q: Term, X: Term, thm: Theorem, ranges: tuple[Theorem, ...]) -> Theorem:
    """q <= 3 e^{-X/25} from q (cosh(X) - 1) <= e^{3 X/4} - 1 and 0 <= q <= 1, for a positive X."""
    far, level, e, growth = above(s - 27), cosh(s) - 1, exp(-s / 25), exp(Fraction(3, 4) * s)
    beyond = arithmetic(far * (growth - 1), "<=", far * 3 * e * level)
    near = arithmetic(1 - far, "<=", 3 * e)
    near = arithmetic(share - far * share, "<=", 3 * e - far * 3 * e, near, hide=(e,))
    beyond, near, some_level = (
        instantiate(line, {s: X}) for line in (beyond, near, arithmetic(0, "<", level))
    )
    near = instantiate(near, {share: q}, *ranges)
    far, level, e, growth = above(X - 27), cosh(X) - 1, exp(-X / 25), exp(Fraction(3, 4) * X)
    beyond = chain((far * q) * level, times(far, thm), beyond, (far * 3 * e) * level)
    beyond = arithmetic(far * q, "<=", far * 3 * e, some_level, beyond, hide=(far * q, far * 3 * e, level))
    return arithmetic(q, "<=", 3 * e, near, beyond, hide=(far * q, far * 3 * e, q, e))
