"""The best time at which the risks of finite and infinite prompts are compared (OURS:T4.3)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import exp, log
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from theory.regression.transfer import sufficient_g2, transferred_limit, transferred_risk

A, mu, g1, kappa, g2, beta, eps = of = tuple(
    Variable(name, range=POSITIVE) for name in ("A", "mu", "g1", "kappa", "g2", "beta", "epsilon")
)
_names = sp.symbols("A mu g1 kappa g2 beta epsilon t R", positive=True)
_A, _mu, _g1, _kappa, _g2, _beta, _eps, _t, _R = _names
q = kappa * g2 / (A * mu)
best = log(1 / q) / (mu + beta)
limit = from_sympy(transferred_limit(_A, _mu, _g1, _kappa, _g2, _beta), dict(zip(_names, of)))
sufficient = from_sympy(sufficient_g2(_eps, _A, _mu, _kappa, _beta), dict(zip(_names, of)))
there = from_sympy(
    transferred_risk(_R, _g1, _kappa, _g2, _beta, _t),
    dict(zip(_names, (*of, best, A * exp(-mu * best)), strict=True)),
)
small_g2 = assume("g2 is sufficiently small", g2, "<=", sufficient)


def early(most: int | Fraction = 1) -> Theorem:
    """The hypothesis q <= 1."""
    return assume("q <= 1", q, "<=", Fraction(most))


def statements(
    half: Fraction = Fraction(1, 2), share: int | Fraction = 1, most: int | Fraction = 1
) -> tuple[Statement, Statement, Statement]:
    """The best time is not negative if q <= most; the bound there is at most a share of the stated
    one; and this is at most g1 + half epsilon if g2 is sufficiently small.
    """
    return (
        Statement(0 * best, "<=", best, hypotheses(early(most))),
        Statement(there, "<=", Fraction(share) * limit),
        Statement(limit, "<=", g1 + Fraction(half) * eps, hypotheses(small_g2)),
    )


@proves("OURS:T4.3/best", statements, part=1)
def not_negative() -> Theorem:
    """The logarithm of 1/q is not negative."""
    return show(0, "<=", best, early(), q)


@proves("OURS:T4.3/best", statements, part=2)
@cache
def bound_there() -> Theorem:
    """The bound of the risk at the best time is the stated one less kappa g2/beta."""
    return calc(there, ("==", limit - kappa * g2 / beta), ("<=", limit))


@proves("OURS:T4.3/best", statements, part=3)
@cache
def half_of_epsilon() -> Theorem:
    """The stated bound rises with g2."""
    return calc(limit, ("<=", instantiated(limit, {g2: sufficient}), small_g2), ("==", g1 + eps / 2))
