"""R8: the signal term of ReLU tasks is that of affine tasks, halved, and one of the modulus; and
the signal term of affine tasks is never below its limit for long prompts; and two tokens have a
finite best width, however little noise there is.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity, integral_evidence
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.window.along_lengths import at_most, only_noise
from proofs_check.instances.window.relu_means import L, averaged, b, l_1, l_2

gamma = sp.Symbol("gamma", positive=True)


def error(task: Callable[[sp.Expr, sp.Expr], sp.Expr]) -> sp.Expr:
    """The mean square error of two weighted tokens for a task of s = u'x and |s|."""
    s, m = sp.symbols("s_0:3", real=True), sp.symbols("m_0:3", real=True)
    values = [task(x, y) for x, y in zip(s, m)]
    return averaged((gamma * values[1] + (1 - gamma) * values[2] - values[0]) ** 2)


@claim("OURS:R8.relu", control=dict(half=Fraction(3, 5)))
def relu_beside_affine(*, half: int | Fraction = Fraction(1, 2)) -> Evidence:
    r"""The ReLU loss is `half` = 1/2 times the affine one plus $\frac{L^2}{6}$ times that of
    $|u\cdot x|$, derived for any covariates and weights and every $n$. Of $l_1,l_2,b$ it is used
    that they are independent of the rest, have the mean square $\frac{L^2}{3}$ each, and products
    of the mean 0. It is tried for two tokens and all $s$ and $m=|s|$, with the task
    $\frac{l_1-l_2}{2}s+\frac{l_1+l_2}{2}m+b$.
    """
    relu = error(lambda s, m: (l_1 - l_2) / 2 * s + (l_1 + l_2) / 2 * m + b)
    affine, modulus = error(lambda s, m: l_1 * s + b), error(lambda s, m: m)
    search = identity(
        computed(r"\mathcal L(\mathcal F_L^+)", relu), sp.Rational(half) * affine + L**2 / 6 * modulus
    )
    return derivation("OURS:R8.relu", search, half=half)


@claim(
    "OURS:R8.below",
    control=(dict(tilted=Fraction(3, 4)), dict(steepness=Fraction(11, 10))),
    cites=(
        r"Mardia and Jupp: the mean height of a token under the weights $e^{\kappa t}$ is "
        r"$I_{d/2}(\kappa)/I_{d/2-1}(\kappa)$",
    ),
)
def signal_from_below(*, tilted: int | Fraction = 1, steepness: int | Fraction = 1) -> Evidence:
    r"""The signal term is at least $\frac{L^2}{3d}$ times the square of $1-A_d(2w)$, over `tilted`
    = 1, where $A_d(2w)$ is the mean height $t$ of a token under its weight $W=e^{-2w(1-t)}$, and
    this is at least $\frac{d-1}{d-1+4w}$, times `steepness` = 1. Of independent uniform tokens the
    derivation uses that a weight is independent of the sum of the others, and that the mean of a
    Laplacian on the sphere is 0, which is cited: $(d-1)\mathbb E[Wt]=2w\,\mathbb E[W(1-t^2)]$, and
    gives the second bound without Amos's; of the tasks that $\mathbb El^2=\mathbb
    Eb^2=\frac{L^2}{3}$ and $\mathbb Elb=0$, and that the coordinates of the direction are
    uncorrelated and of one mean square. It is tried for
    two tokens at the distances $0$ or $D$, with weights $1$ and $v\leq1$, and on Amos's bound with
    $x=\kappa/a$, which is at most $\frac{x}{x+1}$. What is integrated by parts, the derivative of
    the logarithm of $(1-t^2)^{(d-1)/2}e^{2wt}$, is computed.
    """
    p, v, x = sp.Symbol("p", positive=True), sp.Symbol("v", positive=True), sp.Symbol("x", positive=True)
    far = (1 - p) ** 2 + 2 * p * (1 - p) * v / (1 + v)
    under_tilt = (1 - p) * v / (p + (1 - p) * v)
    average = forall(far * tilted, ">=", under_tilt, {p: (0, 1), v: Closed(Fraction(1, 10**6), 1)})
    amos = forall((sp.sqrt(1 + x**2) - 1) / x * steepness, "<=", x / (x + 1), {x: (0, oo)})
    t, d, w = sp.Symbol("t", real=True), sp.Symbol("d", positive=True), sp.Symbol("w", positive=True)
    slope = sp.diff((d - 1) / 2 * sp.log(1 - t**2) + 2 * w * t, t)
    left = computed(r"(1-t^2)\,\partial_t", sp.expand(sp.cancel((1 - t**2) * slope)))
    by_parts = identity(left, 2 * w * (1 - t**2) - (d - 1) * t)
    return all_of(derivation("OURS:R8.below", average, amos, tilted=tilted, steepness=steepness), by_parts)


@claim("OURS:R8.above", control=(dict(constant=4), dict(power=Fraction(1, 2))))
def noise_from_above(*, constant: int = 36, power: int | Fraction = 1) -> Evidence:
    r"""For $d=3$ and $w\geq\frac14$ the mean of $\sum_i\gamma_i^2$ is at most `constant` = 36 times
    $\frac{w^p}{n}$, where $p$ is `power` = 1, derived for every $n\geq1$. Of the heights $t$ of
    uniform tokens it is used that $\mathbb Ee^{\kappa t}=\frac{\sinh\kappa}\kappa$, as they are
    uniform on $[-1,1]$, which is cited. It is tried for up to a million tokens and $w\leq1000$.
    """
    search = at_most(
        only_noise,
        lambda d, tokens, w: constant * w ** float(power) / tokens,
        dimensions=(3,),
        lengths=(1, 2, 10, 1000, 10**6),
        widths=lambda d, tokens: np.geomspace(0.25, 1000.0, 8),
        noise=1.0,
        checked=rf"\mathbb E\sum_i\gamma_i^2\leq{constant}\,w^{{{power}}}/n",
    )
    return derivation("OURS:R8.above", search, constant=constant, power=power)


D = sp.Symbol("D", positive=True)


def two_tokens(w: int | sp.Expr) -> sp.Expr:
    """The integrand over the difference D of two heights of 2 minus 9/L^2 times the signal of
    affine tasks with two tokens, d = 3.
    """
    falls = sp.exp(-2 * w * D)
    tanh = (1 - falls) / (1 + falls)
    product_of_heights = ((2 - D) ** 2 / 3 - D**2) / 4
    return (2 - D) / 2 * (D * tanh + (1 - tanh**2) / 2 * (1 - product_of_heights))


@claim("OURS:R8.two", control=(dict(widest=1), dict(best=0)))
def best_width_of_two_tokens(*, best: int | Fraction = Fraction(13, 10), widest: int = 16) -> Evidence:
    r"""The in-context loss of affine tasks at the width `best` = 13/10 is below that at every width
    of at least `widest` = 16, derived for two independent uniform tokens of the sphere, $d=3$,
    $L>0$ and every $\sigma\geq0$. The heights of tokens over the query are uniform on $[-1,1]$,
    which is cited; the mean of $\frac{W}{(W+c)^2}$ times a token is on the line of the query. It is
    tried without noise at the width of the range that is nearest to `best`.
    """
    near = max(sp.sympify(best), widest)
    gap = two_tokens(sp.sympify(best)) - two_tokens(near)
    return derivation("OURS:R8.two", integral_evidence(gap, D, (0, 2), ">", 0), best=best, widest=widest)
