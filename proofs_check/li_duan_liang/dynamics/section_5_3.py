"""Sentences of Section 5.3 of Li, Duan & Liang: the first phase of the sharp regime, and why the
updates become small.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence
from numerics.provers import Closed, Integers, forall
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import IN_SHARP, WHERE, K, c1, n
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.li_duan_liang.dynamics import exactly
from proofs_check.li_duan_liang.dynamics.regimes import SHARP, gradient, k, w


@claim(
    "LDL:5.3",
    **charge(false="false", costs="the theorem"),
    robust=exactly.diverging(10, IN_SHARP, lambda K, L, **_: slow.gradient_start(K, L) * K, n),
    needs=("LDL:P4/gradient", "OURS:R7.flow", "OURS:R7.loss"),
    hypotheses=IN_SHARP,
    **exactly.UPDATES.repaired,
)
@exactly.UPDATES
def rate_of_the_first_phase_of_the_sharp_regime() -> Evidence:
    r"""$q_k$ grows at a rate of at most $C\frac\eta K$ for all $t\leq T_f^*$: refuted for every $C$
    at the first step, with $K=2n$ classes, $L=10K$, $\delta=\frac1{10K}$.
    """
    return defeated(slow.gradient_start(K, SHARP["L"]), c1 / K, n, at=SHARP, where=WHERE, least=4)


@claim("LDL:5.3.Ts1", control=(dict(factor=12), dict(power=3)), needs=("LDL:T1/late",))
def the_first_phase_is_not_enough(*, factor: int = 6, power: int = 2) -> Evidence:
    r"""After $T_f^*$ steps the loss is still above $c\,\epsilon^2$ with `factor` $c=6$, for
    every $K\geq100$, with $L=10K$, $\delta=\frac1{10K}$, $\epsilon=\frac1K$. Here `power` is the
    exponent of $\delta$ in $T_f^*$.
    """
    T = slow.end_of_phase_2(k, (1 / (10 * k)) ** sp.Rational(power, 2), 1 / k)
    bound = slow.loss_late(k, 10 * k, T)
    return forall(bound, ">=", sp.Integer(factor) / k**2, {k: Closed(100, oo)})


@claim(
    "LDL:5.3.large",
    **charge(false="gap", costs="nothing"),
    repair=dict(falls=True),
    control=(dict(eight=7), dict(power=1)),
    needs=exact_training.UPDATES,
    hypotheses=("K in Integers", "K >= 2", "w > 1/2", "w < 1"),
)
def gradients_become_large(*, falls: bool = False, eight: int = 8, power: int = 2) -> Evidence:
    r"""That $g_k$ is larger late, at $\mathrm{Attn}_k=w>\frac12$, than at $\mathrm{Attn}_k=\frac12$
    is refuted (orthonormal features, exchangeable tasks, balanced prompts, $\sigma_f=1$). Repaired,
    it is at most `eight` = 8 times $(1-w)^2$ times that, which is derived from the flow of $Q$, as
    is $g_k=\sigma_f^2\frac{w(1-w)^2}{K-1}$, with `power` for its exponent.
    """
    whole = sp.Symbol("K", integer=True, positive=True)
    box, half = {whole: Integers(2, oo), w: (Fraction(1, 2), 1)}, gradient(whole, sp.Rational(1, 2))
    if not falls:
        return forall(gradient(whole, w), ">=", half, box)
    tried = forall(gradient(whole, w), "<=", eight * (1 - w) ** 2 * half, box)
    return derivation("LDL:5.3.large", exact_training.updates(power), tried, power=power, eight=eight)


@claim(
    "LDL:5.3.phases",
    **TYPO,
    repair=dict(named=3),
    control=dict(named=2),
    hypotheses=("phases_in_6 == 3", "phases_in_5_3 == 2"),
)
def names_of_the_phases(*, named: int = 2) -> Evidence:
    r"""The number of phases of the sharp regime in Section 6 is at most that in Section 5.3:
    refuted, 3 and 2. Repaired, Section 5.3 has `named` = 3.
    """
    six, five = sp.Symbol("phases_in_6", integer=True), sp.Symbol("phases_in_5_3", integer=True)
    return forall(six, "<=", five, {six: Integers(3, 3), five: Integers(named, named)})
