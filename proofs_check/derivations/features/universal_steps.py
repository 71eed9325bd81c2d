"""R12: whatever the features, at none of the steps of gradient descent up to K/(6 e eta sigma_f^2
R^4) a query has the attention 1/2 on its own class; K is M + 1 here.

By induction |Q| is at most 3 e eta sigma_f^2 R^2/K times the number of steps, and so at most
1/(2 R^2): if it has been so far, then the next step adds at most that much to it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, sqrt
from numerics.derivations.kernel.rules import arithmetic, assume, induction
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import FIRST, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.feature_flow import (
    G,
    M,
    at,
    direction,
    entries,
    eta,
    h,
    i,
    j,
    others,
    own,
    p,
    queries,
    spread,
)
from proofs_check.derivations.features.universal_bound import (
    R,
    b,
    balanced,
    differences,
    no_large_attention,
    norm,
    of_entries,
    own_norm,
    probabilities,
    rho,
    six_classes,
    slow,
    speed,
)
from proofs_check.derivations.proof import proves

t = Variable("t", Sort.STEP)
Q, number = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.STEP)), Function("number", (Sort.STEP,))
X, later = Q(i, j, t), Q.after(i, j, t)
size, later_size = sqrt(entries(X**2)), sqrt(entries(later**2))
score_step = at(G, X)

descent = assume("gradient descent", later, "==", X + eta * score_step, every=(i, j, t))
from_0 = assume("descent from Q = 0", Q(i, j, FIRST), "==", 0, every=(i, j))
first = assume("the number of the first step", number(FIRST), "==", 0)
counted = assume("the number of the next step", number.after(t), "==", number(t) + 1, every=(t,))


def up_to(end: Term) -> Theorem:
    return assume("steps up to the displayed number", number(t), "<=", end, every=(t,))


def statement(six: int = 6, times: int | Fraction = 6, half: Fraction = Fraction(1, 2)) -> Statement:
    """w_k < half at every step up to K/(times e eta sigma_f^2 R^4), for K >= six."""
    end = (M + 1) / (times * exp(term(1)) * eta * spread * R**4)
    classes = assume("at least six classes", six, "<=", M + 1)
    features = (differences, own_norm, norm, balanced, probabilities, classes)
    given = hypotheses(descent, from_0, first, counted, up_to(end), *features)
    return Statement(at(own, X), "<", term(half), given)


@cache
def inside(so_far: Theorem) -> Theorem:
    """|Q| <= 1/(2 R^2) where |Q| has been at most the speed times the number of steps so far."""
    early = up_to((M + 1) / (6 * exp(term(1)) * eta * spread * R**4))
    return calc(so_far, ("<=", speed * early.rhs, early), ("==", rho))


@cache
def one_step(so_far: Theorem) -> Theorem:
    """|Q_(t+1)|^2 = <Q_(t+1), Q_t> + eta <Q_(t+1), -gradient> <= |Q_(t+1)| (|Q_t| + speed)."""
    N, inner, along = entries(later**2), entries(later * X), entries(direction * later)
    near = slow(X, inside(so_far), later, later_size)
    moved = calc(
        eta * entries(later * score_step),
        ("==", eta * queries(others(at(h, X) * along))),
        ("<=", eta * queries(spread * p * (R**2 * later_size) * (3 * b)), near),
        ("==", speed * later_size, probabilities),
    )
    schwarz = calc(
        inner**2, ("<=", N * entries(X**2), of_entries(later, X)), ("==", (later_size * size) ** 2)
    )
    level = show(inner, "<=", later_size * size, schwarz, inner, later_size, size)
    split = arithmetic(later**2, "==", later * X + eta * (later * score_step), descent, hide=(score_step,))
    square = calc(
        later_size**2,
        ("==", N),
        ("==", inner + eta * entries(later * score_step), split),
        ("<=", later_size * size + speed * later_size, level, moved),
    )
    grown = show(later_size, "<=", size + speed, square, later_size, size, speed)
    return calc(
        grown,
        ("<=", speed * number(t) + speed, so_far),
        ("==", speed * number.after(t), counted),
    )


@cache
def slowly() -> Theorem:
    """|Q| is at most the speed times the number of steps."""
    so_far = assume("|Q| so far", size, "<=", speed * number(t), every=(t,))
    none = show(entries(Q(i, j, FIRST) ** 2), "==", 0, from_0)
    base = calc(sqrt(none.lhs), ("==", speed * number(FIRST), none, first, none.lhs))
    (hypothesis,) = so_far.assumptions
    return induction(hypothesis, t, base, one_step(so_far))


@proves("OURS:R12.steps", statement)
@cache
def theorem() -> Theorem:
    """w_k <= e/K < 1/2 at the displayed steps."""
    small, _ = no_large_attention(X, inside(slowly()))
    return calc(small, ("<", Fraction(1, 2), arithmetic(b, "<", Fraction(1, 2), six_classes)))
