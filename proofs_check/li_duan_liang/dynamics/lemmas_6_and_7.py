"""Lemmas 6 and 7 of Li, Duan & Liang with their proofs: attention and gradients in Phase II.
They are tried where Phase II begins, at the printed end of Phase I.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Integers, forall
from proofs_check.core.claim import claim
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import DELTA2, FLAT, HYPOTHESES, WHERE, K, c1, c2, n
from proofs_check.instances.outcomes import charge
from proofs_check.li_duan_liang.dynamics import exactly

delta, L = FLAT["delta"], FLAT["L"]
ATTENTION = slow.attention_early(K, c2 * slow.end_of_phase_1(K))


@claim(
    "LDL:L6.1",
    **charge(false="gap", follows="LDL:P2.attn", costs="the theorem"),
    needs=("LDL:L5.2", *exact_training.R7),
    hypotheses=HYPOTHESES,
    **exactly.ATTENTION_IN_PHASE_2.repaired,
)
@exactly.ATTENTION_IN_PHASE_2
def attention_in_phase_2() -> Evidence:
    r"""$\mathrm{Attn}_k\geq\frac c{1+\delta}$ throughout Phase II is refuted for every $c>0$ at its
    first step, with $K=2n$ classes.
    """
    return defeated(1 / (1 + delta), c1 * ATTENTION, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L6.ub",
    **charge(false="gap", follows="LDL:L5.u", costs="the theorem"),
    repair=dict(times=2),
    control=(dict(least=Fraction(3, 2)), dict(most=Fraction(11, 10))),
    needs=("LDL:L5.exp", "LDL:L5.u", "LDL:attn"),
    hypotheses=HYPOTHESES,
)
def last_step_of_lemma_6(*, times: int = 0, least: int | Fraction = 2, most: int | Fraction = 1) -> Evidence:
    r"""$\frac{r}{r+1}=O(\delta)$ with $r=\frac1{u_k}-\frac1K$ is refuted at $p_k=\frac1K$,
    $\delta=\frac1{10K}$, $K=2n$. Repaired, for $K$ at least `times` = 2 times $u_k>0$, it is
    between $\frac1{1+2u_k}$ and $\frac1{1+u_k}$, with `least` and `most` for the 2 and the 1.
    """
    if not times:
        r = 1 / (K * (1 / K - delta)) - 1 / K
        return defeated(r / (r + 1), c1 * delta, n, at=FLAT, where=WHERE)
    whole, u = sp.Symbol("K", integer=True, positive=True), sp.Symbol("u_k", positive=True)
    left = (1 / u - 1 / whole) / (1 / u - 1 / whole + 1)
    domain, given = {whole: Integers(2, oo), u: (0, oo)}, [(times * u, "<=", whole)]
    bounds = ((">=", least), ("<=", most))
    return all_of(*(forall(left, op, 1 / (1 + sp.Rational(c) * u), domain, where=given) for op, c in bounds))


@claim(
    "LDL:L6.2",
    **charge(false="gap", follows="LDL:L6.ub", costs="the theorem"),
    needs=("LDL:L6.1", *exact_training.R7),
    hypotheses=HYPOTHESES,
    **exactly.LATE_REST.repaired,
)
@exactly.LATE_REST
def the_rest_in_phase_2() -> Evidence:
    r"""$1-\mathrm{Attn}_k\leq C\delta$ throughout Phase II, that is $1\leq
    C\delta+\mathrm{Attn}_k$, is refuted for every $C$ at its first step, with $K=2n$ classes
    and $\delta=\frac1{10K}$.
    """
    return defeated(sp.S.One, c1 * delta + ATTENTION, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L6.3",
    **charge(false="gap", follows="LDL:L6.2", costs="the theorem"),
    needs=("LDL:L3.3", "OURS:R7.flow"),
    hypotheses=HYPOTHESES,
    **exactly.OTHER_ATTENTION.repaired,
)
@exactly.OTHER_ATTENTION
def attention_on_others_in_phase_2() -> Evidence:
    r"""$\mathrm{Attn}_n\leq C\frac\delta K$, that is $1\leq C\delta\frac{K-1}K+\mathrm{Attn}_k$ in
    a balanced prompt, is refuted for every $C$ at the first step of Phase II, with $K=2n$
    classes.
    """
    return defeated(sp.S.One, c1 * delta * (K - 1) / K + ATTENTION, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L7.prem",
    **charge(false="gap", follows="LDL:L6.2", costs="the theorem"),
    needs=exact_training.R7,
    hypotheses=HYPOTHESES,
    **exactly.EVERY_REST.repaired,
)
@exactly.EVERY_REST
def premise_of_lemma_7() -> Evidence:
    r"""$1-\mathrm{Attn}_k=\Theta(\delta)$ in Phase II: the upper half is refuted for every constant
    at the first step, with $K=2n$ classes and $\delta=\frac1{10K}$.
    """
    return defeated(sp.S.One, c1 * delta + ATTENTION, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L7.1",
    **charge(false="gap", follows="LDL:P3/rate", costs="the theorem"),
    needs=("LDL:L7.prem", "LDL:L2.eq12/upper", *exact_training.R7),
    hypotheses=HYPOTHESES,
    **exactly.LATE_UPDATES.repaired,
)
@exactly.LATE_UPDATES
def gradient_in_phase_2() -> Evidence:
    r"""$g_k\leq C\frac{\delta^2L^2\Delta^2}K$ throughout Phase II is refuted for every $C$ at its
    first step, with $K=2n$ classes and $\delta=\frac1{10K}$.
    """
    return defeated(
        slow.gradient_start(K, L), c1 * delta**2 * L**2 * DELTA2 / K, n, at=FLAT, where=WHERE, least=4
    )


@claim(
    "LDL:L7.2",
    **charge(false="gap", follows="LDL:L7.1", costs="the theorem"),
    needs=("LDL:L6.3", "LDL:L7.prem", "LDL:L2.eq13/upper", *exact_training.UPDATES),
    hypotheses=HYPOTHESES,
    **exactly.OTHER_UPDATES.repaired,
)
@exactly.OTHER_UPDATES
def gradient_of_others_in_phase_2() -> Evidence:
    r"""$|g_{k,n}|\leq C\frac{\delta^2L^2\Delta^2}{K^2}$ is refuted for every $C$ at the first step
    of Phase II, with $K=2n$ classes and $\delta=\frac1{10K}$.
    """
    left = slow.gradient_start(K, L) / (K - 1)
    return defeated(left, c1 * delta**2 * L**2 * DELTA2 / K**2, n, at=FLAT, where=WHERE, least=4)
