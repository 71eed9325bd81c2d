"""Errors of a prediction that is a mean of values: Lemma 1 of Li, Duan & Liang, the sums of
Proposition 1, and the bounds of updates in the first phase.

An outcome is a task, a prompt and a query at once. The classes other than that of the query are
numbered from 1 to M.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import POSITIVE, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import ind, product, times
from proofs_check.derivations.proof import proves

n, m, k, w = (
    Variable("n", Sort.INDEX),
    Variable("m", Sort.INDEX),
    Variable("k", Sort.INDEX),
    Variable("outcome", Sort.TOKEN),
)
K, M = (Variable(name, range=whole(1)) for name in "KM")
B, C, L, Delta = (Variable(name, range=POSITIVE) for name in ("B", "C", "Lip", "Delta"))
#: What bounds differences of values, O(L Delta) with any constant.
spread = C * L * Delta
#: Attention on a class, the value of the task there, and whether the query is of a class.
A, f, query = (Function(name, (Sort.INDEX, Sort.TOKEN)) for name in ("Attn", "f", "query"))
#: The value at the class of the query, and the attention there.
f_k, A_k = Function("fk", (Sort.TOKEN,)), Function("Attnk", (Sort.TOKEN,))

mean = lambda e: bind("mean", (w,), e)
classes = lambda e: bind("coordinates", (n,), e, (K,))
queries = lambda e: bind("coordinates", (k,), e, (K,))
others = lambda e: bind("coordinates", (n,), e, (M,))
modulus = lambda e: Op("max", (e, -e))
is_query = ind(query(k, w))

adds_up = assume("attention adds up to 1", classes(A(n, w)), "==", 1, every=(w,))
rest = assume("attention on all classes adds up to 1", others(A(n, w)), "==", 1 - A_k(w), every=(w,))
positive = assume("attention is not negative", 0, "<=", A(n, w), every=(n, w))
d = f(n, w) - f_k(w)


def close(bound: Term) -> Theorem:
    return assume(
        "values differ from that of the query by at most a bound", modulus(d), "<=", bound, every=(n, w)
    )


# The loss by differences


def difference_statement(half: Fraction = Fraction(1, 2)) -> Statement:
    error, sums = classes(A(n, w) * f(n, w)) - f(k, w), classes(A(n, w) * (f(n, w) - f(k, w)))
    loss = Fraction(1, 2) * queries(mean(is_query * error**2))
    return Statement(loss, "==", half * queries(mean(is_query * sums**2)), adds_up.assumptions)


@proves("LDL:L1.id", difference_statement)
@cache
def by_differences() -> Theorem:
    """The loss is half the mean square of sum_n Attn_n (f_n - f_k), where n = k adds 0."""
    values, sums = classes(A(n, w) * f(n, w)), classes(A(n, w) * (f(n, w) - f(k, w)))
    each = calc(values - f(k, w), ("==", values - f(k, w) * classes(A(n, w)), adds_up), ("==", sums))
    half_square = lambda error: queries(mean(Fraction(1, 2) * is_query * error**2))
    return show(half_square(values - f(k, w)), "==", half_square(sums), each)


# The error from above, for the class of the query and M others

error_sum = others(A(n, w) * d)


def bound_statements(constant: int | Fraction = 1, power: int = 1) -> tuple[Statement, ...]:
    """|sum| <= c (1 - Attn_k)^p B and sum^2 <= c^2 (1 - Attn_k)^(2p) B^2."""
    c, left, given = Fraction(constant), (1 - A_k(w)) ** power, hypotheses(close(B), rest, positive)
    return (
        Statement(modulus(error_sum), "<=", c * left * B, given),
        Statement(error_sum**2, "<=", c**2 * left**2 * B**2, given),
    )


def lipschitz_statements(constant: int | Fraction = 1) -> tuple[Statement, ...]:
    """|sum| <= c sum |.| <= c C L Delta sum Attn_n, for differences of at most C L Delta."""
    moduli, c = others(A(n, w) * modulus(d)), Fraction(constant)
    return (
        Statement(modulus(error_sum), "<=", c * moduli, hypotheses(positive)),
        Statement(moduli, "<=", c * spread * others(A(n, w)), hypotheses(positive, close(spread))),
    )


def lemma_1_statement(constant: int | Fraction = 1, power: int = 2) -> Statement:
    """The loss is at most half the mean of (1 - Attn_k)^p times c C^2 L^2 Delta^2, p = 2, for
    differences of at most C L Delta.
    """
    prediction = A_k(w) * f_k(w) + others(A(n, w) * f(n, w))
    loss, given = Fraction(1, 2) * mean((prediction - f_k(w)) ** 2), hypotheses(positive, rest, close(spread))
    bound = mean((1 - A_k(w)) ** power * (Fraction(constant) * C**2 * L**2 * Delta**2))
    return Statement(loss, "<=", Fraction(1, 2) * bound, given)


@proves("LDL:Pr1.Lsum", lipschitz_statements, part=2)
@cache
def weighted_differences(bound: Term = spread) -> Theorem:
    """sum_n Attn_n |d_n| is at most the sum of the Attn_n times the bound of the differences."""
    each = times(A(n, w), close(bound), positive)
    return calc(
        others(A(n, w) * modulus(d)), ("<=", others(A(n, w) * bound), each), ("==", bound * others(A(n, w)))
    )


@proves("LDL:Pr1.Lsum", lipschitz_statements, part=1)
@cache
def modulus_of_a_sum() -> Theorem:
    total = others(A(n, w) * modulus(d))
    up = show(error_sum, "<=", total, times(A(n, w), show(d, "<=", modulus(d)), positive))
    down = calc(
        -error_sum,
        ("==", others(A(n, w) * -d)),
        ("<=", total, times(A(n, w), show(-d, "<=", modulus(d)), positive)),
    )
    return show(modulus(error_sum), "<=", total, up, down, error_sum, total)


@proves("LDL:L1.abs", bound_statements, part=1)
@cache
def error_bound(bound: Term = B) -> Theorem:
    return calc(
        modulus(error_sum),
        ("<=", others(A(n, w) * modulus(d)), modulus_of_a_sum()),
        ("<=", bound * others(A(n, w)), weighted_differences(bound)),
        ("==", (1 - A_k(w)) * bound, rest),
    )


@proves("LDL:L1.abs", bound_statements, part=2)
@cache
def squared_error_bound(bound: Term = B) -> Theorem:
    size = (1 - A_k(w)) * bound
    sides = (
        show(0, "<=", e, error_bound(bound), error_sum, size) for e in (size - error_sum, size + error_sum)
    )
    gap = product(size - error_sum, size + error_sum, *sides)
    return show(error_sum**2, "<=", size**2, gap, error_sum, size)


@proves("LDL:L1", lemma_1_statement)
@cache
def lemma_1(bound: Term = spread) -> Theorem:
    """The loss is at most half the mean of (1 - Attn_k)^2 B^2."""
    values, half = others(A(n, w) * f(n, w)), Fraction(1, 2)
    error = A_k(w) * f_k(w) + values - f_k(w)
    each = calc(
        error,
        ("==", values - (1 - A_k(w)) * f_k(w)),
        ("==", values - others(A(n, w)) * f_k(w), rest),
        ("==", error_sum),
    )
    return calc(
        mean(half * error**2),
        ("==", mean(half * error_sum**2), each),
        ("<=", mean(half * ((1 - A_k(w)) * bound) ** 2), squared_error_bound(bound)),
    )
