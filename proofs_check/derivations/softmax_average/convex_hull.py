"""Attention on a finite prompt is a convex combination of the values of its tokens.

The k-th token is z_k, and the prompt has L of them; what stands beyond has no part in a sum.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, j, m, over

k = Variable("k", Sort.INDEX)
#: The tokens, the values f(z_k), and the matrix V of the values of attention.
z, f, V = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("z", "f", "V"))
M = Variable("M", range=NONNEGATIVE)
#: The weight of a token at the scores a.z_k, where a is U x at the query x.
weight = exp(over(j, d, a(j) * z(k, j)))
share = weight / over(k, L, weight)
of_attention = over(j, d, V(i, j) * z(k, j))


def average(value: Term) -> Term:
    """R_L/S_L in the coordinate i."""
    return over(k, L, weight * value) / over(k, L, weight)


def largest(value: Term) -> Theorem:
    """The hypothesis that M is the largest |f(z_k)|, or more."""
    return assume("M is at least the length of every value", over(i, m, value**2), "<=", M**2, every=(k,))


def _statements(
    value: Term, total: int | Fraction, least: int, most: int | Fraction
) -> tuple[Statement, ...]:
    """The shares of the tokens add up to `total`, and are at least `least`; the average is the sum
    of the shares times the values, times `total`, and its square at most `most` M^2.
    """
    total = Fraction(total)
    return (
        Statement(over(k, L, share), "==", term(total)),
        Statement(term(least), "<=", share),
        Statement(average(value), "==", total * over(k, L, share * value)),
        Statement(over(i, m, average(value) ** 2), "<=", Fraction(most) * M**2, largest(value).assumptions),
    )


def statements(total: int | Fraction = 1, least: int = 0, most: int | Fraction = 1) -> tuple[Statement, ...]:
    """For the average of any function of the tokens."""
    return _statements(f(k, i), total, least, most)


def output_statements(
    total: int | Fraction = 1, least: int = 0, most: int | Fraction = 1
) -> tuple[Statement, ...]:
    """For the output of attention, whose values are V z_k."""
    return _statements(of_attention, total, least, most)


@cache
def _theorems(value: Term) -> tuple[Theorem, ...]:
    """The sum of the shares times (f - R_L/S_L)^2 is not negative."""
    one, combination = show(over(k, L, share), "==", 1), over(k, L, share * value)
    same = show(average(value), "==", combination)
    square = calc(
        0,
        ("<=", over(k, L, share * (value - combination) ** 2)),
        ("==", over(k, L, share * value**2) - 2 * combination**2 + combination**2 * over(k, L, share)),
        ("==", over(k, L, share * value**2) - combination**2, one),
    )
    near = calc(
        over(i, m, average(value) ** 2),
        ("==", over(i, m, combination**2), same),
        ("<=", over(i, m, over(k, L, share * value**2)), square),
        ("==", over(k, L, share * over(i, m, value**2))),
        ("<=", over(k, L, share * M**2), largest(value)),
        ("==", M**2 * over(k, L, share)),
        ("==", M**2, one),
    )
    return one, show(0, "<=", share), same, near


@proves("BB:LC.4.hull", statements, part=(1, 2, 3, 4))
def of_a_function() -> tuple[Theorem, ...]:
    return _theorems(f(k, i))


@proves("BB:P3.1.conv", output_statements, part=(1, 2, 3, 4))
def of_the_output() -> tuple[Theorem, ...]:
    return _theorems(of_attention)


# -- the events of the proof of Lemma C.4 ----------------------------------------------------------

#: R/S, which may be any vector here.
limit = Function("r", (Sort.INDEX,))(i)
t = Variable("t", range=REALS)
of_average, of_limit = over(i, m, average(f(k, i)) ** 2), over(i, m, limit**2)
error = over(i, m, (average(f(k, i)) - limit) ** 2)
large_error = assume("the square of the error is at least t", t, "<=", error)
large_squares = assume("2|R_L/S_L|^2 + 2|R/S|^2 is at least t", t, "<=", 2 * of_average + 2 * of_limit)
large_average = assume("|R_L/S_L|^2 is at least t/2 - |R/S|^2", t / 2 - of_limit, "<=", of_average)


def event_statements(
    c: int | Fraction = 2, half: Fraction = Fraction(1, 2), most: int | Fraction = 1
) -> tuple[Statement, ...]:
    """The three implications, with c for the 2, another half, and `most` times the square of the
    largest length.
    """
    c, value = Fraction(c), largest(f(k, i)).assumptions
    return (
        Statement(t, "<=", c * of_average + c * of_limit, large_error.assumptions),
        Statement(Fraction(half) * t - of_limit, "<=", of_average, large_squares.assumptions),
        Statement(t / 2 - of_limit, "<=", Fraction(most) * M**2, large_average.assumptions | value),
    )


@proves("BB:LC.4.impl", event_statements, part=(1, 2, 3))
def events() -> tuple[Theorem, ...]:
    """By |u - v|^2 <= 2|u|^2 + 2|v|^2, and as the average is in the hull."""
    u, v = (Variable(name, range=REALS) for name in ("u_", "v_"))
    line = instantiate(show((u - v) ** 2, "<=", 2 * u**2 + 2 * v**2), {u: average(f(k, i)), v: limit})
    inside = of_a_function()[3]
    first, second, _ = event_statements()
    return (
        calc(t, ("<=", error, large_error), ("<=", first.rhs, line)),
        show(second.lhs, "<=", second.rhs, large_squares, of_average, of_limit),
        calc(large_average, ("<=", M**2, inside)),
    )
