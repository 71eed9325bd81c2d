"""Lemma 2 of Li, Duan & Liang, eqs. (12) and (13): the two bounds of each, and what Section 5.1
infers from them. The upper bounds hold for orthonormal features, and the lower ones for few tasks.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging, Robust
from proofs_check.core.witnessed import along, at_point
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge
from theory.regression.features.data import FeatureRegression

n = Diverging.n
B = sp.Symbol("B", positive=True)  # the largest |f_n - f_k|, of the order L Delta
A, A_m = sp.symbols("Attn_k Attn_m", nonnegative=True)
theta, tau = sp.symbols("theta tau", real=True)
#: f_k - yhat and f_m - yhat, of which the moduli are at most those shares of B.
S, T = theta * (1 - A) * B, tau * (1 - A_m) * B
SHARES = {A: Closed(0, 1), A_m: Closed(0, 1), theta: Closed(-1, 1), tau: Closed(-1, 1), B: (0, oo)}
ANY_FEATURES = (
    r"For features $e_k\pm\beta b$, half of either sign, and the task $\pm\frac L{\sqrt2}$ with the same "
    r"signs, at $Q=0$ all updates are about $\frac14K^2\beta^4$ times the printed scale."
)
ALIGNED_DETAILS = (
    r"Norms are bounded, and distances in $[\sqrt2,\sqrt{2+4\beta^2}]$: with $w=\beta s$ and "
    r"$G=I+ww^{\top}$ the task is an "
    r"eigenvector of $G$ with the eigenvalue $1+\beta^2K$, and $g=GHG$ with $H=\frac1{K^2}ff^{\top}$."
)
#: Features e_k + s_k beta b, the task s_k L/sqrt(2), Delta^2 = 2: g_k and |g_{k,m}| at Q = 0 over
#: p_k Attn (1-Attn)^2 L^2 Delta^2, where all attention is 1/K.
ALIGNED = Diverging(
    point={"beta": Fraction(1)},
    hypotheses=("K in Integers", "K >= 2", "1/2 <= beta", "beta <= 2"),
    sequence=lambda k, beta: {"K": 2 * k, "beta": beta},
    ratio=lambda K, beta: (1 + beta**2 * K) ** 2 / 2 / (2 * (1 - 1 / sp.sympify(K)) ** 2),
    exceeds=n**2 / 2,
)


@claim(
    "LDL:L2.eq12/upper",
    **charge(false="gap", follows="LDL:L2.raw", costs="a hypothesis"),
    why=ANY_FEATURES,
    details=ALIGNED_DETAILS,
    repair=dict(orthonormal=True),
    control=dict(constant=Fraction(9, 10)),
    needs=("LDL:L2.raw", "LDL:L1.abs"),
    hypotheses=ALIGNED.hypotheses,
)
def updates_from_above(*, orthonormal: bool = False, constant: int | Fraction = 1) -> Evidence:
    r"""Printed, features that are not orthonormal defeat every constant as $K$ grows. For
    orthonormal ones $g_k$ is at most `constant` = 1 times
    $B^2\,\mathbb{E}[\mathbf1\{x_{\mathrm{query}}=v_k\}\mathrm{Attn}_k(1-\mathrm{Attn}_k)^2]$, and
    $B$ bounds $|f_n-f_k|$. It is derived for the mean that $g_k$ is by L2.raw, over every law of
    tasks and prompts and every law of queries; tried is a single prompt.
    """
    if not orthonormal:
        return along(ALIGNED, Q=0)
    domain = {k: SHARES[k] for k in (A, theta, B)}
    tried = forall(A * S**2, "<=", constant * A * (1 - A) ** 2 * B**2, domain)
    return derivation("LDL:L2.eq12/upper", tried, constant=constant)


IN_THE_MIDDLE = Diverging(
    point={"f_2": Fraction(2)},
    hypotheses=("K in Integers", "K >= 2", "f_2 > 0", "f_3 <= 0"),
    sequence=lambda k, f_2: {"K": 2 * k + 1, "f_2": f_2, "f_3": -f_2 * (1 - sp.S.One / (k + 1))},
    # (L Delta)^2 (1 - 1/K)^2 over (f_1 - yhat)^2, where f_1 = 0 and yhat = (1 - 1/K) (f_2 + f_3)/2
    ratio=lambda K, f_2, f_3: (f_2 - f_3) ** 2 * (1 - 1 / K) ** 2 / ((1 - 1 / K) * (f_2 + f_3) / 2) ** 2,
    exceeds=n,
)


@claim(
    "LDL:L2.eq12/lower",
    **charge(false="gap", follows="LDL:L1.Theta", costs="a hypothesis"),
    repair=dict(least=1),
    control=(dict(least=Fraction(11, 10)), dict(most=Fraction(19, 10))),
    needs=("OURS:R7.H", "LDL:L2.raw", "LDL:L1.Theta"),
    hypotheses=IN_THE_MIDDLE.hypotheses,
)
def updates_from_below(*, least: int | Fraction = 0, most: int | Fraction = 2) -> Evidence:
    r"""Printed (`least` = 0), tasks whose value at $v_1$ is near the mean of the others, of which
    half have one value and half another, defeat every constant as $K$ grows. For exchangeable tasks
    and orthonormal features $g_k$ is between `least` = 1 and `most` = 2 times $\sigma_f^2\,
    \mathbb{E}[\mathbf1\{x_{\mathrm{query}}=v_k\}\mathrm{Attn}_k(1-\mathrm{Attn}_k)^2]$. It is
    derived for the update that R7.H gives, every number of classes, every law of queries and every
    law of finitely many prompts. Tried is one prompt, where the mean of $(f_k-\hat y)^2$ is
    $\sigma_f^2((1-\mathrm{Attn}_k)^2+b)$ with $b=\sum_{n\neq k}\mathrm{Attn}_n^2$.
    """
    if not least:
        return along(IN_THE_MIDDLE, Q=0, f_1=0, others="f_2 and f_3 on half of them each")
    sigma, b = sp.Symbol("sigma_f", positive=True), sp.Symbol("b", nonnegative=True)
    mean, domain = sigma**2 * ((1 - A) ** 2 + b), {sigma: (0, oo), A: Closed(0, 1), b: Closed(0, 1)}
    below = forall(mean, ">=", least * sigma**2 * (1 - A) ** 2, domain)
    above = forall(mean, "<=", most * sigma**2 * (1 - A) ** 2, domain, where=[(b, "<=", (1 - A) ** 2)])
    return derivation("LDL:L2.eq12/lower", below, above, least=least, most=most)


#: Features (1, -3/2), (1, -1/2), (2, -2), whose distances lie in [1, 2], one task, one step.
ONE_STEP = {"f_1": Fraction(-2), "f_2": Fraction(3, 2), "f_3": Fraction(1), "eta": Fraction(1)}


def after_one_step(f_1: Fraction, f_2: Fraction, f_3: Fraction, eta: Fraction) -> sp.Expr:
    """Minus the update of q_3 after one step from Q = 0."""
    half = sp.Rational(1, 2)
    problem = FeatureRegression(
        sp.Matrix([[1, 1, 2], [-3 * half, -half, -2]]), tasks=sp.Matrix([[f_1, f_2, f_3]])
    )
    return -problem.updates(-sp.Rational(eta) * problem.gradient(sp.zeros(2)))[2, 2]


DECREASING = Robust(
    point=ONE_STEP,
    hypotheses=("f_1 < 0", "f_2 > 0", "f_3 > 0", "eta > 0"),
    violation=lambda **at: after_one_step(**at),
)
NEGATIVE = (
    r"At $(1,-\frac32)$, $(1,-\frac12)$, $(2,-2)$ the other queries, for which $v_3$ is wrong, move "
    r"$q_3=v_3^{\top}Qv_3$ too: "
)


@claim(
    "LDL:L2.nonneg",
    **charge(false="gap", follows="LDL:L2.raw", costs="a hypothesis"),
    why=NEGATIVE + r"after one step $g_3=-0.148$.",
    repair=dict(orthonormal=True),
    control=dict(shift=Fraction(1, 100)),
    needs=("LDL:L2.raw",),
    hypotheses=DECREASING.hypotheses,
)
def updates_are_not_negative(*, orthonormal: bool = False, shift: Fraction = Fraction(0)) -> Evidence:
    r"""Printed, the update of $q_3$ is negative after one step for three features in the plane.
    For orthonormal ones $g_k\geq{}$`shift` = 0, which is derived for the mean that it is by L2.raw;
    tried is a single prompt, where $\mathrm{Attn}_k(f_k-\hat y)^2\geq0$.
    """
    if not orthonormal:
        return at_point(DECREASING, r"g_3^{(1)}\geq 0", K=3)
    tried = forall(A * S**2, ">=", shift, {k: SHARES[k] for k in (A, theta, B)})
    return derivation("LDL:L2.nonneg", tried, shift=shift)


@claim(
    "LDL:L2.grow",
    **charge(false="gap", follows="LDL:L2.nonneg", costs="a hypothesis"),
    why=NEGATIVE + "it decreases from the second step on.",
    repair=dict(orthonormal=True),
    control=dict(least=Fraction(11, 10)),
    needs=("LDL:L2.nonneg", "LDL:L2.raw", "LDL:L2.eq12/lower"),
    hypotheses=DECREASING.hypotheses,
)
def scores_need_not_grow(*, orthonormal: bool = False, least: int | Fraction = 1) -> Evidence:
    r"""For three features in the plane $q_3$ decreases in the second step of descent. Repaired, for
    orthonormal features and exchangeable tasks $g_k$ is at least `least` = 1 times $\sigma_f^2\,
    \mathbb{E}[\mathbf1\{x_{\mathrm{query}}=v_k\}\mathrm{Attn}_k(1-\mathrm{Attn}_k)^2]$, which is
    derived as in eq12/lower. Tried is one prompt, where the mean of $(f_k-\hat y)^2$ is
    $\sigma_f^2((1-\mathrm{Attn}_k)^2+b)$ with $b=\sum_{n\neq k}\mathrm{Attn}_n^2$.
    """
    if not orthonormal:
        return at_point(DECREASING, r"q_3^{(2)}\geq q_3^{(1)}", K=3)
    sigma, b = sp.Symbol("sigma_f", positive=True), sp.Symbol("b", nonnegative=True)
    mean, box = A * sigma**2 * ((1 - A) ** 2 + b), {sigma: (0, oo), A: Closed(0, 1), b: Closed(0, 1)}
    tried = forall(mean, ">=", least * A * sigma**2 * (1 - A) ** 2, box)
    return derivation("LDL:L2.grow", tried, least=least)


@claim(
    "LDL:L2.eq13/upper",
    **charge(false="gap", follows="LDL:L2.raw", costs="a hypothesis"),
    why=ANY_FEATURES,
    details=ALIGNED_DETAILS,
    repair=dict(orthonormal=True),
    control=dict(constant=Fraction(9, 10)),
    needs=("OURS:R7.H", "LDL:L2.raw", "LDL:L2.abs", "LDL:L2.tri", "LDL:L1.abs"),
    hypotheses=ALIGNED.hypotheses,
)
def updates_between_features_from_above(
    *, orthonormal: bool = False, constant: int | Fraction = 1
) -> Evidence:
    r"""Printed, features that are not orthonormal defeat every constant as $K$ grows. For
    orthonormal ones $|g_{k,m}|$ is at most `constant` = 1 times $B^2\,
    \mathbb{E}[\mathbf1\{x_{\mathrm{query}}=v_k\}\mathrm{Attn}_m(1-\mathrm{Attn}_k)
    (1-\mathrm{Attn}_m)]$, where $B$ bounds $|f_n-f_m|$. It is derived for the update that R7.H
    gives, every law of tasks, of queries and of finitely many prompts; tried are
    $(f_k-\hat y)(f_m-\hat y)$ and minus that in a single prompt.
    """
    if not orthonormal:
        return along(ALIGNED, Q=0)
    bound = constant * (1 - A) * (1 - A_m) * B**2
    tried = (forall(e * S * T, "<=", bound, SHARES) for e in (1, -1))
    return derivation("LDL:L2.eq13/upper", *tried, constant=constant)


#: Exchangeable tasks with L Delta/2 on a random half of the features and -L Delta/2 on the others.
AT_THE_START = Diverging(
    point={"L": 2, "Delta": Fraction(3, 2)},
    hypotheses=("K in Integers", "K >= 2", "L > 0", "Delta > 0"),
    sequence=lambda k, L, Delta: {
        "K": 2 * k,
        "L": L,
        "Delta": Delta,
        "sigma2": (L * Delta) ** 2 * k / (2 * (2 * k - 1)),
    },
    ratio=lambda K, L, Delta, sigma2: (1 - 1 / K) ** 2 * (L * Delta) ** 2 / (sigma2 / K),
    exceeds=n,
)


@claim(
    "LDL:L2.eq13/lower",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(printed=False),
    control=dict(sign=-1),
    needs=("OURS:R7.H", "LDL:L2.raw"),
    hypotheses=AT_THE_START.hypotheses,
)
def updates_between_features_from_below(*, printed: bool = True, sign: int = 1) -> Evidence:
    r"""Printed, exchangeable tasks at $Q=0$ defeat every constant as $K$ grows. What is true of
    them and of orthonormal features is that $-g_{k,m}$ is `sign` = 1 times $\sigma_f^2\,
    \mathbb{E}[\mathbf1\{x_{\mathrm{query}}=v_k\}\mathrm{Attn}_m(\mathrm{Attn}_k+\mathrm{Attn}_m
    -\sum_n\mathrm{Attn}_n^2)]$. It is derived for the update that R7.H gives, every number of
    classes, every law of queries and every law of finitely many prompts. Tried is the mean of
    $(f_k-\hat y)(f_m-\hat y)$ for four classes in symbols, $\sigma_f^2$ on the diagonal of the
    second moments and any number $r$ beside it, and for any number of classes with a name for the
    squares of the others.
    """
    if printed:
        return along(AT_THE_START, Q=0, tasks="L Delta/2 and -L Delta/2 on half of the features each")
    w, sigma = sp.symbols("w_1:4", real=True), sp.Symbol("sigma_f", positive=True)
    r = sp.Symbol("r", real=True)
    a = sp.Matrix([*w, 1 - sum(w)])
    moments = sigma**2 * sp.eye(4) + r * sp.ones(4)
    error = lambda k: sp.eye(4)[:, k] - a
    mean = -(error(0).T * moments * error(1))[0]
    left = computed(r"-\mathbb E(f_1-\hat y)(f_2-\hat y)", mean)
    of_four = identity(left, sign * sigma**2 * (a[0] + a[1] - sum(x**2 for x in a)))
    rest = sp.Symbol("b", nonnegative=True)  # the squares of the attention on all but v_k and v_m
    every_K = sigma**2 * (A * (1 - A) + A_m * (1 - A_m) - rest)
    of_all = identity(every_K, sign * sigma**2 * (A + A_m - (A**2 + A_m**2 + rest)))
    return derivation("LDL:L2.eq13/lower", all_of(of_four, of_all), sign=sign)


@claim("LDL:L2.van", control=dict(power=3), needs=("LDL:L2.raw", "LDL:eq4.use"))
def updates_vanish_with_the_residual(*, power: int = 2) -> Evidence:
    r"""For orthonormal features $|g_{k,m}|$ is at most
    $B^2\,\mathbb{E}[\mathbf1\{x_{\mathrm{query}}=v_k\}(1-\mathrm{Attn}_k)^{\mathrm{power}}]$ with
    `power` = 2, where $B$ bounds differences of values: it tends to 0 as $\mathrm{Attn}_k\to1$, and
    need not be small in every single prompt. This is derived for the mean that $g_{k,m}$ is by
    L2.raw, over every law of tasks and prompts and every law of queries. Tried is that
    $\mathrm{Attn}_m|f_k-\hat y||f_m-\hat y|\leq(1-\mathrm{Attn}_k)^{\mathrm{power}}B^2$.
    """
    left = [(A_m, "<=", 1 - A)]
    tried = (forall(e * A_m * S * T, "<=", (1 - A) ** power * B**2, SHARES, where=left) for e in (1, -1))
    return derivation("LDL:L2.van", *tried, power=power)
