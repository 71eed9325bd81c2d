"""Lemma C.9 of Collins et al.: ReLU tasks lose at least half of what affine tasks lose. An identity
shows it, and what is printed of the proof has the roots of the terms left out.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.instances.window.relu_means import L, averaged, b, l_1, l_2

gamma = sp.Symbol("gamma", positive=True)


A, E = sp.symbols("L_aff E", nonnegative=True)


@claim("COL:C.9", control=dict(half=Fraction(3, 5)))
def relu_tasks_lose_half(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The signal term of ReLU tasks, which is $\frac12\mathcal L_{\rm aff}+\frac{L^2}{6}E$ with a
    mean square $E$, is at least `half` = 1/2 times $\mathcal L_{\rm aff}$, for any tokens and
    weights. Of $l_1,l_2,b$ it is used that they are independent of the rest, have the mean square
    $\frac{L^2}{3}$ each, and products of the mean 0. It is tried on one token opposite to the
    query, with $w^\top x=m$, and on the sum for all $\mathcal L_{\rm aff},E\geq0$.
    """
    m = sp.Symbol("m", positive=True)
    opposite = forall(
        averaged((l_2 * m - l_1 * m) ** 2), ">=", half * averaged((2 * l_1 * m) ** 2), {m: (0, 1), L: (0, oo)}
    )
    whole = forall(A / 2 + L**2 / 6 * E, ">=", half * A, {A: Closed(0, oo), E: Closed(0, oo), L: (0, oo)})
    return derivation("COL:C.9", all_of(opposite, whole), half=half)


@claim("COL:C.9s", control=(dict(other=2), dict(whole=2)))
def other_side(*, other: int = 1, whole: int = 1) -> Evidence:
    r"""The slope of the companion, $l_1$ or $-l_2$ by the side of the query, has the law of $l$:
    every function of it has the same mean, times `whole` = 1, given $w$ and $b$. The mean squares
    of $\sum_{i\in A}\gamma_if(x_i)$ for the task and, times `other` = 1, for its companion are
    equal for any tokens. It is used that $l$ and $-l$ have one law, and that $l_1,l_2,b$ have the
    mean square $\frac{L^2}{3}$ each, and products of the mean 0. The mean squares are tried for two
    tokens on the other side.
    """
    m, k = sp.symbols("m_1 m_2", positive=True)
    mean = lambda slope: averaged((gamma * (slope * m + b) + (1 - gamma) * (slope * k + b)) ** 2)
    task = computed(r"\mathbb E(\sum_A\gamma f)^2", mean(l_2))
    companion = computed(r"\mathbb E(\sum_A\gamma f_{x,\rm aff})^2", mean(-l_1))
    slope = identity(computed(r"\mathbb E(-l_2)^4", averaged(l_2**4)), whole * averaged(l_1**4))
    return derivation("COL:C.9s", slope, identity(task, other * companion), other=other, whole=whole)


@claim(
    "COL:C.9p/independent",
    **charge(false="gap", costs="nothing"),
    hypotheses=("L > 0",),
    repair=dict(bias=False),
    control=(dict(bias=False, same=True), dict(bias=False, whole=2)),
)
def values_on_both_sides(*, bias: bool = True, same: bool = False, whole: int = 1) -> Evidence:
    r"""The mean of $f(x_i)f_{x,\rm aff}(x_j)$ for $i$ on the other side is 0, with the bias
    (printed) or without it; with `same` both have the same slope. The mean of $f(x_i)^2$ stands
    beside it, so that the equation has terms. Without the bias, given $w$, for $w^\top x\geq0$:
    $f$ is a number times $l_2$ on the other side, and $f_{x,\rm aff}$ one times $l_1$; and every
    function of $l_2$ and every function of $l_1$ have the product of their means; all times `whole`
    = 1. This is tried on one point of each side.
    """
    m, s = sp.symbols("m s", positive=True)
    shift = b if bias else 0
    both = averaged((l_2 * m + shift) * ((l_2 if same else l_1) * s + shift))
    square = averaged((l_2 * m + shift) ** 2)
    product = identity(computed(r"\mathbb E f(x_i)f_{x,\rm aff}(x_j)", both) + square, whole * square)
    if bias:
        return product
    there = identity(computed("f(x_i)-b", (l_2 * m + b) - b), whole * l_2 * m)
    here = identity(computed(r"f_{x,\rm aff}(x_j)-b", (l_1 * s + b) - b), whole * l_1 * s)
    return derivation("COL:C.9p/independent", there, here, product, same=same, whole=whole)


@claim(
    "COL:C.9p/least",
    **TYPO,
    hypotheses=("a > 0", "L_aff > 0"),
    repair=dict(roots=True),
    control=dict(roots=True, half=Fraction(11, 20)),
)
def least_value(*, roots: bool = False, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""What is printed for the lower bound, as a function of $a$ and $\mathcal L_{\rm aff}$ (with
    `roots`: of their roots), is at least `half` = 1/2 times $\mathcal L_{\rm aff}$.
    """
    a, whole = sp.symbols("a L_aff", positive=True)
    if roots:  # in the roots of both, which are positive as they are
        return forall((whole - a) ** 2 + a**2, ">=", half * whole**2, {a: (0, oo), whole: (0, oo)})
    return forall((whole - a) ** 2 + a**2, ">=", half * whole, {a: (0, oo), whole: (0, oo)})
