"""Theorems 1 and 2 of Li, Duan & Liang with their proofs: the time to a loss of order epsilon^2."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp
from sympy import log, oo

from numerics.counterexamples.by_sequences import defeated, vanishing
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.core.witnessed import fails_at
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import FLAT, IN_FLAT, IN_SHARP, WHERE, K, c1, c2, n
from proofs_check.instances.outcomes import charge
from proofs_check.li_duan_liang.dynamics import exactly
from theory.regression.features.reduced import ReducedAttention

SHARP = slow.member(L=10 * K)


def excess_at(end: Callable[..., sp.Expr]) -> Callable[..., sp.Expr]:
    """Lower bound of the loss at a printed end, over epsilon^2."""
    return lambda K, L, delta, epsilon, **_: slow.loss_late(K, L, end(K, delta, epsilon)) / epsilon**2


def never_learned(at: dict[str, sp.Expr], T: sp.Expr, least: int) -> Evidence:
    """Refute ``loss <= C epsilon^2`` after T steps, as L^2/(8 epsilon^2) <= C (1 + odds)."""
    left = at["L"] ** 2 / (8 * at["epsilon"] ** 2)
    return defeated(left, c1 * (1 + slow.odds_late(at["K"], T)), n, at=at, where=WHERE, least=least)


def learned_in(factor: Fraction, loss: Fraction) -> Evidence:
    """The gap with e^z = (K-1) r, r = sigma_f/epsilon >= 1, has a loss of at most epsilon^2, and
    the time to it at eta sigma_f^2 = 1 is at most K^2 + 3K log(Kr) + 3Kr + K r^2/2, term by term.
    """
    k, M, r, s = (sp.Symbol(name, positive=True) for name in ("K", "M", "r", "sigma"))
    whole = sp.Symbol("K", integer=True, positive=True)
    y, box = M * r, {M: Closed(1, oo), r: Closed(1, oo)}
    terms = ((y**2 - 1) / 2, 3 * M * (y - 1), 3 * M**2 * log(y), M**3 * (1 - 1 / y))
    bounds = (
        (M + 1) ** 2 * r**2 / 2,
        3 * (M + 1) ** 2 * r,
        3 * (M + 1) ** 2 * log((M + 1) * r),
        (M + 1) ** 3,
    )
    time = computed(
        r"K\,T((K-1)r)",
        (whole * ReducedAttention(whole, sp.S.One).time(log((whole - 1) * r))).subs(whole, M + 1),
    )
    small = s**2 / 2 * k / (k - 1) / (1 + r) ** 2
    return all_of(
        identity(time, sp.Add(*terms)),
        *(forall(a, "<=", sp.Rational(factor) * b, box) for a, b in zip(terms, bounds, strict=True)),
        forall(small, "<=", sp.Rational(loss) * (s / r) ** 2, {k: Closed(2, oo), r: box[r], s: (0, oo)}),
    )


@claim(
    "LDL:T1/late",
    control=(
        *(dict(classes=2), dict(rate=1), dict(four=Fraction(7, 2)), dict(two=Fraction(19, 10))),
        *(dict(last=28), dict(most=Fraction(5, 9)), dict(least=Fraction(6, 11))),
    ),
    needs=("OURS:R7.H",),
)
def late_training_is_slow(
    *,
    classes: int = 1,
    rate: int | Fraction = 34,
    four: int | Fraction = 4,
    two: int | Fraction = 2,
    last: int = 42,
    most: Fraction = Fraction(4, 7),
    least: Fraction = Fraction(1, 2),
) -> Evidence:
    r"""For orthonormal features, exchangeable tasks of the spread $\sigma_f^2$, prompts of
    $N\geq64K$ independent tokens of $K$ equally likely classes and $\eta\sigma_f^2\leq K-1$, the
    scores of a query on all other classes are equal and add up to $-q_k$ after any number $T$ of
    steps of gradient descent from $Q=0$; $e^{2z}\leq1+34\eta\sigma_f^2\frac{K^2T}{K-1}$ for the
    gap $z=\frac K{K-1}q_k$; and the loss is at least $\frac{\sigma_f^2}4$ over one plus this bound
    over $(K-1)^2$. All is derived from the descent of $Q$, with the gradient that R7.H gives for
    finitely many prompts, by induction over the steps; `classes`, `rate` and `four` stand for the 1
    of $K-1$, the 34 and the 4. Tried are they at balanced prompts: the sum of the scores,
    $e^{2z}-1$ beside the time of the flow, and the loss at a gap.

    The tasks $\pm L/\sqrt2$ have $\sigma_f^2=\frac{KL^2}{2(K-1)}$: for these, $\eta=\frac1{L^2}$
    and $K\geq8$ the odds $\frac{e^{2z}}{(K-1)^2}$ are at most $1+\frac{42T}K$, the loss is at least
    $\frac{L^2}8$ over one plus this, and $(1-\mathrm{Attn}_k)^2\geq\frac12$ over one plus the odds
    where a prompt has as many tokens of each class, which refutations use; `last` and `two` stand
    for the 42 and the 2, `least` and `most` for $\frac12\leq\eta\sigma_f^2\leq\frac47$.
    """
    k, T, y = sp.Symbol("K", positive=True), sp.Symbol("T", nonnegative=True), sp.Symbol("y", positive=True)
    (M, q), x = sp.symbols("M q", positive=True), sp.Symbol("x", nonnegative=True)
    large = {k: Closed(8, oo)}
    spread = k / (2 * (k - 1))  # of the tasks, at L = 1, and eta times it
    flow = (y**2 - 1) / 2 + 3 * M * (y - 1) + 3 * M**2 * log(y) + M**3 * (1 - 1 / y)
    found = derivation(
        "LDL:T1/late",
        identity(-(M + 1 - classes) * (q / M), -q),
        forall(y**2 - 1, "<=", sp.Rational(rate) * (M + 1) / M * flow, {y: Closed(1, oo), M: Closed(1, oo)}),
        forall(1, "<=", sp.Rational(four) * (1 + x**2) / (2 * (1 + x) ** 2), {x: Closed(0, oo)}),
        classes=classes,
        rate=rate,
        four=four,
    )
    odds = (1 + 34 * spread * k**2 * T / (k - 1)) / (k - 1) ** 2
    return all_of(
        found,
        forall(spread, "<=", sp.Rational(most), large),
        forall(odds, "<=", 1 + last * T / k, large | {T: Closed(0, oo)}),
        forall(spread, ">=", sp.Rational(least), large),
        forall((1 + x) ** 2, "<=", sp.Rational(two) * (1 + x**2), {x: Closed(0, oo)}),
    )


@claim(
    "LDL:T1",
    **charge(false="false", costs="the theorem"),
    repair=dict(time="of the flow"),
    control=dict(factor=Fraction(9, 10)),
    robust=exactly.diverging(5, IN_FLAT, excess_at(slow.end_of_phase_2), n / 400),
    needs=("LDL:T1/late", "OURS:R7.H"),
    hypotheses=IN_FLAT,
)
def theorem_1(
    *, time: str = "printed", factor: Fraction = Fraction(1), loss: Fraction = Fraction(1)
) -> Evidence:
    r"""The loss is at most $C\epsilon^2$ within $T_f^*$ steps: refuted for every $C$ and every
    constant in $T_f^*$, with $K=2n$, $\epsilon=\frac1K$, $\delta=\frac1{10K}$, $L=5K$. Repaired,
    the time is $\frac1{\eta\kappa^2\sigma_f^2}(K^2+3K\log(Kr)+3Kr+\frac{Kr^2}2)$ with
    $r=\sigma_f/\epsilon\geq1$, where $\kappa=1$ for orthonormal features and $\frac12\Delta^2$ for
    equiangular ones of one norm. It is derived for every $K$ and dimension from the flow of $Q$ and
    the second moments of the tasks; tried is the formula of the time, term by term.
    """
    if time == "printed":
        return never_learned(FLAT, c2 * slow.end_of_phase_2(K, FLAT["delta"], FLAT["epsilon"]), least=4)
    return derivation("LDL:T1", learned_in(factor, loss), factor=factor, loss=loss)


@claim(
    "LDL:T2",
    **charge(false="false", costs="the theorem"),
    repair=dict(time="of the flow"),
    control=dict(factor=Fraction(9, 10)),
    robust=exactly.diverging(
        10, IN_SHARP, excess_at(slow.end_of_phase_3_at_most), n ** sp.Rational(1, 2) / 10**3, least=8
    ),
    needs=("LDL:T1/late", "OURS:R7.H"),
    hypotheses=IN_SHARP,
)
def theorem_2(
    *, time: str = "printed", factor: Fraction = Fraction(1), loss: Fraction = Fraction(1)
) -> Evidence:
    r"""The loss is at most $C\epsilon^2$ within $T_s^*$ steps: refuted for every $C$ and every
    constant in $T_s^*$, with $K=2n$, $\epsilon=\frac1K$, $\delta=\frac1{10K}$, $L=10K$. Repaired,
    the time is that of Theorem 1, derived in the same way.
    """
    if time == "printed":
        return never_learned(
            SHARP, c2 * slow.end_of_phase_3_at_most(K, SHARP["delta"], SHARP["epsilon"]), least=3000
        )
    return derivation("LDL:T2", learned_in(factor, loss), factor=factor, loss=loss)


@claim("LDL:T1.mono/formula", control=(dict(power=0), dict(gap=0)))
def printed_time_decreases(*, power: int = 2, gap: int = 2) -> Evidence:
    r"""$T_f^*=\frac{K\log(K/\epsilon)}{\eta\delta^2L^2\Delta^2}$ decreases as $L$ or $\Delta$
    increases, for the printed powers `power` = 2 of $L$ and `gap` = 2 of $\Delta$. Whether the
    convergence is faster is another claim.
    """
    L, size, d, e, eta, k, more = sp.symbols("L Delta delta epsilon eta K s", positive=True)
    T = lambda L, size: k * log(k / e) / (eta * d**2 * L**power * size**gap)
    box = {**dict.fromkeys((L, size, d, eta), (0, oo)), k: Closed(2, oo), e: (0, 1), more: (1, oo)}
    return all_of(
        forall(T(more * L, size), "<", T(L, size), box), forall(T(L, more * size), "<", T(L, size), box)
    )


def time_to_the_loss(L: sp.Expr, K: sp.Expr, epsilon: sp.Expr) -> sp.Expr:
    """The time to the loss epsilon^2 under the flow at eta = 1, where L^2 K^2/(4 (e^z + K - 1)^2)
    is the loss of the tasks +-L/sqrt(2).
    """
    return ReducedAttention(K, L**2 * K / (2 * (K - 1))).time(log(L * K / (2 * epsilon) - (K - 1)))


@claim(
    "LDL:T1.mono/faster",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(level="Attn_k >= 1/2"),
    control=dict(classes=4),
    needs=("OURS:R7.time",),
    hypotheses=("K in Integers", "K >= 2", "0 < epsilon < 1", "K*epsilon >= 1", "L > 0", "larger > L"),
)
def convergence_is_faster(*, level: str = "any", classes: int = 5) -> Evidence:
    r"""The time to the loss $\epsilon^2$ falls as $L$ increases: printed, for any `level`, this is
    refuted near the loss at the start. Where $y=(K-1)r$ with $r\geq1$ at this loss,
    $\frac{(1+r)^4(K-1)^2}{r^2}\leq2F((K-1)r)$ with $F(y)=\frac{y^2-1}2+3(K-1)(y-1)+3(K-1)^2\log
    y+(K-1)^3(1-\frac1y)$ is certified from `classes` = 5 on.
    """
    if level == "any":
        K, epsilon, small, large = sp.Integer(8), sp.Rational(1, 8), sp.Rational(9, 32), sp.Rational(10, 32)
        later = time_to_the_loss(large, K, epsilon) - time_to_the_loss(small, K, epsilon)
        point = {
            "K": K,
            "epsilon": epsilon,
            "L": small,
            "larger": large,
            "prompts": "balanced",
            "features": "e_1, ..., e_8",
        }
        return fails_at(point, later, r"T(L^{\prime})\leq T(L)\text{ for }L^{\prime}\geq L")
    M, r = sp.symbols("M r", positive=True)
    y = M * r
    F = (y**2 - 1) / 2 + 3 * M * (y - 1) + 3 * M**2 * log(y) + M**3 * (1 - 1 / y)
    left, right = sp.expand((1 + r) ** 4 / r**2), sp.expand(2 * F / M**2)
    return forall(left, "<=", right, {M: Closed(classes - 1, oo), r: Closed(1, oo)})


@claim(
    "LDL:D3.all",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(tasks="exchangeable"),
    control=dict(two=1),
    hypotheses=("K in Integers", "K >= 3"),
)
def every_difference_is_large(*, tasks: str = "any", two: int = 2) -> Evidence:
    r"""$L\Delta\leq C|f(v_n)-f(v_k)|$ for all $n\neq k$ is refuted for every $C$: on $K=4$
    orthonormal features with $f=(\frac L{\sqrt2},\frac L{\sqrt2},-\frac L{\sqrt2},-\frac
    L{\sqrt2})$, $L=2$, $f(v_1)=f(v_2)$. Repaired, for exchangeable tasks, whose second moments are
    $\sigma_f^2I+b\mathbf1\mathbf1^{\top}$, $\mathbb E(f(v_n)-f(v_k))^2$ is `two` = 2 times
    $\sigma_f^2$, which is derived for every number of classes; tried are three.
    """
    if tasks == "any":
        f = [sp.sqrt(2), sp.sqrt(2), -sp.sqrt(2), -sp.sqrt(2)]
        where = {
            "K": 4,
            "features": "e_1, ..., e_4",
            "f": "(s, s, -s, -s), s = sqrt(2)",
            "L": 2,
            "Delta": "sqrt(2)",
            "k, n": "1, 2",
        }
        return vanishing(2 * sp.sqrt(slow.DELTA2), c1 * sp.Abs(f[0] - f[1]), where=where)
    spread, b = sp.symbols("spread b", real=True)
    moments, difference = spread * sp.eye(3) + b * sp.ones(3), sp.Matrix([1, -1, 0])
    mean = (difference.T * moments * difference)[0]
    tried = identity(computed(r"\mathbb E(f(v_n)-f(v_k))^2", mean), two * spread)
    return derivation("LDL:D3.all", tried, two=two)


@claim("LDL:D3.drop", control=(dict(half=Fraction(1, 3)), dict(half=Fraction(2, 3))), needs=("LDL:L1.Theta",))
def loss_at_the_class_of_the_query(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""$\frac12\sum_k\mathbb E[1\{x_{\rm query}=v_k\}X_k]$ is `half` = 1/2 times the mean of $X_k$
    at the class $k$ of the query, over tasks, prompts and queries, where $X_k$ is
    $(1-\mathrm{Attn}_k)^2\Theta(L^2\Delta^2)$ or anything else: $\Theta$ hides the $\frac12$. It is
    derived for any number of classes; three with the probabilities $p$, $q$ and $1-p-q$ are tried.
    """
    p, q = sp.symbols("p q", nonnegative=True)
    x = sp.symbols("x_1:4", real=True)
    mean = p * x[0] + q * x[1] + (1 - p - q) * x[2]
    return derivation("LDL:D3.drop", identity(mean / 2, sp.Rational(half) * mean), half=half)


