"""R2: the fourth moment of the error at a fixed query is at most 8000 e^{16 a2} sqrt(E|f|^8) / L^2
for every sub-Gaussian law and every L. Algebra is proved; each step and the statement are tried on
the laws at which a search finds them tightest.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp
from sympy import exp, oo, sqrt

from numerics.attention.softmax_average import error_fourth, fourth_off_A, fourth_on_A, numerator_fourth, symbol
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from numerics.search.families import THREE_ATOMS, TWO_ATOMS
from numerics.search.statement import Mean
from numerics.search.worst_average import worst_ratio
from proofs_check.core.claim import MEANS, claim
from proofs_check.ours.r1_second_moment import ANY_A2, ANY_L, CHUNG_LU, x
from theory.bounds.concentration_moments import fourth_moment_R2

L, a2, K8 = symbol("L"), symbol("a2"), symbol("F8")
SEARCHED = (replace(TWO_ATOMS, lengths=(1, 2, 3, 10, 100)), replace(THREE_ATOMS, lengths=(1, 2)))


@claim(
    "OURS:R2",
    dial="C",
    needs=("OURS:R2.off", "OURS:R2.on", "OURS:R2.sum"),
    cites=(CHUNG_LU,),
    argument="E|err|^4 splits on A = {S_L < S/2}; the two parts add up by R2.sum",
    hypotheses=("L in Integers", "L >= 1"),
    reference={},
)
def fourth_moment_at_a_fixed_query(*, C: int | Fraction = 8000) -> Evidence:
    """E|R_L/S_L - R/S|^4 <= 8000 e^{16 a2} sqrt(E|f|^8) / L^2, for every f, every L >= 1 and every
    query.
    """
    return worst_ratio(Mean(error_fourth), "<=", fourth_moment_R2(L, a2, K8, C), families=SEARCHED)


@claim(
    "OURS:R2.off",
    dial="c",
    needs=("OURS:R2.off/sum", "OURS:R2.off/one", "BB:LC.1.M"),
    argument="err = N/S_L and S_L >= S/2 >= L/2 off A: 16 times the mean fourth power of N over L^4, which is at most 4L^2 E|X|^4",
    reference={},
)
def contribution_where_the_normaliser_holds(*, c: int | Fraction = 1024) -> Evidence:
    """E[|err|^4; S_L >= S/2] <= c e^{16 a2} K8/L^2 with c = 1024, after E|R_L - S_L R/S|^4 <=
    (c/16) L^2 e^{16 a2} K8.
    """
    unit = exp(16 * a2) * K8
    sum_of_tokens = worst_ratio(Mean(numerator_fourth), "<=", sp.Rational(c) / 16 * L**2 * unit, families=SEARCHED)
    return all_of(sum_of_tokens, worst_ratio(Mean(fourth_off_A), "<=", c * unit / L**2, families=SEARCHED))


@claim(
    "OURS:R2.off/sum",
    control=dict(c=Fraction(5, 2)),
    argument="induction on L: in |N + X|^4 = (n + 2v + x)^2, n = |N|^2, v = N.X, x = |X|^2, the means of nv and vx vanish, E nx "
    "= L m2^2 and E v^2 = L s with m2 = E|X|^2, s = E(X.X')^2 <= m2^2 <= m4 = E|X|^4",
)
def fourth_power_of_a_centred_sum(*, c: int | Fraction = 4) -> Evidence:
    """E|N|^4 = L m4 + L(L-1)(m2^2 + 2s) for a sum of L iid centred vectors, at most c L^2 m4 with c
    = 4 (3 is enough).
    """
    length = ANY_L
    n, v, y = sp.symbols("n v x", real=True)
    m2, m4, s = sp.symbols("m2 m4 s", positive=True)
    fourth = lambda count: count * m4 + count * (count - 1) * (m2**2 + 2 * s)
    square = identity((n + 2 * v + y) ** 2, n**2 + 2 * n * y + 4 * v**2 + y**2 + 4 * n * v + 4 * v * y)
    step = identity(fourth(length + 1) - fourth(length), 2 * length * m2**2 + 4 * length * s + m4)
    one = identity(fourth(sp.S.One), m4)
    part, share = sp.symbols("theta phi", nonnegative=True)
    most = fourth(length).subs({s: share * m2**2}).subs(m2, sqrt(part * m4))
    domain = {length: Integers(1, oo), m4: (0, oo), part: Closed(0, 1), share: Closed(0, 1)}
    bound = forall(most, "<=", sp.Rational(c) * length**2 * m4, domain)
    return all_of(square, step, one, bound) if bound.verdict.accepted else bound


@claim(
    "OURS:R2.off/one",
    assumes=(MEANS,),
    needs=("BB:LC.1.M/exponents", "BB:LC.1.15"),
    control=dict(c=Fraction(15, 2)),
    argument="X = w (f - r), r = R/S: E|X|^4 <= 8 (E w^4 |f|^4 + |r|^4 E w^4); Cauchy-Schwarz with E w^8 <= e^{32 a2}; |r|^4 <= "
    "e^{4 a2} K8 by (15)",
)
def fourth_power_of_one_term(*, c: int | Fraction = 8) -> Evidence:
    """(p + q)^4 <= c (p^4 + q^4), c = 8; e^{16 a2} and e^{4 a2 + 8 a2} <= e^{16 a2} add up to 16
    e^{16 a2}, as 8 (1 + 1) = 16.
    """
    p, q = sp.symbols("p q", nonnegative=True)
    power = forall((p + q) ** 4, "<=", sp.Rational(c) * (p**4 + q**4), {p: Closed(0, oo), q: Closed(0, oo)})
    if not power.verdict.accepted:
        return power
    moment = lambda k: exp(sp.Integer(k) ** 2 * ANY_A2 / 2)
    eighth = identity(sqrt(moment(8)), exp(16 * ANY_A2))
    total = 8 * (exp(16 * ANY_A2) + exp(4 * ANY_A2) * moment(4))
    return all_of(power, eighth, forall(total, "<=", 16 * exp(16 * ANY_A2), {ANY_A2: Closed(0, oo)}))


@claim(
    "OURS:R2.on",
    control=dict(c=Fraction(9, 10)),
    needs=("OURS:R1.on", "BB:LC.1.15", "OURS:R2.off/one"),
    cites=(CHUNG_LU,),
    argument="on A, |err|^4 <= 8 max|f(z_k)|^4 + 8|R/S|^4; Cauchy-Schwarz with E max|f|^8 <= L E|f|^8 for the first, (15) for "
    "the second",
)
def contribution_where_the_normaliser_fails(*, c: int | Fraction = 8) -> Evidence:
    """E[|err|^4; S_L < S/2] <= 8 sqrt(L) K8 e^{-x/2} + 8 e^{4 a2} K8 e^{-x}, x = (L/8) e^{-2 a2},
    K8 = sqrt(E|f|^8).
    """
    y = L * exp(-2 * a2) / 8
    return worst_ratio(Mean(fourth_on_A), "<=", c * (sqrt(L) * K8 * exp(-y / 2) + exp(4 * a2) * K8 * exp(-y)), families=SEARCHED)


@claim(
    "OURS:R2.sum",
    control=dict(C=7750),
    argument="with L = 8 x e^{2 a2} both terms are those at a2 = 0, times e^{-11 a2} and e^{-8 a2}",
)
def the_contributions_add_up(*, C: int = 8000) -> Evidence:
    """With x = (L/8) e^{-2 a2}: 1024 + 8 L^{5/2} e^{-16 a2 - x/2} + 8 L^2 e^{-12 a2 - x} <= C =
    8000.

    One by one the terms add up to at most 1024 + 8 40^{5/2} e^{-5/2} + 2048/e^2 < 7950; together
    they reach 7766, the edge of C.
    """
    length = 8 * x * exp(2 * ANY_A2)
    first = 8 * (8 * x) ** sp.Rational(5, 2) * exp(-x / 2)
    second = 512 * x**2 * exp(-x)
    joint = forall(1024 + first + second, "<=", C, {x: (0, oo)})
    if not joint.verdict.accepted:
        return joint
    tops = 8 * sp.Integer(40) ** sp.Rational(5, 2) * exp(-sp.Rational(5, 2)) + 2048 * exp(-2)
    unit = sp.Symbol("u", positive=True)
    return all_of(
        joint,
        identity(8 * length ** sp.Rational(5, 2) * exp(-16 * ANY_A2 - x / 2), first * exp(-11 * ANY_A2)),
        identity(8 * length**2 * exp(-12 * ANY_A2 - x), second * exp(-8 * ANY_A2)),
        forall(unit * exp(-8 * ANY_A2), "<=", unit, {unit: (0, oo), ANY_A2: Closed(0, oo)}),
        forall(first + second, "<=", tops, {x: (0, oo)}),
        forall((1024 + tops) * unit, "<", 7950 * unit, {unit: (0, oo)}),
    )
