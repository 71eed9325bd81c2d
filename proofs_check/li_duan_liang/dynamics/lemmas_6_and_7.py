"""Lemmas 6 and 7 of Li, Duan & Liang with their proofs: attention and gradients in Phase II.
They are tried where Phase II begins, at the printed end of Phase I.
"""

from __future__ import annotations

import sympy as sp

from numerics.evidence import Evidence
from numerics.refutation import defeated
from proofs_check.core.claim import claim
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import DELTA2, FLAT, HYPOTHESES, WHERE, K, c1, c2, n

delta, L = FLAT["delta"], FLAT["L"]
ATTENTION = slow.attention_early(K, c2 * slow.end_of_phase_1(K))


@claim(
    "LDL:L6.1",
    false="gap",
    follows="LDL:P2.attn",
    why=r"At $t=T_f^1+1$ $\mathrm{Attn}_k$ is at most $\frac2K(1+O(\log(K)/K))$.",
    instead=r"Let Phase II begin when $\mathrm{Attn}_k=1/2$; from there on $\mathrm{Attn}_k$ increases, for orthonormal features "
    r"and exchangeable tasks.",
    costs="the theorem",
    needs=("LDL:L5.2",),
    hypotheses=HYPOTHESES,
)
def attention_in_phase_2() -> Evidence:
    r"""$\mathrm{Attn}_k\geq\frac c{1+\delta}$ throughout Phase II is refuted for every $c>0$ at
    its first step, with $K=2n$ classes.
    """
    return defeated(1 / (1 + delta), c1 * ATTENTION, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L6.ub",
    false="gap",
    follows="LDL:L5.u",
    why=r"$1/u_k-1/K$ is near 1 for small $\delta$, and so is the quotient: for $p_k=1/K$ and $\delta=1/(10K)$ it is at least "
    r"$1/3$.",
    instead=r"The display bounds $1-\mathrm{Attn}_k$ by a constant below 1.",
    costs="the theorem",
    needs=("LDL:L5.exp", "LDL:L5.u", "LDL:attn"),
    hypotheses=HYPOTHESES,
)
def last_step_of_lemma_6() -> Evidence:
    r"""$\frac{r}{r+1}=O(\delta)$ with $r=\frac1{u_k}-\frac1K$ is refuted at $p_k=\frac1K$,
    $\delta=\frac1{10K}$, $K=2n$.
    """
    r = 1 / (K * (1 / K - delta)) - 1 / K
    return defeated(r / (r + 1), c1 * delta, n, at=FLAT, where=WHERE)


