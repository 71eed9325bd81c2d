"""Sections 3.2 and 4 of Li, Duan & Liang up to eq. (10), with the formulas for the attention of
Appendices A and D.1: the layer, its loss, its prediction, and what the attention on a class is.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import sympy as sp
from sympy import exp

from numerics.evidence import Evidence, all_of
from numerics.provers import computed, identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Robust
from proofs_check.core.witnessed import at_point
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge
from theory.regression.features.data import FeatureRegression
from theory.regression.features.prompts import enumerate_prompts

#: Tokens of a class and its score; D stands for the sum of e^score over all tokens of the others.
tokens, score = sp.Symbol("V_k", positive=True), sp.Symbol("q_k", real=True)
rest = sp.Symbol("D", positive=True)
N = sp.Symbol("N", positive=True)
V = sp.eye(3)
COUNTS = sp.symbols("V_1:4", positive=True)
SCORES = sp.Matrix(3, 3, lambda m, k: sp.Symbol(f"q_{k + 1}{m + 1}", real=True))  # q_{k,m} in row m
#: Three orthonormal features: Q holds the scores, and the counts of the classes are symbols.
PROBLEM = FeatureRegression(V, sp.eye(3), masses=sp.Matrix([COUNTS]))


def attention(m: int, k: int) -> sp.Expr:
    """The attention of the query v_k on the class m as theory computes it, for K = 3."""
    return computed(rf"\mathrm{{Attn}}_{{{m + 1}}}", PROBLEM.attention(SCORES)[m, k])


#: Q = 0 and N tokens with responses that sum to Y.
AT_THE_START = Robust(
    point={"N": 2, "Y": 3},
    hypotheses=("N in Integers", "N >= 1"),
    violation=lambda N, Y: Fraction(Y, N) - Fraction(Y, N + 1),
    equality=True,
)


@claim(
    "LDL:eq5-6",
    **charge(false="gap", costs="nothing"),
    repair=dict(query_keys=0),
    control=(dict(query_keys=1), dict(factor=2)),
    hypotheses=AT_THE_START.hypotheses,
)
def keys_of_the_layer(*, query_keys: int = 1, factor: int = 1) -> Evidence:
    r"""The last entry of (5) is $\sum_iy_ie^{s_i}$ over $\sum_ie^{s_i}$ plus `query_keys` = 1 times
    $e^{s_{\mathrm{query}}}$, and that of (6) has no such term. The score of a token in (5) is
    `factor` = 1 times $x_i^{\top}Qx_{\mathrm{query}}$.
    """
    if query_keys:
        return at_point(AT_THE_START, r"\sum_iy_i/N=\sum_iy_i/(N+1)", Q=0)
    x, q = sp.Matrix(sp.symbols("x_1:3")), sp.Matrix(sp.symbols("u_1:3"))
    Q = sp.Matrix(2, 2, sp.symbols("Q_:4"))
    y, own, Y = sp.Symbol("y"), sp.Symbol("s_query", real=True), sp.Symbol("Y")
    layer = (x.col_join(sp.Matrix([y])).T * sp.diag(Q, 0) * q.col_join(sp.zeros(1)))[0]
    scores = identity(computed(r"(x,y)\,W^{KQ}\,(x_{\rm query},0)^{\top}", layer), factor * (x.T * Q * q)[0])
    return all_of(identity(computed("(5)", Y / (rest + query_keys * exp(own))), Y / rest), scores)


WIDE = Robust(
    point={"d": 2, "N": 3},
    hypotheses=("d in Integers", "d >= 2"),
    violation=lambda d, N: sp.Integer(d) - 1,
    equality=True,
)


@claim(
    "LDL:eq6.dim",
    **TYPO,
    repair=dict(rows=1),
    control=dict(rows=2),
    hypotheses=WIDE.hypotheses,
)
def rows_of_the_responses(*, rows: int = 0) -> Evidence:
    r"""The number of rows of $\textbf{y}$, printed as $d$, is what the $d+1$ rows of $P$ leave over
    when $X$ takes $d$; `rows` = 0 stands for the printed $d$.
    """
    if not rows:
        return at_point(WIDE, "d=(d+1)-d")
    d = sp.Symbol("d", positive=True)
    with sp.evaluate(False):
        left_over = sp.Add(d + 1, -d)
    return identity(sp.Integer(rows), left_over)


@claim("LDL:eq7-8", control=(dict(half=Fraction(1, 3)), dict(eta=-1)), needs=("LDL:eq5-6",))
def loss_and_descent(*, half: Fraction = Fraction(1, 2), eta: int = 1) -> Evidence:
    r"""The loss (7) that theory computes is `half` = 1/2 times the mean of the squared error over
    every prompt of two tokens, token by token, and every query. Its gradient is the derivative in
    $Q$ with the sign `eta` = 1.
    """
    v, f, p = sp.symbols("v_1 v_2", real=True), sp.symbols("f_1 f_2", real=True), Fraction(1, 3)
    Q = sp.Symbol("Q", real=True)
    law = [sp.Rational(p), sp.Rational(1 - p)]
    found = FeatureRegression(
        sp.Matrix([v]), tasks=sp.Matrix([f]), probabilities=sp.Matrix(law), prompt_length=2
    )
    at = sp.Matrix([[Q]])
    mean = sp.S.Zero
    for *prompt, query in product(range(2), repeat=3):
        weights = [exp(v[i] * Q * v[query]) for i in prompt]
        prediction = sum(w * f[i] for w, i in zip(weights, prompt)) / sum(weights)
        mean += sp.prod(law[i] for i in (*prompt, query)) * (prediction - f[query]) ** 2
    loss = identity(computed(r"\mathcal L", found.loss(at)), half * mean)
    return all_of(
        loss,
        identity(computed(r"\nabla\mathcal L", found.gradient(at)[0]), eta * sp.Derivative(half * mean, Q)),
    )


def every_prompt(power: int, factor: int = 1) -> Evidence:
    """The prediction token by token and class by class, for all prompts of four tokens."""
    f, parts = sp.symbols("f_1:4", real=True), []
    counts, _ = enumerate_prompts(np.full(3, 1 / 3), 4)
    for row in counts.tolist():
        prompt = [m for m, count in enumerate(row) for _ in range(count)]
        attn = [exp(SCORES[m, 0]) / sum(exp(SCORES[j, 0]) for j in prompt) for m in prompt]
        masses = sp.Matrix([[sp.Integer(count) ** power for count in row]])
        classes = FeatureRegression(V, sp.eye(3), masses=masses).attention(SCORES)[:, 0]
        by_classes = sum(computed(rf"\mathrm{{Attn}}_{{{m + 1}}}", a) * f[m] for m, a in enumerate(classes))
        parts.append(identity(sum(a * f[m] for a, m in zip(attn, prompt)), factor * by_classes))
    return all_of(*parts, checked=r"\sum_i\mathrm{attn}_iy_i=\sum_k\mathrm{Attn}_kf(v_k)")


@claim("LDL:eq10", control=(dict(power=2), dict(factor=2)))
def prediction_by_classes(*, power: int = 1, factor: int = 1) -> Evidence:
    r"""For every number of tokens and classes
    $\sum_i\mathrm{attn}_iy_i=\sum_k\mathrm{Attn}_kf(v_k)$, and this is the mean of the $f(v_k)$
    with the weights $|\mathcal{V}_k|e^{q_k}$: sums over the tokens are grouped by classes, which is
    derived. Every prompt of four tokens of three classes is tried, where theory computes
    $\mathrm{Attn}_k$ from the numbers of tokens to the power `power` = 1; `factor` = 1 multiplies
    the second side.
    """
    return derivation("LDL:eq10", every_prompt(1, factor), every_prompt(power), power=power, factor=factor)


@claim("LDL:attn", control=dict(one=2), needs=("LDL:eq10",))
def attention_on_the_class_of_the_query(*, one: int = 1) -> Evidence:
    r"""The attention of theory is `one` = 1 over $1+\sum_{m\neq
    k}(|\mathcal{V}_m|/|\mathcal{V}_k|)e^{q_{k,m}-q_k}$. The three printed quotients, times their
    denominators, are derived for every prompt and any number of classes, and three classes are
    tried in symbols. The last two are quotients where $|\mathcal{V}_k|\geq1$; in a prompt without
    the class of the query the attention is 0 and they are undefined.
    """
    ratio = sum(COUNTS[m] / COUNTS[0] * exp(SCORES[m, 0] - SCORES[0, 0]) for m in (1, 2))
    every_K = identity(
        tokens * exp(score) / (rest + tokens * exp(score)), one / (rest * exp(-score) / tokens + 1)
    )
    tried = all_of(identity(attention(0, 0), one / (ratio + 1)), every_K)
    return derivation("LDL:attn", tried, tried, tried, one=one)


@claim("LDL:attn-n", control=dict(one=2), needs=("LDL:attn",))
def shares_of_the_other_classes(*, one: int = 1) -> Evidence:
    r"""Of `one` = 1 minus the attention on the class of the query the class $n$ takes the share
    $|\mathcal{V}_n|e^{q_{k,n}}/\sum_{m\neq k}|\mathcal{V}_m|e^{q_{k,m}}$. This, times the
    denominator, is derived for every prompt and any number of classes; three are tried in symbols.
    It is a quotient where some class other than that of the query occurs, as $1-\mathrm{Attn}_k$,
    by which the printed one divides, is 0 elsewhere.
    """
    weights = [COUNTS[m] * exp(SCORES[m, 0]) for m in range(3)]
    own, n = sp.symbols(
        "w_k w_n", positive=True
    )  # weights of the classes k and n; D is the sum over all but k
    every_K = identity(n / (own + rest), (one - own / (own + rest)) * n / rest)
    tried = all_of(
        identity(attention(1, 0), (one - attention(0, 0)) * weights[1] / (weights[1] + weights[2])), every_K
    )
    return derivation("LDL:attn-n", tried, one=one)


@claim("LDL:init", control=dict(more=1), needs=("LDL:eq10",))
def attention_at_the_start(*, more: int = 0) -> Evidence:
    r"""At $Q=0$ each of $N$ tokens has the attention $1/(N+\mathrm{more})$ with `more` = 0: by the
    softmax of $N$ zeros for every $N$, and by theory for any tokens of three classes.
    """
    with sp.evaluate(False):
        softmax = exp(0) / (N * exp(0))
    of_theory = computed(r"\mathrm{Attn}_1/|\mathcal V_1|", PROBLEM.attention(sp.zeros(3))[0, 0] / COUNTS[0])
    return all_of(identity(softmax, 1 / (N + more)), identity(of_theory, 1 / (sum(COUNTS) + more)))


@claim("LDL:A.cols", control=dict(one=2), needs=("LDL:eq10",))
def columns_of_the_attention_maps(*, one: int = 1) -> Evidence:
    """The attention of a query on all classes adds up to 1. It is derived for every prompt and any
    number of classes; three are tried in symbols.

    Here `one` stands for the 1.
    """
    own = tokens * exp(score)
    every_K = identity(own / (own + rest) + rest / (own + rest), one)
    return derivation(
        "LDL:A.cols", all_of(identity(sum(attention(m, 0) for m in range(3)), one), every_K), one=one
    )
