"""The gradient flow of in-context linear regression with infinite prompts, in matrices of every
dimension: what it conserves (our R5, Appendix F.3 of Boursier & Boyer).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import START, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.matrices import (
    PENROSE,
    RANGE,
    G,
    H,
    S,
    Word,
    a,
    b,
    dot,
    entry,
    i,
    j,
    matrix,
    over,
    range_from_the_right,
)
from proofs_check.derivations.proof import proves

t = Variable("t", Sort.TIME)
U_, u_ = (
    Function("U", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1)),
    Function("u", (Sort.TIME,), Fraction(1)),
)
u = u_(t)


def U(x: Variable, y: Variable) -> Term:
    return U_(x, y, t)


def U_transposed(x: Variable, y: Variable) -> Term:
    return U_(y, x, t)


def _trace(word: Word) -> Term:
    return over((i,), entry(word, i, i))


#: dU/dt = -u S (u S U - I) S and du/dt = -tr((u S U - I) S U' S).
moved = -(u**2 * entry((S, S, U, S))) + u * entry((S, S))
slowed = -(u * _trace((S, U, S, U_transposed, S))) + _trace((S, U_transposed, S))
flow = (
    assume("the flow of U", U_.rate(i, j, t), "==", moved, every=(i, j, t)),
    assume("the flow of u", u_.rate(t), "==", slowed, every=(t,)),
)
FLOW = flow[0].assumptions | flow[1].assumptions


balance = dot(U(i, j), U(i, j)) - u**2


#: P(U) = U - H U H, the part of U that S does not see.
rest = U(i, j) - entry((H, U, H))


def at_start(e: Term) -> Term:
    return instantiated(e, {t: START})


def conservation_statements(factor: int = 1, taken: int = 1) -> tuple[Statement, Statement]:
    """R5: |U|^2 - u^2 and P(U) stay what they are; `factor` multiplies u^2, and `taken` H U H."""
    norms, kept = dot(U(i, j), U(i, j)) - factor * u**2, U(i, j) - taken * entry((H, U, H))
    return Statement(norms, "==", at_start(norms), FLOW), Statement(kept, "==", at_start(kept), FLOW | RANGE)


# The start of Assumption 5.1 (Appendix F.3).

sigma = Variable("sigma", range=POSITIVE)
Theta = matrix("Theta")
gram = over((a,), Theta(i, a) * Theta(j, a))
start_of_U = assume("U(0) = sigma Theta Theta'", U_(i, j, START), "==", sigma * gram, every=(i, j))
start_of_u = assume("u(0) = sigma", u_(START), "==", sigma)
of_norm_1 = assume("|Theta Theta'| = 1", dot(gram, gram), "==", 1)


def balancedness_statements(factor: int = 1) -> tuple[Statement, Statement]:
    """F.3: |U|^2 - u^2 is conserved, and 0 from the printed start on; `factor` multiplies u^2."""
    norms, _ = conservation_statements(factor)
    start = start_of_U.assumptions | start_of_u.assumptions | of_norm_1.assumptions
    return norms, Statement(dot(U(i, j), U(i, j)) - factor * u**2, "==", term(0), FLOW | start)


@proves("OURS:R5.cons", conservation_statements, part=2)
@cache
def rest_is_kept() -> Theorem:
    """As H S = S = S H, the derivative dU of the form S N S has P(dU) = 0."""
    left, right = PENROSE[2], range_from_the_right()
    with_U = left.within(right=(S, U, S, H)).then(right.within(left=(S, S, U))).shown
    without = left.within(right=(S, H)).then(right.within(left=(S,))).shown
    there = instantiate(flow[0], {i: a, j: b})
    each = show(H(i, a) * U_.rate(a, b, t) * H(b, j), "==", H(i, a) * there.rhs * H(b, j), there)
    slope = calc(
        derivative(rest, t),
        ("==", moved + u**2 * with_U.lhs - u * without.lhs, flow[0], each),
        ("==", 0, with_U, without),
    )
    return antitone(rest, t, slope)


@proves("BB:F.3.cons", balancedness_statements, part=1)
@proves("OURS:R5.cons", conservation_statements, part=1)
@cache
def balance_is_kept() -> Theorem:
    """The derivative of |U|^2 - u^2 is 2 tr(U'dU) - 2 u du, and both traces are equal."""
    each = show(U(i, j) * U_.rate(i, j, t), "==", U(i, j) * moved, flow[0])
    slope = calc(
        derivative(balance, t), ("==", 2 * dot(U(i, j), moved) - 2 * u * u_.rate(t), each), ("==", 0, flow[1])
    )
    return antitone(balance, t, slope)


@proves("BB:F.3.cons", balancedness_statements, part=2)
def balanced() -> Theorem:
    """At the start |U| = sigma = u."""
    square = show(U_(i, j, START) ** 2, "==", (sigma * gram) ** 2, start_of_U, gram)
    return calc(
        balance_is_kept(),
        ("==", sigma**2 * dot(gram, gram) - u_(START) ** 2, square),
        ("==", sigma**2 - u_(START) ** 2, of_norm_1),
        ("==", 0, start_of_u),
    )


def affine_statement(times: int = 1) -> Statement:
    """F.3: U(t) is sigma Theta Theta' + S M S with an M that is named; `times` multiplies it."""
    change = lambda x, y: U_(x, y, t) - U_(x, y, START)
    moved = over((a, b), S(i, a) * entry((G, change, G), a, b) * S(b, j))
    return Statement(U(i, j), "==", sigma * gram + times * moved, FLOW | RANGE | start_of_U.assumptions)


@proves("BB:F.3.4a", affine_statement)
def affine() -> Theorem:
    """As P(U) stays what it is, U(t) - U(0) = H (U(t) - U(0)) H, where H = S S^+ = S^+ S."""
    both = PENROSE[0].within(right=(U, H)).then(PENROSE[1].within(left=(S, G, U))).shown
    first = instantiate(both, {t: START})
    return calc(
        U(i, j),
        ("==", rest + both.lhs),
        ("==", at_start(rest) + both.lhs, rest_is_kept()),
        ("==", U_(i, j, START) - first.lhs + both.lhs),
        ("==", U_(i, j, START) - first.rhs + both.rhs, first, both),
        ("==", sigma * gram - first.rhs + both.rhs, start_of_U),
    )
