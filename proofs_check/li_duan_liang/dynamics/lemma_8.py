"""Lemma 8 of Li, Duan & Liang with its proof: the end of Phase II in the flat regime."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import log, oo, sqrt

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import FLAT, IN_FLAT, IN_SHARP, WHERE, K, c1, c2, n
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.li_duan_liang.dynamics import exactly
from proofs_check.li_duan_liang.dynamics.lemma_5 import odds_of_a_gap, sum_of_two_phases
from proofs_check.li_duan_liang.dynamics.proposition_3 import COARSE, T, delta, epsilon


@claim(
    "LDL:L8.q",
    **TYPO,
    repair=dict(inside=True),
    control=(dict(least=Fraction(11, 10)), dict(most=Fraction(9, 10))),
    hypotheses=IN_FLAT,
)
def logarithm_of_a_quotient(
    *, inside: bool = False, least: int | Fraction = 1, most: int | Fraction = 1
) -> Evidence:
    r"""$\frac{\log K}\epsilon=O(\log\frac K\epsilon)$ is refuted at $\epsilon=\frac1K$, $K=2n$.
    Repaired, $q_k=a\log K+b\log\frac K\epsilon$ is at least `least` = 1 times $b\log\frac
    K\epsilon$ and at most `most` = 1 times $(a+b)\log\frac K\epsilon$.
    """
    if not inside:
        return defeated(log(K) / epsilon, c1 * log(K / epsilon), n, at=FLAT, where=WHERE)
    return sum_of_two_phases(least, most)


@claim(
    "LDL:L8.exp",
    **charge(false="gap", follows="LDL:L5.exp", costs="constants"),
    repair=dict(constant=1),
    control=dict(constant=Fraction(9, 10)),
    hypotheses=IN_FLAT,
)
def odds_at_the_end_of_phase_2(*, constant: int | Fraction = Fraction(1, 2)) -> Evidence:
    r"""$e^{-\Theta(\log(K/\epsilon))}=O(\frac\epsilon K)$, which the next display uses, is refuted
    for $\frac12\log\frac K\epsilon$, at $\epsilon=\frac1K$, $K=2n$. Repaired, a gap of $C\log\frac
    K\epsilon-b$ with $C\geq1$ (`constant`) gives at most $e^b\frac\epsilon K$.
    """
    if constant < 1:
        return defeated((epsilon / K) ** sp.Rational(constant), c1 * epsilon / K, n, at=FLAT, where=WHERE)
    return odds_of_a_gap(constant)


@claim(
    "LDL:L8.off",
    **charge(false="gap", follows="LDL:L3.sym", costs="a hypothesis"),
    repair=dict(tasks="exchangeable"),
    control=dict(c=Fraction(9, 5)),
    needs=("LDL:L8.off/apart", "LDL:T1/late", "LDL:L7.2"),
    hypotheses=IN_FLAT,
)
def other_scores_at_the_end_of_phase_2(*, tasks: str = "any", c: int | Fraction = 2) -> Evidence:
    r"""At $t=T_f^*+1$ $|q_{k,m}|=O(\frac{\log(K/\epsilon)}K)$: printed, for any `tasks`, this is
    refuted for every constant, also of $T_f^*$. For exchangeable ones $z\leq\log
    K+\frac12\log(1+21\log(K/\epsilon)\delta^{-2})\leq c\log\frac K{\epsilon\delta}$ with `c` = 2,
    in $u=\log(K/\epsilon)\geq\log K$ and $v=\log(1/\delta)$.
    """
    if tasks == "any":
        where = {
            **WHERE,
            "tasks": "one function, L/sqrt(2) on half of the features and -L/sqrt(2) on the others",
        }
        return defeated(sp.Rational(1, 2), c1 * log(K / epsilon) / K, n, at=FLAT, where=where)
    u, v = sp.symbols("u v", nonnegative=True)
    gap = u + log(1 + 21 * u * sp.exp(2 * v)) / 2
    return forall(gap, "<=", sp.Rational(c) * (u + v), {u: Closed(2, oo), v: Closed(0, oo)})


@claim("LDL:L8.off/apart", control=(dict(least=Fraction(1, 100)), dict(steps=27)))
def two_values_move_apart(*, least: Fraction = Fraction(9, 1000), steps: int = 28) -> Evidence:
    r"""For orthonormal features, one function $\pm\frac L{\sqrt2}$ on half of them each,
    $\eta=1/L^2$ and iid prompts of length $N\geq8$, $|q_{k,m}|=q_k\geq\frac12$ from $28K^2$ steps
    on. Executed are $\frac o{(1+o)^3}\geq$ `least` = 9/1000 for odds $\frac13\leq o\leq9$, and that
    `steps` = 28 times $K^2$ steps of $\frac2{K^2}$ times $\frac9{1000}$ are at least $\frac12$.
    """
    o, k = sp.symbols("o K", positive=True)
    moved = steps * k**2 * 2 / k**2 * sp.Rational(9, 1000)
    slowest = forall(o / (1 + o) ** 3, ">=", sp.Rational(least), {o: Closed(Fraction(1, 3), 9)})
    return all_of(slowest, forall(moved, ">=", Fraction(1, 2), {k: Closed(2, oo)}))


@claim(
    "LDL:L8.off/inference", control=(dict(c=Fraction(9, 10)), dict(power=2)), needs=("LDL:L7.2", "LDL:L5.off")
)
def scores_moved_by_small_steps(*, c: Fraction = Fraction(1), power: int = 1) -> Evidence:
    r"""$C\frac{K\log(K/\epsilon)}{\eta\delta^2s^2}$ steps of at most
    $\eta\frac{P\delta^2s^2}{K^2}$, $s=L\Delta$, move a score by at most
    $c\,CP\frac{\log(K/\epsilon)}K$ with `c` = 1 and `power` for the exponent of $K$. It is derived
    for a score that starts at no more than $C_0\frac{\log K}K\leq C_0\frac{\log(K/\epsilon)}K$ and
    is moved by any such steps; that the steps are so small, as Lemma 7 says, is refuted.
    """
    eta, P, C, s, d, k, e = sp.symbols("eta P C s delta K epsilon", positive=True)
    share = sp.Symbol("a", nonnegative=True)
    moved = share * (C * k * log(k / e) / (eta * d**2 * s**2)) * (eta * P * d**2 * s**2 / k**2)
    box = {**dict.fromkeys((eta, P, C, s, d), (0, oo)), k: Closed(2, oo), e: (0, 1), share: Closed(0, 1)}
    tried = forall(moved, "<=", sp.Rational(c) * C * P * log(k / e) / k**power, box)
    return derivation("LDL:L8.off/inference", tried, c=c, power=power)


@claim(
    "LDL:L8.off/lemma_10",
    **charge(false="gap", follows="LDL:L8.off", costs="a hypothesis"),
    repair=dict(tasks="exchangeable"),
    control=dict(c=Fraction(9, 5)),
    needs=("LDL:L8.off/apart", "LDL:T1/late", "LDL:L9.2"),
    hypotheses=IN_SHARP,
)
def other_scores_at_the_end_of_phase_3(*, tasks: str = "any", c: int | Fraction = 2) -> Evidence:
    r"""At $t=T_s^*$ $|q_{k,m}|=O(\frac{\log(KL\Delta/\epsilon)}K)$: printed, for any `tasks`, this
    is refuted for every constant, also of $T_s^*$, with $K=2n$, $\epsilon=\frac1K$,
    $\delta=\frac1{10K}$, $L=10K$. For exchangeable ones $z\leq\log
    K+\frac12\log(1+21u\frac1{\epsilon\delta^2})\leq cu$ with `c` = 2 and
    $u=\log\frac{KL\Delta}\epsilon$, where $\log K\leq u-\frac v2$ with
    $v=\log\frac1{\epsilon\delta^2}$, as $L\Delta\geq\frac1\delta$.
    """
    if tasks == "any":
        where = {
            **WHERE,
            "tasks": "one function, L/sqrt(2) on half of the features and -L/sqrt(2) on the others",
        }
        sharp = slow.member(L=10 * K)
        size = K * sharp["L"] * sqrt(slow.DELTA2) / sharp["epsilon"]
        return defeated(sp.Rational(1, 2), c1 * log(size) / K, n, at=sharp, where=where)
    u, v = sp.symbols("u v", nonnegative=True)
    gap = u - v / 2 + log(1 + 21 * u * sp.exp(v)) / 2
    return forall(gap, "<=", sp.Rational(c) * u, {u: Closed(2, oo), v: Closed(0, oo)})


@claim(
    "LDL:L8.attn",
    **charge(false="gap", follows="LDL:P3/attn", costs="a hypothesis"),
    needs=("LDL:L8.exp", "LDL:L8.off", "LDL:L5.u", "LDL:P2/early", "LDL:attn", *exact_training.R7),
    hypotheses=IN_FLAT,
    **exactly.HALF_BEFORE.repaired,
)
@exactly.HALF_BEFORE
def attention_by_lemma_8() -> Evidence:
    r"""$\mathrm{Attn}_k\geq\frac c{1+\epsilon\delta}$ at $t=T_f^*+1$ is refuted for every $c>0$, as
    in Proposition 3, with the same $l$ and $x$ in what bounds the time.
    """
    attention = slow.attention_early(K, c2 * slow.end_of_phase_2(K, COARSE["delta"], COARSE["epsilon"]))
    left = 1 / (1 + COARSE["delta"] * COARSE["epsilon"])
    return defeated(left, c1 * attention, n, at=COARSE, where=WHERE, least=128)


@claim(
    "LDL:L8.1",
    **charge(false="gap", follows="LDL:T1", costs="the theorem"),
    needs=("LDL:L8.attn", "LDL:T1/late", *exact_training.R7),
    hypotheses=IN_FLAT,
    **exactly.TIME_OF_THE_ORDER.repaired,
)
@exactly.TIME_OF_THE_ORDER
def the_rest_at_the_end_of_phase_2() -> Evidence:
    r"""$1-\mathrm{Attn}_k\leq C\epsilon\delta$ at $t=T_f^*+1$, that is
    $\frac1{2\epsilon^2\delta^2}\leq C^2\frac1{2(1-\mathrm{Attn}_k)^2}$, is refuted for every
    $C$ in a balanced prompt, with $K=2n$, $\epsilon=\frac1K$.
    """
    return defeated(
        1 / (2 * epsilon**2 * delta**2), c1 * (1 + slow.odds_late(K, T)), n, at=FLAT, where=WHERE, least=4
    )
