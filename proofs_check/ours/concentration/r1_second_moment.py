"""R1: the mean squared error at a fixed query is at most 50 e^{4 a2} sqrt(E|f|^4) / L for every
sub-Gaussian law and every L; and the parts of its first proof, which has the constant 75.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import E, exp, oo, sqrt

from numerics.attention.exact import softmax_average as average
from numerics.attention.exact.softmax_average import symbol
from numerics.counterexamples.worst_case.statement import Mean
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.concentration import second_moment_R1

L, a2, K = symbol("L"), symbol("a2"), symbol("F4")
ANY_L, ANY_A2 = sp.Symbol("L", integer=True, positive=True), sp.Symbol("a2", nonnegative=True)
DOMAIN = {ANY_L: Integers(1, oo), ANY_A2: Closed(0, oo)}
x = sp.Symbol("x", positive=True)
VIA = {x: ANY_L * exp(-2 * ANY_A2) / 8}


@claim("OURS:R1", sharp="C", hypotheses=("L in Integers", "L >= 1"), reference={})
def second_moment_at_a_fixed_query(*, C: int | Fraction = 50) -> Evidence:
    r"""For every $f$, every $L\geq1$ and every query,
    $\mathbb{E}|R_L/S_L-R/S|^2\leq50e^{4a_2}\sqrt{\mathbb{E}|f|^4}/L$ with $a_2=\sigma^2|Uz|^2$; `C`
    stands for 50. The derivation splits the mean on $\{S_L<\frac25S\}$, whose probability is
    bounded by Chernoff's method, and cites no theorem.
    """
    search = worst_ratio(Mean(average.error_squared), "<=", second_moment_R1(L, a2, K, C))
    return derivation("OURS:R1", search, C=C)


@claim("OURS:R1.off", sharp="c", hypotheses=("L in Integers", "L >= 1"), reference={})
def contribution_where_the_normaliser_holds(*, c: int | Fraction = 16) -> Evidence:
    r"""Where $S_L\geq S/2$ the mean square of the error is $\mathbb{E}[|{\rm err}|^2;S_L\geq\frac
    S2]\leq16e^{4a_2}\sqrt{\mathbb{E}|f|^4}/L$; `c` stands for 16.
    """
    return derivation(
        "OURS:R1.off", worst_ratio(Mean(average.error_off_A), "<=", c * exp(4 * a2) * K / L), c=c
    )


@claim("OURS:R1.off/numerator", sharp="c", hypotheses=("L in Integers", "L >= 1"), reference={})
def mean_square_of_the_numerator(*, c: int | Fraction = 4) -> Evidence:
    r"""The numerator of the error satisfies
    $\mathbb{E}|R_L-S_LR/S|^2\leq4Le^{4a_2}\sqrt{\mathbb{E}|f|^4}$; `c` stands for 4.
    """
    return derivation(
        "OURS:R1.off/numerator", worst_ratio(Mean(average.numerator), "<=", c * L * exp(4 * a2) * K), c=c
    )


@claim(
    "OURS:R1.on",
    sharp="c",
    control=(dict(share=Fraction(4, 5)), dict(c=Fraction(1, 4))),
    hypotheses=("L in Integers", "L >= 1"),
)
def contribution_where_the_normaliser_fails(*, c: int | Fraction = 2, share: int | Fraction = 1) -> Evidence:
    r"""With $x=\frac L8e^{-2a_2}$, $\mathbb{P}(S_L<\frac S2)\leq e^{-x}$, and $\mathbb{E}[|{\rm
    err}|^2;S_L<\frac S2]\leq2\sqrt LKe^{-x/2}+2e^{2a_2}Ke^{-x}$. Here `share` multiplies the bound
    of the probability, and `c` stands for the factor 2.
    """
    y = L * exp(-2 * a2) / 8
    failing = worst_ratio(Mean(average.failure), "<=", sp.Rational(share) * exp(-y))
    error = worst_ratio(
        Mean(average.error_on_A), "<=", c * (sqrt(L) * K * exp(-y / 2) + exp(2 * a2) * K * exp(-y))
    )
    return derivation("OURS:R1.on", failing, error, c=c, share=share)


def _total() -> sp.Expr:
    """The sum of the three contributions in units of e^{4 a2} sqrt(E|f|^4) / L."""
    y = ANY_L * exp(-2 * ANY_A2) / 8
    on = 2 * ANY_L ** sp.Rational(3, 2) * exp(-4 * ANY_A2) * exp(-y / 2) + 2 * ANY_L * exp(-2 * ANY_A2) * exp(
        -y
    )
    return 16 + on


@claim("OURS:R1.sum", control=(dict(C=74), dict(top=22)), reference={})
def the_contributions_add_up(*, C: int = 75, top: int = 24) -> Evidence:
    r"""In units of $e^{4a_2}\sqrt{\mathbb{E}|f|^4}/L$ the three contributions add up to
    $16+2L^{3/2}e^{-4a_2-x/2}+2Le^{-2a_2-x}$ with $x=\frac L8e^{-2a_2}$, which is at most
    $16+2\cdot24^{3/2}e^{-3/2}+\frac{16}e<75$; `top` stands for 24 and `C` for 75.
    """
    bound = 16 + 2 * sp.Integer(top) ** sp.Rational(3, 2) * exp(-sp.Rational(3, 2)) + 16 / E
    unit = sp.Symbol("u", positive=True)
    return all_of(
        forall(_total(), "<=", bound, DOMAIN, via=VIA), forall(bound * unit, "<", C * unit, {unit: (0, oo)})
    )


@claim("OURS:R1.sum/joint", control=dict(C=Fraction(709, 10)), reference={})
def the_contributions_do_not_peak_together(*, C: int | Fraction = 71) -> Evidence:
    r"""The sum of the three contributions, in the units of R1.sum, is even at most 71, because they
    do not peak together; `C` stands for 71.

    The proof that splits at $S/2$ gives this constant when its terms are not maximised one by one;
    R1 splits at $\frac25S$.
    """
    return forall(_total(), "<=", C, DOMAIN, via=VIA)
