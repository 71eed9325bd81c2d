"""The remaining factor of equation (28) of Boursier & Boyer, and the two gradients in one bound."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, sqrt
from numerics.derivations.kernel.rules import arithmetic, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range, whole
from numerics.derivations.kernel.terms import Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks.distance_of_risks import D, T, square_D, square_T, square_y
from proofs_check.derivations.transfer.risks.outcomes import mean, outputs, x, y
from proofs_check.derivations.transfer.risks.rates import mean as over_tasks
from proofs_check.derivations.transfer.risks.rates import on_average, rate
from proofs_check.derivations.transfer.risks.tasks.outputs_at_tasks import given_3_1, proposition_3_1

c1, c2 = (Variable(name, range=POSITIVE) for name in ("c1", "c2"))
t_, y_, X_ = (Variable(name, range=NONNEGATIVE) for name in ("t", "y", "X"))


def statements(k: int | Fraction = 4, two: int | Fraction = 2) -> tuple[Statement, Statement]:
    """E[2|T_L|^2 + 2|y|^2] <= k(E|T|^2 + E c_1 sigma^6 ln L/L^{c_2/sigma^2} + E|y|^2), and the root
    of the right side, in numbers, at most two times the sum of the roots.
    """
    left = mean(2 * outputs((T + D) ** 2) + 2 * square_y)
    right = Fraction(k) * (mean(square_T) + c1 * over_tasks(rate(c2, 3, 1)) + mean(square_y))
    roots = Fraction(two) * (t_ + sqrt(X_) + y_)
    return (
        Statement(left, "<=", right, given_3_1(square_D, c1, c2)),
        Statement(sqrt(4 * (t_**2 + X_ + y_**2)), "<=", roots),
    )


@proves("BB:28/rest", statements, part=1)
@cache
def second_moments() -> Theorem:
    """|T_L|^2 <= 2|T|^2 + 2|D|^2."""
    each = instantiate(show((x + y) ** 2, "<=", 2 * x**2 + 2 * y**2), {x: T, y: D})
    twice = show(outputs((T + D) ** 2), "<=", 2 * square_T + 2 * square_D, each)
    return calc(
        mean(2 * outputs((T + D) ** 2) + 2 * square_y),
        ("<=", 4 * mean(square_T) + 4 * mean(square_D) + 4 * mean(square_y), twice),
        ("<=", statements()[0].rhs, on_average(proposition_3_1(square_D, c1, c2))),
    )


@proves("BB:28/rest", statements, part=2)
@cache
def root() -> Theorem:
    """The root of a sum is at most the sum of the roots."""
    return arithmetic(sqrt(4 * (t_**2 + X_ + y_**2)), "<=", 2 * (t_ + sqrt(X_) + y_))


#: The length n of a prompt, and sigma_mu^2.
L, w = Variable("n", range=whole(2)), Variable("w", range=Range(Fraction(1), lo_open=False))
decay = exp(-c2 * log(L) / w)


def absorbed_statement(k: int | Fraction = 3) -> Statement:
    """The bounds of Proposition 3.4 for both gradients, with the same constants, add up to at most
    k c_1 sigma^12 ln(L)^2/L^{c_2/sigma^2} for L >= 2.
    """
    both = c1 * w**3 * log(L) * decay + c1 * w**6 * log(L) ** 2 * decay
    return Statement(both, "<=", Fraction(k) * c1 * w**6 * log(L) ** 2 * decay)


@proves("BB:28/absorb", absorbed_statement)
@cache
def absorbed() -> Theorem:
    """ln L >= ln 2 and sigma >= 1."""
    core = arithmetic(w**3 * log(L) + w**6 * log(L) ** 2, "<=", (1 + 1 / log(term(2))) * w**6 * log(L) ** 2)
    return calc(c1 * core.lhs * decay, ("<=", c1 * core.rhs * decay, core))
