"""Section 2 of Collins et al.: attention as a kernel estimator, its window, and extreme cases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import oo

from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_window_loss
from numerics.evidence import Evidence
from numerics.provers import Closed, computed, forall, identity
from numerics.refutation import refuted_by_two_routes
from proofs_check.core.claim import claim
from proofs_check.core.witnessed import definition
from proofs_check.derivations.proofs import derivation
from theory.attention.window.classes import affine

w, s, t, c, h, v = sp.symbols("w s t c h v", positive=True)


@claim(
    "COL:ATTN",
    control=dict(transposed=True),
)
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
    false="typo",
    why=r"As it is defined the window grows with $M$: from $z^\top Mx\geq c$ follows $z^\top(2M)x\geq c$ for $c>0$, and more "
    r"points come in.",
    instead=r"The tokens whose weight is within a constant factor of the largest, $w\|z-x\|^2\leq c$: this set shrinks.",
    costs="nothing",
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


@claim(
    "COL:2.tradeoff",
    false="gap",
    why=r"Few tokens: the bias falls and rises again. For two tokens and $d=3$ it is $0.1375$ at $w=\frac{13}{10}$ and $0.1449$ "
    r"at $w=10$ ($L=1$).",
    instead=r"For long prompts the bias falls with $w$; for every $n\geq2$ it is least at a finite width, and the noise rises.",
    costs="nothing",
    repair=dict(long=True),
    control=dict(long=True, sign=-1),
    argument=r"The limit of the bias of affine tasks for $d=3$ is a multiple of the square of $1-\coth x+\frac1x$, $x=2w$.",
    hypotheses=("w >= 0",),
)
def bias_and_width(*, long: bool = False, sign: int = 1) -> Evidence:
    r"""Printed, the signal term of two tokens in $d=3$ at $w=10$ is at most that at
    $\frac{13}{10}$. For long prompts the derivative $\sinh^{-2}x-x^{-2}$, times `sign` = 1, is not
    positive.
    """
    if long:
        x = sp.Symbol("x", positive=True)
        sinh = (sp.exp(x) - sp.exp(-x)) / 2
        return forall(sign * (x**2 - sinh**2), "<=", 0, {x: (0, oo)})
    narrow, wide = (float(window_loss(affine(1), 3, 2, at).loss) for at in (10.0, 1.3))
    again = plain_window_loss(affine(1).spectrum(3), 2, 10.0)
    witness = {"d": 3, "n": 2, "w": 10, "signal": narrow, "signal at 1.3": wide}
    return refuted_by_two_routes("quadrature", witness, narrow, wide, again)


@claim("COL:NW", control=dict(power=2), needs=("COL:B.5",))
def kernel_of_the_estimator(*, power: int = 1) -> Evidence:
    r"""With $h=w^{-1}$, where the exponent is minus `power`, the kernel at the squared distance $s$
    is the weight $e^{-ws}$.
    """
    return identity(computed("K", sp.exp(-s / w ** sp.S(-power))), sp.exp(-w * s))


@claim(
    "COL:R2.1.i",
    control=dict(half=Fraction(3, 5)),
)
def constant_tasks(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For a constant task the loss of every softmax is at least $\frac{\sigma^2}{n}$, that of
    equal weights, times 2 `half` = 1. Of the noise it is used that
    $\mathbb E(\sum_ib_i\epsilon_i)^2=\sigma^2\|b\|^2$ for all numbers $b$, given the tokens. It is
    tried for two weights of sum 1, whose sum of squares is at least `half` = 1/2, its value without
    a window.
    """
    g = sp.Symbol("gamma", nonnegative=True)
    search = forall(g**2 + (1 - g) ** 2, ">=", half, {g: Closed(0, 1)})
    even = identity(computed(r"\sum\gamma_i^2", 2 * sp.Rational(1, 2) ** 2), sp.Rational(half))
    return derivation("COL:R2.1.i", search, even, half=half)


@claim(
    "COL:R2.1.ii",
    false="gap",
    why=r"With noise it is never best: taking the share $h$ from the nearest token changes its error by $-2\sigma^2h$ and terms "
    r"in $h^2$.",
    instead=r"Without noise.",
    details=r"With noise some weight on other tokens is always better: with another token of an independent label of variance "
    r"$v$ the error is $2vh^2+\sigma^2(h^2+(1-h)^2)$.",
    costs="a hypothesis",
    repair=dict(noise=False),
    control=dict(noise=False, two=-2),
    hypotheses=("s > 0", "v > 0", "0 < h", "h < 1"),
)
def nearest_token_alone(*, noise: bool = True, two: int = 2) -> Evidence:
    r"""With the share $h$ on another token the error, `two` = 2 times $vh^2$ and the noise
    $s(h^2+(1-h)^2)$, is at least $s$, that of the nearest token alone; without noise $s$ is 0.
    """
    level = s if noise else 0
    return forall(two * v * h**2 + level * (h**2 + (1 - h) ** 2), ">=", level, {v: (0, oo), s: (0, oo), h: (0, 1)})


@claim("COL:R2.2", control=dict(shift=1))
def linear_weights(*, shift: int = 0) -> Evidence:
    r"""The quotient of two weights of linear attention is the same for $cM$ and $M$, with `shift` =
    0 added to the scores of $cM$.
    """
    a, b = sp.symbols("a b", positive=True)
    return identity(computed("cM", (c * a + shift) / (c * b + shift)), a / b)


@claim(
    "COL:D3.1",
    control=dict(steepness=Fraction(1, 2)),
)
def lipschitzness(*, steepness: int | Fraction = 1) -> Evidence:
    r"""On the grid of whole numbers to 10 the modulus has the Lipschitzness `steepness` = 1, and
    the square has not.
    """
    x = np.arange(-10, 11)
    off = lambda f: max(abs(f(a) - f(b)) / abs(a - b) for a in x for b in x if a != b)
    meets = lambda f: off(f) == steepness
    return definition(
        meets, r"\sup\frac{f(x)-f(x^\prime)}{\|x-x^\prime\|}=L", inside={"modulus": (abs,)}, outside={"square": (lambda a: a * a,)}
    )
