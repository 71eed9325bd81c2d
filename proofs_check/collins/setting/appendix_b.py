"""Appendix B of Collins et al.: the classes, the reductions to one width, and the parts of the
loss.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.core.witnessed import definition, fails_at
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.instances.window.circle import on_circle
from proofs_check.instances.window.relu_means import averaged, l_1, l_2
from theory.attention.window.classes import TaskClass, affine, cosine, relu
from theory.symbolic.algebra import Algebra

w, s, t, r = sp.symbols("w s t r", positive=True)
A, B, C = sp.symbols("A B C", real=True)
L = sp.Symbol("L", positive=True)


@claim(
    "COL:class-defs",
    **charge(false="gap", costs="nothing"),
    repair=dict(on_the_sphere=True),
    control=dict(on_the_sphere=True, most=Fraction(9, 10)),
    hypotheses=("l <= L", "w > 0"),
)
def lipschitz_constants(*, on_the_sphere: bool = False, most: int | Fraction = 1) -> Evidence:
    r"""The slope $l\|w\|$ of an affine task with $l\leq L$ is at most `most` = 1 times $L$, for all
    $w$ (printed) or for $\|w\|=1$.
    """
    l = sp.Symbol("l", positive=True)
    if on_the_sphere:  # the slope is a share t of L
        return forall(t * L, "<=", most * L, {t: (0, 1), L: (0, oo)})
    return forall(l * w, "<=", most * L, {l: (0, oo), L: (0, oo), w: (0, oo)}, where=[(l, "<=", L)])


@claim(
    "COL:A3.3",
    **TYPO,
    repair=dict(whitened=True),
    control=dict(whitened=True, square=2),
    hypotheses=("s > 0",),
)
def length_of_a_token(*, whitened: bool = False, square: int = 1) -> Evidence:
    r"""For $\Sigma$ with the eigenvalues $s^2$ and 1 and $\tilde x$ on the circle, the squared
    length of $x$ is 1 (printed). In every dimension that of $\Sigma^{-1/2}x$ is `square` = 1 times
    $\|\tilde x\|^2$, which is 1.
    """
    if whitened:
        letters = Algebra(symmetric=["R", "S"], vectors=["u"], inverse=[("R", "S")])  # R = Sigma^{1/2}
        white = letters["S"] * letters["R"] * letters["u"]
        return trace_identity(white.T * white, square * (letters["u"].T * letters["u"]))
    p = sp.Symbol("p", real=True)
    point = sp.Matrix([s * (1 - p**2), 2 * p]) / (1 + p**2)
    return identity(computed(r"\|x\|^2", point.dot(point)), square)


@claim(
    "COL:B.1",
    **charge(false="edge", at="rows of W_V that the loss does not read", costs="nothing"),
    repair=dict(rows=False),
    control=(dict(rows=False, half=Fraction(1, 3)), dict(rows=False, least=2)),
    hypotheses=("difference == 0",),
)
def without_the_covariates(*, rows: bool = True, half: Fraction = Fraction(1, 2), least: int = 1) -> Evidence:
    r"""Printed (`rows` = True), for $d=1$: with $a\neq0$ in the upper left corner of $W_V$ the last
    entry of the output is another one than with 0.

    For the last row: `half` = 1/2 times the mean of the squares of $A+B+C$ and $-A+B-C$ is that of
    $A+C$ plus that of $B=\sum_jv_j\beta_j$, hence at least the first. If $f$ and $-f$ are equally
    likely, and the noise is symmetric too, the loss at every $v$ is the same for $-A+B-C$. This is
    used: then that mean is the loss at $v$, which exceeds the loss at $v=0$ by $\mathbb EB^2$. And
    for independent uniform tokens, any $\Sigma$ and all scores of at most $\kappa$, $\mathbb EB^2$
    is at least `least` = 1 times $e^{-4\kappa}\frac{\|\Sigma^{1/2}v\|^2}{nd}$, which is positive
    unless $v=0$. The squares themselves are tried, and the bound for two tokens $\pm1$, where
    $\mathbb EB^2$ is $\frac{v^2}{2}(1+\tanh^2\kappa)$ for the scores $\pm\kappa$.
    """
    if rows:
        corner, b, v, c, x, y = sp.symbols("a b v c x y", real=True)
        last = sp.Matrix([[corner, b], [v, c]]) * sp.Matrix([x, y])
        unread = sp.expand(last[1] - last[1].subs(corner, 0))
        return fails_at({"d": 1, "a": 1, "difference": unread}, sp.S.One, r"a=0", equality=True)
    both, whole = half * ((A + B + C) ** 2 + (-A + B - C) ** 2), (A + C) ** 2 + B**2
    printed = identity(computed(r"\text{both}", sp.expand(both)), whole)
    loss = identity(computed(r"\text{loss}", 2 * half * whole), whole)
    share = sp.Symbol("share", positive=True)  # e^{-2 kappa}
    two = (1 + ((1 - share) / (1 + share)) ** 2) / 2
    added = forall(least * share**2 / 2, "<=", two, {share: sp.Interval.Lopen(0, 1)})
    return derivation("COL:B.1", printed, loss, added, half=half, least=least)


@claim(
    "COL:B.1.noise",
    **charge(false="gap", costs="nothing"),
    repair=dict(centred=True),
    control=dict(centred=True, both=2),
    hypotheses=("a > 0",),
)
def symmetry_of_the_noise(*, centred: bool = False, both: int = 1) -> Evidence:
    r"""Printed, the third moment of centred noise on $2a$ and $-a$ beside $a^3$ is $a^3$. With
    `centred` the mean of $(A+B+C)^2$ over $A\to-A$ is that of $A^2+B^2+C^2$, with `both` = 1 times
    $C^2$, for any law of $C$ with the mean 0 and the mean square $a$ given the rest.
    """
    a = sp.Symbol("a", positive=True)
    if not centred:
        third = sp.Rational(1, 3) * (2 * a) ** 3 + sp.Rational(2, 3) * (-a) ** 3
        return identity(computed(r"\mathbb E\epsilon^3", third) + a**3, a**3)
    both_signs = sp.expand(((A + B + C) ** 2 + (-A + B + C) ** 2) / 2)
    moments = {C**2: a, C: 0}  # the mean of a polynomial of degree 2 in C
    return identity(computed(r"\mathbb E(A+B+C)^2", both_signs.subs(moments)), A**2 + B**2 + both * a)


@claim(
    "COL:B.sym",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(affine=True),
    control=dict(affine=True, sign=1),
    hypotheses=("L > 0",),
)
def opposite_tasks(*, affine: bool = False, sign: int = -1) -> Evidence:
    r"""Printed, the mean of cosine tasks in $d=3$, $\frac{\sin L}{L}$, is 0 beside 1. With
    `affine`: for ReLU and for affine tasks $-f$ is the task of `sign` = -1 times $l_1,l_2$ and $b$;
    and these have the law of $l_1,l_2,b$, as products of functions of each have the same mean,
    where it is used that they are independent and that $l$ and $-l$ have one law. It is tried on
    one point, and on one moment.
    """
    if not affine:
        t = sp.Symbol("t", real=True)
        mean = sp.integrate(sp.cos(L * t) / 2, (t, -1, 1))
        return identity(computed(r"\mathbb E f", mean) + 1, sp.S.One)
    l, b, x = sp.symbols("l b x", positive=True)
    value = lambda times: times * l * x + times * b
    same = identity(computed("-f", -value(1)), value(sign))
    square = averaged(l_1**2 * l_2**2)
    law = identity(computed(r"\mathbb E l_1^2l_2^2", square), -sign * square)
    return derivation("COL:B.sym", same, same, law, sign=sign)


@claim(
    "COL:B.eq7",
    **charge(false="typo", costs="constants"),
    repair=dict(half=2),
    control=dict(half=3),
    hypotheses=("u > -2", "v > -2"),
)
def exponent_of_the_weights(*, half: int = 1) -> Evidence:
    r"""The difference of the scores $x_i^\top Mx$ of two tokens is that of
    $-\|\Sigma^{-1/2}x_i-M^\prime\Sigma^{-1/2}x\|^2$ over `half`, for every $M$: printed (1), for
    $\Sigma=I$ on the circle; otherwise for every $\Sigma$ and in every dimension, up to the
    difference of the squares of $\Sigma^{-1/2}x_i$, which are 1.
    """
    if half != 1:
        letters = Algebra(general=["M"], symmetric=["R", "S"], vectors=["u", "v", "x"], inverse=[("R", "S")])
        M, R, S, u, v, x = (letters[name] for name in ("M", "R", "S", "u", "v", "x"))  # R = Sigma^{1/2}
        square = lambda y: (S * R * y - R * M * R * S * R * x).T * (S * R * y - R * M * R * S * R * x)
        return trace_identity(
            half * ((R * u - R * v).T * M * R * x), square(v) - square(u) + u.T * u - v.T * v
        )
    u, v, x = map(on_circle, "uvx")
    M = sp.Matrix(2, 2, sp.symbols("M_1:5", real=True))
    square = lambda y: (y - M * x).dot(y - M * x)
    return identity((u - v).dot(M * x), sp.expand(square(v) - square(u)))


@claim("COL:B.4", control=dict(least=Fraction(1, 10)))
def increasing_correlation(*, least: int | Fraction = 0) -> Evidence:
    r"""Affine and ReLU tasks have correlations whose slope at every $t$ of a grid exceeds `least` =
    0, and cosine tasks, which are even, have not.
    """
    grid = [-0.9 + 0.1 * k for k in range(19)]

    def meets(tasks: TaskClass) -> bool:
        slopes = [(float(tasks.rho(x + 0.01, 3)) - float(tasks.rho(x - 0.01, 3))) / 0.02 for x in grid]
        return min(slopes) > least

    return definition(
        meets,
        r"\rho^\prime>0",
        inside={"affine": (affine(1),), "ReLU": (relu(1),)},
        outside={"cosine": (cosine(3),)},
    )


@claim("COL:B.5.mono", control=dict(sign=-1))
def weights_grow(*, sign: int = 1) -> Evidence:
    r"""The weight grows with the height, times `sign` = 1, and the mean of $\rho$ times the weight
    is largest if both are taken at the heights over one point: with two points of one length, whose
    heights may be exchanged by a reflection, $\mathbb E(\rho(S)-\rho(T))(w(S)-w(T))\geq0$. It is
    tried for the rest $X=r$ of the sum and $s<t$.
    """
    weight = lambda x: sign * sp.exp(x) / (sp.exp(x) + r)
    growing = forall(weight(s + t), ">", weight(s), {s: (0, 5), t: (0, 5), r: (0, oo)})
    alike = forall((weight(s + t) - weight(s)) * t, ">=", 0, {s: (0, 5), t: (0, 5), r: (0, oo)})
    return derivation("COL:B.5.mono", growing, alike, sign=sign)


@claim("COL:B.5.map", control=dict(least=Fraction(11, 10)))
def one_minimiser(*, least: int | Fraction = 1) -> Evidence:
    r"""The mean of $g(c_y)$ is at least the least value $m$ of $g$, times `least` = 1, and equal to
    it if all $c_y$ are one minimiser $c$, for which the map $y\mapsto c_yy$ is $cI$. It is tried
    for two values $a,b\geq m$ with weights $q$ and $1-q$.
    """
    a, b, m, q = sp.symbols("a b m q", positive=True)
    ranges = {a: (0, oo), b: (0, oo), m: (0, oo), q: (0, 1)}
    search = forall(q * a + (1 - q) * b, ">=", least * m, ranges, where=[(a, ">=", m), (b, ">=", m)])
    same = identity(computed(r"\mathbb E g(c)", q * m + (1 - q) * m), sp.Rational(least) * m)
    return derivation("COL:B.5.map", search, same, share=least)


@claim(
    "COL:eq8",
    **charge(false="typo", follows="COL:B.eq7", costs="constants"),
    repair=dict(half=2),
    control=(dict(half=3), dict(half=2, share=2)),
    hypotheses=("u > -2", "v > -2", "w > 0"),
)
def whitened_tokens(*, half: int = 1, share: int = 1) -> Evidence:
    r"""The difference of the scores $wx_i^\top\Sigma^{-1}x$ of two tokens is that of
    $-w\|\Sigma^{-1/2}(x_i-x)\|^2$ over `half`: printed (1), for $\Sigma=I$ on the circle; otherwise
    in every dimension, up to the difference of the squares of $\Sigma^{-1/2}x_i$, which are 1. For
    $x=\Sigma^{1/2}\tilde x$ the exponent $w(x_i-x)^\top\Sigma^{-1}(x_i-x)$ is `share` = 1 times
    $w\|\tilde x_i-\tilde x\|^2$, so that (8) becomes (9).
    """
    letters = Algebra(symmetric=["R", "S"], vectors=["u", "v", "x"], params=["w"], inverse=[("R", "S")])
    R, S, one, other, query, width = (letters[name] for name in "RSuvxw")  # R = Sigma^{1/2}
    square = lambda y: width * ((R * y).T * S * S * (R * y))
    second = trace_identity(square(one - other), share * width * ((one - other).T * (one - other)))
    if half != 1:
        scores = half * width * ((R * one - R * other).T * S * S * R * query)
        lengths = width * (one.T * one - other.T * other)
        return all_of(trace_identity(scores, square(other - query) - square(one - query) + lengths), second)
    u, v, x = map(on_circle, "uvx")
    length = lambda y: (y - x).dot(y - x)
    return all_of(identity(w * (u - v).dot(x), sp.expand(w * (length(v) - length(u)))), second)


@claim("COL:B.1-dec", control=dict(share=2))
def parts_of_the_loss(*, share: int = 1) -> Evidence:
    r"""The loss is the mean of $(\sum_i(f(x)-f(x_i))\gamma_i)^2$ and `share` = 1 times that of
    $(\sum_i\gamma_i\epsilon_i)^2$, for any number of tokens and weights that depend on them alone
    and add up to 1. Of the noise it is used that $\mathbb E\sum_ib_i\epsilon_i=0$ for all numbers
    $b$, given the rest. The square is tried in every dimension, with the term that is linear in
    $\epsilon$ written out.
    """
    letters = Algebra(vectors=["g", "f", "epsilon"], params=["k"])
    g, f, epsilon, k = (letters[name] for name in ("g", "f", "epsilon", "k"))
    error = g.T * (f + epsilon) - k
    off = g.T * f - k
    square = trace_identity(
        error * error, off * off + 2 * off * (g.T * epsilon) + share * (g.T * (epsilon * epsilon.T) * g)
    )
    return derivation("COL:B.1-dec", square, share=share)


@claim("COL:gp", control=(dict(sign=1), dict(half=Fraction(1, 3))))
def derivative_of_the_sums(*, sign: int = -1, half: int | Fraction = Fraction(1, 2)) -> Evidence:
    """For any number of tokens $g_0(r+h)-g_0(r)$ is `sign` = -1 times $hg_2(r)$, up to `half` = 1/2
    times $h^2g_4$ at the smaller of both widths, so that $-g_2$ is the derivative of $g_0$. It is
    tried for one token, with $hs^2=t$.
    """
    forward, backward = sp.exp(-t) - 1 - sign * t, sp.exp(t) - 1 + sign * t
    ranges = {t: (0, oo)}
    up = forall(sp.Max(forward, -forward), "<=", half * t**2, ranges)
    return derivation(
        "COL:gp", up, forall(backward, "<=", half * t**2 * sp.exp(t), ranges), sign=sign, half=half
    )


@claim(
    "COL:gp.p", **TYPO, repair=dict(largest=2), control=dict(largest=Fraction(3, 2)), hypotheses=("p <= 2",)
)
def values_of_p(*, largest: int | Fraction = 1) -> Evidence:
    r"""The $p$ that are used, up to 2, are at most `largest` (printed: 1)."""
    p = sp.Symbol("p", nonnegative=True)
    return forall(p, "<=", largest, {p: Closed(0, 2)})
