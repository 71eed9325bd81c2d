"""The sentences of Sections 4 and 5 of Li, Duan & Liang that compare the regimes of L, and those
that describe the phases.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, log, oo, sqrt

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import exact_training
from proofs_check.instances.features import slow_attention as slow
from proofs_check.instances.features.slow_attention import DELTA2, IN_SHARP, WHERE, K, c1, n
from proofs_check.instances.outcomes import charge
from proofs_check.li_duan_liang.dynamics import exactly
from proofs_check.li_duan_liang.dynamics.theorems import learned_in
from theory.regression.features.reduced import ReducedAttention

SHARP = slow.member(L=10 * K)
REDUCED = (
    r"The features are equiangular with one norm, the tasks exchangeable and the prompts balanced; "
    r"other problems are not tried."
)
k, w = sp.Symbol("K", positive=True), sp.Symbol("w", real=True)
CLASSES = ("K in Integers", "K >= 2")


def speed(k: sp.Expr, w: sp.Expr) -> sp.Expr:
    """Speed of the attention w under the flow, at eta sigma_f^2 = 1: w (1-w) times that of the
    gap.
    """
    return w * (1 - w) * k / (k - 1) ** 2 * w * (1 - w) ** 2


def gradient(k: sp.Expr, w: sp.Expr) -> sp.Expr:
    """g_k at the attention w, in units of sigma_f^2."""
    return w * (1 - w) ** 2 / (k - 1)


def sharp_law(k: sp.Expr, L: sp.Expr, eta: sp.Expr, e: sp.Expr) -> sp.Expr:
    """The printed T_s^*, times delta^2 Delta^2 / K."""
    return log(k * L * sqrt(DELTA2) / e) / (eta * e * L**2)


@claim(
    "LDL:4.thr",
    **charge(false="false", costs="the theorem"),
    repair=dict(law="of the flow"),
    control=(dict(factor=Fraction(9, 10)), dict(power=1)),
    robust=Diverging(
        point={"ratio": Fraction(10)},
        hypotheses=(*IN_SHARP, "s*epsilon < 1", "s >= 1"),
        sequence=lambda index, ratio: {**slow.along(index, ratio), "s": index},
        ratio=lambda K, L, epsilon, s, **_: (
            sharp_law(K, L, 1 / L**2, epsilon) / sharp_law(K, s * L, 1 / (s * L) ** 2, s * epsilon)
        ),
        exceeds=n / 2,
    ),
    needs=("LDL:4.thr/scaling", "OURS:R7.H", "OURS:R9.time"),
    hypotheses=(*IN_SHARP, "s*epsilon < 1", "s >= 1"),
)
def threshold_of_the_regimes(
    *, law: str = "printed", factor: Fraction = Fraction(1), loss: Fraction = Fraction(1), power: int = 2
) -> Evidence:
    r"""Problems with $(L,\eta,\epsilon)$ and $(sL,\eta/s^2,s\epsilon)$ take the same time, so that
    $T_s^*(L,\eta,\epsilon)\leq C\,T_s^*(sL,\eta/s^2,s\epsilon)$ would hold; it is refuted for every
    $C$, with $s=n$, $K=2n$, $\epsilon=\frac1K$, $L=10K$. Repaired, the loss is at most $\epsilon^2$
    from $T=\frac1{\eta\sigma_f^2}(K^2+3K\log(Kr)+3Kr+\frac12Kr^2)$ on,
    $r=\frac{\sigma_f}\epsilon\geq1$: `factor` = 1 multiplies these terms, `loss` = 1 the level, and
    $T$ is the same at $(s\sigma_f,\frac\eta{s^2},s\epsilon)$, with `power` for the exponent of $s$.
    """
    if law == "printed":
        e, L, s = SHARP["epsilon"], SHARP["L"], n
        eta = 1 / L**2
        right = c1 * sharp_law(K, s * L, eta / s**2, s * e)
        return defeated(sharp_law(K, L, eta, e), right, n, at={**SHARP, "s": s}, where=WHERE, least=2)
    M, spread, s, eta, e = sp.symbols("M sigma_f s eta e", positive=True)  # M = K - 1, and e is epsilon
    terms = lambda r: (M + 1) ** 2 + 3 * (M + 1) * log((M + 1) * r) + 3 * (M + 1) * r + (M + 1) * r**2 / 2
    T = lambda spread, eta, e: terms(spread / e) / (eta * spread**2)
    moved = computed(r"T(s\sigma_f,\tfrac\eta{s^2},s\epsilon)", T(s * spread, eta / s**power, s * e))
    found = derivation("LDL:4.thr", learned_in(factor, loss), factor=factor, loss=loss)
    return all_of(found, identity(moved, T(spread, eta, e)))


@claim("LDL:4.thr/scaling", control=(dict(power=1), dict(square=1)), needs=("OURS:R7.H",))
def scaled_problems_take_the_same_path(*, power: int = 2, square: int = 2) -> Evidence:
    r"""Gradient descent on $sf$ at $\eta s^{-p}$ with `power` $p=2$ takes the steps of that on $f$
    at $\eta$ from the same matrix, and its loss is $s^2$ times that of $f$, with `square` for the
    exponent. It is derived by induction over the steps for all features, probabilities and laws of
    tasks and of finitely many prompts. Tried are that the step
    $\eta\,p\,a_m(f_k-\hat y)(f_m-\hat y)$ of a score is the same at every attention on three
    classes, and the square of an error.
    """
    s, eta, p = sp.symbols("s eta p", positive=True)
    a, b, f, g, h = sp.symbols("a b f g h", real=True)
    mean = lambda s: s * (a * f + b * g + (1 - a - b) * h)
    step = lambda s, eta: eta * p * b * (s * f - mean(s)) * (s * g - mean(s))
    box = {
        **dict.fromkeys((s, eta, p), (0, oo)),
        **dict.fromkeys((a, b), Closed(0, 1)),
        **dict.fromkeys((f, g, h), (-oo, oo)),
    }
    steps = (forall(step(s, eta * s**-power), op, step(1, eta), box) for op in ("<=", ">="))
    loss = identity((s * f - mean(s)) ** 2, s**square * (f - mean(1)) ** 2)
    return derivation("LDL:4.thr/scaling", all_of(*steps), loss, rate=power, square=square)


@claim(
    "LDL:4.dyn",
    **charge(false="gap", follows="LDL:4.thr", costs="the theorem"),
    repair=dict(one=True),
    control=dict(power=1),
    needs=("LDL:4.thr/scaling", "OURS:R9"),
    hypotheses=(*CLASSES, "s > 1", "L > 0", "z >= 0"),
)
def regimes_have_one_dynamics(*, one: bool = False, power: int = 2) -> Evidence:
    r"""That the step of the score gap $z$ is larger at $(sL,\eta/s^2)$ than at $(L,\eta)$, $s>1$,
    is refuted; $\eta=1$, and $\sigma_f^2=\frac{L^2K}{2(K-1)}$. Repaired, with `power` for the
    exponent of $s$ in $\frac\eta{s^2}$, it is the same.
    """
    whole, L = sp.Symbol("K", integer=True, positive=True), sp.Symbol("L", positive=True)
    s = sp.Symbol("s", positive=True)
    z, C = sp.Symbol("z", nonnegative=True), sp.Symbol("C", positive=True)
    step = ReducedAttention(whole, C).slope(z)
    rate = lambda L, eta: step.subs(C, eta * L**2 * whole / (2 * (whole - 1)))
    with sp.evaluate(False):
        sharp = rate(s * L, s ** sp.Integer(-power))
    box = {whole: Integers(2, oo), L: (0, oo), s: (1, oo), z: Closed(0, oo)}
    if one:
        return identity(computed(r"\dot z(sL,\tfrac\eta{s^2})", sharp), rate(L, sp.S.One))
    return forall(sharp, ">", rate(L, sp.S.One), box)


@claim(
    "LDL:4.poly",
    **charge(false="gap", follows="LDL:3.1.feat/suffice", costs="a hypothesis"),
    repair=dict(features="equiangular"),
    control=dict(most=Fraction(7, 2)),
    hypotheses=slow.HYPOTHESES,
    needs=("LDL:3.1.feat/suffice", "LDL:T1"),
)
def near_zero_loss_in_polynomial_time(*, features: str = "any", most: int | Fraction = 4) -> Evidence:
    r"""A loss of at most $C\epsilon^2$ after any time is refuted for every $C$: at the features
    $0,e_2,\dots,e_K$ with tasks $\pm\frac12L$ on half of them each it is at least $L^2/(8K)$, here
    with $\epsilon=\frac1K$, $L=2$ and $K=2n$. Repaired, $K^2+3K\log(Kr)+3Kr+\frac12Kr^2$, the time
    of Theorem 1 as repaired in units of $\frac1{\eta\kappa^2\sigma_f^2}$, is at most `most` = 4
    times $K^2r^2$, $r=\frac{\sigma_f}\epsilon\geq1$, and that the loss is at most $\epsilon^2$ from
    then on is derived from the flow of $Q$.
    """
    if features == "any":
        at = slow.member(L=sp.Integer(2))
        where = {"features": "0, e_2, ..., e_K", "tasks": "L/2 and -L/2 on half of the features each"}
        return defeated(at["L"] ** 2 / (8 * K), c1 * at["epsilon"] ** 2, n, at=at, where=where)
    r = sp.Symbol("r", positive=True)
    time = k**2 + 3 * k * log(k * r) + 3 * k * r + k * r**2 / 2
    tried = forall(time, "<=", sp.Rational(most) * k**2 * r**2, {k: Closed(2, oo), r: Closed(1, oo)})
    return derivation("LDL:4.poly", tried, most=most)


def flow_time(k: sp.Expr, L: sp.Expr, epsilon: sp.Expr) -> sp.Expr:
    """The time to the loss epsilon^2 under the flow at eta = 1 with the tasks +-L/sqrt(2), up to a
    factor that depends on K alone.
    """
    y, M = L * k / (2 * epsilon) - (k - 1), k - 1
    return ((y**2 - 1) / 2 + 3 * M * (y - 1) + 3 * M**2 * log(y) + M**3 * (1 - 1 / y)) / L**2


@claim(
    "LDL:cmp1",
    **charge(false="gap", costs="nothing"),
    needs=exact_training.R7,
    hypotheses=(*IN_SHARP, "flat > 0", "2*flat**2*delta**2 <= 1"),
    **exactly.LATE_LOSS.repaired,
)
@exactly.LATE_LOSS
def sharp_is_faster_beyond_one_over_epsilon() -> Evidence:
    r"""At $\epsilon=\frac1K$, $\delta=\frac1{10K}$ and one $\eta$ the time to the loss $\epsilon^2$
    is shorter at the sharp $L=K^2$ than at the flat 1 by $cL\epsilon$: refuted for every $c>0$,
    as the quotient of the exact times of the flow tends to 1; $K=2n$, $n\geq4$.
    """
    at = {**slow.member(L=K**2), "flat": sp.S.One}
    sharp, flat = (flow_time(K, L, at["epsilon"]) for L in (at["L"], at["flat"]))
    where = {**WHERE, "prompts": slow.EQUAL_SHARES, "eta": "one for both"}
    return defeated(at["L"] * at["epsilon"], c1 * flat / sharp, n, at=at, where=where, least=4)


@claim(
    "LDL:cmp2",
    **charge(false="gap", costs="nothing"),
    repair=dict(falls=True),
    control=dict(sign=-1),
    needs=("OURS:R7.flow/step", "OURS:R9"),
    hypotheses=("K in Integers", "K >= 2", "z >= 0", "etaL2 > 0"),
)
def larger_gradients_require_smaller_steps(*, falls: bool = False, sign: int = 1) -> Evidence:
    r"""That a step does not decrease the loss $\frac{\sigma_f^2}2\frac K{K-1}(1-\mathrm{Attn}_k)^2$
    when $\eta L^2$ is large is refuted: with $z$ the gap, $1-\mathrm{Attn}_k=\frac{K-1}{e^z+K-1}$,
    the step increases $z$. Repaired, every step of gradient descent makes the loss smaller, which
    is derived in the setting of OURS:R7.flow/step, with `sign` for the sign of the loss. Tried are
    that $z$ increases, and that $1-\mathrm{Attn}_k$ falls as $z$ increases.
    """
    whole, z = sp.Symbol("K", integer=True, positive=True), sp.Symbol("z", nonnegative=True)
    size = sp.Symbol("etaL2", positive=True)
    rest = lambda z: (whole - 1) / (exp(z) + whole - 1)
    C = sp.Symbol("C", positive=True)
    step = sign * ReducedAttention(whole, C).slope(z).subs(C, size * whole / (2 * (whole - 1)))
    box = {whole: Integers(2, oo), z: Closed(0, oo), size: (0, oo)}
    if falls:
        falls_in_z = forall(sign * sp.diff(rest(z), z), "<", 0, box)
        return derivation("LDL:cmp2", all_of(forall(step, ">", 0, box), falls_in_z), sign=sign)
    return forall(rest(z + step), ">=", rest(z), box)


@claim(
    "LDL:abs.rise",
    **charge(false="gap", costs="nothing"),
    repair=dict(fastest=Fraction(2, 5)),
    control=(dict(fastest=Fraction(3, 8)), dict(most=25), dict(whole=2), dict(cube=2)),
    needs=("OURS:R7.flow",),
    hypotheses=("K in Integers", "K >= 2"),
)
def attention_rises_rapidly_at_first(
    *, fastest: Fraction | None = None, most: int = 29, whole: int = 1, cube: int = 3
) -> Evidence:
    r"""The speed of the attention at $a=\frac25$ is at most $C$ times that at the start: refuted
    for every $C$, with $K=2n$ classes. Repaired, it is $\eta\sigma_f^2\frac K{(K-1)^2}a^2(1-a)^3$,
    which is derived from the flow of $Q$, with $\kappa^2\sigma_f^2$ for $\sigma_f^2$ where the
    features are equiangular; so it is largest at $a=\frac25$ (`fastest`), and at the start at most
    $\frac{29}{K^2}$ times that, with `most` for the 29. Tried are the attention of the code, which
    `whole` multiplies, and its speed, with `cube` for the exponent 3.
    """
    if fastest is None:
        where = {
            "features": "orthonormal",
            "tasks": "exchangeable",
            "prompts": slow.EQUAL_SHARES,
            "a": "2/5 and 1/K",
        }
        return defeated(
            speed(K, sp.Rational(2, 5)), c1 * speed(K, 1 / K), n, at={"K": K}, where=where, least=2
        )
    M, z = sp.Symbol("M", positive=True), sp.Symbol("z", real=True)
    training, top = ReducedAttention(M + 1, sp.S.One), speed(k, sp.Rational(fastest))
    own = training.attention(z)
    moved = speed(M + 1, own) * (1 - own) ** (cube - 3)
    found = derivation(
        "LDL:abs.rise",
        identity(computed(r"\mathrm{Attn}_k", own), whole * exp(z) / (exp(z) + M)),
        identity(sp.diff(own, z) * training.slope(z), moved),
        forall(speed(k, w), "<=", top, {k: Closed(2, oo), w: Closed(0, 1)}),
        **dict(whole=whole, cube=cube, fastest=fastest),
    )
    return all_of(found, forall(speed(k, 1 / k), "<=", most / k**2 * top, {k: Closed(2, oo)}))


@claim(
    "LDL:abs.rise/others",
    control=(dict(times=2),),
    fragment=REDUCED + " That it can oscillate is not tried, and slower is read in absolute terms.",
    hypotheses=("K >= 2", "w >= 0", "w <= 1"),
)
def others_decay_more_slowly(*, times: int = 1) -> Evidence:
    r"""An irrelevant class has the attention $\frac{1-w}{K-1}$, which falls at most as fast as the
    attention $w$ on the own class rises, in absolute terms: its derivative in $w$, times the speed
    of $w$, is at least minus that speed.
    """
    other = (1 - w) / (k - 1)
    return forall(
        times * sp.diff(other, w) * speed(k, w), ">=", -speed(k, w), {k: Integers(2, oo), w: Closed(0, 1)}
    )


@claim(
    "LDL:5.2.init",
    **charge(false="gap", follows="LDL:abs.rise", costs="nothing"),
    repair=dict(largest=Fraction(1, 3)),
    control=(dict(largest=Fraction(3, 10)), dict(power=1)),
    needs=exact_training.UPDATES,
    hypotheses=("K in Integers", "K >= 2"),
)
def gradient_is_large_at_first(*, largest: Fraction | None = None, power: int = 2) -> Evidence:
    r"""$g_k$ at $\mathrm{Attn}_k=\frac13$ is at most $C$ times that at $Q=0$: refuted for every
    $C$, with $K=2n$ classes. Repaired, $g_k$ is $\sigma_f^2\frac{a(1-a)^2}{K-1}$ at the attention
    $a$, with `power` for the 2, and largest at $a=\frac13$ (`largest`): both are derived from the
    flow of $Q$.
    """
    if largest is None:
        where = {
            "features": "orthonormal",
            "tasks": "exchangeable",
            "prompts": slow.EQUAL_SHARES,
            "Attn": "1/3 and 1/K",
        }
        return defeated(
            gradient(K, sp.Rational(1, 3)), c1 * gradient(K, 1 / K), n, at={"K": K}, where=where, least=2
        )
    top, box = gradient(k, sp.Rational(largest)), {k: Closed(2, oo), w: Closed(0, 1)}
    tried = exact_training.updates(power), forall(gradient(k, w), "<=", top, box)
    return derivation("LDL:5.2.init", *tried, power=power, largest=largest)


@claim("LDL:5.2.size", control=(dict(power=0), dict(time=0)), needs=("LDL:4.thr/scaling",), fragment=REDUCED)
def larger_tasks_are_learned_sooner(*, power: int = 2, time: int = 2) -> Evidence:
    r"""The gradients at a given attention grow with $L$, as $L^p$ with `power` $p=2$; the time
    to $\mathrm{Attn}_k=1-\epsilon$, which is $T/(\eta\kappa^2\sigma_f^2)$ with
    $\kappa=\frac{\Delta^2}2$ and $\sigma_f$ proportional to $L\Delta$, falls with $L$ and
    $\Delta$, as $L^{-p}$ with `time` $p=2$.
    """
    L, more, T, size = sp.symbols("L s T Delta", positive=True)
    law = lambda L, size: T / (L**time * (size**6) ** sp.Rational(time, 2))
    box = {L: (0, oo), more: (1, oo), T: (0, oo), size: (0, oo)}
    a = sp.Symbol("a", positive=True)
    domain = {L: (0, oo), more: (1, oo), a: (0, 1)}
    return all_of(
        forall(a * (1 - a) ** 2 * (more * L) ** power, ">", a * (1 - a) ** 2 * L**power, domain),
        forall(law(more * L, size), "<", law(L, size), box),
        forall(law(L, more * size), "<", law(L, size), box),
    )


@claim(
    "LDL:5.2.after",
    **charge(false="gap", follows="LDL:P2/time.upper", costs="nothing"),
    repair=dict(start=Fraction(1, 2)),
    sharp="start",
    needs=("LDL:P2/early", "OURS:R7.flow"),
    hypotheses=slow.HYPOTHESES,
)
def gradients_fall_after_phase_1(*, start: Fraction = Fraction(0)) -> Evidence:
    r"""After the end of Phase I $g_k$ decreases: printed (`start` = 0), that it is at
    $\mathrm{Attn}_k=\frac13$ at most a multiple of what it is at $T_f^1+1$ is refuted for every
    multiple, and every constant in $T_f^1$. From $\mathrm{Attn}_k=\frac12$ (`start`) on
    $\mathrm{Attn}_k(1-\mathrm{Attn}_k)^2$ decreases: $(1-a)(1-3a)\leq0$ for every larger attention
    $a$.
    """
    if not start:
        L = slow.FLAT["L"]
        later = L**2 * K / (2 * (K - 1)) * gradient(K, sp.Rational(1, 3))
        where = {**WHERE, "prompts": slow.EQUAL_SHARES}
        return defeated(later, c1 * slow.gradient_early(K, L), n, at=slow.FLAT, where=where, least=4)
    a = sp.Symbol("a", real=True)
    return forall(sp.Derivative(a * (1 - a) ** 2, a), "<=", 0, {a: Closed(sp.Rational(start), 1)})
