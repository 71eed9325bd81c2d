"""Lemma 5 of Li, Duan & Liang with its proof: the end of Phase I, where delta = o(1)."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import log, oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import FLAT, HYPOTHESES, WHERE, K, c1, c2, n
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.li_duan_liang.dynamics import exactly
from proofs_check.li_duan_liang.dynamics.lemma_3 import scores_are_small

#: The number of classes, and u_k.
WHOLE, lower_share = sp.Symbol("K", integer=True, positive=True), sp.Symbol("u_k", positive=True)
AT_ITS_END = slow.score_early(K, c2 * slow.end_of_phase_1(K))


def sum_of_two_phases(least: int | Fraction, most: int | Fraction, more: bool = False) -> Evidence:
    """Compare a log K + b log(K/epsilon) with multiples of the last logarithm, or, with `more`, the
    same for log(K/epsilon) and log(K L Delta/epsilon), where L Delta >= 1; K epsilon >= 1.
    """
    a, b, k, e, size = sp.symbols("a b K epsilon LDelta", positive=True)
    first, last = (log(k / e), log(k / e) + log(size)) if more else (log(k), log(k / e))
    box = {a: (0, oo), b: (0, oo), k: Closed(2, oo), e: (0, 1)} | ({size: Closed(1, oo)} if more else {})
    bounds = ((">=", least * b), ("<=", most * (a + b)))
    return all_of(
        *(forall(a * first + b * last, op, c * last, box, where=[(k * e, ">=", 1)]) for op, c in bounds)
    )


def odds_of_a_gap(constant: int | Fraction) -> Evidence:
    """Bound the odds of two classes whose scores differ by C log(K s/epsilon) - b, where s >= 1."""
    k, e, b, s, more = sp.symbols("K epsilon b s c", positive=True)
    odds = sp.exp(b) * (e / (k * s)) ** (sp.Rational(constant) + more)
    domain = {k: Closed(2, oo), e: (0, 1), b: (0, oo), s: Closed(1, oo), more: (0, oo)}
    return forall(odds, "<=", sp.exp(b) * e / k, domain)


@claim("LDL:L5.sum", **TYPO, repair=dict(first=0), control=dict(last=4), hypotheses=("eta > 0", "g0 > 0"))
def gradients_that_are_summed(*, first: int = 1, last: int = 3) -> Evidence:
    r"""$q^{(T+1)}=q^{(0)}+\eta\sum_{t=1}^{T}g^{(t)}$ is refuted for $T=3$; repaired, the sum begins
    at $t=0$, which is derived by induction for every $T$. Tried is $T=3$; `first` and `last` are
    the ends of the sum there.
    """
    eta, q = sp.Symbol("eta", positive=True), sp.Symbol("q0", real=True)
    g = sp.symbols("g0:5", positive=True)
    score = q
    for t in range(4):
        score = score + eta * g[t]
    tried = identity(score, q + eta * sp.Add(*g[first : last + 1]))
    return derivation("LDL:L5.sum", tried, first=first, last=last)


@claim(
    "LDL:L5.1",
    **charge(false="gap", follows="LDL:P2/rate.lower", costs="the theorem"),
    needs=("LDL:L4.1", "LDL:L5.sum", "LDL:P2/early", "OURS:R7.flow"),
    hypotheses=HYPOTHESES,
    **exactly.SCORES_AND_TIME.repaired,
)
@exactly.SCORES_AND_TIME
def score_at_the_end_of_phase_1() -> Evidence:
    r"""$q_k\geq c\log K$ at the end of Phase I is refuted for every $c>0$ and every constant in the
    number of steps: $q_k\leq z$ tends to 0, with $K=2n$ classes.
    """
    return defeated(log(K), c1 * AT_ITS_END, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L5.off",
    **exactly.ON_ORTHONORMAL,
    control=(dict(c=Fraction(9, 10)), dict(power=2)),
    needs=("LDL:L4.2", "LDL:L2.raw/aligned"),
)
def other_scores_at_the_end_of_phase_1(
    *, features: str = "any", c: Fraction = Fraction(1), power: int = 1
) -> Evidence:
    r"""Printed, for `features` of Section 3.1, $|q_{k,m}|=O(\log(K)/K)$ is refuted for every
    constant. For orthonormal ones it holds after $C\frac{K\log K}{\eta s^2}$ steps of at most
    $\eta\frac{Ps^2}{K^2}$, $s=L\Delta$: at most $c\,CP\frac{\log K}K$ with `c` = 1 and `power` for
    the exponent of $K$. It is derived for a score that is the sum of any such steps, whatever $C$
    and $P$ are; by P2.off a step is of this size, with $\frac32P^2$ for $P$.
    """
    if features == "any":
        return scores_are_small()
    eta, P, C, s, k = sp.symbols("eta P C s K", positive=True)
    share = sp.Symbol("a", nonnegative=True)
    moved = share * (C * k * log(k) / (eta * s**2)) * (eta * P * s**2 / k**2)
    box = {**dict.fromkeys((eta, P, C, s), (0, oo)), k: Closed(2, oo), share: Closed(0, 1)}
    tried = forall(moved, "<=", sp.Rational(c) * C * P * log(k) / k**power, box)
    return derivation("LDL:L5.off", tried, c=c, power=power)


@claim(
    "LDL:L5.off/gap",
    **charge(false="gap", follows="LDL:P2/rate.lower", costs="the theorem"),
    needs=("LDL:L5.1", "LDL:L5.off", "LDL:P2/early", "OURS:R7.flow"),
    hypotheses=HYPOTHESES,
    **exactly.SCORES.repaired,
)
@exactly.SCORES
def gap_at_the_end_of_phase_1() -> Evidence:
    r"""$q_k-q_{k,m}\geq c\log K$ at the end of Phase I is refuted for every $c>0$ and every
    constant in the number of steps, with $K=2n$ classes.
    """
    return defeated(log(K), c1 * AT_ITS_END, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:L5.exp",
    **charge(false="gap", costs="constants"),
    repair=dict(constant=1),
    control=dict(constant=Fraction(9, 10)),
    hypotheses=HYPOTHESES,
)
def odds_from_a_logarithm(*, constant: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For $q_k-q_{k,m}=C\log K$ with `constant` $C=\frac12$,
    $\exp(q_{k,m}-q_k)=K^{-C}\leq\frac{c}K$ is refuted for every $c$, with $K=2n$. Repaired,
    $C\geq1$.
    """
    if constant < 1:
        return defeated(K ** -sp.Rational(constant), c1 / K, n, at=FLAT, where=WHERE)
    k, more = sp.Symbol("K", positive=True), sp.Symbol("a", nonnegative=True)
    return forall(k ** -(sp.Rational(constant) + more), "<=", 1 / k, {k: Closed(1, oo), more: Closed(0, oo)})


