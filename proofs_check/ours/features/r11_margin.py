"""R11: at late times the loss falls like 1/t with a constant that the margin of the features
decides. The inequalities of both halves of the proof are executed, for every number of classes, and
for exchangeable tasks as well as for others.
"""

from __future__ import annotations

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Rational, oo

from numerics.evidence import Evidence, all_of
from numerics.properties.computed import Computed, Entries, OneOf, Share
from numerics.provers import Closed, computed, forall, identity, trace_identity
from numerics.regression.features.margin import attention_margin
from proofs_check.core.claim import claim
from theory.regression.features.data import FeatureRegression
from theory.symbolic.algebra import Algebra

#: Attention of a query on its own class and on another, the sum of the squares of all, the sum of
#: those of the other classes, and the probability of the query's class.
w_k, w_m, B = sp.symbols("w_k w_m B", nonnegative=True)
p, C, c, gamma, a, s, rate = sp.symbols("p C c gamma a s eta", positive=True)
h_m, h_n, d_m, d_n, slope, loss = sp.symbols("h_m h_n d_m d_n G loss", positive=True)
#: Shares of a query's attention: at most 1 in sum.
WEIGHTS = {w_k: Closed(0, 1), w_m: Closed(0, 1), B: Closed(0, 1)}
WEIGHTS_OWN = {w_k: Closed(0, 1), B: Closed(0, 1)}


@claim(
    "OURS:R11.sign",
    control=({"own": 2}, {"factor": Rational(11, 10)}),
    needs=("OURS:R7.H", "OURS:R7.loss"),
    argument=r"By R7.loss $\mathbb E(f_k-\hat y)(f_m-\hat y)=\sigma_f^2(e_k-w)^\top(e_m-w)$, as $\mathbf1^\top(e_m-w)=0$, and "
    r"$e_k^\top e_m=0$; $|w|^2\leq w_k$ as soon as $w_k$ is the largest attention, because $|w|^2\leq\max_nw_n$.",
)
def entries_off_the_diagonal_are_negative(*, own: int = 1, factor: Rational = Rational(1)) -> Evidence:
    r"""For exchangeable tasks $(e_k-w)^\top(\sigma_f^2I+b\mathbf1\mathbf1^\top)(e_m-w)=\sigma_f^2(
    e_k^\top e_m-w_k-w_m+|w|^2)+b(\ldots)$, so that $-H_{mk}=\sigma_f^2p_kw_m(w_k+w_m-|w|^2)$, which
    is at least 0 for $|w|^2\leq w_k$. Here `own` and `factor` multiply $w_k$ and $|w|^2$.
    """
    A = Algebra(vectors=["e", "g", "w", "o"], params=["spread", "b"])
    e, g, w, o, spread, b = (A[name] for name in ("e", "g", "w", "o", "spread", "b"))
    left = (e - w).T * (spread * A.I + b * o * o.T) * (g - w)
    right = spread * (e.T * g - own * e.T * w - w.T * g + w.T * w) + b * (o.T * (e - w)) * (o.T * (g - w))
    sign = forall(w_m * (w_k + w_m - factor * B), ">=", 0, WEIGHTS, where=[(B, "<=", w_k)])
    return all_of(trace_identity(left, right), sign)


@claim(
    "OURS:R11.other",
    control=({"least": 2}, {"most": Rational(1, 2)}, {"two": 1}),
    needs=("OURS:R7.H",),
    argument=r"Write $w$ for the attentions on the classes $n\neq k$, whose sum is $1-w_k$: with $d_n=f_k-f_n$ one has "
    r"$f_k-\hat y=\sum w_nd_n$ and $f_m-\hat y=\sum w_nd_n-d_m$; a mean of entries lies between the least and the largest.",
)
def other_task_laws(*, least: int = 1, most: Rational = Rational(1), two: int = 2) -> Evidence:
    r"""For every task law, with $M_{mn}=\mathbb E(f_k-f_m)(f_k-f_n)$ between $c>0$ and $C$ and
    $x=1-w_k$, $(M w)_m-w^\top Mw\geq x(c-Cx)$; and for $x>c/C$ the share $\frac12p\,w^\top
    Mw\geq\frac12pcx^2$ of the loss exceeds $pc^3/(2C^2)$. Here `least`, `most` and `two` stand for
    the coefficients of $c$, $C$ and of $C^2$.
    """
    A = Algebra(symmetric=["M"], vectors=["w", "e"])
    M, w, e = A["M"], A["w"], A["e"]
    entry = trace_identity((e - w).T * M * w, e.T * M * w - w.T * M * w)
    x, row, square = sp.symbols("x row square", nonnegative=True)
    domain = {x: Closed(0, 1), c: (0, oo), C: (0, oo), row: Closed(0, oo), square: Closed(0, oo)}
    bound = forall(
        row - square,
        ">=",
        x * (least * c - most * C * x),
        domain,
        where=[(row, ">=", c * x), (square, "<=", C * x**2), (c, "<=", C)],
    )
    beyond = forall(c * ((c + row) / C) ** 2 * C**two, ">", c**3, {c: (0, oo), C: (0, oo), row: (0, oo)})  # x = (c + row)/C
    return all_of(entry, bound, beyond)


