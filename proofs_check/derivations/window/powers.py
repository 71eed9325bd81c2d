"""Powers with real exponents: Lemma G.3 of Collins et al. on truncated sums, and the widths of
Theorems E.1 to E.3. A power x^y of positive numbers is written as e^{y log x}.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves

d, alpha, i, m, u, v, x = (Variable(name, range=POSITIVE) for name in ("d", "alpha", "i", "m", "u", "v", "x"))
y = Variable("y", range=REALS)
k, prompt = Variable("k", Sort.TOKEN), Variable("prompt", Sort.PROMPT)


def power(base: Term, exponent: Term) -> Term:
    return exp(exponent * log(base))


@cache
def beyond() -> Theorem:
    return assume("i >= (d + sqrt d)/alpha", (d + sqrt(d)) / alpha, "<=", i)


def ratio_statement(root: int | Fraction = 1) -> Statement:
    """((i + 1)/i)^d e^{-alpha} <= e^{-root alpha sqrt d/(d + sqrt d)} for i >= (d + sqrt
    d)/alpha.
    """
    bound = exp(-Fraction(root) * alpha * sqrt(d) / (d + sqrt(d)))
    return Statement(power(1 + 1 / i, d) * exp(-alpha), "<=", bound, beyond().assumptions)


@proves("COL:G.3.sum", ratio_statement)
@cache
def ratio_of_the_tail() -> Theorem:
    """(1 + 1/i)^d e^{-alpha} <= e^{-alpha sqrt d/(d + sqrt d)}, as log(1 + y) <= y."""
    bound = -alpha * sqrt(d) / (d + sqrt(d))
    return calc(
        power(1 + 1 / i, d) * exp(-alpha),
        ("<=", exp(d / i - alpha), instantiate(arithmetic(log(1 + x), "<=", x), {x: 1 / i})),
        ("<=", exp(bound), arithmetic(d / i - alpha, "<=", bound, beyond())),
    )


@cache
def before() -> tuple[Theorem, Theorem]:
    return (assume("i <= m", i, "<=", m), assume("m < (d + sqrt d)/alpha", m, "<", (d + sqrt(d)) / alpha))


def term_of_the_sum(of: Term) -> Term:
    """i^d e^{-alpha i}."""
    return power(of, d) * exp(-alpha * of)


def compared_statement(half: int | Fraction = Fraction(1, 2)) -> Statement:
    """e^{-half} i^d e^{-alpha i} <= m^d e^{-alpha m} for i <= m < (d + sqrt d)/alpha."""
    given = hypotheses(*before())
    return Statement(exp(-Fraction(half)) * term_of_the_sum(i), "<=", term_of_the_sum(m), given)


@proves("COL:G.3.low", compared_statement)
@cache
def terms_compared() -> Theorem:
    """e^{-1/2} i^d e^{-alpha i} <= m^d e^{-alpha m}: with i = d u/alpha and m = d v/alpha the
    exponents differ by d(log v - v - log u + u).
    """
    return compared(i, before()[0])


def compared(i: Term, smaller: Theorem) -> Theorem:
    """The same for a number that is at most m by a theorem."""
    short = before()[1]
    U, V, share = (
        alpha * i / d,
        alpha * m / d,
        Variable("theta", range=Range(Fraction(0), Fraction(1), True, False)),
    )
    late, early = Op("ind", (v - 1,)), Op("above", (1 - v,))
    top = instantiate(arithmetic(log(u) - u, "<=", -1), {u: U})
    near = arithmetic(late * (-1 - (v - 1) ** 2 / 2), "<=", late * (log(v) - v))
    below = early * (log(share) + log(v) - share * v)
    rising = show(below, "<=", early * (log(v) - v))
    quotient = arithmetic(i / m, "<=", 1, smaller)
    near, rising = instantiate(near, {v: V}), instantiate(rising, {share: i / m, v: V}, quotient)
    F, G = log(U) - U, log(V) - V
    rising = chain(Op("above", (1 - V,)) * F, rising)
    close = arithmetic(V - 1, "<=", 1 / sqrt(d), short)
    root = 1 / sqrt(d)
    square = chain(show(Op("ind", (V - 1,)) * (V - 1) ** 2, "<=", root**2, close, V - 1), 1 / d)
    gap = show(F - 1 / d / 2, "<=", G, top, near, rising, square, F, G, (V - 1) ** 2)
    less = show(d * F - Fraction(1, 2), "<=", d * G, gap)
    scaled = gcongr(exp(less.lhs) * power(d / alpha, d), less)
    return chain(exp(Fraction(-1, 2)) * term_of_the_sum(i), scaled, term_of_the_sum(m))


#: Positive numbers N_k <= m, as m e^{-g_k^2}: a list of them is a prompt.
g = Function("g", (Sort.TOKEN,))
number = m * exp(-(g(k) ** 2))
truncated = bind("sum", (k,), exp(d * (log(m) - g(k) ** 2)) * exp(-alpha * number), (prompt,))


#: Whether the list contains m, which is where g_k = 0, and how often.
count = bind("sum", (k,), Op("ind", (-(g(k) ** 2),)), (prompt,))
contains = Op("ind", (count - 1,))


def last_statement(half: int = 1) -> Statement:
    """m^d e^{-alpha m - half/2} <= the sum over a list of numbers of (0, m], if m is in the
    list.
    """
    bound = power(m, d) * exp(-alpha * m) * exp(-Fraction(half, 2))
    return Statement(bound * contains, "<=", truncated)


@proves("COL:G.3/small.lower", last_statement)
@cache
def last_term() -> Theorem:
    """m^d e^{-alpha m} <= the sum of N_k^d e^{-alpha N_k}, of which it is a term."""
    h, below = Variable("h", range=NONNEGATIVE), Variable("q", range=Range(None, Fraction(0), True, False))
    point = instantiate(show(Op("ind", (below,)), "<=", exp(d * below)), {below: -(g(k) ** 2)})
    rise = gcongr(exp(-(alpha * m * 1)), instantiate(show(exp(-h), "<=", 1), {h: g(k) ** 2}))
    each = gcongr(power(m, d) * exp(-(alpha * m * 1)) * point.lhs, point, rise)
    last, total = power(m, d) * exp(-alpha * m), integrate("sum", (k,), each, (prompt,))
    once = instantiate(show(Op("ind", (h - 1,)), "<=", h), {h: count})
    less = show(exp(Fraction(-1, 2)), "<=", 1)
    start = instantiate(gcongr(last * exp(Fraction(-1, 2)) * h, less), {h: contains})
    return chain(start, gcongr(last * contains, once), total, truncated)


@cache
def as_many() -> Theorem:
    return assume("1, .., m are at most m numbers", LENGTH, "<=", m)


def all_terms_statement(sign: int = 1) -> Statement:
    """The sum over at most m numbers of (0, m] is at most m^{d + 1} e^{-alpha m + sign/2}."""
    bound = m * power(m, d) * exp(-alpha * m) * exp(Fraction(sign, 2))
    return Statement(truncated, "<=", bound, hypotheses(before()[1], as_many()))


@proves("COL:G.3/small.upper", all_terms_statement)
@cache
def all_terms() -> Theorem:
    """No term N_k^d e^{-alpha N_k} is more than e^{1/2} m^d e^{-alpha m}."""
    h = Variable("h", range=NONNEGATIVE)
    least = instantiate(arithmetic(m * exp(-h), "<=", m), {h: g(k) ** 2})
    one, bound = compared(number, least), exp(Fraction(1, 2)) * term_of_the_sum(m)
    logs = instantiate(arithmetic(log(m) - h, "<=", log(m * exp(-h))), {h: g(k) ** 2})
    own = gcongr(exp(d * (log(m) - g(k) ** 2)) * exp(-alpha * number), logs)
    own = chain(own, exp(Fraction(1, 2)) * one.lhs)
    each = chain(own, gcongr(exp(Fraction(1, 2)) * one.lhs, one))
    whole = chain(truncated, integrate("sum", (k,), each, (prompt,)), LENGTH * bound)
    return chain(whole, show(LENGTH * bound, "<=", m * bound, as_many(), bound), all_terms_statement().rhs)


#: pi, of which it is used that it is more than 3, and Gamma(d + 1).
pi, gamma = Variable("pi", range=Range(Fraction(3))), Variable("Gamma", range=POSITIVE)


@cache
def stirling(most: int = 2) -> tuple[Theorem, ...]:
    """Stirling's lower bound; d >= 5 and alpha <= most."""
    root = sqrt(2 * pi * d)
    return (
        assume(
            "Stirling: sqrt(2 pi d) (d/e)^d <= Gamma(d + 1)",
            root * exp(d * log(d) - d),
            "<=",
            gamma,
            cited=True,
        ),
        assume("d >= 5", 5, "<=", d),
        assume(f"alpha <= {most}", alpha, "<=", most),
    )


