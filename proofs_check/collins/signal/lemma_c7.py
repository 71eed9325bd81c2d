"""Lemma C.7 of Collins et al.: the ReLU tasks have a correlation that increases with the inner
product. It is elementary; the proof as printed has the monotonicity of two of its parts reversed.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence
from numerics.provers import Closed, computed, forall, identity
from proofs_check.collins.signal.lemma_c2_c3 import turned_task
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge

L = sp.Symbol("L", positive=True)
d = sp.Symbol("d", integer=True, positive=True)
angle, phi, closer = sp.symbols("theta phi closer", positive=True)
#: Between two points at this angle, d/L^2 times the mean of L^2 (w'x)(w'y) over one side.
ONE_SIDE = (sp.sin(angle) + (sp.pi - angle) * sp.cos(angle)) / sp.pi


@claim(
    "COL:C.7",
    control=(dict(constant=2), dict(steep=sp.Rational(9, 10)), dict(rising=-1), dict(stretch=2)),
)
def relu_tasks_meet_the_assumption(
    *, steep: sp.Rational = sp.S.One, constant: int = 3, rising: int = 1, stretch: int = 1
) -> Evidence:
    r"""For every $d\geq2$: the values of a task differ by at most `steep` = 1 times $L\|x-y\|$. The
    mean of $f(x)f(y)$ is $\frac{L^2}{3}+\frac{L^2}{6}\mathbb E\max(0,(1+s)u_1^2-(1-s)u_2^2)$ for
    $x^\top y=s$ and two coordinates of the direction (3 is `constant`), and increases strictly
    with $s$, times `rising` = 1. For an orthogonal $Q$ the task $f(Qx)$ is that of $Q^\top u$,
    times `stretch` = 1, which is as long as $u$. It is tried with the mean at the angle $\theta$,
    for a direction that meets the plane of $x$ and $y$ in a uniform angle, its derivative, and
    rotations.
    """
    arc = sp.integrate(sp.cos(phi) * sp.cos(phi - angle), (phi, angle - sp.pi / 2, sp.pi / 2))
    # Twice, for the points may both lie on the other side; (2/d)/(2 pi) for the length and the
    # angle.
    mean = computed(r"\mathbb E f(x)f(y)", L**2 / 3 + L**2 / 3 * 2 * arc * 2 / d / (2 * sp.pi))
    value = identity(mean, L**2 / constant + L**2 / (3 * d) * ONE_SIDE)
    fall = -sp.diff(ONE_SIDE, angle).subs(angle, sp.pi * closer)
    rise = forall(rising * fall, ">", 0, {closer: (0, 1)})
    p, q, l, k = sp.symbols("p q l_1 l_2", real=True)
    task = lambda s: l * sp.Max(s, 0) + k * sp.Max(-s, 0)
    ranges = {p: Closed(-1, 1), q: Closed(-1, 1), l: Closed(-1, 1), k: Closed(-1, 1)}
    apart = forall((task(p) - task(q)) ** 2, "<=", steep**2 * (p - q) ** 2, ranges)
    searches = (apart, value, rise, *turned_task(stretch))
    numbers = dict(steep=Fraction(steep), constant=constant, rising=rising, stretch=stretch)
    return derivation("COL:C.7", *searches, **numbers)


@claim(
    "COL:C.7p/third",
    **TYPO,
    hypotheses=("L > 0",),
    repair=dict(share=3),
    control=dict(share=2),
)
def second_moment_of_the_slope(*, share: int = 1) -> Evidence:
    r"""At $x=y$ the mean of $f(x)^2$ is $\frac{L^2}{3}$ and $\frac{L^2}{d}$ over `share` (printed:
    1), where 3 is derived in every dimension; it is tried with $\mathbb E(u^\top x)^2=\frac1d$.
    """
    l = sp.Symbol("l", real=True)
    square = sp.integrate(l**2, (l, -L, L)) / (2 * L)
    found = identity(computed(r"\mathbb E f(x)^2", square + square / d), L**2 / 3 + L**2 / share / d)
    return found if share == 1 else derivation("COL:C.7p/third", found, share=share)


share = sp.Symbol("share", positive=True)


@claim(
    "COL:C.7p/increasing",
    **TYPO,
    hypotheses=("0 < share", "share < 1", "0 < closer", "closer < 1"),
    repair=dict(one_side=True),
    control=dict(one_side=True, more=-1),
)
def probability_of_one_side(*, one_side: bool = False, more: int = 1) -> Evidence:
    r"""From the angle $\pi s$ to a smaller one, which has the larger inner product, what is called
    increasing, $2s$ (with `one_side`: $1-s$), does not fall; `more` = 1 is the direction.
    """
    value = (lambda share: 1 - share) if one_side else (lambda share: 2 * share)
    return forall(more * value(share * closer), ">=", more * value(share), {share: (0, 1), closer: (0, 1)})


@claim(
    "COL:C.7p/product",
    **TYPO,
    hypotheses=("f > 0", "g > 0"),
    repair=dict(direction=1),
    control=dict(direction=1, part=-1),
)
def product_of_increasing_functions(*, direction: int = -1, part: int = 1) -> Evidence:
    r"""For positive values and slopes, $f^\prime g$ plus `part` = 1 times $fg^\prime$ has the sign
    `direction` (printed: -1).
    """
    f, g, df, dg = sp.symbols("f g f' g'", positive=True)
    return forall(direction * (df * g + part * f * dg), ">=", 0, dict.fromkeys((f, g, df, dg), (0, oo)))


theta = sp.Symbol("theta", real=True)


@claim(
    "COL:C.7.xi/uniform",
    **charge(false="gap", costs="nothing"),
    hypotheses=("-1 <= theta", "theta <= 1"),
    repair=dict(each_alone=True),
    control=dict(each_alone=True, length=2),
)
def pairs_at_one_angle(*, each_alone: bool = False, length: int = 1) -> Evidence:
    r"""Printed (`each_alone` = False), the mean square of the inner product of the two points, for
    orthonormal $x,y$ in the plane, is that of independent uniform ones, $\frac12$. With
    `each_alone`, in every dimension, each point has the length `length` = 1, their inner product is
    $\theta$, and rotations keep the law of the two points, by its moment generating function, as
    they keep that of $x,y$, which is used. It is tried in the plane.
    """
    x, y = sp.Matrix([1, 0]), sp.Matrix([0, 1])
    a, b = sp.sqrt((1 + theta) / 2), sp.sqrt((1 - theta) / 2)
    first, second = a * x + b * y, a * x - b * y
    if not each_alone:
        return identity(first.dot(second) ** 2, sp.Rational(1, 2))
    squares = ((r"\|x_\theta\|^2", first), (r"\|y_\theta\|^2", second))
    lengths = (identity(computed(name, point.dot(point)), length) for name, point in squares)
    inner = identity(computed(r"x_\theta^\top y_\theta", first.dot(second)), theta * length)
    turn = sp.Matrix([[sp.cos(phi), -sp.sin(phi)], [sp.sin(phi), sp.cos(phi)]])
    image = computed(r"(Qx_\theta)_1", (turn * first)[0])
    turned = identity(image, length * (a * (turn * x)[0] + b * (turn * y)[0]))
    return derivation("COL:C.7.xi/uniform", *lengths, inner, turned, length=length)


@claim(
    "COL:C.7.xi/decreasing",
    **TYPO,
    hypotheses=("0 < closer", "closer < 1"),
    repair=dict(direction=1),
    control=dict(direction=1, part=-1),
    needs=("COL:C.7",),
)
def direction_of_the_mean(*, direction: int = -1, part: int = 1) -> Evidence:
    r"""Minus the derivative in the angle $\pi c$ of the mean of $f(x_\theta)f(y_\theta)$, which is
    that in the inner product times a sine, has the sign `direction` (printed: -1); `part` = 1 goes
    with it.
    """
    fall = -sp.diff(ONE_SIDE, angle).subs(angle, sp.pi * closer)
    return forall(direction * part * fall, ">=", 0, {closer: (0, 1)})
