"""Lemmas C.2 and C.3 of Collins et al.: what the signal term is, how large it can be, and the
affine tasks.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO
from theory.symbolic.algebra import Algebra

L, sigma = sp.symbols("L sigma", positive=True)
gamma = sp.Symbol("gamma", positive=True)
f_1, f_2, f_query = sp.symbols("f_1 f_2 f_query", real=True)


@claim(
    "COL:C.disp",
    **TYPO,
    repair=dict(at_query=True),
    control=dict(share=2),
    hypotheses=("0 < gamma", "gamma < 1"),
)
def what_is_compared(*, at_query: bool = False, share: int = 1) -> Evidence:
    r"""The loss of a prediction from two noisy labels, averaged over their signs, is the noise
    $\sigma^2\sum\gamma_i^2$ and the square of the value at the query (printed: at a token,
    `at_query` = False) minus `share` = 1 times the weighted average. At the query it is derived for
    any number of tokens, and weights that depend on them alone: the loss is the mean of that square
    and that of $(\sum_i\gamma_i\epsilon_i)^2$, for noise of the mean 0 given the rest.
    """
    signs = product((1, -1), repeat=2)
    mean = (
        sum((gamma * (f_1 + s * sigma) + (1 - gamma) * (f_2 + t * sigma) - f_query) ** 2 for s, t in signs)
        / 4
    )
    value = f_query if at_query else f_1
    left = mean - sigma**2 * (gamma**2 + (1 - gamma) ** 2)
    found = identity(left, (value - share * (gamma * f_1 + (1 - gamma) * f_2)) ** 2)
    return derivation("COL:C.disp", found, share=share) if at_query else found


@claim("COL:C.2", control=dict(c=3))
def signal_is_bounded(*, c: int = 4) -> Evidence:
    r"""The signal term is at most `c` = 4 times $L^2$ for any weights of attention, derived from
    $\|x_i-x\|\leq2$ on the sphere and the convexity of the square; it is tried on convex
    combinations of two differences of size at most $2L$.
    """
    theta, tau = sp.symbols("theta tau", real=True)
    weight = sp.Symbol("weight", nonnegative=True)
    error = weight * 2 * L * theta + (1 - weight) * 2 * L * tau
    ranges = {weight: Closed(0, 1), theta: Closed(-1, 1), tau: Closed(-1, 1), L: (0, oo)}
    return derivation("COL:C.2", forall(error**2, "<=", c * L**2, ranges), c=c)


@cache
def second_moment(d: int) -> tuple[sp.Expr, sp.Expr]:
    """The average of (w'x)(w'y) over all signed permutations of the coordinates of w, over the
    square of w, and x'y/d.
    """
    w, x, y = (sp.symbols(f"{name}_1:{d + 1}", real=True) for name in "wxy")
    orbit = [
        [s * e for s, e in zip(signs, order)]
        for order in permutations(w)
        for signs in product((1, -1), repeat=d)
    ]
    dot = lambda a, b: sum(p * q for p, q in zip(a, b))
    return sp.expand(sp.Add(*(dot(g, x) * dot(g, y) for g in orbit)) / len(orbit)) / dot(w, w), dot(x, y) / d


def turned_task(stretch: int) -> tuple[Evidence, Evidence]:
    """For a rotation Q of the plane w'Qx is `stretch` times (Q'w)'x, and Q'w is as long as w, times
    its square.
    """
    a, b = sp.symbols("a b", positive=True)
    Q = sp.Matrix([[a, -b], [b, a]]) / sp.sqrt(a**2 + b**2)
    w, x = (sp.Matrix(sp.symbols(f"{name}_1:3", real=True)) for name in "wx")
    turned = Q.T * w
    return identity(w.dot(Q * x), stretch * turned.dot(x)), identity(
        turned.dot(turned), stretch**2 * w.dot(w)
    )


@claim("COL:C.3", control=(dict(constant=2), dict(slope=2), dict(rising=-1), dict(stretch=2)))
def correlation_of_affine_tasks(
    *, constant: int = 3, slope: int = 3, rising: int = 1, stretch: int = 1
) -> Evidence:
    r"""The mean of $f(x)f(y)$ is $L^2$ over `constant` = 3 plus $L^2x^\top y/d$ over `slope` = 3
    for every $d$, which increases with $x^\top y$ times `rising` = 1; and for an orthogonal $Q$ the
    task $f(Qx)$ has the direction $Q^\top w$, times `stretch` = 1, which is as long as $w$. Of the
    uniform direction it is used that its coordinates are uncorrelated and of one mean square, and
    of the slope and the offset their mean squares, which are computed. It is tried with the means
    over the signed permutations of $w$.
    """
    t = sp.Symbol("t", real=True)
    square = sp.integrate(t**2, (t, -L, L)) / (2 * L)  # of a uniform variable on [-L, L]
    parts = []
    for d in (2, 3, 4):
        mean, dot = second_moment(d)
        parts.append(identity(square * mean + square, L**2 / constant + L**2 / slope * dot))
    value = all_of(*parts).replace(dimension="d = 2, 3, 4")
    t, s = sp.symbols("t s", positive=True)
    more = forall(
        L**2 * rising * t / slope, "<", L**2 * rising * (t + s) / slope, dict.fromkeys((t, s, L), (0, oo))
    )
    return derivation(
        "COL:C.3",
        value,
        more,
        *turned_task(stretch),
        constant=constant,
        slope=slope,
        rising=rising,
        stretch=stretch,
    )


@claim(
    "COL:C.3.1",
    **TYPO,
    repair=dict(with_slope=True),
    control=dict(with_slope=True, shift=1),
    hypotheses=("-1 <= l", "l <= 1"),
)
def difference_of_values(*, with_slope: bool = False, shift: int = 0) -> Evidence:
    r"""Two values of $l\,w^\top x+b$ on the line differ by $w(x-y)$ (printed). With `with_slope` in
    every dimension by $l\,w^\top(x-y)$, plus `shift` = 0 times $b$.
    """
    if with_slope:
        letters = Algebra(vectors=["w", "x", "y"], params=["slope", "b"])
        w, x, y, l, b = (letters[name] for name in ("w", "x", "y", "slope", "b"))
        return trace_identity((l * (w.T * x) + b) - (l * (w.T * y) + b), l * (w.T * (x - y)) + shift * b)
    l, w, b, x, y = sp.symbols("l w b x y", real=True)
    return identity((l * w * x + b) - (l * w * y + b), w * (x - y))
