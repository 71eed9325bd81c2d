"""Lemmas 9 and 10 of Li, Duan & Liang: gradients in Phase III, and its end."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import log, sqrt

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence
from numerics.provers import computed, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import DELTA2, IN_SHARP, WHERE, K, c1, c2, n
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.li_duan_liang.dynamics import exactly
from proofs_check.li_duan_liang.dynamics.lemma_4 import update_from_the_rest
from proofs_check.li_duan_liang.dynamics.lemma_5 import odds_of_a_gap, sum_of_two_phases
from proofs_check.li_duan_liang.dynamics.proposition_4 import FAR, SHARP, L, delta, epsilon


@claim(
    "LDL:L9.1",
    **charge(false="gap", costs="the theorem"),
    repair=dict(power=2),
    control=(dict(power=3), dict(constant=Fraction(9, 10))),
    needs=("LDL:L8.1", "LDL:L2.eq12/upper", "LDL:L2.raw"),
    hypotheses=IN_SHARP,
)
def gradient_in_phase_3(*, power: int = 1, constant: int | Fraction = 1) -> Evidence:
    r"""$g_k\geq c\frac{\delta^2L^2\Delta^2\epsilon}K$ from
    $g_k=\frac{\delta^2L^2\Delta^2\epsilon^2}K$ is refuted for every $c>0$ at $\epsilon=\frac1K$,
    $K=2n$. Repaired, for $p_k\leq\frac PK$, $1-\mathrm{Attn}_k\leq W\epsilon\delta$ and
    differences of values of at most $B=CL\Delta$ it is at most `constant` = 1 times
    $PW^2\frac{\delta^2\epsilon^2}KB^2$, with `power` for the exponent 2 of $\epsilon$. It is
    derived for the mean that $g_k$ is by L2.raw, over every law of tasks and prompts and every law
    of queries; tried is a single prompt.
    """
    if power == 1:
        g = delta**2 * L**2 * DELTA2 * epsilon**2 / K
        return defeated(g / epsilon, c1 * g, n, at=SHARP, where=WHERE)
    return derivation("LDL:L9.1", update_from_the_rest(power, constant), power=power, constant=constant)


@claim(
    "LDL:L9.prem",
    **charge(false="gap", costs="the theorem"),
    needs=("OURS:R7.flow",),
    hypotheses=IN_SHARP,
    **exactly.OTHER_ATTENTION.repaired,
)
@exactly.OTHER_ATTENTION
def premises_of_lemma_9() -> Evidence:
    r"""$\mathrm{Attn}_n=\Theta(\frac\delta K)$ and $1-\mathrm{Attn}_k=O(\epsilon\delta)$ together
    are refuted: $(K-1)\frac\delta K\leq C\epsilon\delta$ fails for every $C$ at
    $\epsilon=\frac1K$, $K=2n$.
    """
    return defeated((K - 1) * delta / K, c1 * epsilon * delta, n, at=SHARP, where=WHERE)


@claim(
    "LDL:L9.2",
    **charge(false="gap", follows="LDL:P4/rate", costs="the theorem"),
    needs=("LDL:L9.prem", "LDL:P4/gradient", "LDL:T1/late", "LDL:L2.eq13/upper", *exact_training.UPDATES),
    hypotheses=IN_SHARP,
    **exactly.OTHER_UPDATES.repaired,
)
@exactly.OTHER_UPDATES
def gradient_of_others_in_phase_3() -> Evidence:
    r"""$|g_{k,n}|\leq C\frac{\delta^2L^2\Delta^2\epsilon}{K^2}$ is refuted for every $C$ at the
    first step of Phase III, where $|g_{k,n}|\geq g_k/K$, with $K=2n^4$ classes.
    """
    odds = slow.odds_late(K, c2 * slow.end_of_phase_2(K, delta, epsilon))
    left, right = K / (256 * delta**2 * epsilon), c1 * K * odds
    return defeated(left.subs(n, n**4), right.subs(n, n**4), n, at=FAR, where=WHERE, least=2)


@claim(
    "LDL:L10.q",
    **TYPO,
    follows="LDL:L8.q",
    repair=dict(inside=True),
    control=(dict(least=Fraction(11, 10)), dict(most=Fraction(9, 10))),
    hypotheses=IN_SHARP,
)
def logarithm_of_a_quotient_in_lemma_10(
    *, inside: bool = False, least: int | Fraction = 1, most: int | Fraction = 1
) -> Evidence:
    r"""$\frac{\log(KL\Delta)}\epsilon=O(\log\frac{KL\Delta}\epsilon)$ is refuted at
    $\epsilon=\frac1K$, $L=10K$, $K=2n$. Repaired, for $L\Delta\geq1$, $q_k=a\log\frac
    K\epsilon+b\log\frac{KL\Delta}\epsilon$ is at least `least` = 1 times
    $b\log\frac{KL\Delta}\epsilon$ and at most `most` = 1 times $(a+b)\log\frac{KL\Delta}\epsilon$.
    """
    if not inside:
        size = K * L * sqrt(DELTA2)
        return defeated(log(size) / epsilon, c1 * log(size / epsilon), n, at=SHARP, where=WHERE)
    return sum_of_two_phases(least, most, more=True)


@claim("LDL:L10.T", **TYPO, repair=dict(power=1), control=dict(power=2), hypotheses=("eta > 0", "eta <= 1"))
def steps_without_the_learning_rate(*, power: int = 0) -> Evidence:
    r"""$T_s^*\leq C\frac{K\log(KL\Delta/\epsilon)}{L^2\Delta^2\delta^2\epsilon}$ is refuted for
    every $C$ at $\eta=\frac1n$: in units of the right side $T_s^*$ of Proposition 4 is
    $\frac1\eta$. Repaired, with $\eta$ to the `power` 1, so many steps at the rate
    $\frac{\eta\delta^2L^2\Delta^2\epsilon}K$ add $\log\frac{KL\Delta}\epsilon$.
    """
    if not power:
        return defeated(n, c1, n, at={"eta": 1 / n}, where={"K, L, Delta, delta, epsilon": "fixed"})
    eta, k, size, d, e = sp.symbols("eta K LDelta delta epsilon", positive=True)
    steps = k * log(k * size / e) / (eta**power * e * d**2 * size**2)
    return identity(computed(r"\eta\sum_tg_k^{(t)}", steps * eta * d**2 * size**2 * e / k), log(k * size / e))


@claim(
    "LDL:L10.exp",
    **charge(false="gap", follows="LDL:L5.exp", costs="constants"),
    repair=dict(constant=1),
    control=dict(constant=Fraction(1, 2)),
    hypotheses=IN_SHARP,
)
def odds_at_the_end_of_phase_3(*, constant: int | Fraction = Fraction(1, 2)) -> Evidence:
    r"""$e^{-\Theta(\log(KL\Delta/\epsilon))}=O(\frac\epsilon K)$ is refuted for
    $\frac12\log\frac{KL\Delta}\epsilon$, at $\epsilon=\frac1K$, $L=10K$, $K=2n$. Repaired, a gap of
    $C\log\frac{KL\Delta}\epsilon-b$ with $C\geq1$ (`constant`) gives at most $e^b\frac\epsilon K$,
    where $L\Delta\geq1$.
    """
    if constant < 1:
        size = K * L * sqrt(DELTA2)
        return defeated((epsilon / size) ** sp.Rational(constant), c1 * epsilon / K, n, at=SHARP, where=WHERE)
    return odds_of_a_gap(constant)


@claim(
    "LDL:L10.1",
    **charge(false="gap", follows="LDL:T2", costs="the theorem"),
    needs=("LDL:L10.exp", "LDL:L5.u", "LDL:T1/late", "LDL:attn", *exact_training.R7),
    hypotheses=IN_SHARP,
    **exactly.TIME_OF_THE_ORDER.repaired,
)
@exactly.TIME_OF_THE_ORDER
def the_rest_at_the_end_of_phase_3() -> Evidence:
    r"""$1-\mathrm{Attn}_k\leq C\epsilon\delta$ at $t=T_s^*$ is refuted for every $C$ in a balanced
    prompt, as $\frac1{2\epsilon^2\delta^2}\leq C^2\frac1{2(1-\mathrm{Attn}_k)^2}$, with $K=2n$,
    $\epsilon=\frac1K$, $L=10K$.
    """
    odds = slow.odds_late(K, c2 * slow.end_of_phase_3_at_most(K, delta, epsilon))
    return defeated(1 / (2 * epsilon**2 * delta**2), c1 * (1 + odds), n, at=SHARP, where=WHERE, least=600)