@claim(
    "LDL:L6.2",
    false="gap",
    follows="LDL:L6.ub",
    why=r"At $t=T_f^1+1$ $1-\mathrm{Attn}_k\geq1-\frac2K(1+O(\log(K)/K))$, while $\delta$ tends to 0. Nor is it $O(\delta)$ when "
    r"$\mathrm{Attn}_k=1/2$.",
    instead=r"$1-\mathrm{Attn}_k$ falls like $\sqrt{K/(2\eta\sigma_f^2t)}$ at late times, whatever $\delta$ is, for orthonormal "
    r"features and exchangeable tasks.",
    costs="the theorem",
    needs=("LDL:L6.1",),
    hypotheses=HYPOTHESES,
)
def the_rest_in_phase_2() -> Evidence:
    r"""$1-\mathrm{Attn}_k\leq C\delta$ throughout Phase II, that is $1\leq
    C\delta+\mathrm{Attn}_k$, is refuted for every $C$ at its first step, with $K=2n$ classes and
    $\delta=\frac1{10K}$.
    """
    return defeated(sp.S.One, c1 * delta + ATTENTION, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L6.3",
    false="gap",
    follows="LDL:L6.2",
    why=r"In a balanced prompt $\mathrm{Attn}_n=(1-\mathrm{Attn}_k)/(K-1)$ is near $1/K$ at $t=T_f^1+1$, and $\delta/K$ is smaller "
    r"by the factor $\delta$.",
    details=r"The statement says $\Theta$ and the proof gives $O$ only.",
    instead=r"$\mathrm{Attn}_n=\Theta((1-\mathrm{Attn}_k)/K)$ is the part that remains, for exchangeable tasks.",
    costs="the theorem",
    needs=("LDL:L3.3",),
    hypotheses=HYPOTHESES,
)
def attention_on_others_in_phase_2() -> Evidence:
    r"""$\mathrm{Attn}_n\leq C\frac\delta K$, that is $1\leq C\delta\frac{K-1}K+\mathrm{Attn}_k$
    in a balanced prompt, is refuted for every $C$ at the first step of Phase II, with $K=2n$
    classes.
    """
    return defeated(sp.S.One, c1 * delta * (K - 1) / K + ATTENTION, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L7.prem",
    false="gap",
    follows="LDL:L6.2",
    why=r"At $t=T_f^1+1$ $1-\mathrm{Attn}_k$ is near 1, and Lemma 6 gives $O(\delta)$ only, no lower bound.",
    instead=r"$1-\mathrm{Attn}_k$ runs from $1/2$ down to the accuracy that is asked for; no constant multiple of $\delta$ stands "
    r"for it.",
    costs="the theorem",
    hypotheses=HYPOTHESES,
)
def premise_of_lemma_7() -> Evidence:
    r"""$1-\mathrm{Attn}_k=\Theta(\delta)$ in Phase II: the upper half is refuted for every
    constant at the first step, with $K=2n$ classes and $\delta=\frac1{10K}$.
    """
    return defeated(sp.S.One, c1 * delta + ATTENTION, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L7.1",
    false="gap",
    follows="LDL:P3/rate",
    why=r"At $t=T_f^1+1$ $g_k\geq L^2/(32K^2)$, whatever $\delta$ is; printed is a multiple of $\delta^2L^2\Delta^2/K$.",
    instead=r"$g_k=p_k\mathrm{Attn}_k(1-\mathrm{Attn}_k)^2\sigma_f^2\frac K{K-1}$ for balanced prompts, orthonormal features and "
    r"exchangeable tasks; it falls from order $\sigma_f^2/K$ to 0 and has no plateau.",
    costs="the theorem",
    needs=("LDL:L7.prem", "LDL:L2.eq12/upper"),
    hypotheses=HYPOTHESES,
)
def gradient_in_phase_2() -> Evidence:
    r"""$g_k\leq C\frac{\delta^2L^2\Delta^2}K$ throughout Phase II is refuted for every $C$ at
    its first step, with $K=2n$ classes and $\delta=\frac1{10K}$.
    """
    return defeated(slow.gradient_start(K, L), c1 * delta**2 * L**2 * DELTA2 / K, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L7.2",
    false="gap",
    follows="LDL:L7.1",
    why=r"For exchangeable tasks $|g_{k,n}|=g_k/(K-1)$, which at $t=T_f^1+1$ is at least $L^2/(32K^3)$, whatever $\delta$ is.",
    instead=r"$|g_{k,n}|=g_k/(K-1)$ for exchangeable tasks and orthonormal features.",
    costs="the theorem",
    needs=("LDL:L6.3", "LDL:L7.prem", "LDL:L2.eq13/upper"),
    hypotheses=HYPOTHESES,
)
def gradient_of_others_in_phase_2() -> Evidence:
    r"""$|g_{k,n}|\leq C\frac{\delta^2L^2\Delta^2}{K^2}$ is refuted for every $C$ at the first
    step of Phase II, with $K=2n$ classes and $\delta=\frac1{10K}$.
    """
    left = slow.gradient_start(K, L) / (K - 1)
    return defeated(left, c1 * delta**2 * L**2 * DELTA2 / K**2, n, at=FLAT, where=WHERE, least=4)
