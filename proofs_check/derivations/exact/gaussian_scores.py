"""R4 (b): the score of a Gaussian token has the law of a normal number whose variance is s."""

from __future__ import annotations

from fractions import Fraction

from numerics.derivations.derived import chain, exp
from numerics.derivations.rules import specialise
from numerics.derivations.sorts import REALS, Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Function, Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.gaussian_tokens import R, b, mean, n, rank, weight_of_a_vector, xi
from proofs_check.derivations.softmax_average import d, i, j, over

l = Variable("l", Sort.INDEX)
lam = Variable("lambda", range=REALS)
U, z = Function("U", (Sort.INDEX, Sort.INDEX)), Function("z", (Sort.INDEX,))


def at_the_query(index: Variable) -> Term:
    """A coordinate of Uz."""
    return over(l, d, U(index, l) * z(l))


#: The score of the token R xi, and s = z'U' Gamma U z with Gamma = R R'.
score = over(i, d, at_the_query(i) * over(n, rank, R(i, n) * xi))
s = over(i, d, over(j, d, at_the_query(i) * over(n, rank, R(i, n) * R(j, n)) * at_the_query(j)))


def statement(half: Fraction = Fraction(1, 2)) -> Statement:
    """E e^{lambda score} = e^{half lambda^2 s} for every lambda."""
    return Statement(mean(exp(lam * score)), "==", exp(half * lam**2 * s))


def theorem() -> Theorem:
    """The mean of e^{b.xi} at b = lambda R'Uz."""
    at = specialise(weight_of_a_vector(), {b: ((n,), lam * over(i, d, at_the_query(i) * R(i, n)))})
    return chain(mean(exp(lam * score)), at, exp(lam**2 * s / 2))