@claim(
    "LDL:D3",
    control=(dict(c=Fraction(9, 10)), dict(power=2), dict(rest=1)),
    needs=("LDL:L8.1", "LDL:D3.drop", "LDL:D3.all", "LDL:L1.Theta"),
)
def the_loss_from_the_attention(*, c: Fraction = Fraction(1), power: int = 1, rest: int = 2) -> Evidence:
    r"""If $L\leq\frac A{\Delta\delta}$ and $1-\mathrm{Attn}_k\leq B\epsilon\delta$, then
    $(1-\mathrm{Attn}_k)^2L^2\Delta^2\leq c\,A^2B^2\epsilon^2$ with `c` = 1. Here `power` is the
    exponent of $\delta$ in the threshold of $L$, and `rest` that of $1-\mathrm{Attn}_k$.
    """
    A, B, d, e, size = sp.symbols("A B delta epsilon Delta", positive=True)
    a, b = sp.symbols("a b", nonnegative=True)  # both quantities in units of their bounds
    left = (b * B * e * d) ** rest * (a * A / (size * d**power)) ** 2 * size**2
    box = {**dict.fromkeys((A, B, d, e, size), (0, oo)), a: Closed(0, 1), b: Closed(0, 1)}
    return forall(left, "<=", sp.Rational(c) * A**2 * B**2 * e**2, box)


