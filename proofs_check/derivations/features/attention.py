"""Attention by classes, eq. (10) of Li, Duan & Liang and its formulas: sums over the tokens of a
prompt are grouped by the classes, for every number of tokens and classes.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.binding import bind
from numerics.derivations.derived import chain, exp, turned
from numerics.derivations.rules import arithmetic, assume, integrate
from numerics.derivations.sorts import REALS, Sort, whole
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import Function, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.features.steps import ind, scaled

j, n = Variable("j", Sort.INDEX), Variable("n", Sort.INDEX)
N, K, M = (Variable(name, range=whole(1)) for name in "NKM")
#: The score and the response of a token, those of a class, and whether a token is of a
#: class, which is where a function is not negative.
s, y = (Function(name, (Sort.INDEX,)) for name in "sy")
q, f = (Function(name, (Sort.INDEX,)) for name in "qf")
of = Function("of", (Sort.INDEX, Sort.INDEX))
own_score, of_own = Variable("q_k", range=REALS), Function("ofk", (Sort.INDEX,))
member, own = ind(of(j, n)), ind(of_own(j))

tokens = lambda e: bind("coordinates", (j,), e, (N,))
classes = lambda e: bind("coordinates", (n,), e, (K,))
others = lambda e: bind("coordinates", (n,), e, (M,))
Z = tokens(exp(s(j)))
prediction = tokens(exp(s(j)) / Z * y(j))
Attn, Attn_own = tokens(member * exp(s(j)) / Z), tokens(own * exp(s(j)) / Z)
size, own_size = tokens(member), tokens(own)

one_class = assume("each token is of one class", classes(member), "==", 1, every=(j,))
one_of_all = assume(
    "each token is of the query's class or of one other", others(member), "==", 1 - own, every=(j,)
)
scores = assume("a token has the score of its class", member * s(j), "==", member * q(n), every=(j, n))
own_scores = assume(
    "a token of the query's class has its score", own * s(j), "==", own * own_score, every=(j,)
)
values = assume("a token has the value of its class", member * y(j), "==", member * f(n), every=(j, n))


@cache
def by_classes() -> Theorem:
    """sum_i attn_i y_i = sum_k Attn_k f(v_k): each token counts once, for its class."""
    each = arithmetic(
        exp(s(j)) / Z * y(j), "==", exp(s(j)) / Z * y(j) * classes(member), one_class, hide=(exp(s(j)) / Z,)
    )
    weight = exp(s(j)) / Z
    inner = arithmetic(
        weight * (member * y(j)),
        "==",
        weight * (member * f(n)),
        values,
        hide=(weight, member * y(j), member * f(n)),
    )
    inner = integrate("coordinates", (n,), inner, (K,))
    total = integrate("coordinates", (j,), chain(each, inner), (N,))
    return chain(total, classes(Attn * f(n)))


@cache
def weight_of_a_class() -> Theorem:
    """The sum of e^s over the tokens of a class is their number times e^q."""
    each = arithmetic(member * exp(s(j)), "==", member * exp(q(n)), scores)
    return chain(integrate("coordinates", (j,), each, (N,)), size * exp(q(n)))


@cache
def weight_of_the_own_class() -> Theorem:
    each = arithmetic(own * exp(s(j)), "==", own * exp(own_score), own_scores)
    return chain(integrate("coordinates", (j,), each, (N,)), own_size * exp(own_score))


@cache
def normaliser() -> Theorem:
    """The sum of e^s over all tokens, by classes."""
    each = arithmetic(exp(s(j)), "==", exp(s(j)) * classes(member), one_class, hide=(exp(s(j)),))
    total = chain(integrate("coordinates", (j,), each, (N,)), classes(tokens(member * exp(s(j)))))
    return chain(total, integrate("coordinates", (n,), weight_of_a_class(), (K,)))


@cache
def normaliser_of_all() -> Theorem:
    """The sum of e^s over all tokens, by the class of the query and the others."""
    each = arithmetic(exp(s(j)), "==", exp(s(j)) * (own + others(member)), one_of_all, hide=(exp(s(j)), own))
    split = tokens(own * exp(s(j))) + others(tokens(member * exp(s(j))))
    total = chain(integrate("coordinates", (j,), each, (N,)), split)
    first, rest = weight_of_the_own_class(), integrate("coordinates", (n,), weight_of_a_class(), (M,))
    return chain(total, arithmetic(split, "==", first.rhs + rest.rhs, first, rest))


@cache
def from_counts() -> Theorem:
    """The prediction times the sum of all |V_k| e^{q_k} is the sum of the |V_k| e^{q_k} f(v_k)."""
    class_by_class = integrate("coordinates", (n,), scaled(f(n), weight_of_a_class()), (K,))
    total = classes(size * exp(q(n)))
    by_tokens = chain(
        scaled(Z, by_classes()), class_by_class.lhs, class_by_class, classes(size * exp(q(n)) * f(n))
    )
    return chain(prediction * total, scaled(prediction, turned(normaliser())), Z * prediction, by_tokens)


@cache
def own_share_of_all() -> Theorem:
    """Attn_k sum_j e^{s_j} = |V_k| e^{q_k}."""
    return chain(Attn_own * Z, weight_of_the_own_class())


@cache
def own_share() -> Theorem:
    """Attn_k (sum_m |V_m| e^{q_m} + |V_k| e^{q_k}) = |V_k| e^{q_k}."""
    whole_sum = scaled(Attn_own, turned(normaliser_of_all()))
    return chain(
        Attn_own * (others(size * exp(q(n))) + own_size * exp(own_score)),
        whole_sum,
        weight_of_the_own_class(),
    )


@cache
def own_share_in_odds() -> Theorem:
    """Attn_k (sum_m |V_m| e^{q_m - q_k} + |V_k|) = |V_k|."""
    left = Attn_own * (others(size * exp(q(n) - own_score)) + own_size)
    return chain(left, exp(-own_score) * own_share().lhs, scaled(exp(-own_score), own_share()), own_size)


@cache
def add_up() -> Theorem:
    """The attention on all classes adds up to 1."""
    whole_sum = scaled(1 / Z, turned(_tokens_once()))
    return chain(classes(Attn), whole_sum, 1)


@cache
def _tokens_once() -> Theorem:
    each = arithmetic(exp(s(j)), "==", exp(s(j)) * classes(member), one_class, hide=(exp(s(j)),))
    return integrate("coordinates", (j,), each, (N,))


@cache
def shares_of_the_rest() -> Theorem:
    """Attn_n sum_m |V_m| e^{q_m} = (1 - Attn_k) |V_n| e^{q_n}."""
    rest = others(size * exp(q(n)))
    weight = own_size * exp(own_score)
    left = arithmetic(rest, "==", Z - weight, normaliser_of_all(), hide=(weight, rest, Z))
    own_part = arithmetic(
        left.rhs, "==", Z - tokens(own * exp(s(j))), weight_of_the_own_class(), hide=(weight, Z)
    )
    both = scaled(Attn, chain(left, own_part))
    return chain(both, (1 - Attn_own) * tokens(member * exp(s(j))), scaled(1 - Attn_own, weight_of_a_class()))


def grouped_statements(power: int = 1, factor: int = 1) -> tuple[Statement, ...]:
    """(10) with Attn_k as the sum of the attention on the tokens of the class, and from their
    numbers |V_k|, of which `power` is taken, times the sum of all |V_k| e^{q_k}; `factor`
    multiplies a side.
    """
    weight, given = size**power * exp(q(n)), hypotheses(one_class, values)
    return (
        Statement(prediction, "==", factor * classes(Attn * f(n)), given),
        Statement(prediction * classes(weight), "==", classes(weight * f(n)), given | scores.assumptions),
    )


def own_statements(one: int = 1) -> tuple[Statement, ...]:
    """The three expressions of the attention on the class of the query, times their denominators,
    with `one` for the numerator 1.
    """
    given = hypotheses(one_of_all, scores, own_scores)
    return (
        Statement(Attn_own * Z, "==", one * own_size * exp(own_score), own_scores.assumptions),
        Statement(
            Attn_own * (others(size * exp(q(n))) + own_size * exp(own_score)),
            "==",
            one * own_size * exp(own_score),
            given,
        ),
        Statement(Attn_own * (others(size * exp(q(n) - own_score)) + own_size), "==", one * own_size, given),
    )


def rest_statement(one: int = 1) -> Statement:
    """The share of a class in what the class of the query leaves over, times its denominator."""
    left = Attn * others(size * exp(q(n)))
    return Statement(
        left, "==", (one - Attn_own) * (size * exp(q(n))), hypotheses(one_of_all, scores, own_scores)
    )


def sum_statement(one: int = 1) -> Statement:
    """The attention on all classes adds up to `one` = 1."""
    return Statement(classes(Attn), "==", term(one), one_class.assumptions)
