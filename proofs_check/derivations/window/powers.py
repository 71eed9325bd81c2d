"""Powers with real exponents: Lemma G.3 of Collins et al. on truncated sums, and the widths of
Theorems E.1 to E.3. A power x^y of positive numbers is written as e^{y log x}.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind
from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.rules import arithmetic, assume, integrate, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import Function, Op, Term, Variable
from numerics.derivations.theorems import Theorem

d, alpha, i, m, u, v, x = (Variable(name, range=POSITIVE) for name in ("d", "alpha", "i", "m", "u", "v", "x"))
y = Variable("y", range=REALS)
k, prompt = Variable("k", Sort.TOKEN), Variable("prompt", Sort.PROMPT)


def power(base: Term, exponent: Term) -> Term:
    return exp(exponent * log(base))


@cache
def beyond() -> Theorem:
    return assume("i >= (d + sqrt d)/alpha", (d + sqrt(d)) / alpha, "<=", i)


@cache
def ratio_of_the_tail() -> Theorem:
    """(1 + 1/i)^d e^{-alpha} <= e^{-alpha sqrt d/(d + sqrt d)}, as log(1 + y) <= y."""
    step = specialise(arithmetic(log(1 + x), "<=", x), {x: 1 / i})
    whole = chain(replace(exp(d * log(1 + 1 / i)) * exp(-alpha), step), exp(d / i - alpha))
    bound = -alpha * sqrt(d) / (d + sqrt(d))
    return chain(whole, replace(whole.rhs, arithmetic(d / i - alpha, "<=", bound, beyond())))


def ratio_statement(root: int | Fraction = 1) -> Statement:
    """((i + 1)/i)^d e^{-alpha} <= e^{-root alpha sqrt d/(d + sqrt d)} for i >= (d + sqrt
    d)/alpha.
    """
    bound = exp(-Fraction(root) * alpha * sqrt(d) / (d + sqrt(d)))
    return Statement(power(1 + 1 / i, d) * exp(-alpha), "<=", bound, beyond().assumptions)


@cache
def before() -> tuple[Theorem, Theorem]:
    return (
        assume("i <= m", i, "<=", m),
        assume("m < (d + sqrt d)/alpha", m, "<", (d + sqrt(d)) / alpha),
    )


def term_of_the_sum(of: Term) -> Term:
    """i^d e^{-alpha i}."""
    return power(of, d) * exp(-alpha * of)


@cache
def terms_compared() -> Theorem:
    """e^{-1/2} i^d e^{-alpha i} <= m^d e^{-alpha m}: with i = d u/alpha and m = d v/alpha the
    exponents differ by d(log v - v - log u + u).
    """
    smaller, short = before()
    U, V, share = (
        alpha * i / d,
        alpha * m / d,
        Variable("theta", range=Range(Fraction(0), Fraction(1), True, False)),
    )
    late, early = Op("ind", (v - 1,)), Op("above", (1 - v,))
    top = specialise(arithmetic(log(u) - u, "<=", -1), {u: U})
    near = arithmetic(late * (-1 - (v - 1) ** 2 / 2), "<=", late * (log(v) - v))
    rising = arithmetic(early * (log(share) - share * v), "<=", early * -v)
    rising = arithmetic(
        early * (log(share) + log(v) - share * v),
        "<=",
        early * (log(v) - v),
        rising,
        hide=(log(share), log(v)),
    )
    quotient = arithmetic(i / m, "<=", 1, smaller)
    near, rising = specialise(near, {v: V}), specialise(rising, {share: i / m, v: V}, quotient)
    F, G, near_, early_ = log(U) - U, log(V) - V, Op("ind", (V - 1,)), Op("above", (1 - V,))
    rising = chain(early_ * F, rising)
    close = arithmetic(V - 1, "<=", 1 / sqrt(d), short)
    square = arithmetic(near_ * (V - 1) ** 2, "<=", (1 / sqrt(d)) ** 2, close, hide=(V - 1, 1 / sqrt(d)))
    square = chain(square, 1 / d)
    gap = arithmetic(F - 1 / d / 2, "<=", G, top, near, rising, square, hide=(F, G, (V - 1) ** 2, V, 1 / d))
    less = arithmetic(d * F - Fraction(1, 2), "<=", d * G, gap, hide=(F, G))
    scaled = replace(exp(less.lhs) * power(d / alpha, d), less)
    return chain(exp(Fraction(-1, 2)) * term_of_the_sum(i), scaled, term_of_the_sum(m))


def compared_statement(half: int | Fraction = Fraction(1, 2)) -> Statement:
    """e^{-half} i^d e^{-alpha i} <= m^d e^{-alpha m} for i <= m < (d + sqrt d)/alpha."""
    given = hypotheses(*before())
    return Statement(exp(-Fraction(half)) * term_of_the_sum(i), "<=", term_of_the_sum(m), given)


#: Positive numbers N_k <= m, as m e^{-g_k^2}: a list of them is a prompt.
g = Function("g", (Sort.TOKEN,))
number = m * exp(-(g(k) ** 2))
truncated = bind("sum", (k,), exp(d * (log(m) - g(k) ** 2)) * exp(-alpha * number), (prompt,))


#: Whether the list contains m, which is where g_k = 0, and how often.
count = bind("sum", (k,), Op("ind", (-(g(k) ** 2),)), (prompt,))
contains = Op("ind", (count - 1,))


@cache
def last_term() -> Theorem:
    """m^d e^{-alpha m} <= the sum of N_k^d e^{-alpha N_k}, of which it is a term."""
    h, below = Variable("h", range=NONNEGATIVE), Variable("q", range=Range(None, Fraction(0), True, False))
    point = arithmetic(Op("ind", (below,)), "<=", exp(d * below))
    small = arithmetic(exp(-h), "<=", 1)
    rise = replace(exp(-(alpha * m * 1)), specialise(small, {h: g(k) ** 2}))
    each = specialise(point, {below: -(g(k) ** 2)})
    each = chain(
        replace(power(m, d) * exp(-(alpha * m * 1)) * each.lhs, each, rise),
        power(m, d) * exp(-d * g(k) ** 2) * rise.rhs,
    )
    total = integrate("sum", (k,), each, (prompt,))
    last = power(m, d) * exp(-alpha * m)
    whole = chain(last * count, total, truncated)
    once = specialise(arithmetic(Op("ind", (h - 1,)), "<=", h), {h: count})
    less = arithmetic(exp(Fraction(-1, 2)), "<=", 1)
    start = specialise(replace(last * exp(Fraction(-1, 2)) * h, less), {h: contains})
    return chain(start, replace(last * contains, once), whole)


def last_statement(half: int = 1) -> Statement:
    """m^d e^{-alpha m - half/2} <= the sum over a list of numbers of (0, m], if m is in the
    list.
    """
    bound = power(m, d) * exp(-alpha * m) * exp(-Fraction(half, 2))
    return Statement(bound * contains, "<=", truncated)


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


@cache
def largest_term() -> Theorem:
    """(d/(alpha e))^d < Gamma(d + 1)/alpha^{d + 1}, as alpha < sqrt(2 pi d)."""
    bound, many, small = stirling()
    root = arithmetic(alpha, "<", sqrt(2 * pi * d), many, small)
    peak = exp(d * log(d) - d)
    less = arithmetic(alpha * peak, "<", root.rhs * peak, root, hide=(peak, root.rhs))
    less = chain(less, bound)
    scale = exp(-(d + 1) * log(alpha))
    scaled = arithmetic(scale * (alpha * peak), "<", scale * gamma, less, hide=(scale, alpha * peak))
    start = chain(
        exp(-d * log(alpha)) * peak, arithmetic(exp(-d * log(alpha)) * peak, "==", scaled.lhs, hide=(peak,))
    )
    return chain(power(d, d) * power(alpha, -d) * exp(-d), start, scaled)


def largest_statement(most: int = 2) -> Statement:
    """(d/(alpha e))^d < Gamma(d + 1)/alpha^{d + 1} for d >= 5 and alpha <= most."""
    given = hypotheses(*stirling(most))
    return Statement(power(d, d) * power(alpha, -d) * exp(-d), "<", power(alpha, -(d + 1)) * gamma, given)


#: Theorem E.1: the constants of both bounds, n, L, sigma and the width.
low, up, n, L, sigma, w = (Variable(name, range=POSITIVE) for name in ("c'", "c", "n", "Lip", "sigma", "w"))
share = n * L**2 / (d * sigma**2)


@cache
def optimal_loss() -> Theorem:
    bound = 4 * up * L**2 * power(share, -2 / (d + 2))
    return assume("c' L^2/w^2 <= 4c L^2 (sigma^2 d/(n L^2))^{2/(d + 2)}", low * L**2 / w**2, "<=", bound)


@cache
def lower_end() -> Theorem:
    """(n L^2/(d sigma^2))^{1/(d + 2)} sqrt(c'/(4c)) <= w."""
    x = exp(1 / (d + 2) * log(share))
    given = chain(low * L**2 / w**2, optimal_loss(), 4 * up * L**2 / x**2)
    square = arithmetic(x**2 * low / (4 * up), "<=", w**2, given, hide=(x,))
    return arithmetic(x * sqrt(low / (4 * up)), "<=", w, square, hide=(x,))


def lower_statement(four: int = 4) -> Statement:
    """(n L^2/(d sigma^2))^{1/(d + 2)} sqrt(c'/(four c)) <= w."""
    return Statement(power(share, 1 / (d + 2)) * sqrt(low / (four * up)), "<=", w, optimal_loss().assumptions)


@cache
def optimal_noise() -> Theorem:
    bound = 4 * up * L**2 * power(share, -2 / (d + 2))
    return assume(
        "c' sigma^2 w^{d/2}/n <= 4c L^2 (sigma^2 d/(n L^2))^{2/(d + 2)}",
        low * sigma**2 * power(w, d / 2) / n,
        "<=",
        bound,
    )


@cache
def upper_end() -> Theorem:
    """w <= (n L^2/sigma^2)^{2/(d + 2)} (4c/c' d^{2/(d + 2)})^{2/d}, by logarithms."""
    least, most = arithmetic(log(exp(y)), "==", y), arithmetic(y, "<=", log(exp(y)))
    factor, whole, exponent = 4 * up / low, n * L**2 / sigma**2, -2 / (d + 2) * log(share)
    width = power(w, d / 2)
    bound = factor * whole * exp(exponent)
    given = arithmetic(width, "<=", bound, optimal_noise(), hide=(width, exp(exponent)))
    start = replace(exp(2 / d * (d / 2 * log(w))), specialise(most, {y: d / 2 * log(w)}))
    start = chain(
        arithmetic(w, "==", exp(log(w))), start, replace(exp(2 / d * log(width)), replace(log(width), given))
    )
    plain = exp(2 / d * (log(factor) + log(whole) + log(exp(exponent))))
    start = chain(start, replace(plain, specialise(least, {y: exponent})))
    of_factor, of_whole, of_d = (Variable(name, range=REALS) for name in ("log f", "log Lambda", "log d"))
    left = 2 / d * (of_factor + of_whole - 2 / (d + 2) * (of_whole - of_d))
    same = arithmetic(left, "==", 2 / (d + 2) * of_whole + 2 / d * (of_factor + 2 / (d + 2) * of_d))
    same = specialise(same, {of_factor: log(factor), of_whole: log(whole), of_d: log(d)})
    start = chain(start, replace(exp(same.lhs), same))
    back = specialise(most, {y: 2 / (d + 2) * log(d)})
    return chain(
        start,
        replace(power(whole, 2 / (d + 2)) * exp(2 / d * (log(factor) + back.lhs)), back),
        upper_statement().rhs,
    )


def upper_statement(halves: int = 2, four: int = 4) -> Statement:
    """w <= (n L^2/sigma^2)^{halves/(d + 2)} (four c/c' d^{2/(d + 2)})^{2/d}."""
    factor = four * up / low * power(d, 2 / (d + 2))
    stated = power(n * L**2 / sigma**2, halves / (d + 2)) * power(factor, 2 / d)
    return Statement(w, "<=", stated, optimal_noise().assumptions)


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
    s = Variable("s", range=Range(Fraction(0), Fraction(1), True, False))
    line = arithmetic(1 + y, "<=", exp(y))
    up, down = specialise(line, {y: (1 - s) * y}), specialise(line, {y: -s * y})
    power_ = exp(s * y)
    parts = []
    for weight, thm in ((s, up), (1 - s, down)):
        each = chain(replace(power_ * thm.lhs, thm), exp(y) if thm is up else 1)
        parts.append(
            arithmetic(
                weight * each.lhs,
                "<=",
                weight * each.rhs,
                each,
                hide=(each.lhs, each.rhs) if thm is up else (each.lhs,),
            )
        )
    convex = chain(power_, replace(parts[0].lhs + parts[1].lhs, *parts))
    q = d / 2
    convex = specialise(convex, {s: 2 / d, y: q * log(x)}, arithmetic(2 / d, "<=", 1, plane()))
    value = chain(arithmetic(x, "==", exp(log(x))), convex)
    scaled = chain(replace(q * x, value), q - 1 + power(x, q))
    return chain(1 + q * (x - 1), replace(1 - q + q * x, scaled), power(x, q))


@cache
def convex() -> Theorem:
    """The bound at a mixture is at most the mixture of the bounds at its ends."""
    q = d / 2
    parts = []
    for end in (a, b):
        line = specialise(bernoulli(), {x: end / v})
        parts.append(chain(replace(power(v, q) * line.lhs, line), power(end, q)))
    sides = of_a * parts[0].lhs + of_b * parts[1].lhs
    tangent = power(v, q) * (1 + q * (mixed / v - 1))
    above = chain(arithmetic(tangent, "==", sides, hide=(power(v, q),)), replace(sides, *parts))
    above = specialise(above, {v: mixed})
    above = chain(
        power(mixed, q), arithmetic(power(mixed, q), "==", above.lhs, hide=(power(mixed, q),)), above
    )
    inverse = arithmetic(1 / mixed, "<=", of_a / a + of_b / b)
    return chain(replace(bound(mixed), inverse, above), of_a * bound(a) + of_b * bound(b))


@cache
def values_at_the_ends() -> tuple[Theorem, Theorem]:
    """1/w + w^{d/2}/Lambda at w = Lambda^{1/(d + 2)} and at Lambda^{2/(d + 2)}."""
    logarithm, inner = arithmetic(0, "<=", log(Lam)), arithmetic(log(exp(y)), "<=", y)
    inverse = arithmetic(Lam**-1, "<=", exp(-log(Lam)))
    found = []
    for times in (1, 2):
        exponent = times / (d + 2) * log(Lam)
        steep = arithmetic(
            (d / 2 * times / (d + 2) - 1) * log(Lam), "<=", -exponent, logarithm, hide=(log(Lam),)
        )
        second = replace(power(exp(exponent), d / 2) / Lam, specialise(inner, {y: exponent}), inverse)
        value = replace(bound(exp(exponent)), second)
        value = chain(value, exp(-exponent) + exp(steep.lhs))
        found.append(chain(value, replace(value.rhs, steep), 2 * exp(-exponent)))
    return found[0], found[1]


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