def largest_statement(most: int = 2) -> Statement:
    """(d/(alpha e))^d < Gamma(d + 1)/alpha^{d + 1} for d >= 5 and alpha <= most."""
    given = hypotheses(*stirling(most))
    return Statement(power(d, d) * power(alpha, -d) * exp(-d), "<", power(alpha, -(d + 1)) * gamma, given)


@proves("COL:G.3.cite", largest_statement)
@cache
def largest_term() -> Theorem:
    """(d/(alpha e))^d < Gamma(d + 1)/alpha^{d + 1}, as alpha < sqrt(2 pi d)."""
    bound, many, small = stirling()
    root, peak, scale = sqrt(2 * pi * d), exp(d * log(d) - d), exp(-(d + 1) * log(alpha))
    less = calc(
        alpha * peak, ("<", root * peak, arithmetic(alpha, "<", root, many, small)), ("<=", gamma, bound)
    )
    return calc(
        power(d, d) * power(alpha, -d) * exp(-d),
        ("==", exp(-d * log(alpha)) * peak),
        ("==", scale * (alpha * peak)),
        ("<", scale * gamma, less),
    )


#: Theorem E.1: the constants of both bounds, n, L, sigma and the width.
low, up, n, L, sigma, w = (Variable(name, range=POSITIVE) for name in ("c'", "c", "n", "Lip", "sigma", "w"))
share = n * L**2 / (d * sigma**2)


