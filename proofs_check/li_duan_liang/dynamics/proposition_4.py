"""Proposition 4 of Li, Duan & Liang with Lemmas 9 and 10: Phase III in the sharp regime."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, log, oo, sqrt

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from numerics.refutation import defeated
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import DELTA2, IN_SHARP, WHERE, K, c1, c2, n

SHARP = slow.member(L=10 * K)
delta, epsilon, L = SHARP["delta"], SHARP["epsilon"], SHARP["L"]
#: The same instances with n^4 for n, of which an early one defeats constants equal to 1.
FAR = {name: sp.sympify(e).subs(n, n**4) for name, e in SHARP.items()}
#: delta and epsilon tend to 0 slowly, as the end of Appendix E.2 says; L Delta delta >= 1.
COARSE = slow.member(delta=K ** sp.Rational(-1, 4), epsilon=K ** sp.Rational(-1, 8), L=K ** sp.Rational(1, 4), N=320 * K**3)


def excess(K: sp.Expr, delta: sp.Expr, epsilon: sp.Expr, steps: sp.Expr | int = 1) -> sp.Expr:
    """Lower bound of g_k at the end of Phase I over delta^2 L^2 Delta^2 epsilon / K; `steps` is the
    constant of its length.
    """
    late = slow.gradient_late(K, 1, steps * slow.end_of_phase_2(K, delta, epsilon))
    return late / (delta**2 * DELTA2 * epsilon / K)


def along_coarse(index: sp.Expr, width: sp.Expr) -> dict[str, sp.Expr]:
    """The instance of an index in which delta is multiplied by a width."""
    return {name: sp.sympify(e).subs(n, index) for name, e in {**COARSE, "delta": width * COARSE["delta"]}.items()}


def attention_coarse(K: sp.Expr, delta: sp.Expr, epsilon: sp.Expr, L: sp.Expr, steps: sp.Expr | int = 1) -> sp.Expr:
    """Upper bound of the attention at the printed end of Phase III."""
    return slow.attention_early(K, steps * slow.end_of_phase_3(K, delta, epsilon, L))


@claim(
    "LDL:P4/gradient",
    control=(dict(share=Fraction(11, 10)), dict(least=Fraction(1, 14)), dict(power=3)),
    argument=r"By Chebyshev's inequality $|V_k|K/N$ lies in $[\frac12,\frac32]$ with probability at least $\frac12$ if $N\geq8K$, "
    r"and $o/(1+o)^3$ has one maximum, so that between the odds of $z=0$ and the largest ones it is least at an end; for $z\leq1$ "
    r"$\mathbb{E}w(1-w)^2\geq e^{-2}\mathbb{E}(x-2x^2)$ with $x=|V_k|/N$.",
)
def gradient_is_not_small(*, share: Fraction = Fraction(1), least: Fraction = Fraction(1, 16), power: int = 2) -> Evidence:
    r"""For orthonormal features, the tasks $\pm L/\sqrt2$, $\eta=1/L^2$, iid prompts of length
    $N\geq8K$ and $K\geq8$, $g_k\geq\frac{L^2}{32K^2}$ while $z\leq1$, and
    $g_k\geq\frac{L^2}{128Ko}$ up to step $T$ with
    $o=1+\frac{42T}K$, $T\geq K^2$. Executed are
    $e^{-2}(\frac1K-\frac4{K^2})\geq\frac1{16K}$, and $\frac o{(1+o)^3}\geq\frac1{8o^2}$ for odds
    $o\geq1$ and $\geq\frac1{4K}$ at $o=\frac1{2K}$.
    """
    k, o = sp.symbols("K o", positive=True)
    small = 1 / (2 * k)
    return all_of(
        forall(exp(-2) * (1 / k - 4 / k**2), ">=", sp.Rational(least) / k, {k: Closed(8, oo)}),
        forall(o / (1 + o) ** 3, ">=", sp.Rational(share) / (8 * o ** sp.Integer(2)), {o: Closed(1, oo)}),
        forall(small / (1 + small) ** (power + 1), ">=", 1 / (4 * k) * sp.Rational(share) ** 8, {k: Closed(2, oo)}),
    )


@claim(
    "LDL:P4/rate",
    false="false",
    why=r"At $t=T_s^1+1$ $(1-\mathrm{Attn}_k)^2$ is at least of order $\delta^2/\log(K/\epsilon)$, so that $g_k$ exceeds the "
    r"printed rate by $\frac1{\epsilon\log(K/\epsilon)}$.",
    details=r"The rate cannot be one order throughout the phase: $g_k$ falls like $1/t$, and the phase is longer than the one "
    r"before by the factor $1/\epsilon$.",
    instead=r"At late times $\eta g_k=\frac{K-1}{2Kt}(1+o(1))$, for orthonormal features and exchangeable tasks; $L$, $\delta$ "
    r"and $\epsilon$ do not enter.",
    costs="the theorem",
    robust=Diverging(
        point={"ratio": Fraction(10)},
        hypotheses=IN_SHARP,
        sequence=slow.along,
        ratio=lambda K, delta, epsilon, **_: excess(K, delta, epsilon),
        exceeds=n ** sp.Rational(1, 2) / 10**4,
        least=4,
    ),
    needs=("LDL:P4/gradient", "LDL:T1/late"),
    hypotheses=IN_SHARP,
)
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
    false="false",
    follows="LDL:P2/rate.lower",
    why=r"For $\delta=K^{-1/4}$, $\epsilon=K^{-1/8}$ Phase III begins after order $K^{3/2}\log K$ steps, while "
    r"$g_k$ has order $L^2\Delta^2/K^2$, and printed is $L^2\Delta^2K^{-13/8}$.",
    details=r"For $\delta\leq1/(10K)$ the first steps of the phase are faster than printed, see LDL:P4/rate.",
    instead=r"The rate is $\eta p_k\mathrm{Attn}_k(1-\mathrm{Attn}_k)^2\sigma_f^2\frac K{K-1}$ for balanced prompts, orthonormal "
    r"features and exchangeable tasks; neither $\delta$ nor $\epsilon$ enters.",
    costs="the theorem",
    robust=Diverging(
        point={"width": Fraction(1)},
        hypotheses=IN_SHARP,
        sequence=along_coarse,
        ratio=lambda K, L, delta, epsilon, **_: (delta**2 * L**2 * DELTA2 * epsilon / K) / slow.gradient_early(K, L),
        exceeds=n ** sp.Rational(3, 8) / 2,
        least=80,
    ),
    needs=("LDL:P2/early",),
    hypotheses=IN_SHARP,
)
def rate_of_phase_3_from_below() -> Evidence:
    r"""In Phase III $q_k$ grows at a rate of at least
    $c\frac{\eta\delta^2L^2\Delta^2\epsilon}K$: refuted for every $c>0$ at its first step, where
    $z\leq\log2$, as $CK^{3/2}\log K$ steps raise $z$ by order $\frac{\log K}{\sqrt K}$ only.
    The witness has $\delta=K^{-1/4}$, $\epsilon=K^{-1/8}$, $L=K^{1/4}$ and $K=2n$ classes.
    """
    left = COARSE["delta"] ** 2 * COARSE["L"] ** 2 * DELTA2 * COARSE["epsilon"] / K
    return defeated(left, c1 * slow.gradient_early(K, COARSE["L"]), n, at=COARSE, where=WHERE, least=80)


@claim(
    "LDL:P4/off",
    false="gap",
    follows="LDL:P4/rate",
    why=r"For exchangeable tasks $|g_{k,k'}|=g_k/(K-1)$, which at $t=T_s^1+1$ exceeds the printed rate by "
    r"$\frac1{\epsilon\log(K/\epsilon)}$.",
    instead=r"$q_{k,k'}=-q_k/(K-1)$ for exchangeable tasks and orthonormal features: it does not fluctuate.",
    costs="the theorem",
    needs=("LDL:P4/gradient", "LDL:T1/late"),
    hypotheses=IN_SHARP,
)
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
    false="false",
    why=r"For $\delta=K^{-1/4}$, $\epsilon=K^{-1/8}$, $L=1/\delta$ the printed $T_s^*$ has order $K^{13/8}\log K$, and "
    r"$\mathrm{Attn}_k$ is still at most $\frac2K(1+O(K^{-3/8}\log K))$.",
    details=r"Both $\delta$ and $\epsilon$ tend to 0, as the end of Appendix E.2 says, and $L\Delta\delta=\sqrt2$.",
    instead=r"$\mathrm{Attn}_k\geq1/2$ from $\frac1{\eta\sigma_f^2}(K^2+3K\log K+O(K))$ steps on, for orthonormal features and "
    r"exchangeable tasks. $\Omega(1/(1+\epsilon\delta))$ says no more than $\Omega(1)$.",
    costs="the theorem",
    robust=Diverging(
        point={"width": Fraction(1)},
        hypotheses=IN_SHARP,
        sequence=along_coarse,
        ratio=lambda K, delta, epsilon, L, **_: 1 / (1 + epsilon * delta) / attention_coarse(K, delta, epsilon, L),
        exceeds=n / 10,
        least=3000,
    ),
    needs=("LDL:P2/early",),
    hypotheses=IN_SHARP,
)
def attention_at_the_end_of_phase_3() -> Evidence:
    r"""At $t=T_s^*+1$ $\mathrm{Attn}_k\geq\frac c{1+\epsilon\delta}$: refuted for every $c>0$ at
    $\delta=K^{-1/4}$, $\epsilon=K^{-1/8}$, $L=K^{1/4}$ with $K=2n$ classes, in every prompt with
    $|V_k|\leq\frac{11N}{10K}$.
    """
    named = {name: COARSE[name] for name in ("K", "delta", "epsilon", "L")}
    left = 1 / (1 + COARSE["delta"] * COARSE["epsilon"])
    return defeated(left, c1 * attention_coarse(**named, steps=c2), n, at=COARSE, where=WHERE, least=3000)


@claim(
    "LDL:L9.1",
    false="gap",
    why=r"The proof ends with $\epsilon^2$, the lemma says $\epsilon$; and $1-\mathrm{Attn}_k=O(\epsilon\delta)$ is an upper "
    r"bound, which the proof turns into $\Theta$.",
    instead=r"The proof's own line is $g_k=O(\delta^2L^2\Delta^2\epsilon^2/K)$ once $1-\mathrm{Attn}_k=O(\epsilon\delta)$; with it "
    r"$T_s^*$ would have $\epsilon^2$ in its denominator.",
    costs="the theorem",
    needs=("LDL:L8.1", "LDL:L2.eq12/upper"),
    hypotheses=IN_SHARP,
)
def gradient_in_phase_3() -> Evidence:
    r"""$g_k\geq c\frac{\delta^2L^2\Delta^2\epsilon}K$ from
    $g_k=\frac{\delta^2L^2\Delta^2\epsilon^2}K$ is refuted for every $c>0$ at $\epsilon=\frac1K$,
    $K=2n$.
    """
    g = delta**2 * L**2 * DELTA2 * epsilon**2 / K
    return defeated(g / epsilon, c1 * g, n, at=SHARP, where=WHERE)


@claim(
    "LDL:L9.prem",
    false="gap",
    why=r"$1-\mathrm{Attn}_k=\sum_{n\neq k}\mathrm{Attn}_n$: $K-1$ terms of order $\delta/K$ sum to order $\delta$, not to "
    r"$O(\epsilon\delta)$.",
    instead=r"With $1-\mathrm{Attn}_k=\Theta(\epsilon\delta)$ the others have $\mathrm{Attn}_n=\Theta(\epsilon\delta/K)$, for "
    r"exchangeable tasks.",
    costs="the theorem",
    hypotheses=IN_SHARP,
)
def premises_of_lemma_9() -> Evidence:
    r"""$\mathrm{Attn}_n=\Theta(\frac\delta K)$ and $1-\mathrm{Attn}_k=O(\epsilon\delta)$
    together are refuted: $(K-1)\frac\delta K\leq C\epsilon\delta$ fails for every $C$ at
    $\epsilon=\frac1K$, $K=2n$.
    """
    return defeated((K - 1) * delta / K, c1 * epsilon * delta, n, at=SHARP, where=WHERE)


@claim(
    "LDL:L9.2",
    false="gap",
    follows="LDL:P4/rate",
    why=r"For exchangeable tasks $|g_{k,n}|=g_k/(K-1)$, which at $t=T_s^1+1$ exceeds the printed bound by "
    r"$\frac1{\epsilon\log(K/\epsilon)}$.",
    instead=r"$|g_{k,n}|=g_k/(K-1)$ for exchangeable tasks and orthonormal features.",
    costs="the theorem",
    needs=("LDL:L9.prem", "LDL:P4/gradient", "LDL:T1/late", "LDL:L2.eq13/upper"),
    hypotheses=IN_SHARP,
)
def gradient_of_others_in_phase_3() -> Evidence:
    r"""$|g_{k,n}|\leq C\frac{\delta^2L^2\Delta^2\epsilon}{K^2}$ is refuted for every $C$ at the
    first step of Phase III, where $|g_{k,n}|\geq g_k/K$, with $K=2n^4$ classes.
    """
    odds = slow.odds_late(K, c2 * slow.end_of_phase_2(K, delta, epsilon))
    left, right = K / (256 * delta**2 * epsilon), c1 * K * odds
    return defeated(left.subs(n, n**4), right.subs(n, n**4), n, at=FAR, where=WHERE, least=2)


@claim(
    "LDL:L10.q",
    false="typo",
    follows="LDL:L8.q",
    why=r"$\log(KL\Delta/\epsilon)$ of the proof is not $\log(KL\Delta)/\epsilon$ of the lemma: at $K=1/\epsilon$ they differ by "
    r"more than $K/2$.",
    instead=r"$q_k=\Theta(\log(KL\Delta/\epsilon))$ is what the proof uses.",
    costs="nothing",
    hypotheses=IN_SHARP,
)
def logarithm_of_a_quotient_in_lemma_10() -> Evidence:
    r"""$\frac{\log(KL\Delta)}\epsilon=O(\log\frac{KL\Delta}\epsilon)$ is refuted at
    $\epsilon=\frac1K$, $L=10K$, $K=2n$.
    """
    size = K * L * sqrt(DELTA2)
    return defeated(log(size) / epsilon, c1 * log(size / epsilon), n, at=SHARP, where=WHERE)


@claim(
    "LDL:L10.T",
    false="typo",
    why=r"$\eta$ is missing in the denominator: $T_s^*$ of Proposition 4 has it, and halving $\eta$ doubles the number of steps.",
    instead=r"$T_s^*-T_f^*=\Theta(K\log(KL\Delta/\epsilon)/(\eta\epsilon\delta^2L^2\Delta^2))$.",
    costs="nothing",
    hypotheses=("eta > 0", "eta <= 1"),
)
def steps_without_the_learning_rate() -> Evidence:
    r"""$T_s^*\leq C\frac{K\log(KL\Delta/\epsilon)}{L^2\Delta^2\delta^2\epsilon}$ is refuted for
    every $C$ at $\eta=\frac1n$: in units of the right side $T_s^*$ of Proposition 4 is
    $\frac1\eta$.
    """
    return defeated(n, c1, n, at={"eta": 1 / n}, where={"K, L, Delta, delta, epsilon": "fixed"})


@claim(
    "LDL:L10.exp",
    false="gap",
    follows="LDL:L5.exp",
    why=r"The constant of $\Theta$ is an exponent: a gap of $\frac12\log(KL\Delta/\epsilon)$ gives "
    r"$\sqrt{\epsilon/(KL\Delta)}$, not $O(\epsilon/K)$.",
    instead=r"$\exp(q_{k,m}-q_k)=O(\epsilon/K)$ follows from $q_k-q_{k,m}\geq\log(K/\epsilon)-O(1)$.",
    costs="constants",
    hypotheses=IN_SHARP,
)
def odds_at_the_end_of_phase_3() -> Evidence:
    r"""$e^{-\Theta(\log(KL\Delta/\epsilon))}=O(\frac\epsilon K)$ is refuted for
    $\frac12\log\frac{KL\Delta}\epsilon$, at $\epsilon=\frac1K$, $L=10K$, $K=2n$.
    """
    return defeated(sqrt(epsilon / (K * L * sqrt(DELTA2))), c1 * epsilon / K, n, at=SHARP, where=WHERE)


@claim(
    "LDL:L10.1",
    false="gap",
    follows="LDL:T2",
    why=r"After $T$ steps $(1-\mathrm{Attn}_k)^2\geq\frac1{2(1+CT/K)}$, so that $1-\mathrm{Attn}_k$ has at least the order "
    r"$\delta\sqrt{\epsilon/\log(KL\Delta/\epsilon)}$ at $T_s^*$.",
    instead=r"$1-\mathrm{Attn}_k\leq\epsilon\delta$ takes a time of order $\frac1{\eta\sigma_f^2}(K^2+\frac "
    r"K{\epsilon^2\delta^2})$, for orthonormal features and exchangeable tasks.",
    costs="the theorem",
    needs=("LDL:L10.exp", "LDL:L5.u", "LDL:T1/late", "LDL:attn"),
    hypotheses=IN_SHARP,
)
def the_rest_at_the_end_of_phase_3() -> Evidence:
    r"""$1-\mathrm{Attn}_k\leq C\epsilon\delta$ at $t=T_s^*$ is refuted for every $C$ in a
    balanced prompt, as $\frac1{2\epsilon^2\delta^2}\leq C^2\frac1{2(1-\mathrm{Attn}_k)^2}$, with
    $K=2n$, $\epsilon=\frac1K$, $L=10K$.
    """
    odds = slow.odds_late(K, c2 * slow.end_of_phase_3_at_most(K, delta, epsilon))
    return defeated(1 / (2 * epsilon**2 * delta**2), c1 * (1 + odds), n, at=SHARP, where=WHERE, least=600)
