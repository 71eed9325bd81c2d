"""Proposition 2 of Li, Duan & Liang: Phase I, with the bounds of early training that refute it."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import log, oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import aligned_features as aligned
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import DELTA2, FLAT, HYPOTHESES, WHERE, K, c1, c2, n
from proofs_check.instances.outcomes import charge
from proofs_check.li_duan_liang.dynamics import exactly
from proofs_check.li_duan_liang.dynamics import product_features as fast
from proofs_check.li_duan_liang.dynamics.lemma_4 import ALIGNED, other_updates, own_updates, too_large
from theory.regression.features.data import FeatureRegression
from theory.regression.features.reduced import ReducedAttention


@claim(
    "LDL:P2/early",
    control=(
        dict(share=Fraction(9, 10)),
        dict(own=Fraction(3, 4)),
        dict(gap=Fraction(9, 10)),
        dict(size=3),
        dict(score=2),
    ),
    needs=("LDL:L2.raw",),
)
def early_training_is_slow(
    *,
    share: Fraction = Fraction(7, 4),
    own: Fraction = Fraction(7, 2),
    gap: Fraction = Fraction(9, 2),
    size: int = 4,
    score: Fraction = Fraction(9, 4),
) -> Evidence:
    r"""For orthonormal features and exchangeable tasks of the spread $\sigma_f^2$, if queries and
    tokens are $v_k$ with probability at most $\frac PK$, $\mathrm{Attn}_k$ is at most $\frac74$ of
    the share of the tokens $v_k$ in a prompt, $g_k\leq\frac{7P^2\sigma_f^2}{2K^2}$ and
    $q_k-q_{k,m}\leq\frac92\eta\frac{P^2\sigma_f^2}{K^2}T$ after $T$ of the first
    $\frac{K^2}{8\eta P^2\sigma_f^2}$ steps of gradient descent from $Q=0$. All three are derived
    from the loss, for every law of prompts, by induction over the steps; `share`, `own` and `gap`
    stand for the numbers. Tried are they at the first step of infinite prompts with equal shares.

    The tasks $\pm L/\sqrt2$ have $\sigma_f^2=\frac{KL^2}{2(K-1)}$: for these, $\eta=\frac1{L^2}$,
    and $P=1$, $g_k\leq\frac{4L^2}{K^2}$ and $q_k-q_{k,m}\leq\frac{9T}{4K(K-1)}$ after
    $T\leq\frac{K(K-1)}4$ steps, and $\mathrm{Attn}_k\leq\frac2K$ where $v_k$ has at most
    $\frac{11N}{10K}$ tokens, which refutations use; `size` and `score` stand for the 4 and
    $\frac94$.
    """
    k, a = sp.symbols("K a", positive=True)
    many, step = {k: Closed(2, oo)}, ReducedAttention(8, sp.S.One).slope(sp.S.Zero)
    spread = k / (2 * (k - 1))  # of the tasks, at L = 1
    found = derivation(
        "LDL:P2/early",
        forall(a, "<=", sp.Rational(share) * a, {a: (0, 1)}),
        forall(step * sp.Rational(7, 8), "<=", sp.Rational(own) / 64, {}),
        forall(step, "<=", sp.Rational(gap) / 64, {}),
        share=share,
        own=own,
        gap=gap,
    )
    return all_of(
        found,
        forall(Fraction(7, 2) * spread, "<=", size, many),
        forall(Fraction(9, 2) * spread / k**2, "<=", sp.Rational(score) / (k * (k - 1)), many),
    )


@claim(
    "LDL:P2/rate.lower",
    **charge(false="false", costs="the theorem"),
    robust=exactly.diverging(
        5, HYPOTHESES, lambda K, L, **_: (DELTA2 * L**2 / K) / slow.gradient_early(K, L), n / 2
    ),
    needs=("LDL:P2/early", *exact_training.R7),
    hypotheses=HYPOTHESES,
    **exactly.EARLY_UPDATES.repaired,
)
@exactly.EARLY_UPDATES
def rate_of_phase_1_from_below() -> Evidence:
    r"""In Phase I $q_k$ grows at a rate of at least $c\frac{\eta L^2\Delta^2}K$: refuted for every
    $c>0$ at the first step, where $\eta g_k\leq\frac{4\eta L^2}{K^2}$, with $K=2n$ classes.
    """
    L = FLAT["L"]
    return defeated(DELTA2 * L**2 / K, c1 * slow.gradient_early(K, L), n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:P2/rate.upper",
    **exactly.ON_ORTHONORMAL,
    why=ALIGNED + r"$g_k\geq\frac{L^2}{2000}$ at $t=1$: no $O(L^2\Delta^2/K)$.",
    sharp="c",
    needs=("LDL:L2.raw", "LDL:eq4.use", "LDL:L2.raw/aligned"),
)
def rate_of_phase_1_from_above(*, features: str = "any", c: Fraction = Fraction(4, 27)) -> Evidence:
    r"""The rate of $q_k$ is at most $\frac CK\eta L^2\Delta^2$: printed, for `features` of Section
    3.1, this is refuted for every constant at $t=1$. For orthonormal ones $\eta g_k\leq
    c\,\eta\frac PKB^2$ with `c` = 4/27, $B=O(L\Delta)$, is derived for the mean that $g_k$ is by
    L2.raw, over every law of tasks and prompts and every law of queries.
    """
    if features == "any":
        return too_large(1 / aligned.K)
    return derivation("LDL:P2/rate.upper", own_updates(c), c=c)


@claim(
    "LDL:P2/time.upper",
    **charge(false="false", follows="LDL:P2/rate.lower", costs="the theorem"),
    robust=exactly.diverging(
        5, HYPOTHESES, lambda K, **_: K * (K - 1) / (4 * slow.end_of_phase_1(K)), n ** sp.Rational(1, 2) / 4
    ),
    needs=("LDL:P2/early", *exact_training.R7),
    hypotheses=HYPOTHESES,
    **exactly.TIME_TO_ONE_HALF.repaired,
)
@exactly.TIME_TO_ONE_HALF
def duration_of_phase_1_from_above() -> Evidence:
    r"""$\mathrm{Attn}_k\geq\frac12$ after at most $C\frac{K\log K}{\eta L^2\Delta^2}$ steps:
    refuted for every $C$, since it takes more than $\frac{K(K-1)}4$ of them at $\eta=1/L^2$, with
    $K=2n$ classes, in every prompt in which $v_k$ has at most $\frac{11N}{10K}$ tokens.
    """
    return defeated(K * (K - 1) / 4, c1 * slow.end_of_phase_1(K), n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:P2/time.lower",
    **exactly.ON_ORTHONORMAL | {"hypotheses": ("K in Integers", "K >= 2")},
    control=(dict(share=Fraction(9, 10)), dict(c=Fraction(2, 5))),
    needs=("LDL:L2.raw", "LDL:eq4.use", "LDL:L2.raw/product"),
)
def duration_of_phase_1_from_below(
    *, features: str = "any", share: Fraction = Fraction(3, 2), c: Fraction = Fraction(1, 3)
) -> Evidence:
    r"""The least time to $\mathrm{Attn}_k\geq\frac12$ is at least $c\frac{K\log K}{\eta
    L^2\Delta^2}$: printed, for `features` of Section 3.1, this is refuted for every $c>0$, and for
    all classes at once. For orthonormal ones $\mathrm{Attn}_k$ is at most `share` = 3/2 of the
    share of the tokens $v_k$ in a prompt, at each of the first $\frac{2K^2}{15\eta P^2B^2}$ steps
    of gradient descent from $Q=0$, if queries and tokens are $v_k$ with probability at most $\frac
    PK$, and values differ by at most $B=O(L\Delta)$: below $\frac12$ where this share is below
    $\frac13$. These are at least $c\frac{K\log K}{\eta P^2B^2}$ steps with `c` = 1/3. The first is
    derived from the loss, for every law of tasks and of prompts, by induction over the steps; tried
    is $\mathrm{Attn}_1$ of three features at the first one.
    """
    if features == "any":
        least = slow.end_of_phase_1(fast.K)
        return defeated(least, c1 * fast.most_steps(2 * n), n, at=fast.AT, where=fast.WHERE, least=1)
    k, a = sp.Symbol("K", positive=True), sp.Symbol("a", positive=True)
    shares = sp.Matrix([[a, (1 - a) / 2, (1 - a) / 2]])
    first = FeatureRegression(sp.eye(3), sp.eye(3), masses=shares).attention(sp.zeros(3))[0, 0]
    tried = forall(first, "<=", sp.Rational(share) * a, {a: (0, 1)})
    return all_of(
        derivation("LDL:P2/time.lower", tried, share=share),
        forall(2 * k**2 / 15, ">=", sp.Rational(c) * k * log(k), {k: Integers(2, oo)}),
    )


@claim(
    "LDL:P2.attn",
    **charge(false="false", follows="LDL:P2/rate.lower", costs="the theorem"),
    robust=exactly.diverging(
        5,
        HYPOTHESES,
        lambda K, delta, **_: 1 / (1 + delta) / slow.attention_early(K, slow.end_of_phase_1(K)),
        n / 5,
    ),
    needs=("LDL:P2/early", *exact_training.R7),
    hypotheses=HYPOTHESES,
    **exactly.HALF_IN_TIME.repaired,
)
@exactly.HALF_IN_TIME
def attention_at_the_end_of_phase_1() -> Evidence:
    r"""At the end of Phase I $\mathrm{Attn}_k\geq\frac c{1+\delta}$: refuted for every $c>0$ and
    every constant in the number of steps, since $\mathrm{Attn}_k$ is at most $\frac2K(1+2z)$,
    with $K=2n$ classes.
    """
    attention = slow.attention_early(K, c2 * slow.end_of_phase_1(K))
    return defeated(1 / (1 + FLAT["delta"]), c1 * attention, n, at=FLAT, where=WHERE, least=4)


@claim(
    "LDL:P2.off",
    **exactly.ON_ORTHONORMAL,
    why=ALIGNED + r"$|g_{k,k'}|\geq\frac{L^2}{2000}$ at $t=1$: no $O(L^2\Delta^2/K^2)$.",
    control=dict(c=Fraction(1, 2)),
    needs=("LDL:L4.2", "LDL:L2.raw", "LDL:eq4.use", "LDL:L2.raw/aligned"),
)
def rate_of_the_other_scores(*, features: str = "any", c: Fraction = Fraction(1)) -> Evidence:
    r"""In Phase I $q_{k,k'}$ moves at the rate $O(\frac{\eta L^2\Delta^2}{K^2})$: printed, for
    `features` of Section 3.1, this is refuted for every constant at $t=1$. For orthonormal ones
    each of the first $\frac{2K^2}{15\eta P^2B^2}$ steps of gradient descent from $Q=0$ moves
    $q_{k,k'}$ by at most $c\,\eta\frac{3P^2B^2}{2K^2}$ with `c` = 1, if queries and tokens are
    $v_k$ with probability at most $\frac PK$, and values differ by at most $B=O(L\Delta)$.
    It is $\eta$ times the bound of L4.2, and derived with it.
    """
    if features == "any":
        return too_large(1 / aligned.K**2)
    return derivation("LDL:P2.off", other_updates(c), c=c)


@claim(
    "LDL:P2.osc",
    **charge(false="gap", costs="nothing"),
    needs=exact_training.UPDATES,
    hypotheses=("K in Integers", "K >= 2", "z >= 0"),
    **exactly.OTHER_UPDATES.repaired,
)
@exactly.OTHER_UPDATES
def other_scores_move_one_way() -> Evidence:
    r"""A step that does not decrease $q_{k,m}$ is refuted: at the gap $z$ and $\eta\sigma_f^2=1$
    the step of $q_{k,m}$ is $-\frac1K$ times that of $z$.
    """
    k, z = sp.Symbol("K", integer=True, positive=True), sp.Symbol("z", nonnegative=True)
    return forall(
        -ReducedAttention(k, sp.S.One).slope(z) / k, ">=", 0, {k: Integers(2, oo), z: Closed(0, oo)}
    )


@claim(
    "LDL:P2.osc/trend",
    **charge(false="gap", follows="LDL:L3.sym", costs="a hypothesis"),
    needs=exact_training.UPDATES,
    hypotheses=("K in Integers", "K >= 4", "a > 0", "a < 1"),
    **exactly.OTHER_UPDATES.repaired,
)
@exactly.OTHER_UPDATES
def another_score_that_grows() -> Evidence:
    r"""For $f=\pm\frac L{\sqrt2}$ on half of the features each, a nonpositive step of $q_{k,m}$
    with $f(v_m)=f(v_k)$ is refuted: with attention $a$ on the values of the other sign
    $f(v_k)-\hat y=\sqrt2La$, and the step is $\eta\frac1K\cdot\frac{2(1-a)}K\cdot2L^2a^2$. Here
    $\eta L^2=1$.
    """
    k, a = sp.Symbol("K", integer=True, positive=True), sp.Symbol("a", real=True)
    return forall(2 * (1 - a) / k**2 * 2 * a**2, "<=", 0, {k: Integers(4, oo), a: (0, 1)})
