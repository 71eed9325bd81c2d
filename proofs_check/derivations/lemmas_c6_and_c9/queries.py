"""Moments of sub-Gaussian norms: the smaller of two bounds in the average over a query, and the
constants of Assumption 3.3.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, prod

import sympy as sp

from numerics.derivations.derived import N_, X_, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.lemmas_c6_and_c9 import real_moments
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.query_average import (
    U,
    at_the_query,
    kappa,
    norm_of_the_score,
    norm_U,
    operator_norm,
    power,
    theta,
)
from proofs_check.derivations.softmax_average.softmax_average import a2, d, sigma
from proofs_check.derivations.softmax_average.tilted import QUERY, h, quarter, query, sub_gaussian_query
from proofs_check.derivations.tails.real_powers import r

# -- The smaller of two bounds ---------------------------------------------------------------------

A_, B_ = (Variable(name, range=NONNEGATIVE) for name in ("A_", "B_"))
x = Variable("x", range=POSITIVE)


def smaller_statements(
    bottom: int | Fraction = 0, top: int | Fraction = 1, c: int = 16
) -> tuple[Statement, ...]:
    """min(A x, B) <= max(A, B) x^theta for theta from `bottom` to `top`; 4 kappa theta <= 1/4 for
    theta = min(1, 1/(c kappa)); and x^theta <= e^{|z|^2/4}/L^theta there, for x = e^{4 sigma^2
    |Uz|^2}/L.
    """
    theta = Variable("theta", range=Range(Fraction(bottom), Fraction(top), False, False))
    share = 1 / Op("max", (term(1), c * kappa))
    at = exp(4 * instantiated(a2, at_the_query)) / L
    return (
        Statement(Op("min", (A_ * x, B_)), "<=", Op("max", (A_, B_)) * x**theta),
        Statement(4 * kappa * share, "<=", term(Fraction(1, 4))),
        Statement(at**share, "<=", exp(QUERY.square / 4) / L**share, operator_norm(U, norm_U, d).assumptions),
    )


@proves("OURS:QA.min", smaller_statements, part=(1, 2, 3))
@cache
def smaller() -> tuple[Theorem, ...]:
    """x <= x^theta where x <= 1, and 1 <= x^theta elsewhere."""
    larger, least = Op("max", (A_, B_)), Op("min", (x, term(1)))
    out = arithmetic(Op("min", (N_ * x, N_)), "<=", N_ * least)
    both = calc(
        Op("min", (A_ * x, B_)),
        ("<=", Op("min", (larger * x, larger)), show(A_, "<=", larger), show(B_, "<=", larger)),
        ("<=", larger * least, instantiate(out, {N_: larger})),
        ("<=", larger * x**theta, arithmetic(least, "<=", x**theta)),
    )
    light = arithmetic(4 * kappa * power, "<=", Fraction(1, 4))
    score, size = 4 * instantiated(a2, at_the_query), QUERY.square
    split = arithmetic((exp(X_) / L) ** theta, "==", exp(theta * X_) / L**theta)
    at = calc(
        instantiate(split, {theta: power, X_: score}),
        ("<=", exp(power * (4 * sigma**2 * (norm_U**2 * size))) / L**power, norm_of_the_score()),
        ("==", exp(4 * kappa * power * size) / L**power),
        ("<=", exp(size / 4) / L**power, light),
    )
    return both, light, at


# -- The constants of Assumption 3.3 ---------------------------------------------------------------

POWERS = tuple(product((0, 4, 8), repeat=2))[1:]
length = Function("|z|", (Sort.QUERY,))
square = length(query) ** 2


@cache
def length_of_the_query() -> Theorem:
    """The definition of the length |z|."""
    return assume("|z| is the length of the query", square, "==", QUERY.square, every=(query,))


@cache
def every_moment() -> Theorem:
    """E|z|^{2q} <= (4 (q - 1 + h))^q for a 1-sub-Gaussian query and every q >= 1; 2^{d/2} = e^h."""
    exponential = calc(
        QUERY.mean(exp(square / 4)),
        ("<=", QUERY.mean(exp(QUERY.square / 4)), length_of_the_query()),
        ("<=", exp(h), quarter(QUERY)),
    )
    return real_moments.moment(QUERY, term(1), square, h, exponential)


@cache
def moment(q: int) -> Theorem:
    at = instantiate(every_moment(), {r: term(q - 1)})
    return show(QUERY.mean(square**q), "<=", (4 * (q - 1 + h)) ** q, at)


def constant_of_the_query(p: int, q: int, four: int | Fraction, u: sp.Expr, d: sp.Expr) -> sp.Expr:
    """The constant of M_{p,q}, in which (four (n - 1 + h))^n stands for the moment of order 2n."""
    half, k, log2 = p // 2, d / 5 + p // 2, sp.log(2)
    of = lambda n: (sp.Rational(four) * (d * log2 / 2 + n - 1)) ** n if n else sp.S.One
    return 8**half * sum(
        comb(half, n) * u ** (2 * n) * k ** (half - n) * of(n + q // 2) for n in range(half + 1)
    )


def query_moment(p: int, q: int) -> Term:
    """M_{p,p'} = 8^{p/2} E[(|U|^2 |z|^2 + d/5 + p/2)^{p/2} |z|^{p'}] over the query, q = p'."""
    weight = (norm_U**2 * square + d / 5 + p // 2) ** (p // 2) if p else term(1)
    return 8 ** (p // 2) * QUERY.mean(weight * length(query) ** q if q else weight)


def constant_statements(four: int | Fraction = 4) -> tuple[Statement, ...]:
    """M_{p,p'} <= its constant for p, p' = 0, 4, 8, not both 0, where `four` stands for the 4 in
    the moments of the query.
    """
    u_, d_ = sp.symbols("U d", positive=True)
    given = sub_gaussian_query().assumptions | length_of_the_query().assumptions
    bound = lambda p, q: from_sympy(constant_of_the_query(p, q, four, u_, d_), {u_: norm_U, d_: d})
    return tuple(Statement(query_moment(p, q), "<=", bound(p, q), given) for p, q in POWERS)


@proves("OURS:R3.A33/uniform", constant_statements, part=range(1, 9))
@cache
def constants() -> tuple[Theorem, ...]:
    """The binomial formula, with a bound for each moment of the query."""
    found = []
    for (p, q), goal in zip(POWERS, constant_statements()):
        half, form = p // 2, term(0)
        for n in range(half + 1):
            each = moment(n + q // 2).lhs if n + q // 2 else term(1)
            factors = [norm_U ** (2 * n)] * (n > 0) + [(d / 5 + half) ** (half - n)] * (n < half)
            form = form + prod(factors, start=term(comb(half, n))) * each
        found.append(calc(goal.lhs, ("==", 8**half * form), ("<=", goal.rhs, *map(moment, range(1, 9)))))
    return tuple(found)
