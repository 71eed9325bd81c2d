"""Sums of the gradient that are regrouped, and means over the classes."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.steps import ind
from proofs_check.derivations.features.updates import (
    K,
    M,
    Sides,
    d,
    expectation,
    m,
    modulus,
    n,
    others,
    outcome,
    y,
)
from proofs_check.derivations.proof import by_normal_form, proves

value, weight = Function("f", (Sort.INDEX,)), Function("attn", (Sort.INDEX,))
f_k, f_other, attn_other = (Variable(name, range=REALS) for name in ("fk", "fo", "attno"))
k = Variable("k", Sort.INDEX)
all_ = lambda e: bind("coordinates", (n,), e, (K,))
whole_attention = assume("attention adds up to 1", all_(weight(n)), "==", 1)
prediction = all_(weight(n) * value(n))
f_m, w_m = instantiated(value(n), {n: m}), instantiated(weight(n), {n: m})
double = bind("coordinates", (m, n), w_m * weight(n) * (f_k - value(n)) * (f_other - f_m), (K, K))
ends = (
    (prediction - f_k) * attn_other * all_(weight(n) * (f_other - value(n))),
    -attn_other * (f_k - prediction) * (f_other - prediction),
)


def regrouped_statements(sign: int = 1) -> tuple[Statement, ...]:
    given = whole_attention.assumptions
    inner = -attn_other * double
    return Statement(ends[0], "==", sign * inner, given), Statement(inner, "==", sign * ends[1], given)


@proves("LDL:C.step5", regrouped_statements, part=(1, 2))
@cache
def regrouped() -> Sides:
    """The single sum, the double sum, and the product of two errors are equal."""
    S = all_(weight(n))
    second = calc(
        -attn_other * double,
        ("==", -attn_other * (f_k * S - prediction) * (f_other * S - prediction)),
        ("==", ends[1], whole_attention, prediction),
    )
    first = calc(
        ends[0],
        ("==", (prediction - f_k) * attn_other * (f_other * S - prediction)),
        ("==", ends[1], whole_attention, prediction),
        ("==", -attn_other * double, second),
    )
    return first, second


#: Whether the query is of a class, and what is left there: a multiple of (1 - Attn_k)^2.
of_class, left = (
    Function("is", (Sort.INDEX, Sort.QUERY)),
    Function("left", (Sort.INDEX, Sort.TOKEN), Fraction(1)),
)
at_the_class = ind(of_class(n, y)) * left(n, outcome)


def mean_statement(half: Fraction = Fraction(1, 2)) -> Statement:
    """The half sum is half of the mean at the class of the query; `half` stands for the latter."""
    return Statement(
        Fraction(1, 2) * all_(expectation(at_the_class)),
        "==",
        Fraction(half) * expectation(all_(at_the_class)),
    )


proves("LDL:D3.drop", mean_statement)(by_normal_form(mean_statement))


#: L Delta, where two features are at most 2 Delta apart.
size = Variable("LDelta", range=POSITIVE)
at_most_twice = assume(
    "values differ by at most 2 L Delta", modulus(d(n, outcome)), "<=", 2 * size, every=(n, outcome)
)


def sum_statement(constant: int = 2) -> Statement:
    """The sum of the moduli of M = K - 1 differences is at most constant K L Delta."""
    total = others(modulus(d(n, outcome)))
    return Statement(total, "<=", constant * (M + 1) * size, at_most_twice.assumptions)


@proves("LDL:L1.sum", sum_statement)
def sum_of_differences() -> Theorem:
    total = others(modulus(d(n, outcome)))
    return calc(
        total, ("<=", others(2 * size), at_most_twice), ("==", 2 * M * size), ("<=", 2 * (M + 1) * size)
    )
