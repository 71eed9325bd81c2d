"""The mean of e^{lambda |xi|^2} over a standard Gaussian vector of every dimension (our R6)."""

from __future__ import annotations

from fractions import Fraction

from numerics.derivations.binding import bind
from numerics.derivations.derived import chain, exp, log, turned
from numerics.derivations.rules import arithmetic, assume, equal, gaussian, integrate, replace, specialise
from numerics.derivations.sorts import POSITIVE, Range, Sort, whole
from numerics.derivations.statements import Statement
from numerics.derivations.terms import GAUSSIAN, Term, Variable
from numerics.derivations.theorems import Theorem

j, xi, d = Variable("j", Sort.INDEX), Variable("xi_", Sort.NORMAL), Variable("d", range=whole(1))
lam = Variable("lambda", range=POSITIVE)
#: 1 - 2 lambda, for a lambda below 1/2.
r, M = Variable("r", range=Range(Fraction(0), Fraction(1))), Variable("M", range=POSITIVE)


def _from(half: int | Fraction) -> Theorem:
    return assume("lambda is large", half, "<=", lam)


def weight(factor: Term) -> Term:
    """The mean of exp(factor |xi|^2)."""
    square = bind("coordinates", (j,), factor * GAUSSIAN(j, xi) ** 2, (d,))
    return bind("normal", (xi,), exp(square))


def statements(half: int | Fraction = Fraction(1, 2)) -> tuple[Statement, Statement]:
    """(1 - 2 lambda)^{-d/2} below 1/2, where r = 1 - 2 lambda, and infinite from there on: above
    every number M. Here `half` stands for the exponent and for the 1/2 of the second part.
    """
    finite = exp(-(d * half) * log(r))
    return Statement(weight((1 - r) / 2), "==", finite), Statement(
        M, "<=", weight(lam), _from(half).assumptions
    )


def finite() -> Theorem:
    """The Gaussian integral without a linear term."""
    one = equal((1 - r) + r, 1)
    return chain(weight((1 - r) / 2), gaussian(xi, j, d, 0, one), exp(-(d / 2) * log(r)))


def infinite() -> Theorem:
    """The mean is at least that for every smaller lambda; at r = e^{-2 M} this is e^{dM} >= M."""
    square = GAUSSIAN(j, xi) ** 2
    point = arithmetic((1 - r) / 2 * square, "<=", lam * square, _from(Fraction(1, 2)), hide=(square,))
    exponent = integrate("coordinates", (j,), point, (d,))
    larger = chain(
        finite().rhs, turned(finite()), integrate("normal", (xi,), replace(exp(exponent.lhs), exponent))
    )
    small = exp(-2 * M)
    at = specialise(larger, {r: small}, arithmetic(small, "<", 1))
    return chain(arithmetic(M, "<=", exp(d * M)), arithmetic(exp(d * M), "==", at.lhs), at)
