"""R2: the fourth moment of the error at a fixed query is at most 8000 e^{16 a2} sqrt(E|f|^8) / L^2
for every sub-Gaussian law and every L.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp
from sympy import exp, oo, sqrt

from numerics.attention.exact.softmax_average import (
    error_fourth,
    fourth_off_A,
    fourth_on_A,
    numerator_fourth,
    symbol,
)
from numerics.counterexamples.worst_case.families import THREE_ATOMS, TWO_ATOMS
from numerics.counterexamples.worst_case.statement import Mean
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.ours.concentration.r1_second_moment import ANY_A2, ANY_L, DOMAIN
from theory.bounds.concentration_moments import fourth_moment_R2

L, a2, K8 = symbol("L"), symbol("a2"), symbol("F8")
ONE_TOKEN = (replace(TWO_ATOMS, lengths=(1,)), replace(THREE_ATOMS, lengths=(1,)))
SEARCHED = (replace(TWO_ATOMS, lengths=(1, 2, 3, 10, 100)), replace(THREE_ATOMS, lengths=(1, 2)))


@claim("OURS:R2", sharp="C", hypotheses=("L in Integers", "L >= 1"), reference={})
def fourth_moment_at_a_fixed_query(*, C: int | Fraction = 8000) -> Evidence:
    r"""For every $f$, every $L\geq1$ and every query,
    $\mathbb{E}|R_L/S_L-R/S|^4\leq8000e^{16a_2}\sqrt{\mathbb{E}|f|^8}/L^2$ with
    $a_2=\sigma^2|Uz|^2$; `C` stands for 8000.
    """
    search = worst_ratio(Mean(error_fourth), "<=", fourth_moment_R2(L, a2, K8, C), families=SEARCHED)
    return derivation("OURS:R2", search, C=C)


@claim("OURS:R2.off", sharp="c", hypotheses=("L in Integers", "L >= 1"), reference={})
def contribution_where_the_normaliser_holds(*, c: int | Fraction = 1024) -> Evidence:
    r"""Where $S_L\geq S/2$ the mean fourth power of the error is $\mathbb{E}[|{\rm
    err}|^4;S_L\geq\frac S2]\leq1024e^{16a_2}\sqrt{\mathbb{E}|f|^8}/L^2$; `c` stands for 1024.
    """
    search = worst_ratio(Mean(fourth_off_A), "<=", c * exp(16 * a2) * K8 / L**2, families=SEARCHED)
    return derivation("OURS:R2.off", search, c=c)


@claim("OURS:R2.off/numerator", sharp="c", hypotheses=("L in Integers", "L >= 1"), reference={})
def mean_fourth_power_of_the_numerator(*, c: int | Fraction = 64) -> Evidence:
    r"""The numerator of the error satisfies
    $\mathbb{E}|R_L-S_LR/S|^4\leq64L^2e^{16a_2}\sqrt{\mathbb{E}|f|^8}$, where `c` stands for 64; the
    derivation gives even 48.
    """
    search = worst_ratio(Mean(numerator_fourth), "<=", c * L**2 * exp(16 * a2) * K8, families=SEARCHED)
    return derivation("OURS:R2.off/numerator", search, c=c)


@claim("OURS:R2.off/sum", control=(dict(c=Fraction(5, 2)), dict(two=3)))
def fourth_power_of_a_centred_sum(*, c: int | Fraction = 4, two: int = 2) -> Evidence:
    r"""For a sum $N$ of $L$ iid centred vectors $X$,
    $\mathbb{E}|N|^4=Lm_4+L(L-1)(m_2^2+2s)\leq4L^2m_4$ with $m_k=\mathbb{E}|X|^k$ and
    $s=\mathbb{E}(X^\top X')^2$; `two` stands for the 2 before $s$ and `c` for the 4, where 3 is
    enough.
    """
    length = ANY_L
    m2, m4, s = sp.symbols("m2 m4 s", positive=True)
    fourth = lambda count: count * m4 + count * (count - 1) * (m2**2 + two * s)
    step = identity(fourth(length + 1) - fourth(length), 2 * length * m2**2 + 4 * length * s + m4)
    part, share = sp.symbols("theta phi", nonnegative=True)
    most = fourth(length).subs({s: share * m2**2}).subs(m2, sqrt(part * m4))
    domain = {length: Integers(1, oo), m4: (0, oo), part: Closed(0, 1), share: Closed(0, 1)}
    bound = forall(most, "<=", sp.Rational(c) * length**2 * m4, domain)
    return derivation("OURS:R2.off/sum", step, bound, c=c, two=two)


@claim("OURS:R2.off/one", sharp="top")
def fourth_power_of_one_term(*, top: int | Fraction = 16) -> Evidence:
    r"""For $X=w(f-R/S)$, $\mathbb{E}|X|^4\leq16e^{16a_2}K_8$ is derived, from
    $|X|^4\leq8w^4(|f|^4+|R/S|^4)$; `top` stands for the 16. It is tried on prompts of one token,
    whose numerator $R_L-S_LR/S$ is $X$, and on longer ones with $16L^2$.
    """
    search = worst_ratio(Mean(numerator_fourth), "<=", top * L**2 * exp(16 * a2) * K8, families=ONE_TOKEN)
    return derivation("OURS:R2.off/one", search, top=top)


@claim("OURS:R2.on", control=dict(c=Fraction(9, 10)), hypotheses=("L in Integers", "L >= 1"))
def contribution_where_the_normaliser_fails(*, c: int | Fraction = 8) -> Evidence:
    r"""With $x=\frac L8e^{-2a_2}$ and $K_8=\sqrt{\mathbb{E}|f|^8}$, $\mathbb{E}[|{\rm
    err}|^4;S_L<\frac S2]\leq8\sqrt LK_8e^{-x/2}+8e^{4a_2}K_8e^{-x}$; `c` stands for the factor 8.
    """
    y = L * exp(-2 * a2) / 8
    right = c * (sqrt(L) * K8 * exp(-y / 2) + exp(4 * a2) * K8 * exp(-y))
    return derivation("OURS:R2.on", worst_ratio(Mean(fourth_on_A), "<=", right, families=SEARCHED), c=c)


@claim("OURS:R2.sum", control=(dict(C=7900), dict(top=39)), reference={})
def the_contributions_add_up(*, C: int = 8000, top: int = 40) -> Evidence:
    r"""In units of $e^{16a_2}\sqrt{\mathbb{E}|f|^8}/L^2$ the three contributions add up to
    $1024+8L^{5/2}e^{-16a_2-x/2}+8L^2e^{-12a_2-x}$ with $x=\frac L8e^{-2a_2}$, which is at most
    $1024+8\cdot40^{5/2}e^{-5/2}+2048/e^2<8000$; `top` stands for 40 and `C` for 8000.
    """
    t, unit = sp.symbols("t u", positive=True)
    y = ANY_L * exp(-2 * ANY_A2) / 8
    on = 8 * ANY_L**2 * sqrt(ANY_L) * exp(-16 * ANY_A2) * exp(-y / 2) + 8 * ANY_L**2 * exp(
        -12 * ANY_A2
    ) * exp(-y)
    bound = 1024 + 8 * sp.Integer(top) ** sp.Rational(5, 2) * exp(-sp.Rational(5, 2)) + 2048 * exp(-2)
    added = forall(1024 + on, "<=", bound, DOMAIN, via={t: exp(-2 * ANY_A2)})
    return all_of(added, forall(bound * unit, "<", C * unit, {unit: (0, oo)}))
