"""Lemma 1 of Li, Duan & Liang with its proof (Appendix B), and its use with a lower bound
(Appendices D.3 and E.2).
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge
from theory.regression.features.data import FeatureRegression

n = Diverging.n
L, Delta, B = sp.symbols("L Delta B", positive=True)
#: Attention on the class of the query, and on the others together; a sum over some of the others of
#: attention times difference of values, the attention in it, and one more term.
A, s, w = (sp.Symbol(name, nonnegative=True) for name in ("Attn_k", "s", "w"))
S, x = sp.symbols("S x", real=True)
HALVES = ("M in Integers", "M >= 2", "0 < s < 1", "L > 0", "Delta > 0")


@claim("LDL:L1.id", control=dict(half=Fraction(1, 3)), needs=("LDL:eq10", "LDL:A.cols"))
def loss_by_differences(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The loss is `half` = 1/2 times the sum over $k$ of the mean of $(\sum_{n\neq
    k}\mathrm{Attn}_n(f_n-f_k))^2$ where the query is $v_k$. It is derived for every number of
    classes and every law of tasks, prompts and queries, with a sum over all $n$, of which $n=k$
    adds 0; the loss of theory for $K=3$ and one task is tried in symbols.
    """
    f, masses = sp.symbols("f_1:4", real=True), sp.symbols("V_1:4", positive=True)
    scores = sp.Matrix(3, 3, lambda m, k: sp.Symbol(f"q_{k + 1}{m + 1}", real=True))
    problem = FeatureRegression(sp.eye(3), tasks=sp.Matrix([f]), masses=sp.Matrix([masses]))
    attention = problem.attention(scores)
    sums = [sum(attention[m, k] * (f[m] - f[k]) for m in range(3) if m != k) for k in range(3)]
    of_theory = identity(computed(r"\mathcal L", problem.loss(scores)), half * sum(e**2 for e in sums) / 3)
    values, value = sp.symbols("R f_k", real=True)  # R = sum of Attn_n f_n over the others, s = sum of Attn_n
    tried = all_of(
        of_theory, identity(((1 - s) * value + values - value) ** 2 / 2, half * (values - s * value) ** 2)
    )
    return derivation("LDL:L1.id", tried, half=half)


HALF_OF_THE_VALUES = Diverging(
    point={"L": 2, "Delta": Fraction(3, 2)},
    hypotheses=("K in Integers", "K >= 2", "L > 0", "Delta > 0"),
    sequence=lambda k, L, Delta: {"K": 2 * k, "L": L, "Delta": Delta},
    ratio=lambda K, L, Delta: K / 2 * L * Delta / (L * Delta),
    exceeds=n / 2,
)


@claim(
    "LDL:L1.sum",
    **charge(false="gap", costs="nothing"),
    repair=dict(power=1),
    control=dict(constant=1),
    needs=("LDL:eq4.use",),
    hypotheses=HALF_OF_THE_VALUES.hypotheses,
)
def sum_of_the_differences(*, power: int = 0, constant: int = 2) -> Evidence:
    r"""The sum of $|f(v_n)-f(v_k)|$ over $n\neq k$ is printed as a multiple of $L\Delta$, that is
    of $K$ to the `power` 0, which a task of two values defeats. With the power 1 it is at most
    `constant` = 2 times $KL\Delta$, where distances are at most $2\Delta$. It is derived;
    tried is the largest difference, $K-1$ times.
    """
    if not power:
        return along(HALF_OF_THE_VALUES, f="L Delta on half of the features, 0 on the others")
    K = sp.Symbol("K", positive=True)
    domain = {K: Closed(2, oo), L: (0, oo), Delta: (0, oo), B: (0, oo)}
    tried = forall(
        (K - 1) * B, "<=", constant * K**power * L * Delta, domain, where=[(B, "<=", 2 * L * Delta)]
    )
    return derivation("LDL:L1.sum", tried, constant=constant)


@claim(
    "LDL:L1.abs", control=(dict(constant=Fraction(9, 10)), dict(power=2)), needs=("LDL:eq4.use", "LDL:A.cols")
)
def weighted_sum_of_the_differences(*, constant: int | Fraction = 1, power: int = 1) -> Evidence:
    r"""The sum $S$ has $|S|\leq c(1-\mathrm{Attn}_k)^pB$ and
    $S^2\leq c^2(1-\mathrm{Attn}_k)^{2p}B^2$ with `constant` $c=1$ and `power` $p=1$, where
    $B=O(L\Delta)$ bounds the differences. It is derived for every number of classes; tried is that
    a sum which meets the bound does so with one class more.
    """
    domain = {s: Closed(0, 1), w: Closed(0, 1), S: (-oo, oo), x: (-oo, oo), B: (0, oo)}
    given = [(S, "<=", s * B), (-S, "<=", s * B), (x, "<=", B), (-x, "<=", B)]
    above = forall(S + w * x, "<=", constant * (s + w) ** power * B, domain, where=given)
    below = forall(-S - w * x, "<=", constant * (s + w) ** power * B, domain, where=given)
    box = {s: Closed(0, 1), S: (-oo, oo), B: (0, oo)}
    square = forall(S**2, "<=", constant**2 * s ** (2 * power) * B**2, box, where=given[:2])
    return derivation(
        "LDL:L1.abs", all_of(above, below), all_of(above, below, square), constant=constant, power=power
    )


