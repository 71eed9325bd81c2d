"""Lemma 3 of Li, Duan & Liang with its proof: the attention in Phase I. What its inequalities take
for granted is that |V_k| lies between u_k N/K and U_k N/K with constants u_k and U_k, and that no
score exceeds a multiple of log(K)/K, which fails for some features that Section 3.1 admits.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, log, oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall
from numerics.provers.remembered import cached
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import aligned_features as aligned
from proofs_check.instances.features.slow_attention import FLAT, HYPOTHESES, WHERE, K, c1, c2, n
from proofs_check.instances.outcomes import charge
from proofs_check.li_duan_liang.dynamics import exactly
from theory.regression.features.data import FeatureRegression

k = sp.Symbol("K", positive=True)
x, u, U = sp.symbols("x u U", positive=True)  # |V_k|/N, u_k and U_k
theta = sp.Symbol("theta", nonnegative=True)  # the printed Theta(log K / K)
R = sp.Symbol("R", positive=True)  # (U/u) e^theta
CLASSES, SMALL = {k: Closed(2, oo)}, {theta: Closed(0, 1)}
#: Features are "any" as printed, and "orthonormal" in the repairs.
GROWN = aligned.growth(aligned.K, c2)


@cached
def grown(right: sp.Expr, left: sp.Expr = sp.S.One, power: int = 1) -> Evidence:
    """Refute ``left <= right`` on aligned features, K = 4 n^power, whose scores grow."""
    left, right, classes = (sp.sympify(e).subs(n, n**power) for e in (left, right, aligned.K))
    return defeated(left, right, n, at={"K": classes}, where=aligned.WHERE, least=2)


def scores_are_small() -> Evidence:
    r"""A gap of scores, at least X as e^{29 X} >= 1 + c K log(K)/10, is O(log(K)/K)."""
    return grown((exp(29 * c1 * log(aligned.K) / aligned.K) - 1) / c2, (GROWN - 1) / c2)


@claim(
    "LDL:L3.sym",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(tasks="exchangeable"),
    control=(dict(factor=Fraction(3, 2)), dict(least=2), dict(classes=2)),
    needs=("OURS:R7.flow/step",),
    hypotheses=HYPOTHESES,
)
def scores_of_the_other_classes(
    *, tasks: str = "any", factor: int | Fraction = 2, least: int = 1, classes: int = 1
) -> Evidence:
    r"""By symmetry $|q_{k,m}|=\Theta(q_k/K)$ is refuted for one function on $K$ features, where
    $|q_{k,m}|/q_k=1$. Repaired, for exchangeable tasks, $q_{k,m}=-q_k/(K-1)$ after every step of
    gradient descent from $Q=0$, which is derived for equiangular features of one norm, classes of
    one probability and balanced prompts; so $q_k/K\leq|q_{k,m}|\leq cq_k/K$ with `factor` $c=2$.
    Tried is what this asks of $K$; `classes` stands for the 1, and `least` multiplies $q_k/K$.
    """
    if tasks == "any":
        where = {
            **WHERE,
            "tasks": "one function, L/sqrt(2) on half of the features and -L/sqrt(2) on the others",
        }
        return defeated(sp.S.One, c1 / K, n, at=FLAT, where=where)
    alike = forall(1, "<=", (k - classes) / (k - 1), CLASSES)
    low = forall(least / k, "<=", 1 / (k - 1), CLASSES)
    high = forall(1 / (k - 1), "<=", sp.Rational(factor) / k, CLASSES)
    return derivation("LDL:L3.sym", alike, low, high, factor=Fraction(factor), least=least, classes=classes)


@claim(
    "LDL:L3.exp",
    **exactly.ON_ORTHONORMAL,
    control=(dict(c=-1), dict(logs=-1), dict(most=Fraction(3, 10))),
    needs=("LDL:L2.raw", "LDL:eq4.use", "LDL:L2.raw/aligned"),
)
def odds_of_two_classes(
    *,
    features: str = "any",
    c: int | Fraction = Fraction(9, 2),
    logs: int = 1,
    most: Fraction = Fraction(37, 100),
) -> Evidence:
    r"""On Phase I $\exp(q_{k,m}-q_k)$ lies between $e^{-(\log K+\theta)}$ and $e^{\theta}$.
    Printed, for `features` of Section 3.1, $\theta=\Theta(\log(K)/K)$ is refuted by scores that
    grow like $\log K$. For orthonormal ones it holds with $\theta=c\,CP^2\frac{\log K}K$, `c` =
    9/2, at each of the first $\frac{CK\log K}{\eta B^2}$ steps, and no more than
    $\frac{2K^2}{15\eta P^2B^2}$, of gradient descent from $Q=0$, if queries and tokens are $v_k$
    with probability at most $\frac PK$, and values differ by at most $B=O(L\Delta)$. It is derived
    from the loss, for every law of tasks and of prompts, by induction over the steps; `logs` stands
    for the 1 of $\log K$. Tried are the scores 0 of the first step. And $\log(K)/K\leq$ `most` =
    37/100 for every $K$, so that $\theta$ is bounded.
    """
    if features == "any":
        return scores_are_small()
    small = {theta: Closed(0, oo)}
    return all_of(
        derivation(
            "LDL:L3.exp",
            forall(1, "<=", exp(sp.Rational(c) * theta), small),
            forall(exp(-(logs * log(k) + sp.Rational(c) * theta)), "<=", 1, CLASSES | small),
            c=c,
            logs=logs,
        ),
        forall(log(k) / k, "<=", sp.Rational(most), {k: Closed(1, oo)}),
    )


@claim(
    "LDL:L3.lb",
    control=(dict(odds=Fraction(11, 10)), dict(first=Fraction(11, 10)), dict(last=Fraction(11, 10))),
    needs=("LDL:L3.exp", "LDL:eq9-u"),
)
def lower_bound_of_the_attention(
    *, odds: Fraction = Fraction(1), first: Fraction = Fraction(1), last: Fraction = Fraction(1)
) -> Evidence:
    r"""For $|V_k|\geq\frac{u_k}KN$ and $0<u_k\leq K$,
    $\mathrm{Attn}_k\geq\frac1{e^{\theta}(N/|V_k|-1)+1}
    \geq\frac1{e^{\theta}(K/u_k-1)+1}\geq\frac{u_k}{e^{\theta}K}$, so that
    $\mathrm{Attn}_k=\Omega(1/K)$. The first of these, times its denominator, is derived for every
    prompt from the odds of L3.exp; tried is one other class with the largest odds. Here `odds`,
    `first` and `last` multiply the left sides.
    """
    E = sp.Symbol("E", positive=True)  # e^theta
    more = sp.Symbol("more", positive=True)  # |V_k| K/(u_k N)
    bound = 1 / (E * (k / u - 1) + 1)
    box = {k: Closed(1, oo), E: Closed(1, oo), u: (0, oo)}
    inner = [(more * u, "<=", k)]
    attention = 1 / (E * (1 - x) / x + 1)  # x is the share of the class
    tried = forall(sp.Rational(odds) * x, "<=", attention * (E * (1 - x) + x), {x: (0, 1), E: Closed(1, oo)})
    domain = {**box, more: Closed(1, oo)}
    return all_of(
        derivation("LDL:L3.lb", tried, first=odds),
        forall(1 / (E * (k / (more * u) - 1) + 1), ">=", sp.Rational(first) * bound, domain, where=inner),
        forall(bound, ">=", sp.Rational(last) * u / (E * k), box, where=[(u, "<=", k)]),
    )


@claim(
    "LDL:L3.1",
    **exactly.ON_ORTHONORMAL,
    control=dict(c=Fraction(11, 10)),
    needs=("LDL:L3.exp", "LDL:eq9-u", "LDL:L2.raw/aligned"),
)
def attention_is_at_least_a_share(*, features: str = "any", c: int | Fraction = 1) -> Evidence:
    r"""In Phase I $\mathrm{Attn}_k\geq\frac{\text{const}}K$: printed, for `features` of Section
    3.1, this is refuted for every constant. For orthonormal ones $\mathrm{Attn}_k\geq
    c\,\frac{ue^{-c_1/2}}K$ with `c` = 1 is derived for every prompt with $|V_k|\geq\frac{u}KN$,
    where the odds of two classes are at most $e^{c_1\log(K)/K}$ (L3.exp), whatever the constants
    $u$ and $c_1$ are, as $\frac{\log K}K\leq\frac12$. Tried is the attention of theory on three
    classes.
    """
    if features == "any":
        return grown(c1 * 4 * GROWN ** sp.Rational(-1, 29), power=16)
    share, gap = sp.Symbol("a", positive=True), sp.Symbol("theta", nonnegative=True)
    c_1 = sp.Symbol("c_1", positive=True)
    problem = FeatureRegression(
        sp.eye(3), sp.eye(3), masses=sp.Matrix([[share, (1 - share) / 2, (1 - share) / 2]])
    )
    found = problem.attention(sp.diag(0, gap, gap) * sp.ones(3))[0, 0]  # the others have the score theta
    box = {share: (0, 1), c_1: (0, oo), gap: Closed(0, oo)}
    least = sp.Rational(c) * share * exp(-c_1 / 2)  # u/K is the share
    return derivation("LDL:L3.1", forall(found, ">=", least, box, where=[(3 * gap, "<=", c_1 * log(3))]), c=c)


@claim(
    "LDL:L3.ub",
    control=(dict(first=Fraction(11, 10)), dict(last=Fraction(11, 10))),
    needs=("LDL:L3.exp", "LDL:eq9-u"),
)
def upper_bound_of_the_attention(*, first: Fraction = Fraction(1), last: Fraction = Fraction(1)) -> Evidence:
    r"""For $|V_k|\leq\frac{U_k}KN$ and $\theta\leq1$ the odds $e^{-(\log K+\theta)}(\frac
    N{|V_k|}-1)$ are at least $e^{-\theta}(\frac1{U_k}-\frac1K)\geq e^{-1}(\frac1{U_k}-\frac1K)$,
    which bounds $\mathrm{Attn}_k=1/(\text{odds}+1)$. Both bounds of $\mathrm{Attn}_k$, times their
    denominators, are derived from the odds of L3.exp for every prompt.
    """
    box = {k: Closed(2, oo), U: (0, oo)}
    r = 1 / U - 1 / k
    where = [(x, "<=", U / k), (U, "<", k)]
    share = forall((1 / x - 1) / k, ">=", sp.Rational(first) * r, {**box, x: (0, 1)}, where=where)
    rest = forall(
        exp(-theta) * r, ">=", sp.Rational(last) * exp(-1) * r, {**box, **SMALL}, where=[(U, "<", k)]
    )
    return derivation("LDL:L3.ub", share, rest, first=first, last=last)


@claim(
    "LDL:L3.low",
    control=(dict(c=Fraction(11, 10)), dict(factor=Fraction(11, 10))),
    needs=("LDL:L3.ub",),
    hypotheses=("K >= 2*U",),
)
def the_rest_is_of_order_one(*, c: int | Fraction = 1, factor: Fraction = Fraction(1)) -> Evidence:
    r"""With $r=\frac1{U_k}-\frac1K$, $1-\frac1{e^{-1}r+1}\geq\frac r{r+e}$, which is at least
    $\frac c{1+2eU_k}$ with `c` = 1: a constant.
    """
    r = sp.Symbol("r", positive=True)
    share = (1 / U - 1 / k) / (1 / U - 1 / k + exp(1))
    domain = {U: (0, oo), k: Closed(1, oo)}
    return all_of(
        forall(1 - 1 / (r * exp(-1) + 1), ">=", sp.Rational(factor) * r / (r + exp(1)), {r: (0, oo)}),
        forall(share, ">=", sp.Rational(c) / (1 + 2 * exp(1) * U), domain, where=[(2 * U, "<=", k)]),
    )


@claim(
    "LDL:L3.2",
    **exactly.ON_ORTHONORMAL,
    control=(dict(c=Fraction(11, 10)), dict(most=Fraction(1, 2))),
    needs=("LDL:L3.exp", "LDL:eq9-u", "LDL:L2.raw/aligned"),
)
def attention_stays_below_one(
    *, features: str = "any", c: int | Fraction = 1, most: int | Fraction = 1
) -> Evidence:
    r"""In Phase I $1-\mathrm{Attn}_k$ is at least a constant: printed, for `features` of Section
    3.1, this is refuted for every constant. For orthonormal ones $1-\mathrm{Attn}_k\geq\frac
    c{1+2eU}$ with `c` = 1 if $|V_k|\leq\frac{U}KN$, $K\geq2U$ and the odds of two classes are at
    least $e^{-\theta}/K$, $\theta\leq1$ (L3.exp), whatever the constant $U$ is; and
    $1-\mathrm{Attn}_k$ is at most `most` = 1. Both are derived for every prompt in which the class
    occurs. Tried are odds $e^{-1}r$ of the others together, with $r\geq\frac1{2U}$.
    """
    if features == "any":
        return grown(c1 * aligned.K * GROWN ** sp.Rational(-47, 29))
    r = sp.Symbol("r", positive=True)
    left, domain, few = r / (r + exp(1)), {r: (0, oo), U: (0, oo)}, [(1 / (2 * U), "<=", r)]
    below = forall(left, ">=", sp.Rational(c) / (1 + 2 * exp(1) * U), domain, where=few)
    return derivation(
        "LDL:L3.2", below, forall(left, "<=", sp.Rational(most), domain, where=few), c=c, most=most
    )


@claim(
    "LDL:L3.ratio",
    **exactly.ON_ORTHONORMAL,
    control=(dict(share=Fraction(9, 10)), dict(c=-1)),
    needs=("LDL:L2.raw", "LDL:eq4.use", "LDL:eq9-u", "LDL:L2.raw/aligned"),
)
def counts_and_scores_of_two_classes(
    *, features: str = "any", share: Fraction = Fraction(1), c: int | Fraction = 3
) -> Evidence:
    r"""Printed, for `features` of Section 3.1, that the scores of two other classes differ by
    $O(\log(K)/K)$ is refuted. For orthonormal ones $e^{q_{k,m}-q_{k,n}}\leq e^{\theta}$ with
    $\theta=c\,CP^2\frac{\log K}K$, `c` = 3, in the setting of L3.exp, and derived with it; and
    $|V_m|/|V_n|\leq U/u$ if both counts lie between $uN/K$ and $UN/K$. Exchanging $m$ and $n$ gives
    the lower bounds. Tried are the scores 0 of the first step.
    """
    if features == "any":
        return scores_are_small()
    few, many = sp.symbols("few many", real=True)
    count = lambda share: u + share * (U - u)
    box = {few: Closed(0, 1), many: Closed(0, 1), u: (0, oo), U: (0, oo)}
    tried = forall(1, "<=", exp(sp.Rational(c) * theta), {theta: Closed(0, oo)})
    return all_of(
        derivation("LDL:L3.ratio", tried, c=c),
        forall(count(many) / count(few), "<=", sp.Rational(share) * U / u, box, where=[(u, "<=", U)]),
    )


@claim(
    "LDL:L3.3",
    **exactly.ON_ORTHONORMAL,
    control=(dict(factor=Fraction(3, 2)), dict(least=Fraction(11, 10))),
    needs=("LDL:L3.ratio", "LDL:L3.2", "LDL:L2.raw/aligned"),
)
def attention_on_the_other_classes(
    *, features: str = "any", factor: int | Fraction = 2, least: int | Fraction = 1
) -> Evidence:
    r"""Printed, for `features` of Section 3.1, $\mathrm{Attn}_n=\Omega(\frac1K)$ is refuted for
    every constant. For orthonormal ones: one of $K-1$ positive terms over their sum lies between
    $\frac1{(K-1)R}\geq\frac1{KR}$ and $\frac R{K-1}\leq\frac{cR}K$ with `factor` $c=2$, if no two
    differ by a factor above $R$: so $\mathrm{Attn}_n/(1-\mathrm{Attn}_k)=\Theta(1/K)$. The bounds
    of $\mathrm{Attn}_n$ by these multiples of $1-\mathrm{Attn}_k$, and of 1 and any
    $c_2\leq1-\mathrm{Attn}_k$ (L3.2) in its place, are derived for every prompt that holds all
    classes, where $R$ is any bound of the products of the quotients of L3.ratio,
    $(U/u)e^{\theta}$; `least` multiplies the lower ones.
    """
    if features == "any":
        return grown(c1 * 4 * GROWN ** sp.Rational(-10, 29))
    box = {k: Integers(2, oo), R: Closed(1, oo)}
    k_ = sp.Symbol("K", positive=True)
    above = forall(R / (k_ - 1), "<=", sp.Rational(factor) * R / k_, box)
    below = forall(1 / ((k_ - 1) * R), ">=", sp.Rational(least) / (k_ * R), box)
    return derivation("LDL:L3.3", above, below, above, below, factor=factor, least=least)
