"""The gradient flow of in-context linear regression with infinite prompts, in matrices of every
dimension: what it conserves (our R5, Appendix F.3 of Boursier & Boyer).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import instantiated
from numerics.derivations.derived import chain
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, fall, integrate, specialise
from numerics.derivations.sorts import POSITIVE, Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import START, Function, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.exact.matrices import (
    PENROSE,
    RANGE,
    G,
    H,
    S,
    Word,
    a,
    b,
    d,
    dot,
    entry,
    i,
    j,
    matrix,
    over,
    range_from_the_right,
)

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


@cache
def balance_is_kept() -> Theorem:
    """The derivative of |U|^2 - u^2 is 2 tr(U'dU) - 2 u du, and both traces are equal."""
    each = arithmetic(U(i, j) * U_.rate(i, j, t), "==", U(i, j) * moved, flow[0], hide=(moved,))
    of_U = integrate("coordinates", (i, j), each, (d, d))
    known = of_U, flow[1]
    both = arithmetic(
        2 * of_U.lhs - 2 * u * u_.rate(t),
        "==",
        2 * of_U.rhs - 2 * u * slowed,
        *known,
        hide=(of_U.rhs, slowed),
    )
    return fall(balance, t, chain(derivative(balance, t), both, 0))


@cache
def rest_is_kept() -> Theorem:
    """As H S = S = S H, the derivative dU of the form S N S has P(dU) = 0."""
    left, right = PENROSE[2], range_from_the_right()
    with_U = left.within(right=(S, U, S, H)).then(right.within(left=(S, S, U))).shown
    without = left.within(right=(S, H)).then(right.within(left=(S,))).shown
    factors = H(i, a) * H(b, j)
    there = specialise(flow[0], {i: a, j: b})
    each = arithmetic(factors * there.lhs, "==", factors * there.rhs, there, hide=(there.rhs,))
    form = -(u**2) * with_U.lhs + u * without.lhs
    turned = chain(integrate("coordinates", (a, b), each, (d, d)), form)
    rate = arithmetic(U_.rate(i, j, t) - turned.lhs, "==", 0, flow[0], turned, with_U, without)
    return fall(rest, t, chain(derivative(rest, t), rate))


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


def balanced() -> Theorem:
    """At the start |U| = sigma = u."""
    square = arithmetic(U_(i, j, START) ** 2, "==", (sigma * gram) ** 2, start_of_U, hide=(gram,))
    norm = chain(integrate("coordinates", (i, j), square, (d, d)), sigma**2 * of_norm_1.lhs)
    first = at_start(balance)
    zero = arithmetic(norm.lhs - u_(START) ** 2, "==", 0, norm, of_norm_1, start_of_u)
    return chain(balance_is_kept(), first, zero)


def affine_statement(times: int = 1) -> Statement:
    """F.3: U(t) is sigma Theta Theta' + S M S with an M that is named; `times` multiplies it."""
    change = lambda x, y: U_(x, y, t) - U_(x, y, START)
    moved = over((a, b), S(i, a) * entry((G, change, G), a, b) * S(b, j))
    return Statement(U(i, j), "==", sigma * gram + times * moved, FLOW | RANGE | start_of_U.assumptions)


def affine() -> Theorem:
    """As P(U) stays what it is, U(t) - U(0) = H (U(t) - U(0)) H, where H = S S^+ = S^+ S."""
    both = PENROSE[0].within(right=(U, H)).then(PENROSE[1].within(left=(S, G, U))).shown
    first = specialise(both, {t: START})
    parts = rest + both.lhs
    same = arithmetic(parts, "==", at_start(rest) + both.lhs, rest_is_kept(), hide=(rest, at_start(rest)))
    named = U_(i, j, START) - first.lhs + both.lhs
    return chain(
        U(i, j),
        same,
        named,
        arithmetic(named, "==", sigma * gram - first.rhs + both.rhs, both, first, start_of_U),
    )