@claim("LDL:L1", control=(dict(constant=Fraction(9, 10)), dict(power=3)), needs=("LDL:L1.id", "LDL:eq4.use"))
def lemma_1(*, constant: int | Fraction = 1, power: int = 2) -> Evidence:
    r"""The loss is at most half the mean of $(1-\mathrm{Attn}_k)^p$, `power` $p=2$, times
    `constant` = 1 times $C^2L^2\Delta^2$, where values differ by at most $CL\Delta$, whatever $C$
    is. It is derived for all features, tasks, prompts and queries; tried is a query with the error
    $\theta(1-\mathrm{Attn}_k)CL\Delta$, $|\theta|\leq1$.
    """
    theta, C = sp.Symbol("theta", real=True), sp.Symbol("C", positive=True)
    domain = {A: Closed(0, 1), theta: Closed(-1, 1), C: (0, oo), L: (0, oo), Delta: (0, oo)}
    error = theta * (1 - A) * C * L * Delta
    tried = forall(error**2 / 2, "<=", (1 - A) ** power * constant * C**2 * L**2 * Delta**2 / 2, domain)
    return derivation("LDL:L1", tried, constant=constant, power=power)


#: M classes of either value, and the attention s of a query on the other value: 1 - Attn_k is
#: 1 - (1-s)/M, and the error s L Delta.
TWO_VALUES = Diverging(
    point={"half": 2, "L": 2, "Delta": Fraction(3, 2)},
    hypotheses=HALVES,
    sequence=lambda k, half, L, Delta: {"M": half * k, "L": L, "Delta": Delta, "s": sp.S.One / (k + 1)},
    ratio=lambda M, L, Delta, s: (1 - (1 - s) / M) ** 2 * (L * Delta) ** 2 / (s * L * Delta) ** 2,
    exceeds=n / 5,
)


@claim(
    "LDL:L1.Theta",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(least=1),
    control=(dict(least=Fraction(11, 10)), dict(most=Fraction(19, 10))),
    needs=("LDL:L1",),
    hypotheses=TWO_VALUES.hypotheses,
)
def lemma_1_from_below(*, least: int | Fraction = 0, most: int | Fraction = 2) -> Evidence:
    r"""Printed (`least` = 0), tasks of two values defeat every constant in
    $(1-\mathrm{Attn}_k)^2L^2\Delta^2\leq c\,(\hat y-f_k)^2$ as $M$ grows. For exchangeable tasks
    twice the loss is between `least` = 1 and `most` = 2 times
    $\sigma_f^2\sum_kp_k\mathbb{E}(1-\mathrm{Attn}_k)^2$, as $\sum_{n\neq
    k}\mathrm{Attn}_n^2\leq(1-\mathrm{Attn}_k)^2$. It is derived for all features, every number of
    classes, every law of queries and every law of finitely many prompts, from the second moments
    of the tasks; tried are three classes.
    """
    if not least:
        return along(
            TWO_VALUES, f="0 on M features, L Delta on M others", attention="equal within both halves"
        )
    sigma, squares = sp.Symbol("sigma_f", positive=True), sp.Symbol("b", nonnegative=True)
    other = sp.symbols("w_2 w_3", nonnegative=True)
    error = sp.Matrix([sum(other), -other[0], -other[1]])  # e_k - w
    mean = (error.T * (sigma**2 * sp.eye(3)) * error)[0]
    left = computed(r"\mathbb E(\hat y-f_k)^2", mean)
    of_three = identity(left, sigma**2 * (sum(other) ** 2 + other[0] ** 2 + other[1] ** 2))
    domain = {sigma: (0, oo), A: Closed(0, 1), squares: Closed(0, oo)}
    mean = sigma**2 * ((1 - A) ** 2 + squares)
    below = forall(mean, ">=", least * sigma**2 * (1 - A) ** 2, domain)
    above = forall(mean, "<=", most * sigma**2 * (1 - A) ** 2, domain, where=[(squares, "<=", (1 - A) ** 2)])
    return derivation(
        "LDL:L1.Theta", all_of(of_three, below), all_of(of_three, above), least=least, most=most
    )
