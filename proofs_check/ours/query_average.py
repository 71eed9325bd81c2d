"""Our replacements of Propositions 3.1 and 3.4 and of Lemmas C.6 and C.9 of Boursier & Boyer:
errors averaged over the query have explicit bounds for every L >= 1, sigma > 0 and U. The steps are
proved, and the bounds are tried on instances whose errors are exact sums or quadratures.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim
from proofs_check.instances.query_average import UNPROVED, general, output_or_gradient, times
from proofs_check.ours.query_average_steps import exponents_compared, from_one_token, from_two_tokens
from theory.bounds.query_average import gradient_U_average, gradient_V_average, lemma_c6_average, lemma_c9_average, output_average

AVERAGE = r"\mathbb{E}\|T[\hat\mu_L]-T[\mu]\|_{L^2(\nu)}^2"
GRAD = r"\mathbb{E}\|\nabla_{%s}T[\hat\mu_L]-\nabla_{%s}T[\mu]\|_{L^2(\nu)}^2"


@claim(
    "OURS:P3.1",
    control=dict(c=Fraction(1, 57)),
    needs=("OURS:R1", "OURS:QA.tilt", "OURS:QA.weight", "OURS:QA.min", "OURS:QA.min/theta", "OURS:P3.1/bracket"),
    argument="R1 with f = id and the convex hull with QA.tilt bound the error at a fixed query; QA.min with theta averages over it",
    hypotheses=("L in Integers", "L >= 1"),
    unproved=UNPROVED,
    reference={},
)
def output_averaged_over_the_query(*, c: Fraction = Fraction(1)) -> Evidence:
    """E|T_L - T|^2 <= |V|^2 sigma^2 2^{d/2} (300 (1+h) + 8 ln L + 20 (d+1) kappa) / L^min(1, 1/(16
    kappa)), every L >= 1.
    """
    bound = times(c, lambda L, s, u, d: output_average(L, s, u, 1, d))
    return output_or_gradient(bound, "output", checked=rf"{AVERAGE}\le\text{{output\_average}}")


@claim(
    "OURS:P3.4.V",
    control=dict(c=Fraction(1, 57)),
    needs=("OURS:P3.1", "BB:C.7.gV"),
    argument="each of the d_out rows of the gradient is the output for V = I",
    hypotheses=("L in Integers", "L >= 1"),
    unproved=UNPROVED,
    reference={},
)
def gradient_in_V_averaged_over_the_query(*, c: Fraction = Fraction(1)) -> Evidence:
    """E|grad_V T_L - grad_V T|^2 is at most d_out times the bound of P3.1 with |V| = 1; Assumption
    3.3 is not needed.
    """
    bound = times(c, lambda L, s, u, d: gradient_V_average(L, s, u, 1, d))
    return output_or_gradient(bound, "output", checked=rf"{GRAD % ('V', 'V')}\le\text{{gradient\_V\_average}}", given="d_out = 1")


@claim(
    "OURS:P3.4.U/split",
    control=dict(c=2),
    argument="C_L - C = (M_L - M) - e e' - m e' - e m' with e = T_L - m, M_L = sum p_k z_k z_k'",
)
def square_of_the_covariance_error(*, c: int = 3) -> Evidence:
    """(A + B + 2 D)^2 <= 3 (A^2 + B^2 + 4 D^2) for A = |M_L - M|, B = |e|^2, D = |m| |e|."""
    A, B, D = sp.symbols("A B D", nonnegative=True)
    return forall((A + B + 2 * D) ** 2, "<=", c * (A**2 + B**2 + 4 * D**2), {x: Closed(0, oo) for x in (A, B, D)})


@claim(
    "OURS:P3.4.U/small",
    control=dict(c=25000),
    argument="units of F8 = sqrt(E|Z|^8): R1 for z z', R2 for z, R1 for z with |m|^2 <= e^{2 a2} E|Z|^2 and (E|Z|^4) <= F8",
)
def three_contributions(*, c: int = 25125) -> Evidence:
    """3 (75 e^{4 a2}/L + 8000 e^{16 a2}/L^2 + 300 e^{6 a2}/L) <= 25125 y where y = e^{8
    a2}/L <= 1.
    """
    a2, y = sp.Symbol("a2", nonnegative=True), sp.Symbol("y", positive=True)
    terms = 75 * y * exp(-4 * a2) + 8000 * y**2 + 300 * y * exp(-2 * a2)
    return forall(3 * terms, "<=", c * y, {a2: Closed(0, oo), y: sp.Interval.Lopen(0, 1)})


@claim(
    "OURS:P3.4.U/large",
    control=dict(c=3),
    needs=("OURS:QA.tilt",),
    argument="C_L and C are positive semidefinite, so |C_L - C|_F^2 <= (tr C_L)^2 + (tr C)^2 <= max|z_k|^4 + (E_{mu_z}|Z|^2)^2",
)
def the_bound_without_concentration(*, c: int = 4) -> Evidence:
    """Over sigma^4: (4 + 4 h + 4 l)^2 + (4 h + 4 a2)^2 <= 4 (12 + 4 h)^2 + 32 l^2 + 32 a2^2 with l
    = ln L; and 4 <= 25125.
    """
    h, a2, l = sp.symbols("h a2 l", nonnegative=True)
    square = (4 + 4 * h + 4 * l) ** 2 + (4 * h + 4 * a2) ** 2
    return forall(square, "<=", c * (12 + 4 * h) ** 2 + 32 * l**2 + 32 * a2**2, {x: Closed(0, oo) for x in (h, a2, l)})


@claim("OURS:P3.4.U/numbers", control=dict(first=60900))
def the_constants_of_the_gradient(*, first: int = 61000) -> Evidence:
    """25125 * 4/sqrt(e) <= 61000, 32 * 4/sqrt(e) <= 78 and 32 (4/sqrt(e))^3 <= 460."""
    x, root = sp.Symbol("x", positive=True), sp.exp(sp.Rational(1, 2))
    rows = ((25125 * 4 / root, first), (32 * 4 / root, 78), (32 * (4 / root) ** 3, 460))
    parts = [forall(left * x, "<=", right * x, {x: (0, oo)}) for left, right in rows]
    spoiled = forall(32 * 4 / root * x, "<=", 77 * x, {x: (0, oo)})
    return all_of(parts[0], *(p.replace(control=spoiled) for p in parts[1:]))


@claim("OURS:P3.4.U/form", argument="r = ln L / ln 2 >= 1 for L >= 2; every term of the difference is >= 0")
def the_form_of_the_paper_for_the_gradient() -> Evidence:
    """sigma >= 1, L = 2^r >= 2: A + D ln^2 L + B sigma^4 <= sigma^4 ln^2(L) ((A + B)/ln^2 2 + D);
    theta >= c2/sigma^2.

    For L >= 1 the same with 1 + ln L in place of ln L; D = 78 (d + 1), B = 460 (d + 3)^3 |U|^4.
    """
    return all_of(exponents_compared(), from_two_tokens(2), from_one_token(2))


@claim(
    "OURS:P3.4.U",
    control=dict(c=Fraction(1, 14 * 10**6)),
    needs=(
        "OURS:R1",
        "OURS:R2",
        "BB:LC.1.15",
        "OURS:QA.tilt",
        "OURS:QA.weight",
        "OURS:QA.min",
        "OURS:QA.min/theta",
        "OURS:P3.4.U/split",
        "OURS:P3.4.U/small",
        "OURS:P3.4.U/large",
        "OURS:P3.4.U/numbers",
    ),
    argument="row i of the gradient is (C_L - C) v_i z', all rows at most |V|^2 |z|^2 |C_L - C|_F^2; QA.min in y = e^{8 a2}/L",
    hypotheses=("L in Integers", "L >= 1"),
    unproved=UNPROVED,
    reference={},
)
def gradient_in_U_averaged_over_the_query(*, c: Fraction = Fraction(1)) -> Evidence:
    """E|grad_U T_L - grad_U T|^2 <= |V|^2 sigma^4 2^{d/2} [...] / L^min(1, 1/(32 kappa)), every L
    >= 1, without Assumption 3.3.
    """
    bound = times(c, lambda L, s, u, d: gradient_U_average(L, s, u, 1, d))
    return output_or_gradient(bound, "gradient in U", checked=rf"{GRAD % ('U', 'U')}\le\text{{gradient\_U\_average}}")


@claim("OURS:LC.6/bracket", control=dict(c=Fraction(1, 2)), needs=("OURS:QA.tilt",))
def larger_constants_of_both_orders(*, c: int | Fraction = 1) -> Evidence:
    """2 (1+l+h)^2 + 2 (1+h+a2)^2 <= 75 (3+h)^2 + 4 l^2 + 4 a2^2, and the same with 8, 8000 and 16;
    c multiplies l^2 and a2^2.

    l = ln L; these are C.6 with p = 2 and C.9. C.6 with p = 1 is OURS:P3.1/bracket.
    """
    h, a2, l = sp.symbols("h a2 l", nonnegative=True)
    both = (1 + l + h) ** 2 + (1 + h + a2) ** 2
    tail, domain = sp.Rational(c) * (l**2 + a2**2), {x: Closed(0, oo) for x in (h, a2, l)}
    second = forall(2 * both, "<=", 75 * (3 + h) ** 2 + 4 * tail, domain)
    return all_of(second, forall(8 * both, "<=", 8000 * (3 + h) ** 2 + 16 * tail, domain))


@claim(
    "OURS:LC.6",
    control=dict(c=Fraction(1, 263)),
    needs=("OURS:R1", "OURS:QA.tilt", "OURS:QA.weight", "OURS:QA.min", "OURS:QA.min/theta", "OURS:LC.6/bracket"),
    cites=("Cauchy-Schwarz inequality",),
    argument="as OURS:P3.1 for |f(z)| <= C_f |z|^p; the Cauchy-Schwarz inequality takes g out and doubles the weight of the query",
    hypotheses=("L in Integers", "L >= 1"),
    unproved=UNPROVED,
    reference={},
)
def general_second_order_bound(*, c: Fraction = Fraction(1)) -> Evidence:
    """E|err g|^2 <= C_f^2 (4 sigma^2)^p sqrt(E|g|^4) 2^{d/4} [...] / L^min(1, 1/(32 kappa));
    Assumption C.5 (ii) is not needed.
    """
    bound = times(c, lambda L, s, u, d, p, root: lemma_c6_average(L, s, u, 1, d, p, root))
    return general(bound, 2, checked=r"\mathbb{E}\|(R_L/S_L-R/S)g\|_{L^2(\nu)}^2\le\text{lemma\_c6\_average}")


@claim("OURS:LC.6/form", argument="r = ln L / ln 2 >= 1 for L >= 2; every term of the difference is >= 0; LC.9 is the case p = 2")
def the_form_of_the_paper_for_both_orders() -> Evidence:
    """sigma >= 1, L = 2^r >= 2: A + D ln^p L + B sigma^{2p} <= sigma^{2p} ln^p(L) ((A + B)/ln^p 2 +
    D); theta >= c2/sigma^2.

    For L >= 1 the same with 1 + ln L in place of ln L; p = 1, 2, D = 2p for C.6 and 16 for C.9.
    """
    return all_of(exponents_compared(), *(part(p) for p in (1, 2) for part in (from_two_tokens, from_one_token)))


@claim(
    "OURS:LC.9",
    control=dict(c=Fraction(1, 174100)),
    needs=("OURS:R2", "OURS:QA.tilt", "OURS:QA.weight", "OURS:QA.min", "OURS:QA.min/theta", "OURS:LC.6/bracket"),
    cites=("Cauchy-Schwarz inequality",),
    argument="as OURS:LC.6 with R2 for R1; QA.min in y = e^{8 a2}/L with exponents up to 2",
    hypotheses=("L in Integers", "L >= 1"),
    unproved=UNPROVED,
    reference={},
)
def general_fourth_order_bound(*, c: Fraction = Fraction(1)) -> Evidence:
    """E|err g|^4 <= 16 C_f^4 sigma^4 sqrt(E|g|^8) 2^{d/4} [...] / L^{2 min(1, 1/(128 kappa))},
    without Assumption C.8 (ii).
    """
    bound = times(c, lambda L, s, u, d, p, root: lemma_c9_average(L, s, u, 1, d, root))
    return general(bound, 4, checked=r"\mathbb{E}\|(R_L/S_L-R/S)g\|_{L^4(\nu)}^4\le\text{lemma\_c9\_average}")
