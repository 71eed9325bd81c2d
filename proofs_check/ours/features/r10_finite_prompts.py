"""R10: training on prompts of N tokens, over equiangular features, is one number again."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import exp, oo

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.compared import agree
from proofs_check.instances.features.problems import exchangeable
from proofs_check.ours.features.r7_dynamics import beside_the_map
from theory.regression.features.reduced import ReducedAttention

M, r, b, c, n = sp.symbols("M r b c n", positive=True)
z = sp.Symbol("z", real=True)
#: Attention where a prompt holds r times as many tokens of other classes as of the query's own.
w = 1 / (1 + r * exp(-z))


def all_prompts() -> Evidence:
    """The score gaps of gradient descent over every prompt beside those of the sum."""
    cases = []
    for K, N, steps in ((3, 4, 400), (4, 3, 400), (2, 7, 400), (3, 6, 100)):
        problem, scalar = exchangeable(np.eye(K), prompt_length=N), ReducedAttention(K, 1.0, prompt_length=N)
        name = f"K = {K}, N = {N}, {len(problem.prompts[1])} prompts, {steps} steps"
        cases.append(beside_the_map(name, problem, scalar, 1.0, steps))
    checked = r"z\text{ over all prompts}=z\text{ of the binomial sum}"
    return agree("enumeration", cases, 1e-12, checked=checked, to=".15g")


@claim("OURS:R10.map/others", control=({"first": 1}, {"chance": 2}, {"other": 2}, {"power": 1}))
def own_tokens_and_the_others(*, first: int = 2, chance: int = 1, other: int = 1, power: int = 2) -> Evidence:
    r"""In a prompt of $N$ independent uniform tokens let $C$ be of the class of the query, and
    $c_m$ of the class $m$ among the $M=K-1$ others, $n=N-C$ in all. It is derived for every $K\geq
    2$, $N\geq 1$ and real $u$ that the mean of $e^{-uC}$ is $(\frac{e^{-u}+M}K)^N$, that of the
    binomial law, and that $e^{-uC}\sum_mc_m^2$ has the mean of $e^{-uC}\frac{n(n+K-2)}{K-1}$; and
    in each prompt, where the own score exceeds the others by $z$, that the attention $w$ on the own
    class is $\frac{Ce^z}{Ce^z+n}$, while $(1-w)^2$ and the squares of the attentions on the other
    classes add up to $\frac{n^2+\sum_mc_m^2}{(Ce^z+n)^2}$.

    Tried are the sum over $j$ of $B_je^{-uj}$ for $N=2,3,4$, that a binomial count of $n$ tokens
    with the probability $\frac1M$ has the second moment $nq(1-q)+n^2q^2$, and two other classes.
    Here `first` stands for the 2 of $K-2$, `chance` for the 1 of $K=M+1$, `other` for what
    multiplies $n$ in $w$, and `power` for the exponent of the last denominator.
    """
    q, k, y = 1 / M, M + 1, sp.Symbol("y", positive=True)
    weigh = lambda N, j: sp.binomial(N, j) * y**j * M ** (N - j) / k**N
    law = [
        identity(sp.Add(*(weigh(N, j) for j in range(N + 1))), ((y + M) / (M + chance)) ** N)
        for N in (2, 3, 4)
    ]
    squares = identity(M * (n * q * (1 - q) + n**2 * q**2), n * (n + k - first) / (k - 1))
    own, one, two = sp.symbols("C c_1 c_2", positive=True)
    total = own * y + one + two
    attention = identity((own * y + other * (one + two)) * (own * y / total), own * y)
    shares = sum((part / total) ** 2 for part in (one + two, one, two))
    prompt = identity((own * y + one + two) ** power * shares, (one + two) ** 2 + one**2 + two**2)
    numbers = {"first": first, "chance": chance, "other": other, "power": power}
    return derivation("OURS:R10.map/others", all_of(*law), squares, attention, prompt, **numbers)


@claim(
    "OURS:R10.map",
    control=({"square": 1}, {"one": 2}),
    needs=("OURS:R7.H", "OURS:R7.loss", "OURS:R7.flow/step", "OURS:R10.map/others"),
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
            terms.append(
                chance * weight * (1 - weight) ** square * (one + (N - j + k - 2) / ((k - 1) * (N - j)))
            )
        slope = ReducedAttention(M + 1, c, prompt_length=N).slope(z).subs(M, k - 1)
        parts.append(identity(computed(r"\text{slope}", slope), c * k / (k - 1) * sp.Add(*terms) / k))
    found = all_of(*parts)
    return confirmed(found, all_prompts()) if (square, one) == (2, 1) else found


#: What joins a statement on the scalar flow to the flow of Q.
OF_Q = r"By R10.map the flow of $Q$ is that of $z$"


@claim(
    "OURS:R10.gradient",
    control={"half": Fraction(1, 3)},
    needs=("OURS:R7.loss", "OURS:R10.map"),
    argument=OF_Q
    + r", and the loss is the mean of R7.loss over prompts, which is the sum over $j$ as in R10.map.",
)
def the_speed_is_the_slope_of_the_loss(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The derivative of the loss along any $z$ is $-Kh_N\dot z$, and the loss does not rise along
    the flow. Both are derived for any number of summands with any positive weights $B_jb_j$ and
    odds; tried is that every summand has $w(1-w)^2b=-\partial_z\frac12(1-w)^2b$ at
    $w=1/(1+re^{-z})$; `half` stands for the $\frac12$.
    """
    tried = identity(w * (1 - w) ** 2 * b, -sp.Derivative(half * (1 - w) ** 2 * b, z))
    return derivation("OURS:R10.gradient", tried, tried, half=half)


