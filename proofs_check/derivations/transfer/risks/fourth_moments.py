"""The fourth moments of the two outputs in the proof of Lemma E.2 of Boursier & Boyer, and the
squared loss on a segment.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, integrated, sqrt
from numerics.derivations.kernel.rules import arithmetic, gcongr
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS
from numerics.derivations.kernel.terms import Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from proofs_check.derivations.transfer.risks.outcomes import (
    both_signs,
    inner,
    j,
    k,
    larger,
    mean,
    outputs,
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


@cache
def triangle() -> Theorem:
    """|T_L| <= |T| + |D|."""
    squares = outputs(T**2), outputs(D**2)
    total = squares[0] + 2 * outputs(T * D) + squares[1]
    square = chain(
        outputs((T + D) ** 2), total, gcongr(total, both_signs(inner(T, D))[0]), (size_T + size_D) ** 2
    )
    root = gcongr(size_T_L, square)
    return chain(root, arithmetic(root.rhs, "==", size_T + size_D, hide=squares))


@cache
def with_the_triangle() -> Theorem:
    """8 |T_L|^4 + 8 |T|^4 <= 64 |D|^4 + 72 |T|^4."""
    left = 8 * size_T_L**4 + 8 * size_T**4
    point = gcongr(left, triangle())
    point = chain(point, arithmetic(point.rhs, "<=", 64 * size_D**4 + 72 * size_T**4, hide=(size_T, size_D)))
    return integrated(
        "mean",
        (k,),
        point,
        8 * mean(size_T_L**4) + 8 * mean(size_T**4),
        64 * mean(size_D**4) + 72 * mean(size_T**4),
    )


@cache
def power_of_the_sum() -> Theorem:
    """(|T_L| + |T|)^4 <= 8 |T_L|^4 + 8 |T|^4."""
    point = arithmetic(
        (size_T_L + size_T) ** 4, "<=", 8 * size_T_L**4 + 8 * size_T**4, hide=(size_T_L, size_T)
    )
    return integrated("mean", (k,), point, None, with_the_triangle().lhs)


@cache
def with_lemma_c9() -> Theorem:
    """The second line and the bound of E|D|^4."""
    fourth = chain(on_average(lemma_c9), c1 * over_tasks(rate(c2, 6, 2)))
    return chain(with_the_triangle(), gcongr(with_the_triangle().rhs, fourth))


@cache
def with_proposition_3_1() -> Theorem:
    """The root of the bound of E|D|^2."""
    second = chain(on_average(proposition_3_1), c1 * over_tasks(rate(c2, 3, 1)))
    return gcongr(sqrt(mean(size_D**2)), second)


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


@cache
def squared_loss() -> Theorem:
    """The square of the difference is at most (a^2 + b^2 + 2 y^2)(a - b)^2, and a mean of squares
    at most the larger one.
    """
    change = (a - y) ** 2 / 2 - (b - y) ** 2 / 2
    ends = a**2 + others_a + y**2, b**2 + others_b + y**2
    M, far = larger(*map(sqrt, ends)), (a - b) ** 2 + others
    below = [chain(e, gcongr(sqrt(e) ** 2, arithmetic(sqrt(e), "<=", M, hide=ends))) for e in ends]
    core, near = a**2 + b**2 + 2 * y**2, (a - b) ** 2
    larger_parts = arithmetic(core, "<=", ends[0] + ends[1]), arithmetic(near, "<=", far)
    squares = chain(arithmetic(change**2, "<=", core * near), gcongr(core * near, *larger_parts))
    twice = gcongr(squares.rhs, *below)
    root = square_bounded(chain(squares, twice), change)
    return chain(root, arithmetic(root.rhs, "==", sqrt(term(2)) * M * sqrt(far), hide=(M, far)))