@claim(
    "LDL:E2.last",
    **charge(false="gap", costs="the theorem"),
    repair=dict(power=2),
    control=(dict(power=3), dict(constant=Fraction(9, 10))),
    needs=("LDL:L10.1", "LDL:D3.drop", "LDL:D3.all", "LDL:L1.Theta"),
    hypotheses=IN_SHARP,
)
def loss_without_the_spread_of_the_tasks(*, power: int = 0, constant: int | Fraction = 1) -> Evidence:
    r"""$(1-\mathrm{Attn}_k)^2L^2\Delta^2=O(\epsilon^2\delta^2)$ from
    $1-\mathrm{Attn}_k=\epsilon\delta$ is refuted for $L=10K$, $\epsilon=\frac1K$,
    $\delta=\frac1{10K}$, $K=2n$. Repaired, for $1-\mathrm{Attn}_k\leq B\epsilon\delta$ and
    differences of values of at most $CL\Delta$ the left side is at most `constant` = 1 times
    $B^2C^2\epsilon^2\delta^2(L\Delta)^2$, with `power` for the last exponent.
    """
    if not power:
        product = (SHARP["epsilon"] * SHARP["delta"]) ** 2
        return defeated(product * SHARP["L"] ** 2 * slow.DELTA2, c1 * product, n, at=SHARP, where=WHERE)
    B, C, d, e, size = sp.symbols("B C delta epsilon LDelta", positive=True)
    b, c = sp.symbols("b c", nonnegative=True)  # both quantities in units of their bounds
    box = {
        **dict.fromkeys((B, C, size), (0, oo)),
        **dict.fromkeys((d, e), (0, 1)),
        **dict.fromkeys((b, c), Closed(0, 1)),
    }
    left = (b * B * e * d) ** 2 * (c * C * size) ** 2
    return forall(left, "<=", sp.Rational(constant) * B**2 * C**2 * e**2 * d**2 * size**power, box)


@claim(
    "LDL:E2.end", control=(dict(c=Fraction(9, 10)), dict(power=3), dict(largest=2)), needs=("LDL:E2.last",)
)
def the_end_of_theorem_2(*, c: Fraction = Fraction(1), power: int = 2, largest: int = 1) -> Evidence:
    r"""$A\epsilon^2\delta^2\leq c\,A\epsilon^2$ with `c` = 1 for all $0<\delta\leq1$, so that
    the last display gives $O(\epsilon^2)$; neither $\delta=o(1)$ nor $\epsilon=o(1)$ is needed.
    Here `power` is the last exponent of $\epsilon$, and `largest` the largest $\delta$.
    """
    A, e = sp.Symbol("A", positive=True), sp.Symbol("epsilon", positive=True)
    d = sp.Symbol("delta", nonnegative=True)
    return forall(
        A * e**2 * d**2, "<=", sp.Rational(c) * A * e**power, {A: (0, oo), e: (0, 1), d: Closed(0, largest)}
    )
