"""R4 (b): the scores of L independent Gaussian tokens have the law of L independent normal numbers
whose variance is s.
"""

from __future__ import annotations

from fractions import Fraction

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import b, mean, n, rank, weight_of_a_vector, xi
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, over

l, m, a = (Variable(name, Sort.INDEX) for name in "lma")
L = Variable("L", range=whole(1))
#: The tokens are factor_l xi with one Gaussian vector xi, and have the covariance Gamma.
R, Gamma = (
    Function("factor", (Sort.INDEX, Sort.INDEX, Sort.INDEX)),
    Function("Gamma", (Sort.INDEX, Sort.INDEX)),
)
U, z = Function("U", (Sort.INDEX, Sort.INDEX)), Function("z", (Sort.INDEX,))
lam, c = Function("lambda", (Sort.INDEX,)), Function("c", (Sort.INDEX, Sort.INDEX))


def tokens(body: Term) -> Term:
    return bind("coordinates", (l,), body, (L,))


def pairs(body: Term) -> Term:
    return bind("coordinates", (l, m), body, (L, L))


independent = assume(
    "independent tokens of the covariance Gamma",
    pairs(c(l, m) * over(n, rank, R(l, i, n) * R(m, j, n))),
    "==",
    tokens(c(l, l)) * Gamma(i, j),
    every=(c, i, j),
)


def at_the_query(index: Variable) -> Term:
    """A coordinate of Uz."""
    return over(a, d, U(index, a) * z(a))


#: The score of token l, and s = z'U' Gamma U z.
score = over(i, d, at_the_query(i) * over(n, rank, R(l, i, n) * xi))
s = over(i, d, over(j, d, at_the_query(i) * Gamma(i, j) * at_the_query(j)))


def statement(half: Fraction = Fraction(1, 2)) -> Statement:
    """E e^{sum_l lambda_l score_l} = e^{half s sum_l lambda_l^2} for all numbers lambda_l."""
    both = mean(exp(tokens(lam(l) * score))), exp(half * s * tokens(lam(l) ** 2))
    return Statement(both[0], "==", both[1], hypotheses(independent))


@proves("OURS:R4.b", statement)
def theorem() -> Theorem:
    """The mean of e^{b.xi} at b = sum_l lambda_l R_l'Uz, whose square is s sum_l lambda_l^2."""
    slope = tokens(lam(l) * over(i, d, at_the_query(i) * R(l, i, n)))
    one, weight = instantiate(independent, {c: ((l, m), lam(l) * lam(m))}), at_the_query(i) * at_the_query(j)
    each = show(weight * one.lhs, "==", weight * one.rhs, one, weight, one.lhs, one.rhs)
    form = calc(
        over(n, rank, slope**2),
        ("==", over(i, d, over(j, d, weight * one.lhs))),
        ("==", over(i, d, over(j, d, weight * one.rhs)), each),
        ("==", s * tokens(lam(l) ** 2)),
    )
    return calc(
        mean(exp(tokens(lam(l) * score))),
        ("==", exp(form.lhs / 2), instantiate(weight_of_a_vector(), {b: ((n,), slope)})),
        ("==", exp(s * tokens(lam(l) ** 2) / 2), form),
    )
