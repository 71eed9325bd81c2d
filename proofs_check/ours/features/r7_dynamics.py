"""R7: training over equiangular features is one number, whose map, flow and times are known
exactly, for every K.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import Rational, exp, log, oo

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, computed, forall, identity, trace_identity
from numerics.regression.features.descent import attention_descent
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.compared import Compared, agree
from proofs_check.instances.features.exact_training import updates_at_late_times
from proofs_check.instances.features.problems import descended, exchangeable
from theory.regression.features.data import FeatureRegression
from theory.regression.features.reduced import ReducedAttention
from theory.symbolic.algebra import Algebra

K = sp.Symbol("K", integer=True, positive=True)
M, c, y, w, spread, eta, kappa = sp.symbols("M c y w s eta kappa", positive=True)
z = sp.Symbol("z", real=True)
#: The population prompt with K classes, c = eta kappa^2 sigma_f^2.
reduced = ReducedAttention(M + 1, c)


@claim("OURS:R7.flow/step", control=({"factor": 2}, {"power": 1}, {"whole": 2}), needs=("OURS:R7.H",))
def the_recursion_of_gradient_descent(*, factor: int = 1, power: int = 2, whole: int = 1) -> Evidence:
    r"""After $t$ steps of gradient descent from $Q=0$ one has $Q=\frac{z_t}{\kappa^2}V(I-P)V^\top$
    with $z_0=0$ and $z_{t+1}=z_t+\eta\kappa^2\sigma_f^2\frac{Ke^{z_t}}{(e^{z_t}+K-1)^3}$, where
    $P=\frac1K\mathbf1\mathbf1^\top$, and the attention of a query on its class is
    $\frac{e^{z_t}}{e^{z_t}+K-1}$. This is derived by induction over the steps, for every number of
    classes and dimension, for equiangular features of one norm, exchangeable tasks, classes of one
    probability and balanced prompts, from the second moments of the tasks. Tried are, in words of
    matrices, that $G=\kappa I+bP$ and $H=h(I-P)$ give $GHG=\kappa^2H$, and the attention of the
    code; `factor` multiplies what is added to $z$, `whole` the attention, and `power` stands for
    the exponent of $\kappa$.
    """
    A = Algebra(projectors=["P"], symmetric=["P"], params=["kappa", "b", "h"])
    P, scale, b, h = (A[name] for name in ("P", "kappa", "b", "h"))
    G, H = scale * A.I + b * P, h * (A.I - P)
    tried = trace_identity(G * H * G, factor * scale**power * H)
    attention = identity(
        computed(r"\text{ReducedAttention.attention}", reduced.attention(z)), whole * exp(z) / (exp(z) + M)
    )
    return derivation("OURS:R7.flow/step", tried, attention, factor=factor, power=power, whole=whole)


def beside_the_map(
    name: str, problem: FeatureRegression, scalar: ReducedAttention, step: float, steps: int
) -> Compared:
    """By how much the own score exceeds another one after descent, beside the scalar map; the
    second route is plain descent.
    """
    gap, of = 0.0, lambda scores: float(scores[0, 0] - scores[1, 0])
    for _ in range(steps):
        gap = scalar.step(gap)
    scores = attention_descent(problem, step, steps, records=[steps]).scores[0]
    return Compared(name, of(scores), gap, lambda: of(problem.scores(descended(problem, step, steps))))


def steps_of_descent() -> Evidence:
    """The score gaps of gradient descent on Q beside those of the scalar map."""
    cases = []
    for V in (
        np.eye(2),
        np.eye(5),
        np.array([[0.0, 1.0, 0.5], [0.0, 0.0, 0.75**0.5]]) - [[0.5], [0.75**0.5 / 3]],
    ):
        problem, steps, step = exchangeable(V), 400, 3.0
        half = ((V[:, 0] - V[:, 1]) ** 2).sum() / 2
        name = f"K = {problem.K}, d = {problem.d}, {steps} steps of size {step:g}"
        scalar = ReducedAttention(problem.K, step * half**2)
        cases.append(beside_the_map(name, problem, scalar, step, steps))
    checked = r"z\text{ of gradient descent on }Q=z\text{ of the map}"
    return agree("enumeration", cases, 1e-12, checked=checked, to=".15g")


@claim(
    "OURS:R7.flow",
    control=({"cube": 2}, {"three": 4}, {"whole": 2}, {"half": Fraction(1, 3)}),
    needs=("OURS:R7.H", "OURS:R7.flow/step"),
)
def the_exact_scalar_dynamics(
    *, cube: int = 3, three: int = 3, whole: int = 1, half: Fraction = Fraction(1, 2)
) -> Evidence:
    r"""Under the flow from $Q(0)=0$ one has $Q=\frac z{\kappa^2}V(I-P)V^\top$ at all times, where
    $\dot z=cKe^z/(e^z+M)^3$ and $z(0)=0$; the attention of a query on its class is $e^z/(e^z+M)$,
    the loss $\frac{\sigma_f^2}2\frac{KM}{(e^z+M)^2}$, and the time as displayed. All is derived
    for every number of classes and dimension, from the second moments of the tasks: this $Q$ solves
    the flow, and the flow has one solution. The recursion of gradient descent is R7.flow/step.

    Tried are $\eta\kappa^2\frac KM\cdot\frac1K\sigma_f^2w[(1-w)^2+\frac{(1-w)^2}M]
    =cKe^z/(e^z+M)^3$ at $w=e^z/(e^z+M)$, that the code has these formulas, the derivative of the
    displayed time, and steps of descent beside those of the map. Here `cube` stands for the
    exponent 3, `three` for the coefficients 3, `half` for the $\frac12$ of the loss, and `whole`
    multiplies the attention.
    """
    speed, at = c * (M + 1) * exp(z) / (exp(z) + M) ** cube, {w: exp(z) / (exp(z) + M)}
    own = spread * w * ((1 - w) ** 2 + (1 - w) ** 2 / M) / (M + 1)  # H_kk
    moved = (eta * kappa**2 * (own + own / M)).subs(at)
    time = ((exp(2 * z) - 1) / 2 + three * M * (exp(z) - 1) + three * M**2 * z + M**3 * (1 - exp(-z))) / (
        c * (M + 1)
    )
    flow = all_of(
        identity(moved, speed.subs(c, eta * kappa**2 * spread)),
        identity(computed(r"\text{ReducedAttention.slope}", reduced.slope(z)), speed),
    )
    attention = identity(
        computed(r"\text{ReducedAttention.attention}", reduced.attention(z)), whole * w.subs(at)
    )
    left = half * M * (M + 1) / (exp(z) + M) ** 2
    loss = identity(computed(r"\text{ReducedAttention.loss}", reduced.loss(z)), left)
    spent = all_of(
        identity(sp.Derivative(time, z) * speed, 1),
        identity(computed(r"\text{ReducedAttention.time}", reduced.time(z)), time),
    )
    if (cube, three) == (3, 3):
        flow = confirmed(flow, steps_of_descent())
    numbers = dict(cube=cube, three=three, whole=whole, half=half)
    return derivation("OURS:R7.flow", flow, attention, loss, spent, **numbers)


#: c K times the exact time of the flow to e^z = y.
EXACT = (y**2 - 1) / 2 + 3 * M * (y - 1) + 3 * M**2 * log(y) + M**3 * (1 - 1 / y)


@claim(
    "OURS:R7.time",
    control=({"three": 4}, {"below": 4}, {"logs": Rational(29, 10)}, {"four": 3}, {"four": 5}),
    needs=("OURS:R7.flow",),
)
def the_exact_times(
    *, three: int = 3, below: int = 5, logs: Rational = Rational(3), four: int = 4
) -> Evidence:
    r"""The flow is at the attention $\frac r{1+r}$ at the displayed time with $y=Mr$, for every
    $K$; the attention is at least $\frac12$ from $\frac1c(K^2+3K\ln K)$ on, and at most $\frac12$
    up to $\frac1c(K^2+3K\ln K-5K)$; and $4\eta\kappa^2t\frac{\mathrm{loss}}{K-1}$ differs from 1 by
    at most a constant that depends on $K$ over $\sqrt{ct}$, once $ct\geq1$. All is derived from the
    flow of $Q$. Tried are the formulas of the code and the limit. Here `three`, `below`, `logs` and
    `four` stand for the coefficients.
    """
    eps, k = sp.symbols("varepsilon K", positive=True)
    stated = EXACT if three == 3 else EXACT + (three - 3) * M * (y - 1)
    half = EXACT.subs(y, M).subs(M, k - 1) / k
    domain = {k: Closed(2, oo)}
    late = reduced.loss(z).subs(z, log(y)) * four * c * reduced.time(log(y))
    there = all_of(
        identity(reduced.attention(z).subs(z, log(M * (1 - eps) / eps)), 1 - eps),
        identity(computed("cKT", reduced.time(log(y)) * c * (M + 1)), stated),
    )
    after = forall(half, "<=", k**2 + logs * k * log(k), domain)
    before = forall(half, ">=", k**2 + 3 * k * log(k) - below * k, domain)
    limit = identity(computed(r"\lim_{y\to\infty}4ct\,\mathrm{loss}", sp.limit(sp.simplify(late), y, oo)), M)
    numbers = dict(three=three, below=below, logs=Fraction(logs), four=four)
    return derivation("OURS:R7.time", there, after, before, limit, limit, **numbers)


@claim(
    "OURS:R7.half",
    control=({"constant": 9}, {"high": Rational(42, 5)}, {"low": 8}),
    needs=("OURS:R7.flow", "OURS:R7.time"),
)
def the_next_terms(
    *, constant: int = 8, high: Rational = Rational(17, 2), low: Rational = Rational(79, 10)
) -> Evidence:
    r"""For every $K\geq2$ the remainder $K(cT-K^2-3K\ln K+\frac K2+6\ln K+8)-3\ln K$ lies between
    $\frac{79}{10}$ and $\frac{17}2$, as it is $3M+7-3M^2\ln(1+\frac1M)$ with $M=K-1$; `constant`
    stands for the 8, `low` and `high` for the ends. That the attention is at least $\frac12$ from
    the upper end of $T$ on, and at most $\frac12$ up to the lower one, is derived from the flow of
    $Q$; tried is the formula.
    """
    k = M + 1
    time = computed("cT", c * reduced.attention_time(Rational(1, 2)))
    short, domain = 3 * M + 7 - 3 * M**2 * log(1 + 1 / M), {M: Closed(1, oo)}
    same = identity(k * (time - k**2 - 3 * k * log(k) + k / 2 + 6 * log(k) + constant) - 3 * log(k), short)
    after, before = (
        all_of(same, forall(short, "<=", high, domain)),
        all_of(same, forall(short, ">=", low, domain)),
    )
    numbers = dict(constant=constant, high=Fraction(high), low=Fraction(low))
    return derivation("OURS:R7.half", after, before, **numbers)


@claim(
    "OURS:R7.updates",
    control=({"most": Fraction(1, 2)}, {"by": Fraction(1, 2)}),
    needs=("OURS:R7.flow", "OURS:R7.time"),
)
def the_updates_late_in_training(*, most: int | Fraction = 1, by: int | Fraction = 1) -> Evidence:
    r"""For $K\geq8$ the attention is at least $\frac K{K+1}$ from $\frac{K^3}c$ on, and wherever
    it is, $\eta g_k\leq\frac1t$ for the own score $q_k$, of which $g_k$ is the update; `by` and
    `most` multiply the two bounds. It is derived from the flow of $Q$; tried are the formulas.
    """
    reached, small = updates_at_late_times(most, by)
    return derivation("OURS:R7.updates", reached, small, most=most, by=by)


@claim(
    "OURS:R7.law",
    control=({"twelve": 8}, {"square": Rational(99, 100)}, {"three": 4}),
    needs=("OURS:R7.flow", "OURS:R7.time"),
)
def the_law_for_every_accuracy(
    *, twelve: int = 12, square: Rational = Rational(1), three: int = 3
) -> Evidence:
    r"""For $K\geq13$ and $\varepsilon\leq\frac34$ the stated law is at least the exact time and at
    most $1+\frac{12}{K-1}$ times it; `square` stands for the coefficient of $K^2$, `three` for that
    of the logarithm, and `twelve` for the constant. That the attention is at least
    $\frac r{1+r}$ from the law on, and at most that up to the law over $1+\frac{12}{K-1}$, is
    derived from the flow of $Q$; tried are the formulas, divided by $(K-1)^3$.
    """
    x, r, l = sp.symbols("x r l", positive=True)
    exact = sp.expand(EXACT.subs(log(y), l).subs({M: 1 / x, y: r / x}) * x**3)
    law = square * (1 + x) ** 3 + (1 + x) ** 2 * (three * x * (l + log(1 + x)) + 3 * x * r + x * r**2 / 2)
    stated = sp.expand(reduced.attention_law(1 / (1 + r)) * c * (M + 1)).subs(M, 1 / x) * x**3
    domain = {x: sp.Interval.Lopen(0, Rational(1, 12)), r: Closed(Rational(1, 3), oo), l: (0, oo)}
    over = sp.expand(law - exact)
    formula = identity(computed(r"cKT/M^3", stated), law.subs(l, log(r / x)))
    after = all_of(formula, forall(over, ">=", 0, domain))
    before = all_of(formula, forall(sp.expand(over / x), "<=", twelve * exact, domain))
    return derivation("OURS:R7.law", after, before, twelve=twelve, square=Fraction(square), three=three)
