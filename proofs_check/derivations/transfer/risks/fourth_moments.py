"""The fourth moments of the two outputs in the proof of Lemma E.2 of Boursier & Boyer, and the
squared loss on a segment.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks.mean_of_a_vector import norm_of_a_sum
from proofs_check.derivations.transfer.risks.outcomes import (
    below_the_larger,
    i,
    j,
    k,
    larger,
    m,
    mean,
    outputs,
    p,
    size,
    square_bounded,
    vector,
)
from proofs_check.derivations.transfer.risks.rates import at_every_task, on_average, rate
from proofs_check.derivations.transfer.risks.rates import mean as over_tasks
from proofs_check.derivations.transfer.risks.remaining import c1, c2

T, D = (vector(name, 4)(j, k) for name in ("T", "D"))
size_T, size_D, size_T_L = (sqrt(outputs(v**2)) for v in (T, D, T + D))
lemma_c9 = at_every_task("Lemma C.9", size_D**4, "D4", c1 * rate(c2, 6, 2))
proposition_3_1 = at_every_task("Proposition 3.1", size_D**2, "D2", c1 * rate(c2, 3, 1))


def statements(
    on_D: int | Fraction = 64, on_T: int | Fraction = 72, eight: int | Fraction = 8, share: int | Fraction = 1
) -> tuple[Statement, ...]:
    """E(|T_L| + |T|)^4 <= eight (E|T_L|^4 + E|T|^4), the second line with on_D E|D|^4 + on_T
    E|T|^4, the third one by Lemma C.9, and (E|D|^2)^{1/2} by Proposition 3.1, times a share.
    """
    both, rest = mean(size_T_L**4) + mean(size_T**4), on_T * mean(size_T**4)
    root = sqrt(c1) * sqrt(over_tasks(rate(c2, 3, 1)))
    return (
        Statement(mean((size_T_L + size_T) ** 4), "<=", Fraction(eight) * both),
        Statement(8 * both, "<=", on_D * mean(size_D**4) + rest),
        Statement(8 * both, "<=", on_D * (c1 * over_tasks(rate(c2, 6, 2))) + rest, hypotheses(*lemma_c9)),
        Statement(sqrt(mean(size_D**2)), "<=", Fraction(share) * root, hypotheses(*proposition_3_1)),
    )


def _fourth_power(X: Term, Y: Term) -> Theorem:
    return show((X + Y) ** 4, "<=", 8 * X**4 + 8 * Y**4, X, Y)


@proves("BB:LE.2.4", statements, part=1)
@cache
def power_of_the_sum() -> Theorem:
    each = _fourth_power(size_T_L, size_T)
    return show(mean(each.lhs), "<=", 8 * mean(size_T_L**4) + 8 * mean(size_T**4), each)


@proves("BB:LE.2.4", statements, part=2)
@cache
def with_the_triangle() -> Theorem:
    """|T_L| <= |T| + |D|."""
    triangle = instantiate(norm_of_a_sum(*(instantiated(v, {j: i}) for v in (T, D))), {p: m})
    rest = 8 * mean(size_T**4)
    return calc(
        8 * mean(size_T_L**4) + rest,
        ("<=", 8 * mean((size_T + size_D) ** 4) + rest, triangle),
        ("<=", 8 * mean(8 * size_T**4 + 8 * size_D**4) + rest, _fourth_power(size_T, size_D)),
        ("==", 64 * mean(size_D**4) + 72 * mean(size_T**4)),
    )


@proves("BB:LE.2.4", statements, part=3)
@cache
def with_lemma_c9() -> Theorem:
    bound = 64 * (c1 * over_tasks(rate(c2, 6, 2))) + 72 * mean(size_T**4)
    return calc(with_the_triangle(), ("<=", bound, on_average(lemma_c9)))


@proves("BB:LE.2.4", statements, part=4)
@cache
def with_proposition_3_1() -> Theorem:
    bound = sqrt(c1 * over_tasks(rate(c2, 3, 1)))
    return show(sqrt(mean(size_D**2)), "<=", bound, on_average(proposition_3_1))


#: Two outputs with a last coordinate each, the square of the distance of the others, and a label.
a, b, y = (Variable(name, range=REALS) for name in ("a", "b", "y"))
others_a, others_b, others = (Variable(name, range=NONNEGATIVE) for name in ("a2", "b2", "d2"))


def squared_loss_statement(square: int | Fraction = 2) -> Statement:
    """|l(a, y) - l(b, y)| <= sqrt(square) max(|(a, y)|, |(b, y)|)|a - b| for the squared loss of
    the last coordinates.
    """
    M = larger(sqrt(a**2 + others_a + y**2), sqrt(b**2 + others_b + y**2))
    bound = sqrt(term(Fraction(square))) * M * sqrt((a - b) ** 2 + others)
    return Statement(size((a - y) ** 2 / 2 - (b - y) ** 2 / 2), "<=", bound)


@proves("BB:4.loss/segment", squared_loss_statement)
@cache
def squared_loss() -> Theorem:
    """The square of the difference is at most (a^2 + b^2 + 2 y^2)(a - b)^2, and a mean of squares
    at most the larger one.
    """
    change = (a - y) ** 2 / 2 - (b - y) ** 2 / 2
    ends = a**2 + others_a + y**2, b**2 + others_b + y**2
    M, far = larger(*map(sqrt, ends)), (a - b) ** 2 + others
    core, near = a**2 + b**2 + 2 * y**2, (a - b) ** 2
    square = calc(
        arithmetic(change**2, "<=", core * near),
        ("<=", (ends[0] + ends[1]) * far, show(core, "<=", ends[0] + ends[1]), show(near, "<=", far)),
        ("<=", 2 * M**2 * far, *below_the_larger(*ends)),
    )
    return calc(square_bounded(square, change), ("==", sqrt(term(2)) * M * sqrt(far), M, far))