@cache
def optimal_loss() -> Theorem:
    bound = 4 * up * L**2 * power(share, -2 / (d + 2))
    return assume("c' L^2/w^2 <= 4c L^2 (sigma^2 d/(n L^2))^{2/(d + 2)}", low * L**2 / w**2, "<=", bound)


def lower_statement(four: int = 4) -> Statement:
    """(n L^2/(d sigma^2))^{1/(d + 2)} sqrt(c'/(four c)) <= w."""
    return Statement(power(share, 1 / (d + 2)) * sqrt(low / (four * up)), "<=", w, optimal_loss().assumptions)


@proves("COL:E.1.low", lower_statement)
@cache
def lower_end() -> Theorem:
    """(n L^2/(d sigma^2))^{1/(d + 2)} sqrt(c'/(4c)) <= w."""
    x = exp(1 / (d + 2) * log(share))
    given = chain(optimal_loss(), 4 * up * L**2 / x**2)
    square = show(x**2 * low / (4 * up), "<=", w**2, given)
    return show(x * sqrt(low / (4 * up)), "<=", w, square, x)


@cache
def optimal_noise() -> Theorem:
    bound = 4 * up * L**2 * power(share, -2 / (d + 2))
    return assume(
        "c' sigma^2 w^{d/2}/n <= 4c L^2 (sigma^2 d/(n L^2))^{2/(d + 2)}",
        low * sigma**2 * power(w, d / 2) / n,
        "<=",
        bound,
    )


def upper_statement(halves: int = 2, four: int = 4) -> Statement:
    """w <= (n L^2/sigma^2)^{halves/(d + 2)} (four c/c' d^{2/(d + 2)})^{2/d}."""
    factor = four * up / low * power(d, 2 / (d + 2))
    stated = power(n * L**2 / sigma**2, halves / (d + 2)) * power(factor, 2 / d)
    return Statement(w, "<=", stated, optimal_noise().assumptions)


@proves("COL:E.1.up", upper_statement)
@cache
def upper_end() -> Theorem:
    """w <= (n L^2/sigma^2)^{2/(d + 2)} (4c/c' d^{2/(d + 2)})^{2/d}, by logarithms."""
    least, most = show(log(exp(y)), "==", y), show(y, "<=", log(exp(y)))
    factor, whole, exponent = 4 * up / low, n * L**2 / sigma**2, -2 / (d + 2) * log(share)
    width, bound = power(w, d / 2), factor * whole * exp(exponent)
    given = arithmetic(width, "<=", bound, optimal_noise(), hide=(width, exp(exponent)))
    of_factor, of_whole, of_d = (Variable(name, range=REALS) for name in ("log f", "log Lambda", "log d"))
    left = 2 / d * (of_factor + of_whole - 2 / (d + 2) * (of_whole - of_d))
    same = arithmetic(left, "==", 2 / (d + 2) * of_whole + 2 / d * (of_factor + 2 / (d + 2) * of_d))
    same = instantiate(same, {of_factor: log(factor), of_whole: log(whole), of_d: log(d)})
    back = instantiate(most, {y: 2 / (d + 2) * log(d)})
    return chain(
        arithmetic(w, "==", exp(log(w))),
        gcongr(exp(2 / d * (d / 2 * log(w))), instantiate(most, {y: d / 2 * log(w)})),
        gcongr(exp(2 / d * log(width)), gcongr(log(width), given)),
        gcongr(
            exp(2 / d * (log(factor) + log(whole) + log(exp(exponent)))), instantiate(least, {y: exponent})
        ),
        gcongr(exp(same.lhs), same),
        gcongr(power(whole, 2 / (d + 2)) * exp(2 / d * (log(factor) + back.lhs)), back),
        upper_statement().rhs,
    )


