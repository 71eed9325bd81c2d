"""Moments of sums of independent vectors, and of weights, as derivations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, equal, gcongr, instantiate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Defined, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import moments, second_moment
from proofs_check.derivations.softmax_average.softmax_average import (
    K,
    a2,
    expectation,
    i,
    k,
    m,
    m0,
    mean,
    moment,
    over,
    q,
    score,
    sub_gaussian,
    total,
    w,
    z,
)

n = Variable("n", Sort.INDEX)
Q = Function("Q", (Sort.INDEX, Sort.TOKEN), Fraction(2))
X = Function("X", (Sort.INDEX, Sort.TOKEN), Fraction(4))


def numerator_statement(c: int | Fraction = 4) -> Statement:
    """E|R_L - S_L R/S|^2 <= c L e^{4 a2} K."""
    return Statement(
        expectation(second_moment.N2),
        "<=",
        term(Fraction(c)) * L * exp(4 * a2) * K,
        sub_gaussian().assumptions,
    )


def weight_statements(
    first: Fraction = Fraction(1, 2), second: int | Fraction = 2, least: int | Fraction = 1
) -> tuple[Statement, ...]:
    """E w and E w^2 are at most e^{a2/2} and e^{2 a2}, and L E w is at least L."""
    given = sub_gaussian().assumptions
    return (
        Statement(L * m0, "<=", L * exp(Fraction(first) * a2), given),
        Statement(q, "<=", exp(Fraction(second) * a2), given),
        Statement(Fraction(least) * L, "<=", L * m0, given),
    )


def least_statement(factor: int | Fraction = 1) -> Statement:
    """S = L E w is at least factor L."""
    return Statement(Fraction(factor) * L, "<=", L * m0, sub_gaussian().assumptions)


weight_theorems: tuple[Callable[[], Theorem], ...] = (
    lambda: gcongr(L * m0, chain(m0, moment(term(1)))),
    lambda: moments.weights()[0],
    lambda: gcongr(1 * L, moments.weight_at_least_one()),
)


def square_of_a_sum(one: int = 1) -> Statement:
    """E|sum Q|^2 = L E|Q|^2 + L(L - one)|EQ|^2."""
    right = L * mean(over(i, m, Q(i, k) ** 2)) + L * (L - one) * over(i, m, mean(Q(i, k)) ** 2)
    return Statement(expectation(over(i, m, total(Q(i, k)) ** 2)), "==", right)


def centred(index: Variable) -> Term:
    return X(index, k) - mean(X(index, k))


m4 = Defined("m4", mean(over(i, m, centred(i) ** 2) ** 2))
m2 = Defined("m2", mean(over(i, m, centred(i) ** 2)))
s2 = Defined("s2", over(i, m, over(n, m, mean(centred(i) * centred(n)) ** 2)))
N4 = expectation(over(i, m, total(centred(i)) ** 2) ** 2)


def fourth_power(two: int = 2) -> Statement:
    """E|N|^4 = L m4 + L(L - 1)(m2^2 + two s) for a sum of centred vectors."""
    return Statement(N4, "==", L * m4 + L * (L - 1) * (m2**2 + two * s2))


def fourth_power_bound(c: int | Fraction = 4) -> Statement:
    return Statement(N4, "<=", Fraction(c) * L**2 * m4)


@cache
def fourth_power_theorem() -> Theorem:
    """s <= m4 and m2^2 <= m4, so that E|N|^4 <= 3 L^2 m4 <= 4 L^2 m4."""
    jensen = chain(m2**2, cauchy_schwarz("mean", (k,), over(i, m, centred(i) ** 2), 1), m4)
    schwarz = cauchy_schwarz("mean", (k,), centred(i) * centred(n), 1)
    each = chain(mean(centred(i) * centred(n)) ** 2, schwarz, mean(centred(i) ** 2 * centred(n) ** 2))
    pairs = integrated("coordinates", (n,), each, heads=(m,))
    pairs = integrated("coordinates", (i,), pairs, s2, m4, (m,))
    same = equal(N4, fourth_power().rhs)
    return chain(same, arithmetic(same.rhs, "<=", 3 * L**2 * m4, jensen, pairs))


# -- where the layer is defined --------------------------------------------------------------------


def defined_statements(
    share: int | Fraction = Fraction(1, 2), least: int | Fraction = 0
) -> tuple[Statement, Statement]:
    """E|z_i| w <= share (E e^{a.z + z_i} + E e^{a.z - z_i}) for w = e^{a.z}, and E w > least."""
    size = Op("max", (z(i, k), -z(i, k)))
    ends = mean(exp(score + z(i, k))) + mean(exp(score - z(i, k)))
    return (
        Statement(mean(size * w), "<=", Fraction(share) * ends),
        Statement(term(Fraction(least)), "<", mean(w)),
    )


@proves("BB:2.def", defined_statements, part=(1, 2))
def finite_numerator() -> tuple[Theorem, Theorem]:
    """|x| <= (e^x + e^{-x})/2, and exponentials are positive."""
    (first, second), x = defined_statements(), Variable("x_", range=REALS)
    size = instantiate(arithmetic(Op("max", (x, -x)), "<=", (exp(x) + exp(-x)) / 2), {x: z(i, k)})
    each = gcongr(size.lhs * w, size)
    each = chain(each, (exp(score + z(i, k)) + exp(score - z(i, k))) / 2)
    return integrated("mean", (k,), each, first.lhs, first.rhs), arithmetic(0, "<", second.rhs)
