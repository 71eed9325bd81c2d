"""Attention over Gaussian tokens Z = mu + R xi: their tilted law, linear attention, and linearity
in the parameters. The covariance S = R R' may have any rank.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.moments import covariance
from proofs_check.derivations.gaussian_tokens.own_prompt import of_a_row, r
from proofs_check.derivations.proof import by_normal_form, proves
from proofs_check.derivations.softmax_average.gaussian_tokens import (
    R,
    b,
    c,
    mean,
    mu,
    n,
    rank,
    tilt,
    tilted,
    token,
    weight_of_a_vector,
)
from proofs_check.derivations.softmax_average.query_average import V, l
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, j, over

number = Variable("s", range=REALS)
U, W, X = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in "UWX")
v, query = Function("v", (Sort.INDEX,)), Function("q", (Sort.INDEX,))

#: The covariance R R' times the score, and what belongs to coordinate i: the output of softmax
#: attention, V E[Z Z'] a, which is the limit of linear attention, and V R R' a.
image = over(n, rank, R(j, n) * over(l, d, R(l, n) * a(l)))
softmax = over(j, d, V(i, j) * tilted)
linear = over(j, d, V(i, j) * mean(token * over(l, d, a(l) * instantiated(token, {j: l}))))
moved = over(j, d, V(i, j) * image)


def of_mean_0(e: Term) -> Term:
    """A term about Gaussian tokens for those of mean 0."""
    return instantiated(e, {mu: ((j,), term(0))})


#: The generating function of the law tilted by e^{a.Z} at the vector v.
generating = mean(exp(over(j, d, v(j) * token)) * tilt) / mean(tilt)


def _score(matrix: Term) -> dict[Function, tuple[tuple[Variable, ...], Term]]:
    """The score of the query for a matrix, whose entry (j, l) is given."""
    return {a: ((j,), over(l, d, matrix * query(l)))}


def _outputs() -> list[Term]:
    """Coordinate i of the output for U + sW, U and W."""
    return [
        instantiated(of_mean_0(softmax), _score(e)) for e in (U(j, l) + number * W(j, l), U(j, l), W(j, l))
    ]


def statements_in_the_parameters(factor: int = 1) -> tuple[Statement, Statement]:
    """The output for U + sW and for V + sX, where `factor` multiplies the second term."""
    first, second, third = _outputs()
    of = lambda A: instantiated(of_mean_0(softmax), {V: ((i, j), A)})
    return (
        Statement(first, "==", second + factor * number * third),
        Statement(of(V(i, j) + number * X(i, j)), "==", of(V(i, j)) + factor * number * of(X(i, j))),
    )


def statement_for_any_rank(half: Fraction = Fraction(1, 2)) -> Statement:
    """T = V mu + 2 half V R R' a for R of any rank, in each coordinate."""
    return statement_of_the_output(2 * half)


def statement_of_the_output(shift: int | Fraction = 1) -> Statement:
    """T = V mu + shift V R R' a, in each coordinate."""
    return Statement(softmax, "==", over(j, d, V(i, j) * mu(j)) + Fraction(shift) * moved)


def statements_of_the_law(shift: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The tilted law has the generating function of N(mu + shift R R' a, R R'), and the output is V
    times its mean.
    """
    centre = over(j, d, v(j) * (mu(j) + Fraction(shift) * image))
    spread = over(n, rank, over(j, d, R(j, n) * v(j)) ** 2)
    return Statement(generating, "==", exp(centre + spread / 2)), statement_of_the_output(shift)


def statement_of_both_limits(centred: bool = True, factor: int | Fraction = 1) -> Statement:
    """V E[Z Z'] a = factor T, for centred tokens."""
    sides = linear, Fraction(factor) * softmax
    left, right = map(of_mean_0, sides) if centred else sides
    return Statement(left, "==", right)


@proves("BB:B.1.c", statement_for_any_rank)
@proves("BB:B.1.b", statements_of_the_law, part=2)
@cache
def softmax_attention() -> Theorem:
    row = instantiate(of_a_row(), {r: ((j,), V(i, j))})
    return show(softmax, "==", over(j, d, V(i, j) * mu(j)) + moved, row)


@cache
def linear_attention() -> Theorem:
    """V E[Z Z'] a = V R R' a for centred tokens, in each coordinate."""
    score, row = over(j, d, R(j, n) * a(j)), over(j, d, V(i, j) * R(j, n))
    return show(of_mean_0(linear), "==", moved, instantiate(covariance(), {b: ((n,), score), c: ((n,), row)}))


@cache
def of_centred_tokens() -> Theorem:
    return show(of_mean_0(softmax), "==", moved, instantiate(softmax_attention(), {mu: ((j,), term(0))}))


@proves("BB:B.2", statement_of_both_limits)
@cache
def same_limits() -> Theorem:
    return calc(linear_attention(), ("==", of_mean_0(softmax), of_centred_tokens()))


@proves("BB:B.1.b", statements_of_the_law, part=1)
@cache
def tilted_law() -> Theorem:
    vector = lambda value: {b: ((n,), over(j, d, R(j, n) * value))}
    top, bottom = (instantiate(weight_of_a_vector(), vector(value)) for value in (a(j) + v(j), a(j)))
    start = exp(over(j, d, v(j) * mu(j)))
    sides = (start, top.lhs, top.rhs, bottom.lhs, bottom.rhs)
    return calc(
        generating,
        ("==", start * top.lhs / bottom.lhs),
        ("==", start * top.rhs / bottom.rhs, top, bottom, *sides),
    )


proves("BB:4.bilin", statements_in_the_parameters, part=2)(
    by_normal_form(lambda: statements_in_the_parameters()[1])
)


@proves("BB:4.bilin", statements_in_the_parameters, part=1)
@cache
def linear_in_U() -> Theorem:
    """The output for U + sW is that for U and s times that for W."""
    first, second, third = (
        instantiate(of_centred_tokens(), _score(e)) for e in (U(j, l) + number * W(j, l), U(j, l), W(j, l))
    )
    sums = calc(first, ("==", second.rhs + number * third.rhs))
    hidden = (first.lhs, second.lhs, third.lhs, second.rhs, third.rhs)
    return show(first.lhs, "==", second.lhs + number * third.lhs, sums, second, third, *hidden)
