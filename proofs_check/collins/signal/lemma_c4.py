"""Lemma C.4 of Collins et al.: the steps by which the signal term of affine tasks is bounded from
above. The orthogonal part is bounded for given tokens by what bounds its mean only.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import Closed, computed, forall, identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Robust
from proofs_check.core.witnessed import at_point
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.instances.window.circle import on_circle
from theory.symbolic.algebra import Algebra

t = sp.Symbol("t", real=True)


@claim("COL:C.4a", control=(dict(cross=1), dict(three=2)))
def split_of_the_error(*, cross: int = 0, three: int = 3) -> Evidence:
    r"""The mean of $l^2(w^\top v)^2$ is $\frac{L^2}{3d}\|v\|^2$ for every vector $v$ (3 is
    `three`), and $\|x-\hat x\|^2$ is $(1-x^\top\hat x)^2+\|\hat x-(x^\top\hat x)x\|^2$, plus
    `cross` = 0, for every $d$ and any average $\hat x$ of the tokens. Of the uniform direction it
    is used that its coordinates are uncorrelated and of one mean square, and of the slope that it
    is independent of it and $\mathbb El^2=\frac{L^2}{3}$, which is computed. The mean is tried on
    the circle, and the split in the plane of $x$ and a unit vector $x^\prime\perp x$, with the
    cross term $ab$ of $\hat x=ax+bx^\prime$.
    """
    x = on_circle("p")
    v = sp.Matrix([-x[1], x[0]])
    a, b = sp.symbols("a b", real=True)
    hat, off = a * x + b * v, x - a * x - b * v
    l, L = sp.Symbol("l", real=True), sp.Symbol("L", positive=True)
    angle, v_1, v_2 = sp.symbols("theta v_1 v_2", real=True)
    square = sp.integrate(l**2, (l, -L, L)) / (2 * L)
    turned = sp.integrate(
        sp.expand((v_1 * sp.cos(angle) + v_2 * sp.sin(angle)) ** 2), (angle, 0, 2 * sp.pi)
    ) / (2 * sp.pi)
    slope = identity(
        computed(r"\mathbb E l^2(w^{\top}v)^2", square * turned), L**2 / (three * 2) * (v_1**2 + v_2**2)
    )
    error = identity(off.dot(off), (1 - x.dot(hat)) ** 2 + v.dot(hat) ** 2 + cross * a * b)
    return derivation("COL:C.4a", slope, error, cross=cross, three=three)


@claim("COL:C.4b", control=dict(half=1))
def error_along_the_query(*, half: int = 2) -> Evidence:
    r"""For tokens and a query on the sphere, with any weights, $1-x^\top\hat x$ is the average of
    $\|x-x_i\|^2$ over `half` = 2; it is tried for two tokens on the circle.
    """
    query, *tokens = map(on_circle, "xuv")
    weights = sp.symbols("W_1:3", positive=True)
    along = sum(W * (1 - query.dot(p)) for W, p in zip(weights, tokens)) / sum(weights)
    squares = sum(W * (query - p).dot(query - p) for W, p in zip(weights, tokens)) / sum(weights)
    return derivation("COL:C.4b", identity(along, squares / half), half=half)


@claim("COL:C.4x", control=dict(sign=1))
def mean_in_a_fixed_direction(*, sign: int = -1) -> Evidence:
    r"""The mean of $x^{\prime\top}\hat x$ is 0, for any number of tokens and every query: the
    reflection in the hyperplane orthogonal to $x^\prime$ is written out, keeps the weights and
    multiplies the component by `sign` = -1. Of uniform tokens it is used that this component of the
    reflected tokens has the same mean. Two weighted tokens are tried.
    """
    p, q = sp.symbols("p q", real=True)
    W, V = sp.symbols("W V", positive=True)
    component = lambda s: (W * s * p + V * s * q) / (W + V)
    return derivation("COL:C.4x", identity(component(1) + component(sign), 0), sign=sign)


@claim(
    "COL:C.4x/inference",
    **charge(false="gap", costs="nothing"),
    repair=dict(conditioned=True),
    control=dict(conditioned=True, power=1),
    hypotheses=("s_1 > 0",),
    needs=("COL:C.4x",),
)
def mean_in_the_direction_of_the_average(*, conditioned: bool = False, power: int = 2) -> Evidence:
    r"""Printed (`conditioned` = False), the component of one token in its own direction, averaged
    over the reflection, is 0. With the heights given, the mean of the square of the orthogonal part
    is $\sum_i\gamma_i^2(1-t_i^2)$, with weights to the `power` = 2, for any number of tokens and
    every query: both have the same mean times every function of the heights. It is written out that
    the reflection of a token at the line of the query keeps the weights and turns its orthogonal
    part; of independent uniform tokens it is used that it keeps their law. It is tried with the
    mean over signs for two weighted tokens.
    """
    s_1, s_2, g_1, g_2 = sp.symbols("s_1 s_2 gamma_1 gamma_2", positive=True)
    if not conditioned:
        return identity((s_1 + s_1) / 2, 0)
    mean = ((g_1 * s_1 + g_2 * s_2) ** 2 + (g_1 * s_1 - g_2 * s_2) ** 2) / 2
    found = identity(mean, g_1**power * s_1**2 + g_2**power * s_2**2)
    return derivation("COL:C.4x/inference", found, power=power)


TWO_NEAR = Robust(
    point={"t": Fraction(1, 2), "c": Fraction(9, 10)},
    hypotheses=("-1 < t", "t < 1", "-1 < c", "c < 1"),
    # |(x_1 + x_2)/2 - t x|^2 for tokens at the height t whose azimuths have the cosine c, over
    # weights 1/2
    violation=lambda t, c: (1 - t**2) * (1 + c) / 2 - (1 - t),
)


@claim(
    "COL:C.4c",
    **charge(false="gap", follows="COL:C.4x/inference", costs="nothing"),
    repair=dict(averaged=True),
    control=dict(averaged=True, factor=Fraction(19, 10)),
    needs=("COL:C.4x/inference",),
    hypotheses=TWO_NEAR.hypotheses,
)
def orthogonal_part(*, averaged: bool = False, factor: int | Fraction = 2) -> Evidence:
    r"""Printed, for given tokens: refuted by two tokens at one height. On average the square is at
    most $\mathbb E\,g_2(2w)/g_0(w)^2$, where $\|x_i-x\|^2$ in $g_2$ is `factor` = 2 times $1-t_i$,
    for any number of independent uniform tokens. It is tried on the terms $\gamma_i^2(1-t_i^2)$.
    """
    if not averaged:
        return at_point(TWO_NEAR, r"\|\hat x-(x^\top\hat x)x\|^2\leq g_2(2w)/g_0(w)^2", n=2)
    g = sp.Symbol("gamma", positive=True)
    terms = forall(g**2 * (1 - t**2), "<=", g**2 * factor * (1 - t), {t: Closed(-1, 1), g: (0, 1)})
    return derivation("COL:C.4c", terms, factor=factor)


@claim("COL:C.4p", control=dict(quarter=5))
def largest_variance(*, quarter: int = 4) -> Evidence:
    r"""The variance of every law on $[a,b]$ is at most $(b-a)^2$ over `quarter` = 4, as $\mathbb
    E(Y-a)(b-Y)\geq0$, and that of $x^{\prime\top}x_i$ at the height $t$ is at most $1-t^2$, by
    Bessel's inequality. Laws on two points are tried.
    """
    p = sp.Symbol("p", nonnegative=True)
    a, b = sp.symbols("a b", real=True)
    everywhere = {p: Closed(0, 1), a: Closed(-1, 1), b: Closed(-1, 1)}
    variance = forall(p * (1 - p) * (a - b) ** 2, "<=", (a - b) ** 2 / quarter, everywhere)
    across = forall(
        p * (1 - p) * 4 * (1 - t**2), "<=", 4 * (1 - t**2) / quarter, {p: Closed(0, 1), t: Closed(-1, 1)}
    )
    return derivation("COL:C.4p", variance, across, quarter=quarter)


@claim("COL:C.4s", **TYPO, repair=dict(sign=1), control=dict(sign=2), hypotheses=("w > 0",))
def exponent_of_the_weights(*, sign: int = -1) -> Evidence:
    r"""For tokens on the circle the exponents $-w\|x_i-x\|^2$ of two tokens differ by what those of
    $2wx_i^\top x$ do, times -1 (printed). In every dimension they do so times `sign` = 1, up to the
    difference of the squared lengths, which are 1.
    """
    if sign > 0:
        letters = Algebra(vectors=["u", "v", "x"], params=["w"])
        u, v, x, w = (letters[name] for name in "uvxw")
        square = lambda y: y.T * y
        exponents = w * (square(v - x) - square(u - x) + square(u) - square(v))
        return trace_identity(exponents, sign * 2 * w * ((u - v).T * x))
    x, u, v = map(on_circle, "xuv")
    w = sp.Symbol("w", positive=True)
    return identity(-w * (u - x).dot(u - x) + w * (v - x).dot(v - x), sign * 2 * w * (u - v).dot(x))
