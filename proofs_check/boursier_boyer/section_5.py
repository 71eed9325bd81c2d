"""Section 5: the covariance of tokens, the infinite-prompt risk, the block manifold, the admissible range of alpha."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp
from sympy import Rational, oo, sqrt

from numerics.evidence import Evidence, all_of, confirmed
from numerics.flow_starts import Start, ends_at, theta_starts
from numerics.provers import Integers, forall, identity, trace_identity
from proofs_check.boursier_boyer.remark_5_3 import remark
from proofs_check.claims import claim
from proofs_check.gaussian_words import DATA, risk_of_blocks, token_moments
from theory.regression_risk import full_risk, task_covariance
from theory.traces import Algebra

# A token (x, y) and a query (z, 0).
TOKEN = Algebra(general=["A"], vectors=["x", "z", "b", "p"], params=["q", "y"])
# A mean token m, the coordinate e of the prediction and its target y.
OUTPUT = Algebra(general=["V"], vectors=["e", "m", "b", "c"], params=["y"])


@claim("BB:12", argument="a linear image of a Gaussian vector is Gaussian and centred, so that its covariance decides")
def covariance_of_a_token() -> Evidence:
    """E x x' = S, E x y = S w, E y^2 = w'S w for y = w'x, by Isserlis' theorem, for every d."""
    square, column, corner = token_moments(noise=False)
    S, w = DATA["S"], DATA["w"]
    return all_of(trace_identity(square, S), trace_identity(column, S * w), trace_identity(corner, w.T * S * w))


@claim(
    "BB:5.Rinf",
    needs=("BB:L2.1.a", "BB:12"),
    argument="by Lemma 2.1 attention on N(0, Gamma_w) is V Gamma_w U z; only its last entry counts",
)
def the_infinite_prompt_risk() -> Evidence:
    """The blocks of v'Gamma_w U (x, 0) for d = 1, 2, 3; second route: their risk and the closed form at exact instances."""
    parts, instances = [], []
    for d in (1, 2, 3):
        S = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"s_{min(i, j)}{max(i, j)}"))
        A, b, p = sp.Matrix(d, d, sp.symbols(f"A:{d * d}")), sp.Matrix(sp.symbols(f"b:{d}")), sp.Matrix(sp.symbols(f"p:{d}"))
        w, x, q = sp.Matrix(sp.symbols(f"w:{d}")), sp.Matrix(sp.symbols(f"x:{d}")), sp.Symbol("q")
        U = sp.Matrix([[A, sp.Matrix(sp.symbols(f"c:{d}"))], [b.T, sp.Matrix([sp.Symbol("e")])]])
        whole = sp.Matrix([p, [q]]).T @ task_covariance(S, w) @ U @ sp.Matrix([x, [0]])
        blocks = p.T * S * A * x + q * w.T * S * A * x + (p.T * S * w + q * w.T * S * w) * (b.T * x)
        parts.append(identity(whole, blocks))
    for d in (1, 2, 3):
        values = DATA.example(d, seed=d)
        A, b, p = values["A"], values["b"], values["p"]
        U = sp.Matrix([[A, sp.zeros(d, 1)], [b.T, sp.zeros(1, 1)]])
        closed = full_risk(values["S"], U, sp.Matrix([p, [values["q"]]]))
        instances.append(identity(risk_of_blocks(noise=False).evaluate(values), closed))
    return confirmed(all_of(*parts, checked=parts[0].checked).replace(dimension="d = 1, 2, 3"), *instances)


@claim(
    "BB:5.rows",
    argument="attention is V m with a mean token m free of V; for a unit vector e the gradient G has c'G = (e'c) e'G, "
    "so that all rows but the one that e selects are 0 and stay as they are",
)
def only_the_last_row_of_v_matters() -> Evidence:
    """e'V m = (V'e)'m, and |e|^2 c'G b = (e'c) (e'G b) for the gradient G in V of (e'V m - y)^2/2, any b and c, any dimension."""
    V, e, m, b, c, y = (OUTPUT[name] for name in ("V", "e", "m", "b", "c", "y"))
    residual = e.T * V * m - y
    G = (residual * residual / 2).grad("V")
    row = trace_identity(e.T * V * m, (V.T * e).T * m)
    return all_of(row, trace_identity((e.T * e) * (c.T * G * b), (e.T * c) * (e.T * G * b)))


