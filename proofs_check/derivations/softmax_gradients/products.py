"""Equation (21): the error of a product of a random number and a random matrix."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, root, sqrt
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, k, mean, over, x, y

four = Fraction(4)
#: X and Y with their estimates, which have four moments; k is all that is random.
X, hat_X = (Function(name, (Sort.TOKEN,), four)(k) for name in ("X", "Xh"))
Y, hat_Y = (Function(name, (Sort.INDEX, Sort.INDEX, Sort.TOKEN), four)(i, j, k) for name in ("Y", "Yh"))


def squared(body: Term) -> Term:
    """The squared norm of Frobenius of a matrix."""
    return over(i, d, over(j, d, body**2))


error = squared(hat_Y - Y)
first, second = mean(hat_X**2 * error), mean(squared(Y) * (hat_X - X) ** 2)
A, B, C = mean(hat_X**4), mean(error**2), mean((hat_X - X) ** 4)
roots = sqrt(A * B), sqrt(mean(squared(Y) ** 2) * C)


def statements(
    c: int | Fraction = 8, two: int | Fraction = 2, one: int | Fraction = 1
) -> tuple[Statement, ...]:
    """The three lines of (21), where the numbers stand for 8, for the first 2, and for 1."""
    middle = 2 * mean(squared(hat_X * (hat_Y - Y)) + squared(Y * (hat_X - X)))
    last = 2 * sqrt(Fraction(c) * (mean(X**4) + C) * B) + 2 * roots[1]
    return (
        Statement(mean(squared(hat_X * hat_Y - X * Y)), "<=", Fraction(two, 2) * middle),
        Statement(middle, "<=", Fraction(one) * (2 * roots[0] + 2 * roots[1])),
        Statement(2 * roots[0] + 2 * roots[1], "<=", last),
    )


def second_statement(c: int | Fraction = 1) -> Statement:
    """The second line of (21), where c stands for 1."""
    return statements(one=c)[1]


@proves("BB:21", statements, part=1)
@cache
def line_one() -> Theorem:
    one, other = hat_X * (hat_Y - Y), Y * (hat_X - X)
    two = instantiate(show((x + y) ** 2, "<=", 2 * x**2 + 2 * y**2), {x: one, y: other})
    return calc(
        mean(squared(hat_X * hat_Y - X * Y)),
        ("==", mean(squared(one + other))),
        ("<=", mean(over(i, d, over(j, d, 2 * one**2 + 2 * other**2))), two),
        ("==", 2 * mean(squared(one) + squared(other))),
    )


@cache
def schwarz() -> tuple[Theorem, Theorem]:
    """E X^^2|Y^ - Y|^2 and E|Y|^2(X^ - X)^2 by the Cauchy-Schwarz inequality."""
    pairs = (hat_X**2, error), (squared(Y), (hat_X - X) ** 2)
    products = [chain(cauchy_schwarz("mean", (k,), *pair), value**2) for pair, value in zip(pairs, roots)]
    return root(products[0], first, roots[0]), root(products[1], second, roots[1])


@proves("BB:21/two", second_statement)
@proves("BB:21", statements, part=2)
@cache
def line_two() -> Theorem:
    """Both means by the Cauchy-Schwarz inequality."""
    return calc(
        2 * mean(squared(hat_X * (hat_Y - Y)) + squared(Y * (hat_X - X))),
        ("==", 2 * first + 2 * second),
        ("<=", 2 * roots[0] + 2 * roots[1], *schwarz()),
    )


@proves("BB:21", statements, part=3)
@cache
def line_three() -> Theorem:
    fourth = instantiate(show(x**4, "<=", 8 * (y**4 + (x - y) ** 4)), {x: hat_X, y: X})
    most = calc(A, ("<=", mean(8 * (X**4 + (hat_X - X) ** 4)), fourth), ("==", 8 * (mean(X**4) + C)))
    return show(2 * roots[0] + 2 * roots[1], "<=", 2 * sqrt(8 * (mean(X**4) + C) * B) + 2 * roots[1], most)