@claim(
    "OURS:R10.floor", control={"power": 1}, needs=("OURS:R10.map", "OURS:R10.gradient"), argument=OF_Q + "."
)
def the_floor(*, power: int = 2) -> Evidence:
    r"""The loss above the floor does not rise, and is at most $\frac{K-1}{4cw_1(0)^2t}$ in units of
    $\sigma_f^2$, which is derived from the flow. The floor is the summand of a prompt without the
    query's class, $\frac12(1-\frac1K)^N(1+N\frac{N+K-2}{(K-1)N^2})$, as displayed for every $N$ and
    as the code gives it for $N=2,3,4$. Tried is that $(1-w)^2\leq r^2e^{-2z}$. Here `power` stands
    for the exponents 2 of $N^2$ and $1-w$.
    """
    k, tokens = sp.symbols("K N", positive=True)
    missing = lambda N: (1 - 1 / k) ** N * (1 + N * (N + k - 2) / ((k - 1) * N**power)) / 2
    with sp.evaluate(False):
        absent = (1 - 1 / k) ** tokens * (1 + (tokens * (tokens + k - 2)) / ((k - 1) * tokens**power)) / 2
    parts = [identity(absent, (1 - 1 / k) ** tokens * (1 + (tokens + k - 2) / ((k - 1) * tokens)) / 2)]
    for N in (2, 3, 4):
        floor = ReducedAttention(M + 1, c, prompt_length=N).floor.subs(M, k - 1)
        parts.append(identity(computed(r"\text{floor}", floor), missing(sp.Integer(N))))
    y = sp.Symbol("y", positive=True)  # e^z
    away = forall((1 - w).subs(z, sp.log(y)) ** power, "<=", r**2 / y**2, {r: (0, oo), y: (0, oo)})
    return all_of(derivation("OURS:R10.floor", away, away, power=power), *parts)


@claim(
    "OURS:R10.late",
    control=({"two": 3}, {"share": Fraction(6, 5)}),
    needs=("OURS:R10.map", "OURS:R10.gradient", "OURS:R10.floor"),
    argument=OF_Q + ".",
)
def the_late_law_of_every_length(*, two: int = 2, share: Fraction = Fraction(1)) -> Evidence:
    r"""With $\ell$ the loss above its floor in units of $\sigma_f^2$, $\frac{4c}{K-1}w_1^2\leq\frac
    d{dt}\frac1\ell\leq\frac{4c}{K-1}$, and $\frac{4c}{K-1}(t-C(\sqrt{t+1}-1))\leq\frac1{\ell(t)}-
    \frac1{\ell(0)}\leq\frac{4c}{K-1}t$ with a constant $C$, so that $\ell$ is asymptotic to
    $\frac{K-1}{4ct}$. All of it is derived from the flow, for any number of summands and any
    positive weights, with odds of at most $R=N-1$.

    Tried is that a summand $\frac12(1-w)^2b$ falls with $z$ at $2w$ times itself, and that the
    $w_j$ lie between $w_1=1/(1+(N-1)e^{-z})$ and 1. Here `two` stands for the 2, the root of the 4,
    and `share` multiplies $w_1$.
    """
    j, N, y = sp.symbols("j N y", positive=True)
    part = (1 - w) ** 2 * b / 2
    own = lambda k: k * y / (k * y + N - k)
    domain, where = {j: Closed(1, oo), N: Closed(2, oo), y: Closed(1, oo)}, [(j, "<=", N)]
    below = all_of(
        identity(-sp.Derivative(part, z), two * w * part),
        forall(own(j), ">=", share * own(1), domain, where=where),
    )
    above = forall(share * own(j), "<=", 1, domain, where=where)
    return derivation("OURS:R10.late", below, above, below, above, two=two, share=share)