@claim(
    "OURS:R11.start",
    control={"eighth": Rational(1, 4)},
    needs=("OURS:R11.other", "OURS:R7.loss"),
    argument=r"The loss is the sum of $p_k$ times half the errors of R7.loss, which do not increase along the flow; at "
    r"$w_k\geq\frac12$ no other class has more attention than the query's own.",
)
def from_when_on_the_own_class_leads(*, eighth: Rational = Rational(1, 8)) -> Evidence:
    r"""For exchangeable tasks $c=\sigma_f^2$ and $C=2\sigma_f^2$: a loss of at most
    $\frac18\sigma_f^2p$ forces $w_k\geq\frac12$, since at $w_k=\frac12-h$ it is at least
    $\frac12p\sigma_f^2(\frac12+h)^2$; `eighth` stands for the $\frac18$.
    """
    h, half = sp.Symbol("h", positive=True), Rational(1, 2)
    threshold = identity(computed("pc^3/(2C^2)", (p * c**3 / (2 * C**2)).subs({C: 2 * s, c: s})), eighth * s * p)
    return all_of(threshold, forall(p * s * (half + h) ** 2 / 2, ">", eighth * s * p, dict.fromkeys((p, s, h), (0, oo))))


# The upper half of the law


def steeper() -> Computed:
    """Return that twice the margin, the least attention on an own class and the loss bound the
    gradient, at drawn features and parameters.
    """

    def both(d: int, v: NDArray[np.float64], q: NDArray[np.float64], scale: float) -> tuple[float, float]:
        V, Q = v[: 3 * d].reshape(d, 3), scale * q[: d * d].reshape(d, d)
        try:
            best = attention_margin(V)
        except ValueError:
            return float("nan"), 1.0
        problem = FeatureRegression(V, np.eye(3))
        W = problem.attention(Q)
        if (np.diag(W) < (W**2).sum(axis=0)).any():
            return float("nan"), 1.0
        return 2 * best.value * float(np.diag(W).min()) * problem.loss(Q), float(np.linalg.norm(problem.gradient(Q)))

    return Computed(
        "three features in the plane and in space, Q where the own class leads",
        {"d": OneOf((2, 3)), "v": Entries(9, high=3.0), "q": Entries(9, high=3.0), "scale": Share(0.1, 3.0)},
        both,
        lambda **at: both(**at)[0],
        accuracy=1e-6,
        each=2,
    )


@claim(
    "OURS:R11.upper",
    control=({"two": 3}, {"four": 5}),
    needs=("OURS:R7.H", "OURS:R7.loss", "OURS:R11.sign", "OURS:R11.start"),
    cites=("Cauchy-Schwarz",),
    argument=r"With $h_m=-H_{mk}\geq0$ (R11.sign) and $d_m=(v_k-v_m)^\top Q^*v_k\geq\gamma$ for the matrix $Q^*$ of norm 1 "
    r"that reaches the margin, summed over queries and all other classes, $|\nabla|\geq\langle-\nabla,Q^*\rangle\geq\gamma\sum "
    r"H_{kk}$; the two other classes stand for any number; integrate over time.",
)
def the_upper_half(*, two: int = 2, four: int = 4) -> Evidence:
    r"""As the entries of a column of $H$ sum to 0, $\langle-\nabla,Q\rangle=\sum h_md_m\geq\gamma
    H_{kk}$; $H_{kk}=sw_k(1-2w_k+|w|^2)$ with $s=\sigma_f^2p_k$ is at least $2a$ times its share of
    the loss, for $a\leq w_k$; and $|\nabla|\geq2\gamma a\,\mathrm{loss}$ makes $1/\mathrm{loss}$
    grow at $4\eta\gamma^2a^2$ at least. Here `two` and `four` stand for these factors.
    """
    positive = dict.fromkeys((h_m, h_n, d_m, d_n, a, s, gamma, rate, slope, loss), (0, oo))
    of = lambda *names: {name: positive[name] for name in names}
    q_k, q_m, q_n = sp.symbols("q_k q_m q_n", real=True)  # the scores under Q
    with sp.evaluate(False):
        inner = (h_m + h_n) * q_k + (-h_m) * q_m + (-h_n) * q_n
    pairing = identity(inner, h_m * (q_k - q_m) + h_n * (q_k - q_n))
    margin = [(d_m, ">=", gamma), (d_n, ">=", gamma)]
    grown = forall(
        h_m * d_m + h_n * d_n, ">=", two / sp.Integer(2) * gamma * (h_m + h_n), of(h_m, h_n, d_m, d_n, gamma), where=margin
    )
    error = 1 - 2 * w_k + w_k**2 + B
    diagonal = forall(s * w_k * error, ">=", two * a * (s * error / 2), {**WEIGHTS_OWN, **of(a, s)}, where=[(a, "<=", w_k)])
    rises = forall(
        rate * slope**2 / loss**2,
        ">=",
        four * rate * gamma**2 * a**2,
        of(rate, slope, loss, gamma, a),
        where=[(slope, ">=", 2 * gamma * a * loss)],
    )
    found = all_of(pairing, grown, diagonal, rises)
    return found.replace(sides=(*found.sides, steeper()))
