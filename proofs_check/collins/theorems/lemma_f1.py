"""Theorem 3.6 of Collins et al. with Lemma F.1: linear attention loses what of a task is even in
the query. The printed proof rests on an independence that ReLU tasks do not have.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.instances.window.relu_means import L, averaged, b, l_1, l_2

#: The modulus |w'x| at a point, and its mean over the sphere.
m, mu = sp.symbols("m mu", positive=True)


#: The mean of a ReLU task over the sphere, and the rest of it where w'x is -m or m.
MEAN = b + (l_1 + l_2) / 2 * mu
CENTRED = (l_1 + l_2) / 2 * (m - mu) + (l_1 - l_2) / 2 * m
#: The mean of |w'x| for d = 3, where w'x is uniform on [-1, 1].
IN_SPACE = {mu: sp.S.Half}


@claim("COL:T3.6", control=dict(share=2))
def odd_predictions(*, share: int = 3) -> Evidence:
    r"""The loss of linear attention on affine and on ReLU tasks is at least $L^2$ over `share` = 3,
    for any labels, tokens and matrix: the prediction is odd in the query $x$, so that the loss is
    at least the mean square of the even part $e=b+\frac{l_1+l_2}{2}|w^\top x|$ of the task. It is
    used that $x$ has the law of $-x$ given the rest, for which the loss is the same, that $\mathbb
    Eb^2=\frac{L^2}{3}$, and that $b$ is centred and independent of $e-b$. It is tried on the loss
    $\mathbb Ef(x)^2$ of $M=0$, with $\mathbb E(w^\top x)^2=\frac1d$, and for every odd value $P$
    and every odd part $o$, on the mean of $(P-o-e)^2$ and $(-P+o-e)^2$.
    """
    P = sp.Symbol("P", real=True)  # the prediction minus the odd part
    even = b + (l_1 + l_2) / 2 * m
    mean = averaged(((P - even) ** 2 + (-P - even) ** 2) / 2)
    relu = forall(mean, ">=", L**2 / share, {P: (-oo, oo), m: (0, oo), L: (0, oo)})
    plain = averaged(((P - b) ** 2 + (-P - b) ** 2) / 2)
    affine = forall(plain, ">=", L**2 / share, {P: (-oo, oo), L: (0, oo)})
    d = sp.Symbol("d", integer=True, positive=True)
    of_no_matrix = averaged((l_1 * m + b) ** 2).subs(
        m, 1 / sp.sqrt(d)
    )  # the same on both sides of a ReLU task
    at_zero = forall(of_no_matrix, ">=", L**2 / share, {L: (0, oo), d: Integers(1, oo)})
    return derivation("COL:T3.6", all_of(at_zero, affine), all_of(at_zero, relu), share=share)


@claim("COL:F.1p/affine", control=(dict(with_bias=True), dict(whole=2)))
def centred_affine_tasks(*, with_bias: bool = False, whole: int = 1) -> Evidence:
    r"""For affine tasks $\mathbb E_xf=b$; every function of it and every one of $l$ and $w$, which
    $f-b$ is (with the bias left in, `with_bias`: and of $b$), have the product of their means; the
    flip is $-l\,w^\top x+b$, and products of a function of $-l$ and one of $w$ and $b$ have the
    mean of that with $l$, so that the flip has the law of the task; all times `whole` = 1. It is
    used that $l$, $(w,b)$ and the point are independent, that $l$ and $-l$ have one law, and that
    the point is centred. It is tried with $b^2$ and $l_1^2s^2$.
    """
    s = sp.Symbol("s", real=True)
    rest = l_1 * s + (b if with_bias else 0)
    mean, apart_ = averaged(b**2 * rest**2), averaged(b**2) * averaged(rest**2)
    both = computed(r"\mathbb E(\mathbb E_xf)^2\overline f^2", mean)
    apart = identity(both, computed(r"\mathbb E(\mathbb E_xf)^2\,\mathbb E\overline f^2", whole * apart_))
    t = sp.Symbol("t", real=True)
    mean_of_task = sp.integrate(l_1 * t + b, (t, -1, 1)) / 2
    flip = identity(computed("2b-f", 2 * b - (l_1 * s + b)), -l_1 * s + whole * b)
    even = identity(
        computed(r"\mathbb E(-l)^2b^2", averaged((-l_1) ** 2 * b**2)), whole * averaged(l_1**2 * b**2)
    )
    of_x = identity(computed(r"\mathbb E_xf", mean_of_task), whole * b)
    return derivation("COL:F.1p/affine", of_x, apart, flip, even, with_bias=with_bias, whole=whole)


@claim(
    "COL:F.1p/relu",
    **charge(false="gap", costs="nothing"),
    needs=("COL:T3.6",),
    repair=dict(even_part=True),
    control=dict(even_part=True, share=3),
    hypotheses=("L > 0",),
)
def centred_relu_tasks(*, even_part: bool = False, share: int = 6) -> Evidence:
    r"""Printed, the mean of $\mathbb E_xf$ times $\overline f$ at $|w^\top x|=1$ is 0 beside the
    mean square of $\mathbb E_xf$, for $d=3$, where $\mu=\frac12$. With `even_part`: the loss of
    linear attention on ReLU tasks is at least $\frac{L^2}{3}+\frac{L^2}{6d}$, where `share` = 6, in
    every dimension, as in COL:T3.6 the mean square of the even part. It is tried on the mean square
    of $b+\frac{l_1+l_2}{2}m$.
    """
    if even_part:
        square = computed(r"\mathbb E(b+\tfrac{l_1+l_2}{2}m)^2", averaged((b + (l_1 + l_2) / 2 * m) ** 2))
        return derivation("COL:F.1p/relu", identity(square, L**2 / 3 + L**2 / share * m**2), share=share)
    both, square = (averaged(value).subs({m: 1, **IN_SPACE}) for value in (MEAN * CENTRED, MEAN**2))
    return identity(computed(r"\mathbb E[\mathbb E_xf\;\overline f]", both) + square, square)


@claim(
    "COL:F.1p/flip",
    **charge(false="gap", follows="COL:F.1p/relu", costs="nothing"),
    needs=("COL:F.1p/affine", "COL:T3.6"),
    repair=dict(affine=True),
    control=(dict(affine=True, offset=1), dict(affine=True, whole=2)),
    hypotheses=("L > 0",),
)
def the_flip(*, affine: bool = False, offset: int = 0, whole: int = 1) -> Evidence:
    r"""Printed, the flip $2\,\mathbb E_xf-f$ of a ReLU task has at $w^\top x=0$ the mean square of
    the task, for $d=3$. For affine tasks the flip $2b-(l\,w^\top x+b)$, with `offset` = 0 added to
    its factor of $b$, is the task of $-l$, and products of a function of $-l$ and one of $w$ and
    $b$ have the mean of that with $l$; both times `whole` = 1. It is tried with mean squares.
    """
    s = sp.Symbol("s", positive=True)
    if affine:
        flip = computed(r"\mathbb E(2\,\mathbb E_xf-f)^2", averaged(((2 + offset) * b - (l_1 * s + b)) ** 2))
        even = computed(r"\mathbb E(-l)^2b^2", averaged((-l_1) ** 2 * b**2))
        law = identity(even, whole * averaged(l_1**2 * b**2))
        same = identity(flip, whole * averaged((l_1 * s + b) ** 2))
        return derivation("COL:F.1p/flip", same, law, offset=offset, whole=whole)
    left = computed(r"\mathbb E(2\,\mathbb E_xf-f)^2", averaged((2 * MEAN - b) ** 2).subs(IN_SPACE))
    return identity(left, averaged(b**2))


@claim("COL:F.1.drop/affine", control=dict(square=2), needs=("COL:F.1p/affine",))
def without_the_mean(*, square: int | Fraction = 1) -> Evidence:
    r"""With $S=\sum_ix_i^\top Mx$, whose mean is 0 as the query is centred, the mean of
    $(A+b(S-1))^2$ is at least that of $(A-b)^2$ plus `square` = 1 times that of $b^2S^2$, hence
    that of $(A-b)^2$, for affine tasks, where $b=\mathbb E_xf$ is centred and independent of the
    rest. It is tried for $S=\pm s$.
    """
    A, s = sp.symbols("A s", real=True)
    mean = averaged(((A + b * (s - 1)) ** 2 + (A + b * (-s - 1)) ** 2) / 2)
    without, part = averaged((A - b) ** 2), averaged(b**2 * s**2)
    search = forall(without + square * part, "<=", mean, {A: (-oo, oo), s: (-oo, oo), L: (0, oo)})
    return derivation("COL:F.1.drop/affine", search, square=square)


@claim("COL:F.1.drop/relu", control=dict(square=2))
def without_a_dependent_mean(*, square: int | Fraction = 1) -> Evidence:
    r"""For ReLU tasks $b^\prime=\mathbb E_xf=b+\frac{l_1+l_2}{2}\mu$ is not independent of the
    centred task. The mean of $(A+b^\prime(S-1))^2$ is still at least that of $(A-b^\prime)^2$ plus
    `square` = 1 times that of $b^{\prime2}S^2$, where $A$ is the error of the centred task with its
    noise. It is used that $\mathbb E|u^\top y|$ is one number $\mu$ for all $y$ of the sphere, that
    the noise and the query are centred, and of $l_1,l_2,b$ that they are independent of the rest,
    with the mean square $\frac{L^2}{3}$ each, and products of the mean 0. It is tried for $S=\pm s$
    and a point at which $|w^\top y|$ is $\mu\pm\delta$, with $A=a+cS\overline f(y)$.
    """
    A, s, c, delta = sp.symbols("A s c delta", real=True)
    signs = tuple(product((1, -1), repeat=2))
    mean = lambda f: averaged(sum(f(T * s, CENTRED.subs(m, mu + size * delta)) for T, size in signs) / 4)
    whole = mean(lambda T, centred: (A + c * T * centred + MEAN * (T - 1)) ** 2)
    without = mean(lambda T, centred: (A + c * T * centred - MEAN) ** 2)
    part = mean(lambda T, centred: MEAN**2 * T**2)
    ranges = {**dict.fromkeys((A, s, c, delta), (-oo, oo)), mu: (0, oo), L: (0, oo)}
    return derivation(
        "COL:F.1.drop/relu", forall(without + square * part, "<=", whole, ranges), square=square
    )


@claim(
    "COL:F.1.var",
    **TYPO,
    repair=dict(modulus=True),
    control=dict(modulus=True, share=3),
    hypotheses=("L > 0",),
)
def mean_square_of_the_mean(*, modulus: bool = False, share: int = 6) -> Evidence:
    r"""The mean square of $\mathbb E_xf$ of ReLU tasks is $\frac{L^2}{3}$ (printed, for $d=3$), and
    with `modulus` $\frac{L^2}{3}$ and $L^2\mu^2$ over `share` = 6.
    """
    square, stated = averaged(MEAN**2), L**2 / 3
    if modulus:
        return identity(computed(r"\mathbb E(\mathbb E_xf)^2", square), stated + L**2 * mu**2 / share)
    return identity(computed(r"\mathbb E(\mathbb E_xf)^2", square.subs(IN_SPACE)), stated)


@claim("COL:T3.6.cmp", control=dict(power=-1), needs=("COL:T3.6", "COL:T3.5"))
def linear_above_softmax(*, power: int = 1) -> Evidence:
    r"""For $\Lambda=e^x\geq1$, every $d\geq1$ and the constant $C$ of Theorem 3.5, which depends on
    $d$, the upper bound $CL^2\Lambda^{-1/(d+2)}$ is at most $3C$ times the lower bound
    $\frac{L^2}{3}$; `power` = 1 is the sign of the exponent.
    """
    d, x = sp.Symbol("d", integer=True, positive=True), sp.Symbol("x", nonnegative=True)
    C = sp.Symbol("C", positive=True)
    everywhere = {d: Integers(1, oo), x: Closed(0, oo), C: (0, oo), L: (0, oo)}
    return forall(C * L**2 * sp.exp(-power * x / (d + 2)), "<=", 3 * C * (L**2 / 3), everywhere)
