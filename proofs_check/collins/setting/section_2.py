"""Section 2 of Collins et al.: attention as a kernel estimator, its window, and extreme cases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import oo

from numerics.evidence import Evidence
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.core.witnessed import definition
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge

w, s, t, c, h, v = sp.symbols("w s t c h v", positive=True)


@claim("COL:ATTN", control=dict(transposed=True))
def scores_of_the_layer(*, transposed: bool = False) -> Evidence:
    r"""The last entry of the output of the full matrices is the softmax average of the labels with
    the scores $x_i^\top Mx$, $M=M_K^\top M_Q$, or with the transpose if `transposed`, for every $d$
    and $n$; the score $(W_Kz_i)^\top(W_Qz)$ is tried in two dimensions.
    """
    M_K, M_Q = (sp.Matrix(2, 2, sp.symbols(f"{name}_1:5", real=True)) for name in "kq")
    x, z = (sp.Matrix(sp.symbols(f"{name}_1:3", real=True)) for name in "xz")
    y = sp.Symbol("y", real=True)
    full = lambda block: sp.diag(block, 0)
    keys, query = full(M_K) * sp.Matrix([*x, y]), full(M_Q) * sp.Matrix([*z, 0])
    M = M_K.T * M_Q
    score = computed(r"(W_Kz_i)^\top(W_Qz)", sp.expand(keys.dot(query)))
    search = identity(score, (x.T * (M.T if transposed else M) * z)[0])
    return derivation("COL:ATTN", search, transposed=transposed)


@claim(
    "COL:2.window",
    **TYPO,
    repair=dict(relative=True),
    control=dict(relative=True, factor=Fraction(1, 2)),
    hypotheses=("c > 0",),
)
def window_and_scale(*, relative: bool = False, factor: int | Fraction = 2) -> Evidence:
    r"""Printed, a score $s$ with $2s\geq c$ is at least $c$. With `relative`, from $2ws\leq c$,
    where 2 is `factor`, follows $ws\leq c$.
    """
    ranges = {s: (0, oo), c: (0, oo), w: (0, oo)}
    if not relative:
        return forall(s, ">=", c, {s: (0, oo), c: (0, oo)}, where=[(2 * s, ">=", c)])
    return forall(w * s, "<=", c, ranges, where=[(factor * w * s, "<=", c)])


@claim("COL:2.tradeoff", control=dict(sign=-1), needs=("COL:D.2",))
def bias_and_width(*, sign: int = 1) -> Evidence:
    r"""For any tokens and weights $\gamma$, and with $u_i=h\|x_i-x\|^2$, times `sign` = 1, in the
    exponent of a window that is narrower by $h>0$, $\sum_i\gamma_iu_i$ is at most its value before.
    It is tried for two tokens whose weights have the quotient $v$ and whose values of $u$ differ by
    $x$. This is the bias of the expected estimate. The whole signal term holds the variance of the
    tokens as well, and may rise again where few tokens are near.
    """
    x = sp.Symbol("x", positive=True)
    narrower = v * sp.exp(-sign * x)
    search = forall(narrower * x / (1 + narrower), "<=", v * x / (1 + v), {v: (0, oo), x: (0, 20)})
    return derivation("COL:2.tradeoff", search, sign=sign)


@claim("COL:NW", control=dict(power=2), needs=("COL:B.5",))
def kernel_of_the_estimator(*, power: int = 1) -> Evidence:
    r"""With $h=w^{-1}$, where the exponent is minus `power`, the kernel at the squared distance $s$
    is the weight $e^{-ws}$.
    """
    return identity(computed("K", sp.exp(-s / w ** sp.S(-power))), sp.exp(-w * s))


@claim("COL:R2.1.i", control=dict(half=Fraction(3, 5)))
def constant_tasks(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For a constant task the loss of every softmax is at least $\frac{\sigma^2}{n}$, that of
    equal weights, times 2 `half` = 1. Of the noise it is used that $\mathbb
    E(\sum_ib_i\epsilon_i)^2=\sigma^2\|b\|^2$ for all numbers $b$, given the tokens. It is tried for
    two weights of sum 1, whose sum of squares is at least `half` = 1/2, its value without a window.
    """
    g = sp.Symbol("gamma", nonnegative=True)
    search = forall(g**2 + (1 - g) ** 2, ">=", half, {g: Closed(0, 1)})
    even = identity(computed(r"\sum\gamma_i^2", 2 * sp.Rational(1, 2) ** 2), sp.Rational(half))
    return derivation("COL:R2.1.i", search, even, half=half)


@claim(
    "COL:R2.1.ii",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(noise=False),
    control=dict(noise=False, two=-2),
    hypotheses=("s > 0", "v > 0", "0 < h", "h < 1"),
)
def nearest_token_alone(*, noise: bool = True, two: int = 2) -> Evidence:
    """With the share $h$ on another token the error, `two` = 2 times $vh^2$ and the noise
    $s(h^2+(1-h)^2)$, is at least $s$, that of the nearest token alone; without noise $s$ is 0.
    """
    level = s if noise else 0
    return forall(
        two * v * h**2 + level * (h**2 + (1 - h) ** 2), ">=", level, {v: (0, oo), s: (0, oo), h: (0, 1)}
    )


@claim("COL:R2.2", control=dict(shift=1))
def linear_weights(*, shift: int = 0) -> Evidence:
    r"""The quotient of two weights of linear attention, of any signs, is the same for $cM$ and $M$,
    with `shift` = 0 added to the scores of $cM$.
    """
    a, b, c = sp.symbols("a b c", real=True)
    return identity(computed("cM", (c * a + shift) / (c * b + shift)), a / b)


@claim("COL:D3.1", control=dict(steepness=Fraction(1, 2)))
def lipschitzness(*, steepness: int | Fraction = 1) -> Evidence:
    r"""On the grid of whole numbers to 10 the modulus has the Lipschitzness `steepness` = 1, and
    the square has not.
    """
    x = np.arange(-10, 11)
    off = lambda f: max(abs(f(a) - f(b)) / abs(a - b) for a in x for b in x if a != b)
    meets = lambda f: off(f) == steepness
    return definition(
        meets,
        r"\sup\frac{f(x)-f(x^\prime)}{\|x-x^\prime\|}=L",
        inside={"modulus": (abs,)},
        outside={"square": (lambda a: a * a,)},
    )
