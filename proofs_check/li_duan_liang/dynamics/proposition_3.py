"""Proposition 3 of Li, Duan & Liang: Phase II and its end in the flat regime."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import log, oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import forall
from proofs_check.core.claim import claim
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import DELTA2, FLAT, IN_FLAT, WHERE, K, c1, c2, n
from proofs_check.instances.outcomes import charge
from proofs_check.li_duan_liang.dynamics import exactly

delta, epsilon, L = FLAT["delta"], FLAT["epsilon"], FLAT["L"]
T = c2 * slow.end_of_phase_2(K, delta, epsilon)
#: delta and epsilon tend to 0 slowly, as delta = o(1) in Lemmas 5 and 6; L Delta delta <= 1.
COARSE = slow.member(
    delta=K ** sp.Rational(-1, 4), epsilon=K ** sp.Rational(-1, 4), L=K ** sp.Rational(1, 4) / 2, N=320 * K**3
)


#: Where the rates late in training are known exactly.
LATE = {**WHERE, "prompts": slow.EQUAL_SHARES, "eta": "small, and times in units of 1/(eta L^2)"}


def late_gradient(L: sp.Expr, T: sp.Expr) -> sp.Expr:
    """Upper bound of g_k late in training, at T >= 4 K^3 in units of 1/(eta L^2): OURS:R7.updates
    has half of it for tasks +-L/sqrt(2), for which sigma_f^2 >= L^2/2.
    """
    return 2 * L**2 / T


@claim(
    "LDL:P3/rate",
    **charge(false="false", costs="the theorem"),
    robust=exactly.diverging(
        5, IN_FLAT, lambda K, L, delta, **_: slow.gradient_start(K, L) / (delta**2 * L**2 * DELTA2 / K), n
    ),
    needs=("LDL:P4/gradient", *exact_training.R7),
    hypotheses=IN_FLAT,
    **exactly.LATE_UPDATES.repaired,
)
@exactly.LATE_UPDATES
def rate_of_phase_2() -> Evidence:
    r"""In Phase II $q_k$ grows at a rate of at most $C\frac{\eta\delta^2L^2\Delta^2}K$: refuted for
    every $C$ at its first step, with $K=2n$ classes and $\delta=\frac1{10K}$.
    """
    return defeated(
        slow.gradient_start(K, L), c1 * delta**2 * L**2 * DELTA2 / K, n, at=FLAT, where=WHERE, least=4
    )


@claim(
    "LDL:P3/rate.lower",
    **charge(false="false", follows="LDL:P3/rate", costs="the theorem"),
    robust=exactly.diverging(
        5,
        IN_FLAT,
        lambda K, L, delta, epsilon, **_: (
            (delta**2 * L**2 * DELTA2 / K) / late_gradient(L, slow.end_of_phase_2(K, delta, epsilon))
        ),
        log(n) / 2,
    ),
    needs=("OURS:R7.updates", *exact_training.UPDATES),
    hypotheses=IN_FLAT,
    **exactly.UPDATES.repaired,
)
@exactly.UPDATES
def rate_of_phase_2_from_below() -> Evidence:
    r"""In Phase II $q_k$ grows at a rate of at least $c\frac{\eta\delta^2L^2\Delta^2}K$: refuted
    for every $c>0$ and every constant in $T_f^*$ at its last step, where $g_k\leq\frac{2L^2}T$
    with $T=T_f^*$ in units of $\frac1{\eta L^2}$; $K=2n$ classes, $\delta=\frac1{10K}$,
    balanced prompts and small steps.
    """
    left = delta**2 * L**2 * DELTA2 / K
    return defeated(left, c1 * late_gradient(L, T), n, at=FLAT, where=LATE, least=4)


@claim(
    "LDL:P3/off",
    **charge(false="gap", follows="LDL:P3/rate", costs="the theorem"),
    needs=("LDL:P4/gradient", *exact_training.UPDATES),
    hypotheses=IN_FLAT,
    **exactly.OTHER_UPDATES.repaired,
)
@exactly.OTHER_UPDATES
def rate_of_the_other_scores_in_phase_2() -> Evidence:
    r"""In Phase II $q_{k,k'}$ moves at a rate of at most $C\frac{\eta\delta^2L^2\Delta^2}{K^2}$:
    refuted for every $C$ at its first step, with $K=2n$ classes and $\delta=\frac1{10K}$.
    """
    left = slow.gradient_start(K, L) / (K - 1)
    return defeated(left, c1 * delta**2 * L**2 * DELTA2 / K**2, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:P3/attn",
    **charge(false="gap", follows="LDL:eq9-u", costs="a hypothesis"),
    needs=("LDL:P2/early", *exact_training.R7),
    hypotheses=IN_FLAT,
    **exactly.HALF_BEFORE.repaired,
)
@exactly.HALF_BEFORE
def attention_at_the_end_of_phase_2() -> Evidence:
    r"""At $t=T_f^*+1$ $\mathrm{Attn}_k\geq\frac c{1+\epsilon\delta}$ is refuted for every $c>0$ at
    $\delta=\epsilon=K^{-1/4}$, $L=\frac12K^{1/4}$ with $K=2n$ classes, in every prompt with
    $|V_k|\leq\frac{11N}{10K}$. Below, $l=\log\frac K\epsilon$ and $x=\delta^2$ in what bounds the
    time.
    """
    attention = slow.attention_early(K, c2 * slow.end_of_phase_2(K, COARSE["delta"], COARSE["epsilon"]))
    left = 1 / (1 + COARSE["delta"] * COARSE["epsilon"])
    return defeated(left, c1 * attention, n, at=COARSE, where=WHERE, least=128)


@claim(
    "LDL:P3.post",
    **charge(false="gap", costs="nothing"),
    repair=dict(one=True),
    control=dict(most=Fraction(9, 10)),
    needs=("LDL:P3",),
    hypotheses=IN_FLAT,
)
def the_rest_from_a_lower_bound(*, one: bool = False, most: int | Fraction = 1) -> Evidence:
    r"""$1-\mathrm{Attn}_k\leq C\epsilon$ from $\mathrm{Attn}_k=\Omega(\frac1{1+\epsilon\delta})$ is
    refuted for every $C$ at $\mathrm{Attn}_k=\frac12\cdot\frac1{1+\epsilon\delta}$, with
    $\epsilon=\frac1K$, $K=2n$. Repaired, for $\mathrm{Attn}_k\geq\frac1{1+C\epsilon\delta}$ it is
    at most `most` = 1 times $C\epsilon\delta$, and $C\epsilon$.
    """
    if not one:
        return defeated(1 - 1 / (2 * (1 + epsilon * delta)), c1 * epsilon, n, at=FLAT, where=WHERE)
    C, e, d = sp.symbols("C epsilon delta", positive=True)
    box, x = {C: (0, oo), e: (0, 1), d: (0, 1)}, C * e * d
    return all_of(*(forall(1 - 1 / (1 + x), "<=", sp.Rational(most) * bound, box) for bound in (x, C * e)))
