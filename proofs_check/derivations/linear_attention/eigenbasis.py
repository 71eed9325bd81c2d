"""The flow with infinite prompts in an eigenbasis of the covariance, in every dimension: the
eigenvalues are functions of an index, and the parameters functions of two indices and of time.

An index is any of 1, 2, ..., while sums run over the first d. What is said of the identity matrix
for every index therefore holds for its entries next to eigenvalues, which are 0 beyond the d-th.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import START, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.matrices import d, i, j, matrix, over

t = Variable("t", Sort.TIME)
l, f = Function("l", (Sort.INDEX,)), Function("f", (Sort.INDEX,))
delta = matrix("delta")
U_, u_ = (
    Function("U_block", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1)),
    Function("u", (Sort.TIME,), Fraction(1)),
)
U, u = U_(i, j, t), u_(t)

#: 1 in the range of S and 0 in its kernel.
h = Function("h", (Sort.INDEX,))

eigenvalues = assume("the eigenvalues are not negative", 0, "<=", l(i), every=(i,))
#: What is used of the identity matrix.
picks = assume(
    "delta is the identity, and l_i = 0 for i > d: sum_j delta_ij l_j f_j = l_i f_i",
    over((j,), delta(i, j) * (l(j) * f(j))),
    "==",
    l(i) * f(i),
    every=(i, f),
)
swaps = assume(
    "delta is the identity: delta_ij f_i = delta_ij f_j",
    delta(i, j) * f(i),
    "==",
    delta(i, j) * f(j),
    every=(i, j, f),
)
squares = assume(
    "delta is the identity: delta_ij is 0 or 1", delta(i, j) ** 2, "==", delta(i, j), every=(i, j)
)
in_range = assume("h is 1 in the range of S: h l = l", h(i) * l(i), "==", l(i), every=(i,))
zero_or_one = assume("h is 0 or 1", h(i) ** 2, "==", h(i), every=(i,))
IDENTITY = picks.assumptions | swaps.assumptions | squares.assumptions


def pairs(e: Term) -> Term:
    """The sum over both indices."""
    return over((i, j), e)


def summed(thm: Theorem) -> Theorem:
    return integrate("coordinates", (i, j), thm, (d, d))


def at_start(e: Term) -> Term:
    return instantiated(e, {t: START})


def trace(e: Term) -> Term:
    return over((i,), e)


#: The bracket u S U - I; twice the risk, tr(B S B'); the trace of S; the length of the gradient.
B = u * l(i) * U - delta(i, j)
twice_risk = pairs(l(j) * B**2)
trace_S = pairs(l(j) * delta(i, j) ** 2)
flow = (
    assume("the flow of U", U_.rate(i, j, t), "==", -(u * l(i) * l(j)) * B, every=(i, j, t)),
    assume("the flow of u", u_.rate(t), "==", -pairs(l(i) * l(j) * B * U), every=(t,)),
)
FLOW = flow[0].assumptions | flow[1].assumptions
speed = pairs(U_.rate(i, j, t) ** 2) + u_.rate(t) ** 2


@cache
def balance_is_kept() -> Theorem:
    """|U|^2 - u^2 stays what it is."""
    each = show(U * U_.rate(i, j, t), "==", -u * (l(i) * l(j) * B * U), flow[0])
    balance = pairs(U**2) - u**2
    slope = calc(
        derivative(balance, t),
        ("==", -2 * u * pairs(l(i) * l(j) * B * U) - 2 * u * u_.rate(t), each),
        ("==", 0, flow[1]),
    )
    return antitone(balance, t, slope)
