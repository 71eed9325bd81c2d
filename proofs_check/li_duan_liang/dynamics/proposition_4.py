"""Proposition 4 of Li, Duan & Liang: Phase III in the sharp regime."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import log, oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
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


@claim(
    "LDL:P4/gradient",
    control=(
        dict(first=Fraction(1)),
        dict(share=Fraction(1)),
        dict(early=Fraction(3, 10)),
        dict(late=Fraction(1, 7)),
    ),
    needs=("LDL:L2.raw",),
)
def gradient_is_not_small(
    *,
    first: Fraction = Fraction(1, 2),
    share: Fraction = Fraction(3, 8),
    early: Fraction = Fraction(1, 32),
    late: Fraction = Fraction(1, 128),
) -> Evidence:
    r"""For orthonormal features, exchangeable tasks of the spread $\sigma_f^2$ and prompts of
    $N\geq8K$ independent tokens of $K\geq8$ equally likely classes, where a query's score on its
    own class exceeds the others by $z\geq0$, $g_k\geq\frac{\sigma_f^2}{2K^2}$ while $z\leq1$, and
    $g_k\geq\frac{3\sigma_f^2}{8K(o+16K)}$ at any $z$, with $o=e^{2z}/K^2$. Both are derived for the
    mean over tasks and prompts that $g_k$ is by L2.raw; `first` and `share` stand for $\frac12$ and
    $\frac38$. Tried is $g_k$ of infinite prompts, $\frac{(K-1)e^z}{(e^z+K-1)^3}\sigma_f^2$.

    The tasks $\pm L/\sqrt2$ have $\sigma_f^2=\frac{KL^2}{2(K-1)}$. So for these
    $g_k\geq\frac{L^2}{32K^2}$ while $z\leq1$, and $g_k\geq\frac{L^2}{128Ko}$ for every $o\geq42K$
    that is at least $e^{2z}/K^2$, which refutations use: by T1/late, for $N\geq64K$,
    $1+\frac{42T}K$ is such a number up to step $T$, if $T\geq K^2$. `early` and `late` stand for
    $\frac1{32}$ and $\frac1{128}$.
    """
    k, y, o = sp.symbols("K y o", positive=True)
    g, large = (k - 1) * y / (y + k - 1) ** 3, {k: Closed(8, oo)}
    spread = k / (2 * (k - 1))  # of the tasks, at L = 1
    found = derivation(
        "LDL:P4/gradient",
        forall(g, ">=", sp.Rational(first) / k**2, large | {y: Closed(1, 2)}),
        forall(g, ">=", sp.Rational(share) / (k * (y**2 / k**2 + 16 * k)), large | {y: Closed(1, oo)}),
        first=first,
        share=share,
    )
    return all_of(
        found,
        forall(spread / 2, ">=", sp.Rational(early), large),
        forall(
            3 * spread / (8 * (o + 16 * k)),
            ">=",
            sp.Rational(late) / o,
            large | {o: (0, oo)},
            where=[(42 * k, "<=", o)],
        ),
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
