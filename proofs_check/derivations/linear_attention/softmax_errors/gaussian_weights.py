"""The mean of e^{lambda |xi|^2} over a standard Gaussian vector of every dimension (our R6)."""

from __future__ import annotations

from fractions import Fraction

from numerics.derivations.derived import exp, log
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, gaussian, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Range, Sort, whole
from numerics.derivations.kernel.terms import GAUSSIAN, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves

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


@proves("OURS:R6.fixed/integral", statements, part=1)
def finite() -> Theorem:
    """The Gaussian integral without a linear term."""
    one = show((1 - r) + r, "==", 1)
    return show(weight((1 - r) / 2), "==", exp(-(d / 2) * log(r)), gaussian(xi, j, d, 0, one))


@proves("OURS:R6.fixed/integral", statements, part=2)
def infinite() -> Theorem:
    """The mean is at least that for every smaller lambda; at r = e^{-2 M} this is e^{dM} >= M."""
    square, small = GAUSSIAN(j, xi) ** 2, exp(-2 * M)
    point = show((1 - r) / 2 * square, "<=", lam * square, _from(Fraction(1, 2)), square)
    larger = calc(exp(-(d / 2) * log(r)), ("==", weight((1 - r) / 2), finite()), ("<=", weight(lam), point))
    at = instantiate(larger, {r: small}, show(small, "<", 1))
    return calc(M, ("<=", exp(d * M)), ("==", at.lhs), ("<=", weight(lam), at))
