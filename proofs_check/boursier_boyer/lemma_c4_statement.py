"""Lemma C.4 of Boursier & Boyer, the statement: a bound on the mean squared error at a fixed query.
As printed, with C_f to the first power, it fails for one token, where ln L = 0; with C_f squared it
is derived, and tried on the worst laws that a search finds.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp
from sympy import exp, oo, sqrt

from numerics.attention.softmax_average import error_squared, symbol
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity
from numerics.search.families import THREE_ATOMS, TWO_ATOMS, Point, on_line
from numerics.search.statement import Mean
from numerics.search.worst_average import at_point, worst_ratio
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.concentration import lemma_c4

L, a2, F4, sigma2, d, Z8 = (symbol(name) for name in ("L", "a2", "F4", "sigma2", "d", "Z8"))
C_f = {1: symbol("C_f"), 2: symbol("C_f2")}
HALF = Fraction(1, 2)
ONE_TOKEN = (replace(TWO_ATOMS, lengths=(1,)), replace(THREE_ATOMS, lengths=(1,)))
SEARCHED = (replace(TWO_ATOMS, lengths=(1, 2, 3, 10, 100)), replace(THREE_ATOMS, lengths=(1, 2)))
# Rademacher tokens at U = 0 and f(z) = 244 z, the least multiple of z that breaks the printed bound
SCALED = Point(on_line((1, -1), (HALF, HALF)), Fraction(0), (Fraction(244), Fraction(-244)))


@claim(
    "BB:LC.4",
    false="edge",
    at="L = 1",
    costs="constants",
    repair=dict(power=2),
    dial="c",
    control=(dict(power=1), dict(square=Fraction(1, 2000))),
    hypotheses=("L in Integers", "L >= 1"),
    reference={},
)
def mean_square_at_a_fixed_query(
    *, power: int = 1, c: int | Fraction = 1, square: int | Fraction = 1
) -> Evidence:
    r"""Printed with $C_f$ to the `power` 1, it is refuted by one token; repaired, the power is 2,
    and the bound, times `c` = 1 for $p=1$ and `square` = 1 for $p=2$, is derived: its first term is
    above R1 for $L\geq2$, and its second one above
    $2(1+e^{2\sigma^2\|Uz\|^2})\sqrt{\mathbb{E}\|f\|^4}$ for $L=1$.
    """
    common = (L, a2, F4, sigma2)
    linear = sp.Rational(c) * lemma_c4(*common, C_f[1], d, power=power)
    quadratic = sp.Rational(square) * lemma_c4(*common, C_f[2], d, p=2, Z8=Z8, power=power)
    scaled = at_point(SCALED, 1, Mean(error_squared), linear)
    if power == 1:
        return scaled
    first, second = (
        worst_ratio(Mean(error_squared), "<=", bound, families=SEARCHED) for bound in (linear, quadratic)
    )
    return derivation("BB:LC.4", all_of(scaled, first), second, c=c, square=square)


@claim("BB:LC.4/one-token", dial="two", control=(dict(c=Fraction(1, 6)), dict(square=Fraction(5, 6))))
def one_token(*, two: int | Fraction = 2, c: int | Fraction = 1, square: int | Fraction = 1) -> Evidence:
    r"""At $L=1$ the mean squared error is at most $2(1+e^{2\sigma^2\|Uz\|^2})K$ with
    $K=\sqrt{\mathbb{E}\|f\|^4}$, and with $C_f^2$ this is at most `c` = 1 times the second term for
    $p=1$ and `square` = 1 times that for $p=2$, for any positive numbers in place of $C_f$ and of
    $\mathbb{E}\|Z\|^8$; `two` stands for the first 2. All are derived. The second route tries one
    token, and compares the last two for $K$ written as $(16\sigma^2)^pC_f^2v^p$.
    """
    a = sp.Symbol("a2", nonnegative=True)
    v, w, s, g, m = sp.symbols("v w sigma2 C_f Z8", positive=True)
    bound = sp.Rational(two) * (1 + exp(2 * a2)) * F4
    # The examples of its property test have longer prompts.
    parts = [worst_ratio(Mean(error_squared), "<=", bound, families=ONE_TOKEN).replace(sides=())]
    for p, factor in ((1, c), (2, square)):
        K = (16 * s) ** p * g**2 * v**p
        second = lemma_c4(sp.S.One, a, K, s, g, sp.S.One, p=p, Z8=m, power=2)
        growth = 1 if p == 1 else 1 + sqrt(sqrt(m)) / (22 * s)
        unit = 2 * (16 * s) ** p * g**2
        rate = exp(2 * a / p) - (sp.Rational(1, 2) if p == 1 else 1 / sqrt(2))
        reduced = identity(second / unit, p * exp(2) * growth * exp(rate * v))
        right = sp.Rational(factor) * p * exp(2) * exp(rate * v)
        below = forall(
            (1 + exp(2 * a)) * v**p, "<=", right, {v: (0, oo), a: Closed(0, oo)}, via={w: exp(2 * a / p)}
        )
        parts.append(all_of(reduced, below))
    return derivation("BB:LC.4/one-token", *parts, two=two, c=c, square=square)


def divisor_is_positive(power: int, closed: bool) -> Evidence:
    """Decide whether 16 sigma^2 C_f^power > 0 for every C_f > 0, or C_f >= 0 if `closed`."""
    g = sp.Symbol("C_f", nonnegative=True) if closed else sp.Symbol("C_f", positive=True)
    s = sp.Symbol("sigma2", positive=True)
    return forall(16 * s * g**power, ">", 0, {g: Closed(0, oo) if closed else (0, oo), s: (0, oo)})


@claim(
    "BB:LC.4/zero",
    false="edge",
    at="f = 0",
    costs="nothing",
    repair=dict(closed=False),
    control=dict(closed=True),
    hypotheses=("C_f >= 0", "sigma2 > 0"),
)
def the_exponent_is_defined(*, closed: bool = True) -> Evidence:
    r"""The divisor $16\sigma^2C_f^{2/p}$, $p=1,2$, is positive for every $C_f$ that the lemma
    admits. Printed, it admits $C_f=0$ (`closed`), which is refuted; the repair asks for $C_f>0$.
    """
    return all_of(*(divisor_is_positive(2 // p, closed) for p in (1, 2)))
