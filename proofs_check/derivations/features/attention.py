"""Attention by classes, eq. (10) of Li, Duan & Liang and its formulas: sums over the tokens of a
prompt are grouped by the classes, for every number of tokens and classes.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.steps import ind
from proofs_check.derivations.proof import proves

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
weight, own_weight = size * exp(q(n)), own_size * exp(own_score)

one_class = assume("each token is of one class", classes(member), "==", 1, every=(j,))
one_of_all = assume(
    "each token is of the query's class or of one other", others(member), "==", 1 - own, every=(j,)
)
scores = assume("a token has the score of its class", member * s(j), "==", member * q(n), every=(j, n))
own_scores = assume(
    "a token of the query's class has its score", own * s(j), "==", own * own_score, every=(j,)
)
values = assume("a token has the value of its class", member * y(j), "==", member * f(n), every=(j, n))


def grouped_statements(power: int = 1, factor: int = 1) -> tuple[Statement, ...]:
    """(10) with Attn_k as the sum of the attention on the tokens of the class, and from their
    numbers |V_k|, of which `power` is taken, times the sum of all |V_k| e^{q_k}; `factor`
    multiplies a side.
    """
    one, given = size**power * exp(q(n)), hypotheses(one_class, values)
    return (
        Statement(prediction, "==", factor * classes(Attn * f(n)), given),
        Statement(prediction * classes(one), "==", classes(one * f(n)), given | scores.assumptions),
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


@proves("LDL:eq10", grouped_statements, part=1)
@cache
def by_classes() -> Theorem:
    """Each token counts once, for its class."""
    share = exp(s(j)) / Z
    return calc(
        prediction,
        ("==", tokens(classes(member) * share * y(j)), one_class),
        ("==", tokens(classes(share * (member * y(j))))),
        ("==", tokens(classes(share * (member * f(n)))), values),
        ("==", classes(Attn * f(n))),
    )


@cache
def weight_of_a_class() -> Theorem:
    return calc(
        tokens(member * exp(s(j))), ("==", tokens(member * exp(q(n))), scores), ("==", size * exp(q(n)))
    )


@cache
def weight_of_the_own_class() -> Theorem:
    return calc(tokens(own * exp(s(j))), ("==", tokens(own * exp(own_score)), own_scores), ("==", own_weight))


@cache
def normaliser() -> Theorem:
    return calc(
        Z,
        ("==", tokens(classes(member) * exp(s(j))), one_class),
        ("==", classes(tokens(member * exp(s(j))))),
        ("==", classes(weight), weight_of_a_class()),
    )


@cache
def normaliser_of_all() -> Theorem:
    """By the class of the query and the others."""
    return calc(
        Z,
        ("==", tokens((own + others(member)) * exp(s(j))), one_of_all),
        ("==", tokens(own * exp(s(j))) + others(tokens(member * exp(s(j))))),
        ("==", own_weight + others(tokens(member * exp(s(j)))), weight_of_the_own_class()),
        ("==", own_weight + others(weight), weight_of_a_class()),
    )


@proves("LDL:eq10", grouped_statements, part=2)
@cache
def from_counts() -> Theorem:
    return calc(
        prediction * classes(weight),
        ("==", prediction * Z, normaliser()),
        ("==", Z * classes(Attn * f(n)), by_classes()),
        ("==", classes(tokens(member * exp(s(j))) * f(n))),
        ("==", classes(weight * f(n)), weight_of_a_class()),
    )


@proves("LDL:attn", own_statements, part=1)
@cache
def own_share_of_all() -> Theorem:
    return calc(Attn_own * Z, ("==", tokens(own * exp(s(j)))), ("==", own_weight, weight_of_the_own_class()))


@proves("LDL:attn", own_statements, part=2)
@cache
def own_share() -> Theorem:
    return calc(
        Attn_own * (others(weight) + own_weight),
        ("==", Attn_own * Z, normaliser_of_all()),
        ("==", own_weight, own_share_of_all()),
    )


@proves("LDL:attn", own_statements, part=3)
@cache
def own_share_in_odds() -> Theorem:
    return calc(
        Attn_own * (others(size * exp(q(n) - own_score)) + own_size),
        ("==", exp(-own_score) * (Attn_own * (others(weight) + own_weight))),
        ("==", exp(-own_score) * own_weight, own_share()),
        ("==", own_size),
    )


@proves("LDL:A.cols", sum_statement)
@cache
def add_up() -> Theorem:
    """The attention on all classes adds up to 1."""
    return calc(
        classes(Attn),
        ("==", 1 / Z * tokens(classes(member) * exp(s(j)))),
        ("==", 1 / Z * Z, one_class),
        ("==", 1),
    )


@proves("LDL:attn-n", rest_statement)
@cache
def shares_of_the_rest() -> Theorem:
    return calc(
        Attn * others(weight),
        ("==", Attn * (Z - own_weight), normaliser_of_all()),
        ("==", Attn * (Z - tokens(own * exp(s(j)))), weight_of_the_own_class()),
        ("==", (1 - Attn_own) * tokens(member * exp(s(j)))),
        ("==", (1 - Attn_own) * weight, weight_of_a_class()),
    )
