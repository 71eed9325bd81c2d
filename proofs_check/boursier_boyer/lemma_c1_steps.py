"""Lemma C.1 of Boursier & Boyer, the proof: every deterministic step, from the triangle inequality
(14) to the constant 27, proved or refuted over its whole domain.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp
from sympy import Abs, Max, exp, log, oo, sqrt

from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import Closed, Integers, forall, identity
from proofs_check.core.claim import MEANS, claim
from theory.bounds.concentration import alpha_minus, alpha_plus, beta, delta_min

L = sp.Symbol("L", integer=True, positive=True)
a2 = sp.Symbol("a2", nonnegative=True)  # sigma^2 |Uz|^2
delta = sp.Symbol("delta", positive=True)
K = sp.Symbol("K", positive=True)  # sqrt(E|f|^4)
PROMPT_DOMAIN = {L: Integers(1, oo), a2: Closed(0, oo), delta: (0, 1)}
m, p = sp.Symbol("alpha_-", nonnegative=True), sp.Symbol("alpha_+", positive=True)
y, k = sp.symbols("y k", positive=True)  # S_L / S and S / L
HALF_OPEN_UNIT_INTERVAL = sp.Interval.Ropen(0, 1)


@claim("BB:LC.1.13-14", argument="the norm of a sum is at most the sum of the norms, and the two terms are those of the identity")
def the_error_splits_in_two() -> Evidence:
    """(14) before its triangle inequality: in each coordinate, R_L/S_L - R/S is the sum of the two
    terms.
    """
    R_L, R = sp.symbols("R_L R", real=True)
    S_L, S = sp.symbols("S_L S", positive=True)
    return identity(R_L / S_L - R / S, (R_L - R) / S_L + R * (1 / S_L - 1 / S))


@claim("BB:LC.1.am/choice")
def alpha_minus_makes_the_tail_delta() -> Evidence:
    """With alpha_- = e^{a2} sqrt(2 ln(1/delta)/L) the Chung-Lu bound exp(-alpha_-^2 L e^{-2 a2}/2)
    is delta.
    """
    with sp.evaluate(False):  # so that the ledger shows the bound, not what SymPy makes of it at once
        bound = exp(-(alpha_minus(L, a2, delta) ** 2) * L * exp(-2 * a2) / 2)
    return identity(bound, delta)


@cache
def _alpha_minus_below_one(power: int) -> Evidence:
    """Prove alpha_- < 1 for every delta < 1/2 that the condition of the lemma admits; it admits
    none for L <= 5, as e^{-5/8} > 1/2.
    """
    sigma, n = sp.Symbol("sigma", positive=True), sp.Symbol("n", nonnegative=True)  # n = |Uz|
    admitted = (delta, ">=", delta_min(L, sigma**power * n**2))

    def up_to(longest: sp.Expr | int) -> Evidence:
        domain = {L: Integers(6, longest), sigma: (0, oo), n: Closed(0, oo), delta: (0, sp.Rational(1, 2))}
        return forall(alpha_minus(L, sigma**2 * n**2, delta), "<", 1, domain, where=[admitted])

    shortest = up_to(6)
    return shortest if shortest.verdict is Verdict.REFUTED else up_to(oo)


@claim(
    "BB:LC.1.inv",
    false="gap",
    why=r"Dividing by $1-\alpha_{-}$ needs $\alpha_{-}<1$. The condition of the lemma, printed without $\sigma^{2}$, does not "
    r"give it, and for $\alpha_{-}>1$ the display bounds $1/S_{L}>0$ by a negative number.",
    instead=r"For $\delta<1/2$ with $\delta\geq\exp(-\frac{L}{8}e^{-2\sigma^{2}\|Uz\|^{2}})$ one has $\alpha_{-}<1$, and the "
    r"displayed inequalities hold with probability at least $1-2\delta$.",
    repair=dict(power=2),
    control=dict(c=Fraction(99, 100)),
    needs=("BB:LC.1.sand",),
    argument="if alpha_- > 1, the first line bounds 1/S_L > 0 by a negative number, where it claims a probability 1 - 2 delta > 0",
    hypotheses=("L in Integers", "L >= 1", "sigma > 0", "n >= 0", "0 < delta", "delta < 1/2", "delta >= exp(-L/8*exp(-2*n**2))"),
)
def distance_of_the_inverses(*, c: int | Fraction = 1, power: int = 0) -> Evidence:
    """1/S_L <= 1/((1 - alpha_-) S), which needs alpha_- < 1; then |1/S_L - 1/S| <= c max(alpha_+,
    alpha_-/(1 - alpha_-)) / S with c = 1. Below, n = |Uz|.

    The condition of the lemma gives alpha_- < 1 with sigma^power |Uz|^2 in it, power = 2, not as it
    is printed, with power = 0.
    """
    below_one = _alpha_minus_below_one(power)
    if not below_one.verdict.accepted:
        return below_one
    between = forall(
        Abs(1 / y - 1),
        "<=",
        sp.Rational(c) * Max(p, m / (1 - m)),
        {y: (0, oo), m: HALF_OPEN_UNIT_INTERVAL, p: (0, oo)},
        where=[(y, ">=", 1 - m), (y, "<=", 1 + p)],
    )
    return all_of(below_one, between)


@claim(
    "BB:LC.1.glue.a",
    assumes=(MEANS,),
    control=dict(c=Fraction(1, 2)),
    needs=("BB:LC.1.13-14", "BB:LC.1.M"),
    argument="expectation over a centred score x: S = L E e^x >= L (1 + E x) = L",
)
def the_sum_of_weights_is_at_least_L_in_the_mean(*, c: int | Fraction = 1) -> Evidence:
    """L e^x >= L (1 + c x) with c = 1 for every score x, of which S >= L is the expectation."""
    x = sp.Symbol("x", real=True)
    return forall(L * exp(x), ">=", L * (1 + sp.Rational(c) * x), {L: Integers(1, oo), x: (-oo, oo)})


@claim(
    "BB:LC.1.glue.b",
    dial="c",
    needs=("BB:LC.1.13-14", "BB:LC.1.glue.a", "BB:LC.1.inv", "BB:LC.1.am", "BB:LC.1.RL"),
    argument="add |R| |1/S_L - 1/S| from LC.1.inv to the term checked here; failures delta + delta + 2 delta make 4 delta; "
    "where the cap makes alpha_- = 1 the bound is infinite",
)
def gluing_the_two_terms(*, c: int = 1) -> Evidence:
    """Given LC.1.RL and LC.1.sand: |R_L - R|/S_L <= beta/(1 - alpha_-), with k = S/L >= 1, y =
    S_L/S >= 1 - alpha_-.

    The probability of the event and the other term of (14) are the needs'; only this inequality is
    executed.
    """
    deviation = exp(2 * a2) * sqrt(K) * sqrt(3 * L / delta)  # the bound of |R_L - R|
    factor = identity(deviation / L, beta(L, a2, delta, K))
    weight = forall(
        1 / (k * y), "<=", c / (1 - m), {k: Closed(1, oo), y: (0, oo), m: HALF_OPEN_UNIT_INTERVAL}, where=[(y, ">=", 1 - m)]
    )
    return all_of(factor, weight)


@claim("BB:LC.1.dmin")
def alpha_minus_below_a_half() -> Evidence:
    """alpha_-^2 - 1/4 is (2 e^{2 a2}/L) (ln(1/delta) - ln(1/delta_min)), a positive factor: the two
    conditions are one.
    """
    difference = log(1 / delta) - log(1 / delta_min(L, a2))
    return identity(alpha_minus(L, a2, delta) ** 2 - sp.Rational(1, 4), 2 * exp(2 * a2) / L * difference)


@claim(
    "BB:LC.1.half",
    dial="c",
    needs=("BB:LC.1.dmin", "BB:LC.1.glue.b"),
    argument="insert it twice into the bound of LC.1.glue.b, whose probability stays",
    reference={},
)
def the_inverse_is_at_most_two(*, c: int = 2) -> Evidence:
    """For delta >= delta_min, that is alpha_- <= 1/2: 1/(1 - alpha_-) <= 2; this is what is
    executed of the displayed bound.
    """
    return forall(1 / (1 - m), "<=", c, {m: Closed(0, sp.Rational(1, 2))})


@claim("BB:LC.1.a2a", dial="c", reference={})
def alpha_plus_is_twice_alpha_minus(*, c: int = 3) -> Evidence:
    """alpha_+ >= 2 alpha_-, with the constant c under the root of alpha_+ (printed: 3)."""
    return forall(alpha_plus(L, a2, delta, c=c), ">=", 2 * alpha_minus(L, a2, delta), PROMPT_DOMAIN)


@claim(
    "BB:LC.1.fin",
    assumes=(MEANS,),
    dial="c",
    needs=("BB:LC.1.glue.b", "BB:LC.1.half", "BB:LC.1.a2a", "BB:LC.1.15"),
    argument="max(alpha_+, alpha_-/(1 - alpha_-)) <= alpha_+ on alpha_- <= 1/2, and sqrt(E|f|^2) <= (E|f|^4)^{1/4} by Jensen; "
    "the probability is that of LC.1.glue.b",
    reference=dict(F=1),
)
def the_sum_and_its_square(*, c: int = 3) -> Evidence:
    """The sum of both terms is at most c e^{2 a2} (E f^4)^{1/4} sqrt(3/(delta L)), and the square
    of that with c = 3 has the 27.
    """
    F2 = sp.Symbol("F2", nonnegative=True)  # sqrt(E|f|^2)
    F = sp.Symbol("F", positive=True)  # (E|f|^4)^{1/4}
    common = exp(2 * a2) * sqrt(3 / (delta * L))
    total = forall(
        common * (F2 + 2 * F), "<=", c * common * F, {F2: Closed(0, oo), F: (0, oo), **PROMPT_DOMAIN}, where=[(F2, "<=", F)]
    )
    square = identity((3 * exp(2 * a2) * F * sqrt(3 / (delta * L))) ** 2, 27 * (exp(2 * a2) * F * sqrt(1 / (delta * L))) ** 2)
    return all_of(total, square)
