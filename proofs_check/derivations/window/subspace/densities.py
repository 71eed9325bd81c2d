"""Lemma H.4 of Collins et al., the sentence after (60): H_{a,b} is positive where one of the
densities is, from the definition of h_{a,b}.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.subspace.two_tokens import h

a, b = (Variable(name, range=Range(Fraction(-1), Fraction(1), False, False)) for name in "ab")
c = Variable("c", range=Range(Fraction(0), Fraction(1), True, False))
first, second, dense = (Variable(name, range=POSITIVE) for name in ("alpha_1", "alpha_2", "p_a"))
thin = Variable("p_b", range=NONNEGATIVE)
#: e^{c(a - b)} and alpha_2/alpha_1, as numbers.
y = Variable("y", range=Range(Fraction(2, 15), Fraction(15, 2), False, False))
alpha = Variable("alpha", range=Range(Fraction(0), Fraction(1)))


def H(x: Term, z: Term, of_a: Term, of_b: Term, p: Term = first, q: Term = second) -> Term:
    """(60), for the densities x and z at a and b."""
    both = h(of_a, of_b, p, q) + h(of_b, of_a, p, q)
    return x * z * both + x**2 / 2 * h(of_a, of_a, p, q) + z**2 / 2 * h(of_b, of_b, p, q)


@cache
def smaller() -> Theorem:
    return assume("alpha_2 < alpha_1", second, "<", first)


def statements(sign: int = 1) -> tuple[Statement, Statement]:
    """0 < sign H_{a,b} where the density at a, or that at b, is positive."""
    given = smaller().assumptions
    of = lambda x, z: Statement(term(0), "<", sign * H(x, z, exp(c * a), exp(c * b)), given)
    return of(dense, thin), of(thin, dense)


@cache
def positive() -> tuple[Theorem, Theorem]:
    """H is homogeneous in the exponentials and in the factors; at y = e^{c(a - b)} <= e^2 < 15/2
    and alpha = alpha_2/alpha_1 a prover sees it.
    """
    u, v, unit = *(Variable(name, range=POSITIVE) for name in "uv"), term(1)
    put = {y: exp(c * a - c * b), alpha: second / first}
    ends = (
        arithmetic(exp(c * a - c * b), "<=", Fraction(15, 2)),
        arithmetic(Fraction(2, 15), "<=", exp(c * a - c * b)),
        arithmetic(second / first, "<", 1, smaller()),
    )

    def shown(x: Variable, z: Variable) -> Theorem:
        reduced = instantiate(arithmetic(0, "<", H(x, z, y, unit, unit, alpha)), put, *ends)
        same = arithmetic(H(x, z, u, v), "==", H(x, z, u / v, unit, unit, second / first) / first**2)
        same = instantiate(same, {u: exp(c * a), v: exp(c * b)})
        scaled = show(0, "<", reduced.rhs / first**2, reduced, reduced.rhs)
        return chain(scaled, same.rhs, show(same.rhs, "<=", same.lhs, same))

    return shown(dense, thin), shown(thin, dense)


for id in ("COL:H.4.pab", "COL:H.4.pab/density"):
    proves(id, statements, part=(1, 2))(positive)