#: Theorem E.3: a number of the range as a mixture of its ends, and Lambda >= 1.
a, b = (Variable(name, range=POSITIVE) for name in "ab")
t, Lam = Variable("t", range=POSITIVE), Variable("Lambda", range=Range(Fraction(1), None, False))
of_a, of_b = 1 / (1 + t), t / (1 + t)
mixed = (a + t * b) / (1 + t)


def bound(at: Term) -> Term:
    """L^2/w + sigma^2 w^{d/2}/n over L^2, with Lambda = n L^2/sigma^2."""
    return 1 / at + power(at, d / 2) / Lam


@cache
def plane(lower: int = 2) -> Theorem:
    return assume(f"d >= {lower}", lower, "<=", d)


@cache
def bernoulli() -> Theorem:
    """1 + d/2 (x - 1) <= x^{d/2} for d >= 2: e^{s u} <= 1 - s + s e^u for s = 2/d <= 1, u = log
    x^{d/2}.
    """
    s, q = Variable("s", range=Range(Fraction(0), Fraction(1), True, False)), d / 2
    line = show(1 + y, "<=", exp(y))
    up, down = instantiate(line, {y: (1 - s) * y}), instantiate(line, {y: -s * y})
    mean = exp(s * y)
    up, down = chain(gcongr(mean * up.lhs, up), exp(y)), chain(gcongr(mean * down.lhs, down), 1)
    first = show(s * up.lhs, "<=", s * exp(y))
    second = show((1 - s) * down.lhs, "<=", (1 - s) * 1, down)
    convex = chain(mean, gcongr(s * up.lhs + (1 - s) * down.lhs, first, second))
    convex = instantiate(convex, {s: 2 / d, y: q * log(x)}, show(2 / d, "<=", 1, plane()))
    value = chain(show(x, "==", exp(log(x))), convex)
    scaled = chain(gcongr(q * x, value), q - 1 + power(x, q))
    return chain(1 + q * (x - 1), gcongr(1 - q + q * x, scaled), power(x, q))


def range_statements(lower: int = 2, ends: int = 1, less: int = 1) -> tuple[Statement, ...]:
    """The bound at a mixture of a and b, with the weights 1/(1 + t) and t/(1 + t), is at most the
    mixture of the bounds at a and b, for d >= lower; at Lambda^{1/(d + 2)} it is at most 2
    Lambda^{-1/(d + 2)}/less, and at Lambda^{2/(d + 2)} at most 2 Lambda^{-2/(d + 2)}/ends.
    """
    beta = 1 / (d + 2)
    return (
        Statement(bound(mixed), "<=", of_a * bound(a) + of_b * bound(b), plane(lower).assumptions),
        Statement(bound(power(Lam, beta)), "<=", 2 * power(Lam, -beta) / less),
        Statement(bound(power(Lam, 2 * beta)), "<=", 2 * power(Lam, -2 * beta) / ends),
    )


@proves("COL:E.3.cvx", range_statements, part=1)
@cache
def convex() -> Theorem:
    """The bound at a mixture is at most the mixture of the bounds at its ends."""
    q = d / 2
    lines = [instantiate(bernoulli(), {x: end / v}) for end in (a, b)]
    parts = [chain(gcongr(power(v, q) * line.lhs, line), power(end, q)) for line, end in zip(lines, (a, b))]
    sides = of_a * parts[0].lhs + of_b * parts[1].lhs
    tangent = show(power(v, q) * (1 + q * (mixed / v - 1)), "==", sides)
    above = instantiate(chain(tangent, gcongr(sides, *parts)), {v: mixed})
    above = chain(show(power(mixed, q), "==", above.lhs), above)
    inverse = show(1 / mixed, "<=", of_a / a + of_b / b)
    return chain(gcongr(bound(mixed), inverse, above), of_a * bound(a) + of_b * bound(b))


@proves("COL:E.3.cvx", range_statements, part=2, at=(1, 2))
@cache
def value_at_an_end(times: int) -> Theorem:
    """1/w + w^{d/2}/Lambda at w = Lambda^{times/(d + 2)}."""
    exponent = times / (d + 2) * log(Lam)
    inner = instantiate(show(log(exp(y)), "<=", y), {y: exponent})
    steep = (d / 2 * times / (d + 2) - 1) * log(Lam)
    return calc(
        bound(exp(exponent)),
        ("<=", exp(-exponent) + exp(steep), inner, show(Lam**-1, "<=", exp(-log(Lam)))),
        ("<=", 2 * exp(-exponent), show(steep, "<=", -exponent, show(0, "<=", log(Lam)), log(Lam))),
    )
