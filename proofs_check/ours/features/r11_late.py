"""R11: the late law itself, along integrated flows; where its hypothesis on the tasks is needed;
the margin of orthonormal features; and what replaces the margin where prompts are finite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import sympy as sp
from sympy import Rational, oo

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, computed, forall, identity, trace_identity
from numerics.regression.features.flow import attention_flow
from numerics.regression.features.margin import attention_margin
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.compared import Compared, agree
from proofs_check.instances.features.problems import exchangeable, hexagon, margin_of
from theory.regression.features.data import FeatureRegression
from theory.symbolic.algebra import Algebra

eta, loss, x, u = sp.symbols("eta loss x u", positive=True)


@claim(
    "OURS:R11.lower",
    control=({"quarter": Fraction(2)}, {"four": 5}, {"two": 1}),
    needs=("OURS:R7.H", "OURS:R7.loss"),
)
def the_lower_half(*, quarter: Fraction = Fraction(1, 4), four: int = 4, two: int = 2) -> Evidence:
    r"""The loss is at least $\frac12\sigma_f^2p_{\min}$ times $\frac14(\mu_{\min}/\mu_{\max})^2
    e^{-2\gamma|Q|}$; along the flow $\dot\psi=4\eta x^2\,\mathrm{loss}=2x|\dot Q|$; and
    $u^2\geq1-2(1-u)_+$ at $u=\gamma/x$. It is derived for every number of classes and any features:
    by the definition of $\gamma$ every matrix $Q$ has a pair with $(v_k-v_m)^\top
    Qv_k\leq\gamma|Q|$, whose attention alone costs as much.

    Tried are two classes of equal mass and probability at $Q=|Q|Q^*$, where $Q^*$ reaches the
    margin and the loss is $\sigma_f^2(\frac r{1+r})^2$ with $r=e^{-\gamma|Q|}$. Here `quarter`,
    `four` and `two` stand for these numbers.
    """
    r = sp.Symbol("r", positive=True)
    with sp.evaluate(False):
        speed, path = eta * (2 * x * loss) ** 2 / loss, 2 * x * (eta * 2 * x * loss)
    return derivation(
        "OURS:R11.lower",
        forall((r / (1 + r)) ** 2, ">=", quarter * r**2 / 4, {r: sp.Interval.Lopen(0, 1)}),
        identity(speed, four * eta * x**2 * loss),
        identity(path, four * eta * x**2 * loss),
        forall(u**2, ">=", 1 - two * sp.Max(1 - u, 0), {u: (0, oo)}),
        quarter=quarter,
        four=four,
        two=two,
    )


@cache
def late_losses(name: str, times: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(attention_flow(PROBLEMS[name], list(times)).loss)


def _problems() -> Mapping[str, FeatureRegression]:
    """Problems that meet the hypothesis of the law, and some that do not."""
    rng = np.random.default_rng(11)
    uneven = lambda K: rng.dirichlet(np.full(K, 3.0))
    apart = np.array([[0.0, 0.0, 0.2], [1.0, 0.0, 0.0], [2.5, 0.5, 0.0]]).T
    return {
        "5 orthonormal features, random p": exchangeable(np.eye(5), probabilities=uneven(5)),
        "hexagon": exchangeable(hexagon()),
        "4 random features in R^4, random p and masses": exchangeable(
            rng.normal(size=(4, 4)), probabilities=uneven(4), masses=uneven(4)[None]
        ),
        "3 orthonormal features, independent tasks of variances 1, 2, 3": FeatureRegression(
            np.eye(3), np.diag([1.0, 2.0, 3.0])
        ),
        "one task": FeatureRegression(np.eye(3), tasks=[[0.0, 0.5, -0.5]]),
        "two tasks": FeatureRegression(apart, tasks=[[0.0, 1.0, -1.0], [0.0, 0.12, 0.12]]),
        "4 orthonormal features, random p and masses": exchangeable(
            np.eye(4), probabilities=uneven(4), masses=uneven(4)[None]
        ),
    }


PROBLEMS = _problems()
#: Those that meet the hypothesis.
LAWFUL = tuple(PROBLEMS)[:4]
LATE = 1e12


def scaled_loss(name: str, factor: float = 4.0, unit: float | None = None) -> Compared:
    """4 gamma^2 t loss at a late time, and again from a second integration, for any given
    gamma^2.
    """
    problem = PROBLEMS[name]
    square = attention_margin(problem.features).value ** 2 if unit is None else unit

    def again() -> float:
        return factor * square * LATE * float(attention_flow(problem, [LATE / 3, LATE]).loss[-1])

    return Compared(name, factor * square * LATE * late_losses(name, (LATE,))[0], 1.0, again)


@claim(
    "OURS:R11/loss",
    control=({"half": Fraction(1)}, {"sign": -1}, {"two": 1}),
    needs=("OURS:R7.H",),
)
def the_loss_of_any_tasks(*, half: Fraction = Fraction(1, 2), sign: int = 1, two: int = 2) -> Evidence:
    r"""For any law of tasks it is derived that the loss is $\frac12\sum_kp_kw^\top M^kw$, with $w$
    the attentions on the other classes, and its derivative along any path of $Q$ is
    $-\langle-\nabla,\dot Q\rangle$ with the displayed $-\nabla$; and that for exchangeable tasks
    $M^k_{mn}$ is $\sigma_f^2$, and $2\sigma_f^2$ for $m=n$, so that these are admitted as $c_k$ and
    $C_k$.

    Two other classes are tried, the slope for one, and any positions of classes. Here `half`,
    `sign` and `two` stand for these numbers.
    """
    d_m, d_n, w_m, w_n, z = sp.symbols("d_m d_n w_m w_n z", real=True)
    squares = w_m**2 * d_m**2 + 2 * w_m * w_n * d_m * d_n + w_n**2 * d_n**2
    w = 1 / (1 + sp.exp(-z))
    A = Algebra(vectors=["e", "g", "o"], params=["spread", "common"])
    e, g, o, spread, common = (A[name] for name in ("e", "g", "o", "spread", "common"))
    own = (e - g).T * (spread * A.I + common * o * o.T) * (e - g)
    lengths = e.T * e - two * e.T * g + g.T * g
    return derivation(
        "OURS:R11/loss",
        identity(half * (w_m * d_m + w_n * d_n) ** 2, squares / 2),
        identity(sp.Derivative((1 - w) ** 2 / 2, z), -sign * w * (1 - w) ** 2),
        trace_identity(own, spread * lengths + common * (o.T * (e - g)) * (o.T * (e - g))),
        half=half,
        sign=sign,
        two=two,
    )


@claim(
    "OURS:R11",
    control=({"four": Fraction(3)}, {"four": Fraction(5)}, {"one": -3}, {"any_tasks": True}),
    needs=(
        "OURS:R11/loss",
        "OURS:R11.sign",
        "OURS:R11.other",
        "OURS:R11.start",
        "OURS:R11.upper",
        "OURS:R11.lower",
    ),
)
def the_late_law(*, four: Fraction = Fraction(4), one: int = 1, any_tasks: bool = False) -> Evidence:
    r"""For any law of tasks with $\mathbb{E}(f_k-f_m)(f_k-f_n)>0$ it is derived along the flow that
    for every $\varepsilon>0$ $4\eta\gamma^2t\,\mathrm{loss}(t)$ is at most $1+\varepsilon$ from an
    explicit time on, and at least $1-\varepsilon$ from a time on that is explicit in one from which
    on $J$ is within $\varepsilon/(6\gamma)$ of its limit. Here $J(0)=0$ and $\dot J=\dot\psi
    (\frac1\gamma-\frac1x)_+$ in the notation of R11.lower; it is derived that $J$ is bounded, so
    that it converges.

    Along four integrated flows $4\gamma^2t\,\mathrm{loss}$ is 1 up to $\frac1{500}$ at
    $t=10^{12}$, and the two inequalities for $x\geq\gamma(1-q)$ that the bounds rest on are tried.
    Here `four` stands for the 4, `one` for the 1 of $1+\frac1b$ in the bound of $J$, which for two
    classes of one probability and one mass, $Q(0)=0$ and $b=\frac25$ is negative for $-3$, and with
    `any_tasks` the single task $(0,\frac12,-\frac12)$ is one of the flows, without the hypothesis
    on the tasks.
    """
    checked = r"4\eta\gamma^2t\,\mathrm{loss}(t)\to1"
    names = (*LAWFUL, "one task") if any_tasks else LAWFUL
    tried = agree(
        "integration of the flow", (scaled_loss(name, float(four)) for name in names), 2e-3, checked=checked
    )
    if any_tasks:
        return tried
    (b, gamma), q = sp.symbols("b gamma", positive=True), sp.Symbol("q", nonnegative=True)
    domain = dict.fromkeys((b, gamma, x), (0, oo)) | {q: Closed(0, 1)}
    where = [(gamma * (1 - q), "<=", x), (q * (1 + b), "<=", 1)]
    flat = forall(sp.Max(0, x - gamma), "<=", x - gamma + (one + 1 / b) * q * x, domain, where=where)
    fast = forall(four * gamma**2, "<=", 4 * x**2 * (1 + 2 * (1 + 1 / b) ** 2 * q), domain, where=where)
    return derivation("OURS:R11", flat, fast, tried, four=four, one=one)


@claim(
    "OURS:R11.orthonormal",
    control=({"four": 5}, {"four": 3}, {"any_tasks": True}),
    needs=("OURS:R11", "OURS:R11.orthonormal/margin"),
)
def the_late_loss_of_orthonormal_features(*, four: int = 4, any_tasks: bool = False) -> Evidence:
    r"""At the margin $\gamma=(K-1)^{-1/2}$ the derivation of R11 says that $4\eta t\,\mathrm{loss}/
    (K-1)\to1$. Along three integrated flows over orthonormal features, which meet the hypotheses of
    R11, with unequal probabilities, unequal masses and tasks that are not exchangeable, it is 1 up
    to $\frac1{500}$ at $t=10^{12}$; `four` stands for the 4. With `any_tasks` the task
    $(0,\frac12,-\frac12)$ is one of them, for which it is $\frac23$.
    """
    names = [name for name in PROBLEMS if "orthonormal" in name] + ["one task"] * any_tasks
    cases = [scaled_loss(name, four, 1 / (PROBLEMS[name].K - 1)) for name in names]
    tried = agree("integration of the flow", cases, 2e-3, checked=r"4\eta t\,\mathrm{loss}(t)/(K-1)\to1")
    if any_tasks:
        return tried
    ends = (tried, tried) if four == 4 else (_compared(four, 4), _compared(4, four))
    return derivation("OURS:R11.orthonormal", *ends, four=four)


def _compared(less: int, more: int) -> Evidence:
    """Of two multiples of the late loss which is larger."""
    return forall(less * loss, "<=", more * loss, {loss: (0, oo)})


@claim(
    "OURS:R11.orthonormal/margin",
    control=({"square": 1}, {"one": 0}),
)
def the_margin_of_orthonormal_features(*, square: int = 2, one: int = 1) -> Evidence:
    r"""For every $K$ it is derived of orthonormal features that $D=\sum_k(Kv_k-\sum_mv_m)
    v_k^\top$ has $(v_k-v_m)^\top Dv_k=K$ for $m\neq k$ and $|D|_F^2=K^2(K-1)$, so that $D/|D|_F$
    has the margin $(K-1)^{-1/2}$; and that a matrix $A$ with $(v_k-v_m)^\top Av_k\geq g$ for
    $m\neq k$ has $K^2(K-1)^2g^2\leq K^2(K-1)|A|_F^2$, as its gaps add up to $\langle A,D\rangle$.

    The second routes are the squared norms $K(1-\frac1K)^2+KM\frac1{K^2}=M$ and $K\frac1{K^2}+KM
    \frac1{(KM)^2}=\frac1M$ with $M=K-1$, and margins that are computed. Here `square` stands for
    the exponent of $KM$, and `one` for the 1 of $K-1$.
    """
    K = sp.Symbol("K", positive=True)
    M = K - 1
    primal = identity(K * (1 - 1 / K) ** 2 + K * M / K**square, M)
    dual = identity(K / K**2 + K * M / (K * M) ** square, 1 / M)
    g, A = sp.symbols("g A", nonnegative=True)
    domain = {K: Closed(2, oo), g: Closed(0, oo), A: Closed(0, oo)}
    at_most = forall(
        K**2 * (K - one) ** 2 * g**2, "<=", K**2 * (K - 1) * A, domain, where=[((K - 1) * g**2, "<=", A)]
    )
    found = derivation(
        "OURS:R11.orthonormal/margin",
        identity((K - 1) + 1, one * K),
        identity(K * (K - 1) ** 2 + K * M, K**2 * (K - one)),
        at_most,
        one=one,
    )
    found = all_of(primal, dual, found)
    if (square, one) != (2, 1):
        return found
    cases = [margin_of(f"K = {K}", np.eye(K), (K - 1) ** -0.5) for K in (2, 3, 9)]
    margins = agree("enumeration", cases, 1e-9, checked=r"\gamma=(K-1)^{-1/2}")
    return confirmed(found, margins)


@claim(
    "OURS:R11.needed",
    control=({"first": Fraction(7, 10)}, {"second": Fraction(36, 10)}),
    needs=("OURS:R11.lower",),
)
def without_the_hypothesis(
    *, first: Fraction = Fraction(2, 3), second: Fraction = Fraction(348, 100)
) -> Evidence:
    r"""For the task $(0,\frac12,-\frac12)$ on orthonormal features and for two tasks on three other
    features, $4\gamma^2t\,\mathrm{loss}$ at $t=10^{12}$ is $\frac23$ and $3.48$, up to one per
    cent; `first` and `second` stand for these numbers.
    """
    out = []
    for name, stated in (("one task", first), ("two tasks", second)):
        case = scaled_loss(name)
        checked = rf"4\eta\gamma^2t\,\mathrm{{loss}}\approx{float(stated):.4g}\text{{ ({name})}}"
        out.append(
            agree("integration of the flow", [replace(case, stated=float(stated))], 1e-2, checked=checked)
        )
    return all_of(*out)


FINITE = np.array([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [-0.3, 0.4, 1.5]]).T


@claim("OURS:R11.finite", control={"same_elsewhere": False}, needs=("OURS:R10.floor",))
def the_margin_of_finite_prompts(*, same_elsewhere: bool = True) -> Evidence:
    r"""For three features and prompts of three tokens $4\gamma_c^2t(\mathrm{loss}-F)$ is 1 up to
    $\frac1{1000}$ at $t=10^{10}$, where $F=\frac{20}{81}$ is the loss of the prompts without the
    class; with $\gamma$ for $\gamma_c$, for which `same_elsewhere` is false, it is $1.1009$.
    """
    problem, floor = exchangeable(FINITE, prompt_length=3), 20 / 81
    margin = attention_margin(FINITE, same_elsewhere=same_elsewhere).value
    at = lambda times: 4 * margin**2 * times[-1] * (float(attention_flow(problem, times).loss[-1]) - floor)
    case = Compared("N = 3", at([1e10]), 1.0, lambda: at([3e9, 1e10]))
    return agree("integration of the flow", [case], 1e-3, checked=r"4\eta\gamma_c^2t(\mathrm{loss}(t)-F)\to1")


@claim(
    "OURS:R11.square",
    control=(
        {"least": Rational(251, 500)},
        {"reached": Rational(501, 1000)},
        {"end": Rational(1, 2)},
        {"floor": Rational(1, 2)},
    ),
    needs=("OURS:R7.loss", "OURS:R12.orbit"),
)
def the_square_does_not_reach_the_floor(
    *,
    least: Rational = Rational(50103, 100000),
    reached: Rational = Rational(50104, 100000),
    end: Rational = Rational(17, 32),
    floor: Rational = Rational(15, 32),
) -> Evidence:
    r"""For the square and two tokens the loss at $Q=\lambda I$ is at least $0.50103$ for every
    $\lambda$, below $0.50104$ at $e^{2\lambda}=3.31$, and $\frac{17}{32}$ in the limit
    $\lambda\to\infty$, while $F=\frac{15}{32}$; `least`, `reached`, `end` and `floor` stand for
    these numbers.
    """
    y = sp.Symbol("y", positive=True)
    near, far = (
        1 / (1 + y),
        1 / (1 + y**2),
    )  # what is not on the own class beside a neighbour, and beside the opposite
    apart = (1 + near**2 + (1 - near) ** 2) / 2  # a neighbour and the opposite corner
    loss = (
        Rational(3, 8) * (2 * near**2 + far**2) / 3
        + Rational(9, 16) * (1 + 2 * (Rational(3, 4) + 2 * apart) / 3) / 3
    )
    absent = Rational(9, 16) * (1 + 2 * Rational(3, 4)) / 3
    return all_of(
        forall(loss, ">=", least, {y: (0, oo)}),
        forall(loss.subs(y, Rational(331, 100)) * u, "<", reached * u, {u: (0, oo)}),
        identity(computed(r"\lim_{\lambda\to\infty}\mathrm{loss}", sp.limit(loss, y, oo)), end),
        identity(computed("F", absent), floor),
    )
