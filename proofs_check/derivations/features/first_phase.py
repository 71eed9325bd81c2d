"""Lemma 3 of Li, Duan & Liang: the attention of a query while scores are small, from the numbers of
tokens of the classes and the odds of two classes.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import instantiated
from numerics.derivations.derived import chain, exp, log, turned
from numerics.derivations.rules import arithmetic, assume, integrate, replace, specialise
from numerics.derivations.sorts import POSITIVE, Range, Sort
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import Variable, term
from numerics.derivations.theorems import Theorem
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
from proofs_check.derivations.features.steps import added, cancelled, product, scaled, times

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


@cache
def rest_of_the_prompt() -> Theorem:
    """The numbers of tokens of the other classes add up to N - |V_k|."""
    return chain(
        others(size), tokens(others(member)), integrate("coordinates", (j,), one_of_all, (N,)), N - own_size
    )


@cache
def attention_range() -> tuple[Theorem, Theorem]:
    """0 <= Attn_k <= 1."""
    weight = exp(s(j)) / Z
    lines = (
        arithmetic(0, "<=", own * weight, hide=(weight,)),
        arithmetic(own * weight, "<=", weight, hide=(weight,)),
    )
    least, most = (integrate("coordinates", (j,), line, (N,)) for line in lines)
    return chain(0, least, Attn_own), chain(Attn_own, most, 1)


@cache
def at_least_a_share() -> Theorem:
    """Attn_k >= u e^{-c_1/2}/K, as sum_m |V_m| e^{q_m - q_k} + |V_k| <= e^{c_1 log(K)/K} N, and
    log(K)/K <= 1/2.
    """
    e = exp(c_1 * log(K) / K)
    each = integrate("coordinates", (n,), times(size, odds_above), (M,))
    rest = chain(others(size * odds), each, e * others(size), scaled(e, rest_of_the_prompt()))
    own_part = times(own_size, arithmetic(1, "<=", e))
    total = chain(
        others(size * odds) + own_size, replace(others(size * odds) + own_size * 1, rest, own_part), e * N
    )
    half = times(c_1, arithmetic(log(K) / K, "<=", Fraction(1, 2)))
    total = chain(total, times(N, chain(e, replace(exp(half.lhs), half), exp(c_1 / 2))))
    least = times(Attn_own, total, attention_range()[0])
    share = chain(u * N / K, share_below, turned(own_share_in_odds()), least)
    return chain(u * exp(-c_1 / 2) / K, times(exp(-c_1 / 2) / N, share), Attn_own)


many = exp(c_1 * log(K) / K)


@cache
def at_least() -> Theorem:
    """|V_k| <= Attn_k (e^{c_1 log(K)/K} (N - |V_k|) + |V_k|), from the odds of the others."""
    each = integrate("coordinates", (n,), times(size, odds_above), (M,))
    rest = chain(
        others(size * odds),
        each,
        many * others(size),
        scaled(many, rest_of_the_prompt()),
        many * (N - own_size),
    )
    return chain(turned(own_share_in_odds()), times(Attn_own, added(rest, own_size), attention_range()[0]))


@cache
def at_most() -> Theorem:
    """Attn_k (e^{-theta}/K (N - |V_k|) + |V_k|) <= |V_k|, from the odds of the others."""
    each = integrate("coordinates", (n,), times(size, odds_below), (M,))
    rest = chain(inverse * (N - own_size), scaled(inverse, turned(rest_of_the_prompt())), each)
    least, _ = attention_range()
    return chain(times(Attn_own, added(rest, own_size), least), own_share_in_odds())


some_token = assume("the class of the query is in the prompt", 1, "<=", own_size)
share_above = assume("the class of the query is not frequent", own_size, "<=", U * N / K)
fewer_than_all = assume("U < K", U, "<", K)
many_classes = assume("2 U classes or more", 2 * U, "<=", K)


@cache
def at_most_a_share() -> Theorem:
    """Attn_k (e^{-theta} (1/U - 1/K) + 1) <= 1, as N >= |V_k| K/U."""
    ratio = K / U
    enough = chain(own_size * ratio, times(ratio, share_above), N)
    gap = chain(own_size * (ratio - 1), added(enough, -own_size), N - own_size)
    inner = times(inverse, gap)
    weighted = times(Attn_own, inner, attention_range()[0])
    total = chain(added(weighted, Attn_own * own_size), at_most())
    X = Attn_own * (exp(-theta) * (1 / U - 1 / K) + 1)
    return cancelled(own_size, total, X, term(1), arithmetic(0, "<", own_size, some_token))


def _with_the_printed_number(fewer: Theorem) -> Theorem:
    """Attn_k (e^{-1} (1/U - 1/K) + 1) <= 1, as theta <= 1, and U < K by a hypothesis."""
    gap = 1 / U - 1 / K
    weight = chain(product(Attn_own, gap, attention_range()[0], arithmetic(0, "<=", gap, fewer)))
    smaller = arithmetic(exp(term(-1)), "<=", exp(-theta))
    step = times(Attn_own * gap, smaller, weight)
    return chain(Attn_own * (exp(term(-1)) * gap + 1), added(step, Attn_own), at_most_a_share())


@cache
def at_most_the_printed_share() -> Theorem:
    return _with_the_printed_number(fewer_than_all)


@cache
def the_rest() -> tuple[Theorem, Theorem]:
    """1/(1 + 2 e U) <= 1 - Attn_k <= 1 for K >= 2 U, where 1/U - 1/K >= 1/(2 U)."""
    least, _ = attention_range()
    odds_of_the_rest = exp(term(-1)) / (2 * U)
    gap = arithmetic(1 / (2 * U), "<=", 1 / U - 1 / K, many_classes)
    step = times(Attn_own * exp(term(-1)), gap, product(Attn_own, exp(term(-1)), least))
    total = chain(
        Attn_own * (odds_of_the_rest + 1), added(step, Attn_own), _with_the_printed_number(many_classes)
    )
    share = 1 / (odds_of_the_rest + 1)
    back = arithmetic(Attn_own, "==", share * (Attn_own * (odds_of_the_rest + 1)), hide=(Attn_own,))
    low = arithmetic(1 - share, "<=", 1 - Attn_own, chain(back, times(share, total)), hide=(share,))
    form = arithmetic(1 / (1 + 2 * exp(1) * U), "==", 1 - share)
    return chain(form, low), arithmetic(1 - Attn_own, "<=", 1, least)


# Another class

#: The number of tokens of a class times the exponential of its score, for two classes.
weight, other_weight = size * exp(q(n)), instantiated(size * exp(q(n)), {n: l})
comparable = assume(
    "two classes differ by the factor R at most", other_weight, "<=", R * weight, every=(l, n)
)
seen = assume("every class is in the prompt", 1, "<=", size, every=(n,))


#: What is left of attention to the other classes is of order 1, by the second part of the lemma.
some_rest = assume("1 - Attn_k is at least c_2", c_2, "<=", 1 - Attn_own)


@cache
def another_class() -> tuple[Theorem, ...]:
    """Attn_n is between (1 - Attn_k)/((M + 1) R) and 2 R (1 - Attn_k)/(M + 1), since the sum of M
    weights is between M/R and M R times each; and the same with c_2 and 1 for 1 - Attn_k.
    """
    part = exp(s(j)) / Z
    attention = chain(
        0, integrate("coordinates", (j,), arithmetic(0, "<=", member * part, hide=(part,)), (N,)), Attn
    )
    some, left = arithmetic(0, "<", weight, seen), 1 - Attn_own
    above = integrate("coordinates", (l,), comparable, (M,))
    below = integrate("coordinates", (l,), specialise(comparable, {l: n, n: l}), (M,))
    above = chain(turned(shares_of_the_rest()), times(Attn, above, attention))
    below = chain(times(Attn, below, attention), scaled(R, shares_of_the_rest()))
    above = cancelled(weight, above, left, Attn * M * R, some)
    below = cancelled(weight, below, Attn * M, R * left, some)
    nonnegative = arithmetic(0, "<=", left, attention_range()[1])
    upper = chain(Attn, times(1 / M, below), 1 / M * (R * left))
    twice = times(R * left, arithmetic(1 / M, "<=", 2 / (M + 1)), product(R, left, nonnegative))
    upper = chain(upper, twice, 2 * R / (M + 1) * left)
    lower = chain(times(1 / (M * R), above), Attn)
    fewer = times(
        left / R, arithmetic(1 / (M + 1), "<=", 1 / M), chain(product(left, 1 / R, nonnegative), left / R)
    )
    lower = chain(left / R / (M + 1), fewer, lower)
    most = chain(
        upper, times(2 * R / (M + 1), arithmetic(left, "<=", 1, attention_range()[0])), 2 * R / (M + 1)
    )
    least = chain(c_2 / R / (M + 1), times(1 / R / (M + 1), some_rest), lower)
    return upper, lower, most, least


SETTING = (one_of_all, scores, own_scores)


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