@claim(
    "BB:5.block",
    needs=("BB:5.rows",),
    argument="tasks and labels have a symmetric law, so the risks are even in (p, b) and have no slope at p = b = 0; the last "
    "column of U meets the masked label, the other rows of V no loss",
)
def the_block_manifold_is_invariant() -> Evidence:
    """With v = (p, q), U = (A, *; b', *): the change of sign of (p, b) and of all labels keeps scores and changes values.

    So the prediction of softmax and linear attention changes its sign together with its target, for every prompt length, and the
    risk is even in (p, b); the infinite-prompt risk, with label noise too, is seen to be even directly.
    """
    A, x, z, b, p, q, y = (TOKEN[name] for name in ("A", "x", "z", "b", "p", "q", "y"))
    score = trace_identity(x.T * A * z + (-y) * ((-b).T * z), x.T * A * z + y * (b.T * z))
    value = trace_identity((-p).T * x + q * (-y), -(p.T * x + q * y))
    risk = risk_of_blocks(noise=True)
    mirrored = risk.substitute("p", -DATA["p"]).substitute("b", -DATA["b"])
    return all_of(score, value, trace_identity(mirrored, risk))


def scaled(start: Start, t: float) -> Start:
    """The start with alpha = t sqrt(2) / (d^{1/4} |Sigma|_op)."""
    alpha = t * np.sqrt(2) / (len(start.Sigma) ** 0.25 * np.linalg.norm(start.Sigma, 2))
    covariance, Theta, _ = re.split("; |, alpha", start.name)
    return Start(f"{covariance}; {Theta}, alpha at {t:g} of its bound", start.Sigma, start.U0 * (alpha / start.u0), alpha)


@claim(
    "BB:T5.2.range",
    needs=("OURS:R5.limit", "BB:T5.2.range/positive"),
    control={"sign": -1},
    unproved="that an alpha is admissible means that a flow converges from it, of which no prover here speaks; that the range is "
    "positive, which is all that R5.limit asks, is proved in the part",
    argument="R5.limit needs u(0) = alpha > 0 and U(0) positive semi-definite, nothing else",
)
def every_printed_alpha_is_admissible(*, sign: int = 1) -> Evidence:
    """Near both ends of the printed range and inside, the infinite-prompt flow goes to the limit of Remark 5.3.

    From alpha < 0, which Assumption 5.1 admits, it goes to the negative of that limit.
    """
    starts = [scaled(start, sign * t) for t in (0.01, 0.5, 0.999) for start in theta_starts(scales=(1.0,))]
    return ends_at(partial(remark, exponent=0.25), starts, checked=r"0<\alpha<\sqrt2/(d^{1/4}\|\Sigma\|_{\rm op})")


@claim("BB:T5.2.range/positive", control={"least": Fraction(-1, 8)})
def every_printed_alpha_is_positive(*, least: Fraction = Fraction(0)) -> Evidence:
    """alpha = t sqrt(2) / (d^{1/4} |Sigma|_op) is positive for t in (least, 1)."""
    d, top, t = sp.Symbol("d", integer=True, positive=True), sp.Symbol("Sigma", positive=True), sp.Symbol("t", real=True)
    interval = (Rational(least.numerator, least.denominator), 1)
    return forall(t * sqrt(2) / (d ** Rational(1, 4) * top), ">", 0, {d: Integers(1, oo), top: (0, oo), t: interval})


@claim(
    "BB:T5.2.range/inference",
    false="gap",
    why=r"The theorem that is cited asks for $\alpha^{2}\|\Theta\Theta^{\top}\|_{F}\sqrt{d}\,\|\Sigma\|_{\rm op}<2$, in which "
    r"$\|\Sigma\|_{\rm op}$ has the power $1$; the printed range squares to "
    r"$\alpha^{2}\sqrt{d}\,\|\Sigma\|_{\rm op}^{2}<2$, which is weaker where $\|\Sigma\|_{\rm op}<1$.",
    instead=r"The condition of the source is $\alpha<\sqrt{2}/(d^{1/4}\|\Sigma\|_{\rm op}^{1/2})$. The convergence itself holds "
    r"for every $\alpha>0$.",
    repair={"power": Fraction(1, 2)},
    control={"power": Fraction(5, 8)},
    hypotheses=("alpha > 0", "d in Integers", "d >= 1", "Sigma > 0", "alpha**4*d*Sigma**4 < 4"),
)
def the_condition_of_the_source_follows(*, power: Fraction = Fraction(1)) -> Evidence:
    """The cited theorem's alpha^2 |Theta Theta'|_F sqrt(d) |Sigma|_op < 2, from alpha < sqrt(2)/(d^{1/4} |Sigma|_op^power)."""
    alpha, top = sp.Symbol("alpha", positive=True), sp.Symbol("Sigma", positive=True)
    d = sp.Symbol("d", integer=True, positive=True)
    hypothesis = (alpha**4 * d * top ** (4 * Rational(power.numerator, power.denominator)), "<", 4)
    domain = {alpha: (0, oo), d: Integers(1, oo), top: (0, oo)}
    return forall(
        alpha**4 * d * top**2, "<", 4, domain, where=[hypothesis], via={sp.Symbol("y", positive=True): alpha**4 * d * top**2}
    )
