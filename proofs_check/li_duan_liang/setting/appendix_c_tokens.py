"""Appendix C of Li, Duan & Liang, the first half of the proof of Lemma 2: the gradient of the loss
in Q as a sum over tokens.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp

from numerics.evidence import Evidence, all_of
from numerics.provers import computed, identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Robust
from proofs_check.core.witnessed import at_point
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO
from theory.regression.features.data import FeatureRegression

#: One entry q = Q_ab of the matrix; y and f are values, X and u coordinates of a token and of the
#: query, and s the score of a token without what q adds to it.
q, y, f, s, X, u = sp.symbols("Q_ab y_i f_k s_i X_ia x_b", real=True)
#: As functions of q: the prediction, the attention, and the sums over the other tokens.
prediction, attn, others = (sp.Function(name, real=True)(q) for name in ("yhat", "attn_i", "R"))
above, below = sp.Function("Y", real=True)(q), sp.Function("D", positive=True)(q)


@claim("LDL:C.start", control=dict(half=Fraction(1, 3)), needs=("LDL:eq10",))
def gradient_of_the_loss(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The derivative of the loss, `half` = 1/2 times the mean squared error, is the mean of the
    error times the derivative of the prediction, and that of $\sum_i\mathrm{attn}_iy_i$ is
    $\sum_i\partial\mathrm{attn}_i\,y_i$: along any path of $Q$ and for every law of queries,
    prompts and tasks this is derived from the loss as the second moments of the tasks give it.
    Tried are one entry of $Q$, and one prompt.
    """
    slope = sp.Derivative(half * (prediction - f) ** 2, q)
    linear = sp.Derivative(2 * half * attn * y + others, q)
    of_error = identity(slope, (prediction - f) * sp.Derivative(prediction, q))
    of_prediction = identity(linear, sp.Derivative(attn, q) * y + sp.Derivative(others, q))
    return derivation("LDL:C.start", of_error, of_error, of_prediction, half=half)


SHAPES = Robust(
    point={"d": 2}, hypotheses=("d in Integers", "d >= 2"), violation=lambda d: d**2 - 1, equality=True
)


@claim(
    "LDL:C.attn",
    **TYPO,
    repair=dict(outer=True),
    control=dict(factor=2),
    needs=("LDL:eq10",),
    hypotheses=SHAPES.hypotheses,
)
def gradient_of_the_attention(*, outer: bool = False, factor: int = 1) -> Evidence:
    r"""The printed derivative of the attention is a number. With the products $\bar X_ix^{\top}$ of
    columns and rows (`outer`), each entry is $\mathrm{attn}_iX_{ia}x_b$ minus `factor` = 1 times
    $\mathrm{attn}_i\sum_j\mathrm{attn}_jX_{ja}x_b$, for every $N$ and $d$: it is derived for the
    derivative along any path of $Q$; tried is one entry.
    """
    if not outer:
        return at_point(SHAPES, "d^2=1", entries_of_the_derivative=4)
    own = exp(s + q * X * u)
    total = own + others
    mean = (own * X * u + sp.Derivative(others, q)) / total
    tried = identity(sp.Derivative(own / total, q), own / total * (X * u - factor * mean))
    return derivation("LDL:C.attn", tried, factor=factor)


@claim("LDL:C.grad", control=dict(sign=-1), needs=("LDL:C.start", "LDL:C.attn"))
def gradient_over_pairs_of_tokens(*, sign: int = 1) -> Evidence:
    r"""Along any path of $Q$ the derivative of the loss is the mean over queries, prompts and tasks
    of the error times the printed double sum, with $X_i$ minus `sign` = 1 times $X_j$, which is
    derived for every law of them. Tried are one entry for three tokens in dimension 2, two of them
    of one class, and for every $N$, where $\hat y=Y/D$ with $Y'=\sum_iy_ie^{s_i}X_{ia}x_b$ and
    $D'=\sum_je^{s_j}X_{ja}x_b$, that the derivative of the loss is
    $(\hat y-f)(Y'/D-\hat yD'/D)$.
    """
    v, values = sp.Matrix(2, 2, sp.symbols("v_1:5", real=True)), sp.symbols("f_1:3", real=True)
    Q, tokens = sp.Matrix(2, 2, sp.symbols("Q_1:5", real=True)), (0, 0, 1)
    problem = FeatureRegression(v, tasks=sp.Matrix([values]), masses=sp.Matrix([[2, 1]]))
    double = sp.zeros(2)
    for k in range(2):
        weights = [exp((v[:, m].T * Q * v[:, k])[0]) for m in tokens]
        attention = [w / sum(weights) for w in weights]
        error = sum(a * values[m] for a, m in zip(attention, tokens)) - values[k]
        for a, i in zip(attention, tokens):
            for b, j in zip(attention, tokens):
                double += error * a * b * values[i] * (v[:, i] - sign * v[:, j]) * v[:, k].T / 2
    gradient = problem.gradient(Q)
    entry = identity(computed(r"(\nabla_Q\mathcal L)_{12}", gradient[0, 1]), double[0, 1])
    slopes = sp.Derivative(above, q) / below - sign * above / below * sp.Derivative(below, q) / below
    of_sums = identity(sp.Derivative((above / below - f) ** 2 / 2, q), (above / below - f) * slopes)
    return derivation("LDL:C.grad", all_of(entry, of_sums), sign=sign)
