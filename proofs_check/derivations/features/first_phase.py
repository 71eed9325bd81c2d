"""Lemma 3 of Li, Duan & Liang: the attention of a query while scores are small, from the numbers of
tokens of the classes and the odds of two classes.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.attention import (
    Attn,
    Attn_own,
    K,
    M,
    N,
    Z,
    j,
    member,
    n,
    one_of_all,
    others,
    own,
    own_score,
    own_scores,
    own_share_in_odds,
    own_size,
    q,
    s,
    scores,
    shares_of_the_rest,
    size,
    tokens,
)
from proofs_check.derivations.features.steps import cancelled, product, times
from proofs_check.derivations.proof import proves

#: U of Lemma 3, and how much counts times exponentials of two classes differ.
U, R = Variable("U", range=POSITIVE), Variable("R", range=Range(Fraction(1), lo_open=False))
#: u of Lemma 3, the constant of the printed Theta(log K/K), and that of Theta(1) in 1 - Attn_k.
u, c_1, c_2 = (Variable(name, range=POSITIVE) for name in ("u", "c1", "c2"))
l = Variable("l", Sort.INDEX)
theta = Variable("theta", range=Range(Fraction(0), Fraction(1), False, False))
odds, inverse = exp(q(n) - own_score), exp(-theta) / K

odds_above = assume("odds of two classes from above", odds, "<=", exp(c_1 * log(K) / K), every=(n,))
odds_below = assume("odds of two classes from below", exp(-theta) / K, "<=", odds, every=(n,))
share_below = assume("the class of the query is not rare", u * N / K, "<=", own_size)
some_token = assume("the class of the query is in the prompt", 1, "<=", own_size)
share_above = assume("the class of the query is not frequent", own_size, "<=", U * N / K)
fewer_than_all = assume("U < K", U, "<", K)
many_classes = assume("2 U classes or more", 2 * U, "<=", K)
#: The number of tokens of a class times the exponential of its score, for two classes.
weight, other_weight = size * exp(q(n)), instantiated(size * exp(q(n)), {n: l})
comparable = assume(
    "two classes differ by the factor R at most", other_weight, "<=", R * weight, every=(l, n)
)
seen = assume("every class is in the prompt", 1, "<=", size, every=(n,))
#: What is left of attention to the other classes is of order 1, by the second part of the lemma.
some_rest = assume("1 - Attn_k is at least c_2", c_2, "<=", 1 - Attn_own)
SETTING = (one_of_all, scores, own_scores)
many = exp(c_1 * log(K) / K)


def lower_statement(c: int | Fraction = 1) -> Statement:
    """Attn_k >= c u e^{-c_1/2}/K where |V_k| >= u N/K and the odds of two classes are at most
    e^{c_1 log(K)/K}.
    """
    least = Fraction(c) * u * exp(-c_1 / 2) / K
    return Statement(least, "<=", Attn_own, hypotheses(*SETTING, odds_above, share_below))


def first_lower_statement(first: Fraction = Fraction(1)) -> Statement:
    """The first lower bound of Attn_k, times its denominator."""
    right = Attn_own * (many * (N - own_size) + own_size)
    return Statement(Fraction(first) * own_size, "<=", right, hypotheses(*SETTING, odds_above))


def upper_statements(first: Fraction = Fraction(1), last: Fraction = Fraction(1)) -> tuple[Statement, ...]:
    """Both upper bounds of Attn_k, times their denominators: from the share of the query's class,
    and from |V_k| <= U N/K with U < K.
    """
    given, e = hypotheses(*SETTING, odds_below), exp(term(-1))
    return (
        Statement(Attn_own * (Fraction(first) * inverse * (N - own_size) + own_size), "<=", own_size, given),
        Statement(
            Attn_own * (Fraction(last) * e * (1 / U - 1 / K) + 1),
            "<=",
            term(1),
            given | hypotheses(some_token, share_above, fewer_than_all),
        ),
    )


def rest_statements(c: int | Fraction = 1, most: int | Fraction = 1) -> tuple[Statement, ...]:
    """c/(1 + 2 e U) <= 1 - Attn_k <= 1 where |V_k| <= U N/K, K >= 2 U, and the odds are at least
    e^{-theta}/K.
    """
    given = hypotheses(*SETTING, odds_below, some_token, share_above, many_classes)
    left, least = 1 - Attn_own, Fraction(c) / (1 + 2 * exp(1) * U)
    return Statement(least, "<=", left, given), Statement(left, "<=", term(Fraction(most)), given)


def other_statements(factor: int | Fraction = 2, least: int | Fraction = 1) -> tuple[Statement, ...]:
    """Attn_n between multiples of (1 - Attn_k)/(M + 1), and of 1/(M + 1)."""
    left, high, low = 1 - Attn_own, Fraction(factor) * R / (M + 1), Fraction(least) / R / (M + 1)
    given = hypotheses(*SETTING, comparable, seen)
    return (
        Statement(Attn, "<=", high * left, given),
        Statement(low * left, "<=", Attn, given),
        Statement(Attn, "<=", high, given),
        Statement(low * c_2, "<=", Attn, given | some_rest.assumptions),
    )


@cache
def rest_of_the_prompt() -> Theorem:
    """The numbers of tokens of the other classes add up to N - |V_k|."""
    return calc(
        others(size),
        ("==", tokens(others(member))),
        ("==", tokens(1 - own), one_of_all),
        ("==", N - own_size),
    )


@cache
def attention_range() -> tuple[Theorem, Theorem]:
    """0 <= Attn_k <= 1."""
    weight = exp(s(j)) / Z
    return show(0, "<=", Attn_own), calc(
        Attn_own, ("<=", tokens(weight), show(own * weight, "<=", weight, weight)), ("==", 1)
    )


@proves("LDL:L3.lb", first_lower_statement)
@cache
def at_least() -> Theorem:
    """From the odds of the others."""
    rest = calc(
        others(size * odds),
        ("<=", others(size * many), odds_above),
        ("==", many * others(size)),
        ("==", many * (N - own_size), rest_of_the_prompt()),
    )
    total = show(others(size * odds) + own_size, "<=", many * (N - own_size) + own_size, rest)
    return calc(
        own_size,
        ("==", Attn_own * (others(size * odds) + own_size), own_share_in_odds()),
        ("<=", Attn_own * (many * (N - own_size) + own_size), total),
    )


@proves("LDL:L3.1", lower_statement)
@cache
def at_least_a_share() -> Theorem:
    """The bound before, with e^{c_1 log(K)/K} at least 1, and log(K)/K at most 1/2."""
    small = show(log(K) / K, "<=", Fraction(1, 2))
    total = calc(
        many * (N - own_size) + own_size,
        ("<=", many * (N - own_size) + many * own_size, show(1, "<=", many)),
        ("==", many * N),
        ("<=", exp(c_1 * Fraction(1, 2)) * N, small),
    )
    share = calc(
        u * N / K,
        ("<=", own_size, share_below),
        ("<=", Attn_own * (many * (N - own_size) + own_size), at_least()),
        ("<=", Attn_own * (exp(c_1 / 2) * N), times(Attn_own, total, attention_range()[0])),
    )
    return calc(
        u * exp(-c_1 / 2) / K,
        ("==", exp(-c_1 / 2) / N * (u * N / K)),
        ("<=", exp(-c_1 / 2) / N * (Attn_own * (exp(c_1 / 2) * N)), share),
        ("==", Attn_own),
    )


@proves("LDL:L3.ub", upper_statements, part=1)
@cache
def at_most() -> Theorem:
    """From the odds of the others."""
    rest = calc(
        inverse * (N - own_size),
        ("==", inverse * others(size), rest_of_the_prompt()),
        ("==", others(size * inverse)),
        ("<=", others(size * odds), odds_below),
    )
    total = show(inverse * (N - own_size) + own_size, "<=", others(size * odds) + own_size, rest)
    return calc(times(Attn_own, total, attention_range()[0]), ("==", own_size, own_share_in_odds()))


@cache
def at_most_a_share() -> Theorem:
    """Attn_k (e^{-theta} (1/U - 1/K) + 1) <= 1, as N >= |V_k| K/U."""
    ratio = K / U
    gap = calc(
        own_size * (ratio - 1),
        ("<=", U * N / K * ratio - own_size, share_above),
        ("==", N - own_size),
    )
    weighted = times(Attn_own, times(inverse, gap), attention_range()[0])
    X = Attn_own * (exp(-theta) * (1 / U - 1 / K) + 1)
    total = calc(
        own_size * X,
        ("==", Attn_own * (inverse * (own_size * (ratio - 1))) + Attn_own * own_size),
        ("<=", Attn_own * (inverse * (N - own_size)) + Attn_own * own_size, weighted),
        ("<=", own_size, at_most()),
    )
    return cancelled(own_size, total, X, term(1), show(0, "<", own_size, some_token))


def _with_the_printed_number(fewer: Theorem) -> Theorem:
    """Attn_k (e^{-1} (1/U - 1/K) + 1) <= 1, as theta <= 1, and U < K by a hypothesis."""
    gap, e = 1 / U - 1 / K, exp(term(-1))
    some = product(Attn_own, gap, attention_range()[0], show(0, "<=", gap, fewer))
    step = times(Attn_own * gap, show(e, "<=", exp(-theta)), some)
    return calc(
        Attn_own * (e * gap + 1),
        ("<=", Attn_own * gap * exp(-theta) + Attn_own, step),
        ("<=", 1, at_most_a_share()),
    )


@proves("LDL:L3.ub", upper_statements, part=2)
@cache
def at_most_the_printed_share() -> Theorem:
    return _with_the_printed_number(fewer_than_all)


@proves("LDL:L3.2", rest_statements, part=(1, 2))
@cache
def the_rest() -> tuple[Theorem, Theorem]:
    """As 1/U - 1/K >= 1/(2 U)."""
    least, _ = attention_range()
    e, x = exp(term(-1)), exp(term(-1)) / (2 * U)
    gap = show(1 / (2 * U), "<=", 1 / U - 1 / K, many_classes)
    step = times(Attn_own * e, gap, product(Attn_own, e, least))
    total = calc(
        Attn_own * (x + 1),
        ("<=", Attn_own * e * (1 / U - 1 / K) + Attn_own, step),
        ("<=", 1, _with_the_printed_number(many_classes)),
    )
    low = calc(
        1 / (1 + 2 * exp(1) * U),
        ("==", 1 - 1 / (x + 1)),
        ("<=", 1 - 1 / (x + 1) * (Attn_own * (x + 1)), total),
        ("==", 1 - Attn_own, Attn_own),
    )
    return low, show(1 - Attn_own, "<=", 1, least)


# Another class


@proves("LDL:L3.3", other_statements, part=(1, 2, 3, 4))
@cache
def another_class() -> tuple[Theorem, ...]:
    """Attn_n is between (1 - Attn_k)/((M + 1) R) and 2 R (1 - Attn_k)/(M + 1), since the sum of M
    weights is between M/R and M R times each; and the same with c_2 and 1 for 1 - Attn_k.
    """
    some, left = show(0, "<", weight, seen), 1 - Attn_own
    nonnegative = show(0, "<=", left, attention_range()[1])
    every = lambda e: bind("coordinates", (l,), e, (M,))
    above = calc(
        left * weight,
        ("==", Attn * others(weight), shares_of_the_rest()),
        ("==", Attn * every(other_weight)),
        ("<=", Attn * every(R * weight), comparable),
    )
    below = calc(
        Attn * every(weight),
        ("<=", Attn * every(R * other_weight), instantiate(comparable, {l: n, n: l})),
        ("==", R * (Attn * others(weight))),
        ("==", R * left * weight, shares_of_the_rest()),
    )
    above = cancelled(weight, above, left, Attn * M * R, some)
    below = cancelled(weight, below, Attn * M, R * left, some)
    twice = times(R * left, show(1 / M, "<=", 2 / (M + 1)), product(R, left, nonnegative))
    share = calc(product(left, 1 / R, nonnegative), ("==", left / R))
    fewer = times(left / R, show(1 / (M + 1), "<=", 1 / M), share)
    upper = calc(
        Attn,
        ("<=", 1 / M * (R * left), below),
        ("<=", 2 / (M + 1) * (R * left), twice),
        ("==", 2 * R / (M + 1) * left),
    )
    lower = calc(left / R / (M + 1), ("<=", left / R / M, fewer), ("<=", Attn, above))
    most = calc(upper, ("<=", 2 * R / (M + 1), show(left, "<=", 1, attention_range()[0])))
    least = calc(c_2 / R / (M + 1), ("<=", left / R / (M + 1), some_rest), ("<=", Attn, lower))
    return upper, lower, most, least
