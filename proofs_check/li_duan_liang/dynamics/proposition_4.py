"""Proposition 4 of Li, Duan & Liang: Phase III in the sharp regime."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, log, oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import DELTA2, IN_SHARP, WHERE, K, c1, c2, n
from proofs_check.instances.outcomes import charge
from proofs_check.li_duan_liang.dynamics import exactly
from proofs_check.li_duan_liang.dynamics.proposition_3 import LATE, late_gradient

SHARP = slow.member(L=10 * K)
delta, epsilon, L = SHARP["delta"], SHARP["epsilon"], SHARP["L"]
#: The same instances with n^4 for n, of which an early one defeats constants equal to 1.
FAR = {name: sp.sympify(e).subs(n, n**4) for name, e in SHARP.items()}
#: delta and epsilon tend to 0 slowly, as the end of Appendix E.2 says; L Delta delta >= 1.
COARSE = slow.member(
    delta=K ** sp.Rational(-1, 4), epsilon=K ** sp.Rational(-1, 8), L=K ** sp.Rational(1, 4), N=320 * K**3
)


def excess(K: sp.Expr, delta: sp.Expr, epsilon: sp.Expr, steps: sp.Expr | int = 1) -> sp.Expr:
    """Lower bound of g_k at the end of Phase I over delta^2 L^2 Delta^2 epsilon / K; `steps` is the
    constant of its length.
    """
    late = slow.gradient_late(K, 1, steps * slow.end_of_phase_2(K, delta, epsilon))
    return late / (delta**2 * DELTA2 * epsilon / K)


@claim("LDL:P4/gradient", control=(dict(share=Fraction(11, 10)), dict(least=Fraction(1, 14)), dict(power=3)))
def gradient_is_not_small(
    *, share: Fraction = Fraction(1), least: Fraction = Fraction(1, 16), power: int = 2
) -> Evidence:
    r"""For orthonormal features, the tasks $\pm L/\sqrt2$, $\eta=1/L^2$, iid prompts of length
    $N\geq8K$ and $K\geq8$, $g_k\geq\frac{L^2}{32K^2}$ while $z\leq1$, and
    $g_k\geq\frac{L^2}{128Ko}$ up to step $T$ with
    $o=1+\frac{42T}K$, $T\geq K^2$. Executed are
    $e^{-2}(\frac1K-\frac4{K^2})\geq\frac1{16K}$, and $\frac o{(1+o)^3}\geq\frac1{8o^2}$ for odds
    $o\geq1$ and $\geq\frac1{4K}$ at $o=\frac1{2K}$.
    """
    k, o = sp.symbols("K o", positive=True)
    small = 1 / (2 * k)
    domain = {k: Closed(2, oo)}
    return all_of(
        forall(exp(-2) * (1 / k - 4 / k**2), ">=", sp.Rational(least) / k, {k: Closed(8, oo)}),
        forall(o / (1 + o) ** 3, ">=", sp.Rational(share) / (8 * o ** sp.Integer(2)), {o: Closed(1, oo)}),
        forall(small / (1 + small) ** (power + 1), ">=", 1 / (4 * k) * sp.Rational(share) ** 8, domain),
    )


@claim(
    "LDL:P4/rate",
    **charge(false="false", costs="the theorem"),
    robust=exactly.diverging(
        10, IN_SHARP, lambda K, delta, epsilon, **_: excess(K, delta, epsilon), n ** sp.Rational(1, 2) / 10**4
    ),
    needs=("LDL:P4/gradient", "LDL:T1/late", *exact_training.R7),
    hypotheses=IN_SHARP,
    **exactly.LATE_UPDATES.repaired,
)
@exactly.LATE_UPDATES
def rate_of_phase_3() -> Evidence:
    r"""In Phase III $q_k$ grows at a rate of at most $C\frac{\eta\delta^2L^2\Delta^2\epsilon}K$:
    refuted for every $C$ at its first step, with $K=2n^4$ classes, $\delta=\frac1{10K}$,
    $\epsilon=\frac1K$, $L=10K$.
    """
    odds = slow.odds_late(K, c2 * slow.end_of_phase_2(K, delta, epsilon))
    left, right = 1 / (256 * delta**2 * epsilon), c1 * odds
    return defeated(left.subs(n, n**4), right.subs(n, n**4), n, at=FAR, where=WHERE, least=2)


@claim(
    "LDL:P4/rate.lower",
    **charge(false="false", follows="LDL:P4/rate", costs="the theorem"),
    robust=exactly.diverging(
        10,
        IN_SHARP,
        lambda K, L, delta, epsilon, **_: (
            (delta**2 * L**2 * DELTA2 * epsilon / K)
            / late_gradient(L, slow.end_of_phase_3(K, delta, epsilon, L))
        ),
        log(n) / 2,
    ),
    needs=("OURS:R7.updates", *exact_training.UPDATES),
    hypotheses=IN_SHARP,
    **exactly.UPDATES.repaired,
)
@exactly.UPDATES
def rate_of_phase_3_from_below() -> Evidence:
    r"""In Phase III $q_k$ grows at a rate of at least $c\frac{\eta\delta^2L^2\Delta^2\epsilon}K$:
    refuted for every $c>0$ and every constant in $T_s^*$ at its last step, where
    $g_k\leq\frac{2L^2}T$ with $T=T_s^*$ in units of $\frac1{\eta L^2}$; $K=2n$ classes,
    $\delta=\frac1{10K}$, $\epsilon=\frac1K$, $L=10K$, balanced prompts and small steps.
    """
    left = delta**2 * L**2 * DELTA2 * epsilon / K
    T = c2 * slow.end_of_phase_3(K, delta, epsilon, L)
    return defeated(left, c1 * late_gradient(L, T), n, at=SHARP, where=LATE, least=4)


@claim(
    "LDL:P4/off",
    **charge(false="gap", follows="LDL:P4/rate", costs="the theorem"),
    needs=("LDL:P4/gradient", "LDL:T1/late", *exact_training.UPDATES),
    hypotheses=IN_SHARP,
    **exactly.OTHER_UPDATES.repaired,
)
@exactly.OTHER_UPDATES
def rate_of_the_other_scores_in_phase_3() -> Evidence:
    r"""In Phase III $q_{k,k'}$ moves at a rate of at most
    $C\frac{\eta\delta^2L^2\Delta^2\epsilon}{K^2}$: refuted for every $C$ at its first step,
    where $|g_{k,k'}|\geq g_k/K$, with $K=2n^4$ classes.
    """
    odds = slow.odds_late(K, c2 * slow.end_of_phase_2(K, delta, epsilon))
    left, right = K / (256 * delta**2 * epsilon), c1 * K * odds
    return defeated(left.subs(n, n**4), right.subs(n, n**4), n, at=FAR, where=WHERE, least=2)


@claim(
    "LDL:P4/attn",
    **charge(false="gap", follows="LDL:eq9-u", costs="a hypothesis"),
    needs=("LDL:P2/early", *exact_training.R7),
    hypotheses=IN_SHARP,
    **exactly.HALF_BEFORE.repaired,
)
@exactly.HALF_BEFORE
def attention_at_the_end_of_phase_3() -> Evidence:
    r"""At $t=T_s^*+1$ $\mathrm{Attn}_k\geq\frac c{1+\epsilon\delta}$ is refuted for every $c>0$ at
    $\delta=K^{-1/4}$, $\epsilon=K^{-1/8}$, $L=K^{1/4}$ with $K=2n$ classes, in every prompt with
    $|V_k|\leq\frac{11N}{10K}$. Below, $l=\log\frac{KL\Delta}\epsilon$ and $x=\epsilon\delta^2$ in
    what bounds the time.
    """
    delta, epsilon, L = (COARSE[name] for name in ("delta", "epsilon", "L"))
    attention = slow.attention_early(K, c2 * slow.end_of_phase_3(K, delta, epsilon, L))
    return defeated(1 / (1 + delta * epsilon), c1 * attention, n, at=COARSE, where=WHERE, least=3000)
