"""R11: at late times the loss falls like 1/t with a constant that the margin of the features
decides. The inequalities of both halves of the proof are executed.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Rational, oo

from numerics.counterexamples.drawn.computed import Computed, Entries, OneOf, Share
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity, trace_identity
from numerics.regression.features.margin import attention_margin
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
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
    "OURS:R11.sign", control=({"own": 2}, {"factor": Fraction(11, 10)}), needs=("OURS:R7.H", "OURS:R7.loss")
)
def entries_off_the_diagonal_are_negative(*, own: int = 1, factor: Fraction = Fraction(1)) -> Evidence:
    r"""For exchangeable tasks $-H_{mk}=\sigma_f^2p_kw_m(w_k+w_m-|w|^2)$, which is at least 0 for
    $|w|^2\leq w_k$, as where no attention is larger than $w_k$. All of it is derived for every
    number of classes; the entries are compared as sums with any weights. Tried is
    $(e_k-w)^\top(\sigma_f^2I+ b\mathbf1\mathbf1^\top)(e_m-w)$. Here `own` and `factor` multiply
    $w_k$ and $|w|^2$.
    """
    A = Algebra(vectors=["e", "g", "w", "o"], params=["spread", "b"])
    e, g, w, o, spread, b = (A[name] for name in ("e", "g", "w", "o", "spread", "b"))
    left = (e - w).T * (spread * A.I + b * o * o.T) * (g - w)
    right = spread * (e.T * g - own * e.T * w - w.T * g + w.T * w) + b * (o.T * (e - w)) * (o.T * (g - w))
    sign = forall(w_m * (w_k + w_m - factor * B), ">=", 0, WEIGHTS, where=[(B, "<=", w_k)])
    length = forall(factor * (w_k**2 + B), "<=", w_k, WEIGHTS_OWN, where=[(B, "<=", w_k * (1 - w_k))])
    return derivation("OURS:R11.sign", trace_identity(left, right), sign, length, own=own, factor=factor)


@claim(
    "OURS:R11.other",
    control=({"sign": -1}, {"least": 2}, {"most": Fraction(1, 2)}, {"two": 1}),
    needs=("OURS:R7.H",),
)
def other_task_laws(*, least: int = 1, most: Fraction = Fraction(1), two: int = 2, sign: int = 1) -> Evidence:
    r"""For every task law, with $M_{mn}=\mathbb E(f_k-f_m)(f_k-f_n)$ between $c>0$ and $C$ and
    $x=1-w_k$, $-H_{mk}=p_kw_m[(Mw)_m-w^\top Mw]\geq p_kw_mx(c-Cx)$; and a loss of at most
    $pc^3/(2C^2)$ forces $x\leq c/C$, where this is at least 0. All of it is derived for every
    number of classes, with the attention on the other classes and the differences of values. Here
    `least` and `most` multiply $c$ and $C$, `two` is the exponent of $C$ in the threshold, and
    `sign` stands for the sign of $w^\top Mw$, with a minus before it.
    """
    A = Algebra(symmetric=["M"], vectors=["w", "e"])
    M, w, e = A["M"], A["w"], A["e"]
    entry = trace_identity((e - w).T * M * w, e.T * M * w - sign * w.T * M * w)
    x, row, square = sp.symbols("x row square", nonnegative=True)
    domain = {x: Closed(0, 1), c: (0, oo), C: (0, oo), row: Closed(0, oo), square: Closed(0, oo)}
    where = [(row, ">=", c * x), (square, "<=", C * x**2), (c, "<=", C)]
    bound = forall(row - square, ">=", x * (least * c - most * C * x), domain, where=where)
    beyond = forall(
        c * ((c + row) / C) ** 2 * C**two, ">", c**3, {c: (0, oo), C: (0, oo), row: (0, oo)}
    )  # x = (c + row)/C
    return derivation(
        "OURS:R11.other", entry, bound, beyond, beyond, least=least, most=most, two=two, sign=sign
    )


@claim(
    "OURS:R11.start",
    control=({"eighth": Fraction(1, 4)}, {"constant": True}),
    needs=("OURS:R7.H", "OURS:R7.loss"),
)
def from_when_on_the_own_class_leads(
    *, eighth: Fraction = Fraction(1, 8), constant: bool = False
) -> Evidence:
    r"""For exchangeable tasks that vary a loss of at most $\frac18\sigma_f^2p_{\min}$ forces
    $w_k\geq\frac12$ for every query, then and ever after. It is derived for the flow of $Q$ over
    any features: the loss, whose derivative the kernel takes, does not increase, and is at least
    the share of each query. Tried is that at $w_k=\frac12-h$ this is at least
    $\frac12p\sigma_f^2(\frac12+h)^2$; `eighth` stands for the $\frac18$, and with `constant` the
    tasks may have $\sigma_f=0$.
    """
    h, half = sp.Symbol("h", positive=True), Rational(1, 2)
    threshold = identity(
        computed("pc^3/(2C^2)", (p * c**3 / (2 * C**2)).subs({C: 2 * s, c: s})), eighth * s * p
    )
    spread = sp.Symbol("spread", nonnegative=True) if constant else s  # sigma_f^2
    domain = {p: (0, oo), spread: Closed(0, oo) if constant else (0, oo), h: (0, oo)}
    tried = all_of(threshold, forall(p * spread * (half + h) ** 2 / 2, ">", eighth * spread * p, domain))
    return tried if constant else derivation("OURS:R11.start", tried, eighth=eighth)


def steeper() -> Computed:
    """Twice the margin, the least attention on an own class and the loss bound the gradient, at
    drawn features and parameters.
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
        return 2 * best.value * float(np.diag(W).min()) * problem.loss(Q), float(
            np.linalg.norm(problem.gradient(Q))
        )

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
)
def the_upper_half(*, two: int = 2, four: int = 4) -> Evidence:
    r"""As the entries of a column of $H$ sum to 0, $\langle-\nabla,Q\rangle=\sum h_md_m\geq\gamma
    H_{kk}$; $H_{kk}=sw_k(1-2w_k+|w|^2)$ with $s=\sigma_f^2p_k$ is at least $2a$ times its share of
    the loss, for $a\leq w_k$; and $|\nabla|\geq2\gamma a\,\mathrm{loss}$ makes $1/\mathrm{loss}$
    grow at $4\eta\gamma^2a^2$ at least. This is derived for the flow of $Q$ over any features and
    any number of them, with $\int a^2$ as a function that grows at this rate; two other classes are
    tried. Here `two` and `four` stand for these factors.
    """
    positive = dict.fromkeys((h_m, h_n, d_m, d_n, a, s, gamma, rate, slope, loss), (0, oo))
    of = lambda *names: {name: positive[name] for name in names}
    q_k, q_m, q_n = sp.symbols("q_k q_m q_n", real=True)  # the scores under Q
    with sp.evaluate(False):
        inner = (h_m + h_n) * q_k + (-h_m) * q_m + (-h_n) * q_n
    pairing = identity(inner, h_m * (q_k - q_m) + h_n * (q_k - q_n))
    margin = [(d_m, ">=", gamma), (d_n, ">=", gamma)]
    left, right = h_m * d_m + h_n * d_n, two / sp.Integer(2) * gamma * (h_m + h_n)
    grown = forall(left, ">=", right, of(h_m, h_n, d_m, d_n, gamma), where=margin)
    error = 1 - 2 * w_k + w_k**2 + B
    diagonal = forall(
        s * w_k * error, ">=", two * a * (s * error / 2), {**WEIGHTS_OWN, **of(a, s)}, where=[(a, "<=", w_k)]
    )
    domain, where = of(rate, slope, loss, gamma, a), [(slope, ">=", 2 * gamma * a * loss)]
    rises = forall(rate * slope**2 / loss**2, ">=", four * rate * gamma**2 * a**2, domain, where=where)
    found = derivation("OURS:R11.upper", all_of(pairing, grown), diagonal, rises, two=two, four=four)
    return found.replace(sides=(*found.sides, steeper()))
