"""R10: training on prompts of N tokens, over equiangular features, is one number again. Its speed
is a sum over how many tokens have the class of the query, it is the slope of the loss, and the loss
above its floor ends like that of infinite prompts, for every N.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import sympy as sp
from sympy import Rational, exp, oo

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, computed, forall, identity
from numerics.regression.features.descent import attention_descent
from proofs_check.core.claim import claim
from proofs_check.instances.compared import Compared, agree
from proofs_check.instances.features.problems import descended, exchangeable
from theory.regression.features.data import FeatureRegression
from theory.regression.features.reduced import ReducedAttention

M, r, b, c, n = sp.symbols("M r b c n", positive=True)
z = sp.Symbol("z", real=True)
#: Attention where a prompt holds r times as many tokens of other classes as of the query's own.
w = 1 / (1 + r * exp(-z))


def _gap(problem: FeatureRegression, steps: int) -> float:
    """Return the score gap after plain descent over orthonormal features."""
    Q = descended(problem, 1.0, steps)
    return float(Q[0, 0] - Q[1, 0])


def all_prompts() -> Evidence:
    """Return the score gaps of gradient descent over every prompt beside those of the sum."""
    cases = []
    for K, N, steps in ((3, 4, 400), (4, 3, 400), (2, 7, 400), (3, 6, 100)):
        problem, scalar, gap = exchangeable(np.eye(K), prompt_length=N), ReducedAttention(K, 1.0, prompt_length=N), 0.0
        for _ in range(steps):
            gap = scalar.step(gap)
        scores = attention_descent(problem, 1.0, steps, records=[steps]).scores[0]
        name = f"K = {K}, N = {N}, {len(problem.prompts[1])} prompts, {steps} steps"
        cases.append(Compared(name, float(scores[0, 0] - scores[1, 0]), gap, partial(_gap, problem, steps)))
    return agree("enumeration", cases, 1e-12, checked=r"z\text{ over all prompts}=z\text{ of the binomial sum}", to=".15g")


@claim(
    "OURS:R10.map/others",
    control={"first": 1},
    argument="Given the tokens of the query's own class the counts of the $M$ others are multinomial, and each is binomial.",
)
def the_other_classes(*, first: int = 2) -> Evidence:
    r"""A binomial count of $n$ tokens with probability $q=\frac1M$ has the second moment
    $nq(1-q)+n^2q^2$, and $M$ of them have $n(n+M-1)/M$, where $M=K-1$ and $n=N-j$; `first` stands
    for the 2 of $K-2=M+1-2$.
    """
    q, k = 1 / M, M + 1
    return identity(M * (n * q * (1 - q) + n**2 * q**2), n * (n + k - first) / (k - 1))


@claim(
    "OURS:R10.map",
    control=({"square": 1}, {"one": 2}),
    needs=("OURS:R7.H", "OURS:R7.loss", "OURS:R7.flow/step", "OURS:R10.map/others"),
    argument=r"The mean of $H$ over prompts commutes with permutations, so that R7.flow/step applies; in a prompt with $j$ own "
    r"tokens $H_{kk}=\frac1K\sigma_f^2w_j(1-w_j)^2b_j$ by R7.loss, since the others share $1-w_j$ as they share the $N-j$ "
    r"tokens; sum over $j$, where $w_0=0$ and $w_N=1$ bring nothing.",
)
def the_binomial_sum(*, square: int = 2, one: int = 1) -> Evidence:
    r"""For every $K$ and $N$, $(1-w)^2+\sum_{n\neq k}w_n^2=(1-w)^2b$ in the mean, with $b=
    1+\frac{n+K-2}{(K-1)n}$ and $n=N-j$ tokens of other classes; and for $N=2,3,4$ the code of the
    sum is this formula. Here `square` stands for an exponent, and `one` for the 1 of $b$.
    """
    x, k = sp.symbols("x K", positive=True)
    squares = (1 - x) ** 2 * (n * (n + M - 1) / M) / n**2
    parts = [identity((1 - x) ** 2 + squares, (1 - x) ** square * (one + (n + M - 1) / (M * n)))]
    for N in (2, 3, 4):
        terms = []
        for j in range(1, N):
            weight = j * exp(z) / (j * exp(z) + N - j)
            chance = sp.binomial(N, j) * (1 / k) ** j * (1 - 1 / k) ** (N - j)
            terms.append(chance * weight * (1 - weight) ** square * (one + (N - j + k - 2) / ((k - 1) * (N - j))))
        slope = ReducedAttention(M + 1, c, prompt_length=N).slope(z).subs(M, k - 1)
        parts.append(identity(computed(r"\text{slope}", slope), c * k / (k - 1) * sp.Add(*terms) / k))
    found = all_of(*parts)
    return confirmed(found, all_prompts()) if (square, one) == (2, 1) else found


@claim(
    "OURS:R10.gradient",
    control={"half": Rational(1, 3)},
    needs=("OURS:R10.map",),
    argument="Both sums have the same weights $B_jb_j$, and $w_j$ has the odds $r=(N-j)/j$, whatever $N$, $K$ and $j$ are.",
)
def the_speed_is_the_slope_of_the_loss(*, half: Rational = Rational(1, 2)) -> Evidence:
    r"""Every summand of $Kh_N$ is minus the derivative of its summand of the loss: $w(1-w)^2b=
    -\partial_z\frac12(1-w)^2b$ at $w=1/(1+re^{-z})$; `half` stands for the $\frac12$.
    """
    return identity(w * (1 - w) ** 2 * b, -sp.Derivative(half * (1 - w) ** 2 * b, z))


@claim(
    "OURS:R10.floor",
    control={"power": 1},
    needs=("OURS:R10.map", "OURS:R10.gradient"),
    argument=r"By R10.gradient the loss decreases along the flow, and its summands with $j\geq1$ tend to 0; the summand "
    "$j=0$ does not move, as $w_0=0$.",
)
def the_floor(*, power: int = 2) -> Evidence:
    r"""The summand of a prompt without the query's class is $\frac12(1-\frac1K)^N(1+
    N\frac{N+K-2}{(K-1)N^2})$, which the code of the floor gives for $N=2,3,4$; of the others
    $(1-w)^2\leq r^2e^{-2z}$ tends to 0. Here `power` stands for the exponents 2 of $N^2$ and $1-w$.
    """
    k = sp.Symbol("K", positive=True)
    parts = []
    for N in (2, 3, 4):
        floor = ReducedAttention(M + 1, c, prompt_length=N).floor.subs(M, k - 1)
        absent = (k - 1) ** N / k**N * (1 + sp.Rational(N) * (N + k - 2) / ((k - 1) * N**power)) / 2
        parts.append(identity(computed(r"\text{floor}", floor), absent))
    y = sp.Symbol("y", positive=True)  # e^z
    away = forall((1 - w).subs(z, sp.log(y)) ** power, "<=", r**2 / y**2, {r: (0, oo), y: (0, oo)})
    return all_of(*parts, away)


@claim(
    "OURS:R10.late",
    control=({"two": 3}, {"share": Rational(6, 5)}),
    needs=("OURS:R10.gradient", "OURS:R10.floor"),
    argument=r"With $\ell$ the loss above the floor, $\dot z=-\frac c{K-1}\ell_z$ and $-\ell_z=2\sum_j w_j\ell_j$ give "
    r"$\frac d{dt}\frac1\ell=\frac{4c}{K-1}\bar w^2$ with a mean $w_1\leq\bar w\leq1$ of the $w_j$; and $w_1\to1$.",
)
def the_late_law_of_every_length(*, two: int = 2, share: Rational = Rational(1)) -> Evidence:
    r"""Every summand $\frac12(1-w)^2b$ falls with $z$ at $2w$ times itself; the attention $w_j$
    with $j\geq1$ own tokens is at least $w_1=1/(1+(N-1)e^{-z})$ and at most 1, and $w_1\to1$. Here
    `two` stands for the 2, and `share` multiplies $w_1$.
    """
    j, N, y = sp.symbols("j N y", positive=True)
    part = (1 - w) ** 2 * b / 2
    own = lambda k: k * y / (k * y + N - k)
    domain, where = {j: Closed(1, oo), N: Closed(2, oo), y: Closed(1, oo)}, [(j, "<=", N)]
    return all_of(
        identity(-sp.Derivative(part, z), two * w * part),
        forall(own(j), ">=", share * own(1), domain, where=where),
        forall(share * own(j), "<=", 1, domain, where=where),
        identity(computed(r"\lim_{y\to\infty}w_1", sp.limit(share * own(1), y, oo)), 1),
    )