@claim(
    "LDL:L5.N",
    **charge(false="gap", costs="nothing"),
    repair=dict(share=Fraction(1, 2)),
    control=(dict(least=Fraction(3, 4)), dict(most=Fraction(9, 5))),
    hypotheses=HYPOTHESES,
    needs=("LDL:eq9",),
)
def share_of_a_class(
    *, share: Fraction | None = None, least: Fraction = Fraction(2, 3), most: int = 2
) -> Evidence:
    r"""$\frac1\delta\leq C\frac N{|V_k|}$ is refuted for every $C$ at $\delta=\frac1{K^2}$, where
    $\frac N{|V_k|}\leq\frac1{1/K-1/K^2}$ on the event of (9), with $K=2n$ classes. Repaired, with
    $\delta$ at most `share` = 1/2 times $p_k$, $\frac N{|V_k|}$ is between `least` = 2/3 and `most`
    = 2 times $\frac1{p_k}$.
    """
    if share is None:
        at = slow.member(delta=1 / K**2, N=20 * K**5)
        return defeated(K**2, c1 / (1 / K - 1 / K**2), n, at=at, where=WHERE)
    p, d, x = sp.symbols("p_k delta x", positive=True)  # x is the share of the class
    domain = {p: (0, 1), d: (0, 1), x: (0, 1)}
    given = [(d, "<=", sp.Rational(share) * p), (x, ">=", p - d), (x, "<=", p + d)]
    bounds = ((">=", least), ("<=", most))
    return all_of(*(forall(1 / x, op, sp.Rational(c) / p, domain, where=given) for op, c in bounds))


@claim(
    "LDL:L5.u",
    **charge(false="gap", costs="the theorem"),
    repair=dict(times=2),
    control=(dict(least=Fraction(3, 5)), dict(most=Fraction(9, 10))),
    hypotheses=HYPOTHESES,
    needs=("LDL:eq9",),
)
def inverse_of_the_lower_share(
    *, times: int = 0, least: Fraction = Fraction(1, 2), most: int | Fraction = 1
) -> Evidence:
    r"""$\frac1{u_k}-\frac1K\leq C\delta$ is refuted for every $C$ at $p_k=\frac1K$,
    $\delta=\frac1{10K}$, where $u_k=\frac9{10}$, with $K=2n$ classes. Repaired, for $K$ at least
    `times` = 2 times $u_k>0$, $\frac1{u_k}-\frac1K$ is between `least` = 1/2 and `most` = 1 times
    $\frac1{u_k}$.
    """
    if not times:
        u = K * (1 / K - FLAT["delta"])
        return defeated(1 / u - 1 / K, c1 * FLAT["delta"], n, at=FLAT, where=WHERE)
    domain, given = {WHOLE: Integers(2, oo), lower_share: (0, oo)}, [(times * lower_share, "<=", WHOLE)]
    bounds = ((">=", least), ("<=", most))
    return all_of(
        *(
            forall(1 / lower_share - 1 / WHOLE, op, sp.Rational(c) / lower_share, domain, where=given)
            for op, c in bounds
        )
    )


@claim(
    "LDL:L5.2",
    **charge(false="gap", follows="LDL:P2.attn", costs="the theorem"),
    needs=(
        "LDL:L5.exp",
        "LDL:L5.u",
        "LDL:L5.N",
        "LDL:L5.off",
        "LDL:P2/early",
        "LDL:attn",
        *exact_training.R7,
    ),
    hypotheses=HYPOTHESES,
    **exactly.HALF_IN_TIME.repaired,
)
@exactly.HALF_IN_TIME
def attention_by_lemma_5() -> Evidence:
    r"""$\mathrm{Attn}_k\geq\frac c{1+\delta}$ at the end of Phase I is refuted for every $c>0$, as
    in Proposition 2, with $K=2n$ classes.
    """
    attention = slow.attention_early(K, c2 * slow.end_of_phase_1(K))
    return defeated(1 / (1 + FLAT["delta"]), c1 * attention, n, at=FLAT, where=WHERE, least=4)
